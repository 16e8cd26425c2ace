"""Exploration: where the map runs out, tries what was never tried.

A seat that plans over declarations sees no route once they lead nowhere. This extension then
proposes an offered tool that the ledger knows no act of: first those that take nothing away, in
the order of declaration, and never a release. `scaled` ties it to freedom, so that a calm design
gives up sooner than a stressed one. Source: semantics, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.bits import indices_of
from creatura.protocols import (
    Brief,
    Context,
    Decided,
    Event,
    Judged,
    Tool,
    Verbs,
    Verdict,
    budget_of,
)


@dataclass(frozen=True, slots=True)
class Steps:
    """What it did of late.

    Attributes:
        in_vain: Its own steps in a row that landed nothing new.
        is_out: Whether a step of its own is under way.
    """

    in_vain: int = 0
    is_out: bool = False


@final
@dataclass(frozen=True, slots=True)
class Exploration(Verbs):
    """Proposes untried tools on no route.

    Attributes:
        scaled: Whether as many steps in a row may land nothing new as the retry budget of the
            design's freedom says; otherwise as many as there are untried tools.
    """

    name: str = "exploration"
    scaled: bool = False

    def begin(self, brief: Brief) -> Steps:
        """No step yet."""
        return Steps()

    def propose(self, context: Context) -> Tool | None:
        """Names the first untried tool, while its budget lasts."""
        if self.scaled and context.memory.in_vain >= budget_of(context.freedom):
            return None
        untried = [context.brief.tools[i] for i in indices_of(context.offered & ~context.tried)]
        harmless_first = sorted(untried, key=lambda tool: tool.revokes != 0)
        return next((tool for tool in harmless_first if not tool.release), None)

    def record(self, context: Context, event: Event) -> Steps:
        """Counts its own steps that came to nothing; whatever lands starts the count anew.

        The loop tells a proposed step as a decision with the extension's name for a reason.
        """
        steps: Steps = context.memory
        if isinstance(event, Decided):
            return Steps(steps.in_vain, is_out=event.why == self.name)
        if not isinstance(event, Judged):
            return steps
        if event.verdict in (Verdict.LANDED, Verdict.PARTIAL):
            return Steps()
        return Steps(steps.in_vain + steps.is_out)
