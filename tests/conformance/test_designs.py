"""What every design promises, in worlds that nobody wrote: drawn ones, with drawn faults."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.conformance.witnesses import DesignWitness
from creatura import loop, resolver
from creatura.world import Episode
from tests.property.strategies import faults, worlds

DESIGNS = [entry.name for entry in (*resolver.designs(), *resolver.presets())]


@pytest.mark.parametrize("name", DESIGNS)
@given(data=st.data())
@settings(max_examples=25)
def test_a_design_keeps_its_promises_in_any_world(name, data):
    world = data.draw(worlds())
    episodes = [Episode(seed, 0, data.draw(faults(world))) for seed in range(3)]
    witness = DesignWitness(resolver.design(name))
    watched, plain = (
        loop.run(
            world,
            [loop.Player(design, resolver.seat("bfs"))],
            episodes,
            max_ticks=12,
            backend="interpreter",
        )
        for design in (witness, resolver.design(name))
    )
    assert witness.notebook.asked
    assert not witness.notebook.seen
    for run in range(len(episodes)):
        rows = list(watched.trace.rows(run))
        assert rows == list(plain.trace.rows(run)), "slots at their default give the same rows"


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_a_frozen_record_of_its_options(name):
    design = resolver.design(name)
    assert design == resolver.design(name)
    assert hash(design) == hash(resolver.design(name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        design.name = "another"  # type: ignore[misc]
