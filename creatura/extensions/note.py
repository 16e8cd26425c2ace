"""Note: a line that a person leaves for the seat.

A seat that reads prose finds it among its notes at every tick; one that reads only facts and masks
acts as it would without. Source: semantics, section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import Context, Verbs


@final
@dataclass(frozen=True, slots=True)
class Note(Verbs):
    """Says one thing, always.

    Attributes:
        text: What it says; there is no default worth reading.
    """

    name: str = "note"
    text: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("it needs something to say; write note(text='...')")

    def note(self, context: Context) -> str:
        """The text as it was written."""
        return self.text
