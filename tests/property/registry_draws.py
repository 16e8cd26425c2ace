"""Registry draws: casts, variables, and numbers that fit them or that fit for one flaw."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from creatura.vfs import Holders
from creatura.vfs.schema import ROLES
from tests.property.registry_model import (
    DTYPES,
    OF_AGENTS,
    SCOPES,
    Cast,
    Element,
    Variable,
    float32,
)

Numbers = tuple[str, tuple[int, ...], list[float]]  # dtype, shape, and what is in it
LENGTHS = {"vec2i": (2,), "vec2f": (2,)}
FLAWS = ("shape", "dtype", "beyond", "nan", "inf", "twice", "nowhere")
OTHERS = ("float64", "int32", "uint8", "bool", "int64", "float32", "bfloat16")
MOST_INT = 2**63 - 1
MOST_FLOAT = float(np.finfo(np.float32).max)


@st.composite
def casts(draw: st.DrawFn, is_sparse: bool = False) -> Cast:
    agents = draw(st.integers(1, 4))
    pairs = st.tuples(*[st.integers(0, agents - 1)] * 2)
    some = st.lists(pairs, min_size=1, max_size=5, unique=True).map(tuple)
    holders = Holders(
        groups=("north", "south"),
        zones=("harbour", "market", "mill"),
        affordances=("bed",),
        items={"lantern": "lamp", "loaf": "food", "torch": "lamp"},
        num_slots=draw(st.integers(1, 2)),
        edges=draw(some if is_sparse else st.none() | some),
    )
    return Cast(draw(st.integers(1, 4)), agents, holders)


@st.composite
def variables(draw: st.DrawFn, cast: Cast, id: str, scope: str | None = None) -> Variable:
    """Draws a variable of any scope, type, lifetime, range and roles."""
    scope = draw(st.sampled_from(SCOPES)) if scope is None else scope
    kind = draw(st.sampled_from(list(DTYPES)))
    length = draw(st.integers(1, 3))
    count = draw(st.integers(1, 3)) if kind in ("categorical", "one_hot") else 0
    shape: tuple[int, ...] = LENGTHS.get(kind, ())
    if kind in ("vecNf", "mask", "message_token"):
        shape = (length,)
    elif kind == "one_hot":
        shape = (count,)
    elif kind == "matrix":
        shape = (length, draw(st.integers(1, 2)))
    readers = st.sampled_from(("agent", "vtc") if scope == "agent_private" else readers_of(scope))
    fields: dict[str, Any] = {
        "id": id, "scope": scope, "type": kind, "shape": shape, "count": count,
        "lifetime": draw(st.sampled_from(["tick", "episode", "persistent"])),
        "range": draw(st.none() | ranges(kind)),
        "readers": draw(st.lists(readers, max_size=4, unique=True).map(tuple)),
        "writers": draw(st.lists(st.sampled_from(COMMON), max_size=4, unique=True).map(tuple)),
        "profile": draw(st.sampled_from(["lamp", "food"])) if scope == "item" else None,
    }  # fmt: skip
    plain = Variable(**fields, start=())
    if draw(st.integers(0, 9)) == 0:
        zeros = tuple(_typed(plain, 0) for _ in range(math.prod(shape)))
        return Variable(**fields, start=zeros, is_derived=True)
    rng = random.Random(draw(st.integers(0, 2**16)))
    places = cast.places(plain) if scope != "global" else []
    chosen = draw(st.lists(st.sampled_from(places), max_size=2)) if places else []
    at = {place: element(rng, plain) for place in chosen}
    return Variable(**fields, start=element(rng, plain), start_at=at)


# Few enough that a role which is asked for is often one that is listed.
COMMON = ("agent", "other_agents", "engine", "vtc", "seat")


def readers_of(scope: str) -> tuple[str, ...]:
    return COMMON if scope in OF_AGENTS else tuple(r for r in COMMON if r != "other_agents")


def roles(listed: tuple[str, ...] = ()) -> st.SearchStrategy[str]:
    """Draws a role, half of the time one that is listed."""
    other = st.sampled_from(COMMON) | st.sampled_from([*ROLES, "nobody_known"])
    return st.sampled_from(listed) | other if listed else other


def agents(cast: Cast) -> st.SearchStrategy[Any]:
    """Draws who asks: nobody, an agent, or what is no agent's number."""
    there = st.integers(0, cast.agents - 1)
    return st.none() | there | there | st.sampled_from([-1, 9, True])


def ranges(kind: str) -> st.SearchStrategy[Any]:
    if kind in ("int", "vec2i"):
        ends = st.integers(-5, 5) | st.sampled_from([-MOST_INT - 1, 2**53 + 1, MOST_INT])
    elif DTYPES[kind] == "float32":
        # 0.1 is no 32-bit float, and is a bound all the same.
        ends = st.sampled_from([-1e30, -2, -0.7, 0, 0.1, 0.25, 1, 3e38])
    else:
        return st.none()
    return st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))


