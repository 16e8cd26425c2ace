"""Self-model: what it claims of itself, what contradictions cost it, and what a stage may use."""

import pytest

from creatura.protocols import GoalMet, HandOff, TimeUp, Verdict, Waited
from creatura.regulators.measures.coherence import Claims
from creatura.regulators.measures.stages import Standing
from creatura.regulators.self_model import Memory, SelfModel
from creatura.world import Fault, Mode, parse_world
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    SHIP,
    TEST,
    TOOLS,
    UNDO,
    A,
    B,
    C,
    act,
    after,
    at,
    failure,
    landing,
    lie,
)
from tests.worlds import LIE, play, restore_service, shown

MIND = SelfModel()


def ids(tools):
    return [tool.id for tool in tools]


def test_it_starts_with_nothing_claimed_and_nothing_broken():
    assert MIND.name == "self-model"
    assert MIND.begin(BRIEF) == Memory(Claims(), Standing(3), (0, 0, 0, 0, 0), 0, 0, 0)
    assert MIND.seat(at(MIND.begin(BRIEF))).endswith("Quarantined beliefs: none.")


def test_error_is_the_share_of_claims_that_the_facts_contradicted():
    assert MIND.error(at(MIND.begin(BRIEF))) == 0.0
    memory = after(MIND, (lie(PATCH), 0), (landing(CONFIG), A), (landing(TEST), A | B))
    assert memory.claims.coherence == pytest.approx(2 / 3)
    assert MIND.error(at(memory)) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("stage", "cap"), [(1, 0.30), (2, 0.50), (3, 0.65), (4, 0.80), (5, 0.95)])
def test_freedom_is_what_incoherence_buys_and_never_above_the_cap_of_the_stage(stage, cap):
    memory = SelfModel(stage=stage).begin(BRIEF)
    assert MIND.freedom(at(memory), 1.0) == cap
    assert MIND.freedom(at(memory), 0.1) == pytest.approx(0.19)


def test_a_stage_is_earned_by_predictions_alone():
    hits = [(landing(PATCH), A), (landing(TEST), A | B), (landing(SHIP), A | B | C)]
    assert after(SelfModel(stage=1), *hits[:1]).standing.stage == 1
    assert after(SelfModel(stage=1), *hits[:2]).standing.stage == 2
    assert after(SelfModel(stage=1), *hits).standing.stage == 3


def test_two_contradictions_in_a_row_cost_a_stage():
    assert after(MIND, (lie(PATCH), 0)).standing.stage == 3
    assert after(MIND, (lie(PATCH), 0), (lie(CONFIG), 0)).standing.stage == 2
    between = after(MIND, (lie(PATCH), 0), (landing(CONFIG), A), (lie(TEST), A))
    assert between.standing.stage == 3


@pytest.mark.parametrize(
    ("stage", "shown_tools"),
    [
        (1, ["patch", "config", "test"]),
        (2, ["patch", "config", "test", "undo"]),
        (3, ["patch", "config", "test", "ship", "undo"]),
        (4, ["patch", "config", "test", "ship", "undo"]),
    ],
)
def test_a_stage_says_which_tools_it_may_use(stage, shown_tools):
    memory = SelfModel(stage=stage).begin(BRIEF)
    assert ids(MIND.shape(at(memory), TOOLS)) == shown_tools


def test_the_stages_that_may_revoke_and_release_are_options():
    early = SelfModel(stage=1, revoke_from=1, release_from=1)
    assert ids(early.shape(at(early.begin(BRIEF)), TOOLS)) == ids(TOOLS)


def test_a_quarantined_belief_comes_last_until_its_tool_lands():
    memory = after(MIND, (lie(PATCH), 0))
    assert memory.contradictions[PATCH.index] == 1
    assert ids(MIND.shape(at(memory), (PATCH, CONFIG))) == ["config", "patch"]
    closed = MIND.record(at(memory, A), landing(PATCH))
    assert closed.contradictions[PATCH.index] == 0
    assert ids(MIND.shape(at(closed), (PATCH, CONFIG))) == ["patch", "config"]


def test_another_tools_landing_closes_nothing():
    memory = after(MIND, (lie(PATCH), 0), (landing(CONFIG), A))
    assert memory.num_contradictions == 1


def test_it_bears_three_open_contradictions_and_halts_at_the_fourth():
    lies = [(lie(PATCH), 0), (lie(CONFIG), 0), (lie(PATCH), 0), (lie(CONFIG), 0)]
    assert MIND.stop(at(after(MIND, *lies[:3]))) is None
    assert MIND.stop(at(after(MIND, *lies))) == HandOff(
        "halted: 4 open contradictions, 3 can be borne"
    )
    assert SelfModel(max_contradictions=4).stop(at(after(MIND, *lies))) is None


def test_what_held_already_is_no_claim():
    memory = after(MIND, (act(PATCH, Verdict.VACUOUS), A))
    assert (memory.claims.made, memory.standing) == (0, Standing(3))


@pytest.mark.parametrize("event", [failure(PATCH), act(PATCH, Verdict.PARTIAL)])
def test_a_prediction_that_half_comes_true_or_fails_openly_is_a_contradiction_too(event):
    memory = after(MIND, (event, 0))
    assert (memory.claims.contradicted, memory.num_contradictions) == (1, 1)


