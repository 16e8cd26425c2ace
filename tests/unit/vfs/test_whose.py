"""Whose: an agent sees what it holds itself, and of others what is shown to others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from creatura.errors import AccessError, AuthorError
from creatura.vfs import Extents, Holders, Registry, VariableSpec, build_roster


def spec(scope: str, *readers: str, **fields: Any) -> VariableSpec:
    base = {"id": "mood", "scope": scope, "type": "scalar", "initial": 0.5}
    return VariableSpec(**{**base, "readable_by": readers, **fields})


def registry(*specs: VariableSpec, holders: Holders | None = None) -> Registry:
    made = Registry(build_roster(specs, holders), Extents(2, 3))
    for one in specs:
        held = made.get(one.id, one.readable_by[-1])
        rows = np.arange(held.shape[1], dtype=np.float32)
        shape = (1, -1, *(1,) * (held.ndim - 2))
        value = np.broadcast_to(rows.reshape(shape), held.shape)
        made.set(one.id, np.ascontiguousarray(value), "vtc", tick=0, who="a test")
    return made


@pytest.mark.parametrize("scope", ["agent", "agent_private"])
def test_an_agent_reads_its_own_value_and_nobody_elses(scope: str) -> None:
    held = registry(spec(scope, "agent", "vtc"))
    assert held.get("mood", "agent", agent=2).tolist() == [2.0, 2.0]
    assert held.get("mood", "agent", agent=2, holder=2).tolist() == [2.0, 2.0]
    refused = "role 'agent' may not read agent 1's 'mood'; allowed: its own agent"
    with pytest.raises(AccessError, match=refused):
        held.get("mood", "agent", agent=2, holder=1)
    with pytest.raises(AccessError, match="may not read everybody's 'mood'"):
        held.get("mood", "agent")
    with pytest.raises(AccessError, match="may not read everybody's 'mood'"):
        held.reader("agent", ["mood"])


def test_what_is_shown_to_others_is_read_of_others() -> None:
    held = registry(spec("agent", "agent", "other_agents", "vtc"))
    assert held.get("mood", "agent", agent=2, holder=1).tolist() == [1.0, 1.0]
    assert held.reader("agent", ["mood"])["mood"][0].tolist() == [0.0, 1.0, 2.0]
    assert held.get("mood", "other_agents", holder=0).tolist() == [0.0, 0.0]


def test_a_feeling_towards_another_is_its_holders() -> None:
    for edges in (None, ((0, 1), (2, 0), (2, 1))):
        held = registry(spec("pair", "agent", "vtc"), holders=Holders(edges=edges))
        own = held.get("mood", "agent", agent=2)
        assert own.shape == ((2, 2) if edges else (2, 3))
        assert held.get("mood", "agent", agent=2, holder=(2, 1)).shape == (2,)
        with pytest.raises(AccessError, match="may not read agent 0's 'mood'"):
            held.get("mood", "agent", agent=1, holder=(0, 1))


def test_an_agent_writes_its_own_value_only() -> None:
    held = registry(spec("agent_private", "agent", "vtc", writable_by=("agent", "vtc")))
    held.set("mood", np.float32([7, 8]), "agent", tick=3, who="agent 1", agent=1)
    assert held.get("mood", "agent", agent=1).tolist() == [7.0, 8.0]
    with pytest.raises(AccessError, match="role 'agent' may not write agent 0's 'mood'"):
        held.set("mood", np.float32([7, 8]), "agent", tick=4, who="agent 1", agent=1, holder=0)
    (attempt,) = held.attempts
    assert (attempt.tick, attempt.who, attempt.role, attempt.holder) == (4, "agent 1", "agent", 0)
    assert held.get("mood", "agent", agent=0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("agent", [-1, 3, True])
@pytest.mark.parametrize("edges", [None, ((0, 1), (2, 0))])
@pytest.mark.parametrize("scope", ["agent_private", "pair"])
def test_whoever_is_no_agent_of_the_run_gets_at_nobodys(
    scope: str, edges: tuple[tuple[int, int], ...] | None, agent: int
) -> None:
    private = spec(scope, "agent", "vtc", writable_by=("agent", "vtc"))
    held = registry(private, holders=Holders(edges=edges))
    before = held.snapshot()["mood"]
    with pytest.raises(LookupError, match=f"'mood' has no agent {agent}"):
        held.get("mood", "agent", agent=agent)
    with pytest.raises(LookupError, match=f"'mood' has no agent {agent}"):
        held.set("mood", before[:, -1], "agent", tick=1, who="a stranger", agent=agent)
    assert np.array_equal(held.snapshot()["mood"], before)
    (attempt,) = held.attempts
    assert (attempt.who, attempt.variable) == ("a stranger", "mood")


@pytest.mark.parametrize(
    "role", ["engine", "critic", "seat", "effect_check", "report", "other_agents", "renderer"]
)
def test_a_private_variable_can_be_shown_to_nobody_else(role: str) -> None:
    with pytest.raises(AuthorError) as caught:
        build_roster([spec("agent_private", "agent", role)])
    assert str(caught.value) == (
        f"a variable: variable 'mood' is agent_private and lists '{role}' in readable_by; its own "
        "agent reads it ('agent') and the rules may ('vtc'), nobody else"
    )


def test_who_may_do_what_is_little_unless_the_author_says_more() -> None:
    shared = VariableSpec(id="x", initial=False)
    assert (shared.readable_by, shared.writable_by) == (("engine", "vtc"), ("vtc",))
    private = VariableSpec(id="x", scope="agent_private", initial=False)
    assert (private.readable_by, private.writable_by) == (("agent", "vtc"), ("vtc",))
    assert shared.exposed_to == private.exposed_to == ()
