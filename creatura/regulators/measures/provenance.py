"""Provenance: a memory that the levels of a body share, where each entry says how it is known.

An entry names its writer, its tick and its source: what was read from the facts weighs more than
what a tool said of itself, and a promise is no evidence at all. A promise stands until the act it
belongs to is answered. The memory is bounded; the oldest entry goes first.
Source: seed 001 names it; the three sources and the bound are own choices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from creatura.protocols import CRASHED, Brief, Judged, Tool, Verdict
from creatura.regulators.measures.wording import promise_words


class Known(StrEnum):
    """How an entry is known."""

    READ = "read from the facts"
    TOLD = "the tool said so itself"
    PROMISED = "promised"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a level wrote down.

    Attributes:
        writer: The level. tick: When it wrote, in its own case.
        about: A tool's id, or the writer's own name.
        held: Whether a claim about it came true; None where none was answered.
        cases_ago: Cases that have ended since, 0 or more.
    """

    writer: str
    tick: int
    known: Known
    about: str
    words: str
    held: bool | None = None
    cases_ago: int = 0

    def render(self) -> str:
        """Quotes the entry with its provenance."""
        ago = f"{self.cases_ago} case{'s' * (self.cases_ago > 1)} ago, " if self.cases_ago else ""
        return f"{ago}tick {self.tick}, {self.writer}, {self.known}: {self.about} {self.words}"


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """The last entries of all levels, oldest first.

    Attributes:
        length: Entries it keeps, 1 or more.
    """

    length: int
    entries: tuple[Entry, ...] = ()

    def after(self, *written: Entry) -> SharedMemory:
        """Returns the memory with more entries; an answer takes the place of its promise."""
        answered = {entry.about for entry in written}
        kept = [e for e in self.entries if e.known is not Known.PROMISED or e.about not in answered]
        return replace(self, entries=(*kept, *written)[-self.length :])

    def waits_for(self, tool: Tool) -> bool:
        """Reads whether a promise of this tool stands."""
        return any(e.about == tool.id and e.known is Known.PROMISED for e in self.entries)

    def doubt(self, tool: Tool) -> float:
        """Share of what the facts said about a tool that contradicted its report, in [0, 1].

        What the tool admitted is not held against it.
        """
        read = [e.held for e in self.entries if e.about == tool.id and e.known is Known.READ]
        return read.count(False) / len(read) if read else 0.0

    def aged(self) -> SharedMemory:
        """Returns the memory as the next case finds it."""
        older = (replace(entry, cases_ago=entry.cases_ago + 1) for entry in self.entries)
        return replace(self, entries=tuple(older))

    def render(self) -> str:
        """Quotes every entry with its provenance."""
        return "; ".join(entry.render() for entry in self.entries) or "empty"


def promised(brief: Brief, tick: int, tool: Tool) -> Entry:
    """What the tissue writes while a tool is still at work."""
    return Entry("tissue", tick, Known.PROMISED, tool.id, f"is to bring {_effect(brief, tool)}")


def answered(brief: Brief, tick: int, event: Judged) -> tuple[Entry, ...]:
    """What the cell writes of an act; nothing where the act was no evidence."""
    known, tool = Known.READ, event.tool
    effect, held = _effect(brief, tool), False
    match event.verdict:
        case Verdict.VACUOUS:
            return ()
        case Verdict.LANDED:
            alarm = "" if event.report.success else ", though it reported failure"
            words, held = f"brought {effect}{alarm}", True
        case Verdict.BELIEVED:
            known, words, held = Known.TOLD, f"reported {effect}, and nobody looked", True
        case _ if event.report.success:
            part = "part of " if event.verdict is Verdict.PARTIAL else ""
            words = f"reported success, and {part}{effect} is missing"
        case _:
            known = Known.TOLD
            words = "crashed" if event.report.message == CRASHED else "failed, and admitted it"
    return (Entry("cell", tick, known, tool.id, words, held),)


def moved(tick: int, was: int, now: int) -> Entry:
    """What the organism writes when its stage has changed."""
    way = "rose" if now > was else "fell"
    return Entry("organism", tick, Known.READ, "organism", f"{way} from stage {was} to stage {now}")


def _effect(brief: Brief, tool: Tool) -> str:
    return promise_words(brief, tool, tool.revokes)
