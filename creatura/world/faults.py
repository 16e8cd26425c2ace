"""Faults: which tool calls do not do what they say, and when.

A fault names a tool, a mode and a schedule, and may be bound to one agent. Of the faults of a tool
the first that is due decides the call. Probabilities use counter-based draws, so a fault falls on
the same call in a batch of one and in a batch of thousands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from creatura import draws

UNLIMITED = -1  # calls left of a fault without a count


class Mode(StrEnum):
    """What a call does: how it reports, and what lands of what its tool declares.

    `late`, `reverts` and `slow` take a fault's delay, `damage` and `wrong` its fact.
    """

    DELIVER = "deliver"
    FAIL = "fail"  # reports failure, changes nothing
    LIE = "lie"  # reports success, changes nothing
    PARTIAL = "partial"  # reports success, all but the last of its grants land
    LATE = "late"  # reports success, lands after the delay
    REVERTS = "reverts"  # reports success and lands, and is undone after the delay
    FALSE_ALARM = "false_alarm"  # reports failure, lands
    DAMAGE = "damage"  # reports success, lands, and takes another fact away
    CRASH = "crash"  # raises, which is reported as failure; changes nothing
    SLOW = "slow"  # reports and lands after the delay; its agent is busy until then
    WRONG = "wrong"  # reports success, grants another fact instead


MODES = tuple(Mode)
TAKES_DELAY = (Mode.LATE, Mode.REVERTS, Mode.SLOW)
TAKES_FACT = (Mode.DAMAGE, Mode.WRONG)

_VERBS = {
    Mode.DELIVER: "delivers",
    Mode.FAIL: "fails",
    Mode.LIE: "lies",
    Mode.PARTIAL: "lands in part",
    Mode.LATE: "lands {delay} late",
    Mode.REVERTS: "reverts after {delay}",
    Mode.FALSE_ALARM: "raises a false alarm",
    Mode.DAMAGE: "damages {fact}",
    Mode.CRASH: "crashes",
    Mode.SLOW: "takes {delay}",
    Mode.WRONG: "grants {fact} instead",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One scheduled fault. At most one of the schedule fields is set; none means always.

    Attributes:
        tool: Tool id.
        times: The first so many calls, 1 or more.
        ticks: Only calls in these ticks, from 1.
        probability: Each call with this chance, in [0, 1].
        agent: Index of the only agent it meets, or None for every agent.
        delay: Ticks until it lands, is undone, or comes back, 1 or more.
        fact: The fact that is damaged, or granted instead.
    """

    tool: str
    mode: Mode
    times: int | None = None
    ticks: tuple[int, ...] | None = None
    probability: float | None = None
    agent: int | None = None
    delay: int = 2
    fact: str | None = None

    def __post_init__(self) -> None:
        if self.mode in TAKES_FACT and self.fact is None:
            raise ValueError(f"a fault of mode '{self.mode}' names a fact")

    def __str__(self) -> str:
        if self.times is not None:
            when = "once" if self.times == 1 else f"{self.times} times"
        elif self.ticks is not None:
            when = "at tick " + ", ".join(map(str, self.ticks))
        elif self.probability is not None:
            when = f"with probability {self.probability:g}"
        else:
            when = "always"
        who = "" if self.agent is None else f" for agent {self.agent}"
        delay = f"{self.delay} tick{'' if self.delay == 1 else 's'}"
        verb = _VERBS[self.mode].format(delay=delay, fact=self.fact)
        return f"{self.tool} {verb} {when}{who}"


@dataclass(frozen=True, slots=True)
class Settled:
    """What N calls do.

    Attributes:
        mode: Positions in `MODES` `[N]`.
        delay: Ticks, where the mode takes them `[N]`. fact: Fact indices, likewise `[N]`.
    """

    mode: NDArray[np.int64]
    delay: NDArray[np.int64]
    fact: NDArray[np.int64]


