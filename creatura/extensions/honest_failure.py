"""Honest failure: a tool that says itself that it failed is not treated as a liar.

Under `effect-first` a missing effect costs trust whatever was reported. This extension takes a
reported failure at its word: the tool stays offered, at most its retry budget in a row, which the
ledger counts as ever. Lies, partial effects and false alarms are judged as before. Source:
semantics, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.bits import indices_of
from creatura.protocols import Brief, Context, Event, Judged, Verbs, Verdict


@final
@dataclass(frozen=True, slots=True)
class HonestFailure(Verbs):
    """Hides no tool for a failure that it reported itself.

    Its memory is a mask: the tools whose last word was that they failed.
    """

    name: str = "honest-failure"

    def begin(self, brief: Brief) -> int:
        """No tool has admitted anything."""
        return 0

    def rejudge(self, context: Context, event: Judged) -> bool:
        """Leaves a tool offered that reported the failure it had."""
        return event.is_quarantined and not _is_honest(event)

    def note(self, context: Context) -> str:
        """Names the tools that admitted a failure and have not landed since."""
        named = [context.brief.tools[i].id for i in indices_of(context.memory)]
        return f"failed and said so: {', '.join(named)}" if named else ""

    def record(self, context: Context, event: Event) -> int:
        """Keeps each tool's last word."""
        admitted: int = context.memory
        if not isinstance(event, Judged):
            return admitted
        tool = 1 << event.tool.index
        return admitted | tool if _is_honest(event) else admitted & ~tool


def _is_honest(event: Judged) -> bool:
    return event.verdict is Verdict.MISSING and not event.report.success
