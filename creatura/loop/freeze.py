"""Freeze: a batch between two ticks as bytes, and back, in this process or another.

What is frozen is the state alone. The world and the parts of the cast are named, not written, so
whoever thaws brings the same ones; a record of anything else that is found in the bytes is refused.
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
    named = {id(part): name for name, part in _parts(world, cast, observers).items()}
    written = io.BytesIO()
    try:
        _Writer(written, named).dump(batch)
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


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, named: Mapping[int, str]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._named = named

    def persistent_id(self, obj: Any) -> str | None:
        return self._named.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, parts: Mapping[str, object]) -> None:
        super().__init__(file)
        self._parts = parts
        self._modules = {type(part).__module__ for part in parts.values()}
        # A part's memory may be of a class that its module took from a neighbour.
        self._taken = {
            (found.__module__, found.__qualname__)
            for name in self._modules
            for found in vars(sys.modules[name]).values()
            if isinstance(found, type)
        }

    def persistent_load(self, pid: Any) -> object:
        if pid not in self._parts:
            raise pickle.UnpicklingError(f"the frozen run has a part '{pid}' that this cast lacks")
        return self._parts[pid]

    def find_class(self, module: str, name: str) -> Any:
        # Unpickling calls what it finds, so only what holds state may be found.
        if (module, name) in _REBUILDERS:
            return super().find_class(module, name)
        is_own = module.partition(".")[0] == "creatura" or module in self._modules
        if is_own or (module, name) in self._taken:
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"a frozen run holds no '{module}.{name}'")
