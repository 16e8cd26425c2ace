"""Freezing: a run that stopped at any tick goes on in a new process as if it never had."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.bundle import Fork, freeze_run, resume_run
from bench.matrix import Case, Player, sequence
from bench.runner import run_cases
from creatura import loop, resolver
from creatura.errors import PartError
from creatura.extensions.exploration import Exploration
from creatura.extensions.honest_failure import HonestFailure
from creatura.protocols import Slots, Verbs
from creatura.world import Episode, Fault, Mode, parse_world
from tests.property.strategies import faults, worlds
from tests.property.test_loop_laws import account
from tests.worlds import restore_service

DESIGNS = [entry.name for entry in resolver.designs()]
CRITIC = (resolver.observer("critic"),)


def cast_of(design: str, agents: int) -> list[loop.Player]:
    extensions = (HonestFailure(), Exploration())
    return [
        loop.Player(resolver.design(design), resolver.seat("bfs"), extensions=extensions)
        for _ in range(agents)
    ]


@given(
    data=st.data(),
    design=st.sampled_from(DESIGNS),
    agents=st.integers(1, 3),
    at=st.integers(0, 14),
)
@settings(max_examples=80)
def test_a_run_that_was_frozen_at_any_tick_gives_the_same_rows(data, design, agents, at):
    world = data.draw(worlds())
    episodes = [
        Episode(data.draw(st.integers(0, 99)), i, data.draw(faults(world))) for i in range(3)
    ]
    how = loop.Settings(15, CRITIC, "interpreter")
    whole = loop.Batch(world, cast_of(design, agents), episodes, how)
    whole.advance(15)
    cast = cast_of(design, agents)
    part = loop.Batch(world, cast, episodes, how)
    part.advance(at)
    frozen = loop.freeze(part, world, cast, CRITIC)
    part.advance(15)  # what goes on after it was frozen leaves no mark on what was frozen
    thawed = loop.thaw(frozen, world, cast_of(design, agents), CRITIC)
    thawed.advance(15)
    for i in range(len(episodes)):
        assert account(thawed.results(), i) == account(whole.results(), i)
        assert account(part.results(), i) == account(whole.results(), i)


WRITE = """
import sys
from pathlib import Path
from tests.property.test_freeze import CRITIC, DESIGNS, cast_of, trouble
from tests.worlds import restore_service
from creatura import loop

for at, design in enumerate(DESIGNS, start=1):
    world, cast = restore_service(), cast_of(design, 2)
    batch = loop.Batch(world, cast, trouble(), loop.Settings(30, CRITIC, "fused"))
    batch.advance(at)
    Path(sys.argv[1], design).write_bytes(loop.freeze(batch, world, cast, CRITIC))
"""


def trouble() -> list[Episode]:
    several = (
        Fault("apply-patch", Mode.LIE, times=1),
        Fault("run-tests", Mode.SLOW, times=1, delay=2),
        Fault("diagnose", Mode.REVERTS, times=1, delay=3),
        Fault("deploy", Mode.LATE, times=1, delay=2),
        Fault("resolve-alert", Mode.FAIL, probability=0.5),
    )
    return [Episode(seed, 0, several) for seed in range(4)]


def test_runs_go_on_in_a_new_process(tmp_path: Path):
    command = [sys.executable, "-c", WRITE, str(tmp_path)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
    for at, design in enumerate(DESIGNS, start=1):
        world, cast = restore_service(), cast_of(design, 2)
        whole = loop.Batch(world, cast, trouble(), loop.Settings(30, CRITIC))
        whole.advance(30)
        frozen = Path(tmp_path, design).read_bytes()
        thawed = loop.thaw(frozen, world, cast_of(design, 2), CRITIC)
        assert thawed.clock == at
        thawed.advance(30)
        for i in range(len(trouble())):
            assert account(thawed.results(), i) == account(whole.results(), i), design


@given(
    data=st.data(),
    designs=st.lists(st.sampled_from(DESIGNS), min_size=1, max_size=2),
    at=st.integers(0, 14),
    is_fork=st.booleans(),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_bundle_goes_on_as_the_run_would_have(tmp_path, data, designs, at, is_fork):
    world = data.draw(worlds())
    text, file = tmp_path / "drawn.yaml", tmp_path / "run.frozen"
    text.write_text(world.text, encoding="utf-8")
    cast = tuple(Player(f"{design} with memory, exploration") for design in designs)
    first = Case(str(text), cast, data.draw(faults(world)), data.draw(st.integers(0, 9)), 0, 15)
    case = sequence(first, data.draw(st.integers(1, 2)))[-1]
    (whole,) = run_cases([case], group="test", backend="interpreter")
    freeze_run(case, at, file, "interpreter", "test")
    text.unlink()
    resumed = resume_run(file, "test", Fork() if is_fork else None).batch
    assert account(resumed.results, 0) == account(whole.results, 0)
    assert (resumed.run_hashes == whole.run_hashes) is not is_fork


BUNDLES = """
import sys
from pathlib import Path
from tests.property.test_freeze import DESIGNS, bundled
from bench.bundle import freeze_run

for at, design in enumerate(DESIGNS, start=1):
    freeze_run(bundled(sys.argv[1], design), at, Path(sys.argv[1], design), "fused", "test")
"""


def bundled(folder: str, design: str) -> Case:
    own = f"{folder}/mine/own.py"
    cast = (Player(f"{design} with memory, {own}:Diary", f"scripted:{folder}/lines.txt"),)
    return Case(f"{folder}/world.yaml", (*cast, Player(design)), trouble()[0].faults, 3)


DIARY = """
from page import Page
from creatura.protocols import Verbs

