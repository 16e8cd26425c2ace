"""Native: machine code, where it is kept, and what a bare or read-only home does to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from creatura import machine_code
from creatura.vfs import Extents, Registry, VariableSpec, build_roster
from creatura.vtc import RuleSpec, Transition, WriteSpec, compile_transition

ROSTER = build_roster(
    [
        VariableSpec(id="fuel", scope="agent", type="scalar", initial=1.0, range=(0.0, 1.0)),
        VariableSpec(id="is_dry", scope="agent", expression="fuel <= 0"),
    ]
)
BURN = RuleSpec(
    id="burn",
    phase="apply_passive_depletion",
    writes=(WriteSpec(target="fuel", expression=-0.4, composition="additive_delta"),),
)


@pytest.fixture
def transition() -> Transition:
    return compile_transition(ROSTER, [BURN])


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for cached in (machine_code._folder, machine_code.compiled):
        cached.cache_clear()
    yield tmp_path
    for cached in (machine_code._folder, machine_code.compiled):
        cached.cache_clear()


def burn_twice(transition: Transition) -> list[list[float]]:
    registry = Registry(ROSTER, Extents(2, 2))
    bound = transition.bind(registry)
    for tick in (1, 2, 3):
        bound.step(tick, np.array([[True, True], [tick < 2, False]]))
    assert registry.get("is_dry", "engine").tolist() == [[True, True], [False, False]]
    return [[round(value, 6) for value in row] for row in registry.get("fuel", "engine").tolist()]


def test_machine_code_is_kept_for_the_next_process(home: Path, transition: Transition) -> None:
    assert burn_twice(transition) == [[0.0, 0.0], [0.6, 1.0]]
    folder = home / ".cache" / "creatura" / "kernels"
    (source,) = folder.glob("*.py")
    assert source.read_text(encoding="utf-8").startswith('"""A compiled transition')
    assert list(folder.glob("__pycache__/*.nbc"))
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}
    machine_code.compiled.cache_clear()
    assert burn_twice(transition) == [[0.0, 0.0], [0.6, 1.0]]
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")} == before


def test_a_damaged_source_is_written_anew(home: Path, transition: Transition) -> None:
    source = machine_code._stored("x = 1\n")
    source.write_text("x = ")
    assert machine_code._stored("x = 1\n").read_text() == "x = 1\n"
    assert [path.name for path in source.parent.iterdir()] == [source.name]


def test_the_cache_follows_the_users_setting(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "elsewhere"))
    assert machine_code._folder() == home / "elsewhere" / "creatura" / "kernels"


def test_a_home_that_cannot_hold_a_cache_is_no_obstacle(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cache").write_text("a file where a folder should be")
    folder = machine_code._folder()
    assert folder.is_dir()
    assert home not in folder.parents


def test_a_missing_home_is_no_obstacle(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", _no_home)
    assert machine_code._folder().is_dir()


def test_an_unknown_back_end_is_refused(transition: Transition) -> None:
    with pytest.raises(ValueError, match="no back-end 'jit'; known: fused, interpreter"):
        transition.bind(Registry(ROSTER, Extents(1)), "jit")  # type: ignore[arg-type]


def test_a_registry_of_another_roster_is_refused(transition: Transition) -> None:
    other = build_roster([VariableSpec(id="fuel", initial=False)])
    with pytest.raises(ValueError, match="another roster"):
        transition.bind(Registry(other, Extents(1)), "interpreter")


def test_the_compiler_does_without_numba() -> None:
    code = "import sys, creatura.vtc; sys.exit('numba' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )


def _no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")
