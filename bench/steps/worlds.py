"""Worlds: which world a scenario plays in, and what is wrong with its tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_bdd import given

from bench.arguments import Sentence
from bench.scene import KEPT_BATCHES, Scene
from creatura.world import Fault, Mode


@pytest.fixture
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """What this scenario has set up; its runs are kept where the bench asked for them."""
    _, line, name = request.node.location
    group = f"{request.node.location[0]}:{(line or 0) + 1} {name}"
    scene = Scene(request.node.path, group)
    yield scene
    kept = request.config.stash.get(KEPT_BATCHES, None)
    if kept is not None:
        kept.extend(scene.batches)


@given(Sentence("the world {world:Name}"))
def the_world(scene: Scene, world: str) -> None:
    """Chooses the world: a packaged one, or a file beside the feature.

    Example: Given the world "restore-service"
    """
    scene.set_world(world)


@given(Sentence("the seed {seed:Count}"))
def the_seed(scene: Scene, seed: int) -> None:
    """Chooses the seed of whatever is left to chance.

    Example: Given the seed 7
    """
    scene.seed = seed


@given(Sentence("the tool {tool:Name} lies {times:Times}"))
def lies_times(scene: Scene, tool: str, times: int) -> None:
    """Reports success and changes nothing, the first so many times it is called.

    Example: Given the tool "apply-patch" lies once
    """
    scene.add_fault(Fault(tool, Mode.LIE, times=times))


@given(Sentence("the tool {tool:Name} lies to agent {agent:Count} {times:Times}"))
def lies_to_one_agent(scene: Scene, tool: str, agent: int, times: int) -> None:
    """Lies to one agent only, the first so many times that it calls; agents count from 0.

    Example: Given the tool "apply-patch" lies to agent 0 once
    """
    scene.add_fault(Fault(tool, Mode.LIE, times=times, agent=agent))


@given(Sentence("the tool {tool:Name} always lies"))
def lies_always(scene: Scene, tool: str) -> None:
    """Reports success and changes nothing, however often it is called.

    Example: Given the tool "apply-patch" always lies
    """
    scene.add_fault(Fault(tool, Mode.LIE))


@given(Sentence("the tool {tool:Name} lies at tick {tick:Tick}"))
def lies_at(scene: Scene, tool: str, tick: int) -> None:
    """Reports success and changes nothing, in one tick only.

    Example: Given the tool "apply-patch" lies at tick 3
    """
    scene.add_fault(Fault(tool, Mode.LIE, ticks=(tick,)))


@given(Sentence("the tool {tool:Name} lies {share:Percent} of the time"))
def lies_by_chance(scene: Scene, tool: str, share: float) -> None:
    """Reports success and changes nothing, each call with this chance.

    Example: Given the tool "apply-patch" lies 30% of the time
    """
    scene.add_fault(Fault(tool, Mode.LIE, probability=share))


@given(Sentence("the tool {tool:Name} fails {times:Times}"))
def fails_times(scene: Scene, tool: str, times: int) -> None:
    """Reports failure and changes nothing, the first so many times it is called.

    Example: Given the tool "apply-patch" fails twice
    """
    scene.add_fault(Fault(tool, Mode.FAIL, times=times))


@given(Sentence("the tool {tool:Name} always fails"))
def fails_always(scene: Scene, tool: str) -> None:
    """Reports failure and changes nothing, however often it is called.

    Example: Given the tool "apply-patch" always fails
    """
    scene.add_fault(Fault(tool, Mode.FAIL))


@given(Sentence("the tool {tool:Name} fails {share:Percent} of the time"))
def fails_by_chance(scene: Scene, tool: str, share: float) -> None:
    """Reports failure and changes nothing, each call with this chance.

    Example: Given the tool "apply-patch" fails 30% of the time
    """
    scene.add_fault(Fault(tool, Mode.FAIL, probability=share))
