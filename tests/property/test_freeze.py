"""Freezing: a run that stopped at any tick goes on in a new process as if it never had."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
