"""Hooks: the extensions of one agent over a batch of runs, asked at the verbs they override."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from creatura.protocols import (
    Brief,
    Carried,
    Context,
    Event,
    Extension,
    HandOff,
    Judged,
    Tool,
    Verbs,
    Vetoed,
)


def overrides(part: object, slot: str, defaults: type) -> bool:
    """Tells whether a part answers a slot itself."""
    return getattr(type(part), slot, None) is not getattr(defaults, slot)


class Hooks:
    """Extensions in their order, with a memory for each of them in each run.

    Attributes:
        memories: One list an extension, one entry a run.
    """

    def __init__(
        self, extensions: Sequence[Extension], brief: Brief, num_runs: int, kept: Kept | None = None
    ) -> None:
        self._extensions = tuple(extensions)
        self.memories: Kept = [
            [extension.wake(brief, memory) for memory in kept[i]]
            if kept is not None and Carried.OWN in extension.carries
            else [extension.begin(brief) for _ in range(num_runs)]
            for i, extension in enumerate(self._extensions)
        ]
        self._on = {
            verb: [i for i, e in enumerate(self._extensions) if overrides(e, verb, Verbs)]
            for verb in vars(Verbs)
        }

    def go_on_from(self, earlier: Hooks) -> None:
        """Takes over the memories of the extensions that were there before."""
        known = zip(earlier._extensions, earlier.memories, strict=True)
        before = {id(extension): memories for extension, memories in known}
        self.memories = [
            before.get(id(extension), memory)
            for extension, memory in zip(self._extensions, self.memories, strict=True)
        ]

    def has(self, verb: str) -> bool:
        """Tells whether any extension answers a verb."""
        return bool(self._on[verb])

    def carry(self, record: Carried) -> bool:
        """Tells whether any extension has a record carried to the next case."""
        return any(record in extension.carries for extension in self._extensions)

    def rejudged(self, run: int, context: Context, event: Judged) -> bool:
        """Decides whether a tool is hidden for an act; each extension reads the one before it."""
        for extension, own in self._asked("rejudge", run, context):
            event = replace(event, is_quarantined=extension.rejudge(own, event))
        return event.is_quarantined

    def veto(self, run: int, context: Context, hand_off: HandOff) -> Vetoed | None:
        """Sends a hand-off back, for the first reason that is given."""
        for extension, own in self._asked("veto", run, context):
            why = extension.veto(own, hand_off)
            if why is not None:
                return Vetoed(hand_off.reason, why)
        return None

    def notes(self, run: int, context: Context) -> tuple[str, ...]:
        """Gathers what the seat should know."""
        told = (extension.note(own) for extension, own in self._asked("note", run, context))
        return tuple(note for note in told if note)

    def proposed(self, run: int, context: Context) -> tuple[Tool, str] | None:
        """Returns the first step that is proposed, and by whom."""
        for extension, own in self._asked("propose", run, context):
            tool = extension.propose(own)
            if tool is not None:
                return tool, extension.name
        return None

    def record(self, run: int, context: Context, event: Event) -> None:
        """Lets every extension take an event in."""
        asked = list(self._asked("record", run, context))
        for i, (extension, own) in zip(self._on["record"], asked, strict=True):
            self.memories[i][run] = extension.record(own, event)

    def _asked(self, verb: str, run: int, context: Context) -> Iterator[tuple[Extension, Context]]:
        for i in self._on[verb]:
            yield self._extensions[i], context.with_memory(self.memories[i][run])


Kept = list[list[Any]]