class Diary(Verbs):
    name = "diary"

    def begin(self, brief):
        return Page()

    def record(self, context, event):
        assert type(context.memory) is Page
        return Page((*context.memory.lines, type(event).__name__))

    def veto(self, context, hand_off):
        return "not yet" if len(context.memory.lines) < 6 else None
"""
PAGE = "class Page:\n    def __init__(self, lines=()):\n        self.lines = lines\n"


def test_bundles_go_on_in_a_new_process_with_nothing_beside_them(tmp_path: Path):
    (tmp_path / "mine").mkdir()
    for name, text in {
        "mine/own.py": DIARY,
        "mine/page.py": PAGE,
        "lines.txt": "read-logs\ndiagnose\napply-patch\n-\nrun-tests\n",
        "world.yaml": restore_service().text,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", BUNDLES, str(tmp_path)]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
    cases = [bundled(str(tmp_path), design) for design in DESIGNS]
    whole = {batch.cases[0].design: batch for batch in run_cases(cases, group="test")}
    for name in ("mine/own.py", "mine/page.py", "lines.txt", "world.yaml"):
        (tmp_path / name).unlink()
    for case, design in zip(cases, DESIGNS, strict=True):
        resumed = resume_run(tmp_path / design, "test").batch
        expected = whole[case.design]
        assert account(resumed.results, 0) == account(expected.results, 0), design
        assert resumed.run_hashes == expected.run_hashes, design


def test_a_variable_that_moves_by_itself_goes_on_from_where_it_was():
    world = parse_world(
        """
name: tank
facts: [{full: "level >= 0.8"}, tapped]
variables: {level: {type: scalar, range: [0, 1], initial: 0.0}}
tools: {tap: {requires: [full], grants: [tapped]}}
rules:
  - id: rain
    phase: apply_passive_depletion
    writes: [{target: level, expression: 0.1, composition: additive_delta}]
task: {goal: tapped, obligations: [tapped]}
"""
    )
    cast = [loop.Player(resolver.design("plain"), resolver.seat("script:-,-,-,-,-,-,-,-,tap"))]
    batch = loop.Batch(world, cast, [Episode()], loop.Settings(9, backend="interpreter"))
    batch.advance(5)
    thawed = loop.thaw(loop.freeze(batch, world, cast), world, cast)
    thawed.advance(9)
    assert thawed.results().goal_reached[0]


# ------------------------------------------------------------------ what is refused


def frozen_with(part, **changes) -> bytes:
    world = restore_service()
    cast = [loop.Player(part, resolver.seat("bfs"), **changes)]
    batch = loop.Batch(world, cast, [Episode()], loop.Settings(9, backend="interpreter"))
    batch.advance(1)
    return loop.freeze(batch, world, cast)


def test_a_memory_that_cannot_be_written_is_named():
    @dataclasses.dataclass(frozen=True)
    class Remembers(Slots):
        name: str = "remembers"

        def begin(self, brief):
            return lambda: None

    with pytest.raises(PartError, match="a memory in this cast cannot be frozen"):
        frozen_with(Remembers())


class Harmful:
    def __reduce__(self):
        return print, ("this must never be called",)


class Smuggles(Verbs):
    name = "smuggles"

    def begin(self, brief):
        return Harmful()


def test_bytes_that_would_call_a_function_are_refused():
    frozen = frozen_with(resolver.design("plain"), extensions=(Smuggles(),))
    cast = [loop.Player(resolver.design("plain"), resolver.seat("bfs"), extensions=(Smuggles(),))]
    with pytest.raises(pickle.UnpicklingError, match=r"a frozen run holds no 'builtins\.print'"):
        loop.thaw(frozen, restore_service(), cast)


def test_a_cast_that_lacks_a_part_is_refused():
    frozen = frozen_with(resolver.design("plain"), extensions=(HonestFailure(),))
    cast = [loop.Player(resolver.design("plain"), resolver.seat("bfs"))]
    with pytest.raises(pickle.UnpicklingError, match=r"part 'extension 0\.0' that this cast lacks"):
        loop.thaw(frozen, restore_service(), cast)


class Remembering(Verbs):
    name = "remembering"

    def begin(self, brief):
        return Diaries()


class Diaries:
    """A memory of a class that stands beside its part."""


def test_a_class_beside_a_part_is_named_by_the_part():
    extensions = (Remembering(),)
    frozen = frozen_with(resolver.design("plain"), extensions=extensions)
    assert b"extension 0.0:Diaries" in frozen
    assert __name__.encode() not in frozen
    cast = [loop.Player(resolver.design("plain"), resolver.seat("bfs"), extensions=extensions)]
    thawed = loop.thaw(frozen, restore_service(), cast)
    assert type(thawed.stations[0].hooks.memories[0][0]) is Diaries


@pytest.mark.parametrize("name", ["subprocess.Popen", "subprocess.run", "frozen_with", "Path"])
def test_what_stands_beside_a_part_and_is_no_class_of_its_file_is_refused(name):
    cast = [
        loop.Player(resolver.design("plain"), resolver.seat("bfs"), extensions=(Remembering(),))
    ]
    for start in (b"P", b"\x80\x04P"):
        forged = start + f"extension 0.0:{name}\n.".encode()
        with pytest.raises((pickle.UnpicklingError, AttributeError)):
            loop.thaw(forged, restore_service(), cast)
    with pytest.raises(pickle.UnpicklingError, match=r"a frozen run holds no 'creatura\."):
        loop.thaw(b"Pdesign 0:Plain\n.", restore_service(), cast)
