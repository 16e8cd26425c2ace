"""Scopes and types: where each variable's values lie, and what they start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from creatura.vfs import Extents, Holders, Registry, VariableSpec, allocate, build_roster
from creatura.vfs.storage import dense_pairs

HOLDERS = Holders(
    groups=("north", "south"),
    zones=("harbour", "market", "mill"),
    affordances=("bed", "well"),
    items={"lantern": "lamp", "loaf": "food", "torch": "lamp"},
    num_slots=4,
)
SHARED: dict[str, Any] = {"readable_by": ("engine", "vtc"), "writable_by": ("engine",)}


def spec(**fields: Any) -> VariableSpec:
    return VariableSpec(**{"id": "x", "type": "scalar", "initial": 0.5, **SHARED, **fields})


def start(holders: Holders = HOLDERS, agents: int = 3, **fields: Any) -> Any:
    roster = build_roster([spec(**fields)], holders)
    return allocate(roster, Extents(2, agents))["x"]


@pytest.mark.parametrize(
    ("scope", "profile", "shape"),
    [
        ("global", None, (2,)),
        ("agent", None, (2, 3)),
        ("agent_private", None, (2, 3)),
        ("item", "lamp", (2, 2)),
        ("item", "food", (2, 1)),
        ("pair", None, (2, 3, 3)),
        ("group", None, (2, 2)),
        ("affordance", None, (2, 2)),
        ("zone", None, (2, 3)),
        ("message", None, (2, 3, 4)),
    ],
)
def test_each_scope_has_its_axes_behind_the_worlds(
    scope: str, profile: str | None, shape: tuple[int, ...]
) -> None:
    readers = ("agent", "vtc") if scope == "agent_private" else ("engine",)
    value = start(scope=scope, profile=profile, readable_by=readers)
    assert tuple(value.shape) == shape
    assert value.eq(0.5).all()
    vectors = start(scope=scope, profile=profile, readable_by=readers, type="vec2f", initial=[1, 2])
    assert tuple(vectors.shape) == (*shape, 2)
    assert vectors[..., 0].eq(1).all()
    assert vectors[..., 1].eq(2).all()


@pytest.mark.parametrize(
    ("fields", "dtype", "value"),
    [
        ({"type": "scalar", "initial": 1}, torch.float32, 1.0),
        ({"type": "bool", "initial": True}, torch.bool, True),
        ({"type": "int", "initial": -3}, torch.int64, -3),
        ({"type": "categorical", "labels": ("dry", "wet"), "initial": "wet"}, torch.int64, 1),
        ({"type": "categorical", "labels": ("dry", "wet"), "initial": 0}, torch.int64, 0),
        ({"type": "vec2i", "initial": [3, -4]}, torch.int64, [3, -4]),
        ({"type": "vec2f", "initial": 0.5}, torch.float32, [0.5, 0.5]),
        ({"type": "vecNf", "dims": 3, "initial": [1, 2, 3]}, torch.float32, [1.0, 2.0, 3.0]),
        (
            {"type": "one_hot", "labels": ("calm", "cross", "sad"), "initial": "cross"},
            torch.bool,
            [False, True, False],
        ),
        ({"type": "one_hot", "dims": 2, "initial": 1}, torch.bool, [False, True]),
        ({"type": "mask", "dims": 2, "initial": [True, False]}, torch.bool, [True, False]),
        (
            {"type": "mask", "labels": ("tea", "rice", "salt"), "initial": ["salt", "tea"]},
            torch.bool,
            [True, False, True],
        ),
        ({"type": "mask", "labels": ("tea", "rice"), "initial": False}, torch.bool, [False] * 2),
        (
            {"type": "matrix", "dims": (2, 3), "initial": [[1, 2, 3], [4, 5, 6]]},
            torch.float32,
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        ),
        ({"type": "message_token", "dims": 2, "initial": 0.0}, torch.float32, [0.0, 0.0]),
    ],
)
def test_each_type_is_stored_as_declared(
    fields: dict[str, Any], dtype: torch.dtype, value: Any
) -> None:
    held = start(**fields)
    assert held.dtype is dtype
    assert held[0].tolist() == value == held[1].tolist()
    assert start(scope="agent", **fields)[1, 2].tolist() == value


def test_single_holders_start_where_the_author_says() -> None:
    zones = start(scope="zone", initial=0.1, initial_at={"market": 0.7, "2": 0.9})
    assert zones[0].tolist() == pytest.approx([0.1, 0.7, 0.9])
    lamps = start(scope="item", profile="lamp", initial_at={"torch": 0.0})
    assert lamps[1].tolist() == [0.5, 0.0]
    trust = start(scope="pair", initial_at={"0 to 2": 1.0})
    assert trust[0].tolist() == [[0.5, 0.5, 1.0], [0.5] * 3, [0.5] * 3]
    at = start(scope="agent", type="vec2i", initial=0, initial_at={"1": [7, 8]})
    assert at[1].tolist() == [[0, 0], [7, 8], [0, 0]]


def test_a_run_needs_every_agent_that_the_roster_names() -> None:
    roster = build_roster([spec(scope="agent", initial_at={"4": 1.0})])
    assert roster.min_agents == 5
    with pytest.raises(ValueError, match="names agent 4, so it needs at least 5 agents, found 3"):
        Registry(roster, Extents(1, 3))
    pairs = build_roster([spec(scope="pair")], Holders(edges=((0, 1), (2, 0))))
    assert pairs.min_agents == 3
    last = spec(scope="pair", initial_at={"1 to 1": 1.0})
    edges = ((0, 0), (0, 1), (1, 0), (1, 1))
    assert build_roster([last], Holders(edges=edges)).min_agents == 2
    assert build_roster([spec(scope="zone", initial_at={"mill": 0.1})], HOLDERS).min_agents == 1


def test_sparse_pairs_hold_what_dense_ones_do_where_there_is_a_pair() -> None:
    edges = ((0, 1), (2, 0), (1, 2))
    sparse = build_roster([spec(scope="pair", initial_at={"2 to 0": 1.0})], Holders(edges=edges))
    registry = Registry(sparse, Extents(2, 3))
    assert registry.get("x", "engine").tolist() == [[0.5, 1.0, 0.5]] * 2
    registry.set(
        "x", np.float32([0.25, 0.75]), "engine", tick=1, who="a test", holder=(1, 2)
    )  # fmt: skip
    assert registry.get("x", "engine", holder=(1, 2)).tolist() == [0.25, 0.75]
    values, exist = dense_pairs(sparse, sparse["x"], registry.get("x", "engine").numpy(), 3)
    assert exist.tolist() == [[False, True, False], [False, False, True], [True, False, False]]
    assert values[1].tolist() == [[0, 0.5, 0], [0, 0, 0.75], [1.0, 0, 0]]
    with pytest.raises(LookupError, match="'x' has no pair 1 to 0; it has 0 to 1, 2 to 0, 1 to 2"):
        registry.get("x", "engine", holder=(1, 0))
    dense = np.zeros((2, 3, 3), np.float32)
    with pytest.raises(ValueError, match=r"takes float32 \[2, 3\], found float32 \[2, 3, 3\]"):
        registry.set("x", dense, "engine", tick=1, who="a test")


@pytest.mark.parametrize("edges", [None, ((0, 1), (2, 0), (1, 2))])
def test_a_holder_is_not_numbered_by_bools(edges: tuple[tuple[int, int], ...] | None) -> None:
    registry = Registry(build_roster([spec(scope="pair")], Holders(edges=edges)), Extents(2, 3))
    with pytest.raises(LookupError, match="'x' has no"):
        registry.get("x", "engine", holder=(False, True))


def test_what_an_agent_that_has_ended_feels_outlasts_a_tick_in_sparse_pairs_too() -> None:
    edges = ((0, 1), (1, 0), (2, 0))
    roster = build_roster([spec(scope="pair", lifetime="tick")], Holders(edges=edges))
    registry = Registry(roster, Extents(2, 3))
    registry.set("x", np.full((2, 3), 9, np.float32), "engine", tick=1, who="a test")
    registry.start_tick(["x"], np.array([[True, False, True], [False, False, False]]))
    assert registry.get("x", "engine").tolist() == [[0.5, 9.0, 0.5], [9.0, 9.0, 9.0]]


def test_a_holder_is_named_or_numbered() -> None:
    roster = build_roster([spec(scope="item", profile="lamp"), spec(id="y", scope="zone")], HOLDERS)
    registry = Registry(roster, Extents(2))
    registry.set("x", np.float32([1, 2]), "engine", tick=1, who="a test", holder="torch")
    assert registry.get("x", "engine", holder=1).tolist() == [1.0, 2.0]
    assert registry.get("x", "engine", holder="lantern").tolist() == [0.5, 0.5]
    with pytest.raises(LookupError, match="'x' has no item 'loaf'"):
        registry.get("x", "engine", holder="loaf")
    with pytest.raises(LookupError, match="'y' has no zone 'mil'; did you mean 'mill'"):
        registry.get("y", "engine", holder="mil")
    with pytest.raises(LookupError, match="'y' has no zone 3; they go from 0 to 2"):
        registry.get("y", "engine", holder=3)


@pytest.mark.parametrize(
    ("fields", "value", "message"),
    [
        (
            {"type": "categorical", "labels": ("dry", "wet"), "initial": 0, "scope": "zone"},
            np.array([[0, 1, 2], [0, 0, 0]]),
            r"'x' takes \[0, 1\], found 2 \(world 0, zone 2\)",
        ),
        (
            {"type": "one_hot", "dims": 2, "initial": 0},
            np.array([[True, False], [True, True]]),
            r"'x' is on in one place, found 2 \(world 1\)",
        ),
        (
            {"type": "vecNf", "dims": 2, "initial": 0.0, "range": (0, 1)},
            np.float32([[0, 1], [0, 3]]),
            r"'x' takes \[0, 1\], found 3.0 \(world 1, element 1\)",
        ),
        (
            {"type": "matrix", "dims": (1, 2), "initial": 0.0, "scope": "group"},
            np.float32([[[[0, 1]], [[0, np.nan]]]] * 2),
            r"found nan \(world 0, group 1, element 0, element 1\)",
        ),
    ],
)
def test_a_value_that_is_none_of_the_type_is_refused(
    fields: dict[str, Any], value: Any, message: str
) -> None:
    registry = Registry(build_roster([spec(**fields)], HOLDERS), Extents(2))
    before = registry.get("x", "engine").clone()
    with pytest.raises(ValueError, match=message):
        registry.set("x", value, "engine", tick=1, who="a test")
    assert torch.equal(registry.get("x", "engine"), before)


def test_every_scope_starts_a_tick_and_an_episode_anew() -> None:
    roster = build_roster(
        [
            spec(id="spark", scope="pair", lifetime="tick"),
            spec(id="crowd", scope="zone", lifetime="tick"),
            spec(id="norm", scope="group"),
            spec(id="age", scope="item", profile="food", lifetime="persistent"),
        ],
        HOLDERS,
    )
    registry = Registry(roster, Extents(2, 3))
    for variable in roster.ids:
        full = torch.full_like(registry.get(variable, "engine"), 9.0)
        registry.set(variable, full, "engine", tick=1, who="a test")
    live = np.array([[True, False, True], [False, False, False]])
    registry.start_tick(["spark", "crowd"], live)
    assert registry.get("spark", "engine").tolist() == [
        [[0.5] * 3, [9.0] * 3, [0.5] * 3],
        [[9.0] * 3] * 3,
    ]
    assert registry.get("crowd", "engine").tolist() == [[0.5] * 3, [9.0] * 3]
    registry.reset(np.array([False, True]))
    assert registry.get("norm", "engine").tolist() == [[9.0] * 2, [0.5] * 2]
    assert registry.get("age", "engine").tolist() == [[9.0], [9.0]]


def test_what_no_machine_could_hold_is_refused_before_it_is_tried() -> None:
    roster = build_roster([spec(id="trust", scope="pair")])
    with pytest.raises(ValueError, match=r"373 GiB, 373 of them for 'trust'; at most 64 GiB"):
        allocate(roster, Extents(1_000, 10_000))
