"""Identity: what makes a part the same part, in any process and in any folder.

A run's hash is made of these, so a part's options are written out, no address in memory is, and a
part from outside this package brings the digest of the file that its class stands in.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from creatura.hashing import digest
from creatura.parts import files as part_files

_OWN_PACKAGE = __name__.partition(".")[0]


def identity(part: object) -> str:
    """Writes a part so that equal parts are written alike, and any change of one shows."""
    kind = type(part)
    if kind.__module__.partition(".")[0] == _OWN_PACKAGE:
        return written(part)
    return f"{written(part)} of {part_files.digest_of(kind) or _file_digest(kind)}"


def written(value: object) -> str:
    """Writes a part or one of its options.

    A record is written as its compared fields, any other object as its attributes; no address in
    memory is ever part of it.

    >>> written(("a", 0.5, {"b": None}))
    "('a', 0.5, {'b': None})"
    """
    if isinstance(value, enum.Enum):
        return written(value.value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = sorted(f"{written(key)}: {written(held)}" for key, held in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(written, value)))}}}"
    if isinstance(value, Sequence):
        return f"({', '.join(map(written, value))})"
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return _qualified(value)
    shown = ", ".join(f"{name}={written(found)}" for name, found in _attributes(value).items())
    return f"{_qualified(type(value))}({shown})"


def _attributes(part: object) -> dict[str, Any]:
    kept = dict(vars(part)) if hasattr(part, "__dict__") else {}
    if dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            kept.pop(field.name, None)
            if field.compare:
                kept[field.name] = getattr(part, field.name)
    return dict(sorted(kept.items()))


def _qualified(found: Any) -> str:
    # The module of a user's file is named after its folder, which is no part of what it is.
    is_users = found.__module__.startswith(part_files.MODULE_PREFIX)
    return found.__qualname__ if is_users else f"{found.__module__}.{found.__qualname__}"


def _file_digest(kind: type) -> str:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return digest(Path(file).read_bytes()) if file and Path(file).is_file() else ""
