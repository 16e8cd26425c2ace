"""Tables: what a run's rows come to, from frame to frame.

Every distinct case counts once, however many plans and scenarios asked for it, and every case
counts: one that was handed off or ran out of time is in the denominator like any other. Counts are
given as k of n, ticks as median with both ends; nothing is a bare mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from creatura import resolver

POOLED = ("world", "seat", "design")
CELL = ("world", "trouble", "seat", "design")  # what one row of the outcomes is about
# What two designs must share to be compared.
SETTING = ("trouble", "seat", "seed", "episode", "number")
PLAN = "plan:"  # how the group of a plan's cases begins

_SUMS = {
    "reached": "goal_reached",
    "lies_told": "lies_told",
    "lies_caught": "lies_caught",
    "lies_believed": "lies_believed",
    "false_completions": "false_completion",
}


def distinct(runs: pd.DataFrame) -> pd.DataFrame:
    """Keeps one row a case, with worlds that share a name told apart by their hash.

    Args:
        runs: Rows of the store's `runs`.
    """
    once = runs.drop_duplicates("case", ignore_index=True)
    names = once[["world", "world_hash"]].drop_duplicates()
    shared = set(names["world"][names["world"].duplicated()])
    labels = [
        f"{world} ({str(key)[:6]})" if world in shared else str(world)
        for world, key in zip(once["world"], once["world_hash"], strict=True)
    ]
    return once.assign(world=pd.Categorical(labels, categories=list(dict.fromkeys(labels))))


def planned(runs: pd.DataFrame) -> pd.DataFrame:
    """Keeps the cases that a plan asked for, or all where there was no plan.

    A plan gives every design the same cases; scenarios do not, and counting theirs beside it would
    compare designs over different troubles.

    Args:
        runs: Rows of the store's `runs`, a case once for each group.
    """
    of_plan = runs[runs["group"].astype(str).str.startswith(PLAN)]
    return runs if of_plan.empty else of_plan


def outcomes(runs: pd.DataFrame, by: Sequence[str] = CELL) -> pd.DataFrame:
    """Counts what the runs of each cell came to, in the order the cells were first run.

    Args:
        runs: Distinct cases, as from `distinct`.
        by: What makes a cell.

    Returns:
        One row a cell: `by`, then runs, reached, ticks_median, ticks_min, ticks_max, lies_told,
        lies_caught, lies_believed, handed_off, false_completions.
    """
    grouped = runs.groupby(list(by), sort=False, observed=True)
    ticks = grouped["ticks"]
    counted = pd.DataFrame(
        {
            "runs": grouped.size(),
            "ticks_median": ticks.median(),
            "ticks_min": ticks.min(),
            "ticks_max": ticks.max(),
            "handed_off": grouped["handed_off"].count(),
            **{name: grouped[column].sum().astype(int) for name, column in _SUMS.items()},
        }
    ).reset_index()
    return _in_order(counted, by)


def designs_by_worlds(runs: pd.DataFrame, by: Sequence[str] = CELL) -> pd.DataFrame:
    """Renders the outcomes of every cell for people to read.

    Returns:
        One row a cell: `by`, then goal reached (`k/n`), ticks (`median [min-max]`), lies caught
        (`caught/told`), lies believed, hand-offs (`k/n`), false completions (`k/n`).
    """
    counted = outcomes(runs, by)
    shown = counted[list(by)].astype(str)
    if "trouble" in shown:
        shown["trouble"] = [trouble_words(text) for text in shown["trouble"]]
    ends = zip(counted["ticks_median"], counted["ticks_min"], counted["ticks_max"], strict=True)
    shown["goal reached"] = _of(counted["reached"], counted["runs"])
    shown["ticks"] = [f"{median:g} [{low}-{high}]" for median, low, high in ends]
    shown["lies caught"] = _of(counted["lies_caught"], counted["lies_told"])
    shown["lies believed"] = counted["lies_believed"].astype(str)
    shown["hand-offs"] = _of(counted["handed_off"], counted["runs"])
    shown["false completions"] = _of(counted["false_completions"], counted["runs"])
    return shown


def trouble_words(trouble: str) -> str:
    """Shortens a long list of faults to its first; says so where there is none.

    >>> trouble_words("none"), trouble_words("sail lies once; load fails always; dock lies once")
    ('no added faults', 'sail lies once and 2 more faults')
    """
    first, *rest = trouble.split("; ")
    if trouble == "none":
        return "no added faults"
    if len(rest) < 2:
        return " and ".join([first, *rest])
    return f"{first} and {len(rest)} more faults"


def is_control(design: str) -> bool:
    """Tells whether a cast is of the control arm alone.

    >>> is_control("careless"), is_control("careless + hybrid"), is_control("hybrid")
    (True, False, False)
    """
    return all(
        name.partition("(")[0].strip() == resolver.CONTROL_ARM for name in design.split(" + ")
    )


def shown_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Picks one run of each world and design to show.

    In each world that is the setting with a lie that most designs ran, the first of several, so
    that designs can be compared; else the design's first run with a lie; else its first run.
    """
    ranked = runs.assign(is_honest=runs["lies_told"] == 0, order=range(len(runs)))
    ranked["is_apart"] = ~_is_in_common_setting(ranked[~ranked["is_honest"]], ranked)
    ranked = ranked.sort_values(["is_apart", "is_honest", "order"], kind="stable")
    chosen = ranked.drop_duplicates(["world", "design"])
    return chosen.sort_values("order", ignore_index=True)[runs.columns.tolist()]


def _is_in_common_setting(lying: pd.DataFrame, ranked: pd.DataFrame) -> pd.Series[bool]:
    """Tells which runs lied in the setting of their world that most designs share."""
    by = ["world", *SETTING]
    shared = lying.groupby(by, sort=False, observed=True).agg(
        designs=("design", "nunique"), order=("order", "min")
    )
    best = shared.sort_values(["designs", "order"], ascending=[False, True]).reset_index()
    common = set(best.drop_duplicates("world")[by].itertuples(index=False, name=None))
    keys = ranked[by].itertuples(index=False, name=None)
    return pd.Series([key in common for key in keys], index=ranked.index, dtype=bool)


def _in_order(counted: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Brings cells of one world together, then of one trouble, as each was first met."""
    ranks = pd.DataFrame({name: pd.factorize(counted[name])[0] for name in by})
    order = ranks.sort_values(list(by), kind="stable").index
    return counted.loc[order].reset_index(drop=True)


def _of(part: pd.Series[int], whole: pd.Series[int]) -> list[str]:
    return [f"{k}/{n}" for k, n in zip(part, whole, strict=True)]
