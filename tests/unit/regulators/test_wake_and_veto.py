"""Designs: what they wake with, and what a hand-off that was sent back does to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from creatura.protocols import Arrived, HandOff, Reverted, Vetoed, Waited
from creatura.regulators.colony import Colony
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.map_keeper import Memory as Map
from creatura.regulators.measures.coherence import Claims
from creatura.regulators.measures.derived import derive
from creatura.regulators.measures.stages import Standing
from creatura.regulators.orienting import Memory as Model
from creatura.regulators.orienting import Orienting
from creatura.regulators.self_model import SelfModel
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    SHIP,
    TEST,
    A,
    after,
    at,
    landing,
    lie,
)

SENT_BACK = Vetoed("stuck", "try once more")


# ---------------------------------------------------------------------------- waking


def test_the_hybrid_wakes_with_its_records_and_a_fresh_alarm():
    design = Hybrid(derive_set_points=True, shared_memory=True, gate_levels=True)
    slept = after(design, (landing(CONFIG), A), (lie(PATCH), A), (lie(PATCH), A))
    woken = design.wake(BRIEF, slept)
    assert (slept.stale_ticks, slept.is_missing) == (2, True)
    assert (woken.stale_ticks, woken.progress, woken.is_missing) == (0, 0.0, False)
    assert (woken.claims, woken.standing, woken.cell) == (slept.claims, Standing(2), slept.cell)
    assert woken.points == derive(BRIEF)
    assert [entry.cases_ago for entry in woken.shared.entries] == [1, 1, 1, 1]
    assert [entry.about for entry in woken.shared.entries] == [
        "config", "patch", "patch", "organism",
    ]  # fmt: skip


def test_the_hybrid_as_published_wakes_with_nothing_it_did_not_have():
    design = Hybrid()
    woken = design.wake(BRIEF, after(design, (lie(PATCH), 0)))
    assert (woken.points, woken.shared, woken.gates) == (None, None, None)
    assert [tool.id for tool in design.shape(at(woken), (PATCH, CONFIG))] == ["config", "patch"]


def test_a_tool_that_was_held_back_may_be_tried_again_in_the_next_case():
    design = Hybrid(gate_levels=True)
    slept = after(design, (landing(CONFIG), A), (lie(SHIP), A), (lie(SHIP), A))
    assert design.shape(at(slept), (SHIP,)) == ()
    woken = design.wake(BRIEF, slept)
    assert design.shape(at(woken), (SHIP,)) == (SHIP,)
    assert woken.gates.cell[CONFIG.index] == slept.gates.cell[CONFIG.index]
    assert woken.gates.tissue == slept.gates.tissue


def test_the_self_model_wakes_with_its_beliefs_and_commits_itself_afresh():
    design = SelfModel()
    slept = after(design, (landing(PATCH), A), (lie(TEST), 0))
    assert (slept.closed, slept.broken) == (A, A)
    woken = design.wake(BRIEF, slept)
    assert (woken.closed, woken.broken, woken.newly_broken) == (0, 0, 0)
    assert (woken.contradictions, woken.standing) == (slept.contradictions, slept.standing)
    assert woken.claims == slept.claims == Claims(1, 2)


def test_a_self_model_that_halted_wakes_able_to_act():
    design = SelfModel()
    slept = after(design, *[(lie(PATCH), 0)] * 4)
    assert design.stop(at(slept)) is not None
    woken = design.wake(BRIEF, slept)
    assert design.stop(at(woken)) is None
    for _ in range(4):
        assert design.stop(at(woken)) is None
        woken = design.record(at(woken), lie(CONFIG))
    assert design.stop(at(woken)) == HandOff("halted: 4 open contradictions, 3 can be borne")


def test_the_map_keeper_wakes_knowing_the_roads_it_has_walked():
    slept = Map(tried=5, struck=1, doubted=4, anomaly=0.5, broken=1, carried=1, has_fallen=True)
    assert MapKeeper().wake(BRIEF, slept) == Map(tried=5)


def test_orienting_wakes_with_its_model_and_without_the_reflex():
    design = Orienting()
    slept = after(design, (landing(CONFIG), A), (lie(PATCH), A))
    woken = design.wake(BRIEF, slept)
    assert woken == Model(slept.model)
    assert woken.model[PATCH.index].mismatches == 1


def test_the_colony_has_no_record_to_wake_with():
    design = Colony()
    assert design.wake(BRIEF, after(design, (lie(PATCH), 0))) == design.begin(BRIEF)


# ---------------------------------------------------------------------------- sent back


def test_the_hybrid_counts_anew_once_a_hand_off_was_sent_back():
    memory = replace(Hybrid().begin(BRIEF), stale_ticks=5)
    assert Hybrid().stop(at(memory)) is not None
    assert Hybrid().record(at(memory), SENT_BACK).stale_ticks == 0


def test_the_colony_counts_anew_and_keeps_what_its_parts_feel():
    design = Colony()
    memory = replace(after(design, (lie(PATCH), A)), still_ticks=10)
    assert design.stop(at(memory, A)) is not None
    sent_back = design.record(at(memory, A), SENT_BACK)
    assert (sent_back.still_ticks, sent_back.cell) == (0, 1.0)
    assert sent_back.fewest_open == memory.fewest_open == 2


def test_the_root_story_stands_again_with_every_road_on_the_map():
    fallen = Map(tried=3, struck=3, carried=1, has_fallen=True, was_handed_up=True, collapsed=1)
    assert MapKeeper().record(at(fallen), SENT_BACK) == Map(tried=3)


def test_the_self_model_is_forgiven_what_made_it_halt_and_no_more():
    design = SelfModel()
    halted = after(design, *[(lie(PATCH), 0)] * 4)
    memory = design.record(at(halted), SENT_BACK)
    assert memory.contradictions == halted.contradictions
    assert design.stop(at(memory)) is None
    for _ in range(4):
        memory = design.record(at(memory), lie(CONFIG))
    assert design.stop(at(memory)) is not None


def test_what_was_forgiven_and_then_closed_buys_no_new_contradiction():
    design = SelfModel()
    memory = design.record(at(after(design, *[(lie(PATCH), 0)] * 4)), SENT_BACK)
    memory = design.record(at(memory, A), landing(PATCH))
    assert memory.forgiven == 0
    for _ in range(4):
        memory = design.record(at(memory, A), lie(TEST))
    assert design.stop(at(memory, A)) is not None


@pytest.mark.parametrize(
    ("design", "level"),
    [(Hybrid(), "organism"), (Colony(), "organism"), (MapKeeper(), "root")],
)
def test_the_level_that_hands_off_tells_that_it_was_sent_back(design, level):
    (row,) = design.tell(at(design.begin(BRIEF)), SENT_BACK)
    assert (row.level, row.action) == (level, "hand off")
    assert row.detail == "stuck; sent back: try once more"


# ---------------------------------------------------------------------------- what comes later


@pytest.mark.parametrize(
    ("design", "level", "lost", "came"),
    [
        (Colony(), "cell", "effect lost again: a", "effect late: a"),
        (SelfModel(), "belief", "held once and holds no longer: a", "held after all: a"),
        (MapKeeper(), "act", "the ground it won has gone again: a", None),
        (Orienting(), "model", "the match did not last: a", "a match that comes late: a"),
    ],
)
def test_each_design_tells_in_its_own_words_what_comes_of_an_act_later(design, level, lost, came):
    context = at(design.begin(BRIEF))
    (row,) = design.tell(context, Reverted(PATCH, ("a",)))
    assert (row.level, row.action, row.detail) == (level, "patch", lost)
    (row,) = design.tell(context, Arrived(PATCH, ("a",)))
    assert row.detail == (came or "the road led there after all: a")


def test_a_broken_commitment_is_told_once_and_not_again_with_the_effect_that_went():
    design = SelfModel()
    memory = after(design, (landing(PATCH), A), (Waited(), 0))
    assert len(design.tell(at(memory), Waited())) == 2
    assert len(design.tell(at(memory), Reverted(PATCH, ("a",)))) == 1


@pytest.mark.parametrize(("stage", "cap"), [(1, 0.30), (3, 0.65), (5, 0.95)])
def test_the_self_model_has_the_ceiling_of_its_stage(stage, cap):
    design = SelfModel(stage=stage)
    context = at(design.begin(BRIEF))
    assert design.ceiling(context) == design.freedom(context, 1.0) == cap
