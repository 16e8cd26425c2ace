"""Scene: what one scenario has set up, and what its runs came to.

`Given` steps describe, one `When` plays, `Then` steps read. A reading of runs that never happened
is an error, so a scenario cannot pass by looking at nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.matrix import Case, Player, sequence
from bench.runner import run_cases, world_of
from bench.traces import Batch
from bench.trouble import render_faults
from creatura import resolver
from creatura.errors import AuthorError, Place
from creatura.results import Results, TraceRow
from creatura.world import Fault

KEPT_BATCHES = pytest.StashKey[list[Batch]]()  # where a bench run gathers what scenarios played


@dataclass(frozen=True, slots=True)
class End:
    """How one agent's part in a run ended.

    Attributes:
        agent: From 0.
        end: done, false completion, handed off, or time up.
        reason: Why it was handed off; empty otherwise.
    """

    agent: int
    tick: int
    end: str
    reason: str

    def __str__(self) -> str:
        return f"{self.end} at tick {self.tick}" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, slots=True)
class Run:
    """One run that a scenario played.

    Attributes:
        case: What determines it.
        results, index: The batch it ran in, and its position there.
        hashes: Digests of the world; `run` is the run's own.
    """

    case: Case
    results: Results
    index: int
    hashes: dict[str, str]

    @property
    def rows(self) -> list[TraceRow]:
        """Its trace, in order."""
        return list(self.results.trace.rows(self.index))

    @property
    def goal_reached(self) -> bool:
        """Whether the goal held when it closed."""
        return bool(self.results.goal_reached[self.index])

    @property
    def ticks(self) -> int:
        """Ticks it took."""
        return int(self.results.ticks[self.index])

    @property
    def false_completion(self) -> bool:
        """Whether it was declared done over a goal that did not hold."""
        return bool(self.results.false_completion[self.index])

    @property
    def number(self) -> int:
        """Its place in a sequence of cases, from 1."""
        return len(self.case.earlier) + 1

    @property
    def name(self) -> str:
        """Who played, and which case of a sequence it was."""
        return f"{self.case.design}, case {self.number}" if self.case.earlier else self.case.design

    @property
    def came_to(self) -> str:
        """How it ended, in a few words."""
        if len(self.case.cast) > 1:
            players = enumerate(self.case.cast)
            ends = {end.agent: end for end in self.ends()}
            return "; ".join(f"agent {i} ({player.design}) {ends[i]}" for i, player in players)
        if self.false_completion:
            return f"false completion after {self.ticks} ticks"
        if self.goal_reached:
            return f"goal reached in {self.ticks} ticks"
        reason = self.results.reason(self.index)
        if reason:
            return f"handed off at tick {self.ticks}: {reason}"
        return f"not reached in {self.ticks} ticks"

    @property
    def replay(self) -> str:
        """The command that plays it again."""
        words = ["creatura", "run", self.case.world]
        for player in self.case.cast:
            words += ["--design", player.design]
        words += ["--seat", self.case.seat]
        words += render_faults(self.case.faults)
        words += ["--seed", str(self.case.seed), "--max-ticks", str(self.case.max_ticks)]
        if self.case.earlier:
            words += ["--cases", str(self.number)]
        return shlex.join(words)

    def ends(self) -> list[End]:
        """Tells how each agent's part ended, in agent order."""
        results, i = self.results, self.index
        closed = {row.agent: row.tick for row in self.rows if row.kind in CLOSING_KINDS}
        ends = []
        for agent in range(len(self.case.cast)):
            code = int(results.handed_off[i, agent])
            reason = results.trace.strings[code] if code >= 0 else ""
            if results.declared_done[i, agent]:
                end = "false completion" if results.false_done[i, agent] else "done"
            else:
                end = "handed off" if reason else "time up"
            ends.append(End(agent, closed.get(agent, self.ticks), end, reason))
        return ends

    def count(self, column: str) -> int:
        """Sums a column of the counts over all agents; `ticks` are those of the run."""
        if column == "ticks":
            return self.ticks
        return int(getattr(self.results.counts, column)[self.index].sum())


CLOSING_KINDS = ("done", "handed-off", "time-up")


