"""Normalise: a variable's values as lanes of 32-bit floats, and back where there is a way back.

An author declares a kind and its numbers. Each kind is one row of a table: the keys it takes, how
many lanes it gives, how values become lanes and lanes values. Arithmetic is done in 64-bit floats
and rounded once to 32, so an int beyond 2**53 is rounded before it. Finite values give finite
lanes: what a 32-bit float cannot hold becomes the largest that it can. A number that values are
compared with (`threshold`, `absent`) is read in the variable's own type, as in the rule language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, model_validator

from creatura.vfs.fields import Number

Values = NDArray[Any]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

# No variable holds more, and within it no difference of two numbers leaves the 64-bit floats.
LARGEST = float(np.finfo(np.float32).max)


class Kind(StrEnum):
    """How values become lanes; the formula stands at the function of each."""

    NONE = "none"
    MINMAX = "minmax"
    ZSCORE = "zscore"
    CYCLICAL = "cyclical_sin_cos"
    ONE_HOT = "one_hot"
    BINARY = "binary"
    LOG = "log_scaled"
    RANK = "rank_scaled"
    MASKED = "masked_value"


class Normalization(BaseModel):
    """What an author declares; which keys go with which kind, the table says.

    Attributes:
        min, max: The values that become 0 and 1.
        clip: Whether what lies outside them is held to 0 and 1.
        mean, std: The value that becomes 0, and how far from it the one lies that becomes 1.
        period: After how much the same lanes come again.
        size: How many values there are, from 0; None until the roster fills it in.
        threshold: A number above it is on; 0 where none is given, and a bool needs none.
        absent: The value that stands for nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    min: Number | None = None
    max: Number | None = None
    clip: StrictBool | None = None
    mean: Number | None = None
    std: Number | None = None
    period: Number | None = None
    size: StrictInt | None = None
    threshold: Number | None = None
    absent: Number | None = None

    @model_validator(mode="after")
    def _says_what_its_kind_takes(self) -> Normalization:
        row = _TABLE[self.kind]
        given = _given_keys(self)
        clauses = _needed([key for key in row.needs if key not in given])
        clauses += _refused([key for key in given if key not in row.keys])
        clauses += _misplaced({key: held for key, held in given.items() if key in row.keys})
        if clauses:
            raise ValueError(f"of kind '{self.kind}' {', and '.join(clauses)}")
        return self


def lanes_of(normalization: Normalization) -> int:
    """Counts the lanes that one value becomes.

    Raises:
        ValueError: It is a one_hot whose size is not known yet.
    """
    lanes = _TABLE[normalization.kind].lanes
    return _size(normalization) if lanes is None else lanes


def normalised(normalization: Normalization, values: Values, axis: int = -1) -> Float32:
    """Computes the lanes of values.

    >>> hours = Normalization(kind="minmax", min=0, max=24, clip=True)
    >>> normalised(hours, np.array([6, 30])).tolist()
    [[0.25], [1.0]]

    Args:
        values: Finite, of bools, 64-bit ints or 32-bit floats, of any shape.
        axis: Where the holders stand that are ranked with each other; only rank_scaled reads it.
            A variable with one holder a world comes as `[W, 1]`, or its worlds would be ranked.

    Returns:
        A new C-contiguous array, of the shape of the values and then the lanes.
    """
    # A step too small for its values overflows to infinity, and is then held to the largest float.
    with np.errstate(over="ignore"):
        lanes = _TABLE[normalization.kind].forward(normalization, values, axis)
    return _held(lanes, np.float32).astype(np.float32, order="C")


def has_inverse(normalization: Normalization) -> bool:
    """Asks whether `restored` can tell values from lanes; a threshold leaves no way back."""
    row = _TABLE[normalization.kind]
    return row.inverse is not None and not set(row.lossy) & set(_given_keys(normalization))


def restored(normalization: Normalization, lanes: NDArray[Any]) -> Float64:
    """Computes the values that lanes `[..., lanes]` came from, up to the rounding of the lanes.

    What a forward formula gave up stays lost: with clip, what lay outside min and max comes back
    as the nearer of them; log_scaled gives min for all below it; cyclical_sin_cos gives the value
    in [0, period); one_hot gives -1 for a value outside its size; binary gives 1 or 0.

    >>> restored(Normalization(kind="zscore", mean=10, std=2), np.array([[-1.0], [0.5]])).tolist()
    [8.0, 11.0]

    Raises:
        ValueError: The kind has no inverse, or the lanes are not as many as it gives.
    """
    inverse = _TABLE[normalization.kind].inverse
    if inverse is None or not has_inverse(normalization):
        raise ValueError(f"'{normalization.kind}' has no inverse: many values give the same lanes")
    (*_, found), expected = lanes.shape, lanes_of(normalization)
    if found != expected:
        raise ValueError(f"'{normalization.kind}' has lanes [..., {expected}], found {lanes.shape}")
    with np.errstate(over="ignore"):
        values = inverse(normalization, _wide(lanes))
    return _held(values, np.float64)


