"""Ledger: one agent's memory of its tools over a batch of W runs.

Every column is `[W, T]`. Trust is what the facts earned: attempts and what they came to,
predictions and hits, how long a distrusted tool stays hidden, and how many tries in a row failed to
land since a fact last changed.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from creatura.membrane.effect_check import LANDED, VACUOUS

Runs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Acts:
    """N acts of one tick, one a run.

    Attributes:
        runs, tools: Positions `[N]`. success: What was reported. crashed: Whether the tool raised.
        verdicts: What the effect check read: positions in `VERDICTS`.
        probes: Whether the design asked for it as its one approach after a lie.
    """

    tick: int
    runs: Runs
    tools: NDArray[np.int64]
    success: Flags
    crashed: Flags
    verdicts: NDArray[np.int64]
    probes: Flags


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Who was hidden when and why, as columns over N cases: an entry of the ledger's log.

    Attributes:
        runs, tools: Positions `[N]`. tick: The tick of the act. until: Last tick hidden `[N]`.
        lies: Whether it was for a lie, not an honest failure `[N]`.
    """

    tick: int
    until: NDArray[np.int64]
    runs: Runs
    tools: NDArray[np.int64]
    lies: Flags


class Ledger:
    """Counts per run and tool, updated by the layer and read by all its parts."""

    def __init__(self, num_runs: int, num_tools: int) -> None:
        def column() -> NDArray[np.int32]:
            return np.zeros((num_runs, num_tools), dtype=np.int32)

        self.attempts, self.landed, self.vacuous = column(), column(), column()
        self.lies, self.failures = column(), column()
        self.predictions, self.hits = column(), column()
        self.failed_in_row = column()
        self._hidden_until = column() - 1  # before the first tick, which is 0
        self._probes_due = np.zeros((num_runs, num_tools), dtype=bool)
        self._lied_last = np.zeros_like(self._probes_due)  # whether it was last hidden for a lie
        self.quarantines: list[Quarantine] = []

    def carried(self, closed_at: NDArray[np.int64]) -> Ledger:
        """Returns the ledger that the next case begins with.

        The record stays, and a tool that was still hidden when its run closed, at ticks `[W]`,
        stays hidden for what was left of its time. A new case is a new world to try a tool in.
        """
        following = copy.deepcopy(self)
        following.failed_in_row = np.zeros_like(self.failed_in_row)
        left = np.maximum(self._hidden_until - closed_at[:, None], 0).astype(np.int32)
        following._hidden_until = np.where(left > 0, left, -1).astype(np.int32)
        runs, tools = np.nonzero(left)
        lies = self._lied_last[runs, tools]
        following.quarantines = [Quarantine(0, left[runs, tools], runs, tools, lies)]
        return following

    def hidden(self, runs: Runs, tick: int) -> Flags:
        """Reads which tools are in quarantine `[N, T]`."""
        return np.asarray(self._hidden_until[runs] >= tick)

    def exhausted(self, runs: Runs, budget: NDArray[np.int64]) -> Flags:
        """Reads which tools are past their retry budget `[N, T]`, given budgets `[N]`."""
        return np.asarray(self.failed_in_row[runs] >= budget[:, None])

    def record(self, runs: Runs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sums up landed effects and judged, not vacuous, acts over all tools `[N]`."""
        landed = self.landed[runs].sum(axis=1, dtype=np.int64)
        judged = (self.attempts[runs] - self.vacuous[runs]).sum(axis=1, dtype=np.int64)
        return landed, judged

    def facts_changed(self, runs: Runs) -> None:
        """Opens every exhausted tool again: the world is no longer the one it failed in."""
        self.failed_in_row[runs] = 0

    def enter(self, acts: Acts, lies: Flags, failures: Flags) -> None:
        """Enters one judged act for each of N runs."""
        act = (acts.runs, acts.tools)
        landed, vacuous = acts.verdicts == LANDED, acts.verdicts == VACUOUS
        self.attempts[act] += 1
        self.landed[act] += landed
        self.vacuous[act] += vacuous
        self.lies[act] += lies
        self.failures[act] += failures
        # The layer's standing prediction is that a tool does what it declares; where nothing was
        # left to do, the act tests no prediction.
        self.predictions[act] += ~vacuous
        self.hits[act] += landed
        missed = self.failed_in_row[act] + (~vacuous & ~acts.probes)
        self.failed_in_row[act] = np.where(landed, 0, missed)

    def hide(
        self,
        runs: Runs,
        tools: NDArray[np.int64],
        lies: Flags,
        tick: int,
        cooldown: int,
    ) -> None:
        """Hides a tool in each of N runs for `cooldown` ticks; a lie may be probed once."""
        self._hidden_until[runs, tools] = tick + cooldown
        self._probes_due[runs, tools] = lies
        self._lied_last[runs, tools] = lies
        self.quarantines.append(
            Quarantine(tick, np.full(len(runs), tick + cooldown), runs, tools, lies)
        )

    def lift(self, runs: Runs, tick: int) -> None:
        """Ends every quarantine of these runs, from this tick on."""
        self._hidden_until[runs] = np.minimum(self._hidden_until[runs], tick - 1)
        for i, entry in enumerate(self.quarantines):
            until = np.where(
                np.isin(entry.runs, runs), np.minimum(entry.until, tick - 1), entry.until
            )
            self.quarantines[i] = replace(entry, until=until)

    def take_probe(self, run: int, tool: int, tick: int) -> bool:
        """Uses up the one probe that a lie of a hidden tool allows; False when there is none."""
        if not self._probes_due[run, tool] or self._hidden_until[run, tool] < tick:
            return False
        self._probes_due[run, tool] = False
        return True
