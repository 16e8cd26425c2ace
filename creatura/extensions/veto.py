"""Veto: a person who sends the task back before taking it.

A hand-off asks for a person. This one answers with a reason to go on, so many times a case, and
then lets the task come. Source: semantics, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import Brief, Context, Event, HandOff, Verbs, Vetoed


@final
@dataclass(frozen=True, slots=True)
class Veto(Verbs):
    """Sends hand-offs back; its memory is how often it did in this case.

    Attributes:
        times: Hand-offs sent back in a case, 1 or more.
        why: What the agent is told.
    """

    name: str = "veto"
    times: int = 1
    why: str = "go on"

    def __post_init__(self) -> None:
        if self.times < 1:
            raise ValueError(f"times is 1 or more, found {self.times}")
        if not self.why.strip():
            raise ValueError("why is empty; say what the agent is told")

    def begin(self, brief: Brief) -> int:
        """Nothing was sent back."""
        return 0

    def veto(self, context: Context, hand_off: HandOff) -> str | None:
        """Answers while its patience lasts."""
        return self.why if context.memory < self.times else None

    def record(self, context: Context, event: Event) -> int:
        """Counts what was sent back with its own answer."""
        sent_back: int = context.memory
        return sent_back + (isinstance(event, Vetoed) and event.why == self.why)
