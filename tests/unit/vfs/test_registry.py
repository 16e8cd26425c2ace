"""Registries: who may read and write what, and what a value must be to get in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from creatura.errors import AccessError
from creatura.vfs import (
    Attempt,
    Extents,
    Registry,
    UnknownVariableError,
    VariableSpec,
    allocate,
    build_roster,
    views,
)

SHARED: dict[str, Any] = {
    "readable_by": ("engine", "seat", "vtc"),
    "writable_by": ("engine", "vtc"),
}
ROSTER = build_roster(
    [
        VariableSpec(
            id="open",
            initial=True,
            readable_by=("engine", "seat", "vtc"),
            writable_by=("vtc", "engine"),
        ),
        VariableSpec(id="coins", scope="agent", type="int", initial=3, range=(0, 9), **SHARED),
        VariableSpec(
            id="energy", scope="agent", type="scalar", initial=0.5, range=(0.1, 1.0), **SHARED
        ),
        VariableSpec(id="age", type="int", initial=7, lifetime="persistent", **SHARED),
        VariableSpec(id="pulse", initial=False, lifetime="tick", writable_by=("engine",)),
        VariableSpec(id="hidden", initial=False, readable_by=("engine",)),
        VariableSpec(id="rich", scope="agent", expression="coins > 5"),
    ]
)


@pytest.fixture
def registry() -> Registry:
    return Registry(ROSTER, Extents(2, 3), audit=True)


def put(registry: Registry, variable: str, value: object, role: str = "engine") -> None:
    registry.set(variable, value, role, tick=4, who="a test")  # type: ignore[arg-type]


def test_storage_has_a_world_axis_and_the_declared_types() -> None:
    storage = allocate(ROSTER, Extents(2, 3))
    assert {name: (t.dtype, tuple(t.shape)) for name, t in storage.items()} == {
        "open": (torch.bool, (2,)),
        "coins": (torch.int64, (2, 3)),
        "energy": (torch.float32, (2, 3)),
        "age": (torch.int64, (2,)),
        "pulse": (torch.bool, (2,)),
        "hidden": (torch.bool, (2,)),
        "rich": (torch.bool, (2, 3)),
    }
    assert storage["coins"].eq(3).all()


def test_views_share_memory_with_the_tensors() -> None:
    storage = allocate(ROSTER, Extents(2, 3))
    views(storage)["coins"][1, 2] = 8
    assert storage["coins"][1, 2] == 8


@pytest.mark.parametrize("counts", [(0, 1), (1, 0), (-1, 1)])
def test_a_batch_without_worlds_or_agents_is_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1 is needed"):
        Extents(*counts)


def test_a_role_reads_what_lists_it(registry: Registry) -> None:
    assert registry.get("hidden", "engine").tolist() == [False, False]
    with pytest.raises(AccessError, match="role 'seat' may not read 'hidden'; allowed: engine"):
        registry.get("hidden", "seat")
    with pytest.raises(AccessError, match="role 'seat' may not read 'hidden'"):
        registry.reader("seat", ["open", "hidden"])


def test_a_role_writes_what_lists_it(registry: Registry) -> None:
    put(registry, "open", np.array([False, True]))
    assert registry.get("open", "seat").tolist() == [False, True]
    with pytest.raises(AccessError, match="may not write 'open'; allowed: vtc, engine"):
        put(registry, "open", np.array([True, True]), "agent")
    assert registry.get("open", "seat").tolist() == [False, True]


def test_nobody_but_the_rules_writes_a_derived_variable(registry: Registry) -> None:
    with pytest.raises(AccessError, match="may not write 'rich'; allowed: vtc"):
        put(registry, "rich", np.ones((2, 3), dtype=bool))


def test_an_unknown_variable_gets_the_nearest_name(registry: Registry) -> None:
    with pytest.raises(UnknownVariableError, match="no variable 'coin'; did you mean 'coins'"):
        registry.get("coin", "engine")
    with pytest.raises(UnknownVariableError, match="no variable 'opened'; did you mean 'open'"):
        put(registry, "opened", np.array([True, True]))


def test_readers_are_live_and_cannot_be_written(registry: Registry) -> None:
    coins = registry.reader("seat", ["coins"])["coins"]
    put(registry, "coins", np.full((2, 3), 9))
    assert coins.tolist() == [[9, 9, 9], [9, 9, 9]]
    with pytest.raises(ValueError, match="read-only"):
        coins[0, 0] = 1


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("coins", np.zeros(2, np.int64), r"'coins' takes int64 \[2, 3\], found int64 \[2\]"),
        ("coins", np.zeros((2, 3)), r"'coins' takes int64 \[2, 3\], found float64 \[2, 3\]"),
        ("coins", np.zeros((2, 3), bool), "found bool"),
        ("coins", torch.full((2, 3), 10), r"takes \[0, 9\], found 10 \(world 0, agent 0\)"),
        ("energy", torch.tensor([[1, 1, 1], [1, np.nan, 1]]), r"found nan \(world 1, agent 1\)"),
        ("energy", torch.full((2, 3), torch.inf), r"found inf \(world 0, agent 0\)"),
        ("energy", torch.full((2, 3), 1.5), r"takes \[0.1, 1.0\], found 1.5"),
    ],
)
def test_a_value_that_does_not_fit_changes_nothing(
    registry: Registry, variable: str, value: object, message: str
) -> None:
    before = registry.get(variable, "engine").clone()
    with pytest.raises(ValueError, match=message):
        put(registry, variable, value)
    assert torch.equal(registry.get(variable, "engine"), before)


def test_a_bound_is_within_the_range_it_bounds(registry: Registry) -> None:
    put(registry, "energy", torch.full((2, 3), 0.1))
    assert registry.get("energy", "engine").eq(0.1).all()


def test_every_attempted_write_is_attributable(registry: Registry) -> None:
    put(registry, "open", np.array([True, True]))
    with pytest.raises(AccessError):
        put(registry, "open", np.array([True, True]), "seat")
    with pytest.raises(ValueError, match="takes bool"):
        put(registry, "open", np.array([1, 1]))
    refused = "role 'seat' may not write 'open'; allowed: vtc, engine"
    assert list(registry.attempts) == [
        Attempt(4, "a test", "engine", "open", None),
        Attempt(4, "a test", "seat", "open", refused),
        Attempt(4, "a test", "engine", "open", "'open' takes bool [2], found int64 [2]"),
    ]


def test_a_tensor_that_numpy_cannot_hold_is_refused_on_the_record(registry: Registry) -> None:
    with pytest.raises(ValueError, match=r"'energy' takes .*, found torch.bfloat16 \[2, 3\]"):
        put(registry, "energy", torch.full((2, 3), 0.5, dtype=torch.bfloat16))
    (attempt,) = registry.attempts
    assert attempt.variable == "energy"
    assert "torch.bfloat16" in str(attempt.refusal)


def test_without_audit_nothing_is_kept() -> None:
    registry = Registry(ROSTER, Extents(2))
    put(registry, "open", np.array([True, True]))
    assert list(registry.attempts) == []


def test_a_reset_returns_chosen_worlds_to_their_start_and_keeps_what_persists(
    registry: Registry,
) -> None:
    put(registry, "coins", np.full((2, 3), 9))
    put(registry, "age", np.array([8, 8]))
    registry.reset(np.array([False, True]))
    assert registry.get("coins", "engine").tolist() == [[9, 9, 9], [3, 3, 3]]
    assert registry.get("age", "engine").tolist() == [8, 8]
    registry.reset()
    assert registry.get("coins", "engine").tolist() == [[3, 3, 3], [3, 3, 3]]


def test_a_transition_is_lent_what_its_role_may_touch_and_what_lives_a_tick(
    registry: Registry,
) -> None:
    assert list(registry.lend("vtc", ["open"], ["coins"])) == ["open", "coins", "pulse"]
    with pytest.raises(AccessError, match="may not write 'pulse'"):
        registry.lend("vtc", [], ["pulse"])
    with pytest.raises(AccessError, match="may not read 'hidden'"):
        registry.lend("vtc", ["hidden"], [])
