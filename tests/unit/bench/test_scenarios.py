"""Scenarios: results survive the file they are told through."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.scenarios import ScenarioResult, read_results, write_results
from creatura.errors import AuthorError

RESULTS = (
    ScenarioResult("features/a.feature", 3, "Frösche", ("quick",), "passed", 0.25, ""),
    ScenarioResult("features/a.feature", 9, "Toads", (), "failed", 0.5, "a line\n    and a hint"),
)


def test_results_read_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.json"
    write_results(path, RESULTS)
    assert read_results(path) == RESULTS


def test_a_results_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, RESULTS)
    write_results(path, ())
    assert read_results(path) == ()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["", "{}x", '[{"feature": 1}]', "[3]"])
def test_a_file_that_holds_no_results_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(AuthorError) as caught:
        read_results(path)
    assert str(caught.value) == f"{path}: is no list of scenario results"


def test_a_results_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(AuthorError, match="cannot be read: no such file or directory"):
        read_results(tmp_path / "gone.json")
