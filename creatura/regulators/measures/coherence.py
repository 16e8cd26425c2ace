"""Coherence: how well a record of claims agrees with what the facts said afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from creatura.protocols import Judged, Tool, Verdict


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims that an act would land, and what became of them.

    Attributes:
        held, contradicted: Counts, 0 or more.
    """

    held: int = 0
    contradicted: int = 0

    @property
    def made(self) -> int:
        """All claims that the facts have answered."""
        return self.held + self.contradicted

    @property
    def coherence(self) -> float:
        """Held share of all claims, in [0, 1]; 1 before the first."""
        return self.held / self.made if self.made else 1.0

    def after(self, held: bool) -> Claims:
        """Returns the record with one more claim answered."""
        if held:
            return Claims(self.held + 1, self.contradicted)
        return Claims(self.held, self.contradicted + 1)


def answer_of(event: Judged) -> bool | None:
    """Reads whether an act bore out the claim that it would land; None if it is no evidence."""
    if event.verdict is Verdict.VACUOUS:
        return None
    return event.verdict in (Verdict.LANDED, Verdict.BELIEVED)


def has_come(tool: Tool, facts: int) -> bool:
    """Reads whether what a tool promises holds, however and whenever that came about.

    The promise is what it grants; of a tool that grants nothing it is what it takes away.
    """
    return not (tool.grants & ~facts if tool.grants else tool.revokes & facts)