@dataclass(slots=True)
class Scene:
    """The state of a scenario.

    Attributes:
        feature: The feature file, whose folder may hold worlds of its own.
        group: What the store calls the runs.
        batches: What was played so far.
    """

    feature: Path
    group: str
    world: str = ""
    faults: list[Fault] = field(default_factory=list)
    seed: int = 0
    batches: list[Batch] = field(default_factory=list)

    def set_world(self, name: str) -> None:
        """Chooses the world.

        Raises:
            AuthorError: There is none of that name, packaged or beside the feature.
        """
        path = resolver.world_file(name, self._place, beside=self.feature.parent)
        self.world = resolver.world_name(path)

    def add_fault(self, fault: Fault) -> None:
        """Adds trouble; the tool is checked when the world is played."""
        self._needs_world()
        self.faults.append(fault)

    def switch_on(self, barrier: str | None) -> None:
        """Adds the faults of one barrier of the world, or of all where none is named."""
        self._needs_world()
        world = world_of(self.world, self._place)
        names = [barrier] if barrier is not None else list(world.barriers)
        if not names:
            raise AuthorError.at(self._place, f"world '{world.brief.world}' has no barriers")
        for name in names:
            self.faults += world.barrier(name, self._place)

    def play(
        self, designs: Sequence[str], seat: str, max_ticks: int, seeds: Sequence[int] | None = None
    ) -> None:
        """Plays each design alone in the world, once for each seed; the scene's own by default."""
        seeds = (self.seed,) if seeds is None else seeds
        self._run([self._case([d], seat, max_ticks, seed) for d in designs for seed in seeds])

    def play_together(self, designs: Sequence[str], seat: str, max_ticks: int) -> None:
        """Plays one run with all designs in the same world, each an agent in this order."""
        self._run([self._case(designs, seat, max_ticks, self.seed)])

    def play_in_a_row(self, design: str, seat: str, max_ticks: int, num_cases: int) -> None:
        """Plays one case after another, each with the same trouble anew."""
        self._run(sequence(self._case([design], seat, max_ticks, self.seed), num_cases))

    def _case(self, designs: Sequence[str], seat: str, max_ticks: int, seed: int) -> Case:
        self._needs_world()
        cast = tuple(Player(design, seat) for design in designs)
        return Case(self.world, cast, tuple(self.faults), seed, 0, max_ticks)

    def _run(self, cases: Sequence[Case]) -> None:
        self.batches += run_cases(cases, group=self.group, place=self._place)

    def runs(self) -> list[Run]:
        """Lists what was played.

        Raises:
            AssertionError: Nothing was, or no run saw a tick.
        """
        runs = [
            Run(case, batch.results, i, {**batch.hashes, "run": batch.run_hashes[i]})
            for batch in self.batches
            for i, case in enumerate(batch.cases)
        ]
        assert runs, "nothing has run yet: a When step comes first"
        assert any(run.ticks for run in runs), "no run saw a tick: the goal held from the start"
        return runs

    def check(self, expected: str, finding: Callable[[Run], str | None]) -> None:
        """Asks something of every run, and fails with all that differ.

        Args:
            expected: What should hold, in words.
            finding: Says what is otherwise in a run, or None where all is well.
        """
        wrong = [(run, found) for run in self.runs() if (found := finding(run)) is not None]
        if wrong:
            raise AssertionError("\n".join(_told(expected, wrong)))

    @property
    def _place(self) -> Place:
        return Place(self.group.partition(" ")[0])

    def _needs_world(self) -> None:
        if not self.world:
            raise AuthorError.at(self._place, 'no world yet: write Given the world "..." first')


MOST_SHOWN = 5  # runs a failure tells of; the rest are counted


def _told(expected: str, wrong: Sequence[tuple[Run, str]]) -> Iterator[str]:
    yield f"expected {expected}"
    for run, found in wrong[:MOST_SHOWN]:
        first, *more = found.splitlines()
        yield f"{run.name}: {first}"
        yield from (f"    {line}" for line in more)
        yield f"    replay: {run.replay}"
    if len(wrong) > MOST_SHOWN:
        yield f"and {len(wrong) - MOST_SHOWN} more runs"
