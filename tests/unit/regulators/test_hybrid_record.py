"""Hybrid: what enters its record, and what the record does to its stress, alarm and words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from creatura.protocols import (
    Brief,
    Context,
    Goal,
    HandOff,
    Judged,
    JudgeRule,
    LayerOptions,
    Report,
    Tool,
    Verdict,
    Waited,
)
from creatura.regulators.hybrid import Hybrid, Memory
from creatura.regulators.measures.coherence import Claims
from creatura.regulators.measures.stages import Standing
from creatura.world import Fault, Mode
from tests.worlds import LIE, play, restore_service

TOOLS = (Tool("first", 0, 0, 1), Tool("second", 1, 0, 2))
BRIEF = Brief("w", "work", ("a", "b"), TOOLS, Goal("a and b", ((3, 0),), 3), (0, 1))
FRESH = Hybrid().begin(BRIEF)


def context(memory: Memory, facts: int = 0, **changes: object) -> Context:
    plain = Context(BRIEF, 1, 40, facts, 3, 0, 0, 0.0, 0.0, LayerOptions(), memory)
    return plain._replace(**changes)  # type: ignore[arg-type]


def judged(verdict: Verdict, *, success: bool = True, quarantined: bool = False) -> Judged:
    is_lie = success and verdict is Verdict.MISSING
    report = Report(success, "done" if success else "failed")
    return Judged(TOOLS[0], report, verdict, is_lie, quarantined, False)


@pytest.mark.parametrize(
    ("claims", "facts", "stress"),
    [
        (Claims(3, 1), 3, 0.25),  # the contract is met, the record is not coherent
        (Claims(1, 3), 3, 0.75),
        (Claims(4, 0), 3, 0.0),
        (Claims(3, 1), 1, 1.0),
    ],
)
def test_an_incoherent_record_is_stress_even_where_the_contract_is_met(claims, facts, stress):
    assert Hybrid().error(context(replace(FRESH, claims=claims), facts)) == stress


@pytest.mark.parametrize(
    ("stage", "stress", "freedom"),
    [(3, 0.0, 0.1), (3, 0.5, 0.55), (3, 1.0, 0.65), (1, 0.1, 0.19), (1, 0.5, 0.3), (5, 1.0, 0.95)],
)
def test_freedom_is_what_stress_buys_below_the_cap_of_the_stage(stage, stress, freedom):
    memory = replace(FRESH, standing=Standing(stage))
    assert Hybrid().freedom(context(memory), stress) == pytest.approx(freedom)


@pytest.mark.parametrize(
    ("verdict", "claims"),
    [
        (Verdict.LANDED, Claims(1, 0)),
        (Verdict.BELIEVED, Claims(1, 0)),
        (Verdict.MISSING, Claims(0, 1)),
        (Verdict.PARTIAL, Claims(0, 1)),
        (Verdict.VACUOUS, Claims(0, 0)),
    ],
)
def test_only_what_the_facts_answered_enters_the_two_records(verdict, claims):
    after = Hybrid().record(context(FRESH), judged(verdict))
    assert after.claims == claims
    assert after.cell == (claims, Claims())
    assert after.standing.predictions == claims.made
    assert after.standing.hits == claims.held


@pytest.mark.parametrize("cooldown", [0, 1, 3, 5])
def test_the_alarm_waits_for_the_cooldown_of_the_layer_it_lives_in(cooldown):
    layer = LayerOptions(cooldown_ticks=cooldown)
    stale = [
        ticks
        for ticks in range(12)
        if Hybrid().stop(context(replace(FRESH, stale_ticks=ticks), layer=layer)) is not None
    ]
    assert stale == list(range(cooldown + 2, 12))


def test_the_alarm_says_how_long_nothing_moved_and_at_what_freedom():
    told = Hybrid().stop(context(replace(FRESH, stale_ticks=5), freedom=0.65))
    assert told == HandOff("stuck regulation: 5 ticks with no progress at 65% freedom")


@pytest.mark.parametrize(
    ("progress", "facts", "stale"),
    [
        (0.0, 1, 0),  # an obligation closed
        (0.5, 1, 5),  # nothing moved
        (0.5, 0, 5),  # an obligation came open again: that is no progress
        (1.0, 2, 5),
    ],
)
def test_only_a_step_forward_ends_the_count_of_ticks_without_progress(progress, facts, stale):
    memory = replace(FRESH, stale_ticks=4, progress=progress)
    assert Hybrid().record(context(memory, facts), judged(Verdict.LANDED)).stale_ticks == stale


def test_ground_that_was_lost_and_won_again_is_progress():
    fell = Hybrid().record(context(replace(FRESH, progress=0.5)), judged(Verdict.LANDED))
    rose = Hybrid().record(context(fell, 1), judged(Verdict.LANDED))
    assert (fell.stale_ticks, rose.stale_ticks) == (1, 0)


@pytest.mark.parametrize(("count_waiting", "stale"), [(True, 5), (False, 4)])
def test_waiting_counts_as_published_and_does_not_where_it_is_told_not_to(count_waiting, stale):
    memory = replace(FRESH, stale_ticks=4)
    assert (
        Hybrid(count_waiting=count_waiting).record(context(memory), Waited()).stale_ticks == stale
    )


def cell_rows(*faults: Fault, layer: LayerOptions | None = None) -> list[str]:
    rows = play(restore_service(), "hybrid", *faults, layer=layer).trace.rows(0)
    return [row.detail for row in rows if (row.level, row.action) == ("cell", "apply-patch")]


def test_a_lie_is_a_contradiction_that_costs_the_tool_its_trust():
    assert cell_rows(LIE) == ["contradiction: belief quarantined, tool distrusted"]


def test_an_honest_failure_is_a_missed_prediction():
    fails = Fault("apply-patch", Mode.FAIL, times=1)
    assert cell_rows(fails) == [
        "prediction missed: the tool said so itself, tool distrusted",
    ]


def test_where_reports_come_first_an_honest_tool_is_still_trusted():
    fails = Fault("apply-patch", Mode.FAIL, times=1)
    layer = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST)
    assert cell_rows(fails, layer=layer) == [
        "prediction missed: the tool said so itself, tool still trusted",
    ]


@pytest.mark.parametrize(
    ("verdict", "detail"),
    [
        (Verdict.LANDED, "coherence 75%"),
        (Verdict.VACUOUS, "held already, coherence 75%"),
        (Verdict.PARTIAL, "part of the effect is missing, coherence 75%"),
    ],
)
def test_the_cell_tells_what_the_act_came_to(verdict, detail):
    (row,) = Hybrid().tell(context(replace(FRESH, claims=Claims(3, 1))), judged(verdict))
    assert (row.level, row.action, row.detail) == ("cell", "first", detail)
    assert row.stress == (verdict is Verdict.PARTIAL)


def test_it_reads_the_tools_it_missed_to_the_seat():
    memory = replace(FRESH, claims=Claims(2, 1), cell=(Claims(), Claims(2, 1)))
    assert (
        Hybrid()
        .seat(context(memory))
        .endswith("Tools whose effect I have missed: second (1 of 3 missing).")
    )
