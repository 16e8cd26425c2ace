"""Contracts that say little: with no goal text, no obligation, no way, or an end no tool brings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from creatura.protocols import Brief, Goal, Waited
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.measures.derived import SetPoints, derive
from creatura.world import Fault, Mode, parse_world
from tests.unit.regulators.contexts import BRIEF, PATCH, TEST, A, B, C, at
from tests.worlds import play

NEVER = Goal("c and not c", (), C)
SEVERAL_WAYS = parse_world(
    """
name: several-ways
facts: [laid, dug, built, roofed]
tools:
  dig: {grants: [dug]}
  lay: {requires: [dug], grants: [laid]}
  build: {requires: [dug, laid], grants: [built]}
  roof: {requires: [dug], grants: [roofed]}
task: {goal: (built or roofed) and laid}
"""
)
NO_GOAL_TEXT = parse_world(
    """
name: no-goal-text
facts: [dug, laid]
tools:
  dig: {grants: [dug]}
  lay: {grants: [laid]}
task: {obligations: [dug, laid]}
"""
)


# ---------------------------------------------------------------------------- set points


def test_an_end_that_no_tool_brings_has_no_means():
    brief = replace(BRIEF, tools=(PATCH, TEST), goal=Goal("c", ((C, 0),), C), obligations=(2,))
    assert derive(brief).every == C


def test_where_no_clause_can_hold_the_obligations_are_the_ends():
    assert derive(replace(BRIEF, tools=(PATCH,), goal=NEVER)).every == C


def test_a_contract_without_tools_has_only_its_obligations():
    assert derive(replace(BRIEF, tools=())).every == A | B | C


def test_where_there_is_no_set_point_nothing_is_left_to_close():
    assert SetPoints(ends=0, needs=(0, 0, 0)).progress(0) == 1.0


@pytest.mark.parametrize(
    ("facts", "stress"), [((), 1 / 2), (("dug",), 1 / 4), (("dug", "laid"), 0.0)]
)
def test_the_tissue_defends_what_all_ways_share_though_nothing_is_obliged(facts, stress):
    brief = SEVERAL_WAYS.brief
    assert brief.obligations == ()
    design = Hybrid(leak=0.5, derive_set_points=True)
    held = sum(1 << brief.facts.index(fact) for fact in facts)
    context = at(design.begin(brief), held)._replace(brief=brief)
    assert design.error(context) == pytest.approx(stress)


# ---------------------------------------------------------------------------- stories


def test_an_obligation_out_of_reach_is_the_contract_lost_though_no_goal_names_it():
    results = play(NO_GOAL_TEXT, MapKeeper(), Fault("lay", Mode.LIE))
    assert [row.detail for row in results.trace.rows(0) if row.level == "root"] == [
        "takes over: every road is back",
        "has fallen, no story is left",
        "the root story has fallen",
    ]


# ---------------------------------------------------------------------------- many obligations


def many(num: int) -> Brief:
    names = tuple(f"f{i}" for i in range(num))
    goal = Goal("all", ((0, 0),), (1 << num) - 1)
    return replace(BRIEF, facts=names, goal=goal, obligations=tuple(range(num)))


def test_the_first_of_many_obligations_to_close_is_progress():
    design, brief = Hybrid(), many(20)
    memory = replace(design.begin(brief), stale_ticks=3)
    context = at(memory, A)._replace(brief=brief)
    assert design.record(context, Waited()).stale_ticks == 0
