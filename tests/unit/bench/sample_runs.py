"""Sample runs: small results made by hand, so that a store and a report can be judged by eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.matrix import Case, Player
from bench.scenarios import ScenarioResult
from bench.store import RunStore
from bench.traces import Batch
from creatura.hashing import digest
from creatura.protocols import Brief, Findings, Goal, Tool
from creatura.results import Counts, LieTable, QuarantineTable, Results, TraceTable
from creatura.world.faults import Fault, Mode

FERRY = Brief(
    world="ferry",
    title="cross over",
    facts=("loaded", "docked"),
    tools=(Tool("load", 0, 0, 1), Tool("sail", 1, 1, 2, release=True)),
    goal=Goal("docked", ((2, 0),), 3),
    obligations=(0, 1),
)
HASHES = {"variable_schema": "aa", "initial_state": "bb", "vfs": "cc"}
SAIL_LIES = (Fault("sail", Mode.LIE, times=1),)

TOLD = ("kind", "level", "action", "detail")
Line = tuple[int, int, str, str, float, float, str, str]  # agent, tick, then as in a trace row


@dataclass(frozen=True, slots=True)
class Sample:
    """One run made by hand.

    Attributes:
        lines: agent, tick, kind, level, stress, freedom, action, detail.
        lies: agent, tick, tool index, caught. hidden: agent, tick, tool index, until.
    """

    lines: tuple[Line, ...]
    goal_reached: bool = True
    done: tuple[bool, ...] = (True,)
    handed_off: tuple[str | None, ...] = (None,)
    lies: tuple[tuple[int, int, int, bool], ...] = ()
    hidden: tuple[tuple[int, int, int, int], ...] = ()
    findings: tuple[int, int, int] = (3, 3, 0)

    @property
    def ticks(self) -> int:
        return max((line[1] for line in self.lines), default=0)


def line(tick: int, kind: str, action: str, detail: str, agent: int = 0, **more: object) -> Line:
    level, stress = str(more.get("level", "agent")), float(str(more.get("stress", 0.0)))
    return agent, tick, kind, level, stress, float(str(more.get("freedom", 0.1))), action, detail


HONEST = Sample(
    (
        line(1, "landed", "load", "landed", stress=0.5),
        line(2, "landed", "sail", "landed"),
        line(2, "done", "done", "the goal holds"),
    )
)
CAUGHT = Sample(
    (
        line(1, "decided", "load", "plan: load → sail", level="tissue", stress=1.0, freedom=0.65),
        line(1, "landed", "load", "coherence 100%", level="cell", freedom=0.65),
        line(2, "decided", "sail", "last step", level="tissue", stress=0.5, freedom=0.65),
        line(2, "lie", "sail", "contradiction", level="cell", stress=1.0, freedom=0.65),
        line(3, "waited", "wait", "no route", level="tissue", stress=0.5, freedom=0.65),
        line(4, "waited", "wait", "no route", level="tissue", stress=0.5, freedom=0.65),
        line(5, "landed", "sail", "coherence 67%", level="cell", freedom=0.8),
        line(5, "done", "contract met", "cross over complete", level="organism", freedom=0.8),
        line(5, "sleep", "sleep", "stage 4", level="organism", freedom=0.0),
    ),
    lies=((0, 2, 1, True),),
    hidden=((0, 2, 1, 4),),
    findings=(5, 5, 1),
)
FOOLED = Sample(
    (
        line(1, "believed", "load", "success reported and believed"),
        line(2, "believed", "sail", "success reported and believed"),
        line(2, "done", "done", "the goal holds"),
    ),
    goal_reached=False,
    lies=((0, 2, 1, False),),
    findings=(3, 3, 2),
)
GAVE_UP = Sample(
    (line(1, "handed-off", "hand off", "no route"),),
    goal_reached=False,
    done=(False,),
    handed_off=("no route",),
    findings=(0, 0, 0),
)
SCENARIOS = (
    ScenarioResult("features/ferry.feature", 4, "The ramp lies", (), "passed", 0.25, ""),
    ScenarioResult(
        "features/ferry.feature", 11, "The crew is back by noon", ("slow",), "failed", 0.5,
        "features/ferry.feature:14: Then the goal is reached in 2 ticks\n  found 5 | bfs",
    ),
)  # fmt: skip


def results(samples: Sequence[Sample], *, critic: bool = True) -> Results:
    """Puts samples of one world and one number of agents into a batch's columns."""
    codes: dict[str, int] = {}

    def code(text: str) -> int:
        return codes.setdefault(text, len(codes))

    rows = [(run, *told) for run, sample in enumerate(samples) for told in sample.lines]
    run, agent, tick, kind, level, stress, freedom, action, detail = _columns(rows, 9)
    words = {
        name: np.array([code(text) for text in column], dtype=np.int32)
        for name, column in (
            ("kind", kind),
            ("level", level),
            ("action", action),
            ("detail", detail),
        )
    }
    handed_off = [
        [-1 if reason is None else code(reason) for reason in sample.handed_off]
        for sample in samples
    ]
    return Results(
        brief=FERRY,
        goal_reached=np.array([sample.goal_reached for sample in samples], dtype=bool),
        ticks=np.array([sample.ticks for sample in samples], dtype=np.int32),
        declared_done=np.array([sample.done for sample in samples], dtype=bool),
        false_done=np.array(
            [np.array(sample.done) & (not sample.goal_reached) for sample in samples], dtype=bool
        ),
        handed_off=np.array(handed_off, dtype=np.int32),
        counts=_counts(samples),
        final_facts=(0,) * len(samples),
        lies=_lies(samples),
        quarantines=_quarantines(samples),
        trace=TraceTable(
            run=np.array(run, dtype=np.int64),
            agent=np.array(agent, dtype=np.int32),
            tick=np.array(tick, dtype=np.int32),
            stress=np.array(stress, dtype=np.float64),
            freedom=np.array(freedom, dtype=np.float64),
            strings=tuple(codes),
            **words,
        ),
        findings=tuple(Findings(*s.findings, route=()) for s in samples) if critic else None,
    )


