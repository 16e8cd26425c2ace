"""Run: the seven verbs of a tick over W runs of A agents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from creatura.bits import masks_of
from creatura.loop.events import EventBook
from creatura.loop.recorder import Recorder
from creatura.loop.station import Keys, Player, Station
from creatura.loop.tally import Tally
from creatura.loop.turn import Turn
from creatura.membrane import Acts
from creatura.membrane.effect_check import EffectCheck
from creatura.protocols import Claims, Event, GoalMet, Observer, TimeUp
from creatura.results import Results
from creatura.vtc import BackendName
from creatura.world import Episode, Reports, Stage, World

DEFAULT_MAX_TICKS = 40


def run(
    world: World,
    cast: Sequence[Player],
    episodes: Sequence[Episode],
    *,
    max_ticks: int = DEFAULT_MAX_TICKS,
    observers: Sequence[Observer] = (),
    backend: BackendName = "fused",
) -> Results:
    """Runs W episodes of one world in lockstep, each with the same cast.

    Args:
        cast: The players, in agent order; at least one.
        episodes: What sets the runs apart: seed, episode number and faults.
        max_ticks: Ticks after which an open run ends, 1 or more.
        observers: Watchers without hands; trace rows are the same with and without them.
        backend: `fused`, or `interpreter` for the reference.

    Returns:
        Outcome columns, counts, lies and the trace of every run, in the order of `episodes`.
    """
    assert cast and episodes and max_ticks >= 1, "a run needs a player, an episode and a tick"
    batch = _Batch(world, cast, episodes, max_ticks, observers, backend)
    batch.close_finished({}, tick=0)
    tick = 0
    while batch.live.any() and tick < max_ticks:
        tick += 1
        batch.tick(tick, is_last=tick == max_ticks)
    return batch.results()


class _Batch:
    """The state of a batch while the loop goes on."""

    def __init__(
        self,
        world: World,
        cast: Sequence[Player],
        episodes: Sequence[Episode],
        max_ticks: int,
        observers: Sequence[Observer],
        backend: BackendName,
    ) -> None:
        num_runs, num_agents = len(episodes), len(cast)
        self.brief, self.max_ticks = world.brief, max_ticks
        self.stage: Stage = world.stage(episodes, num_agents, backend)
        self.book = EventBook(Recorder(), world.brief.tools)
        keys = Keys(self.stage.seeds, self.stage.episodes)
        self.stations = [
            Station(agent, player, world.brief, keys, self.book, max_ticks)
            for agent, player in enumerate(cast)
        ]
        self.check = EffectCheck(world.brief.tools, len(world.brief.facts))
        self.watches = [observer.watch(world.brief, num_runs) for observer in observers]
        self.tally = Tally(num_runs, num_agents, self.book)
        self.live = np.ones((num_runs, num_agents), dtype=bool)
        self.ticks = np.zeros(num_runs, dtype=np.int32)

    def tick(self, tick: int, *, is_last: bool) -> None:
        """Takes all open runs through one tick."""
        open_runs = self.live.any(axis=1)
        self.ticks[open_runs] = tick
        before = self.stage.facts("seat")
        turns = {}
        for agent, station in enumerate(self.stations):
            runs = np.flatnonzero(self.live[:, agent])
            if len(runs):
                turns[agent] = station.choose(runs, before[runs, agent], tick)
        actions = np.full(self.live.shape, -1, dtype=np.int64)
        for agent, turn in turns.items():
            actions[turn.runs, agent] = turn.tools
        reports = self.stage.step(actions, self.live, tick)
        after = self.stage.facts("effect_check")
        for agent, turn in turns.items():
            self._judge(agent, turn, reports, before, after)
            self.stations[agent].record(turn, after[turn.runs, agent])
        self._close_handed_off(turns, after)
        self.close_finished(turns, tick)
        if is_last:
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
        was, now = before[runs, agent], after[runs, agent]
        acts = Acts(
            tick=turn.tick,
            runs=runs,
            tools=tools,
            success=reports.success[runs, agent],
            crashed=reports.crashed[runs, agent],
            verdicts=self.check.verdicts(tools, was, now),
            probes=turn.probes[acting],
        )
        moved = (before[turn.runs, agent] != after[turn.runs, agent]).any(axis=1)
        station.layer.ledger.facts_changed(turn.runs[moved])
        judgement = station.judge(turn, acting, acts)
        self.tally.acted(agent, acts, reports.lied[runs, agent], judgement)
        if self.watches and len(acting):
            seen = self.stage.facts("critic")[runs, agent]
            for watch in self.watches:
                watch.saw(Claims(turn.tick, agent, runs, tools, acts.success, was, seen))

    def _close_handed_off(self, turns: dict[int, Turn], facts: NDArray[np.uint64]) -> None:
        for agent, turn in turns.items():
            gone = np.flatnonzero(self.tally.passed(agent, turn))
            self.stations[agent].close(turn, gone, facts[turn.runs, agent], None)
            self.live[turn.runs[gone], agent] = False

    def close_finished(self, turns: dict[int, Turn], tick: int) -> None:
        """Closes every run that an agent may declare done."""
        met, facts = self.stage.goal_met("engine"), self.stage.facts("effect_check")
        for agent, station in enumerate(self.stations):
            runs = np.flatnonzero(self.live[:, agent])
            done = station.is_done(runs, met[runs, agent], facts[runs, agent])
            if not done.any():
                continue
            closing = runs[done]
            turn = turns.get(agent) or station.look(runs, facts[runs, agent], tick)
            positions = np.searchsorted(turn.runs, closing)
            station.close(turn, positions, facts[turn.runs, agent], GoalMet())
            self.live[closing, agent] = False
            self.tally.declared_done[closing, agent] = True
            self.tally.false_done[closing, agent] = ~met[closing, agent]
            seen = self.stage.facts("critic")[closing, agent]
            for watch in self.watches:
                watch.closed(tick, agent, closing, seen)

    def _close_open(self, turns: dict[int, Turn], facts: NDArray[np.uint64], event: Event) -> None:
        for agent, turn in turns.items():
            positions = np.flatnonzero(self.live[turn.runs, agent])
            self.stations[agent].close(turn, positions, facts[turn.runs, agent], event)
            self.live[turn.runs, agent] = False

    def results(self) -> Results:
        """Gathers what the batch leaves behind."""
        counts, lies, trace = self.tally.counts(), self.tally.lies(), self.book.recorder.table()
        findings = None
        if self.watches:
            findings = tuple(self.watches[0].findings(run) for run in range(len(self.ticks)))
        return Results(
            brief=self.brief,
            goal_reached=np.asarray(self.stage.goal_met("engine").all(axis=1)),
            ticks=self.ticks,
            declared_done=self.tally.declared_done,
            false_done=self.tally.false_done,
            handed_off=self.tally.handed_off,
            counts=counts,
            final_facts=tuple(masks_of(np.bitwise_and.reduce(self.stage.facts("engine"), axis=1))),
            lies=lies,
            quarantines=self.tally.quarantines([s.layer.ledger for s in self.stations]),
            trace=trace,
            findings=findings,
        )
