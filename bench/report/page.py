"""Page: everything a report shows, gathered from a stored run; the templates only lay it out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from bench import plots, tables
from bench.report.headline import Headline, headline
from bench.scenarios import ScenarioResult
from bench.store import StoredRun
from creatura.critic import closing_line
from creatura.protocols import Findings

MOST_GRID_ROWS = 30  # beyond this the goal grid shows worlds, all troubles together
PICTURES = "plots"  # folder of the pictures beside report.md
CHOICE = "decided"  # kind of the rows that tell a choice before it was carried out
Row = dict[Any, Any]  # a row of the runs table, by column
TRACE_COLUMNS = ("tick", "level", "stress", "freedom", "action", "detail")


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text.

    Attributes:
        caption: What it shows, in a sentence.
        marks: `lie` for a row that tells of one, else empty; one a row.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    marks: tuple[str, ...] = ()

    @property
    def marked(self) -> list[tuple[tuple[str, ...], str]]:
        """Rows beside their marks."""
        return list(zip(self.rows, self.marks or ("",) * len(self.rows), strict=True))


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot: as an element for the page, and as a file beside the Markdown."""

    svg: Markup
    file: str
    alt: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One run that is shown whole.

    Attributes:
        anchor: Its id within the page.
        about: Seat, trouble, seed, and the hashes to find it by.
        outcome: How it ended, in a sentence.
        critic: The critic's closing line; empty without a critic.
    """

    anchor: str
    title: str
    about: str
    outcome: str
    picture: Picture
    trace: Table
    critic: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything a report shows, in its order."""

    run: str
    headline: Headline
    pooled: Table
    grid: Picture | None
    by_trouble: Table
    scenarios: tuple[ScenarioResult, ...]
    shown: tuple[Shown, ...]
    critic: str
    provenance: Table
    worlds: Table
    pictures: dict[str, bytes]


def gather(run: StoredRun) -> Page:
    """Gathers the page of a stored run."""
    runs = tables.distinct(run.runs)
    pictures: dict[str, bytes] = {}
    compared = tables.distinct(tables.planned(run.runs))
    chosen = tables.shown_runs(runs).to_dict("records")
    return Page(
        run=run.name,
        headline=headline(run.scenarios, runs),
        pooled=_outcome_table(compared, tables.POOLED, _pooled_caption(len(compared), len(runs))),
        grid=_grid(compared, pictures) if len(compared) else None,
        by_trouble=_outcome_table(runs, tables.CELL, f"All cases ({len(runs):,}), by trouble."),
        scenarios=run.scenarios,
        shown=_shown(run, chosen, pictures),
        critic=_critic_line(runs),
        provenance=_provenance(run.manifest),
        worlds=_worlds(run.manifest),
        pictures=pictures,
    )


# ------------------------------------------------------------------ designs and worlds


def _outcome_table(runs: pd.DataFrame, by: Sequence[str], caption: str) -> Table:
    shown = tables.designs_by_worlds(runs, by)
    rows = tuple(tuple(map(str, row)) for row in shown.itertuples(index=False))
    return Table(caption, tuple(shown.columns), rows)


def _pooled_caption(num_compared: int, num_cases: int) -> str:
    together = "all troubles of a world together"
    apart = num_cases - num_compared
    if not apart:
        return f"All cases ({num_cases:,}), {together}."
    return (
        f"Cases of the plan ({num_compared:,}), {together}. Those that only scenarios asked for "
        f"({apart:,}) are in the table by trouble."
    )


def _grid(runs: pd.DataFrame, pictures: dict[str, bytes]) -> Picture:
    by: tuple[str, ...] = ("world", "trouble", "design")
    if len(runs[["world", "trouble"]].drop_duplicates()) > MOST_GRID_ROWS:
        by = ("world", "design")
    cells = tables.outcomes(runs, by)
    worlds = cells["world"].astype(str).tolist()
    names = worlds
    if "trouble" in by:
        troubles = [tables.trouble_words(str(text)) for text in cells["trouble"]]
        is_one = len(set(worlds)) == 1
        names = [t if is_one else f"{w}: {t}" for w, t in zip(worlds, troubles, strict=True)]
    figure = plots.goal_plot(cells, names)
    alt = "Runs that reached the goal, of all runs, by design and trouble; the tables say the same."
    return _picture(figure, "goals", alt, pictures)


# ------------------------------------------------------------------ shown runs


def _shown(run: StoredRun, chosen: Sequence[Row], pictures: dict[str, bytes]) -> tuple[Shown, ...]:
    ids = [str(row["case"]) for row in chosen]
    traces, lies, hidden = run.traces(ids), run.lies(ids), run.quarantines(ids)
    shown = []
    for row in chosen:
        told, lied, hid = (frame[frame["case"] == row["case"]] for frame in (traces, lies, hidden))
        shown.append(_shown_run(row, told, lied, hid, pictures))
    return tuple(shown)


