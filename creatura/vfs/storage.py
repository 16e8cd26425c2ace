"""Storage: one tensor a variable, with a leading world axis.

A global variable is `[W]`, an agent's is `[W, A]`. NumPy views share the memory, which is how
compiled rules and the membrane read and write without a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.vfs.schema import Scope, VariableSpec, VarType

DTYPES = {
    VarType.BOOL: torch.bool,
    VarType.INT: torch.int64,
    VarType.SCALAR: torch.float32,
}


@dataclass(frozen=True, slots=True)
class Extents:
    """How long the axes are: worlds and agents, each at least one."""

    num_worlds: int
    num_agents: int = 1

    def __post_init__(self) -> None:
        for name in ("num_worlds", "num_agents"):
            count = getattr(self, name)
            if count < 1:
                raise ValueError(f"{name} is {count}; at least 1 is needed")

    def shape_of(self, scope: Scope) -> tuple[int, ...]:
        """Gives the shape of a variable of this scope."""
        if scope is Scope.GLOBAL:
            return (self.num_worlds,)
        return (self.num_worlds, self.num_agents)


def allocate(roster: Iterable[VariableSpec], extents: Extents) -> dict[str, torch.Tensor]:
    """Makes a contiguous tensor for every variable, filled with its initial value."""
    return {spec.id: _filled(spec, extents) for spec in roster}


def views(storage: Mapping[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """Gives NumPy arrays over the same memory."""
    return {variable: np.asarray(tensor.numpy()) for variable, tensor in storage.items()}


def _filled(spec: VariableSpec, extents: Extents) -> torch.Tensor:
    return torch.full(extents.shape_of(spec.scope), spec.start, dtype=DTYPES[spec.type])
