"""Freeze: a batch between two ticks as bytes, and back, in this process or another.

What is frozen is the state alone. The world and the parts of the cast are named, not written, so
whoever thaws brings the same ones; a record of anything else that is found in the bytes is refused.
A class of a user's file is named by the part beside it, so the file may lie elsewhere by then.
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from creatura.errors import PartError
from creatura.loop.batch import Batch
from creatura.loop.station import Player
from creatura.protocols import Observer
from creatura.world import World

_OWN_PACKAGE = __name__.partition(".")[0]
# What NumPy's and Python's own values are rebuilt by; everything else is a class of a known module.
_REBUILDERS = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("builtins", "frozenset"),
    ("builtins", "set"),
    ("builtins", "slice"),
    ("builtins", "complex"),
    ("builtins", "bytearray"),
    ("collections", "OrderedDict"),
    ("collections", "deque"),
}


def freeze(
    batch: Batch, world: World, cast: Sequence[Player], observers: Sequence[Observer] = ()
) -> bytes:
    """Writes the state of a batch at the end of a tick.

    Args:
        world, cast, observers: What the batch is played with; they are named and not written.

    Raises:
        PartError: A part's memory cannot be written.
    """
    written = io.BytesIO()
    try:
        _Writer(written, _parts(world, cast, observers)).dump(batch)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise PartError(f"a memory in this cast cannot be frozen: {error}") from None
    return written.getvalue()


def thaw(
    frozen: bytes, world: World, cast: Sequence[Player], observers: Sequence[Observer] = ()
) -> Batch:
    """Brings a batch back, to go on where it stood.

    Args:
        world, cast, observers: The same, by value, that it was frozen with.

    Raises:
        pickle.UnpicklingError: The bytes hold something that is no state of such a batch.
    """
    parts = _parts(world, cast, observers)
    batch = _Reader(io.BytesIO(frozen), parts).load()
    if not isinstance(batch, Batch):
        raise pickle.UnpicklingError("no batch of runs")
    return batch


def _parts(
    world: World, cast: Sequence[Player], observers: Sequence[Observer]
) -> dict[str, object]:
    parts: dict[str, object] = {"world": world, "brief": world.brief}
    for agent, player in enumerate(cast):
        parts[f"design {agent}"] = player.design
        parts[f"seat {agent}"] = player.seat
        for i, extension in enumerate(player.extensions):
            parts[f"extension {agent}.{i}"] = extension
    parts |= {f"observer {i}": observer for i, observer in enumerate(observers)}
    return parts


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _OWN_PACKAGE


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._named = {id(part): name for name, part in parts.items()}
        self._beside = {
            type(part).__module__: name
            for name, part in parts.items()
            if not _is_own(type(part).__module__)
        }

    def persistent_id(self, obj: Any) -> str | None:
        if isinstance(obj, type) and obj.__module__ in self._beside:
            return f"{self._beside[obj.__module__]}:{obj.__qualname__}"
        return self._named.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file)
        self._parts = parts
        # A part's memory may be of a class that its module took from a neighbour.
        self._taken = {
            (found.__module__, found.__qualname__)
            for name in {type(part).__module__ for part in parts.values()}
            for found in vars(sys.modules[name]).values()
            if isinstance(found, type)
        }

    def persistent_load(self, pid: Any) -> object:
        name, _, beside = str(pid).partition(":")
        if name not in self._parts:
            raise pickle.UnpicklingError(f"the frozen run has a part '{name}' that this cast lacks")
        part = self._parts[name]
        return self._class(type(part).__module__, beside) if beside else part

    def _class(self, module: str, name: str) -> type:
        if not _is_own(module):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"a frozen run holds no '{module}.{name}'")

    def find_class(self, module: str, name: str) -> Any:
        # Unpickling calls what it finds, so only what holds state may be found.
        if (module, name) in _REBUILDERS:
            return super().find_class(module, name)
        if _is_own(module) or (module, name) in self._taken:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"a frozen run holds no '{module}.{name}'")
