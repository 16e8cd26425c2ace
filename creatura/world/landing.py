"""Landing: what the calls of a tick report, and what of them reaches the facts, now and later.

A call's fault decides both. What lands is handed to the transition as values of the engine's own
variables: a flag for each tool whose declared effect lands, and a push for each fact that moves by
itself, because an effect comes in part, late, elsewhere, or is undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, indices_of
from creatura.protocols import Tool
from creatura.world.faults import MODES, FaultTable, Mode

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_AT = {mode: MODES.index(mode) for mode in Mode}
_FAILURES = [_AT[mode] for mode in (Mode.FAIL, Mode.CRASH, Mode.FALSE_ALARM)]
_LANDINGS = [_AT[mode] for mode in (Mode.DELIVER, Mode.REVERTS, Mode.FALSE_ALARM, Mode.DAMAGE)]
_LIES = [_AT[mode] for mode in (Mode.LIE, Mode.LATE, Mode.WRONG)]


@dataclass(frozen=True, slots=True)
class Reports:
    """What came back from the calls of a tick `[W, A]`.

    Attributes:
        success: Success was reported. lied: It was, and the fault keeps the effect from landing.
        crashed: The tool raised. pending: Nothing came back yet; the agent is busy with it.
    """

    success: Flags
    lied: Flags
    crashed: Flags
    pending: Flags


class Landings:
    """Turns calls into reports, flags and pushes, and remembers what is still to come.

    Attributes:
        lands: Whether each tool's declared effect lands this tick `[T, W, A]`.
        push: Which facts move by themselves this tick: 1, -1 or 0 `[F, W, A]`.
        continued: Which agents' calls were made in an earlier tick `[W, A]`.
    """

    def __init__(
        self, faults: FaultTable, tools: Sequence[Tool], num_facts: int, shape: tuple[int, int]
    ) -> None:
        self._faults, self._shape = faults, shape
        self._grants = np.zeros((len(tools), num_facts), dtype=bool)
        for tool in tools:
            self._grants[tool.index, list(indices_of(tool.grants))] = True
        self.lands = np.zeros((len(tools), *shape), dtype=bool)
        self.push = np.zeros((num_facts, *shape), dtype=np.int64)
        self.continued = np.zeros(shape, dtype=bool)
        self._due_tick = np.zeros(shape, dtype=np.int64)  # of a slow call in flight; 0 for none
        self._to_land: dict[int, list[tuple[Ints, int, Ints]]] = {}
        self._to_push: dict[int, list[tuple[Ints, int, Ints, int]]] = {}

    def go_on_from(self, earlier: Landings) -> None:
        """Takes over what is still to come; what has begun comes as it was settled then."""
        self._faults.go_on_from(earlier._faults)
        self._due_tick = earlier._due_tick
        self._to_land, self._to_push = earlier._to_land, earlier._to_push

    def settle(self, actions: Ints, live: Flags, held: Words, tick: int) -> Reports:
        """Settles all calls of a tick.

        Args:
            actions: The tool each agent calls, -1 for none `[W, A]`; a busy agent's is the one it
                is busy with.
            live: Agents that are still in their run `[W, A]`.
            held: The facts before the transition `[W, A, K]`.
        """
        self.lands[...] = False
        self.push[...] = 0
        self.continued = self._due_tick > 0
        called = actions >= 0
        reports = Reports(called.copy(), *(np.zeros_like(called) for _ in range(3)))
        self._arrivals(live, tick)
        for agent in range(self._shape[1]):
            runs = np.flatnonzero(called[:, agent])
            if len(runs):
                self._call(reports, runs, agent, actions[runs, agent], held, tick)
        return reports

    def _arrivals(self, live: Flags, tick: int) -> None:
        for runs, agent, tools in self._to_land.pop(tick, ()):
            here = live[runs, agent]
            self.lands[tools[here], runs[here], agent] = True
        for runs, agent, facts, direction in self._to_push.pop(tick, ()):
            here = live[runs, agent]
            self.push[facts[here], runs[here], agent] = direction

    def _call(
        self, reports: Reports, runs: Ints, agent: int, tools: Ints, held: Words, tick: int
    ) -> None:
        flight = self._due_tick[runs, agent]
        # A slow call was settled when it began; what comes back now comes back as declared.
        fresh = flight == 0
        settled = self._faults.settle(runs[fresh], agent, tools[fresh], tick)
        mode = np.full(len(runs), _AT[Mode.DELIVER])
        delay, fact = np.zeros(len(runs), dtype=np.int64), np.zeros(len(runs), dtype=np.int64)
        mode[fresh], delay[fresh], fact[fresh] = settled.mode, settled.delay, settled.fact
        slow = mode == _AT[Mode.SLOW]
        self._due_tick[runs[slow], agent] = tick + delay[slow]
        pending = slow | (~fresh & (flight > tick))
        self._due_tick[runs[~fresh & ~pending], agent] = 0
        reports.pending[runs, agent] = pending
        reports.success[runs, agent] = ~pending & ~np.isin(mode, _FAILURES)
        reports.lied[runs, agent] = np.isin(mode, _LIES)
        reports.crashed[runs, agent] = mode == _AT[Mode.CRASH]
        lands = np.isin(mode, _LANDINGS) & ~pending
        self.lands[tools[lands], runs[lands], agent] = True
        if (mode > _AT[Mode.LIE]).any():
            self._wider(mode, runs, agent, tools, delay, fact, held, tick)

    def _wider(
        self,
        mode: Ints,
        runs: Ints,
        agent: int,
        tools: Ints,
        delay: Ints,
        fact: Ints,
        held: Words,
        tick: int,
    ) -> None:
        damage, wrong = mode == _AT[Mode.DAMAGE], mode == _AT[Mode.WRONG]
        self.push[fact[damage], runs[damage], agent] = -1
        self.push[fact[wrong], runs[wrong], agent] = 1
        for i in np.flatnonzero(mode == _AT[Mode.PARTIAL]).tolist():
            some = np.flatnonzero(self._grants[tools[i]])[:-1]
            self.push[some, runs[i], agent] = 1
        for i in np.flatnonzero(mode == _AT[Mode.LATE]).tolist():
            later = self._to_land.setdefault(tick + int(delay[i]), [])
            later.append((runs[i : i + 1], agent, tools[i : i + 1]))
        for i in np.flatnonzero(mode == _AT[Mode.REVERTS]).tolist():
            # What held before the call was not its doing, so undoing the call leaves it.
            was = [
                int(held[runs[i], agent, f // 64]) >> (f % 64) & 1 for f in range(len(self.push))
            ]
            undone = np.flatnonzero(self._grants[tools[i]] & ~np.array(was, dtype=bool))
            later_push = self._to_push.setdefault(tick + int(delay[i]), [])
            later_push.append((np.repeat(runs[i], len(undone)), agent, undone, -1))
