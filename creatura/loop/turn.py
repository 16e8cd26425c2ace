"""Turn: what one agent of N runs knows, is shown and chooses in one tick.

Columns have one entry for each run that is still open. The masks a design or seat reads are made
only when one of them asks, because most batches are read by a planner that memoises on them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, indices_of, masks_of, pack
from creatura.membrane import Notices, Offer
from creatura.protocols import Brief, Context, LayerOptions

UNDECIDED = -1  # no event yet
NO_TOOL = -1


@dataclass(slots=True)
class Turn:
    """One agent's tick over N open runs.

    Attributes:
        runs: Positions in the batch `[N]`, ascending.
        facts: The facts it may believe, as words `[N, K]`.
        masks: The same as ints.
        error, freedom: Shares in [0, 1] `[N]`.
        offer: What the layer shows.
        tools: The admitted tool, or -1 `[N]`.
        probes: Whether the design asked for it as a probe `[N]`.
        events: Number of what the tick came to, or -1 while open `[N]`.
        offered, withheld: What the offer says, as ints.
        notices: What changed by no act of these runs, once the tick is judged.
        contexts: What the design reads before the act, once it was asked anything.
    """

    runs: NDArray[np.int64]
    tick: int
    facts: Words
    masks: list[int]
    error: NDArray[np.float64]
    freedom: NDArray[np.float64]
    offer: Offer
    tools: NDArray[np.int64] = field(init=False)
    probes: NDArray[np.bool_] = field(init=False)
    events: NDArray[np.int64] = field(init=False)
    offered: list[int] = field(init=False)
    withheld: list[int] = field(init=False)
    notices: Notices | None = None
    contexts: list[Context] | None = None

    def __post_init__(self) -> None:
        size = len(self.runs)
        self.tools = np.full(size, NO_TOOL, dtype=np.int64)
        self.probes = np.zeros(size, dtype=bool)
        self.events = np.full(size, UNDECIDED, dtype=np.int64)
        self.offered = masks_of(pack(self.offer.offered))
        self.withheld = masks_of(pack(self.offer.withheld))

    def undecided(self) -> NDArray[np.int64]:
        """Lists the positions whose tick is still open and has no tool."""
        return np.flatnonzero((self.events == UNDECIDED) & (self.tools == NO_TOOL))

    def is_open(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tells at which positions the tick has come to nothing yet."""
        return np.asarray(self.events[positions] == UNDECIDED)

    def hold_back(self, position: int, tools: int) -> None:
        """Withholds some offered tools from one run's seat, as its design asks."""
        if tools:
            self.contexts = None
            self.offered[position] &= ~tools
            self.withheld[position] |= tools
            self.offer.offered[position, list(indices_of(tools))] = False

    def replace_offer(self, positions: NDArray[np.int64], offer: Offer) -> None:
        """Shows some positions something else."""
        self.contexts = None
        for whole, part in (
            (self.offer.offered, offer.offered),
            (self.offer.withheld, offer.withheld),
            (self.offer.hidden, offer.hidden),
        ):
            whole[positions] = part
        shown, kept = masks_of(pack(offer.offered)), masks_of(pack(offer.withheld))
        for position, mask, withheld in zip(positions.tolist(), shown, kept, strict=True):
            self.offered[position], self.withheld[position] = mask, withheld


@dataclass(frozen=True, slots=True)
class Contexts:
    """Builds the records that a design's slots read, for the runs of one turn."""

    brief: Brief
    layer: LayerOptions
    max_ticks: int
    memories: list[Any]

    def build(
        self, turn: Turn, facts: list[int], hidden: list[int], tried: list[int]
    ) -> list[Context]:
        """Builds one context a run.

        Args:
            facts, hidden, tried: Masks of what holds, of what is in quarantine and of what the
                ledger knows an act of, one a run.
        """
        brief, layer, most, memories = self.brief, self.layer, self.max_ticks, self.memories
        columns = zip(
            turn.runs.tolist(), facts, turn.offered, hidden, tried, turn.error.tolist(),
            turn.freedom.tolist(), strict=True,
        )  # fmt: skip
        tick = turn.tick
        return [
            Context(brief, tick, most, held, shown, hid, known, error, free, layer, memories[run])
            for run, held, shown, hid, known, error, free in columns
        ]
