"""Expected: whose rows are whose, and what a table that is about nobody gets told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import expected
from bench.scene import Run, Scene
from bench.steps import runs
from creatura.world import Fault, Mode

KNOWN = ("tick", "tool")


def table(*rows: str) -> list[list[str]]:
    """Cells of rows written as `a | b`."""
    return [[cell.strip() for cell in row.split("|")] for row in rows]


@pytest.fixture(scope="module")
def played() -> list[Run]:
    """One case of plain alone, and three of the hybrid in a row."""
    scene = Scene(Path("features/x.feature"), "features/x.feature:3 its name")
    scene.set_world("restore-service")
    scene.add_fault(Fault("apply-patch", Mode.LIE, times=1))
    runs.one_design_runs(scene, "plain", "bfs", 40)
    runs.one_design_runs_in_a_row(scene, "hybrid", 3, "bfs", 40)
    return sorted(scene.runs(), key=lambda run: (-len(run.case.design), run.number))


def of_each(played: list[Run], *rows: str) -> list[list[list[str]]]:
    read = expected.read(table(*rows), KNOWN)
    read.check_runs(played)
    return [read.of(run) for run in played]


def test_a_row_without_a_name_is_about_every_run(played: list[Run]) -> None:
    assert of_each(played, "tick | tool", "3 | x") == [[["3", "x"]]] * 4


def test_a_row_is_about_the_design_and_the_cases_that_it_names(played: list[Run]) -> None:
    assert [run.name for run in played] == ["hybrid", "hybrid, case 2", "hybrid, case 3", "plain"]
    found = of_each(
        played,
        "tick | case   | design",
        "1    | 1      | plain ",
        "2    | 2 to 3 | hybrid",
        "3    | 3      | hybrid",
    )
    assert found == [[], [["2"]], [["2"], ["3"]], [["1"]]]


def test_what_a_run_shows_is_put_into_the_order_of_the_table() -> None:
    read = expected.read(table("tool | design | tick", "x | plain | 3"), KNOWN)
    assert read.shown([{"tick": "4", "tool": "y"}]) == [["y", "4"]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["tick | desing", "3 | plain"], "no column 'desing'; did you mean 'design'?"),
        (["design | case", "plain | 1"], "the table compares nothing; its columns may be tick, "),
        (["tick | tool"], "the table has no rows"),
        (["tick | design", "3 | pla"], "no run of 'pla'; did you mean 'plain'?; it was hybrid and"),
        (["tick | case", "3 | 2 to 4"], "no case 2 to 4; they are 1 to 3"),
        (["tick | case", "3 | 0"], "no case 0; they are 1 to 3"),
        (["tick | case", "3 | all"], "a case is a number, or several as in 2 to 10, found 'all'"),
    ],
)
def test_a_table_that_is_about_nothing_is_refused(
    played: list[Run], rows: list[str], message: str
) -> None:
    with pytest.raises(AssertionError) as error:
        of_each(played, *rows)
    assert str(error.value).startswith(message)


def test_a_difference_tells_what_is_lacking_and_what_is_besides() -> None:
    one, two = ["3", "x"], ["4", "y"]
    assert expected.difference([one], [one]) is None
    assert expected.difference([one], [two]) == "lacks | 3 | x |\nalso has | 4 | y |"
    assert expected.difference([one, two], [two, one]) == "has them otherwise: | 4 | y |; | 3 | x |"
