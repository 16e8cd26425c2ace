"""Results: what a batch of runs leaves behind, as columns.

The loop writes one `Results` for a batch; tables, reports and tests read it. A trace row is a
position in equal-length arrays; its words are codes into one table of strings, since a night of
runs repeats the same few hundred sentences millions of times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from creatura.protocols import Brief, Findings

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One line of one run's trace.

    Attributes:
        kind: What sort of event it tells, for machines: decided, landed, vacuous, partial, lie,
            failure, believed, refused, waited, busy, held, handed-off, time-up,
            done, sleep.
        stress, freedom: Shares in [0, 1].
    """

    tick: int
    agent: int
    kind: str
    level: str
    stress: float
    freedom: float
    action: str
    detail: str


@dataclass(frozen=True, slots=True)
class TraceTable:
    """Trace rows of all runs `[R]`, ordered by run, then as they were told.

    Attributes:
        run: Position of the run in the batch.
        kind, level, action, detail: Codes into `strings`.
    """

    run: Ints
    agent: Codes
    tick: Codes
    kind: Codes
    level: Codes
    stress: Floats
    freedom: Floats
    action: Codes
    detail: Codes
    strings: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.run)

    def rows(self, run: int) -> Iterator[TraceRow]:
        """Yields the lines of one run in order."""
        start, stop = np.searchsorted(self.run, [run, run + 1])
        words = self.strings
        for i in range(start, stop):
            yield TraceRow(
                tick=int(self.tick[i]),
                agent=int(self.agent[i]),
                kind=words[self.kind[i]],
                level=words[self.level[i]],
                stress=float(self.stress[i]),
                freedom=float(self.freedom[i]),
                action=words[self.action[i]],
                detail=words[self.detail[i]],
            )


@dataclass(frozen=True, slots=True)
class LieTable:
    """Every lie that was told, in all runs `[L]`, ordered by run, tick and agent.

    Attributes:
        tool: Tool indices. caught: Whether the membrane judged it a lie on the tick it was told.
    """

    run: Ints
    agent: Codes
    tick: Codes
    tool: Codes
    caught: Bools

    def of(self, run: int) -> Iterator[tuple[int, int, int, bool]]:
        """Yields (agent, tick, tool index, caught) of one run."""
        start, stop = np.searchsorted(self.run, [run, run + 1])
        for i in range(start, stop):
            yield int(self.agent[i]), int(self.tick[i]), int(self.tool[i]), bool(self.caught[i])


@dataclass(frozen=True, slots=True)
class QuarantineTable:
    """Every time a tool was hidden, in all runs `[Q]`, ordered by run, tick and agent.

    Attributes:
        tool: Tool indices. tick: The tick of the act that cost the trust.
        until: The last tick it stays hidden, unless its quarantine is lifted.
        is_lie: Whether it was for a lie.
    """

    run: Ints
    agent: Codes
    tick: Codes
    tool: Codes
    until: Codes
    is_lie: Bools

    def of(self, run: int) -> Iterator[tuple[int, int, int, int]]:
        """Yields (agent, tick, tool index, until) of one run."""
        start, stop = np.searchsorted(self.run, [run, run + 1])
        for i in range(start, stop):
            yield int(self.agent[i]), int(self.tick[i]), int(self.tool[i]), int(self.until[i])


@dataclass(frozen=True, slots=True)
class Counts:
    """What each agent's acts came to, in all runs `[W, A]`.

    Attributes:
        acts: Tool calls that ran. landed, failed: Of those, effects that landed; honest failures.
        lies_told: Successes reported over a missing effect. lies_caught: Of those, judged lies.
        quarantines: Times a tool was hidden. refused, waited, held: Ticks spent that way.
    """

    acts: Codes
    landed: Codes
    failed: Codes
    lies_told: Codes
    lies_caught: Codes
    quarantines: Codes
    refused: Codes
    waited: Codes
    held: Codes


@dataclass(frozen=True, slots=True)
class Results:
    """A batch of W runs of A agents in one world.

    Attributes:
        goal_reached: Whether the predicate held for every agent when the run closed `[W]`.
        ticks: Ticks run until every agent had closed `[W]`.
        declared_done: Whether each agent declared the task done `[W, A]`.
        false_done: Whether it did over a goal that did not hold at that moment `[W, A]`.
        handed_off: Code into `trace.strings` of each agent's reason to hand off, -1 for none.
        final_facts: Mask of the facts that held for every agent at the close, one int a run.
        findings: The critic's closing count a run, or None where no critic watched.
    """

    brief: Brief
    goal_reached: Bools
    ticks: Codes
    declared_done: Bools
    false_done: Bools
    handed_off: Codes
    counts: Counts
    final_facts: tuple[int, ...]
    lies: LieTable
    quarantines: QuarantineTable
    trace: TraceTable
    findings: tuple[Findings, ...] | None

    def __len__(self) -> int:
        return len(self.ticks)

    @property
    def false_completion(self) -> Bools:
        """Whether any agent declared a task done that was not `[W]`."""
        return np.asarray(self.false_done.any(axis=1))

    def reason(self, run: int) -> str | None:
        """Why this run was handed to a person, or None if no agent handed off."""
        codes = [int(code) for code in self.handed_off[run] if code >= 0]
        reasons = dict.fromkeys(self.trace.strings[code] for code in codes)
        return "; ".join(reasons) or None
