"""Elements: what one value of each type is made of, one row a type.

A row says how a value is stored, what shape it has, and what an author has to say about it. `start`
reads an author's initial value into that shape; what does not fit is told in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.errors import did_you_mean
from creatura.vfs.schema import VariableSpec, VarType

MAX_ELEMENTS = 4_096  # of one value; more is a mistake in the file or work for a tensor library
INT_RANGE = (-(2**63), 2**63 - 1)
LARGEST_SCALAR = 3.4028234663852886e38  # the largest finite 32-bit float

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Element:
    """One row.

    Attributes:
        dtype: Of the stored numbers.
        rank: How many axes one value has.
        length: Its fixed length, where the type fixes it.
        takes_dims: Whether the author says how long it is.
        takes_labels: Whether the author may name its values or places; names give the length.
        is_number: Whether `range` makes sense of it.
        zero: What an author would write for nothing, shown in hints.
    """

    dtype: torch.dtype
    zero: str
    rank: int = 0
    length: int | None = None
    takes_dims: bool = False
    takes_labels: bool = False
    is_number: bool = False


# fmt: off
ELEMENTS: Mapping[VarType, Element] = {
    VarType.SCALAR: Element(torch.float32, "0.0", is_number=True),
    VarType.BOOL: Element(torch.bool, "false"),
    VarType.INT: Element(torch.int64, "0", is_number=True),
    VarType.CATEGORICAL: Element(torch.int64, "a label", takes_labels=True),
    VarType.VEC2I: Element(torch.int64, "[0, 0]", 1, length=2, is_number=True),
    VarType.VEC2F: Element(torch.float32, "[0.0, 0.0]", 1, length=2, is_number=True),
    VarType.VECNF: Element(torch.float32, "0.0", 1, takes_dims=True, is_number=True),
    VarType.ONE_HOT: Element(torch.bool, "0", 1, takes_dims=True, takes_labels=True),
    VarType.MASK: Element(torch.bool, "false", 1, takes_dims=True, takes_labels=True),
    VarType.MATRIX: Element(torch.float32, "0.0", 2, takes_dims=True, is_number=True),
    VarType.MESSAGE_TOKEN: Element(torch.float32, "0.0", 1, takes_dims=True, is_number=True),
}
# fmt: on

_DTYPES = {torch.bool: np.bool_, torch.int64: np.int64, torch.float32: np.float32}


def numpy_dtype(kind: VarType) -> type[np.generic]:
    """Returns the NumPy dtype in which a type is stored."""
    return _DTYPES[ELEMENTS[kind].dtype]


def element_shape(spec: VariableSpec) -> tuple[int, ...]:
    """Returns the shape of one value: () of a scalar, (rows, columns) of a matrix.

    >>> element_shape(VariableSpec(id="mood", type="one_hot", labels=("calm", "cross"), initial=0))
    (2,)
    """
    row = ELEMENTS[spec.type]
    if row.rank == 0:
        return ()
    if row.length is not None:
        return (row.length,)
    if spec.labels:
        return (len(spec.labels),)
    return spec.dims if isinstance(spec.dims, tuple) else (spec.dims or 0,)


def start_of(spec: VariableSpec, value: Any) -> Array:
    """Reads an author's value of a variable, lists as tuples, into an array of its shape.

    Raises:
        ValueError: It does not fit; the message goes after `has initial ..., which`.

    >>> at = VariableSpec(id="at", type="vec2i", initial=[3, 4])
    >>> start_of(at, at.initial)
    array([3, 4])
    """
    return np.asarray(_READERS[spec.type](spec, value), dtype=numpy_dtype(spec.type))


def bounds_of(spec: VariableSpec) -> tuple[int | float, int | float] | None:
    """Returns the lowest and highest number each element may be, if there are any."""
    if spec.type is VarType.CATEGORICAL:
        return 0, len(spec.labels) - 1
    return spec.range if ELEMENTS[spec.type].is_number else None


def zero_of(spec: VariableSpec) -> Array:
    """Returns what a derived variable holds before it is first computed."""
    return np.zeros(element_shape(spec), dtype=numpy_dtype(spec.type))


def misfit_of(spec: VariableSpec, value: Any) -> str | None:
    """Says why a single number or bool cannot be one of this variable, or None if it can."""
    dtype = ELEMENTS[spec.type].dtype
    if dtype is torch.bool:
        return None if isinstance(value, bool) else "is no bool; write true or false"
    if isinstance(value, bool):
        return f"is a bool; a value of type {spec.type} is a number"
    if not isinstance(value, (int, float)):
        return f"is no number; a value of type {spec.type} is one"
    if dtype is torch.int64:
        if not isinstance(value, int):
            better = {VarType.INT: "scalar", VarType.VEC2I: "vec2f"}.get(spec.type, "scalar")
            return f"is no int; drop the fraction or declare type: {better}"
        return None if INT_RANGE[0] <= value <= INT_RANGE[1] else "does not fit in 64 bits"
    if not (math.isfinite(value) and abs(value) <= LARGEST_SCALAR):
        return "is not finite in 32 bits"
    return None


def _numbers(spec: VariableSpec, value: Any) -> Array:
    """Reads one number for every element, or a list in the value's own shape."""
    shape = element_shape(spec)
    if not isinstance(value, tuple):
        _check_number(spec, value)
        return np.full(shape, value, dtype=numpy_dtype(spec.type))
    _check_nested(spec, value, shape)
    return np.array(value, dtype=numpy_dtype(spec.type)).reshape(shape)


