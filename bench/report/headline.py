"""Headline: what a person should look at first, worst news first.

Failed scenarios come before false completions, and those before lies that were not caught. What
befalls the control arm alone is told apart: it is there to be beaten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bench import tables
from bench.scenarios import ScenarioResult

BAD, NOTE, GOOD = "Look here", "Control arm", "Fine"
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Point:
    """One sentence of the headline, under the word that says how to take it."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Headline:
    """What to look at first.

    Attributes:
        title: The worst news, or that there is none.
        points: Each finding in a sentence.
    """

    title: str
    points: tuple[Point, ...]


def headline(scenarios: Sequence[ScenarioResult], runs: pd.DataFrame) -> Headline:
    """Sums up a run.

    Args:
        runs: Distinct cases, as from `tables.distinct`.
    """
    told = [*_scenario_points(scenarios), *_completion_points(runs), *_lie_points(runs)]
    points = [point for _, point in told if point.mark == BAD]
    points += _control_points(runs)
    points += [point for _, point in told if point.mark == GOOD]
    worst = next((title for title, point in told if point.mark == BAD), None)
    return Headline(worst or _calm_title(scenarios, runs), tuple(points))


def _scenario_points(scenarios: Sequence[ScenarioResult]) -> list[tuple[str, Point]]:
    missed = [s for s in scenarios if s.outcome in ("failed", "error")]
    if not scenarios:
        return [("", Point(GOOD, "No scenario was part of this run."))]
    if missed:
        title = f"{len(missed)} of {_count(len(scenarios), 'scenario')} did not pass"
        return [(title, Point(BAD, f"{title}: {_listed([_named(s) for s in missed])}."))]
    passed = sum(s.outcome == "passed" for s in scenarios)
    skipped = len(scenarios) - passed
    text = f"{passed} of {_count(len(scenarios), 'scenario')} passed, {skipped} skipped."
    return [("", Point(GOOD, text if skipped else f"{_every(passed, 'scenario')} passed."))]


def _completion_points(runs: pd.DataFrame) -> list[tuple[str, Point]]:
    cells = _cells(runs, control=False)
    found = cells[cells["false_completions"] > 0]
    if len(found):
        title = f"False completion by {_listed(dict.fromkeys(found['design']))}"
        return [
            (
                title,
                Point(
                    BAD,
                    f"{cell['design']} in {cell['world']} declared the task done over a goal that "
                    f"was not reached, in {cell['false_completions']} of {cell['runs']} runs.",
                ),
            )
            for cell in found.to_dict("records")
        ]
    if not len(cells):
        return []
    return [("", Point(GOOD, "Every task that a design declared done was done."))]


def _lie_points(runs: pd.DataFrame) -> list[tuple[str, Point]]:
    cells = _cells(runs, control=False)
    found, told = cells[cells["lies_believed"] > 0], int(cells["lies_told"].sum())
    if len(found):
        title = f"Lies not caught: {_listed(dict.fromkeys(found['design']))}"
        return [(title, Point(BAD, _missed_lies(cell))) for cell in found.to_dict("records")]
    if not told:
        return [("", Point(GOOD, "No lie was told to a design under the membrane."))]
    return [("", Point(GOOD, f"{_every(told, 'lie')} told to a design was caught."))]


def _control_points(runs: pd.DataFrame) -> list[Point]:
    return [
        Point(
            NOTE,
            f"{cell['design']} in {cell['world']} believed {cell['lies_believed']} of "
            f"{cell['lies_told']} lies and falsely declared the task done in "
            f"{cell['false_completions']} of {cell['runs']} runs. Its membrane is off; "
            "it is there to be beaten.",
        )
        for cell in _cells(runs, control=True).to_dict("records")
    ]


def _cells(runs: pd.DataFrame, *, control: bool) -> pd.DataFrame:
    cells = tables.outcomes(runs, ("world", "design"))
    cells[["world", "design"]] = cells[["world", "design"]].astype(str)
    is_wanted = [tables.is_control(design) == control for design in cells["design"]]
    return cells[np.array(is_wanted, dtype=bool)]  # an empty plain list would pick no columns


def _missed_lies(cell: dict[Any, Any]) -> str:
    return (
        f"{cell['design']} in {cell['world']} was told {_count(cell['lies_told'], 'lie')}, "
        f"of which {cell['lies_believed']} went uncaught."
    )


def _calm_title(scenarios: Sequence[ScenarioResult], runs: pd.DataFrame) -> str:
    if not scenarios and runs.empty:
        return "Nothing was run"
    if not scenarios:
        return "Every lie was caught, and every task declared done was done"
    skipped = sum(s.outcome == "skipped" for s in scenarios)
    return "Nothing failed" + (f"; {_count(skipped, 'scenario')} skipped" if skipped else "")


def _named(scenario: ScenarioResult) -> str:
    place = f"{scenario.feature}:{scenario.line}"
    return f"“{scenario.name}” ({place})" if scenario.name else place


def _listed(names: Any) -> str:
    shown = list(names)
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 1], f"{len(shown) - MOST_NAMED + 1} more"]
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def _every(number: int, word: str) -> str:
    return f"The one {word}" if number == 1 else f"Each of the {number:,} {word}s"
