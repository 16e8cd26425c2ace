"""Native: the `fused` back-end, a kernel's source compiled by Numba and run over live arrays.

Compiling takes seconds, so source and machine code are kept under the user's cache folder, where
the next process finds them. Where that folder cannot be written, a temporary one serves this
process. Importing this module does not import Numba; binding does.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.hashing import digest
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
        self._step = compiled(source_of(plan, checked), signature_of(parameters))
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


@functools.cache
def compiled(source: str, signature: str) -> Callable[..., None]:
    """Compiles a kernel, or loads what an earlier process compiled."""
    import numba

    path = _stored(source)
    spec = importlib.util.spec_from_file_location(f"creatura_kernel_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where Numba looks for it when it loads machine code
    spec.loader.exec_module(module)
    # No fastmath: it would let sums be regrouped, and the back-ends agree bit for bit.
    compile_step = numba.njit(signature, error_model="numpy", cache=True)
    function: Callable[..., None] = compile_step(module.step)
    return function


def _stored(source: str) -> Path:
    """Puts a source into the cache folder unless it is there, and returns its path."""
    path = _folder() / f"{digest(source)}.py"
    try:
        is_there = path.read_text(encoding="utf-8") == source
    except (OSError, UnicodeDecodeError):
        is_there = False
    if not is_there:
        # Numba's own cache goes by the file's time, so a good file is left alone, and a new one
        # appears whole even when two processes write it at once.
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        os.replace(temporary, path)
    return path


@functools.cache
def _folder() -> Path:
    try:
        root = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(root) if os.path.isabs(root) else Path.home() / ".cache"
        folder = base / "creatura" / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        return Path(_temporary_folder().name)


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    # Cached so that it lives as long as the process, and is removed with it.
    return tempfile.TemporaryDirectory(prefix="creatura-kernels-")
