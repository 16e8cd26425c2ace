"""Faults: which call a fault falls on, whose it is, and what the draws depend on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from creatura.world import Episode, Fault, Mode, World, parse_world

WORLD = """
name: two-bells
facts: [rung, struck]
tools:
  ring: {grants: [rung]}
  strike: {grants: [struck]}
task: {goal: rung and struck}
"""
BELLS = parse_world(WORLD)
RING, STRIKE = 0, 1
MANY = 64


def heads(tool: str = "ring") -> Fault:
    """Fails on about every other call."""
    return Fault(tool, Mode.FAIL, probability=0.5)


def calls(
    episodes: Sequence[Episode],
    actions: Sequence[Sequence[int]],
    ticks: Sequence[int] = (1,),
    world: World = BELLS,
) -> np.ndarray:
    """Makes the same calls, tools by position, in each tick.

    Returns what they came to `[T, W, A]`: s for success, f for failure, l for a lie.
    """
    called = np.array(actions, dtype=np.int64)
    stage = world.stage(episodes, called.shape[1], "interpreter")
    live = np.ones(called.shape, dtype=bool)
    reports = [stage.step(called, live, tick) for tick in ticks]
    return np.array([np.where(r.lied, "l", np.where(r.success, "s", "f")) for r in reports])


def told(
    *faults: Fault,
    ticks: int = 6,
    agents: Sequence[int] = (RING,),
    world: World = BELLS,
) -> list[str]:
    """What each agent's calls came to in one run, a letter a tick."""
    found = calls([Episode(0, 0, faults)], [agents], range(1, ticks + 1), world)
    return ["".join(column) for column in found[:, 0].T]


def is_even(calls_of: np.ndarray) -> bool:
    """Whether about half of these calls failed."""
    return bool(0.25 < (calls_of == "f").mean() < 0.75)


# --------------------------------------------------------------------------- draws

VARIED = {
    "seed": [Episode(i, 0, (heads(),)) for i in range(MANY)],
    "episode": [Episode(0, i, (heads(),)) for i in range(MANY)],
}


@pytest.mark.parametrize("key", list(VARIED))
def test_a_chance_falls_for_each_seed_and_each_episode_by_itself(key):
    assert is_even(calls(VARIED[key], [[RING]] * MANY))


def test_a_chance_falls_anew_in_each_tick():
    assert is_even(calls([Episode(0, 0, (heads(),))], [[RING]], range(1, MANY + 1)))


def test_a_chance_falls_for_each_agent_by_itself():
    assert is_even(calls([Episode(0, 0, (heads(),))], [[RING] * MANY]))


def test_a_chance_falls_for_each_tool_by_itself():
    episodes = [Episode(0, 0, (heads("ring"),)), Episode(0, 0, (heads("strike"),))]
    ring, strike = calls(episodes, [[RING], [STRIKE]], range(1, MANY + 1))[:, :, 0].T
    assert 0.25 < (ring == strike).mean() < 0.75


def test_two_chances_of_one_tool_are_independent():
    # A fault that falls decides the call, so the second is seen where the first does not fall; were
    # both one draw, it never would be.
    faults = (Fault("ring", Mode.LIE, probability=0.5), heads())
    found = calls([Episode(0, 0, faults)], [[RING]], range(1, 4 * MANY + 1))
    shares = [(found == letter).mean() for letter in "lfs"]
    assert shares == pytest.approx([0.5, 0.25, 0.25], abs=0.1)


def test_a_chance_of_none_and_of_one_are_never_and_always():
    never, always = (Fault("ring", Mode.FAIL, probability=p) for p in (0.0, 1.0))
    assert told(never) == ["ssssss"]
    assert told(always) == ["ffffff"]


def test_a_chance_is_the_same_alone_and_among_many():
    episodes = [Episode(seed, 3, (heads(),)) for seed in range(8)]
    ticks = range(1, 9)
    together = calls(episodes, [[RING]] * 8, ticks)
    for i, episode in enumerate(episodes):
        alone = calls([episode], [[RING]], ticks)
        assert alone[:, 0].tolist() == together[:, i].tolist()


# --------------------------------------------------------------------------- schedules


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault("ring", Mode.FAIL), "ffffff"),
        (Fault("ring", Mode.FAIL, times=1), "fsssss"),
        (Fault("ring", Mode.FAIL, times=4), "ffffss"),
        (Fault("ring", Mode.FAIL, ticks=(2, 5)), "sfssfs"),
        (Fault("strike", Mode.FAIL), "ssssss"),
    ],
)
def test_a_schedule_says_which_calls_go_wrong(fault, expected):
    assert told(fault) == [expected]


def test_a_count_is_kept_for_each_run():
    once, twice = (Fault("ring", Mode.FAIL, times=n) for n in (1, 2))
    episodes = [Episode(0, 0, (once,)), Episode(0, 0, (twice,)), Episode()]
    found = calls(episodes, [[RING]] * 3, range(1, 4))[:, :, 0]
    assert ["".join(run) for run in found.T] == ["fss", "ffs", "sss"]


def test_a_fault_may_meet_one_agent_only():
    fault = Fault("ring", Mode.FAIL, times=2, agent=1)
    assert told(fault, agents=(RING, RING), ticks=4) == ["ssss", "ffss"]


def test_the_calls_of_other_agents_and_tools_use_up_no_count():
    fault = Fault("ring", Mode.FAIL, times=1, agent=1)
    found = [told(fault, agents=agents) for agents in ((RING, STRIKE), (RING, RING))]
    assert found == [["ssssss", "ssssss"], ["ssssss", "fsssss"]]


def test_a_count_that_agents_share_is_used_up_in_agent_order():
    fault = Fault("ring", Mode.FAIL, times=3)
    assert told(fault, agents=(RING, RING), ticks=3) == ["ffs", "fss"]


def test_a_fault_in_the_shade_of_another_is_not_used_up():
    faults = (Fault("ring", Mode.DELIVER, ticks=(1, 2)), Fault("ring", Mode.FAIL, times=2))
    assert told(*faults) == ["ssffss"]


# --------------------------------------------------------------------------- whose comes first


def test_the_faults_of_an_episode_come_before_those_of_the_world():
    world = parse_world(WORLD + "faults: [{tool: ring, mode: lie, times: 2}]\n")
    assert told(world=world) == ["llssss"]
    assert told(Fault("ring", Mode.FAIL, times=3), world=world) == ["ffflls"]


def test_the_first_fault_that_is_due_decides():
    lies, fails = Fault("ring", Mode.LIE, ticks=(2, 3)), Fault("ring", Mode.FAIL, ticks=(3, 4))
    assert told(lies, fails) == ["sllfss"]
    assert told(fails, lies) == ["slffss"]


def test_the_faults_of_one_run_do_not_reach_another():
    episodes = [Episode(0, 0, (Fault("ring", Mode.FAIL),)), Episode()]
    found = calls(episodes, [[RING], [RING]], range(1, 4))[:, :, 0]
    assert ["".join(run) for run in found.T] == ["fff", "sss"]


def test_what_a_failure_or_a_lie_reports_never_lands():
    for mode, success in ((Mode.FAIL, False), (Mode.LIE, True), (Mode.DELIVER, True)):
        stage = BELLS.stage([Episode(0, 0, (Fault("ring", mode),))], 1, "interpreter")
        report = stage.step(np.array([[RING]]), np.array([[True]]), 1)
        assert report.success[0, 0] == success
        assert report.lied[0, 0] == (mode is Mode.LIE)
        assert stage.facts("engine")[0, 0, 0] == (mode is Mode.DELIVER)