def _shown_run(
    row: Row,
    traces: pd.DataFrame,
    lies: pd.DataFrame,
    hidden: pd.DataFrame,
    pictures: dict[str, bytes],
) -> Shown:
    title = f"{row['design']} in {row['world']}"
    trouble = str(row["trouble"]) if row["trouble"] != "none" else "no added faults"
    setting = f"{trouble}, seat {row['seat']}, seed {row['seed']}"
    figure = plots.run_plot(
        f"{row['world']}: {row['design']}, {tables.trouble_words(str(row['trouble']))}, "
        f"seat {row['seat']}, seed {row['seed']}",
        traces, lies, hidden, int(row["ticks"]),
    )  # fmt: skip
    alt = f"Stress and freedom over {row['ticks']} ticks. {_told(lies, hidden, int(row['ticks']))}"
    return Shown(
        anchor=f"run-{row['case']}",
        title=title,
        about=f"{setting}; case {row['case']}, run {row['run_hash']}",
        outcome=_outcome(row),
        picture=_picture(figure, str(row["case"]), alt, pictures),
        trace=_trace_table(traces, lies, f"{title}, {setting}. Shaded rows are lies."),
        critic="" if math.isnan(row["claims"]) else _closing(row),
    )


def _outcome(row: Row) -> str:
    ticks = f"{row['ticks']} tick" + ("" if row["ticks"] == 1 else "s")
    if row["false_completion"]:
        return f"Declared done after {ticks} with the goal not reached: a false completion."
    if row["goal_reached"]:
        return f"The goal was reached in {ticks}."
    if pd.notna(row["handed_off"]):
        return f"Handed to a person after {ticks}: {row['handed_off']}."
    return f"The goal was not reached in {ticks}."


def _told(lies: pd.DataFrame, hidden: pd.DataFrame, last_tick: int) -> str:
    told = [
        f"{tool} lied at tick {tick}, {'caught' if caught else 'not caught'}."
        for tool, tick, caught in zip(lies["tool"], lies["tick"], lies["caught"], strict=True)
    ]
    spans = zip(hidden["tool"], hidden["tick"], hidden["until"], strict=True)
    told += [
        f"{tool} was hidden in ticks {tick + 1} to {min(until, last_tick)}."
        for tool, tick, until in spans
        if tick < last_tick
    ]
    return " ".join(told or ["No lie was told and no tool hidden."])


def _trace_table(traces: pd.DataFrame, lies: pd.DataFrame, caption: str) -> Table:
    columns = TRACE_COLUMNS if traces["agent"].nunique() < 2 else ("agent", *TRACE_COLUMNS)
    rows = tuple(
        tuple(f"{value:.2f}" if isinstance(value, float) else str(value) for value in row)
        for row in traces[list(columns)].itertuples(index=False)
    )
    told = set(zip(lies["agent"], lies["tick"], lies["tool"], strict=True))
    events = zip(traces["agent"], traces["tick"], traces["action"], traces["kind"], strict=True)
    marks = tuple("lie" if e[:3] in told and e[3] != CHOICE else "" for e in events)
    return Table(caption, columns, rows, marks)


def _critic_line(runs: pd.DataFrame) -> str:
    watched = runs[runs["claims"].notna()]
    if watched.empty:
        return "No critic watched these runs."
    totals = watched[["claims", "judgements", "flags"]].sum()
    return f"Over {len(watched):,} of {len(runs):,} runs: {_closing(totals.to_dict())}."


def _closing(counts: Row) -> str:
    claims, judgements, flags = (int(counts[name]) for name in ("claims", "judgements", "flags"))
    return closing_line(Findings(claims, judgements, flags, route=()))


def _picture(figure: Any, key: str, alt: str, pictures: dict[str, bytes]) -> Picture:
    file = f"{PICTURES}/{key}.png"
    pictures[file] = plots.render_png(figure)
    return Picture(Markup(plots.render_svg(figure, f"p{key}")), file, alt)


# ------------------------------------------------------------------ provenance


_STORED = {"cases": "cases", "traces": "trace rows", "lies": "lies", "scenarios": "scenarios"}


def _provenance(manifest: dict[str, Any]) -> Table:
    seeds = [f"{low}" if low == high else f"{low} to {high}" for low, high in manifest["seeds"]]
    counts = manifest["counts"]
    rows = [
        ("run", manifest["run"]),
        ("command", str(manifest.get("command", "not recorded"))),
        ("started", manifest["started"]),
        ("ended", str(manifest["ended"])),
        ("seeds", ", ".join(seeds) or "none"),
        ("stored", ", ".join(f"{counts[name]:,} {word}" for name, word in _STORED.items())),
        *((f"version of {name}", version) for name, version in manifest["versions"].items()),
    ]
    return Table("How this run was made.", ("what", "value"), tuple(rows))


def _worlds(manifest: dict[str, Any]) -> Table:
    names = list(dict.fromkeys(name for world in manifest["worlds"] for name in world["hashes"]))
    rows = [
        (world["world"], world["source"], *(world["hashes"].get(name, "") for name in names))
        for world in manifest["worlds"]
    ]
    return Table("The worlds and their hashes.", ("world", "source", *names), tuple(rows))
