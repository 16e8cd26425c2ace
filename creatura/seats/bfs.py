"""Bfs: a seat that plans breadth-first over what tools declare.

It finds a shortest plan from the facts to the goal over the offered tools and those they lead to;
ties go to the tool declared first, or to the one that the design prefers. It believes declarations,
so it can be lied to; it is asked again every tick. Plans are memoised on the masks they depend on,
which makes a batch of runs cheap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from creatura.bits import indices_of
from creatura.protocols import Answer, Brief, SeatBatch, Tool

_NO_ROUTE = Answer(None)

_Key = tuple[int, int, int, "tuple[int, ...] | None"]


@final
@dataclass(frozen=True, slots=True)
class Bfs:
    """Breadth-first planner; deterministic, offline.

    Attributes:
        max_states: Fact sets a single search looks at before it gives up, 1 or more.
    """

    name: str = "bfs"
    max_states: int = 200_000
    # A cache and no memory: dropping it changes no answer.
    _plans: dict[Brief, dict[_Key, Answer]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.max_states < 1:
            raise ValueError(f"max_states is 1 or more, found {self.max_states}")

    def decide(self, batch: SeatBatch) -> Sequence[Answer]:
        """Answers the first tool of a shortest plan, or none where there is no plan."""
        plans = self._plans.setdefault(batch.brief, {})
        answers = []
        for key in zip(batch.facts, batch.offered, batch.ahead, batch.order, strict=True):
            answer = plans.get(key)
            if answer is None:
                answer = plans[key] = self._plan(batch.brief, key)
            answers.append(answer)
        return answers

    def _plan(self, brief: Brief, key: _Key) -> Answer:
        facts, offered, ahead, order = key
        if order is None:
            first = [brief.tools[i] for i in indices_of(offered)]
            tools = [brief.tools[i] for i in indices_of(offered | ahead)]
        else:
            # Preferred tools take each other's declared places, so the rest keep theirs.
            first = [brief.tools[i] for i in order]
            preferred = iter(first)
            places = indices_of(offered | ahead)
            tools = [next(preferred) if offered >> i & 1 else brief.tools[i] for i in places]
        return self._search(brief, facts, first, tools)

    def _search(self, brief: Brief, start: int, first: list[Tool], tools: list[Tool]) -> Answer:
        came_from: dict[int, tuple[int, Tool] | None] = {start: None}
        queue = deque([start])
        while queue and len(came_from) <= self.max_states:
            facts = queue.popleft()
            # Only offered tools may come first; an unmet requirement rules the rest out anyway.
            for tool in first if facts == start else tools:
                after = tool.after(facts)
                if tool.requires & ~facts or after in came_from:
                    continue
                came_from[after] = (facts, tool)
                if brief.goal.is_met(after):
                    path = _path(came_from, after)
                    return Answer(path[0], path)
                queue.append(after)
        if queue:
            return Answer(None, why=f"gave up after {self.max_states:,} sets of facts")
        return _NO_ROUTE


def _path(came_from: dict[int, tuple[int, Tool] | None], end: int) -> tuple[str, ...]:
    steps = []
    step = came_from[end]
    while step is not None:
        end, tool = step
        steps.append(tool.id)
        step = came_from[end]
    return tuple(reversed(steps))
