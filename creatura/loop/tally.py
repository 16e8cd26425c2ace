"""Tally: what every run came to, counted while the loop goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.loop.events import EventBook
from creatura.loop.turn import Turn
from creatura.membrane import Acts, Judgement, Ledger
from creatura.membrane.effect_check import LANDED, MISSING, VACUOUS
from creatura.protocols import HandOff, Held, Refused, Waited
from creatura.results import Counts, LieTable, QuarantineTable

_FIELDS = tuple(Counts.__dataclass_fields__)
_SPENT = {Refused: "refused", Waited: "waited", Held: "held"}
NOT_HANDED_OFF = -1


class Tally:
    """Counts `[W, A]`, hand-offs and the lies that were told in one batch."""

    def __init__(self, num_runs: int, num_agents: int, book: EventBook) -> None:
        shape = (num_runs, num_agents)
        self._counts = {name: np.zeros(shape, dtype=np.int32) for name in _FIELDS}
        self.declared_done = np.zeros(shape, dtype=bool)
        self.false_done = np.zeros(shape, dtype=bool)
        self.handed_off = np.full(shape, NOT_HANDED_OFF, dtype=np.int32)
        self._book = book
        self._lies: list[tuple[NDArray[np.int64], ...]] = []

    def acted(self, agent: int, acts: Acts, lied: NDArray[np.bool_], judgement: Judgement) -> None:
        """Counts the judged acts of one agent.

        Args:
            acts: With verdicts as the facts say, whatever the agent may believe.
            lied: Whether the world kept the effect from landing under a reported success `[N]`.
        """
        runs, verdicts = acts.runs, acts.verdicts
        # A lie about what held already, or what another agent made true in the same tick, misleads
        # nobody; a success over a missing effect is one even where no fault was planted, as when
        # another agent undid it at once.
        is_true = (verdicts == VACUOUS) | (verdicts == LANDED)
        told = (lied & ~is_true) | (acts.success & (verdicts == MISSING))
        caught = told & judgement.lies
        for name, happened in {
            "acts": np.ones(len(runs), dtype=bool),
            "landed": verdicts == LANDED,
            "failed": (verdicts == MISSING) & ~acts.success,
            "lies_told": told,
            "lies_caught": caught,
            "quarantines": judgement.quarantined,
        }.items():
            self._counts[name][runs, agent] += happened
        if told.any():
            who = np.full(int(told.sum()), agent)
            when = np.full(len(who), acts.tick)
            lie = (runs[told], who, when, acts.tools[told], caught[told].astype(np.int64))
            self._lies.append(lie)

    def passed(self, agent: int, turn: Turn) -> NDArray[np.bool_]:
        """Counts ticks that came to something other than an act; returns who handed off `[N]`."""
        handed_off = np.zeros(len(turn.runs), dtype=bool)
        for number in np.unique(turn.events).tolist():
            event = self._book.events[number]
            here = turn.events == number
            name = _SPENT.get(type(event))
            if name is not None:
                self._counts[name][turn.runs[here], agent] += 1
            elif isinstance(event, HandOff):
                code = self._book.recorder.code(event.reason)
                self.handed_off[turn.runs[here], agent] = code
                handed_off |= here
        return handed_off

    def go_on_from(self, earlier: Tally) -> None:
        """Takes over what was counted before."""
        self._counts, self._lies = earlier._counts, earlier._lies
        self.declared_done, self.false_done = earlier.declared_done, earlier.false_done
        self.handed_off = earlier.handed_off

    def quarantines(self, ledgers: Sequence[Ledger]) -> QuarantineTable:
        """Gathers who was hidden when from every agent's ledger."""
        parts = [
            (
                q.runs,
                *(np.full(len(q.runs), value) for value in (agent, q.tick)),
                q.until,
                q.tools,
                q.lies,
            )
            for agent, ledger in enumerate(ledgers)
            for q in ledger.quarantines
        ]
        run, agents, tick, until, tool, lie = _columns(parts, 6)
        order = np.lexsort((agents, tick, run))
        return QuarantineTable(
            run=run[order],
            agent=agents[order].astype(np.int32),
            tick=tick[order].astype(np.int32),
            tool=tool[order].astype(np.int32),
            until=until[order].astype(np.int32),
            is_lie=lie[order].astype(bool),
        )

    def counts(self) -> Counts:
        """Returns the counts so far."""
        return Counts(**self._counts)

    def lies(self) -> LieTable:
        """Returns the lies so far, ordered by run, tick and agent."""
        run, agent, tick, tool, caught = _columns(self._lies, 5)
        order = np.lexsort((agent, tick, run))
        return LieTable(
            run=run[order],
            agent=agent[order].astype(np.int32),
            tick=tick[order].astype(np.int32),
            tool=tool[order].astype(np.int32),
            caught=caught[order].astype(bool),
        )


def _columns(parts: Sequence[tuple[NDArray[Any], ...]], width: int) -> list[NDArray[Any]]:
    empty = (np.zeros(0, dtype=np.int64),) * width
    return [np.concatenate(column) for column in zip(*(parts or [empty]), strict=True)]
