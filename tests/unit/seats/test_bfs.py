"""Bfs: plans are shortest, believe declarations, and are kept apart world by world."""

from __future__ import annotations

import numpy as np
import pytest

from creatura.bits import mask_of
from creatura.protocols import Answer, Brief, Reading, SeatBatch
from creatura.seats.bfs import Bfs
from creatura.world import parse_world


def brief_of(tools: str, goal: str = "done") -> Brief:
    """A world of the facts a, b, c and done."""
    facts = "facts: [a, b, c, done]"
    return parse_world(
        f"{{name: roads, {facts}, tools: {{{tools}}}, task: {{goal: {goal}}}}}"
    ).brief


def ask(
    seat: Bfs,
    brief: Brief,
    offered: str,
    ahead: str = "",
    *,
    facts: int = 0,
    order: str | None = None,
) -> Answer:
    """Asks for one position; tools are named by their ids, with blanks between."""
    index = {tool.id: tool.index for tool in brief.tools}
    shown, beyond = ([index[name] for name in names.split()] for names in (offered, ahead))
    preferred = None if order is None else tuple(index[name] for name in order.split())
    batch = SeatBatch(
        brief=brief,
        tick=1,
        facts=[facts],
        offered=[mask_of(shown)],
        ahead=[mask_of(beyond)],
        order=[preferred],
        freedom=np.array([0.1]),
        seeds=np.zeros(1, dtype=np.int64),
        episodes=np.zeros(1, dtype=np.int64),
        agent=0,
        reading=lambda position: Reading("", (), ()),
    )
    (answer,) = seat.decide(batch)
    return answer


TWO_ROADS = brief_of(
    "short-1: {grants: [a]}, short-2: {requires: [a], grants: [done]}, "
    "long-1: {grants: [b]}, long-2: {requires: [b], grants: [c]}, "
    "long-3: {requires: [c], grants: [done]}"
)
ALL_AHEAD = "short-2 long-2 long-3"


def test_of_two_roads_the_shorter_is_planned():
    assert ask(Bfs(), TWO_ROADS, "short-1 long-1", ALL_AHEAD).plan == ("short-1", "short-2")


def test_the_longer_road_is_planned_where_the_shorter_is_not_on_the_map():
    plan = ask(Bfs(), TWO_ROADS, "short-1 long-1", "long-2 long-3").plan
    assert plan == ("long-1", "long-2", "long-3")


def test_the_answer_is_the_first_tool_of_the_plan():
    answer = ask(Bfs(), TWO_ROADS, "short-1 long-1", ALL_AHEAD)
    assert answer.tool == "short-1"


def test_a_tool_that_is_only_ahead_is_never_the_first_step():
    brief = brief_of("near: {grants: [a]}, far: {grants: [done]}")
    assert ask(Bfs(), brief, "near", "far").plan == ("near", "far")


@pytest.mark.parametrize(
    ("order", "expected"), [(None, "one"), ("one two", "one"), ("two one", "two")]
)
def test_a_tie_goes_to_the_tool_declared_first_or_preferred(order, expected):
    brief = brief_of("one: {grants: [done]}, two: {grants: [done]}")
    assert ask(Bfs(), brief, "one two", order=order).tool == expected


def test_a_shorter_plan_comes_before_a_preferred_tool():
    answer = ask(Bfs(), TWO_ROADS, "short-1 long-1", ALL_AHEAD, order="long-1 short-1")
    assert answer.tool == "short-1"


def test_what_a_tool_takes_away_is_part_of_the_plan():
    brief = brief_of(
        "spend: {requires: [a], grants: [b], revokes: [a]}, "
        "finish: {requires: [a, b], grants: [done]}, earn: {grants: [a]}"
    )
    assert ask(Bfs(), brief, "spend earn", "finish", facts=1).plan == ("spend", "earn", "finish")


def test_one_seat_may_sit_in_two_worlds_whose_masks_are_the_same():
    seat = Bfs()
    here, there = brief_of("dig: {grants: [done]}"), brief_of("fly: {grants: [done]}")
    told = [ask(seat, brief, brief.tools[0].id).tool for brief in (here, there, here)]
    assert told == ["dig", "fly", "dig"]


def test_one_seat_may_be_asked_about_other_facts_and_offers_of_one_world():
    seat = Bfs()
    asked = [("short-1 long-1", 0), ("short-2 long-1", 1), ("long-1", 0), ("short-1 long-1", 0)]
    told = [
        ask(seat, TWO_ROADS, offered, "long-2 long-3 short-2", facts=facts).tool
        for offered, facts in asked
    ]
    assert told == ["short-1", "short-2", "long-1", "short-1"]


def test_a_search_that_reaches_its_limit_names_no_tool():
    assert ask(Bfs(max_states=1), TWO_ROADS, "short-1", "short-2").tool is None
    assert ask(Bfs(max_states=4), TWO_ROADS, "short-1", "short-2").tool == "short-1"
