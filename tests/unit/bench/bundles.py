"""Bundles: a small world, runs frozen in it, and bundles written anew with something changed."""

import json
from pathlib import Path

import pytest

from bench.bundle import freeze_run, resume_run
from bench.bundle.archive import read_archive, write_archive
from bench.matrix import Case, Player
from bench.runner import run_cases
from creatura.errors import AuthorError

POND = """
name: pond
facts: [dug, {wet: "level >= 0.5"}, filled, stocked]
variables: {level: {type: scalar, range: [0, 1], initial: 0.0}}
tools:
  dig: {grants: [dug]}
  fill: {requires: [dug], grants: [filled]}
  stock: {requires: [filled], grants: [stocked], release: true}
rules:
  - id: rain
    phase: apply_passive_depletion
    writes: [{target: level, expression: 0.125, composition: additive_delta}]
task: {goal: stocked, obligations: [dug, filled, stocked]}
faults: [{tool: fill, mode: lie, once: true}]
"""


def pond(folder: Path, text: str = POND, name: str = "pond") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def edited(old: str, new: str, text: str = POND) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def frozen(folder: Path, design: str = "hybrid", seat: str = "bfs", tick: int = 2) -> Path:
    """Freezes a run in the pond."""
    file = folder / "run.frozen"
    case = Case(str(pond(folder)), (Player(design, seat),), max_ticks=20)
    freeze_run(case, tick, file, "interpreter", "test")
    return file


def played(case: Case):
    (batch,) = run_cases([case], group="test", backend="interpreter")
    return batch


def rows(batch):
    return list(batch.results.trace.rows(0))


def refusal(file: Path, *more) -> str:
    with pytest.raises(AuthorError) as refused:
        resume_run(file, "test", *more)
    return str(refused.value)


def rewrite(file: Path, **changes) -> None:
    """Writes a bundle anew, whole and signed: `world=str -> str`, `case=dict -> None`."""
    cover, members = read_archive(file)
    names = {"world": "config/world.yaml", "part": "config/parts/0/my.py", "state": "state"}
    for what, change in changes.items():
        if what in ("case", "hashes", "parent"):
            name = "config/case.json" if what == "case" else f"{what}.json"
            told = json.loads(members[name])
            change(told)
            members[name] = json.dumps(told).encode()
        else:
            name = names[what]
            members[name] = change(members[name])
    write_archive(file, cover, members)


PART = """
from dataclasses import dataclass
from neighbour import Count
from creatura.protocols import HandOff, Slots

class Counter(Slots):
    name = "counter"

    def begin(self, brief):
        return Count()

    def record(self, context, event):
        return Count(context.memory.ticks + 1)

    def stop(self, context):
        assert type(context.memory) is Count
        return HandOff("five ticks are enough") if context.memory.ticks > 4 else None
"""
NEIGHBOUR = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Count:
    ticks: int = 0
"""


def parts(folder: Path) -> str:
    """Writes a user's design with a neighbour, and returns its name."""
    folder.mkdir(exist_ok=True)
    (folder / "neighbour.py").write_text(NEIGHBOUR, encoding="utf-8")
    (folder / "my.py").write_text(PART, encoding="utf-8")
    return f"{folder / 'my.py'}:Counter"
