"""Storage: one tensor a variable, with a leading world axis.

After the worlds come the axes of the scope (see `holders`), then the value's own: an agent's vec2f
is `[W, A, 2]`. NumPy views share the memory, which is how compiled rules and the membrane read and
write without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.vfs.elements import ELEMENTS, numpy_dtype, start_of, zero_of
from creatura.vfs.holders import Extents
from creatura.vfs.roster import Roster, holder_of
from creatura.vfs.schema import VariableSpec

MAX_BYTES = 2**36  # of one batch; beyond it the machine would swap, not run


def start_values(roster: Roster, spec: VariableSpec, num_agents: int) -> NDArray[Any]:
    """Fills one world's values of a variable with what they start from, without the world axis.

    Starts for agents that a run does not have are left out.
    """
    shape = roster.holders.shape_of(spec, Extents(1, num_agents))[1:]
    value = zero_of(spec) if spec.is_derived else start_of(spec, spec.initial)
    held = np.empty(shape, dtype=numpy_dtype(spec.type))
    held[...] = value
    for holder, other in spec.initial_at.items():
        place = holder_of(spec, roster.holders, holder)
        if all(part < size for part, size in zip(place, shape, strict=False)):
            held[place] = start_of(spec, other)
    return held


def allocate(roster: Roster, extents: Extents) -> dict[str, torch.Tensor]:
    """Makes a contiguous tensor for every variable, filled with its initial values.

    Raises:
        ValueError: They would take more than `MAX_BYTES` in all.
    """
    sizes = {spec.id: _bytes(roster, spec, extents) for spec in roster}
    if sum(sizes.values()) > MAX_BYTES:
        largest = max(sizes, key=sizes.__getitem__)
        raise ValueError(
            f"{extents.num_worlds:,} worlds of {extents.num_agents:,} agents take "
            f"{sum(sizes.values()) / 2**30:,.0f} GiB, {sizes[largest] / 2**30:,.0f} of them for "
            f"'{largest}'; at most {MAX_BYTES // 2**30} GiB are given: run fewer worlds at once"
        )
    return {spec.id: _filled(roster, spec, extents) for spec in roster}


def views(storage: Mapping[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """Gives NumPy arrays over the same memory."""
    return {variable: np.asarray(tensor.numpy()) for variable, tensor in storage.items()}


def dense_pairs(
    roster: Roster, spec: VariableSpec, values: NDArray[Any], num_agents: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Lays sparse pairs out as all pairs, for people and for tests.

    Args:
        values: `[W, E, ...]`.

    Returns:
        Values `[W, A, A, ...]`, zero where there is no pair, and which pairs there are `[A, A]`.
    """
    edges = roster.holders.edges
    assert edges is not None, f"'{spec.id}' is stored for every pair already"
    shape = (values.shape[0], num_agents, num_agents, *values.shape[2:])
    dense, exist = np.zeros(shape, values.dtype), np.zeros((num_agents, num_agents), np.bool_)
    for e, (i, j) in enumerate(edges):
        dense[:, i, j] = values[:, e]
        exist[i, j] = True
    return dense, exist


def _filled(roster: Roster, spec: VariableSpec, extents: Extents) -> torch.Tensor:
    shape = roster.holders.shape_of(spec, extents)
    tensor = torch.empty(shape, dtype=ELEMENTS[spec.type].dtype)
    tensor.numpy()[...] = start_values(roster, spec, extents.num_agents)
    return tensor


def _bytes(roster: Roster, spec: VariableSpec, extents: Extents) -> int:
    count = 1
    for length in roster.holders.shape_of(spec, extents):
        count *= length
    return count * ELEMENTS[spec.type].dtype.itemsize
