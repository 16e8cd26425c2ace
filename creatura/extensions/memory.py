"""Memory: what one case taught is known in the next.

It has the membrane's ledger and the design's record carried through a sequence of cases, so a tool
that lied in case one starts case two as a known liar. Its own memory counts what each tool's acts
came to, for a seat that reads notes. Source: semantics, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from creatura.protocols import (
    Brief,
    Carried,
    Context,
    Event,
    Judged,
    Verbs,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Deeds:
    """What one tool's acts came to."""

    tool: str
    acts: int = 0
    landed: int = 0
    lies: int = 0

    def plus(self, other: Deeds) -> Deeds:
        """Adds up two counts of one tool."""
        counts = (self.acts + other.acts, self.landed + other.landed, self.lies + other.lies)
        return Deeds(self.tool, *counts)


@dataclass(frozen=True, slots=True)
class Past:
    """The extension's own memory.

    Attributes:
        cases: Cases before the present one.
        earlier, present: Deeds in the cases before, and in this one, by the tool's id.
    """

    cases: int = 0
    earlier: tuple[Deeds, ...] = ()
    present: tuple[Deeds, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Memory(Verbs):
    """Carries records from case to case; alone in a single case it changes nothing.

    Attributes:
        ledger: Whether trust in the tools is carried.
        design: Whether the design wakes with what it slept on.
    """

    name: str = "memory"
    ledger: bool = True
    design: bool = True

    @property
    def carries(self) -> tuple[Carried, ...]:  # type: ignore[override]
        """The records asked for, and its own."""
        asked = {Carried.LEDGER: self.ledger, Carried.DESIGN: self.design, Carried.OWN: True}
        return tuple(record for record, is_asked in asked.items() if is_asked)

    def begin(self, brief: Brief) -> Past:
        """Knows nothing."""
        return Past()

    def wake(self, brief: Brief, memory: Past) -> Past:
        """Files the case that is over away."""
        return Past(memory.cases + 1, _sum((*memory.earlier, *memory.present)))

    def note(self, context: Context) -> str:
        """Sums up the earlier cases, tool by tool."""
        past: Past = context.memory
        if not past.earlier:
            return ""
        told = "; ".join(_words(deeds) for deeds in past.earlier)
        return f"in {past.cases} earlier case{'s' * (past.cases > 1)}: {told}"

    def record(self, context: Context, event: Event) -> Past:
        """Counts an act."""
        past: Past = context.memory
        if not isinstance(event, Judged):
            return past
        deed = Deeds(event.tool.id, 1, event.verdict is Verdict.LANDED, event.is_lie)
        return replace(past, present=_sum((*past.present, deed)))


def _sum(all_deeds: tuple[Deeds, ...]) -> tuple[Deeds, ...]:
    by_tool: dict[str, Deeds] = {}
    for deeds in all_deeds:
        by_tool[deeds.tool] = by_tool.get(deeds.tool, Deeds(deeds.tool)).plus(deeds)
    return tuple(by_tool.values())


def _words(deeds: Deeds) -> str:
    lies = f", lied {deeds.lies} times" if deeds.lies > 1 else ", lied once" if deeds.lies else ""
    return f"{deeds.tool} landed {deeds.landed} of {deeds.acts}{lies}"
