"""Critic: each claim is true or false by the facts, and the route is read in order."""

from __future__ import annotations

import numpy as np
import pytest

from creatura.bits import words_of
from creatura.critic import Critic
from creatura.protocols import Brief, Claims, Watch
from creatura.world import Fault, Mode, parse_world
from tests.worlds import play

A, B, C = 1, 2, 4
YARD = parse_world(
    """
name: yard
facts: [a, b, c]
tools:
  give: {grants: [a]}
  give-two: {grants: [a, b]}
  take: {revokes: [c]}
  swap: {grants: [a], revokes: [c]}
task: {goal: a and not c}
"""
).brief
GIVE, GIVE_TWO, TAKE, SWAP = range(4)


def say(
    watch: Watch,
    tool: int,
    success: bool,
    before: int,
    after: int,
    *,
    tick: int = 1,
    agent: int = 0,
    run: int = 0,
) -> None:
    """One tool of one agent says how its call went."""
    facts = (words_of([mask], len(YARD.facts)) for mask in (before, after))
    watch.saw(Claims(tick, agent, np.array([run]), np.array([tool]), np.array([success]), *facts))


def end(watch: Watch, facts: int, *, tick: int = 1, agent: int = 0, run: int = 0) -> None:
    """One agent says that the task is done."""
    watch.closed(tick, agent, np.array([run]), words_of([facts], len(YARD.facts)))


def watching(brief: Brief = YARD, runs: int = 1) -> Watch:
    return Critic().watch(brief, runs)


def flags(tool: int, success: bool, before: int, after: int) -> int:
    watch = watching()
    say(watch, tool, success, before, after)
    found = watch.findings(0)
    assert (found.claims, found.judgements) == (1, 1)
    return found.flags


@pytest.mark.parametrize(
    ("tool", "before", "after", "expected"),
    [
        (GIVE, 0, A, 0),
        (GIVE, 0, 0, 1),
        (GIVE, 0, B, 1),
        (GIVE_TWO, 0, A, 1),
        (GIVE_TWO, A, A | B, 0),
        (TAKE, C, 0, 0),
        (TAKE, C, C, 1),
        (SWAP, C, A, 0),
        (SWAP, C, A | C, 1),  # what it gives is there, and what it takes is there as well
        (SWAP, C, 0, 1),
    ],
)
def test_a_report_of_success_is_true_when_all_that_was_promised_holds(
    tool, before, after, expected
):
    assert flags(tool, True, before, after) == expected


@pytest.mark.parametrize(
    ("tool", "before", "after", "expected"),
    [
        (GIVE, 0, 0, 0),
        (GIVE, 0, A, 1),  # a false alarm
        (GIVE, A, A, 0),  # it held before, so the call did not bring it
        (GIVE_TWO, 0, B, 1),
        (GIVE_TWO, A, A, 0),
        (GIVE, 0, B, 0),
    ],
)
def test_a_report_of_failure_is_true_when_nothing_promised_has_newly_come(
    tool, before, after, expected
):
    assert flags(tool, False, before, after) == expected


@pytest.mark.parametrize(("facts", "expected"), [(A, 0), (A | B, 0), (A | C, 1), (0, 1)])
def test_the_closing_done_is_a_claim_as_well(facts, expected):
    watch = watching()
    end(watch, facts)
    found = watch.findings(0)
    assert (found.claims, found.judgements, found.flags) == (1, 1, expected)


def test_each_run_has_its_own_count_and_route():
    watch = watching(runs=3)
    say(watch, GIVE, True, 0, A, run=0)
    say(watch, GIVE, True, 0, 0, run=2)
    end(watch, A, run=0, tick=2)
    found = [watch.findings(run) for run in range(3)]
    assert [(f.claims, f.flags) for f in found] == [(2, 0), (0, 0), (1, 1)]
    assert [f.route for f in found] == [("1: give", "2: done"), (), ("1: give (false)",)]


def test_the_route_goes_tick_by_tick_and_puts_done_after_what_was_done():
    watch = watching()
    say(watch, GIVE, True, 0, A, tick=1, agent=0)
    say(watch, TAKE, False, C, C, tick=1, agent=1)
    end(watch, A, tick=1, agent=0)
    say(watch, TAKE, True, C, C, tick=2, agent=1)
    end(watch, A | C, tick=2, agent=1)
    assert watch.findings(0).route == (
        "1: give",
        "1: take failed",
        "1: done",
        "2: take (false)",
        "2: done (false)",
    )


def test_a_false_alarm_of_a_tool_that_only_takes_away_is_a_false_claim():
    world = parse_world(
        """
name: clean
facts: [{dirty: true}]
tools: {wash: {revokes: [dirty]}}
task: {goal: not dirty}
"""
    )
    findings = play(world, "plain", Fault("wash", Mode.FALSE_ALARM)).findings[0]
    assert findings.flags == 1
