"""Scenario log: gathers what each scenario came to while pytest runs, and writes it at the end.

Reports carry the scenario they are about, so the log also works where other processes run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_bdd.scenario import scenario_wrapper_template_registry

from bench.scenarios import ScenarioResult, write_results


def describe(item: pytest.Function, file: str) -> dict[str, Any]:
    """Says which scenario, and which row of it, a test is; in values that survive JSON."""
    template = scenario_wrapper_template_registry[item.obj]
    params: Mapping[str, Any] = item.callspec.params if hasattr(item, "callspec") else {}
    row: dict[str, str] = params.get("_pytest_bdd_example", {})
    name = template.render(row).name
    if row and name == template.name:
        name = f"{name} [{', '.join(row.values())}]"
    tags = {mark.name for mark in item.iter_markers() if not mark.args and not mark.kwargs}
    return {"feature": file, "line": template.line_number, "name": name, "tags": sorted(tags)}


class ScenarioLog:
    """A pytest plugin that is registered only where a log is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: dict[str, ScenarioResult] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds one phase of one scenario."""
        about = getattr(report, "scenario", None)
        if about is None:
            return
        fresh = ScenarioResult(**{**about, "tags": tuple(about["tags"])}, **_PASSED)
        known = self._results.get(report.nodeid, fresh)
        known = replace(known, seconds=round(known.seconds + report.duration, 6))
        if not report.passed:
            outcome = "error" if report.failed and report.when != "call" else report.outcome
            known = replace(known, outcome=outcome, message=_message(report))
        self._results[report.nodeid] = known

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Adds the problems of a file that was refused."""
        refused = getattr(report, "refused", None)
        if refused is None:
            return
        problems = refused["problems"] or [(0, report.longreprtext)]
        for number, (line, message) in enumerate(problems):
            result = ScenarioResult(refused["feature"], line, "", (), "error", 0.0, message)
            self._results[f"{report.nodeid}#{number}"] = result

    def pytest_sessionfinish(self) -> None:
        """Writes the file."""
        write_results(self._path, list(self._results.values()))


_PASSED: dict[str, Any] = {"outcome": "passed", "seconds": 0.0, "message": ""}


def _message(report: pytest.TestReport) -> str:
    if report.skipped and isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    # Asked for its text, a report from another process would put that process in front.
    return str(report.longrepr)