class FaultTable:
    """The faults of a batch of W runs as arrays, with the calls that each has left.

    Rows of `slots` are the faults of one run in order, padded with tool -1, which no call names.
    """

    def __init__(
        self,
        faults: Sequence[Sequence[Fault]],
        tool_index: Mapping[str, int],
        fact_index: Mapping[str, int],
        seeds: NDArray[np.int64],
        episodes: NDArray[np.int64],
    ) -> None:
        self._seeds, self._episodes = seeds, episodes
        self._faults = tuple(map(tuple, faults))
        shape = (len(faults), max((len(row) for row in faults), default=0))
        self._tool = np.full(shape, -1, dtype=np.int64)
        self._agent = np.full(shape, -1, dtype=np.int64)
        self._mode = np.zeros(shape, dtype=np.int64)
        self._left = np.full(shape, UNLIMITED, dtype=np.int64)
        self._chance = np.ones(shape)
        self._delay = np.ones(shape, dtype=np.int64)
        self._fact = np.full(shape, -1, dtype=np.int64)
        self._ticks: dict[tuple[int, int], frozenset[int]] = {}
        for run, row in enumerate(faults):
            for slot, fault in enumerate(row):
                self._tool[run, slot] = tool_index[fault.tool]
                self._agent[run, slot] = -1 if fault.agent is None else fault.agent
                self._mode[run, slot] = MODES.index(fault.mode)
                self._delay[run, slot] = fault.delay
                if fault.fact is not None:
                    self._fact[run, slot] = fact_index[fault.fact]
                if fault.times is not None:
                    self._left[run, slot] = fault.times
                if fault.probability is not None:
                    self._chance[run, slot] = fault.probability
                if fault.ticks is not None:
                    self._ticks[run, slot] = frozenset(fault.ticks)

    def go_on_from(self, earlier: FaultTable) -> None:
        """Takes over the calls that are left of faults which stand where they stood."""
        for run, (row, was) in enumerate(zip(self._faults, earlier._faults, strict=True)):
            for slot, (fault, old) in enumerate(zip(row, was, strict=False)):
                if fault == old:
                    self._left[run, slot] = earlier._left[run, slot]

    def settle(
        self, runs: NDArray[np.int64], agent: int, tools: NDArray[np.int64], tick: int
    ) -> Settled:
        """Settles how one agent's calls of this tick go, and uses up counted faults.

        Args:
            runs: Positions of the calling runs `[N]`, without repeats.
            tools: Tool indices `[N]`.

        Returns:
            What each call does `[N]`.
        """
        mode, delay, fact = (np.zeros(len(runs), dtype=np.int64) for _ in range(3))
        open_calls = np.ones(len(runs), dtype=bool)
        for slot in range(self._tool.shape[1]):
            due = open_calls & (self._tool[runs, slot] == tools) & (self._left[runs, slot] != 0)
            due &= (self._agent[runs, slot] == -1) | (self._agent[runs, slot] == agent)
            if not due.any():
                continue
            due &= self._falls(runs, slot, agent, tools, tick, due)
            for column, stored in ((mode, self._mode), (delay, self._delay), (fact, self._fact)):
                column[due] = stored[runs[due], slot]
            open_calls &= ~due
            counted = runs[due & (self._left[runs, slot] > 0)]
            self._left[counted, slot] -= 1
        return Settled(mode, delay, fact)

    def _falls(
        self,
        runs: NDArray[np.int64],
        slot: int,
        agent: int,
        tools: NDArray[np.int64],
        tick: int,
        due: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        falls = due.copy()
        for position in np.flatnonzero(due) if self._ticks else ():
            ticks = self._ticks.get((int(runs[position]), slot))
            falls[position] = ticks is None or tick in ticks
        chance = self._chance[runs, slot]
        if (chance[due] < 1.0).any():
            # The slot is the draw, so that two chancy faults of one tool are independent.
            falls &= (
                draws.uniform(self._seeds[runs], self._episodes[runs], agent, tools, tick, slot)
                < chance
            )
        return falls
