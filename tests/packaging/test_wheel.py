"""The wheel: it builds, and works outside the checkout with the worlds and features it carries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Builds the wheel and unpacks it into an otherwise empty folder."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    done = subprocess.run([*build, str(ROOT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run(site: Path, cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line of the unpacked wheel, far from the checkout."""
    start = (
        "import creatura, sys; from bench.cli import main; "
        "assert sys.argv.pop(1) in creatura.__file__; main()"
    )
    command = [sys.executable, "-c", start, str(site), *words]
    environment = {**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(cwd / "cache")}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_a_packaged_world_runs_outside_the_checkout(installed, tmp_path):
    done = run(installed, tmp_path, "run", "restore-service", "--lie", "apply-patch", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["outcome"]["ticks"] == 7


def test_worlds_of_the_wheel_are_listed(installed, tmp_path):
    done = run(installed, tmp_path, "worlds")
    assert "restore_service" in done.stdout


def test_a_feature_of_ones_own_runs_outside_the_checkout(installed, tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "name: mine\nfacts: [a]\ntools: {work: {grants: [a]}}\ntask: {goal: a}\n"
    )
    (tmp_path / "mine.feature").write_text(
        'Feature: Mine\n  Scenario: It works\n    Given the world "mine"\n'
        '    When the design "plain" runs with the "bfs" seat for at most 3 ticks\n'
        "    Then the goal is reached in 1 ticks\n"
    )
    done = run(installed, tmp_path, "bench", "run", "--features", "mine.feature", "--name", "one")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "reports" / "one" / "report.html").is_file()
