"""Derived set points: which facts they are, when they are open, and what becomes of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura.protocols import Brief, Goal, Tool
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.measures.derived import derive
from tests.unit.regulators.contexts import A, B, C, at, landing

DERIVING = Hybrid(derive_set_points=True)
GATED = Hybrid(gate_levels=True)


def brief_of(facts: str, tools: dict[str, tuple[str, str]], goal: str, obligations: str) -> Brief:
    """A brief of one-letter facts: each tool is what it requires and what it grants."""

    def mask(names: str) -> int:
        return sum(1 << facts.index(name) for name in names)

    made = tuple(
        Tool(name, i, mask(needs), mask(grants))
        for i, (name, (needs, grants)) in enumerate(tools.items())
    )
    clauses = tuple((mask(clause), 0) for clause in goal.split("|"))
    told = Goal(goal, clauses, mask(obligations))
    return Brief("w", "work", tuple(facts), made, told, tuple(map(facts.index, obligations)))


def names(brief: Brief, mask: int) -> str:
    return "".join(name for i, name in enumerate(brief.facts) if mask >> i & 1)


CHAIN = {"one": ("", "a"), "two": ("a", "b"), "three": ("b", "c")}


@pytest.mark.parametrize(
    ("facts", "tools", "goal", "obligations", "derived"),
    [
        ("abc", CHAIN, "c", "c", "ab"),
        ("abc", CHAIN, "c", "abc", ""),  # everything is an obligation already
        ("abc", CHAIN, "ac", "b", "ac"),  # the goal's own facts are ends
        ("abc", {**CHAIN, "leap": ("", "c")}, "c", "c", ""),  # only one of two ways needs them
        ("abc", {**CHAIN, "detour": ("a", "c")}, "c", "c", ""),  # found no further than a fork
        ("abc", {**CHAIN, "again": ("c", "c")}, "c", "c", "ab"),  # brings c only where it is
        ("abc", {"two": ("a", "b"), "three": ("b", "c")}, "c", "c", "b"),  # no tool grants a
        ("abc", CHAIN, "b|c", "a", ""),  # no fact is in every clause
    ],
)
def test_what_every_way_to_an_end_requires_is_a_set_point(facts, tools, goal, obligations, derived):
    brief = brief_of(facts, tools, goal, obligations)
    assert names(brief, derive(brief).every & ~brief.goal.obligations) == derived


def test_a_means_whose_end_holds_is_closed_with_it():
    brief = brief_of("abc", CHAIN, "c", "c")
    points = derive(brief)
    held = {text: names(brief, points.open_in(mask)) for text, mask in HELD.items()}
    assert held == {"": "abc", "a": "bc", "b": "c", "ab": "c", "c": "", "ac": ""}
    assert [points.progress(mask) for mask in (0, A, A | B, C)] == pytest.approx(
        [0.0, 1 / 3, 2 / 3, 1.0]
    )


HELD = {"": 0, "a": A, "b": B, "ab": A | B, "c": C, "ac": A | C}


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    letters = "abcdef"[: draw(st.integers(1, 6))]
    some = st.lists(st.sampled_from(letters), max_size=2, unique=True).map("".join)
    one = st.sampled_from(letters)
    drawn = draw(st.lists(st.tuples(some, one), min_size=1, max_size=8))
    tools = {f"t{i}": declared for i, declared in enumerate(drawn)}
    return brief_of(letters, tools, draw(one), draw(one))


def reach(brief: Brief, facts: int, without: int) -> int:
    before = -1
    while before != facts:
        before = facts
        for tool in brief.tools:
            if not tool.requires & ~facts:
                facts |= tool.grants & ~without
    return facts


@given(briefs(), st.integers(0, 63))
@settings(max_examples=300)
def test_no_way_to_the_ends_leads_past_an_open_set_point(brief, held):
    points, facts = derive(brief), held & (1 << len(brief.facts)) - 1
    for index in range(len(brief.facts)):
        if points.open_in(facts) >> index & 1:
            assert points.ends & ~reach(brief, facts, without=1 << index)
    assert points.open_in(facts) & ~points.every == 0
    assert points.open_in(facts) & facts == 0


def test_a_derived_set_point_that_closes_is_progress():
    brief = brief_of("abc", CHAIN, "c", "c")

    def stale(design: Hybrid) -> int:
        memory = replace(design.begin(brief), stale_ticks=4)
        context = at(memory, A)._replace(brief=brief)
        return int(design.record(context, landing(brief.tools[0])).stale_ticks)

    assert (stale(Hybrid()), stale(DERIVING)) == (5, 0)


def test_the_goal_stays_what_it_is_whatever_is_derived():
    brief = brief_of("abc", CHAIN, "c", "c")
    goal, memory = replace(brief.goal), DERIVING.begin(brief)
    assert memory.points is not None
    assert memory.points.every == A | B | C
    assert brief.goal == goal
    assert not brief.goal.is_met(A | B)


def test_the_seat_reads_which_derived_set_points_are_open():
    brief = brief_of("abc", CHAIN, "c", "c")
    context = at(DERIVING.begin(brief), A)._replace(brief=brief)
    assert DERIVING.seat(context).endswith(" Derived set points that are open: b.")


def test_where_set_points_are_derived_the_tissue_is_judged_by_them_too():
    brief = brief_of("abc", CHAIN, "c", "c")
    for derives, hits in ((False, 0), (True, 1)):
        design = replace(GATED, derive_set_points=derives)
        context = at(design.begin(brief), A)._replace(brief=brief)
        assert design.record(context, landing(brief.tools[0])).gates.tissue.hits == hits
