"""Blueprint: a random world before anything in it has a name.

Facts stand on levels; each has a main tool that needs facts of lower levels, one of them a level
below. The mains in order are the hidden plan: what one takes away, no later one of those that the
goal rests on needs, and neither does the goal. So from any state the whole plan leads to the goal,
and whatever other tools there are, none can make a world unsolvable. A breadth-first search then
proves it, and proves that a seat can find it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import final

from creatura.bits import mask_of
from creatura.errors import AuthorError
from creatura.world.chances import Chances
from creatura.world.faults import Mode
from creatura.world.shape import RELEASE_DEPTH, Shape

MAX_STATES = 20_000  # sets of facts that the proof looks at; a tenth of what a seat does
MAX_DRAWINGS = 10

_SECOND_NEED = 0.4  # chance that a tool needs a second fact
_SECOND_GOAL = 0.3  # chance that the goal asks for a second fact
_OBLIGED = 0.7  # chance that a fact of the plan is an obligation
_THRESHOLDS = (0.5, 0.6, 0.7)


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """A tool; facts are their positions in the plan.

    Attributes:
        fill: What it adds to a meter, where it grants a fact that is read off one.
    """

    requires: tuple[int, ...]
    grants: int
    revokes: int | None = None
    cost: float = 0.0
    release: bool = False
    fill: float = 0.0


@dataclass(frozen=True, slots=True)
class MeterPlan:
    """A scalar that falls each tick, and the threshold that its fact is read off."""

    fact: int
    threshold: float
    initial: float
    decay: float


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """A fault that passes: the tool's position, its mode, and the schedule as a file has it."""

    tool: int
    mode: Mode
    schedule: str


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A world without names.

    Attributes:
        levels: The level of each fact from 1, never falling: the order of the hidden plan.
        tools: The main tool of each fact in that order, then the others.
        goal: Facts that must hold. obligations: Facts that must close, in the plan's order.
    """

    levels: tuple[int, ...]
    tools: tuple[ToolPlan, ...]
    goal: tuple[int, ...]
    obligations: tuple[int, ...]
    meters: tuple[MeterPlan, ...] = ()
    faults: tuple[FaultPlan, ...] = ()


def draw_blueprint(chances: Chances, shape: Shape) -> Blueprint:
    """Draws a world of a shape that a breadth-first seat can solve.

    Raises:
        AuthorError: No drawing could be solved within `MAX_STATES`.
    """
    for drawing in range(MAX_DRAWINGS):
        # Worlds of many independent facts have too many sets of them to search, and tools that take
        # facts away make more, so each drawing is narrower.
        width = 1.0 - drawing / (MAX_DRAWINGS - 1)
        blueprint = _Drawing(chances, shape, width).blueprint()
        if steps_of(blueprint) is not None:
            return blueprint
    message = (
        f"found no world in {MAX_DRAWINGS} drawings that a search over {MAX_STATES:,} sets of "
        f"facts solves; lower num_facts ({shape.num_facts}) or depth ({shape.depth})"
    )
    raise AuthorError.at("shape", message)


def steps_of(blueprint: Blueprint, max_states: int = MAX_STATES) -> int | None:
    """Counts the calls of a shortest plan by breadth-first search, or finds there is none."""
    tools = list(moves_of(blueprint))
    wanted = mask_of((*blueprint.goal, *blueprint.obligations))
    seen, front, steps = {0}, [0], 0
    while front:
        steps += 1
        after = {
            (facts | grants) & ~revokes
            for facts in front
            for requires, grants, revokes in tools
            if not requires & ~facts
        }
        if any(not wanted & ~facts for facts in after):
            return steps
        front = list(after - seen)
        seen |= after
        if len(seen) > max_states:
            return None
    return None


def moves_of(blueprint: Blueprint) -> Iterator[tuple[int, int, int]]:
    """Yields what each tool requires, grants and revokes, as masks."""
    for tool in blueprint.tools:
        revoked = 0 if tool.revokes is None else 1 << tool.revokes
        yield mask_of(tool.requires), 1 << tool.grants, revoked


@final
class _Drawing:
    def __init__(self, chances: Chances, shape: Shape, width: float) -> None:
        self._chances, self._shape, self._width = chances, shape, width
        backbone = list(range(1, shape.depth + 1))
        spare = [1 + chances.below(shape.depth) for _ in range(shape.num_facts - shape.depth)]
        self._levels = sorted(backbone + spare)
        self._facts = list(range(shape.num_facts))

    def blueprint(self) -> Blueprint:
        mains = [ToolPlan(self._needs(fact), fact) for fact in self._facts]
        tools = mains + self._others()
        goal, needed = self._goal(mains)
        obligations = tuple(fact for fact in sorted(needed) if self._chances.is_drawn(_OBLIGED))
        metered = sorted(self._chances.shuffled(self._facts)[: self._shape.num_meters])
        tools = self._revoking(tools, needed, {*goal, *obligations}, set(metered))
        tools = self._costing(self._releasing(tools))
        meters = tuple(self._meter(fact) for fact in metered)
        return Blueprint(
            tuple(self._levels),
            tuple(self._filling(tools, meters)),
            goal,
            obligations,
            meters,
            tuple(self._faults(tools)),
        )

    # ------------------------------------------------------------------ who needs what

    def _needs(self, fact: int) -> tuple[int, ...]:
        level = self._levels[fact]
        if level == 1:
            return ()
        below = [f for f in self._facts if self._levels[f] == level - 1]
        needs = {self._chances.pick(below)}
        if self._chances.is_drawn(_SECOND_NEED * self._width):
            needs.add(self._chances.pick([f for f in self._facts if self._levels[f] < level]))
        return tuple(sorted(needs))

    def _others(self) -> list[ToolPlan]:
        """Draws further ways to facts that have fewer than may be."""
        ways = self._facts * (self._shape.branching - 1)
        chosen = self._chances.shuffled(ways)[: self._shape.num_tools - self._shape.num_facts]
        return [ToolPlan(self._needs(fact), fact) for fact in chosen]

    def _goal(self, mains: Sequence[ToolPlan]) -> tuple[tuple[int, ...], set[int]]:
        """Draws the goal, and gathers the facts that the hidden plan needs for it."""
        top = [f for f in self._facts if self._levels[f] == self._shape.depth]
        goal = {self._chances.pick(top)}
        if self._chances.is_drawn(_SECOND_GOAL * self._width):
            goal.add(self._chances.pick(self._facts))
        needed = set(goal)
        for fact in reversed(self._facts):
            if fact in needed:
                needed.update(mains[fact].requires)
        return tuple(sorted(goal)), needed

    # ------------------------------------------------------------------ what else tools do

    def _revoking(
        self, tools: Sequence[ToolPlan], needed: set[int], kept: set[int], metered: set[int]
    ) -> list[ToolPlan]:
        wanted = round(self._shape.revoking * self._width * len(tools))
        revoking = list(tools)
        for place in self._chances.shuffled(range(len(tools))):
            tool = tools[place]
            open_to_it = [f for f in self._facts if f != tool.grants and f not in metered]
            if place < len(self._facts) and tool.grants in needed:
                later = {f for f in needed if f > tool.grants}
                missed = {fact for f in later for fact in tools[f].requires} | kept
                open_to_it = [f for f in open_to_it if f not in missed]
            if wanted and open_to_it:
                revoking[place] = replace(tool, revokes=self._chances.pick(open_to_it))
                wanted -= 1
        return revoking

    def _releasing(self, tools: Sequence[ToolPlan]) -> list[ToolPlan]:
        late = [p for p, t in enumerate(tools) if self._levels[t.grants] >= RELEASE_DEPTH]
        chosen = set(self._chances.shuffled(late)[: self._shape.num_releases])
        return [replace(tool, release=place in chosen) for place, tool in enumerate(tools)]

    def _costing(self, tools: Sequence[ToolPlan]) -> list[ToolPlan]:
        count = round(self._shape.costing * len(tools))
        chosen = set(self._chances.shuffled(range(len(tools)))[:count])
        return [
            replace(tool, cost=(1 + self._chances.below(10)) / 10) if place in chosen else tool
            for place, tool in enumerate(tools)
        ]

    def _meter(self, fact: int) -> MeterPlan:
        # One call fills it 0.2 above the threshold, which lasts for four to eight whole plans.
        lasts = self._shape.num_facts * (4 + 4 * self._chances.share())
        threshold = self._chances.pick(_THRESHOLDS)
        initial = round(threshold - 0.2 - 0.1 * self._chances.below(3), 1)
        return MeterPlan(fact, threshold, initial, round(0.2 / lasts, 4))

    def _filling(
        self, tools: Sequence[ToolPlan], meters: Sequence[MeterPlan]
    ) -> Iterator[ToolPlan]:
        thresholds = {meter.fact: meter.threshold for meter in meters}
        for tool in tools:
            threshold = thresholds.get(tool.grants)
            # It fills enough from empty, since nobody knows how long the meter fell before.
            yield tool if threshold is None else replace(tool, fill=round(threshold + 0.2, 1))

    def _faults(self, tools: Sequence[ToolPlan]) -> Iterator[FaultPlan]:
        granted = [tool.grants for tool in tools]
        order = self._chances.shuffled(range(len(tools)))
        # Those with another way to their fact come first, one a fact; then those without.
        first = {granted[place]: place for place in reversed(order)}
        spared = [p for p in order if granted.count(granted[p]) > 1 and first[granted[p]] == p]
        chosen = [*spared, *(place for place in order if place not in spared)]
        for place in sorted(chosen[: self._shape.num_faults]):
            mode = Mode.LIE if self._chances.is_drawn(0.5) else Mode.FAIL
            yield FaultPlan(place, mode, self._schedule())

    def _schedule(self) -> str:
        if self._shape.num_releases:
            return "once: true"
        start = 1 + self._chances.below(self._shape.num_facts)
        return self._chances.pick(["once: true", "times: 2", f"ticks: [{start}, {start + 1}]"])
