"""Seats: what a decision maker is asked, and what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from creatura.protocols.tasks import Brief


@dataclass(frozen=True, slots=True)
class Reading:
    """The prose a seat may read for one agent: self-model, what happened, notes."""

    self_model: str
    history: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatBatch:
    """Everything that N agents' seats are asked in one tick; equal positions belong together.

    Attributes:
        facts: Masks of what holds. offered: Masks of the tools that may be answered.
        ahead: Masks of the tools that offered ones lead to; they may be planned, not answered.
        order: Offered tools in the design's preference, or None for declaration order.
        freedom: Shares in [0, 1] `[N]`.
        seeds `[N]`, episodes `[N]`, agent: Keys for counter-based draws.
        reading: Renders the prose of position i; asked only by seats that read prose.
    """

    brief: Brief
    tick: int
    facts: Sequence[int]
    offered: Sequence[int]
    ahead: Sequence[int]
    order: Sequence[tuple[int, ...] | None]
    freedom: NDArray[np.float64]
    seeds: NDArray[np.int64]
    episodes: NDArray[np.int64]
    agent: int
    reading: Callable[[int], Reading]

    def __len__(self) -> int:
        return len(self.facts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat answers: the id of an offered tool, or None for 'I see no route'.

    Attributes:
        tool: Taken word for word; anything but an offered tool's id is refused and recorded.
        plan: Tool ids from this one to the goal, where the seat has a plan.
        why: One line for the trace, where the seat has one.
        passes: With no tool: let the tick pass, rather than 'I see no route'.
    """

    tool: str | None
    plan: tuple[str, ...] = ()
    why: str = ""
    passes: bool = False


class Seat(Protocol):
    """A decision maker: one method, asked for a whole batch at once."""

    @property
    def name(self) -> str:
        """The seat's name on the command line and in reports."""

    def decide(self, batch: SeatBatch) -> Sequence[Answer]:
        """Answers every position of the batch, in order."""
