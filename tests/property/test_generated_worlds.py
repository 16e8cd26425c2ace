"""Random worlds: whatever their shape and seed, they can be solved and are not solved already."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura.bits import mask_of, masks_of
from creatura.protocols import Brief
from creatura.world import (
    Episode,
    Shape,
    World,
    generate_pack,
    generate_world,
    parse_world,
    signature_of,
)
from creatura.world.blueprint import Blueprint, draw_blueprint, moves_of, steps_of
from creatura.world.chances import Chances
from tests.worlds import play

SHAPES = {
    "smallest": Shape(num_facts=2, num_tools=2, branching=1, depth=1),
    "default": Shape(),
    "words": Shape(num_facts=8, num_tools=12, depth=4, names="words"),
    "releases": Shape(num_facts=9, num_tools=14, depth=6, num_releases=3, revoking=0.4),
    "meters": Shape(num_facts=7, num_tools=10, depth=4, num_meters=4),
    "all meters": Shape(num_facts=5, num_tools=5, branching=1, depth=5, num_meters=5),
    "revoking": Shape(num_facts=8, num_tools=16, branching=3, depth=5, revoking=1.0),
    "wide": Shape(num_facts=16, num_tools=20, depth=2, costing=1.0),
    "long": Shape(num_facts=24, num_tools=24, branching=1, depth=24, num_releases=21),
    "faults": Shape(num_facts=6, num_tools=10, depth=4, num_releases=1, num_faults=2),
}
SEEDS_A_SHAPE = 20  # 200 worlds in all


def worlds_of(name: str) -> list[World]:
    return [parse_world(generate_world(seed, SHAPES[name])) for seed in range(SEEDS_A_SHAPE)]


@pytest.mark.parametrize("name", SHAPES)
def test_a_planner_reaches_the_goal_where_every_tool_delivers(name):
    for seed, world in enumerate(worlds_of(name)):
        results = play(replace(world, faults=()), max_ticks=60, critic=False)
        assert results.goal_reached[0], f"seed {seed}: {results.reason(0)}"
        assert results.ticks[0] >= SHAPES[name].depth, f"seed {seed}"


@pytest.mark.parametrize("name", SHAPES)
def test_the_goal_does_not_hold_at_the_start_nor_by_waiting(name):
    for world in worlds_of(name):
        stage = world.stage([Episode()], 1, "interpreter")
        for tick in range(1, 40):
            assert not stage.goal_met("engine").any()
            stage.step(np.array([[-1]]), np.ones((1, 1), dtype=bool), tick)


@pytest.mark.parametrize("name", ["faults", "default", "meters"])
def test_its_faults_pass_so_whoever_keeps_trying_gets_there(name):
    shape = replace(SHAPES[name], num_faults=2)
    for seed in range(SEEDS_A_SHAPE):
        world = parse_world(generate_world(seed, shape))
        stage = world.stage([Episode()], 1, "interpreter")
        for tick in range(1, 60):
            if stage.goal_met("engine").any():
                break
            (facts,) = masks_of(stage.facts("seat")[0])
            tool = next_tool(world.brief, facts)
            stage.step(np.array([[tool]]), np.ones((1, 1), dtype=bool), tick)
        assert stage.goal_met("engine").all(), f"seed {seed}"


def next_tool(brief: Brief, facts: int) -> int:
    """The first tool of a shortest plan over all tools, by their declarations."""
    front, seen = [(facts, -1)], {facts}
    for held, first in front:
        if brief.goal.is_met(held):
            return first
        for tool in brief.tools:
            after = tool.after(held)
            if not tool.requires & ~held and after not in seen:
                seen.add(after)
                front.append((after, tool.index if first < 0 else first))
    raise AssertionError("no plan")


def test_a_planner_gets_there_in_spite_of_faults_where_facts_have_other_ways():
    for seed, world in enumerate(worlds_of("faults")):
        results = play(world, max_ticks=80, critic=False)
        assert results.goal_reached[0], f"seed {seed}: {results.reason(0)}"


# --------------------------------------------------------------------------- structures


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    num_facts = draw(st.integers(2, 9))
    branching = draw(st.integers(1, 4))
    depth = draw(st.integers(1, num_facts))
    return Shape(
        num_facts=num_facts,
        num_tools=draw(st.integers(num_facts, num_facts * branching)),
        branching=branching,
        depth=depth,
        revoking=draw(st.sampled_from([0.0, 0.3, 1.0])),
        costing=draw(st.sampled_from([0.0, 0.5, 1.0])),
        num_releases=draw(st.integers(0, max(0, depth - 3))),
        num_meters=draw(st.integers(0, num_facts)),
        num_faults=draw(st.integers(0, 2)),
        names=draw(st.sampled_from(["plain", "words"])),
    )


seeds = st.integers(-(2**63), 2**64 - 1)


def reachable(blueprint: Blueprint) -> dict[int, set[int]]:
    """Every set of facts that may come to hold, with those that one call leads to from it."""
    tools, open_, called = list(moves_of(blueprint)), [0], {}
    while open_:
        facts = open_.pop()
        if facts not in called:
            called[facts] = {(facts | g) & ~r for needs, g, r in tools if not needs & ~facts}
            # A meter that falls takes its fact away by itself.
            open_ += [*called[facts], *(facts & ~(1 << meter.fact) for meter in blueprint.meters)]
    return called


@given(seeds, shapes())
@settings(max_examples=60)
def test_nothing_that_happens_puts_the_goal_out_of_reach(seed, shape):
    blueprint = draw_blueprint(Chances(seed, 0, 0), shape)
    called = reachable(blueprint)
    wanted = mask_of((*blueprint.goal, *blueprint.obligations))
    hopeful = {facts for facts in called if not wanted & ~facts}
    while more := {f for f, to in called.items() if f not in hopeful and to & hopeful}:
        hopeful |= more
    assert hopeful == set(called)


@given(seeds, shapes())
@settings(max_examples=60)
def test_the_shortest_plan_is_as_long_as_the_shape_is_deep(seed, shape):
    steps = steps_of(draw_blueprint(Chances(seed, 0, 0), shape))
    assert steps is not None
    assert steps >= shape.depth


@given(seeds, shapes())
@settings(max_examples=40)
def test_every_shape_makes_a_file_that_is_accepted_and_always_the_same(seed, shape):
    text = generate_world(seed, shape, 1)
    assert text == generate_world(seed, shape, 1)
    made = parse_world(text)
    assert len(made.brief.facts) == shape.num_facts
    assert len(made.brief.tools) == shape.num_tools
    assert signature_of(made).is_exact


@given(seeds, shapes())
@settings(max_examples=25)
def test_every_shape_makes_packs_that_are_held_out(seed, shape):
    generate_pack(seed, 2, 3, shape).check()
