"""Hybrid: its alarm, its ladder, and that it only ever proposes to change its goal."""

import pytest

from creatura.protocols import Brief, Context, Goal, LayerOptions, Tool
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.measures.stages import Ladder, Standing
from creatura.world import Fault, Mode, parse_world
from tests.worlds import LIE, play, restore_service, shown

DESK = parse_world(
    """
name: desk
title: get the permit
facts: [documents, form, translation, paid, stamped]
tools:
  bring-documents: {grants: [documents]}
  fill-form: {requires: [documents], grants: [form]}
  translate: {requires: [form], grants: [translation]}
  pay-fee: {requires: [translation], grants: [paid]}
  stamp: {requires: [paid], grants: [stamped]}
task: {goal: stamped, obligations: [documents, form, translation, paid, stamped]}
"""
)
GATEWAY = (Fault("pay-fee", Mode.LIE, times=1), Fault("pay-fee", Mode.FAIL, times=1))


def test_as_published_it_counts_waiting_and_hands_off_at_tick_nine():
    results = play(DESK, "hybrid", *GATEWAY)
    assert results.ticks[0] == 9
    assert results.reason(0) == "stuck regulation: 5 ticks with no progress at 50% freedom"
    assert shown(results)[-2:] == [(9, "handed-off", "hand off"), (9, "sleep", "sleep")]


def test_without_counting_waiting_the_same_hybrid_finishes():
    results = play(DESK, "hybrid(count_waiting=False)", *GATEWAY)
    assert results.goal_reached[0]
    assert results.reason(0) is None


def test_a_wider_margin_is_an_option():
    assert play(DESK, "hybrid(stuck_margin=4)", *GATEWAY).ticks[0] == 11


def test_two_contradictions_in_a_row_cost_a_stage():
    results = play(DESK, "hybrid(count_waiting=False)", *GATEWAY)
    rows = list(results.trace.rows(0))
    freedom = {row.tick: row.freedom for row in rows if row.level == "tissue"}
    assert freedom[8] == 0.65  # the second try, made at stage 3
    assert freedom[9] == 0.50  # after its failure, at stage 2


def test_a_tool_whose_effect_was_missed_sinks_below_its_twin():
    world = parse_world(
        """
name: twins
facts: [a, b]
tools:
  first: {grants: [a]}
  second: {grants: [a]}
  undo: {requires: [a], revokes: [a], grants: [b]}
task: {goal: a and b}
"""
    )
    layer = LayerOptions(cooldown_ticks=0)
    results = play(world, "hybrid", Fault("first", Mode.LIE, times=1), layer=layer)
    tried = [action for _, kind, action in shown(results) if kind in ("landed", "lie")]
    assert tried == ["first", "second", "undo", "second"]


@pytest.mark.parametrize(
    ("faults", "proposal"),
    [
        ((LIE,), "keep the contract as it is"),
        (
            (Fault("apply-patch", Mode.LIE), Fault("apply-config", Mode.LIE)),
            "renegotiate the contract: it was not reached with these tools",
        ),
    ],
)
def test_sleep_proposes_and_changes_nothing(faults, proposal):
    world = restore_service()
    goal_before = world.brief.goal
    told = []

    class Listening(Hybrid):
        def sleep(self, context):
            slept = Hybrid.sleep(self, context)
            told.append(slept.proposal)
            assert slept.memory == context.memory
            return slept

    play(world, Listening(), *faults)
    assert told == [proposal]
    assert world.brief.goal is goal_before


def context(memory, facts=0) -> Context:
    tool = Tool("work", 0, 0, 1)
    brief = Brief("w", "work", ("a",), (tool,), Goal("a", ((1, 0),), 1), (0,))
    return Context(brief, 1, 40, facts, 1, 0, 0, 0.0, 0.0, LayerOptions(), memory)


def test_stress_is_the_worse_of_an_unmet_contract_and_an_incoherent_record():
    hybrid = Hybrid()
    memory = hybrid.begin(context(None).brief)
    assert hybrid.error(context(memory)) == 1.0
    assert hybrid.error(context(memory, facts=1)) == 0.0


def test_it_reads_its_own_record_to_the_seat():
    hybrid = Hybrid()
    memory = hybrid.begin(context(None).brief)
    assert hybrid.seat(context(memory)) == (
        "I own the task 'work'. 1 of 1 obligations are open. My record is 100% coherent and I act "
        "at stage 3. Tools whose effect I have missed: none."
    )


def test_the_ladder_is_climbed_by_hits_and_accuracy_alone():
    ladder, standing = Ladder(), Standing(1)
    climbed = []
    for _ in range(12):
        standing = ladder.after(standing, True)
        climbed.append(standing.stage)
    assert climbed == [1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5]


def test_accuracy_below_four_fifths_holds_a_stage_back():
    ladder, standing = Ladder(), Standing(3)
    for hit in (True, False, True, False, True, True, True):
        standing = ladder.after(standing, hit)
    assert (standing.hits, standing.predictions, standing.stage) == (5, 7, 3)
    for _ in range(3):
        standing = ladder.after(standing, True)
    assert (standing.hits, standing.predictions, standing.stage) == (8, 10, 4)


def test_the_first_stage_is_never_lost():
    ladder, standing = Ladder(), Standing(1)
    for _ in range(5):
        standing = ladder.after(standing, False)
    assert standing.stage == 1
