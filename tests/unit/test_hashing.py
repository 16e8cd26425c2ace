"""Hashing: equal data, equal digest; different data, different digest."""

from dataclasses import dataclass, field
from enum import StrEnum

import pytest

from creatura.hashing import canonical_bytes, digest


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    note: str = field(default="", compare=False)


def test_the_order_of_a_mapping_does_not_count():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_the_order_of_a_sequence_counts():
    assert digest(["a", "b"]) != digest(["b", "a"])


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (1, True), (0, False), ("1", 1), (None, ""), ([], ""), ([[1], 2], [1, [2]]),
     (["ab"], ["a", "b"]), ({"a": 1}, [("a", 1)]), (b"a", "a")],
)  # fmt: skip
def test_values_of_different_kinds_differ(left, right):
    assert canonical_bytes(left) != canonical_bytes(right)


def test_a_record_is_its_compared_fields_and_its_kind():
    assert digest(Point(1, "a note")) == digest(Point(1))
    assert digest(Point(1)) != digest(Point(2))
    assert digest(Point(1)) != digest({"x": 1})


def test_a_member_of_an_enumeration_is_its_value():
    assert digest(Colour.RED) == digest("red")


def test_what_has_no_canonical_form_is_refused():
    with pytest.raises(TypeError, match="no canonical form for function"):
        digest(test_what_has_no_canonical_form_is_refused)
