"""Steps: what they compare, what they refuse, and how a failed one says to play it again."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.arguments import Sentence
from bench.cli import main
from bench.limits import MAX_COUNT
from bench.matrix import Case, Player
from bench.scene import Scene
from bench.steps import barriers, outcomes, runs, traces, worlds
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


# --------------------------------------------------------------------------- several agents


def together(*faults: Fault) -> Scene:
    """Plain and the hybrid in one world, at most 40 ticks."""
    played = scene(*faults)
    runs.some_designs_run_together(played, ("plain", "hybrid"), "bfs", 40)
    return played


def test_designs_that_run_together_are_the_agents_of_one_run() -> None:
    (run,) = together().runs()
    assert [player.design for player in run.case.cast] == ["plain", "hybrid"]
    assert {row.agent for row in run.rows} == {0, 1}


def test_lies_rows_and_hidden_tools_say_whose_they_are() -> None:
    played = together(
        Fault("diagnose", Mode.LIE, times=1, agent=0), Fault("diagnose", Mode.FAIL, agent=1)
    )
    traces.these_lies_and_no_others(played, table("tick | agent | caught", "2 | 0 | yes"))
    traces.trace_shows(played, table("tick | agent | kind", "2 | 0 | lie", "2 | 1 | failure"))
    traces.hidden_in(
        played, "diagnose", table("from | to | agent", "3 | 5 | 0", "3 | 5 | 1", "7 | 7 | 1")
    )
    with pytest.raises(AssertionError, match=r"no row \| 1 \| lie \|"):
        traces.trace_shows(played, table("agent | kind", "1 | lie"))


def test_each_agent_ends_for_itself() -> None:
    played = together(Fault("diagnose", Mode.LIE))
    stuck = "stuck regulation: 5 ticks with no progress at 50% freedom"
    rows = ["agent | tick | end | reason", "0 | 6 | handed off | no route"]
    outcomes.runs_end_like(played, table(*rows, f"1 | 7 | handed off | {stuck}"))
    with pytest.raises(AssertionError, match=r"also has \| 1 \| 7 \| handed off"):
        outcomes.runs_end_like(played, table(*rows))
    (run,) = played.runs()
    assert run.came_to == (
        "agent 0 (plain) handed off at tick 6: no route; "
        f"agent 1 (hybrid) handed off at tick 7: {stuck}"
    )


@pytest.mark.parametrize(
    ("design", "ticks", "end"),
    [
        ("plain", 40, "done"),
        ("plain", 5, "time up"),
        ("careless", 40, "false completion"),
    ],
)
def test_a_run_ends_in_one_of_four_ways(design: str, ticks: int, end: str) -> None:
    played = scene(Fault("apply-patch", Mode.LIE, times=1))
    runs.one_design_runs(played, design, "bfs", ticks)
    (run,) = played.runs()
    assert [ending.end for ending in run.ends()] == [end]


def test_a_lie_may_be_told_to_one_agent_only() -> None:
    told = scene()
    worlds.lies_to_one_agent(told, "diagnose", 1, 2)
    assert told.faults == [Fault("diagnose", Mode.LIE, times=2, agent=1)]


@pytest.mark.parametrize(
    ("when", "schedule"),
    [
        ("", {}),
        ("always", {}),
        ("once", {"times": 1}),
        ("3 times", {"times": 3}),
        ("at tick 4", {"ticks": (4,)}),
        ("30% of the time", {"probability": 0.3}),
    ],
)
def test_a_table_of_faults_says_when_and_to_whom(when: str, schedule: dict[str, Any]) -> None:
    told = scene()
    rows = table("tool | mode | when | agent", f"deploy | false alarm | {when} | 1")
    barriers.these_faults(told, rows)
    assert told.faults == [Fault("deploy", Mode.FALSE_ALARM, agent=1, **schedule)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("deploy | lie | now | 0", "'now' is no time for a fault; write once, 2 times, always, "),
        ("deploy | lie | once | first", "agents count from 0, found 'first'"),
        ("deploy | lye | once | 0", "no mode 'lye'; did you mean 'lie'?"),
    ],
)
def test_a_fault_that_cannot_be_read_is_refused(row: str, message: str) -> None:
    with pytest.raises(AssertionError) as error:
        barriers.these_faults(scene(), table("tool | mode | when | agent", row))
    assert str(error.value).startswith(message)


# --------------------------------------------------------------------------- sequences, counts


def in_a_row(design: str, num_cases: int) -> Scene:
    """So many cases of one design, in each of which the patch lies once."""
    played = scene(Fault("apply-patch", Mode.LIE, times=1))
    runs.one_design_runs_in_a_row(played, design, num_cases, "bfs", 40)
    return played


def test_counts_are_told_case_by_case() -> None:
    played = in_a_row("hybrid with memory", 3)
    heading = "case | ticks | lies told | quarantines"
    outcomes.runs_come_to(played, table(heading, "1 | 7 | 1 | 1", "2 to 3 | 6 | 0 | 0"))
    with pytest.raises(AssertionError) as error:
        outcomes.runs_come_to(played, table(heading, "1 to 3 | 7 | 1 | 1"))
    assert "hybrid with memory, case 2: lacks | 7 | 1 | 1 |" in str(error.value)


def test_a_run_that_the_counts_leave_out_is_told_of() -> None:
    with pytest.raises(AssertionError, match="hybrid, case 2: no row of the table is about this"):
        outcomes.runs_come_to(in_a_row("hybrid", 2), table("case | acts", "1 | 7"))


def test_counts_are_those_of_all_agents() -> None:
    played = together(Fault("deploy", Mode.FAIL, times=1, agent=0))
    outcomes.runs_come_to(played, table("acts | landed | failed", "12 | 12 | 0"))  # both deployed
    outcomes.runs_come_to(played, table("ticks", "6"))


def test_no_cases_at_all_are_refused() -> None:
    with pytest.raises(AssertionError, match="runs 1 to 1,000 cases in a row, found 0"):
        in_a_row("plain", 0)


def test_the_control_arm_believes_in_every_case() -> None:
    traces.these_lies_and_no_others(
        in_a_row("careless", 2), table("case | tick | caught", "1 | 3 | no", "2 | 3 | no")
    )


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


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_replay_of_a_case_plays_those_before_it_too(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = next(r for r in in_a_row("hybrid with memory", 3).runs() if r.number == number)
    monkeypatch.setattr(sys, "argv", [*shlex.split(run.replay), "--json"])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr().out.splitlines()  # a line a case
    assert len(printed) == number
    assert json.loads(printed[-1])["hashes"]["run"] == run.hashes["run"]


def test_a_replay_keeps_the_order_of_the_faults() -> None:
    faults = (Fault("deploy", Mode.FAIL, times=1), Fault("deploy", Mode.LIE, times=1))
    played = scene(*faults)
    runs.one_design_runs(played, "plain", "bfs", 40)
    (run,) = played.runs()
    assert "--fault deploy:fail:once --fault deploy:lie:once" in run.replay


def test_a_world_has_one_case_however_it_is_spelt() -> None:
    spellings = ("restore-service", "worlds/restore_service.yaml", "Restore Service")
    played = [scene(world=spelling) for spelling in spellings]
    for each in played:
        runs.one_design_runs(each, "plain", "bfs", 40)
    assert len({run.case.id for each in played for run in each.runs()}) == 1
