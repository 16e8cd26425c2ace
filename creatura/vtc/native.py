"""Native: the `fused` back-end, a kernel's source compiled by Numba and run over live arrays.

Importing this module does not import Numba; binding does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.machine_code import compiled
from creatura.vfs.schema import VarType
from creatura.vtc.ir import Fault, Plan
from creatura.vtc.kernels import Parameter, parameters_of, source_of

_NUMPY = {VarType.BOOL: np.bool_, VarType.INT: np.int64, VarType.SCALAR: np.float32}
_NUMBA = {VarType.BOOL: "b1", VarType.INT: "i8", VarType.SCALAR: "f4"}
_AXES = {1: "[::1]", 2: "[:,::1]"}


@final
class Fused:
    """A plan bound to live tensors, as one machine-code loop.

    Args:
        tensors: Values by variable, `[W]` or `[W, A]`, contiguous; steps write them in place.
        num_agents: A, which scratch rows are as long as.
    """

    def __init__(
        self, plan: Plan, tensors: Mapping[str, torch.Tensor], num_agents: int, checked: bool
    ) -> None:
        parameters = parameters_of(plan)
        self._step = compiled(source_of(plan, checked), "step", signature_of(parameters))
        self._fault = np.zeros(4)
        self._arrays = [
            np.empty(num_agents, dtype=_NUMPY[parameter.type])
            if parameter.variable is None
            else tensors[parameter.variable].numpy()
            for parameter in parameters
        ]

    def step(self, tick: int, live: NDArray[np.bool_]) -> Fault | None:
        """Runs every block over live agents `[W, A]`; returns the first fault, if there is one."""
        self._step(tick, np.ascontiguousarray(live), self._fault, *self._arrays)
        if self._fault[0] < 0:
            return None
        site, world, agent, value = self._fault.tolist()
        return Fault(int(site), int(world), int(agent), value)


def signature_of(parameters: tuple[Parameter, ...]) -> str:
    """Writes the types of a kernel's arguments in Numba's notation."""
    arrays = (f"{_NUMBA[parameter.type]}{_AXES[parameter.rank]}" for parameter in parameters)
    return f"void({', '.join(('i8', 'b1[:,::1]', 'f8[::1]', *arrays))})"