def batch(
    *samples: Sample,
    designs: Sequence[str] = ("plain",),
    faults: tuple[Fault, ...] = (),
    group: str = "plan:quick",
    first_seed: int = 0,
    critic: bool = True,
) -> Batch:
    """Makes a batch in which the i-th sample is the case of the i-th seed."""
    cast = tuple(Player(design) for design in designs)
    cases = tuple(
        Case("worlds/ferry.yaml", cast, faults, seed=first_seed + i) for i in range(len(samples))
    )
    run_hashes = tuple(digest(["run", case.id]) for case in cases)
    return Batch(group, cases, results(samples, critic=critic), HASHES, run_hashes)


def in_another_world(original: Batch, vfs: str) -> Batch:
    """Moves a batch to a world of the same name that was compiled from something else."""
    cases = tuple(replace(case, world=f"worlds/{vfs}.yaml") for case in original.cases)
    return replace(original, cases=cases, hashes={**HASHES, "vfs": vfs})


def stored(
    reports: Path, *batches: Batch, name: str = "sample", scenarios: Sequence[ScenarioResult] = ()
) -> Path:
    """Stores batches as a finished run and returns its folder."""
    with RunStore.create(reports, name, {"command": "creatura bench run quick"}) as store:
        for one in batches:
            store.add(one)
        store.finish(scenarios)
    return store.folder


def ferry_batches() -> list[Batch]:
    """Three designs in one world, two of them with a lie; the control arm is fooled."""
    return [
        batch(HONEST, HONEST, designs=["plain"]),
        batch(GAVE_UP, designs=["plain"], faults=SAIL_LIES),
        batch(CAUGHT, CAUGHT, designs=["hybrid"], faults=SAIL_LIES),
        batch(FOOLED, designs=["careless"], faults=SAIL_LIES),
    ]


def _counts(samples: Sequence[Sample]) -> Counts:
    shape = (len(samples), len(samples[0].done))
    counted = {name: np.zeros(shape, dtype=np.int32) for name in Counts.__dataclass_fields__}
    for run, sample in enumerate(samples):
        for agent, _, kind, *_ in sample.lines:
            for name, kinds in _COUNTED.items():
                counted[name][run, agent] += kind in kinds
        for agent, _, _, caught in sample.lies:
            counted["lies_told"][run, agent] += 1
            counted["lies_caught"][run, agent] += caught
        for agent, *_ in sample.hidden:
            counted["quarantines"][run, agent] += 1
    return Counts(**counted)


_COUNTED = {
    "acts": {"landed", "lie", "believed", "failure"},
    "landed": {"landed"},
    "failed": {"failure"},
    "refused": {"refused"},
    "waited": {"waited"},
    "held": {"held"},
}


def _lies(samples: Sequence[Sample]) -> LieTable:
    rows = [(run, *lie) for run, sample in enumerate(samples) for lie in sample.lies]
    run, agent, tick, tool, caught = _columns(rows, 5)
    return LieTable(
        run=np.array(run, dtype=np.int64),
        agent=np.array(agent, dtype=np.int32),
        tick=np.array(tick, dtype=np.int32),
        tool=np.array(tool, dtype=np.int32),
        caught=np.array(caught, dtype=bool),
    )


def _quarantines(samples: Sequence[Sample]) -> QuarantineTable:
    rows = [(run, *hidden) for run, sample in enumerate(samples) for hidden in sample.hidden]
    run, agent, tick, tool, until = _columns(rows, 5)
    return QuarantineTable(
        run=np.array(run, dtype=np.int64),
        agent=np.array(agent, dtype=np.int32),
        tick=np.array(tick, dtype=np.int32),
        tool=np.array(tool, dtype=np.int32),
        until=np.array(until, dtype=np.int32),
        is_lie=np.ones(len(rows), dtype=bool),
    )


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[tuple[object, ...]]:
    return list(zip(*rows, strict=True)) if rows else [()] * width
