"""Registry: the only door to a value.

Every read and write names a role and is checked. Callers that come back each tick have the check
done once: `reader` hands out live read-only arrays, `lend` the tensors a compiled transition works
on. With `audit=True` each attempted write is kept, refused ones too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.errors import AccessError
from creatura.vfs.access import AccessTable, UnknownVariableError
from creatura.vfs.roster import Roster
from creatura.vfs.schema import Lifetime, VariableSpec, VarType
from creatura.vfs.storage import Extents, allocate, views

Value = torch.Tensor | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempted write through `Registry.set`.

    Attributes:
        who: The tool, rule or part that tried, in the caller's words.
        refusal: Why nothing was written; None where it was.
    """

    tick: int
    who: str
    role: str
    variable: str
    refusal: str | None


@final
class Registry:
    """The values of a batch of worlds."""

    def __init__(self, roster: Roster, extents: Extents, *, audit: bool = False) -> None:
        self.roster = roster
        self.extents = extents
        self.access = AccessTable(roster)
        self.attempts: list[Attempt] = []
        self._audit = audit
        self._tensors = allocate(roster, extents)
        self._arrays = views(self._tensors)

    def get(self, variable: str, role: str) -> torch.Tensor:
        """Returns the live tensor of a variable; by contract nobody writes through it.

        Torch has no read-only tensors and a copy would cost more than the check; `reader` gives
        arrays that do refuse a write.
        """
        self.access.check_read(role, variable)
        return self._tensors[variable]

    def reader(self, role: str, variables: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Resolves the role's permission once and returns live, read-only arrays."""
        return {variable: self._read_only(role, variable) for variable in variables}

    def set(self, variable: str, value: Value, role: str, *, tick: int, who: str) -> None:
        """Writes a whole variable: same shape, same dtype, finite, within its range.

        Raises:
            AccessError: The role may not write it.
            UnknownVariableError: There is no such variable.
            ValueError: The value does not fit; nothing was written.
        """
        try:
            self.access.check_write(role, variable)
            array = value.numpy() if isinstance(value, torch.Tensor) else value
            _check_fits(self.roster[variable], self._arrays[variable], array)
        except (AccessError, UnknownVariableError, ValueError) as refusal:
            self._note(Attempt(tick, who, role, variable, str(refusal)))
            raise
        self._arrays[variable][...] = array
        if self._audit:
            self._note(Attempt(tick, who, role, variable, None))

    def lend(
        self, role: str, reads: Iterable[str], writes: Iterable[str]
    ) -> dict[str, torch.Tensor]:
        """Resolves a transition's permissions once and returns the live tensors it works on.

        Variables that live for a tick are always among them: to clear them at the start of a step
        is part of what they are, not an act of any role.
        """
        lent = {spec.id for spec in self.roster if spec.lifetime is Lifetime.TICK}
        for variable in reads:
            self.access.check_read(role, variable)
            lent.add(variable)
        for variable in writes:
            self.access.check_write(role, variable)
            lent.add(variable)
        return {variable: tensor for variable, tensor in self._tensors.items() if variable in lent}

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies every value there is, for `restore`; a snapshot is no reading of any role."""
        return {variable: array.copy() for variable, array in self._arrays.items()}

    def restore(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Puts a snapshot back, in place, so that what was lent goes on from it.

        Raises:
            ValueError: It is of another roster, or of other extents.
        """
        if values.keys() != self._arrays.keys():
            raise ValueError("the snapshot is of another roster")
        for variable, array in self._arrays.items():
            if (values[variable].shape, values[variable].dtype) != (array.shape, array.dtype):
                raise ValueError(f"the snapshot holds '{variable}' in another shape")
        for variable, array in self._arrays.items():
            array[...] = values[variable]

    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:
        """Starts a new episode: all but persistent variables return to their initial values.

        Derived variables keep their old values until the transition refreshes them.

        Args:
            worlds: Which worlds `[W]`; None for all of them.
        """
        chosen = slice(None) if worlds is None else np.asarray(worlds, dtype=bool)
        for spec in self.roster:
            if spec.lifetime is not Lifetime.PERSISTENT and not spec.is_derived:
                self._arrays[spec.id][chosen] = spec.start

    def _read_only(self, role: str, variable: str) -> NDArray[Any]:
        self.access.check_read(role, variable)
        array = self._arrays[variable].view()
        array.flags.writeable = False
        return array

    def _note(self, attempt: Attempt) -> None:
        if self._audit:
            self.attempts.append(attempt)


def _check_fits(spec: VariableSpec, held: NDArray[Any], value: NDArray[Any]) -> None:
    if value.shape != held.shape or value.dtype != held.dtype:
        expected, found = (f"{a.dtype} {list(a.shape)}" for a in (held, value))
        raise ValueError(f"'{spec.id}' takes {expected}, found {found}")
    if spec.type is VarType.SCALAR and not np.isfinite(value).all():
        found = _first(~np.isfinite(value), value)
        raise ValueError(f"'{spec.id}' takes finite values, found {found}")
    if spec.range is not None and spec.type is not VarType.BOOL:
        # Bounds are rounded as values are: 0.1 in the file is the float32 nearest to 0.1.
        low, high = np.asarray(spec.range, dtype=held.dtype)
        outside = (value < low) | (value > high)
        if outside.any():
            bounds = f"[{spec.range[0]!r}, {spec.range[1]!r}]"
            raise ValueError(f"'{spec.id}' takes {bounds}, found {_first(outside, value)}")


def _first(wrong: NDArray[np.bool_], value: NDArray[Any]) -> str:
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"world {index[0]}" + (f", agent {index[1]}" if len(index) > 1 else "")
    return f"{value[index]} ({where})"
