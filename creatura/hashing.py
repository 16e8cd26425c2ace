"""Hashing: one canonical byte form for any plain value, and its digest.

Two values have the same digest exactly when they are equal as data: mapping order does not count,
sequence order does, an int and a float of equal value differ.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import struct
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

DIGEST_LENGTH = 16  # hex digits kept: 64 bits, ample for telling the parts of one bench apart


def canonical_bytes(value: object) -> bytes:
    """Writes a plain value (nested mappings, sequences, sets, records, scalars) as bytes.

    Raises:
        TypeError: A value of a kind that has no canonical form, such as a function.

    >>> canonical_bytes({"b": 1, "a": [True, None]}) == canonical_bytes({"a": (True, None), "b": 1})
    True
    """
    # The exact type is looked up first: a night of runs hashes millions of short tuples.
    write = _WRITERS.get(type(value))
    return write(value) if write is not None else _other(value)


def digest(value: object) -> str:
    """Hashes a plain value to 16 hex digits.

    >>> digest([1, 2]) == digest((1, 2)), digest([1, 2]) == digest([2, 1])
    (True, False)
    """
    return hashlib.sha256(canonical_bytes(value)).hexdigest()[:DIGEST_LENGTH]


def _other(value: object) -> bytes:
    if isinstance(value, enum.Enum):
        return canonical_bytes(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
        return canonical_bytes([type(value).__name__, fields])
    for kind, write in _KINDS:
        if isinstance(value, kind):
            return write(value)
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _framed(tag: bytes, body: bytes) -> bytes:
    return tag + struct.pack(">I", len(body)) + body


def _mapping(value: Mapping[Any, Any]) -> bytes:
    items = sorted((canonical_bytes(k), canonical_bytes(v)) for k, v in value.items())
    return _framed(b"m", b"".join(k + v for k, v in items))


def _sequence(value: Sequence[Any]) -> bytes:
    return _framed(b"l", b"".join(map(canonical_bytes, value)))


def _set(value: Set[Any]) -> bytes:
    return _framed(b"u", b"".join(sorted(map(canonical_bytes, value))))


_WRITERS: Mapping[type, Callable[[Any], bytes]] = {
    type(None): lambda value: b"n",
    bool: lambda value: b"t" if value else b"f",
    int: lambda value: _framed(b"i", str(value).encode()),
    float: lambda value: _framed(b"d", struct.pack(">d", value)),
    str: lambda value: _framed(b"s", value.encode()),
    bytes: lambda value: _framed(b"b", value),
    tuple: _sequence,
    list: _sequence,
    dict: _mapping,
}
# For kinds of these, text before sequences, which it is one of.
_KINDS: Sequence[tuple[type, Callable[[Any], bytes]]] = (
    *((kind, _WRITERS[kind]) for kind in (bool, int, float, str, bytes)),
    (Mapping, _mapping),
    (Set, _set),
    (Sequence, _sequence),
)