# ---------------------------------------------------------------- what a declaration may not say

_NUMBERS = ("min", "max", "mean", "std", "period", "threshold", "absent")
_POSITIVE = ("std", "period")


def _given_keys(normalization: Normalization) -> dict[str, Any]:
    # A null says the same as no key, so that what was dumped can be read again.
    return normalization.model_dump(exclude={"kind"}, exclude_none=True)


def _needed(missing: list[str]) -> list[str]:
    if not missing:
        return []
    wanted = {key: "true or false" if key == "clip" else "a number" for key in missing}
    if len(missing) == 1:
        return [f"needs the key '{missing[0]}': {wanted[missing[0]]}"]
    keys = _listed(f"'{key}' ({what})" for key, what in wanted.items())
    return [f"needs the keys {keys}"]


def _refused(superfluous: list[str]) -> list[str]:
    if not superfluous:
        return []
    takers = {key: [kind for kind, row in _TABLE.items() if key in row.keys] for key in superfluous}
    only = {
        key: f"only {_listed(kinds)} {'does' if len(kinds) == 1 else 'do'}"
        for key, kinds in takers.items()
    }
    if len(superfluous) == 1:
        return [f"takes no '{superfluous[0]}'; {only[superfluous[0]]}"]
    keys = _listed(f"no '{key}' ({who})" for key, who in only.items())
    return [f"takes {keys}"]


def _misplaced(held: dict[str, Any]) -> list[str]:
    """Names the numbers that no formula can work with."""
    # Asked this way round, the comparison is false for what is not a number, and exact for an int.
    endless = [key for key in _NUMBERS if key in held and not abs(held[key]) <= LARGEST]
    found = [
        f"has {key} {held[key]}; it should be finite, at most 3.4e38 either way" for key in endless
    ]
    sound = {key: value for key, value in held.items() if key not in endless}
    found += [
        f"has {key} {sound[key]}; it should be above 0"
        for key in _POSITIVE
        if key in sound and sound[key] <= 0
    ]
    if "min" in sound and "max" in sound and float(sound["min"]) >= float(sound["max"]):
        low, high = (_shown(sound[key]) for key in ("min", "max"))
        found.append(f"has min {low} and max {high}; min should lie below max")
    if "size" in sound and sound["size"] < 2:
        found.append(f"has size {sound['size']}; it should be at least 2")
    return found


def _shown(number: float) -> str:
    # Two ints that are one float are shown as what they are to the formulas: equal.
    return str(float(number)).removesuffix(".0")


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


# ---------------------------------------------------------------------- values to lanes and back


