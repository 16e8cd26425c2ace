"""The loop: one snapshot for all seats, one transition, and an end for every agent."""

from dataclasses import dataclass

import pytest

from creatura import loop, resolver
from creatura.errors import PartError
from creatura.protocols import HandOff, Row, Sleep, Slots
from creatura.world import Episode, Fault, Mode, parse_world
from tests.worlds import LIE, ferry, play, restore_service, shown

RACE = parse_world(
    """
name: race
facts: [a, b]
tools: {one: {grants: [a]}, two: {requires: [a], grants: [b]}}
task: {goal: b, obligations: [a, b]}
"""
)


def race(designs, *faults, seats=None, max_ticks=10):
    seats = seats or ["bfs"] * len(designs)
    cast = [
        loop.Player(resolver.design(d), resolver.seat(s))
        for d, s in zip(designs, seats, strict=True)
    ]
    return loop.run(
        RACE, cast, [Episode(0, 0, faults)], max_ticks=max_ticks, backend="interpreter",
        observers=[resolver.observer("critic")],
    )  # fmt: skip


def by_agent(results, agent):
    return [(r.tick, r.kind, r.action) for r in results.trace.rows(0) if r.agent == agent]


def test_all_seats_decide_on_the_same_snapshot():
    results = race(["plain", "plain"])
    assert (
        by_agent(results, 0)
        == by_agent(results, 1)
        == [
            (1, "landed", "one"),
            (2, "landed", "two"),
            (2, "done", "done"),
        ]
    )


def test_a_fault_may_meet_one_agent_only():
    fault = Fault("one", Mode.FAIL, times=1, agent=1)
    script = ["script:-,one", "script:one,-"]
    results = race(["plain", "plain"], fault, seats=script)
    assert by_agent(results, 1)[0] == (1, "failure", "one")
    assert by_agent(results, 0)[:2] == [(1, "passed", "wait"), (2, "landed", "one")]


def test_a_lie_that_another_agent_makes_true_is_none_by_the_facts():
    results = race(["plain", "plain"], Fault("one", Mode.LIE, agent=0))
    assert not list(results.lies.of(0))
    assert by_agent(results, 0)[0] == (1, "landed", "one")


def test_one_agent_may_hand_off_while_the_other_goes_on():
    results = race(["plain", "plain"], seats=["script:one", "script:-,-,two"])
    assert by_agent(results, 0) == [(1, "landed", "one"), (2, "handed-off", "hand off")]
    assert by_agent(results, 1)[-2:] == [(3, "landed", "two"), (3, "done", "done")]
    assert results.reason(0) == "no route: the script has ended"
    assert results.goal_reached[0]
    assert results.declared_done[0].tolist() == [False, True]


def test_a_done_that_is_untrue_when_it_is_said_stays_false_whatever_comes_later():
    seats = ["script:one,two", "script:-,-,-,one"]
    lie = Fault("one", Mode.LIE, agent=0)
    results = race(["careless", "plain"], lie, seats=seats)
    assert results.goal_reached[0]
    assert results.false_done[0].tolist() == [True, False]
    assert results.false_completion[0]


def test_the_control_arm_believes_that_a_fact_is_gone():
    world = parse_world(
        """
name: clean
facts: [{dirty: true}, washed]
tools: {wash: {grants: [washed], revokes: [dirty]}}
task: {goal: washed and not dirty}
"""
    )
    results = play(world, "careless", Fault("wash", Mode.LIE))
    assert shown(results) == [(1, "believed", "wash"), (1, "done", "done")]
    assert results.false_completion[0]


def test_a_design_that_leaves_its_range_is_named():
    @dataclass(frozen=True)
    class Wild(Slots):
        name: str = "wild"

        def error(self, context):
            return 2.0

    with pytest.raises(PartError) as error:
        play(ferry(), Wild())
    assert str(error.value) == (
        "design 'wild' answered error 2 at tick 1; it is a share from 0 to 1"
    )


def test_a_count_of_faults_is_used_up_in_agent_order():
    results = race(["plain", "plain"], Fault("one", Mode.FAIL, times=1))
    first = [(row.agent, row.detail) for row in results.trace.rows(0) if row.tick == 1]
    assert first[:2] == [(0, "landed, though failure was reported"), (1, "landed")]


