"""Witnesses: stand in a part's place, pass every question on, and note what breaks a law."""

from __future__ import annotations

from numbers import Real
from typing import Any

from bench.conformance.notebook import CEILING, SHOWN, SLEEP, Notebook, short
from creatura.protocols import (
    Brief,
    Carried,
    Context,
    Event,
    Extension,
    HandOff,
    Judged,
    Regulator,
    Row,
    Sleep,
    Tool,
)

ROUNDING = 1e-9


class DesignWitness:
    """Stands in a design's place.

    Attributes:
        notebook: What it saw.
    """

    def __init__(self, inner: Regulator) -> None:
        self.inner, self.name, self.layer = inner, inner.name, inner.layer
        self.notebook = Notebook()

    def begin(self, brief: Brief) -> Any:
        """Asks for the first memory."""
        return self.notebook.ask(self.inner, "begin", 0, None, brief)

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Asks for the first memory of a later case."""
        return self.notebook.ask(self.inner, "wake", 0, memory, brief, memory)

    def ceiling(self, context: Context) -> float:
        """Wants a share in [0, 1]."""
        return self._share("ceiling", context)

    def error(self, context: Context) -> float:
        """Wants a share in [0, 1]."""
        return self._share("error", context)

    def freedom(self, context: Context, error: float) -> float:
        """Wants a share that is not above the ceiling."""
        freedom, ceiling = self._share("freedom", context, error), self._share("ceiling", context)
        asked = f"'freedom' at tick {context.tick}"
        if _is_share(freedom) and _is_share(ceiling):
            came = f"{freedom:g}, and the ceiling is {ceiling:g}"
            self.notebook.wants(freedom <= ceiling + ROUNDING, asked, came, CEILING)
        return freedom

    def stop(self, context: Context) -> HandOff | None:
        """Wants a hand-off or none."""
        hand_off = self._asked("stop", context)
        is_one = isinstance(hand_off, HandOff) and isinstance(hand_off.reason, str)
        self._wants(hand_off is None or is_one, "stop", context, hand_off)
        return hand_off if is_one else None

    def probe(self, context: Context) -> Tool | None:
        """Wants a tool of the world or none."""
        tool = self._asked("probe", context)
        is_one = isinstance(tool, Tool) and tool in context.brief.tools
        self._wants(tool is None or is_one, "probe", context, tool)
        return tool if is_one else None

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Wants some of the tools that were shown, each once."""
        shaped = self._asked("shape", context, offered)
        is_order = isinstance(shaped, tuple) and all(isinstance(tool, Tool) for tool in shaped)
        self._wants(is_order, "shape", context, shaped)
        if not is_order:
            return offered
        asked = f"'shape' at tick {context.tick}, shown {_ids(offered)}"
        self.notebook.wants(set(shaped) <= set(offered), asked, _ids(shaped), SHOWN)
        self.notebook.wants(len(set(shaped)) == len(shaped), asked, _ids(shaped))
        unseen = not any(context.hidden >> tool.index & 1 for tool in offered)
        self.notebook.wants(unseen, asked, "one of them is in quarantine", SHOWN)
        return tuple(shaped)

    def seat(self, context: Context) -> str:
        """Wants text."""
        text = self._asked("seat", context)
        self._wants(isinstance(text, str), "seat", context, text)
        return str(text)

    def hold(self, context: Context, tool: Tool) -> str | None:
        """Wants a reason or none."""
        reason = self._asked("hold", context, tool)
        self._wants(reason is None or isinstance(reason, str), "hold", context, reason)
        return None if reason is None else str(reason)

    def record(self, context: Context, event: Event) -> Any:
        """Takes any memory."""
        return self._asked("record", context, event)

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Wants rows with a level, an action, and shares in [0, 1]."""
        rows = self._asked("tell", context, event)
        return self._rows("tell", context, rows)

    def sleep(self, context: Context) -> Sleep:
        """Wants a memory, a proposal in words, and rows."""
        slept = self._asked("sleep", context)
        asked = f"'sleep' at tick {context.tick}"
        if not isinstance(slept, Sleep):
            self.notebook.note(SLEEP, asked, short(slept))
            return Sleep(context.memory)
        self.notebook.wants(isinstance(slept.proposal, str), asked, slept.proposal, SLEEP)
        return Sleep(slept.memory, str(slept.proposal), self._rows("sleep", context, slept.rows))

    def _rows(self, slot: str, context: Context, rows: object) -> tuple[Row, ...]:
        told = tuple(rows) if isinstance(rows, (tuple, list)) else None
        if told is None or not all(isinstance(row, Row) for row in told):
            self._wants(False, slot, context, rows)
            return ()
        for row in told:
            shares = _is_share(row.stress) and _is_share(row.freedom)
            words = all(isinstance(word, str) for word in (row.level, row.action, row.detail))
            is_row = shares and words and bool(row.level) and bool(row.action)
            self._wants(is_row, slot, context, row)
        return told

    def _share(self, slot: str, context: Context, *words: object) -> float:
        share = self._asked(slot, context, *words)
        self._wants(_is_share(share), slot, context, share)
        return share  # type: ignore[no-any-return]

    def _asked(self, slot: str, context: Context, *words: object) -> Any:
        memory = context.memory
        return self.notebook.ask(self.inner, slot, context.tick, memory, context, *words)

    def _wants(self, holds: bool, slot: str, context: Context, came: object) -> None:
        self.notebook.wants(holds, f"'{slot}' at tick {context.tick}", came)


class ExtensionWitness:
    """Stands in an extension's place.

    Attributes:
        notebook: What it saw. has_acted: Whether a verb changed what would have been.
    """

    def __init__(self, inner: Extension) -> None:
        self.inner, self.name = inner, inner.name
        self.carries: tuple[Carried, ...] = inner.carries
        self.notebook, self.has_acted = Notebook(), False

    def begin(self, brief: Brief) -> Any:
        """Asks for the first memory."""
        return self.notebook.ask(self.inner, "begin", 0, None, brief)

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Asks for the first memory of a later case."""
        return self.notebook.ask(self.inner, "wake", 0, memory, brief, memory)

    def rejudge(self, context: Context, event: Judged) -> bool:
        """Wants a yes or a no."""
        is_hidden = self._asked("rejudge", context, event)
        self._wants(isinstance(is_hidden, bool), "rejudge", context, is_hidden)
        self.has_acted |= bool(is_hidden) != event.is_quarantined
        return bool(is_hidden)

    def veto(self, context: Context, hand_off: HandOff) -> str | None:
        """Wants a reason or none."""
        why = self._asked("veto", context, hand_off)
        self._wants(why is None or isinstance(why, str), "veto", context, why)
        self.has_acted |= why is not None
        return None if why is None else str(why)

    def note(self, context: Context) -> str:
        """Wants text."""
        text = self._asked("note", context)
        self._wants(isinstance(text, str), "note", context, text)
        self.has_acted |= bool(text)
        return str(text)

    def propose(self, context: Context) -> Tool | None:
        """Wants a tool that is offered, or none."""
        tool = self._asked("propose", context)
        is_one = isinstance(tool, Tool)
        self._wants(tool is None or is_one, "propose", context, tool)
        if not is_one:
            return None
        self.has_acted = True
        asked = f"'propose' at tick {context.tick}"
        is_shown = bool(context.offered >> tool.index & 1)
        self.notebook.wants(is_shown, asked, f"{tool.id}, which is not offered", SHOWN)
        return tool if is_shown else None

    def record(self, context: Context, event: Event) -> Any:
        """Takes any memory."""
        return self._asked("record", context, event)

    def _asked(self, verb: str, context: Context, *words: object) -> Any:
        memory = context.memory
        return self.notebook.ask(self.inner, verb, context.tick, memory, context, *words)

    def _wants(self, holds: bool, verb: str, context: Context, came: object) -> None:
        self.notebook.wants(holds, f"'{verb}' at tick {context.tick}", came)


def _is_share(value: object) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(0.0 <= float(value) <= 1.0)  # type: ignore[arg-type]


def _ids(tools: tuple[Tool, ...]) -> str:
    return ", ".join(tool.id for tool in tools) or "none"
