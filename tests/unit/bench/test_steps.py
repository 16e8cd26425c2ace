"""Steps: what they compare, what they refuse, and how a failed one says to play it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.arguments import Sentence
from bench.limits import MAX_COUNT
from bench.matrix import Case, Player
from bench.scene import Scene
from bench.steps import outcomes, runs, traces
from creatura.errors import AuthorError
from creatura.world import Fault, Mode

WAY = ("read-logs", "diagnose", "apply-patch", "apply-config", "run-tests", "deploy")


def table(*rows: str) -> list[list[str]]:
    """Cells of rows written as `a | b`."""
    return [[cell.strip() for cell in row.split("|")] for row in rows]


def scene(*faults: Fault, world: str = "restore-service") -> Scene:
    made = Scene(Path("features/x.feature"), "features/x.feature:3 its name")
    made.set_world(world)
    for fault in faults:
        made.add_fault(fault)
    return made


def after_a_lie(num_ticks: int) -> Scene:
    """A run of so many ticks in which the patch lies at tick 3, so it is hidden from 4 to 6."""
    played = scene(Fault("apply-patch", Mode.LIE, times=1))
    runs.one_design_follows(played, "plain", [["tool"], *([tool] for tool in WAY[:num_ticks])])
    return played


# --------------------------------------------------------------------------- hidden tools


def test_a_hidden_tool_is_told_by_the_columns_that_the_table_names() -> None:
    played = after_a_lie(6)
    traces.hidden_in(played, "apply-patch", table("from | to", "4 | 6"))
    traces.hidden_in(played, "apply-patch", table("to | from", "6 | 4"))
    traces.hidden_in(played, "apply-patch", table("from", "4"))
    with pytest.raises(AssertionError, match=r"lacks \| 4 \| 6 \|\n.*also has \| 6 \| 4 \|"):
        traces.hidden_in(played, "apply-patch", table("to | from", "4 | 6"))


def test_a_hidden_tool_is_told_no_further_than_the_run_went() -> None:
    traces.hidden_in(after_a_lie(5), "apply-patch", table("from | to", "4 | 5"))
    with pytest.raises(AssertionError) as error:  # after the last tick nothing is offered
        traces.hidden_in(after_a_lie(3), "apply-patch", table("from | to", "4 | 6"))
    assert "also has" not in str(error.value)


def test_a_tool_that_the_world_lacks_is_not_simply_never_hidden() -> None:
    with pytest.raises(AssertionError) as error:
        traces.hidden_in(after_a_lie(6), "aply-patch", table("from | to", "4 | 6"))
    message = "world 'restore-service' has no tool 'aply-patch'; did you mean 'apply-patch'?"
    assert str(error.value).startswith(message)


def test_a_fact_that_the_world_lacks_is_not_simply_absent() -> None:
    with pytest.raises(AssertionError, match="has no fact 'fixd'; did you mean 'fixed'"):
        outcomes.fact_absent(after_a_lie(6), "fixd")


# --------------------------------------------------------------------------- counts


def test_no_runs_at_all_are_refused() -> None:
    with pytest.raises(AssertionError, match="from 1 to 2,147,483,647 times, found 0"):
        runs.one_design_runs_often(scene(), "plain", 0, "bfs", 40)


def test_runs_differ_by_their_seed_only() -> None:
    played = scene()
    played.seed = 5
    runs.one_design_runs_often(played, "plain", 3, "bfs", 40)
    assert [run.case.seed for run in played.runs()] == [5, 6, 7]


@pytest.mark.parametrize("ticks", [0, MAX_COUNT + 1, 10**20])
def test_a_run_of_no_ticks_or_of_too_many_is_refused(ticks: int) -> None:
    with pytest.raises(AuthorError) as error:
        runs.one_design_runs(scene(), "plain", "bfs", ticks)
    assert str(error.value) == f"max_ticks: ticks are from 1 to 2,147,483,647, found {ticks}"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("deploy", Mode.LIE, times=0),
        Fault("deploy", Mode.LIE, times=10**30),
        Fault("deploy", Mode.LIE, ticks=(3, 0)),
        Fault("deploy", Mode.LATE, delay=0),
    ],
)
def test_a_case_refuses_a_fault_that_cannot_be_counted(fault: Fault) -> None:
    with pytest.raises(AuthorError) as error:
        Case("restore_service", (Player("plain"),), (fault,))
    assert str(error.value).startswith(
        "the fault of 'deploy': its times, ticks and delay are from 1 to 2,147,483,647, found "
    )


@pytest.mark.parametrize(
    ("template", "text", "message"),
    [
        ("{n:Times}", "0 times", "times are from 1 to 2,147,483,647, found 0"),
        ("{n:Tick}", "2147483648", "ticks are from 1 to 2,147,483,647, found tick 2147483648"),
        ("{n:Count}", "9" * 5_000, "a number has at most 40 digits, found 5000"),
        ("{n:Span}", "1 to " + "9" * 5_000, "a number has at most 40 digits, found 5000"),
    ],
)
def test_a_number_beyond_counting_gets_a_sentence(template: str, text: str, message: str) -> None:
    sentence = Sentence(template)
    assert sentence.is_matching(text)
    with pytest.raises(ValueError, match=f"^{message}$"):
        sentence.parse_arguments(text)


# --------------------------------------------------------------------------- wording


@pytest.mark.parametrize(
    ("template", "text", "values"),
    [
        ("in {n:Span} ticks", "in 1 tick", {"n": (1, 1)}),
        ("in {n:Span} ticks", "in 1 ticks", {"n": (1, 1)}),
        ("lies {n:Times}", "lies 1 time", {"n": 1}),
        ("plays {n:Count} runs", "plays 1  Run.", {"n": 1}),
        ("in {n:Span} ticks", "in 2 tick", None),
        ("in {n:Span} ticks", "in 1,001 tick", None),
        ("says {what:Name}", 'says "1 tick"', {"what": "1 tick"}),
    ],
)
def test_one_tick_may_be_written_as_people_write_it(
    template: str, text: str, values: dict[str, object] | None
) -> None:
    assert Sentence(template).parse_arguments(text) == values


# --------------------------------------------------------------------------- scripts


def test_a_script_is_played_line_by_line() -> None:
    assert [run.ticks for run in after_a_lie(4).runs()] == [4]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["tool", "read-logs, diagnose"], "found 'read-logs, diagnose'"),
        (["tool", ""], "a line names one tool, or - for none; found ''"),
        (["tool"], "the script has no lines; write one tool a line"),
        (["tool | why", "read-logs | first"], "the table has one column, 'tool'; found tool | why"),
        (["tol", "read-logs"], "the table has one column, 'tool'; found tol"),
    ],
)
def test_a_script_that_would_be_read_otherwise_is_refused(rows: list[str], message: str) -> None:
    with pytest.raises(AssertionError) as error:
        runs.one_design_follows(scene(), "plain", table(*rows))
    assert message in str(error.value)


# --------------------------------------------------------------------------- replay


def test_a_replay_has_the_exact_chance() -> None:
    played = scene(Fault("apply-patch", Mode.LIE, probability=0.123456789))
    runs.one_design_runs(played, "plain", "bfs", 40)
    (run,) = played.runs()
    assert "--lie apply-patch:p=0.123456789 " in run.replay


def test_a_world_has_one_case_however_it_is_spelt() -> None:
    spellings = ("restore-service", "worlds/restore_service.yaml", "Restore Service")
    played = [scene(world=spelling) for spelling in spellings]
    for each in played:
        runs.one_design_runs(each, "plain", "bfs", 40)
    assert len({run.case.id for each in played for run in each.runs()}) == 1
