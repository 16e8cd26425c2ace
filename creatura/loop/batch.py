"""Batch: W runs of A agents in lockstep, at some tick.

All seats decide on the same snapshot, the world takes one compiled transition, and then every act
is judged. What a batch is at the end of a tick is all that the next tick depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from creatura.bits import masks_of
from creatura.loop.choice import Choice
from creatura.loop.events import EventBook
from creatura.loop.recorder import Recorder
from creatura.loop.station import Keys, Legacy, Player, Station
from creatura.loop.tally import Tally
from creatura.loop.turn import Turn
from creatura.membrane import Acts
from creatura.membrane.effect_check import EffectCheck
from creatura.protocols import Event, GoalMet, Observer, TimeUp
from creatura.results import Results
from creatura.vtc import BackendName
from creatura.world import Episode, Playable, Reports, Staging, WatchedStage

DEFAULT_MAX_TICKS = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """How a batch is played, whoever plays it.

    Attributes:
        max_ticks: Ticks after which an open run ends, 1 or more.
        observers: Watchers without hands; trace rows are the same with and without them.
        backend: `fused`, or `interpreter` for the reference.
    """

    max_ticks: int = DEFAULT_MAX_TICKS
    observers: tuple[Observer, ...] = ()
    backend: BackendName = "fused"


class Batch:
    """The state of a batch while the loop goes on."""

    def __init__(
        self,
        world: Playable,
        cast: Sequence[Player],
        episodes: Sequence[Episode],
        settings: Settings,
        legacies: Sequence[Legacy] | None = None,
    ) -> None:
        num_runs, num_agents = len(episodes), len(cast)
        self.brief, self.max_ticks = world.brief, settings.max_ticks
        self.watches = [o.watch(world.brief, num_runs) for o in settings.observers]
        self.stage: Staging = world.stage(episodes, num_agents, settings.backend)
        if self.watches:
            self.stage = WatchedStage(self.stage, self.watches)
        self.book = EventBook(Recorder(), world.brief.tools)
        keys = Keys(self.stage.seeds, self.stage.episodes)
        left: Sequence[Legacy | None] = legacies or [None] * num_agents
        self.stations = [
            Station(agent, player, world.brief, keys, self.book, settings.max_ticks, legacy)
            for agent, (player, legacy) in enumerate(zip(cast, left, strict=True))
        ]
        self.choices = [Choice(station) for station in self.stations]
        self.check = EffectCheck(world.brief.tools, len(world.brief.facts))
        self.tally = Tally(num_runs, num_agents, self.book)
        self.live = np.ones((num_runs, num_agents), dtype=bool)
        self.ticks = np.zeros(num_runs, dtype=np.int32)
        self.clock = 0
        self._close_finished({})

    @property
    def is_over(self) -> bool:
        """Whether every run has closed."""
        return not self.live.any()

    def go_on_from(self, earlier: Batch) -> None:
        """Takes over where another batch stands, which is used up by it.

        The world may have other rules, and tools that do otherwise; its variables, its facts and
        the names of its tools are the same. Of the cast, what is the same object keeps its memory.
        """
        self.stage.go_on_from(earlier.stage)
        self.book.go_on_from(earlier.book)
        for station, other in zip(self.stations, earlier.stations, strict=True):
            station.go_on_from(other)
        self.tally.go_on_from(earlier.tally)
        self.live, self.ticks, self.clock = earlier.live, earlier.ticks, earlier.clock

    def advance(self, until: int) -> None:
        """Plays on until a tick is over, or until every run has closed."""
        while not self.is_over and self.clock < until:
            self.clock += 1
            self._tick(self.clock)

    def _tick(self, tick: int) -> None:
        open_runs = self.live.any(axis=1)
        self.ticks[open_runs] = tick
        before = self.stage.facts("seat")
        turns = {}
        for agent, choice in enumerate(self.choices):
            runs = np.flatnonzero(self.live[:, agent])
            if len(runs):
                turns[agent] = choice.choose(runs, before[runs, agent], tick)
        actions = np.full(self.live.shape, -1, dtype=np.int64)
        for agent, turn in turns.items():
            actions[turn.runs, agent] = turn.tools
        reports = self.stage.step(actions, self.live, tick)
        after = self.stage.facts("effect_check")
        for agent, turn in turns.items():
            self._judge(agent, turn, reports, before, after)
            self.stations[agent].record(turn, after[turn.runs, agent])
        self._close_handed_off(turns, after)
        self._close_finished(turns)
        if tick == self.max_ticks:
            self._close_open(turns, after, TimeUp(self.max_ticks))

    def _judge(
        self,
        agent: int,
        turn: Turn,
        reports: Reports,
        before: NDArray[np.uint64],
        after: NDArray[np.uint64],
    ) -> None:
        station, called = self.stations[agent], np.flatnonzero(turn.tools >= 0)
        pending = reports.pending[turn.runs[called], agent]
        station.wait_for(turn, called[pending])
        acting = called[~pending]
        runs, tools = turn.runs[acting], turn.tools[acting]
        was, now = before[turn.runs, agent], after[turn.runs, agent]
        acts = Acts(
            tick=turn.tick,
            runs=runs,
            tools=tools,
            success=reports.success[runs, agent],
            crashed=reports.crashed[runs, agent],
            verdicts=self.check.verdicts(tools, was[acting], now[acting]),
            probes=turn.probes[acting],
        )
        station.layer.ledger.facts_changed(turn.runs[(was != now).any(axis=1)])
        judgement = station.judge(turn, acting, acts, was, now)
        self.tally.acted(agent, acts, reports.lied[runs, agent], judgement)

    def _close_handed_off(self, turns: dict[int, Turn], facts: NDArray[np.uint64]) -> None:
        for agent, turn in turns.items():
            gone = np.flatnonzero(self.tally.passed(agent, turn))
            self.stations[agent].close(turn, gone, facts[turn.runs, agent], None)
            self.live[turn.runs[gone], agent] = False

    def _close_finished(self, turns: dict[int, Turn]) -> None:
        met, facts = self.stage.goal_met("engine"), self.stage.facts("effect_check")
        for agent, station in enumerate(self.stations):
            runs = np.flatnonzero(self.live[:, agent])
            done = station.is_done(runs, met[runs, agent], facts[runs, agent])
            if not done.any():
                continue
            closing = runs[done]
            turn = turns.get(agent) or station.look(runs, facts[runs, agent], self.clock)
            positions = np.searchsorted(turn.runs, closing)
            station.close(turn, positions, facts[turn.runs, agent], GoalMet())
            self.live[closing, agent] = False
            self.tally.declared_done[closing, agent] = True
            self.tally.false_done[closing, agent] = ~met[closing, agent]
            self.stage.declared_done(self.clock, agent, closing)

    def _close_open(self, turns: dict[int, Turn], facts: NDArray[np.uint64], event: Event) -> None:
        for agent, turn in turns.items():
            positions = np.flatnonzero(self.live[turn.runs, agent])
            self.stations[agent].close(turn, positions, facts[turn.runs, agent], event)
            self.live[turn.runs, agent] = False

    def legacies(self) -> list[Legacy]:
        """Returns what each agent of closed runs leaves to the next case."""
        return [station.legacy() for station in self.stations]

    def results(self) -> Results:
        """Gathers what the batch leaves behind."""
        counts, lies, trace = self.tally.counts(), self.tally.lies(), self.book.recorder.table()
        findings = None
        if self.watches:
            findings = tuple(self.watches[0].findings(run) for run in range(len(self.ticks)))
        return Results(
            brief=self.brief,
            goal_reached=np.asarray(self.stage.goal_met("report").all(axis=1)),
            ticks=self.ticks,
            declared_done=self.tally.declared_done,
            false_done=self.tally.false_done,
            handed_off=self.tally.handed_off,
            counts=counts,
            final_facts=tuple(masks_of(np.bitwise_and.reduce(self.stage.facts("report"), axis=1))),
            lies=lies,
            quarantines=self.tally.quarantines([s.layer.ledger for s in self.stations]),
            trace=trace,
            findings=findings,
        )
