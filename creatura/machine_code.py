"""Machine code: generated Python source, compiled by Numba and kept for the next process.

Compiling takes seconds, so source and machine code are kept under the user's cache folder, where
the next process finds them. Where that folder cannot be written, a temporary one serves this
process. Importing this module does not import Numba; compiling does.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from creatura.hashing import digest


@functools.cache
def compiled(source: str, name: str, signature: str) -> Callable[..., None]:
    """Compiles one function of a module's source, or loads what an earlier process compiled.

    Args:
        signature: Types of its arguments in Numba's notation.
    """
    import numba

    path = _stored(source)
    spec = importlib.util.spec_from_file_location(f"creatura_kernel_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where Numba looks for it when it loads machine code
    spec.loader.exec_module(module)
    # No fastmath: it would let sums be regrouped, and the back-ends agree bit for bit.
    compile_function = numba.njit(signature, error_model="numpy", cache=True)
    function: Callable[..., None] = compile_function(getattr(module, name))
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