def test_a_closed_obligation_that_opens_again_contradicts_a_commitment_once():
    memory = after(MIND, (landing(PATCH), A), (Waited(), 0))
    assert (memory.claims.held, memory.claims.contradicted) == (1, 1)
    assert (memory.broken, memory.newly_broken, memory.num_contradictions) == (A, A, 1)
    still = MIND.record(at(memory, 0), Waited())
    assert (still.claims, still.broken, still.newly_broken) == (memory.claims, A, 0)
    mended = MIND.record(at(still, A), landing(CONFIG))
    assert (mended.broken, mended.num_contradictions) == (0, 0)


def test_taking_back_a_fact_as_declared_breaks_no_commitment():
    memory = after(MIND, (landing(PATCH), A), (landing(UNDO), 0))
    assert (memory.claims.contradicted, memory.broken, memory.closed) == (0, 0, 0)


def test_a_broken_commitment_is_told_once_and_by_its_name():
    memory = after(MIND, (landing(PATCH), A), (Waited(), 0))
    rows = MIND.tell(at(memory, 0, freedom=0.1), Waited())
    assert [(row.level, row.action) for row in rows] == [("belief", "wait"), ("commitment", "a")]
    assert rows[1].detail == "contradiction: it was closed and is open again"
    assert (rows[1].stress, rows[1].freedom) == (pytest.approx(0.5), 0.1)
    assert len(MIND.tell(at(memory, 0), TimeUp(40))) == 1
    assert len(MIND.tell(at(memory, 0), GoalMet())) == 1


def test_the_seat_reads_the_rendered_self_model():
    memory = after(MIND, (lie(PATCH), 0), (landing(CONFIG), A))
    assert MIND.seat(at(memory, A)) == (
        "I am committed to 'ship it'. Closed: a. Open: b, c. Of 2 claims that the facts have "
        "answered, 1 held. I am at stage 3, which caps my freedom at 65%. "
        "Quarantined beliefs: patch."
    )


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        (landing(PATCH), "held, coherence 100%"),
        (lie(PATCH), "contradiction: belief quarantined, coherence 0%"),
        (
            failure(PATCH),
            "prediction missed, as the tool said itself: belief quarantined, coherence 0%",
        ),
        (
            act(PATCH, Verdict.PARTIAL),
            "contradiction in part: belief quarantined, coherence 0%",
        ),
        (act(PATCH, Verdict.VACUOUS), "nothing to predict, coherence 100%"),
    ],
)
def test_it_tells_an_act_as_what_became_of_a_belief(event, detail):
    memory = after(MIND, (event, A))
    (row,) = MIND.tell(at(memory, A, freedom=0.3), event)
    assert (row.level, row.action, row.detail) == ("belief", "patch", detail)
    assert (row.stress, row.freedom) == (1.0 - memory.claims.coherence, 0.3)


def test_a_hand_off_names_the_tools_that_the_stage_held_back():
    memory = Memory(SelfModel().begin(BRIEF).claims, Standing(1), (0,) * len(TOOLS))
    (row,) = MIND.tell(at(memory, A | B), HandOff("no route"))
    assert row.detail == "no route; stage 1 holds back ship, undo"
    (row,) = MIND.tell(at(memory, 0, hidden=1 << UNDO.index), HandOff("no route"))
    assert row.detail == "no route"


def test_an_unearned_release_goes_to_a_person():
    world = parse_world(
        """
name: shop
facts: [a, shipped]
tools:
  one: {grants: [a]}
  ship: {requires: [a], grants: [shipped], release: true}
task: {goal: shipped, obligations: [a, shipped]}
"""
    )
    results = play(world, "self-model(stage=1)")
    last = [row for row in results.trace.rows(0) if row.kind == "handed-off"]
    assert [row.detail for row in last] == ["no route; stage 1 holds back ship"]


def test_a_beginner_earns_the_release_on_the_way():
    results = play(restore_service(), "self-model(stage=1)", LIE)
    assert results.goal_reached[0]
    rows = {(row.tick, row.level): row for row in results.trace.rows(0)}
    assert rows[5, "prediction"].detail.endswith("stage 2")
    assert rows[6, "prediction"].detail.endswith("stage 3")


def test_ways_that_lie_for_good_end_in_a_halt():
    lies = (Fault("apply-patch", Mode.LIE), Fault("apply-config", Mode.LIE))
    results = play(restore_service(), "self-model", *lies)
    assert results.ticks[0] == 9
    assert results.reason(0) == "halted: 4 open contradictions, 3 can be borne"


def test_sleep_sums_up_and_forgives_nothing():
    memory = after(MIND, (lie(PATCH), 0), (landing(CONFIG), A))
    slept = MIND.sleep(at(memory, A))
    assert (slept.memory, slept.proposal) == (memory, "")
    (row,) = slept.rows
    assert row.detail == "coherence 50%, predictions 50%, stage 3, open contradictions 1"
    assert (row.action, row.stress, row.freedom) == ("sleep", 0.5, 0.0)


def test_the_one_lie_is_called_a_contradiction():
    results = play(restore_service(), "self-model", LIE)
    assert (3, "lie", "apply-patch") in shown(results)
    told = next(row for row in results.trace.rows(0) if row.kind == "lie")
    assert told.detail == "contradiction: belief quarantined, coherence 67%"
