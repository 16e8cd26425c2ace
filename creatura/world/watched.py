"""Watched: a world, or a stage of it, with a watcher who has no hands.

The wrapper passes every question on and tells the watchers what was claimed: the reports of each
tick, and the closing "done". Watchers read the facts in the critic's role, so what is wrapped moves
exactly as it would alone. The loop's own observers ride on the same wrapper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words
from creatura.protocols import Brief, Claims, Observer, Watch
from creatura.vtc import BackendName
from creatura.world.landing import Reports
from creatura.world.world import Episode

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

_CRITIC = "critic"


class Staging(Protocol):
    """What the loop asks of W runs on a stage; see `Stage`."""

    seeds: Ints
    episodes: Ints

    def facts(self, role: str) -> Words:
        """Reads all facts in a role, as words `[W, A, K]`."""

    def goal_met(self, role: str) -> Flags:
        """Reads the task's predicate in a role `[W, A]`."""

    def step(self, actions: Ints, live: Flags, tick: int) -> Reports:
        """Moves every run by one tick."""

    def declared_done(self, tick: int, agent: int, runs: Ints) -> None:
        """Hears that an agent declares the task done in some runs."""

    def go_on_from(self, earlier: Self) -> None:
        """Takes over where another stage of the same kind stands."""


class Playable(Protocol):
    """What the loop asks of a world."""

    @property
    def brief(self) -> Brief:
        """What every part may know of it."""

    def stage(self, episodes: Sequence[Episode], num_agents: int, backend: BackendName) -> Staging:
        """Sets up a batch of runs at their first tick."""


class WatchedStage:
    """A stage whose claims are told to watchers."""

    def __init__(self, stage: Staging, watches: Sequence[Watch]) -> None:
        self._stage, self._watches = stage, tuple(watches)
        self.seeds, self.episodes = stage.seeds, stage.episodes

    def facts(self, role: str) -> Words:
        """Reads all facts in a role, as words `[W, A, K]`."""
        return self._stage.facts(role)

    def goal_met(self, role: str) -> Flags:
        """Reads the task's predicate in a role `[W, A]`."""
        return self._stage.goal_met(role)

    def step(self, actions: Ints, live: Flags, tick: int) -> Reports:
        """Moves every run by one tick, and tells what the tools claimed."""
        before = self._stage.facts(_CRITIC)
        reports = self._stage.step(actions, live, tick)
        after = self._stage.facts(_CRITIC)
        came_back = (actions >= 0) & ~reports.pending
        for agent in range(actions.shape[1]):
            runs = np.flatnonzero(came_back[:, agent])
            if not len(runs):
                continue
            tools, success = actions[runs, agent], reports.success[runs, agent]
            was, now = before[runs, agent], after[runs, agent]
            for watch in self._watches:
                watch.saw(Claims(tick, agent, runs, tools, success, was, now))
        return reports

    def declared_done(self, tick: int, agent: int, runs: Ints) -> None:
        """Tells that an agent declares the task done in some runs."""
        self._stage.declared_done(tick, agent, runs)
        seen = self._stage.facts(_CRITIC)[runs, agent]
        for watch in self._watches:
            watch.closed(tick, agent, runs, seen)

    def go_on_from(self, earlier: WatchedStage) -> None:
        """Takes over where another stage stands, and what its watchers noted."""
        self._stage.go_on_from(earlier._stage)
        for watch, other in zip(self._watches, earlier._watches, strict=True):
            watch.go_on_from(other)


class WatchedWorld:
    """A world on whose every stage an observer opens a notebook.

    Attributes:
        notebooks: One a stage, in the order in which stages were set up.
    """

    def __init__(self, world: Playable, observer: Observer) -> None:
        self._world, self._observer = world, observer
        self.notebooks: list[Watch] = []

    @property
    def brief(self) -> Brief:
        """What every part may know of it."""
        return self._world.brief

    def stage(self, episodes: Sequence[Episode], num_agents: int, backend: BackendName) -> Staging:
        """Sets up a batch of runs at their first tick, watched."""
        self.notebooks.append(self._observer.watch(self.brief, len(episodes)))
        stage = self._world.stage(episodes, num_agents, backend)
        return WatchedStage(stage, self.notebooks[-1:])
