"""Plugin: pytest collects feature files, wherever they stand, as the scenarios in them.

A file is checked whole before any of it runs. One that has a problem fails the run and keeps no
other file from running. pytest-bdd runs the steps; `module_of` gives it a module that was never a
file. Two private names are leant on, `Module._getobj` and the `place_as` of a function, and the
ranges in pyproject.toml are as narrow as they are because of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_bdd import scenario
from pytest_bdd.compat import get_fixture_names, getfixturedefs
from pytest_bdd.feature import features as feature_cache
from pytest_bdd.feature import get_feature
from pytest_bdd.parser import Step
from pytest_bdd.steps import StepNamePrefix, step_function_context_registry

from bench import failures, steps
from bench.catalogue import StepTemplate, templates
from bench.gherkin import TAGS, check_feature
from bench.scenario_log import ScenarioLog, describe
from creatura.errors import Problem

CURRENT_STEP = pytest.StashKey[Step]()
NUM_REFUSED = pytest.StashKey[int]()
ENCODING = "utf-8-sig"


# --------------------------------------------------------------------------- collection


class FeatureFile(pytest.Module):
    """A feature file, as a module with one test function a scenario."""

    problems: tuple[Problem, ...] = ()

    def collect(self) -> Any:
        """Checks the file, then hands its scenarios over.

        Raises:
            CollectError: It has problems; nothing of it runs.
        """
        for name in steps.modules():
            self.config.pluginmanager.import_plugin(name)
        self.problems = check_feature(self.path, visible_steps(self), shown_path(self))
        if self.problems:
            count = self.session.stash.get(NUM_REFUSED, 0)
            self.session.stash[NUM_REFUSED] = count + 1
            raise self.CollectError("\n".join(map(str, self.problems)))
        return super().collect()

    def _getobj(self) -> ModuleType:
        return module_of(self.path)

    def funcnamefilter(self, name: str) -> bool:
        """Takes every function: `python_functions` is about test modules."""
        return True


def module_of(path: Path) -> ModuleType:
    """Makes a module with one test function a scenario of a feature file."""
    feature_cache.pop(str(path), None)
    feature = get_feature(str(path.parent), path.name, encoding=ENCODING)
    module = ModuleType(f"feature_{path.stem}")
    module.__file__ = str(path)
    for template in feature.scenarios.values():
        bind = scenario(path.name, template.name, ENCODING, str(path.parent))
        function: Any = bind(_no_more)
        # Without this, pytest says that each scenario stands in pytest-bdd's own source.
        function.place_as = _placed(path, template.line_number)
        setattr(module, _free_name(template.name, module), function)
    return module


def visible_steps(node: pytest.Collector) -> tuple[StepTemplate, ...]:
    """Lists the steps that pytest would let a feature file use: `bench.steps` and any conftest."""
    manager = node.session._fixturemanager
    contexts = (
        step_function_context_registry.get(definition.func)
        for name in get_fixture_names(manager)
        if name.startswith(StepNamePrefix.step_def.value)
        for definition in getfixturedefs(manager, name, node) or ()
    )
    return templates(
        context
        for context in contexts
        if context is not None and context.step_func.__module__ != "pytest_bdd.plugin"
    )


def shown_path(node: pytest.Collector) -> str:
    """Writes a file's path as the person who started the run would."""
    start = node.config.invocation_params.dir
    inside = node.path.is_relative_to(start)
    return (node.path.relative_to(start) if inside else node.path).as_posix()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Takes every feature file."""
    if file_path.suffix != ".feature":
        return None
    found: FeatureFile = FeatureFile.from_parent(parent, path=file_path)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Lets the good files run when all that is wrong is bad feature files."""
    if session.testsfailed and session.testsfailed == session.stash.get(NUM_REFUSED, 0):
        session.config.option.continue_on_collection_errors = True


def _no_more() -> None:
    """Is what pytest-bdd calls once the steps are done."""


def _placed(path: Path, line: int) -> Callable[[], None]:
    scope: dict[str, Any] = {}
    exec(compile("\n" * (line - 1) + "def placed(): ...", str(path), "exec"), scope)
    placed: Callable[[], None] = scope["placed"]
    return placed


def _free_name(title: str, module: ModuleType) -> str:
    """Turns a scenario's name into a function's: `A lie, told` becomes `test_a_lie_told`."""
    stem = "test_" + (re.sub(r"\W+", "_", title).strip("_").lower() or "scenario")
    taken = vars(module)
    return next(name for name in _numbered(stem) if name not in taken)


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    for number in range(2, 1_000_000):
        yield f"{stem}_{number}"


# --------------------------------------------------------------------------- reports


def pytest_bdd_before_step(request: pytest.FixtureRequest, step: Step) -> None:
    """Notes which step is running."""
    request.node.stash[CURRENT_STEP] = step


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts the step in place of the traceback, and says which scenario a report is about."""
    report = yield
    if isinstance(item.parent, FeatureFile) and isinstance(item, pytest.Function):
        file = shown_path(item.parent)
        report.scenario = describe(item, file)  # type: ignore[attr-defined]
        step = item.stash.get(CURRENT_STEP, None)
        if report.failed and call.when == "call" and step and failures.is_short(item.config):
            assert call.excinfo is not None
            told = failures.failure(file, step, call.excinfo.value, visible_steps(item.parent))
            report.longrepr = told  # type: ignore[assignment]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Says which problems a refused feature file has."""
    report = yield
    if isinstance(collector, FeatureFile) and report.failed:
        problems = [(p.place.line or 0, p.message) for p in collector.problems]
        report.refused = {"feature": shown_path(collector), "problems": problems}  # type: ignore[attr-defined]
    return report


# --------------------------------------------------------------------------- set-up


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("creatura-bench")
    group.addoption(
        "--scenario-results",
        metavar="FILE",
        type=Path,
        help="write what each scenario came to into FILE, as JSON",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the tags, and the log where one is asked for."""
    for tag, meaning in TAGS.items():
        config.addinivalue_line("markers", f"{tag}: {meaning}")
    path = config.getoption("--scenario-results")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(ScenarioLog(path), "creatura-bench-scenario-log")
