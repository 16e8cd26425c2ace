"""Narrator: writes an agent's trace rows, in its design's words or in the membrane's plain ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from creatura.loop.events import EventBook, kind_of
from creatura.loop.turn import Contexts, Turn
from creatura.protocols import Answer, Context, Decided, Event, Regulator, Row, Sleep, Tool

LEVEL = "agent"  # who speaks where a design has no levels of its own


class Narrator:
    """The voice of one agent over a batch of runs."""

    def __init__(
        self, agent: int, design: Regulator, book: EventBook, contexts: Contexts, speaks: bool
    ) -> None:
        self._agent, self._design, self._book = agent, design, book
        self._contexts, self._speaks = contexts, speaks
        self._recorder = book.recorder

    def decided(
        self, turn: Turn, position: int, context: Context, tool: Tool, answer: Answer
    ) -> None:
        """Tells a choice before it is carried out; only designs with their own words do."""
        self.one(turn, position, context, Decided(tool, answer.plan, answer.why))

    def told(self, turn: Turn, contexts: Sequence[Context], events: Sequence[Event]) -> None:
        """Tells what the tick came to, for every run of the turn."""
        if not self._speaks:
            self.told_plainly(turn, np.arange(len(turn.runs)))
            return
        runs: list[int] = []
        kinds: list[int] = []
        rows: list[Row] = []
        code = self._recorder.code
        for run, context, event in zip(turn.runs.tolist(), contexts, events, strict=True):
            for row in self._design.tell(context, event):
                runs.append(run)
                kinds.append(code(kind_of(event)))
                rows.append(row)
        self._recorder.add_rows(runs, self._agent, turn.tick, kinds, rows)

    def told_plainly(self, turn: Turn, positions: NDArray[np.int64]) -> None:
        """Tells what the tick came to in plain words, without asking the design."""
        self._plain(turn, positions, turn.events[positions])

    def same(self, turn: Turn, positions: NDArray[np.int64], event: Event) -> None:
        """Tells one event for several runs in plain words."""
        self._plain(turn, positions, np.full(len(positions), self._book.id_of(event)))

    def one(self, turn: Turn, position: int, context: Context, event: Event) -> None:
        """Tells one event of one run."""
        if not self._speaks:
            self.same(turn, np.array([position]), event)
            return
        self._rows(turn, position, kind_of(event), self._design.tell(context, event))

    def slept(self, turn: Turn, position: int, sleep: Sleep) -> None:
        """Tells the closing rows."""
        self._rows(turn, position, "sleep", sleep.rows)

    def _rows(self, turn: Turn, position: int, kind: str, rows: Sequence[Row]) -> None:
        runs, kinds = [int(turn.runs[position])] * len(rows), [self._recorder.code(kind)] * len(rows)
        self._recorder.add_rows(runs, self._agent, turn.tick, kinds, rows)

    def _plain(
        self, turn: Turn, positions: NDArray[np.int64], events: NDArray[np.int64]
    ) -> None:
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