def element(rng: random.Random, variable: Variable) -> Element:
    """Makes one value that fits."""
    length = math.prod(variable.shape)
    if variable.type == "one_hot":
        on = rng.randrange(length)
        return tuple(i == on for i in range(length))
    return tuple(_number(rng, variable) for _ in range(length))


def _number(rng: random.Random, variable: Variable) -> float:
    if variable.dtype == "bool":
        return rng.random() < 0.5
    if variable.dtype == "int64":
        low, high = variable.bounds or (-MOST_INT - 1, MOST_INT)
        return rng.choice([low, high, rng.randint(int(low), int(high))])
    low, high = variable.bounds or (-MOST_FLOAT, MOST_FLOAT)
    number = low + rng.random() * (high - low) if variable.bounds else rng.uniform(-9, 9)
    return rng.choice([low, high, min(max(float32(number), low), high)])


def _typed(variable: Variable, number: float) -> float:
    return {"bool": bool, "int64": int, "float32": float}[variable.dtype](number)


@st.composite
def numbers(draw: st.DrawFn, variable: Variable, shape: tuple[int, ...]) -> Numbers:
    """Draws numbers of a shape that are values of a variable."""
    rng = random.Random(draw(st.integers(0, 2**16)))
    length = math.prod(variable.shape)
    parts = (element(rng, variable) for _ in range(math.prod(shape) // length))
    return variable.dtype, shape, [number for part in parts for number in part]


@st.composite
def flawed(draw: st.DrawFn, variable: Variable, value: Numbers) -> Numbers:
    """Draws what is wrong with a value, where that can be wrong with one of its type."""
    dtype, shape, held = value
    flaw = draw(st.sampled_from(FLAWS))
    at = draw(st.integers(0, max(len(held) - 1, 0)))
    if flaw == "shape":
        shape = draw(st.sampled_from([(), (*shape, 1), (1, *shape), (shape[0] + 1, *shape[1:])]))
        return dtype, shape, [held[0] if held else _typed(variable, 0)] * math.prod(shape)
    if flaw == "dtype":
        other = draw(st.sampled_from([other for other in OTHERS if other != dtype]))
        return other, shape, [1 if "nt" in other else float(i % 2) for i in range(len(held))]
    if not held:
        return value
    if flaw in ("nan", "inf") and dtype == "float32":
        held[at] = draw(st.sampled_from([math.inf, -math.inf])) if flaw == "inf" else math.nan
    elif flaw == "beyond" and variable.bounds is not None:
        held[at] = _beyond(draw, variable)
    elif variable.type == "one_hot":
        length = variable.count
        start = at // length * length
        held[start : start + length] = [flaw == "twice"] * length
    return dtype, shape, held


def _beyond(draw: st.DrawFn, variable: Variable) -> float:
    """Draws the nearest number on either side of the range, where the type has one."""
    assert variable.bounds is not None
    low, high = variable.bounds
    if variable.dtype == "int64":
        low, high = max(int(low) - 1, -MOST_INT - 1), min(int(high) + 1, MOST_INT)
    else:
        low = float(np.nextafter(np.float32(low), np.float32(-np.inf)))
        high = float(np.nextafter(np.float32(high), np.float32(np.inf)))
    return draw(st.sampled_from([low, high]))


@st.composite
def holders(draw: st.DrawFn, cast: Cast, variable: Variable) -> Any:
    """Draws somebody who holds a value, by number or name, or one who is not there."""
    axes = len(cast.sizes(variable))
    unknown = ["nobody", "harbor", -1, 9, True, (0, 9), (True, False), (0, 0, 0)]
    if axes == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(unknown))
    place = draw(st.sampled_from(cast.places(variable)))
    if axes > 1:
        return place
    names = cast.names(variable)
    return names[place[0]] if names and draw(st.booleans()) else place[0]


def presented(value: Numbers, form: str) -> Any:
    """Makes what a caller hands over: a tensor, or an array of some order in memory."""
    dtype, shape, held = value
    if dtype == "bfloat16":
        return torch.tensor(held, dtype=torch.bfloat16).reshape(shape)
    array = np.array(held, dtype=dtype).reshape(shape)
    match form:
        case "tensor":
            return torch.from_numpy(array)
        case "fortran":
            return np.asfortranarray(array) if array.ndim else array
        case "list":
            # What lists of floats become is float64, which is no value of any variable.
            return array.tolist() if dtype in ("int64", "bool") and held else array
        case _:
            return array