def _none(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = x; an int beyond 2**24 is rounded, as every lane is, to a 32-bit float."""
    return _wide(values)[..., None]


def _as_it_is(of: Normalization, lanes: Float64) -> Float64:
    return lanes[..., 0]


def _minmax(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = (x - min) / (max - min); with clip, y is held to [0, 1]."""
    low, high = _known(of.min), _known(of.max)
    return _clipped(of, (_wide(values) - low) / (high - low))[..., None]


def _un_minmax(of: Normalization, lanes: Float64) -> Float64:
    low, high = _known(of.min), _known(of.max)
    return low + lanes[..., 0] * (high - low)


def _zscore(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = (x - mean) / std."""
    return ((_wide(values) - _known(of.mean)) / _known(of.std))[..., None]


def _un_zscore(of: Normalization, lanes: Float64) -> Float64:
    return _known(of.mean) + lanes[..., 0] * _known(of.std)


def _cyclical(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = (sin(2 pi x / period), cos(2 pi x / period))."""
    period = _known(of.period)
    # The remainder is exact, so a large x turns neither into noise nor into infinity.
    angle = np.fmod(_wide(values), period) / period * (2 * np.pi)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1)


def _un_cyclical(of: Normalization, lanes: Float64) -> Float64:
    turn = np.arctan2(lanes[..., 0], lanes[..., 1]) / (2 * np.pi) % 1.0
    # The remainder of a very small negative number rounds up to 1 itself, a whole turn.
    return np.where(turn < 1.0, turn, 0.0) * _known(of.period)


def _one_hot(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives 1 in lane k where x == k and 0 elsewhere, so all zeros for x outside 0..size-1."""
    return _wide(values[..., None] == np.arange(_size(of)))


def _un_one_hot(of: Normalization, lanes: Float64) -> Float64:
    return np.where(lanes.max(axis=-1) > 0.0, _wide(lanes.argmax(axis=-1)), -1.0)


def _binary(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives 1 where x is true, or x > threshold (0 where none is given), and 0 elsewhere."""
    return _wide(values > (of.threshold or 0))[..., None]


def _log(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = log1p(x - min) / log1p(max - min), x below min taken as min; clip: at most 1."""
    low, high = _known(of.min), _known(of.max)
    above = np.maximum(_wide(values), low) - low
    return _clipped(of, np.log1p(above) / np.log1p(high - low))[..., None]


def _un_log(of: Normalization, lanes: Float64) -> Float64:
    low, high = _known(of.min), _known(of.max)
    return np.asarray(low + np.expm1(lanes[..., 0] * np.log1p(high - low)))


def _rank(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = (holders strictly below + half the others equal) / (n - 1); 0.5 where n is 1.

    In sorted order those that are equal stand side by side, so y is the middle of their places.
    """
    rows = np.moveaxis(values, axis, -1)
    n = rows.shape[-1]
    if n < 2:
        return np.full((*values.shape, 1), 0.5)
    order = np.argsort(rows, axis=-1)
    in_order = np.take_along_axis(rows, order, axis=-1)
    rises = in_order[..., 1:] != in_order[..., :-1]
    edge = np.ones((*rows.shape[:-1], 1), dtype=bool)
    place = np.arange(n)
    starts = np.where(np.concatenate([edge, rises], axis=-1), place, 0)
    ends = np.where(np.concatenate([rises, edge], axis=-1), place, n - 1)
    first = np.maximum.accumulate(starts, axis=-1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / (2 * (n - 1)), axis=-1)
    return np.moveaxis(ranks, -1, axis)[..., None]


def _masked(of: Normalization, values: Values, axis: int) -> Float64:
    """Gives y = (x, 1) where x is present, (0, 0) where x is the value that stands for nothing."""
    present = values != of.absent
    return np.stack([np.where(present, _wide(values), 0.0), _wide(present)], axis=-1)


def _un_masked(of: Normalization, lanes: Float64) -> Float64:
    return np.where(lanes[..., 1] > 0.5, lanes[..., 0], _known(of.absent))


def _wide(values: Values) -> Float64:
    return values.astype(np.float64)


def _clipped(of: Normalization, share: Float64) -> Float64:
    return np.clip(share, 0.0, 1.0) if of.clip else share


def _held(values: Float64, dtype: DTypeLike) -> Float64:
    limit = float(np.finfo(dtype).max)
    return np.clip(values, -limit, limit)


def _known(number: float | None) -> float:
    assert number is not None, "a declaration has every key that its kind needs"
    return float(number)


def _size(of: Normalization) -> int:
    if of.size is None:
        raise ValueError("of kind 'one_hot' has no size yet: the number of its variable's values")
    return of.size


# --------------------------------------------------------------------------------- one row a kind


@dataclass(frozen=True, slots=True)
class _Row:
    """What there is to say of a kind.

    Attributes:
        forward: From values `[...]` to lanes `[..., lanes]`.
        inverse: The way back; None where many values give the same lanes.
        needs, allows: The keys it must have, and those it may have besides.
        lossy: Keys that leave no way back where they are given.
        lanes: How many; None where the declaration's size says.
    """

    forward: Callable[[Normalization, Values, int], Float64]
    inverse: Callable[[Normalization, Float64], Float64] | None
    needs: tuple[str, ...] = ()
    allows: tuple[str, ...] = ()
    lossy: tuple[str, ...] = ()
    lanes: int | None = 1

    @property
    def keys(self) -> tuple[str, ...]:
        return self.needs + self.allows


_TABLE = {
    Kind.NONE: _Row(_none, _as_it_is),
    Kind.MINMAX: _Row(_minmax, _un_minmax, needs=("min", "max", "clip")),
    Kind.ZSCORE: _Row(_zscore, _un_zscore, needs=("mean", "std")),
    Kind.CYCLICAL: _Row(_cyclical, _un_cyclical, needs=("period",), lanes=2),
    Kind.ONE_HOT: _Row(_one_hot, _un_one_hot, allows=("size",), lanes=None),
    Kind.BINARY: _Row(_binary, _as_it_is, allows=("threshold",), lossy=("threshold",)),
    Kind.LOG: _Row(_log, _un_log, needs=("min", "max", "clip")),
    Kind.RANK: _Row(_rank, None),
    Kind.MASKED: _Row(_masked, _un_masked, needs=("absent",), lanes=2),
}
