"""Laws of the loop that hold for every world, fault schedule, seed and design."""

from __future__ import annotations

import dataclasses
import random
import zlib
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import loop, resolver
from creatura.bits import masks_of
from creatura.protocols import Claims, Findings
from creatura.results import Results
from creatura.world import Episode, Fault, Mode, World
from tests.property.strategies import PROMPT_MODES, faults, worlds
from tests.worlds import restore_service

DESIGNS = [entry.name for entry in resolver.designs()]
TRUSTING = "careless"  # believes reports, so what holds for the membrane does not hold for it


def run(
    world: World,
    design: str,
    episodes: list[Episode],
    observers=(),
    backend="interpreter",
    agents=1,
) -> Results:
    player = loop.Player(resolver.design(design), resolver.seat("bfs"))
    cast = [player] * agents
    return loop.run(world, cast, episodes, max_ticks=15, observers=observers, backend=backend)


def account(results: Results, index: int) -> object:
    """Everything a run left behind, in words, so that batches can be compared."""
    return (
        list(results.trace.rows(index)),
        list(results.lies.of(index)),
        list(results.quarantines.of(index)),
        bool(results.goal_reached[index]),
        int(results.ticks[index]),
        results.declared_done[index].tolist(),
        results.reason(index),
        results.final_facts[index],
        {
            f.name: getattr(results.counts, f.name)[index].tolist()
            for f in dataclasses.fields(results.counts)
        },
        results.findings[index] if results.findings else None,
    )


@st.composite
def batches(draw: st.DrawFn, modes: tuple[Mode, ...] = tuple(Mode)) -> tuple[World, list[Episode]]:
    world = draw(worlds())
    some = faults(world, modes=modes)
    episode = st.builds(Episode, st.integers(-5, 2**40), st.integers(0, 9), some)
    return world, draw(st.lists(episode, min_size=1, max_size=8))


@given(batches(), st.sampled_from(DESIGNS), st.integers(1, 3))
@settings(max_examples=60)
def test_a_batch_gives_the_same_rows_as_single_runs(batch, design, agents):
    world, episodes = batch
    critic = [resolver.observer("critic")]
    together = run(world, design, episodes, critic, agents=agents)
    for i, episode in enumerate(episodes):
        alone = run(world, design, [episode], critic, agents=agents)
        assert account(together, i) == account(alone, 0)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_batch_of_a_thousand_gives_the_same_rows_as_a_thousand_single_runs(design):
    world, draw = restore_service(), random.Random(2)
    tools = [tool.id for tool in world.brief.tools]
    episodes = [
        Episode(
            seed=draw.randrange(2**32),
            episode=i,
            faults=tuple(
                Fault(draw.choice(tools), draw.choice(PROMPT_MODES), probability=draw.random())
                for _ in range(draw.randrange(4))
            ),
        )
        for i in range(1_000)
    ]
    critic = [resolver.observer("critic")]
    together = run(world, design, episodes, critic, backend="fused")
    for i, episode in enumerate(episodes):
        alone = run(world, design, [episode], critic, backend="fused")
        assert account(together, i) == account(alone, 0)


@given(batches(), st.sampled_from(DESIGNS))
@settings(max_examples=30)
def test_both_back_ends_give_the_same_rows(batch, design):
    world, episodes = restore_service(), batch[1]
    tools = [tool.id for tool in world.brief.tools]
    known = [
        dataclasses.replace(
            episode,
            faults=tuple(
                dataclasses.replace(
                    fault,
                    tool=tools[zlib.crc32(fault.tool.encode()) % len(tools)],
                    fact=fault.fact and world.brief.facts[int(fault.fact[1:])],
                )
                for fault in episode.faults
            ),
        )
        for episode in episodes
    ]
    fused = run(world, design, known, backend="fused")
    reference = run(world, design, known, backend="interpreter")
    for i in range(len(known)):
        assert account(fused, i) == account(reference, i)


@given(batches(), st.sampled_from(DESIGNS))
@settings(max_examples=60)
def test_rows_are_the_same_with_and_without_the_critic(batch, design):
    world, episodes = batch
    watched = run(world, design, episodes, [resolver.observer("critic")])
    alone = run(world, design, episodes)
    for i in range(len(episodes)):
        assert account(watched, i)[:-1] == account(alone, i)[:-1]


