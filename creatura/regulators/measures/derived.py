"""Derived set points: what is worth holding on the way to a contract, though no obligation says so.

The ends are the obligations and the facts that every way to meet the goal needs. What every tool
that could bring an end requires is a means to it, and so on backwards, so each derived set point
lies on every way there. A means is open while it is missing and still serves an open end; one whose
end holds is closed with it. What only one of several ways needs is no set point, nor is anything
that no tool grants. Backward chaining finds most such facts, not all: one that lies behind a fork
of ways is missed (Hoffmann, Porteous and Sebastia 2004, who call them landmarks).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_

from creatura.bits import indices_of
from creatura.protocols import Brief, Tool


@dataclass(frozen=True, slots=True)
class SetPoints:
    """The ends of a contract, and what they need.

    Attributes:
        ends: Mask of what the contract itself asks for.
        needs: For each fact, the mask of what every tool that could bring it requires.
        every: Mask of all set points: the obligations, and those that are derived.
    """

    ends: int
    needs: tuple[int, ...]
    every: int = 0

    def open_in(self, facts: int) -> int:
        """Returns the mask of set points that are open over these facts."""
        found, edge = 0, self.ends & ~facts
        while edge:
            found |= edge
            needed = reduce(or_, (self.needs[index] for index in indices_of(edge)))
            edge = needed & ~facts & ~found
        return found

    def progress(self, facts: int) -> float:
        """Closed share of the set points, in [0, 1]; 1 where there are none."""
        total = self.every.bit_count()
        return 1.0 - self.open_in(facts).bit_count() / total if total else 1.0


def derive(brief: Brief) -> SetPoints:
    """Reads the set points off what tools declare, as if none of it held yet."""
    bringable = reduce(or_, (tool.grants for tool in brief.tools), 0)
    clauses = [needs for needs, _ in brief.goal.clauses]
    common = reduce(and_, clauses) if clauses else 0
    facts = [1 << index for index in range(len(brief.facts))]
    points = SetPoints(
        ends=brief.goal.obligations | common & bringable,
        needs=tuple(_shared_needs(brief.tools, fact) & bringable for fact in facts),
    )
    return replace(points, every=points.open_in(0))


def _shared_needs(tools: tuple[Tool, ...], fact: int) -> int:
    # A tool that requires what it grants cannot bring it where it is missing.
    ways = [tool.requires for tool in tools if tool.grants & fact and not tool.requires & fact]
    return reduce(and_, ways) if ways else 0
