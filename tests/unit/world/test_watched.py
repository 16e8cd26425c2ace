"""Watched worlds: a critic wrapped round a world sees what one that rides the loop sees."""

import pytest

from creatura import loop, resolver
from creatura.world import Episode, Fault, Mode, WatchedWorld
from tests.property.test_loop_laws import account
from tests.worlds import LIE, restore_service

WORLD = restore_service()
EPISODES = [
    Episode(0, 0, (LIE,)),
    Episode(1, 0, (Fault("run-tests", Mode.SLOW, times=1, delay=2),)),
    Episode(2, 0, (Fault("deploy", Mode.FALSE_ALARM, times=1), LIE)),
]


def run(world, design, observers=(), agents=1):
    player = loop.Player(resolver.design(design), resolver.seat("bfs"))
    cast = [player] * agents
    return loop.run(world, cast, EPISODES, observers=observers, backend="interpreter")


@pytest.mark.parametrize("agents", [1, 2])
@pytest.mark.parametrize("design", ["plain", "orienting", "careless"])
def test_a_wrapped_world_gives_the_same_rows_and_the_same_findings(design, agents):
    critic = resolver.observer("critic")
    riding = run(WORLD, design, [critic], agents)
    wrapped = WatchedWorld(WORLD, critic)
    results = run(wrapped, design, agents=agents)
    (notebook,) = wrapped.notebooks
    for i in range(len(EPISODES)):
        assert account(results, i)[:-1] == account(riding, i)[:-1]
        assert riding.findings is not None
        assert notebook.findings(i) == riding.findings[i]
    assert bool(riding.findings[0].flags) is (agents == 1), "two agents: the other one's act landed"


def test_each_stage_of_a_watched_world_has_a_notebook_of_its_own():
    wrapped = WatchedWorld(WORLD, resolver.observer("critic"))
    run(wrapped, "plain")
    run(wrapped, "careless")
    first, second = wrapped.notebooks
    assert first.findings(0).claims == 8
    assert second.findings(0).claims == 7


def test_a_world_may_be_watched_twice_over():
    inner = WatchedWorld(WORLD, resolver.observer("critic"))
    outer = WatchedWorld(inner, resolver.observer("critic"))
    run(outer, "plain")
    assert inner.notebooks[0].findings(0) == outer.notebooks[0].findings(0)
