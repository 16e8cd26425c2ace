"""Normalisation: what each kind computes, worked out by hand, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from creatura.errors import AuthorError
from creatura.source import parse_yaml, validated
from creatura.vfs.normalise import (
    LARGEST,
    Kind,
    Normalization,
    has_inverse,
    lanes_of,
    normalised,
    restored,
)

# One sound declaration of each kind.
SOUND: dict[str, dict[str, Any]] = {
    "none": {},
    "minmax": {"min": 0, "max": 24, "clip": True},
    "zscore": {"mean": 10, "std": 2},
    "cyclical_sin_cos": {"period": 24},
    "one_hot": {"size": 3},
    "binary": {},
    "log_scaled": {"min": 0, "max": 1000, "clip": True},
    "rank_scaled": {},
    "masked_value": {"absent": -1},
}
KINDS = list(SOUND)


def declared(kind: str, **keys: Any) -> Normalization:
    return Normalization(kind=Kind(kind), **keys)


def sound(kind: str) -> Normalization:
    return declared(kind, **SOUND[kind])


def lanes(kind: str, values: list[Any], dtype: str = "float32", **keys: Any) -> list[list[float]]:
    return normalised(declared(kind, **keys), np.array(values, dtype=dtype)).tolist()


def refusal(kind: str, **keys: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        declared(kind, **keys)
    (error,) = caught.value.errors()
    return str(error["ctx"]["error"])


def test_every_kind_is_tried_here():
    assert list(Kind) == KINDS


# ------------------------------------------------------------------------------- the nine formulas


def test_none_gives_the_value_itself():
    assert lanes("none", [1.5, -2.0]) == [[1.5], [-2.0]]
    assert lanes("none", [True, False], "bool") == [[1.0], [0.0]]


def test_none_rounds_an_int_that_a_32_bit_float_cannot_hold():
    assert lanes("none", [2**24, 2**24 + 1], "int64") == [[2.0**24], [2.0**24]]


def test_minmax_with_clip_holds_what_lies_outside_to_zero_and_one():
    held = lanes("minmax", [-5, 0, 6, 24, 30], "int64", min=0, max=24, clip=True)
    assert held == [[0.0], [0.0], [0.25], [1.0], [1.0]]


def test_minmax_without_clip_goes_on_below_zero_and_above_one():
    free = lanes("minmax", [-6, 6, 30], "int64", min=0, max=24, clip=False)
    assert free == [[-0.25], [0.25], [1.25]]


def test_minmax_starts_at_its_min():
    assert lanes("minmax", [-10.0, -5.0, 10.0], min=-10, max=10, clip=True) == [[0], [0.25], [1]]


def test_zscore_counts_how_many_std_a_value_lies_from_the_mean():
    assert lanes("zscore", [10.0, 8.0, 15.0], mean=10, std=2.0) == [[0.0], [-1.0], [2.5]]


def test_cyclical_gives_sine_and_cosine_of_the_part_of_the_period():
    quarters = lanes("cyclical_sin_cos", [0, 6, 12, 18, 24, -6], "int64", period=24)
    expected = [[0, 1], [1, 0], [0, -1], [-1, 0], [0, 1], [-1, 0]]
    assert np.allclose(quarters, expected, rtol=0, atol=1e-7)
    (third,) = lanes("cyclical_sin_cos", [8.0], period=24)
    assert third == pytest.approx([math.sqrt(3) / 2, -0.5], abs=1e-7)


def test_cyclical_keeps_its_place_however_many_periods_have_passed():
    far = lanes("cyclical_sin_cos", [24 * 2**40 + 6], "int64", period=24)
    assert far == lanes("cyclical_sin_cos", [6], "int64", period=24)


def test_one_hot_lights_the_lane_of_its_value():
    assert lanes("one_hot", [0, 2], "int64", size=3) == [[1, 0, 0], [0, 0, 1]]


def test_one_hot_lights_no_lane_for_a_value_outside_its_size():
    assert lanes("one_hot", [-1, 3, 2**62], "int64", size=3) == [[0, 0, 0]] * 3
    assert lanes("one_hot", [1.5], size=3) == [[0, 0, 0]]


def test_binary_is_on_for_true_and_above_zero():
    assert lanes("binary", [True, False], "bool") == [[1.0], [0.0]]
    assert lanes("binary", [-1, 0, 2], "int64") == [[0.0], [0.0], [1.0]]


def test_binary_is_on_above_its_threshold_and_off_at_it():
    assert lanes("binary", [2, 3, 4], "int64", threshold=3) == [[0.0], [0.0], [1.0]]
    # 0.1 as 32 bits lies above 0.1 as 64 bits, and is still no more than the author's 0.1.
    assert lanes("binary", [0.1, 0.2], threshold=0.1) == [[0.0], [1.0]]
    assert lanes("binary", [2**60, 2**60 + 1], "int64", threshold=2**60) == [[0.0], [1.0]]


def test_log_scaled_divides_one_logarithm_by_another():
    found = lanes("log_scaled", [0, 9, 99, 999], "int64", min=0, max=999, clip=True)
    assert found == pytest.approx(np.array([[0], [1 / 3], [2 / 3], [1]]), abs=1e-7)
    (half,) = lanes("log_scaled", [-8.0], min=-10, max=-2, clip=False)
    assert half == pytest.approx([math.log(3) / math.log(9)], abs=1e-7)


@pytest.mark.parametrize("clip", [True, False])
def test_log_scaled_takes_what_lies_below_its_min_as_the_min(clip):
    found = lanes("log_scaled", [4.5, 4.0, -1e30], min=5, max=10, clip=clip)
    assert found == [[0.0], [0.0], [0.0]]


def test_log_scaled_goes_above_one_only_without_clip():
    assert lanes("log_scaled", [99], "int64", min=0, max=9, clip=True) == [[1.0]]
    assert lanes("log_scaled", [99], "int64", min=0, max=9, clip=False) == [[2.0]]


def test_rank_scaled_places_each_holder_among_those_beside_it():
    assert lanes("rank_scaled", [30, 10, 20], "int64") == [[1.0], [0.0], [0.5]]


def test_rank_scaled_gives_equals_the_middle_of_their_places():
    # Of 1, 2, 2, 5 the twos have one holder below and one equal: (1 + 0.5) / 3.
    assert lanes("rank_scaled", [2, 5, 2, 1], "int64") == [[0.5], [1.0], [0.5], [0.0]]
    assert lanes("rank_scaled", [True, False, False, False, False], "bool") == [
        [1.0], [0.375], [0.375], [0.375], [0.375]
    ]  # fmt: skip
    assert lanes("rank_scaled", [7.0, 7.0, 7.0]) == [[0.5]] * 3


def test_rank_scaled_gives_a_lone_holder_one_half():
    assert lanes("rank_scaled", [9]) == [[0.5]]
    column = normalised(sound("rank_scaled"), np.array([[3.0], [8.0]], dtype=np.float32))
    assert column.tolist() == [[[0.5]], [[0.5]]]


def test_rank_scaled_ranks_along_the_axis_it_is_told():
    grid = np.array([[1, 4], [3, 2]])
    assert normalised(sound("rank_scaled"), grid)[..., 0].tolist() == [[0, 1], [1, 0]]
    assert normalised(sound("rank_scaled"), grid, axis=0)[..., 0].tolist() == [[0, 1], [1, 0]]
    grid = np.array([[1, 2], [3, 4]])
    assert normalised(sound("rank_scaled"), grid)[..., 0].tolist() == [[0, 1], [0, 1]]
    assert normalised(sound("rank_scaled"), grid, axis=0)[..., 0].tolist() == [[0, 0], [1, 1]]


def test_rank_scaled_tells_ints_apart_that_are_one_float():
    assert lanes("rank_scaled", [2**53 + 1, 2**53], "int64") == [[1.0], [0.0]]


def test_masked_value_says_in_its_second_lane_whether_there_is_a_value():
    assert lanes("masked_value", [-1, 0, 7], "int64", absent=-1) == [[0, 0], [0, 1], [7, 1]]


def test_masked_value_knows_its_absent_value_among_32_bit_floats():
    assert lanes("masked_value", [0.1, 0.5], absent=0.1) == [[0, 0], [0.5, 1]]


# ---------------------------------------------------------------------------- what all kinds share


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["bool", "int64", "float32"])
@pytest.mark.parametrize("axis", [-1, 0])
def test_every_kind_gives_a_new_contiguous_array_and_leaves_its_values(kind, dtype, axis):
    values = np.arange(12).reshape(3, 4).astype(dtype).T
    before = values.copy()
    found = normalised(sound(kind), values, axis)
    assert found.dtype == np.float32
    assert found.shape == (4, 3, lanes_of(sound(kind)))
    assert found.flags.c_contiguous
    assert not np.shares_memory(found, values)
    assert np.array_equal(values, before)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_an_array_with_nothing_in_it(kind):
    assert normalised(sound(kind), np.zeros((2, 0))).shape == (2, 0, lanes_of(sound(kind)))


@pytest.mark.parametrize(
    ("kind", "count"),
    [("none", 1), ("cyclical_sin_cos", 2), ("one_hot", 3), ("rank_scaled", 1), ("masked_value", 2)],
)
def test_a_kind_says_how_many_lanes_it_gives(kind, count):
    assert lanes_of(sound(kind)) == count


def test_a_one_hot_without_its_size_gives_no_lanes_yet():
    unsized = declared("one_hot")
    message = "^of kind 'one_hot' has no size yet: the number of its variable's values$"
    with pytest.raises(ValueError, match=message):
        lanes_of(unsized)
    with pytest.raises(ValueError, match=message):
        normalised(unsized, np.array([1]))


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("minmax", {"min": 0, "max": 5e-324, "clip": False}),
        ("zscore", {"mean": 0, "std": 1e-300}),
        ("log_scaled", {"min": 0, "max": 5e-324, "clip": False}),
    ],
)
def test_what_a_lane_cannot_hold_becomes_the_largest_float(kind, keys):
    assert lanes(kind, [LARGEST, 0.0], **keys) == [[LARGEST], [0.0]]
    low = [[0.0]] if kind == "log_scaled" else [[-LARGEST]]
    assert lanes(kind, [-LARGEST], **keys) == low


# ------------------------------------------------------------------------------------ the way back


def test_the_kinds_with_an_inverse_are_these():
    assert {kind for kind in KINDS if has_inverse(sound(kind))} == set(KINDS) - {"rank_scaled"}
    assert not has_inverse(declared("binary", threshold=0))


@pytest.mark.parametrize("lost", [sound("rank_scaled"), declared("binary", threshold=0)])
def test_a_kind_without_an_inverse_refuses_to_restore(lost):
    message = f"^'{lost.kind}' has no inverse: many values give the same lanes$"
    with pytest.raises(ValueError, match=message):
        restored(lost, normalised(lost, np.array([1.0, 2.0])))


def test_lanes_of_another_kind_are_not_restored():
    with pytest.raises(
        ValueError, match=r"^'cyclical_sin_cos' has lanes \[..., 2\], found \(4, 1\)"
    ):
        restored(sound("cyclical_sin_cos"), np.zeros((4, 1)))


@pytest.mark.parametrize(
    ("declaration", "values", "back"),
    [
        (sound("minmax"), [-5, 6, 30], [0, 6, 24]),
        (declared("minmax", min=0, max=16, clip=False), [-4, 20], [-4, 20]),
        (sound("zscore"), [7, 10], [7, 10]),
        (sound("cyclical_sin_cos"), [0, 6, 30, -6], [0, 6, 6, 18]),
        (sound("one_hot"), [2, 0, 1, 3, -7], [2, 0, 1, -1, -1]),
        (sound("binary"), [1, 0, 5], [1, 0, 1]),
        (declared("log_scaled", min=0, max=9, clip=True), [-5, 0, 9, 99], [0, 0, 9, 9]),
        (declared("log_scaled", min=0, max=9, clip=False), [-5, 99], [0, 99]),
        (sound("masked_value"), [-1, 7, 0], [-1, 7, 0]),
        (sound("none"), [3, -4], [3, -4]),
    ],
)
def test_what_a_formula_gave_up_stays_lost_and_the_rest_comes_back(declaration, values, back):
    found = restored(declaration, normalised(declaration, np.array(values)))
    assert found.dtype == np.float64
    assert found.tolist() == pytest.approx(back, abs=1e-4)


def test_a_turn_that_rounds_to_a_whole_one_comes_back_as_none():
    assert restored(sound("cyclical_sin_cos"), np.array([[-1e-30, 1.0]])).tolist() == [0.0]


def test_lanes_that_no_value_gave_come_back_finite():
    wild = np.array([[LARGEST], [-LARGEST]], dtype=np.float32)
    assert np.isfinite(restored(sound("log_scaled"), wild)).all()


# ------------------------------------------------------------------- what a declaration may not say


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_declaration_can_be_dumped_and_read_again(kind):
    assert Normalization(**sound(kind).model_dump()) == sound(kind)


@pytest.mark.parametrize(
    ("kind", "keys", "sentence"),
    [
        (
            "minmax",
            {"min": 0, "max": 1},
            "of kind 'minmax' needs the key 'clip': true or false",
        ),
        (
            "log_scaled",
            {},
            "of kind 'log_scaled' needs the keys 'min' (a number), 'max' (a number) "
            "and 'clip' (true or false)",
        ),
        (
            "cyclical_sin_cos",
            {},
            "of kind 'cyclical_sin_cos' needs the key 'period': a number",
        ),
        (
            "zscore",
            {"mean": 0, "std": 1, "clip": False},
            "of kind 'zscore' takes no 'clip'; only minmax and log_scaled do",
        ),
        (
            "none",
            {"period": 24},
            "of kind 'none' takes no 'period'; only cyclical_sin_cos does",
        ),
        (
            "rank_scaled",
            {"min": 0, "size": 3},
            "of kind 'rank_scaled' takes no 'min' (only minmax and log_scaled do) "
            "and no 'size' (only one_hot does)",
        ),
        (
            "none",
            {"std": 0},
            "of kind 'none' takes no 'std'; only zscore does",
        ),
        (
            "masked_value",
            {"threshold": 0},
            "of kind 'masked_value' needs the key 'absent': a number, "
            "and takes no 'threshold'; only binary does",
        ),
        (
            "minmax",
            {"min": 2, "max": 1.5, "clip": True},
            "of kind 'minmax' has min 2 and max 1.5; min should lie below max",
        ),
        (
            "log_scaled",
            {"min": 3, "max": 3, "clip": True},
            "of kind 'log_scaled' has min 3 and max 3; min should lie below max",
        ),
        (
            "minmax",
            {"min": 2**60, "max": 2**60 + 1, "clip": True},
            "of kind 'minmax' has min 1.152921504606847e+18 and max 1.152921504606847e+18; "
            "min should lie below max",
        ),
        (
            "zscore",
            {"mean": 0, "std": 0},
            "of kind 'zscore' has std 0; it should be above 0",
        ),
        (
            "zscore",
            {"std": -1.5},
            "of kind 'zscore' needs the key 'mean': a number, and has std -1.5; "
            "it should be above 0",
        ),
        (
            "cyclical_sin_cos",
            {"period": 0.0},
            "of kind 'cyclical_sin_cos' has period 0.0; it should be above 0",
        ),
        (
            "one_hot",
            {"size": 1},
            "of kind 'one_hot' has size 1; it should be at least 2",
        ),
        (
            "binary",
            {"threshold": math.nan},
            "of kind 'binary' has threshold nan; it should be finite, at most 3.4e38 either way",
        ),
        (
            "zscore",
            {"mean": -math.inf, "std": 1},
            "of kind 'zscore' has mean -inf; it should be finite, at most 3.4e38 either way",
        ),
        (
            "minmax",
            {"min": math.nan, "max": math.inf, "clip": True},
            "of kind 'minmax' has min nan; it should be finite, at most 3.4e38 either way, "
            "and has max inf; it should be finite, at most 3.4e38 either way",
        ),
        (
            "masked_value",
            {"absent": 1e39},
            "of kind 'masked_value' has absent 1e+39; "
            "it should be finite, at most 3.4e38 either way",
        ),
    ],
)
def test_a_bad_declaration_is_refused_in_one_sentence(kind, keys, sentence):
    assert refusal(kind, **keys) == sentence


@pytest.mark.parametrize("key", ["min", "max", "clip"])
@pytest.mark.parametrize("kind", ["minmax", "log_scaled"])
def test_a_range_needs_each_of_its_keys(kind, key):
    keys = {name: held for name, held in SOUND[kind].items() if name != key}
    assert refusal(kind, **keys).startswith(f"of kind '{kind}' needs the key '{key}'")


@pytest.mark.parametrize(
    ("keys", "absent_from"),
    [
        ({"clip": False}, {"minmax", "log_scaled"}),
        ({"min": 0}, {"minmax", "log_scaled"}),
        ({"max": 9}, {"minmax", "log_scaled"}),
        ({"mean": 0}, {"zscore"}),
        ({"std": 1}, {"zscore"}),
        ({"period": 1}, {"cyclical_sin_cos"}),
        ({"size": 2}, {"one_hot"}),
        ({"threshold": 0}, {"binary"}),
        ({"absent": 0}, {"masked_value"}),
    ],
)
def test_a_key_is_refused_by_every_kind_but_its_own(keys, absent_from):
    (key,) = keys
    for kind in set(KINDS) - absent_from:
        assert f"takes no '{key}'; only " in refusal(kind, **SOUND[kind], **keys)
    for kind in absent_from:
        declared(kind, **{**SOUND[kind], **keys})


class Holder(BaseModel):
    model_config = ConfigDict(extra="forbid")

    normalization: Normalization


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{kind: minmax, min: 0, max: 1}",
            "1: 'normalization' of kind 'minmax' needs the key 'clip': true or false",
        ),
        (
            "{kind: minmax, min: low, max: true, clip: 1}",
            "1: 'min' of 'normalization' should be a number, found 'low'\n"
            "farm.yaml:1: 'max' of 'normalization' should be a number, found true\n"
            "farm.yaml:1: 'clip' of 'normalization' should be true or false, found 1",
        ),
        (
            "{kind: zscore, mean: 0, std: 1, clp: true}",
            "1: 'normalization' has no key 'clp'; did you mean 'clip'?",
        ),
        (
            "{kind: binary, threshold: .inf}",
            "1: 'normalization' of kind 'binary' has threshold inf; "
            "it should be finite, at most 3.4e38 either way",
        ),
    ],
)
def test_a_mistake_in_a_file_reads_as_a_sentence_with_its_place(text, message):
    document = parse_yaml(f"normalization: {text}", "farm.yaml")
    with pytest.raises(AuthorError) as caught:
        validated(Holder, document, "the file")
    assert str(caught.value) == f"farm.yaml:{message}"
