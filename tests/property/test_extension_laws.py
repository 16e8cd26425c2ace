"""Laws of extensions and sequences, for every world, fault schedule, seed and design."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import loop, resolver
from creatura.extensions.exploration import Exploration
from creatura.extensions.honest_failure import HonestFailure
from creatura.extensions.memory import Memory
from creatura.extensions.note import Note
from creatura.extensions.veto import Veto
from creatura.protocols import Extension
from creatura.results import Results
from creatura.world import Episode, World
from tests.property.strategies import faults, worlds
from tests.property.test_loop_laws import DESIGNS, TRUSTING, account

EXTENSIONS = (
    HonestFailure(),
    Exploration(),
    Exploration(scaled=True),
    Memory(),
    Veto(times=2),
    Note(text="the ramp sticks"),
)
some_extensions = st.lists(st.sampled_from(EXTENSIONS), unique=True, max_size=4).map(tuple)
Sequences = list[list[Episode]]


@st.composite
def sequences(draw: st.DrawFn) -> tuple[World, Sequences]:
    world = draw(worlds())
    episode = st.builds(Episode, st.integers(0, 2**40), st.integers(0, 9), faults(world))
    length = draw(st.integers(1, 3))
    one = st.lists(episode, min_size=length, max_size=length)
    return world, draw(st.lists(one, min_size=1, max_size=4))


def played(
    world: World, design: str, extensions: tuple[Extension, ...], cases: Sequences, agents: int = 1
) -> list[Results]:
    player = loop.Player(resolver.design(design), resolver.seat("bfs"), extensions=extensions)
    how = loop.Settings(15, backend="interpreter")
    return list(loop.run_sequences(world, [player] * agents, cases, how))


@given(sequences(), st.sampled_from(DESIGNS), some_extensions, st.integers(1, 2))
@settings(max_examples=80)
def test_sequences_in_a_batch_give_the_same_rows_as_each_alone(drawn, design, extensions, agents):
    world, cases = drawn
    together = played(world, design, extensions, cases, agents)
    for i, sequence in enumerate(cases):
        alone = played(world, design, extensions, [sequence], agents)
        for number, results in enumerate(alone):
            assert account(together[number], i) == account(results, 0)


@given(sequences(), st.sampled_from(DESIGNS), some_extensions)
@settings(max_examples=80)
def test_done_is_what_the_facts_say_whatever_hangs_on_the_loop(drawn, design, extensions):
    world, cases = drawn
    for results in played(world, design, extensions, cases):
        for run in range(len(cases)):
            met = world.brief.goal.is_met(results.final_facts[run])
            assert bool(results.goal_reached[run]) == met
            if design != TRUSTING:
                assert bool(results.declared_done[run, 0]) == met


@given(sequences(), st.sampled_from(DESIGNS))
@settings(max_examples=40)
def test_a_case_does_not_know_the_one_before_unless_something_is_carried(drawn, design):
    world, cases = drawn
    several = played(world, design, (HonestFailure(), Exploration()), cases)
    for number, results in enumerate(several):
        episodes = [[sequence[number]] for sequence in cases]
        (alone,) = played(world, design, (HonestFailure(), Exploration()), episodes)
        for run in range(len(cases)):
            assert account(results, run) == account(alone, run)
