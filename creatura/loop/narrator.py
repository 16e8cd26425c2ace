"""Narrator: writes an agent's trace rows, in its design's words or in the membrane's plain ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from creatura.loop.events import EventBook, kind_of
from creatura.loop.turn import Turn
from creatura.protocols import Context, Event, Regulator, Row, Sleep

LEVEL = "agent"  # who speaks where a design has no levels of its own
SLEEP = "sleep"  # the kind of a closing row, which tells no event

Positions = NDArray[np.int64]


class Narrator:
    """The voice of one agent over a batch of runs.

    Attributes:
        has_own_words: Whether the design tells events itself.
    """

    def __init__(self, agent: int, design: Regulator, book: EventBook, has_own_words: bool) -> None:
        self.has_own_words = has_own_words
        self._agent, self._design, self._book = agent, design, book
        self._recorder = book.recorder

    def tell(
        self, turn: Turn, positions: Positions, contexts: Iterable[Context], events: Iterable[Event]
    ) -> None:
        """Tells one event for each of some runs in the design's own words."""
        told = zip(turn.runs[positions].tolist(), contexts, events, strict=True)
        say = self._design.tell
        self._add(turn.tick, ((run, kind_of(e), say(context, e)) for run, context, e in told))

    def tell_plainly(self, turn: Turn, positions: Positions, events: NDArray[np.int64]) -> None:
        """Tells one event, by number, for each of some runs without asking the design."""
        kind, action, detail = self._book.codes(events)
        self._recorder.add(
            turn.runs[positions],
            self._agent,
            turn.tick,
            kind=kind,
            level=self._recorder.code(LEVEL),
            stress=turn.error[positions],
            freedom=turn.freedom[positions],
            action=action,
            detail=detail,
        )

    def slept(self, turn: Turn, positions: Positions, sleeps: Iterable[Sleep]) -> None:
        """Tells the closing rows of some runs."""
        told = zip(turn.runs[positions].tolist(), sleeps, strict=True)
        self._add(turn.tick, ((run, SLEEP, sleep.rows) for run, sleep in told))

    def _add(self, tick: int, told: Iterable[tuple[int, str, Sequence[Row]]]) -> None:
        code = self._recorder.code
        lines = [(run, code(kind), row) for run, kind, rows in told for row in rows]
        if not lines:
            return
        runs, kinds, rows = zip(*lines, strict=True)
        self._recorder.add(
            np.array(runs, dtype=np.int64),
            self._agent,
            tick,
            kind=kinds,
            level=[code(row.level) for row in rows],
            stress=[row.stress for row in rows],
            freedom=[row.freedom for row in rows],
            action=[code(row.action) for row in rows],
            detail=[code(row.detail) for row in rows],
        )
