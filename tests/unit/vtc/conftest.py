"""Conftest: both back-ends for every test of what a step means.

The kernel runs as plain Python here, since compiling each little rule set would cost a second;
`test_native` and the property tests run machine code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import pytest

from creatura import machine_code


@pytest.fixture(params=["interpreter", "fused"])
def backend(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    monkeypatch.setattr(machine_code, "_folder", lambda: tmp_path)
    machine_code.compiled.cache_clear()
    with np.errstate(all="ignore"):  # machine code does not warn of overflow either
        yield request.param
    machine_code.compiled.cache_clear()
