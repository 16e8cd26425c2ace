"""Observers: watchers without hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words
from creatura.protocols.tasks import Brief


@dataclass(frozen=True, slots=True)
class Claims:
    """What tools said in one tick, beside the facts an observer may read for itself.

    Attributes:
        runs: Positions of the runs `[N]`. agent: Whose acts these are. tick: From 1.
        tools: Tool indices `[N]`. success: What was reported `[N]`.
        before, after: Facts as words `[N, K]`.
    """

    tick: int
    agent: int
    runs: NDArray[np.int64]
    tools: NDArray[np.int64]
    success: NDArray[np.bool_]
    before: Words
    after: Words


class Watch(Protocol):
    """An observer's notebook for one batch of runs; it is told, and has no way to act."""

    def saw(self, claims: Claims) -> None:
        """Notes what the tools of one agent claimed in one tick."""

    def closed(self, tick: int, agent: int, runs: NDArray[np.int64], facts: Words) -> None:
        """Notes that these runs declared the task done over these facts `[N, K]`."""

    def findings(self, run: int) -> Findings:
        """Sums up one run."""

    def go_on_from(self, earlier: Self) -> None:
        """Takes over what another notebook of the same observer noted."""


@dataclass(frozen=True, slots=True)
class Findings:
    """An observer's closing count over one run, and the route it read afterwards."""

    claims: int
    judgements: int
    flags: int
    route: tuple[str, ...]


class Observer(Protocol):
    """A watcher without hands: it opens a notebook for a batch of runs."""

    @property
    def name(self) -> str:
        """The observer's name in reports."""

    def watch(self, brief: Brief, num_runs: int) -> Watch:
        """Opens an empty notebook."""