def test_a_run_ends_when_its_ticks_are_up():
    results = play(restore_service(), "plain", max_ticks=3)
    assert shown(results)[-1] == (3, "time-up", "stop")
    assert not results.goal_reached[0]
    assert results.reason(0) is None
    assert results.ticks[0] == 3


def test_a_goal_that_holds_from_the_start_takes_no_tick():
    world = parse_world(
        "{name: over, facts: [{a: true}], tools: {work: {grants: [a]}}, task: {goal: a}}"
    )
    results = play(world)
    assert results.ticks[0] == 0
    assert shown(results) == [(0, "done", "done")]
    assert results.goal_reached[0]


@dataclass(frozen=True)
class Scribe(Slots):
    """A design that fills every slot that decides, so that each is seen to be asked."""

    name: str = "scribe"
    hold_tick: int = 2
    stop_tick: int = 5
    withheld: str = "winch-ramp"

    def begin(self, brief):
        return ()

    def error(self, context):
        return 0.5

    def stop(self, context):
        return HandOff("enough") if context.tick == self.stop_tick else None

    def shape(self, context, offered):
        return tuple(tool for tool in reversed(offered) if tool.id != self.withheld)

    def hold(self, context, tool):
        return "thinking" if context.tick == self.hold_tick else None

    def record(self, context, event):
        return (*context.memory, type(event).__name__)

    def sleep(self, context):
        told = Row("scribe", 0.0, 0.0, "sleep", " ".join(context.memory))
        return Sleep(context.memory, rows=(told,))


def test_every_slot_is_asked_in_its_place():
    results = play(ferry(), Scribe())
    assert shown(results) == [
        (1, "landed", "check-tickets"),
        (2, "held", "load-cars"),
        (3, "landed", "load-cars"),
        (4, "landed", "raise-ramp"),
        (5, "handed-off", "hand off"),
        (5, "sleep", "sleep"),
    ]
    rows = list(results.trace.rows(0))
    assert rows[-1].detail == "Judged Held Judged Judged HandOff"
    assert {(row.stress, row.freedom) for row in rows[:-1]} == {(0.5, 0.55)}
    assert results.counts.held[0, 0] == 1


def test_what_a_design_holds_back_is_neither_offered_nor_on_the_map():
    faults = [Fault("raise-ramp", Mode.LIE)]
    results = play(ferry(), Scribe(hold_tick=0, stop_tick=0), *faults)
    assert "winch-ramp" not in {action for _, _, action in shown(results)}
    assert results.reason(0) == "no route"


def test_the_critic_counts_eight_claims_and_flags_the_lie():
    findings = play(restore_service(), "plain", LIE).findings[0]
    assert (findings.claims, findings.judgements, findings.flags) == (8, 8, 1)
    assert findings.route == (
        "1: read-logs",
        "2: diagnose",
        "3: apply-patch (false)",
        "4: apply-config",
        "5: run-tests",
        "6: deploy",
        "7: resolve-alert",
        "7: done",
    )


def test_the_critic_flags_the_false_done_of_the_control_arm_as_well():
    findings = play(restore_service(), "careless", LIE).findings[0]
    assert (findings.claims, findings.flags) == (7, 2)
    assert findings.route[-1] == "6: done (false)"


def test_an_honest_failure_is_a_true_claim():
    findings = play(restore_service(), "plain", Fault("apply-patch", Mode.FAIL, times=1)).findings[
        0
    ]
    assert findings.flags == 0
    assert "3: apply-patch failed" in findings.route


@pytest.mark.parametrize("design", ["plain", "hybrid"])
def test_the_membrane_reads_facts_and_not_reports(design):
    results = play(restore_service(), design, LIE)
    assert results.declared_done[0, 0]
    assert results.goal_reached[0]
    assert not results.false_completion[0]


def test_the_control_arm_believes_and_is_a_false_completion():
    results = play(restore_service(), "careless", LIE)
    assert results.false_completion[0]
    assert list(results.lies.of(0)) == [(0, 3, 2, False)]
    assert results.counts.lies_caught[0, 0] == 0
