"""Normalisations: what holds of every declaration and all values, and how exact the way back is.

A 32-bit float has 24 bits, so a lane is off by at most 2**-24 of itself (`STEP`), or by `TINY`
where it is so near to zero that bits are missing. Each round trip carries that error through the
slope of its inverse. Twice the bound is allowed, for the roundings of the 64-bit arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from creatura.vfs.normalise import (
    LARGEST,
    Kind,
    Normalization,
    has_inverse,
    lanes_of,
    normalised,
    restored,
)

STEP = 2.0**-24
TINY = 2.0**-150
WIDE_STEP = 2.0**-50  # some roundings of 64-bit floats, of 2**-53 each

FLOATS = st.floats(-LARGEST, LARGEST, width=32)
NUMBERS = st.floats(-LARGEST, LARGEST) | st.integers(-(2**63), 2**63 - 1)
POSITIVE = st.floats(0, LARGEST, exclude_min=True)
SHAPES = arrays.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=6)
RANGED = (Kind.MINMAX, Kind.LOG)


@st.composite
def spans(draw: st.DrawFn) -> dict[str, Any]:
    low, high = sorted([draw(NUMBERS), draw(NUMBERS)])
    assume(float(low) < float(high))
    return {"min": low, "max": high, "clip": draw(st.booleans())}


# Any declaration that is not refused, however odd its numbers.
KEYS: dict[Kind, st.SearchStrategy[dict[str, Any]]] = {
    Kind.NONE: st.just({}),
    Kind.MINMAX: spans(),
    Kind.ZSCORE: st.fixed_dictionaries({"mean": NUMBERS, "std": POSITIVE}),
    Kind.CYCLICAL: st.fixed_dictionaries({"period": POSITIVE}),
    Kind.ONE_HOT: st.fixed_dictionaries({"size": st.integers(2, 9)}),
    Kind.BINARY: st.fixed_dictionaries({}, optional={"threshold": NUMBERS}),
    Kind.LOG: spans(),
    Kind.RANK: st.just({}),
    Kind.MASKED: st.fixed_dictionaries({"absent": NUMBERS | st.integers(-3, 3)}),
}


def declarations(*kinds: Kind) -> st.SearchStrategy[Normalization]:
    def build(kind: Kind) -> st.SearchStrategy[Normalization]:
        return KEYS[kind].map(lambda keys: Normalization(kind=kind, **keys))

    return st.sampled_from(kinds or tuple(Kind)).flatmap(build)


# Small ints besides all of them, or ranks would never meet an equal nor one_hot a value.
VALUES = (
    arrays.arrays(np.float32, SHAPES, elements=FLOATS)
    | arrays.arrays(np.int64, SHAPES)
    | arrays.arrays(np.int64, SHAPES, elements=st.integers(-3, 9))
    | arrays.arrays(np.bool_, SHAPES)
)


def off(lanes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bounds how far lanes are from what they were before they were rounded."""
    return np.abs(lanes) * STEP + TINY


def there_and_back(of: Normalization, values: NDArray[Any]) -> NDArray[np.float64]:
    return restored(of, normalised(of, values))


def test_every_kind_has_its_declarations_here():
    assert list(KEYS) == list(Kind)


# ------------------------------------------------------------------------ what holds of every kind


@given(of=declarations(), values=VALUES)
def test_finite_values_give_finite_lanes_as_many_as_the_kind_says(of, values):
    lanes = normalised(of, values)
    assert lanes.shape == (*values.shape, lanes_of(of))
    assert lanes.dtype == np.float32
    assert lanes.flags.c_contiguous
    assert np.isfinite(lanes).all()


@given(of=declarations(), values=VALUES)
def test_a_world_alone_gives_the_same_lanes_as_in_a_batch(of, values):
    batch = normalised(of, values)
    for world in range(len(values)):
        alone = normalised(of, values[world : world + 1])
        assert alone.tobytes() == batch[world : world + 1].tobytes()


@given(of=declarations(), values=VALUES)
def test_the_order_in_memory_makes_no_difference(of, values):
    turned = np.asfortranarray(values)
    assert normalised(of, turned).tobytes() == normalised(of, values).tobytes()


@given(of=declarations(), values=VALUES)
def test_what_is_restored_is_finite_or_refused_by_name(of, values):
    if not has_inverse(of):
        with pytest.raises(ValueError, match="has no inverse"):
            there_and_back(of, values)
        return
    back = there_and_back(of, values)
    assert back.shape == values.shape
    assert back.dtype == np.float64
    assert np.isfinite(back).all()


# ------------------------------------------------------------------------------------------ ranges


@given(of=declarations(*RANGED), values=VALUES)
def test_with_clip_no_lane_leaves_zero_to_one(of, values):
    lanes = normalised(of.model_copy(update={"clip": True}), values)
    assert ((lanes >= 0) & (lanes <= 1)).all()


@given(of=declarations(*RANGED), values=VALUES)
def test_clip_changes_only_what_lies_outside(of, values):
    free = normalised(of.model_copy(update={"clip": False}), values)
    held = normalised(of.model_copy(update={"clip": True}), values)
    assert np.array_equal(held, np.clip(free, 0, 1))


@given(of=declarations(Kind.MINMAX, Kind.ZSCORE, Kind.LOG), values=VALUES)
def test_what_is_greater_gives_no_smaller_lane(of, values):
    by_size = np.sort(values, axis=None)
    assert (np.diff(normalised(of, by_size)[:, 0].astype(np.float64)) >= 0).all()


