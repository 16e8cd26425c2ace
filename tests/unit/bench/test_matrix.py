"""Matrix: what a case is, and how cases of one cast follow on one another."""

from __future__ import annotations

import pytest

from bench.matrix import Case, Earlier, Player, sequence
from creatura.errors import AuthorError
from creatura.world import Fault, Mode

LIE = Fault("deploy", Mode.LIE, times=1)
CASE = Case("restore_service", (Player("hybrid"),), (LIE,), seed=7)


def test_a_sequence_has_the_same_trouble_anew_in_one_episode_after_another() -> None:
    cases = sequence(CASE, 3)
    assert [case.episode for case in cases] == [0, 1, 2]
    assert {(case.faults, case.seed, case.cast) for case in cases} == {((LIE,), 7, CASE.cast)}


def test_each_case_of_a_sequence_knows_all_those_before_it() -> None:
    first, second, third = sequence(CASE, 3)
    assert first == CASE
    assert second.earlier == (Earlier((LIE,), 7, 0),)
    assert third.earlier == (Earlier((LIE,), 7, 0), Earlier((LIE,), 7, 1))
    assert third.sequence == (first, second, third)


def test_a_sequence_may_go_on_from_a_case_that_has_a_past() -> None:
    whole = sequence(CASE, 4)
    assert sequence(whole[1], 3) == whole[1:]


def test_what_came_before_is_part_of_what_a_case_is() -> None:
    alone = Case(CASE.world, CASE.cast, CASE.faults, 7, 1)
    after_a_lie = sequence(CASE, 2)[1]
    after_none = Case(CASE.world, CASE.cast, CASE.faults, 7, 1, earlier=(Earlier((), 7, 0),))
    assert len({alone.id, after_a_lie.id, after_none.id}) == 3


@pytest.mark.parametrize(
    ("num_agents", "agents"), [(1, "agent 0 alone"), (2, "agents 0 to 1"), (3, "agents 0 to 2")]
)
def test_a_fault_for_an_agent_who_is_not_there_is_refused(num_agents: int, agents: str) -> None:
    cast = (Player("plain"),) * num_agents
    Case("restore_service", cast, (Fault("deploy", Mode.LIE, agent=num_agents - 1),))
    with pytest.raises(AuthorError) as error:
        Case("restore_service", cast, (Fault("deploy", Mode.LIE, agent=num_agents),))
    assert str(error.value) == (
        f"the fault of 'deploy': it is for agent {num_agents}, and this run has {agents}"
    )
