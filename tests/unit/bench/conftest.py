"""The command line, called as a shell would, and world files to call it with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.cli import main

Run = Callable[..., tuple[int, str, str]]
FERRY = """name: ferry
facts: [loaded, docked]
variables:
  fog: {type: scalar, initial: 0.5, range: [0, 1]}
tools:
  load: {grants: [loaded]}
  sail: {requires: [loaded], grants: [docked]}
rules:
  - id: clear-up
    phase: apply_passive_depletion
    writes: [{target: fog, expression: "fog * 0.5"}]
task: {goal: docked}
"""


@pytest.fixture
def creatura(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command and returns (exit status, standard output, standard error)."""

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["creatura", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return run


@pytest.fixture
def creatura_world(creatura: Run) -> Run:
    """Runs `creatura world`."""
    return lambda *words: creatura("world", *words)


@pytest.fixture
def world_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Writes a world file and returns its name; the text may be changed on the way."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, *changes: tuple[str, str], text: str = FERRY) -> str:
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        Path(name).write_text(text)
        return name

    return write
