"""What every design promises: ranges, determinism, no memory but its own, no hand on its goal."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import loop, resolver
from creatura.protocols import Context, Regulator, Slots
from creatura.world import Episode
from tests.property.strategies import faults, worlds

DESIGNS = [entry.name for entry in (*resolver.designs(), *resolver.presets())]


class Witness(Slots):
    """Passes every slot on to a design and checks what goes in and out."""

    def __init__(self, inner: Regulator) -> None:
        self.inner, self.name, self.layer = inner, inner.name, inner.layer
        self.asked = 0

    def begin(self, brief):
        return self.inner.begin(brief)

    def error(self, context):
        error = self._pure("error", context)
        assert 0.0 <= error <= 1.0
        return error

    def freedom(self, context, error):
        freedom = self._pure("freedom", context, error)
        assert 0.0 <= freedom <= 1.0
        return freedom

    def stop(self, context):
        return self._pure("stop", context)

    def probe(self, context):
        return self._pure("probe", context)

    def shape(self, context, offered):
        shaped = self._pure("shape", context, offered)
        assert set(shaped) <= set(offered), "a design may hold tools back, not add any"
        assert len(set(shaped)) == len(shaped)
        return shaped

    def seat(self, context):
        text = self._pure("seat", context)
        assert isinstance(text, str)
        return text

    def hold(self, context, tool):
        return self._pure("hold", context, tool)

    def record(self, context, event):
        return self._pure("record", context, event)

    def tell(self, context, event):
        rows = self._pure("tell", context, event)
        for row in rows:
            assert 0.0 <= row.stress <= 1.0
            assert 0.0 <= row.freedom <= 1.0
            assert row.level
            assert row.action
        return rows

    def sleep(self, context):
        goal = copy.deepcopy(context.brief.goal)
        slept = self._pure("sleep", context)
        assert context.brief.goal == goal, "sleep only proposes"
        assert isinstance(slept.proposal, str)
        return slept

    def _pure(self, slot: str, context: Context, *rest: object) -> object:
        """Asks twice: the same question has the same answer, and asking leaves nothing behind."""
        self.asked += 1
        memory = copy.deepcopy(context.memory)
        ask = getattr(self.inner, slot)
        answer = ask(context, *rest)
        assert ask(context, *rest) == answer
        assert context.memory == memory, f"'{slot}' changed the memory it was given"
        return answer


@pytest.mark.parametrize("name", DESIGNS)
@given(data=st.data())
@settings(max_examples=25)
def test_a_design_keeps_its_promises_in_any_world(name, data):
    world = data.draw(worlds())
    episodes = [Episode(seed, 0, data.draw(faults(world))) for seed in range(3)]
    witness = Witness(resolver.design(name))
    results = loop.run(
        world,
        [loop.Player(witness, resolver.seat("bfs"))],
        episodes,
        max_ticks=12,
        backend="interpreter",
    )
    assert witness.asked
    plain = loop.run(
        world,
        [loop.Player(resolver.design(name), resolver.seat("bfs"))],
        episodes,
        max_ticks=12,
        backend="interpreter",
    )
    for run in range(len(episodes)):
        watched = list(results.trace.rows(run))
        assert watched == list(plain.trace.rows(run)), "slots at their default give the same rows"


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_a_frozen_record_of_its_options(name):
    design = resolver.design(name)
    assert design == resolver.design(name)
    assert hash(design) == hash(resolver.design(name))
    with pytest.raises(AttributeError):
        design.name = "another"  # type: ignore[misc]