@given(of=declarations(Kind.CYCLICAL), values=VALUES)
def test_cyclical_lanes_lie_on_the_unit_circle(of, values):
    sine, cosine = np.moveaxis(normalised(of, values).astype(np.float64), -1, 0)
    # Each lane is off by STEP of itself, so the square of the radius by twice STEP of it.
    assert np.abs(sine**2 + cosine**2 - 1).max() <= 2 * (2 * STEP)


@given(of=declarations(Kind.ONE_HOT), values=VALUES)
def test_one_hot_lights_one_lane_or_none(of, values):
    lanes = normalised(of, values)
    assert set(np.unique(lanes)) <= {0.0, 1.0}
    known = (values >= 0) & (values < of.size) & (values == np.floor(values))
    assert np.array_equal(lanes.sum(axis=-1), known)


@given(values=VALUES, axis=st.sampled_from([-1, 0]))
def test_ranks_keep_the_order_and_agree_with_the_count(values, axis):
    of = Normalization(kind=Kind.RANK)
    ranks = np.moveaxis(normalised(of, values, axis)[..., 0], axis, -1)
    rows = np.moveaxis(values, axis, -1)
    assert ((ranks >= 0) & (ranks <= 1)).all()
    below = (rows[..., None, :] < rows[..., :, None]).sum(axis=-1)
    equal = (rows[..., None, :] == rows[..., :, None]).sum(axis=-1) - 1
    others = rows.shape[-1] - 1
    expected = (below + equal / 2) / others if others else np.full(rows.shape, 0.5)
    assert np.array_equal(ranks, expected.astype(np.float32))


# ------------------------------------------------------------------------------------- round trips

# Numbers of a size that people write; how the odd ones behave is tested above.
USUAL = st.floats(-1e6, 1e6, width=32)
WIDTH = st.floats(2.0**-10, 1e6, width=32)
SHARES = arrays.arrays(np.float64, SHAPES, elements=st.floats(0, 1))


@given(values=arrays.arrays(np.float32, SHAPES, elements=FLOATS))
def test_none_gives_every_32_bit_float_back(values):
    assert np.array_equal(there_and_back(Normalization(kind=Kind.NONE), values), values)


@given(low=USUAL, width=WIDTH, clip=st.booleans(), shares=SHARES)
def test_minmax_gives_back_what_lay_within(low, width, clip, shares):
    of = Normalization(kind=Kind.MINMAX, min=low, max=low + width, clip=clip)
    values = low + shares * width
    allowed = off((values - low) / width) * width + WIDE_STEP * (np.abs(values) + width)
    assert (np.abs(there_and_back(of, values) - values) <= 2 * allowed).all()


@given(mean=USUAL, std=WIDTH, values=arrays.arrays(np.float32, SHAPES, elements=USUAL))
def test_zscore_gives_every_value_back(mean, std, values):
    of = Normalization(kind=Kind.ZSCORE, mean=mean, std=std)
    wide = values.astype(np.float64)
    allowed = off((wide - mean) / std) * std + WIDE_STEP * (np.abs(wide) + abs(mean))
    assert (np.abs(there_and_back(of, values) - wide) <= 2 * allowed).all()


@given(period=WIDTH, turns=st.integers(-9, 9), shares=SHARES)
def test_cyclical_gives_back_the_place_in_the_period(period, turns, shares):
    of = Normalization(kind=Kind.CYCLICAL, period=period)
    values = (turns + shares) * period
    back = there_and_back(of, values)
    assert ((back >= 0) & (back < period)).all()
    apart = np.abs(back - values) / period
    # Both lanes off by STEP move the angle by at most STEP of a radian times the square root of 2.
    allowed = np.sqrt(2) * STEP / (2 * np.pi)
    assert (np.abs(apart - np.round(apart)) <= 2 * allowed).all()


@given(low=USUAL, width=WIDTH, clip=st.booleans(), shares=SHARES)
def test_log_scaled_gives_back_what_lay_within(low, width, clip, shares):
    of = Normalization(kind=Kind.LOG, min=low, max=low + width, clip=clip)
    values = low + shares * width
    above, whole = values - low, np.log1p(width)
    # The slope of the inverse at a lane is (1 + x - min) * log1p(max - min).
    slope = (1 + above) * whole
    allowed = off(np.log1p(above) / whole) * slope + WIDE_STEP * (np.abs(values) + slope + 1)
    assert (np.abs(there_and_back(of, values) - values) <= 2 * allowed).all()


@given(size=st.integers(2, 9), values=arrays.arrays(np.int64, SHAPES, elements=st.integers(-3, 12)))
def test_one_hot_gives_back_what_is_within_its_size(size, values):
    expected = np.where((values >= 0) & (values < size), values, -1)
    of = Normalization(kind=Kind.ONE_HOT, size=size)
    assert np.array_equal(there_and_back(of, values), expected)


@given(values=arrays.arrays(np.bool_, SHAPES))
def test_binary_gives_every_bool_back(values):
    assert np.array_equal(there_and_back(Normalization(kind=Kind.BINARY), values), values)


@given(absent=FLOATS, data=st.data())
def test_masked_value_gives_every_value_back_and_the_absent_one_too(absent, data):
    elements = FLOATS | st.just(absent)
    values = data.draw(arrays.arrays(np.float32, SHAPES, elements=elements))
    of = Normalization(kind=Kind.MASKED, absent=absent)
    assert np.array_equal(normalised(of, values)[..., 1], values != np.float32(absent))
    assert np.array_equal(there_and_back(of, values), values)
