"""Fault kinds: what each reports, and what a person reading the facts sees, tick by tick."""

from dataclasses import dataclass

import pytest

from creatura.protocols import LayerOptions, Slots
from creatura.world import Fault, Mode, parse_world
from tests.worlds import play, shown

WORLD = parse_world(
    """
name: kinds
facts: [{spare: true}, a, b, other, done]
tools:
  work: {grants: [a, b]}
  rest: {grants: [other]}
  end: {requires: [a, b], grants: [done]}
task: {goal: done, obligations: [a, b, done]}
"""
)
NO_COOLDOWN = LayerOptions(cooldown_ticks=0)


@dataclass(frozen=True)
class Bold(Slots):
    name: str = "bold"

    def freedom(self, context, error):
        return 1.0


def told(fault: Fault, script: str) -> list[tuple[int, str, str]]:
    return shown(play(WORLD, Bold(), fault, seat=f"script:{script}", layer=NO_COOLDOWN))


FAULTS = {
    "partial": (
        Fault("work", Mode.PARTIAL, times=1),
        "work,work,end",
        [(1, "partial", "work"), (2, "landed", "work"), (3, "landed", "end")],
    ),
    "late": (
        Fault("work", Mode.LATE, times=1, delay=2),
        "work,rest,end,end",
        [(1, "lie", "work"), (2, "landed", "rest"), (3, "refused", "end"), (3, "arrived", "work"),
         (4, "landed", "end")],
    ),
    "reverts": (
        Fault("work", Mode.REVERTS, times=1, delay=1),
        "work,rest,end,work,end",
        [(1, "landed", "work"), (2, "landed", "rest"), (2, "reverted", "work"),
         (3, "refused", "end"),
         (4, "landed", "work"), (5, "landed", "end")],
    ),
    "false alarm": (
        Fault("work", Mode.FALSE_ALARM, times=1),
        "work,end",
        [(1, "landed", "work"), (2, "landed", "end")],
    ),
    "damage": (
        Fault("rest", Mode.DAMAGE, times=1, fact="a"),
        "work,rest,end,work,end",
        [(1, "landed", "work"), (2, "landed", "rest"), (2, "reverted", "work"),
         (3, "refused", "end"),
         (4, "landed", "work"), (5, "landed", "end")],
    ),
    "crash": (
        Fault("work", Mode.CRASH, times=1),
        "work,work,end",
        [(1, "failure", "work"), (2, "landed", "work"), (3, "landed", "end")],
    ),
    "slow": (
        Fault("work", Mode.SLOW, times=1, delay=2),
        "work,-,-,end",
        [(1, "busy", "work"), (2, "busy", "work"), (3, "landed", "work"), (4, "landed", "end")],
    ),
    "wrong": (
        Fault("work", Mode.WRONG, times=1, fact="other"),
        "work,rest,work,end",
        [(1, "lie", "work"), (2, "vacuous", "rest"), (3, "landed", "work"), (4, "landed", "end")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", list(FAULTS))
def test_a_fault_gets_the_verdict_that_the_facts_give(kind):
    fault, script, expected = FAULTS[kind]
    assert told(fault, script) == [*expected, (expected[-1][0], "done", "done")]


def test_what_held_before_a_call_outlives_its_undoing():
    fault = Fault("work", Mode.REVERTS, ticks=(2,), delay=1)
    rows = told(fault, "work,work,end")
    assert rows[:3] == [(1, "landed", "work"), (2, "vacuous", "work"), (3, "landed", "end")]


def test_a_crash_is_told_apart_from_a_failure():
    results = play(WORLD, "plain", Fault("work", Mode.CRASH, times=1), seat="script:work")
    assert next(results.trace.rows(0)).detail == "crash: nothing landed; quarantined"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("x", Mode.LATE, times=1, delay=1), "x lands 1 tick late once"),
        (Fault("x", Mode.DAMAGE, fact="a"), "x damages a always"),
        (Fault("x", Mode.SLOW, times=3, delay=4), "x takes 4 ticks 3 times"),
        (
            Fault("x", Mode.WRONG, probability=0.5, fact="b"),
            "x grants b instead with probability 0.5",
        ),
    ],
)
def test_a_fault_says_what_it_does(fault, words):
    assert str(fault) == words
