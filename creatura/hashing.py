"""Hashing: one canonical byte form for any plain value, and its digest.

Two values have the same digest exactly when they are equal as data: mapping order does not count,
sequence order does, an int and a float of equal value differ.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence, Set

DIGEST_LENGTH = 16  # hex digits kept: 64 bits, ample for telling the parts of one bench apart


def canonical_bytes(value: object) -> bytes:
    """Writes a plain value (nested mappings, sequences, sets, records, scalars) as bytes.

    Raises:
        TypeError: A value of a kind that has no canonical form, such as a function.

    >>> canonical_bytes({"b": 1, "a": [True, None]}) == canonical_bytes({"a": (True, None), "b": 1})
    True
    """
    return b"".join(_pieces(value))


def digest(value: object) -> str:
    """Hashes a plain value to 16 hex digits.

    >>> digest([1, 2]) == digest((1, 2)), digest([1, 2]) == digest([2, 1])
    (True, False)
    """
    return hashlib.sha256(canonical_bytes(value)).hexdigest()[:DIGEST_LENGTH]


def _pieces(value: object) -> Iterator[bytes]:
    if isinstance(value, enum.Enum):
        yield from _pieces(value.value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
        yield from _pieces([type(value).__name__, fields])
    elif isinstance(value, Mapping):
        items = sorted((canonical_bytes(k), canonical_bytes(v)) for k, v in value.items())
        yield _framed(b"m", b"".join(k + v for k, v in items))
    elif isinstance(value, Set):
        yield _framed(b"u", b"".join(sorted(canonical_bytes(item) for item in value)))
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        yield _framed(b"l", b"".join(canonical_bytes(item) for item in value))
    else:
        yield _scalar(value)


def _scalar(value: object) -> bytes:
    match value:
        case None:
            return b"n"
        case bool():  # before int, which it is a kind of
            return b"t" if value else b"f"
        case int():
            return _framed(b"i", str(value).encode())
        case float():
            return _framed(b"d", struct.pack(">d", value))
        case str():
            return _framed(b"s", value.encode())
        case bytes():
            return _framed(b"b", value)
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _framed(tag: bytes, body: bytes) -> bytes:
    return tag + struct.pack(">I", len(body)) + body