@dataclass(frozen=True)
class Onlooker:
    """An observer that keeps the facts around every act."""

    name: str = "onlooker"
    acts: list[tuple[int, int, int, bool, int, int]] = field(default_factory=list)

    def watch(self, brief, num_runs):
        return self

    def saw(self, claims: Claims) -> None:
        columns = zip(
            claims.runs.tolist(), claims.tools.tolist(), claims.success.tolist(),
            masks_of(claims.before), masks_of(claims.after), strict=True,
        )  # fmt: skip
        self.acts.extend((r, claims.tick, *act) for r, *act in columns)

    def closed(self, tick, agent, runs, facts) -> None: ...

    def findings(self, run: int) -> Findings:
        return Findings(0, 0, 0, ())


@given(batches(PROMPT_MODES), st.sampled_from([d for d in DESIGNS if d != TRUSTING]))
@settings(max_examples=150)
def test_no_lie_ever_counts_as_progress(batch, design):
    world, episodes = batch
    onlooker = Onlooker()
    results = run(world, design, episodes, [onlooker])
    brief = world.brief
    lies = results.lies
    keys = zip(lies.run.tolist(), lies.tick.tolist(), strict=True)
    told = dict(zip(keys, lies.caught.tolist(), strict=True))
    for index, tick, tool, success, before, after in onlooker.acts:
        promised = brief.tools[tool].grants & ~before
        is_lie = success and promised & after == 0 and promised != 0
        assert is_lie == ((index, tick) in told)
        if is_lie:
            assert told[index, tick], "the membrane catches a lie on the tick it is told"
            assert after == before
            assert brief.progress(after) == brief.progress(before)


@given(batches(), st.sampled_from([d for d in DESIGNS if d != TRUSTING]))
@settings(max_examples=100)
def test_done_is_what_the_facts_say_under_every_kind_of_fault(batch, design):
    world, episodes = batch
    results = run(world, design, episodes)
    for i in range(len(episodes)):
        assert bool(results.goal_reached[i]) is world.brief.goal.is_met(results.final_facts[i])
        assert bool(results.declared_done[i, 0]) is bool(results.goal_reached[i])
        assert not results.false_completion[i]


@given(batches())
@settings(max_examples=60)
def test_the_control_arm_is_exposed_exactly_where_its_done_is_untrue(batch):
    world, episodes = batch
    results = run(world, TRUSTING, episodes)
    for i in range(len(episodes)):
        met = world.brief.goal.is_met(results.final_facts[i])
        assert bool(results.false_completion[i]) is bool(results.declared_done[i, 0] and not met)


CAPS = {1: 0.30, 2: 0.50, 3: 0.65, 4: 0.80, 5: 0.95}
NEEDED = {1: 2, 2: 3, 3: 5, 4: 12}


def stages(kinds: list[tuple[int, str]], start: int) -> dict[int, int]:
    """The stage at the start of each tick, worked out again from what the acts came to."""
    stage, hits, total, misses, by_tick = start, 0, 0, 0, {}
    for tick, kind in kinds:
        by_tick.setdefault(tick, stage)
        if kind == "landed":
            hits, total, misses = hits + 1, total + 1, 0
            if stage < 5 and hits >= NEEDED[stage] and hits / total >= 0.8:
                stage += 1
        elif kind in ("lie", "failure", "partial"):
            total, misses = total + 1, misses + 1
            if misses == 2:
                stage, hits, total, misses = max(1, stage - 1), 0, 0, 0
    return by_tick


@pytest.mark.parametrize("design", ["hybrid", "self-model"])
@given(batches(), st.integers(1, 5))
@settings(max_examples=100)
def test_a_design_with_stages_never_exceeds_the_ceiling_it_has_earned(design, batch, start):
    world, episodes = batch
    results = run(world, f"{design}(stage={start})", episodes)
    for i in range(len(episodes)):
        rows = list(results.trace.rows(i))
        # An act may be told in several rows, and counts once.
        earned = stages(list(dict.fromkeys((row.tick, row.kind) for row in rows)), start)
        assert all(row.freedom <= CAPS[earned[row.tick]] for row in rows)


@given(batches())
@settings(max_examples=30)
def test_splitting_and_permuting_a_batch_moves_nothing(batch):
    world, episodes = batch
    order = np.argsort([e.seed for e in episodes], kind="stable").tolist()
    whole = run(world, "plain", episodes)
    mixed = run(world, "plain", [episodes[i] for i in order])
    for position, i in enumerate(order):
        assert account(whole, i) == account(mixed, position)
