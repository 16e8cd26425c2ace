"""Run bench: `creatura bench run`: every feature, then the plan's cases, then the report."""

from __future__ import annotations

import itertools
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from bench.cli.screen import console
from bench.plan import load_plan, plan_text
from bench.report import write_report
from bench.runner import run_cases
from bench.scenarios import ScenarioResult, read_results
from bench.scene import KEPT_BATCHES
from bench.store import CONFIG, RunStore
from bench.traces import Batch
from creatura.errors import AuthorError

PASSED, FAILED = 0, 1
PLAN = "plan.yaml"  # what the plan is called in the run's folder


def run_bench(plan: str, features: Sequence[Path], name: str | None, reports: Path) -> int:
    """Runs the bench and prints where its report lies.

    Returns:
        0 if every scenario passed, else 1; the report is written either way.
    """
    started = time.perf_counter()
    cases = load_plan(plan)  # a mistake in the plan should show before anything runs
    folders = [*features] or [features_folder()]
    # The method of a path would stumble over a name that is too long.
    missing = [path for path in folders if not os.path.exists(path)]
    if missing:
        raise AuthorError.at(str(missing[0]), "there is no such feature file or folder")
    manifest = {
        "command": shlex.join(["creatura", *sys.argv[1:]]),
        "plan": plan,
        "config": f"{CONFIG}/{PLAN}",
    }
    with RunStore.create(reports, name, manifest) as store:
        store.keep_config(PLAN, plan_text(plan))
        scenarios, batches = run_features(folders)
        for batch in batches:
            store.add(batch)
        featured = time.perf_counter()
        for batch in run_cases(cases, group=f"plan:{plan}"):
            store.add(batch)
        played = time.perf_counter()
        store.finish(scenarios)
    report = write_report(store.folder)
    _print_summary(scenarios, len(cases), report, (started, featured, played, time.perf_counter()))
    return FAILED if any(s.outcome in ("failed", "error") for s in scenarios) else PASSED


def features_folder() -> Path:
    """Finds the packaged features: inside an installed package, or `features/` of a checkout."""
    package = Path(str(files("bench")))
    packaged = package / "library"
    return packaged if packaged.is_dir() else package.parent / "features"


class _Keeper:
    """A pytest plugin that keeps what the scenarios played."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Opens the place where scenes leave their runs."""
        config.stash[KEPT_BATCHES] = self.batches

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Lets Ctrl-C end the bench; pytest would end its own part only, and the rest go on."""
        if excinfo.type is KeyboardInterrupt:
            raise excinfo.value


def run_features(
    paths: Sequence[Path],
) -> tuple[tuple[ScenarioResult, ...], list[Batch]]:
    """Runs feature files through pytest and returns what each scenario came to."""
    keeper = _Keeper()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "scenarios.json"
        # Whatever pytest settings lie about belong to other tests, so none are read.
        options = ["-c", os.devnull, "--rootdir", str(Path.cwd()), "-q", "--no-header"]
        options += ["-p", "no:cacheprovider", "--strict-markers", "--scenario-results", str(log)]
        # Assertions of step modules speak for themselves; pytest need not rewrite them.
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        pytest.main([*options, *map(str, paths)], plugins=[keeper])
        return read_results(log), keeper.batches


def _print_summary(
    scenarios: Sequence[ScenarioResult],
    num_cases: int,
    report: Path,
    times: tuple[float, float, float, float],
) -> None:
    screen = console()
    count = Counter(scenario.outcome for scenario in scenarios)
    shown = ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items()))
    features, cases, written = (b - a for a, b in itertools.pairwise(times))
    screen.print()
    screen.print(f"scenarios: {shown or 'none'}; plan: {num_cases} cases")
    screen.print(
        f"seconds: features {features:.1f}, cases {cases:.1f}, report {written:.1f}", style="dim"
    )
    screen.print(f"report: {report}", style="bold", soft_wrap=True)