def _check_nested(spec: VariableSpec, value: Any, shape: Sequence[int]) -> None:
    if not shape:
        if isinstance(value, tuple):
            raise ValueError(f"is a list; a value of type {spec.type} is a single one")
        _check_number(spec, value)
        return
    if not isinstance(value, tuple):
        raise ValueError(f"holds {_shown(value)} where a list of {shape[0]} is needed")
    if len(value) != shape[0]:
        raise ValueError(f"has {len(value)} where {shape[0]} are needed")
    for part in value:
        _check_nested(spec, part, shape[1:])


def _check_number(spec: VariableSpec, value: Any) -> None:
    if why := misfit_of(spec, value):
        raise ValueError(why)
    if spec.range is not None and ELEMENTS[spec.type].is_number:
        low, high = spec.range
        if low <= high and not low <= value <= high:
            raise ValueError(f"is outside its range [{low!r}, {high!r}]")


def _label(spec: VariableSpec, value: Any) -> int:
    """Reads a label, or its position, of a categorical."""
    count = len(spec.labels) or element_shape(spec)[0]
    if isinstance(value, str):
        if value not in spec.labels:
            raise ValueError(f"is no label of it{did_you_mean(value, spec.labels)}")
        return spec.labels.index(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("is no label and no position")
    if not 0 <= value < count:
        raise ValueError(f"is no position; they go from 0 to {count - 1}")
    return value


def _one_hot(spec: VariableSpec, value: Any) -> Array:
    """Reads the one place that is on, by label or position."""
    held = np.zeros(element_shape(spec), dtype=np.bool_)
    held[_label(spec, value)] = True
    return held


def _mask(spec: VariableSpec, value: Any) -> Array:
    """Reads bools, one for all or one for each place, or the labels of the places that are on."""
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        held = np.zeros(element_shape(spec), dtype=np.bool_)
        positions = {label: i for i, label in enumerate(spec.labels)}
        for part in value:
            if part not in positions:
                hint = did_you_mean(part, spec.labels)
                raise ValueError(f"names '{part}', which is no label of it{hint}")
            held[positions[part]] = True
        return held
    return _numbers(spec, value)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


_READERS: Mapping[VarType, Callable[[VariableSpec, Any], Any]] = {
    **dict.fromkeys(VarType, _numbers),
    VarType.CATEGORICAL: _label,
    VarType.ONE_HOT: _one_hot,
    VarType.MASK: _mask,
}
