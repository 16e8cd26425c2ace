"""What every seat promises: an answer for each position, the same alone and in a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import resolver
from creatura.protocols import Answer, Reading, SeatBatch
from tests.property.strategies import worlds

SEATS = [*(entry.name for entry in resolver.seats() if ":" not in entry.name), "script:t0-a,-,t1-a"]


def batch_of(brief, rows) -> SeatBatch:
    facts, offered, ahead = zip(*rows, strict=True)
    size = len(rows)
    return SeatBatch(
        brief=brief,
        tick=1,
        facts=facts,
        offered=offered,
        ahead=ahead,
        order=[None] * size,
        freedom=np.full(size, 0.1),
        seeds=np.zeros(size, dtype=np.int64),
        episodes=np.zeros(size, dtype=np.int64),
        agent=0,
        reading=lambda position: Reading("", (), ()),
    )


@pytest.mark.parametrize("name", SEATS)
@given(data=st.data())
@settings(max_examples=50)
def test_a_seat_answers_every_position_as_it_would_alone(name, data):
    brief = data.draw(worlds()).brief
    masks = st.integers(0, 2 ** len(brief.tools) - 1)
    facts = st.integers(0, 2 ** len(brief.facts) - 1)
    drawn = data.draw(st.lists(st.tuples(facts, masks, masks), min_size=1, max_size=6))
    rows = [(held, offered, ahead & ~offered) for held, offered, ahead in drawn]
    seat = resolver.seat(name)
    together = list(seat.decide(batch_of(brief, rows)))
    assert len(together) == len(rows)
    assert all(isinstance(answer, Answer) for answer in together)
    for row, answer in zip(rows, together, strict=True):
        assert list(resolver.seat(name).decide(batch_of(brief, [row]))) == [answer]


@given(data=st.data())
@settings(max_examples=100)
def test_the_planner_answers_only_what_is_offered_and_plans_only_what_it_was_shown(data):
    brief = data.draw(worlds()).brief
    masks = st.integers(0, 2 ** len(brief.tools) - 1)
    held = data.draw(st.integers(0, 2 ** len(brief.facts) - 1))
    offered, ahead = data.draw(masks), data.draw(masks)
    (answer,) = resolver.seat("bfs").decide(batch_of(brief, [(held, offered, ahead & ~offered)]))
    index = {tool.id: tool.index for tool in brief.tools}
    if answer.tool is None:
        return
    assert offered >> index[answer.tool] & 1
    assert answer.plan[0] == answer.tool
    facts = held
    for step in answer.plan:
        tool = brief.tools[index[step]]
        assert (offered | ahead) >> tool.index & 1
        assert tool.requires & ~facts == 0
        facts = tool.after(facts)
    assert brief.goal.is_met(facts)
