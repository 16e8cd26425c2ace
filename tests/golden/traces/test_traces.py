"""Traces: what each design tells of the one-lie world, as the command line prints it.

A file is read by people first: it should tell the design's own story. Where a trace moved, the test
shows both, line by line, and names the command that prints the new one.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bench.cli.app import app
from creatura import resolver

FOLDER = Path(__file__).parent


def command(design: str) -> list[str]:
    return ["run", "restore-service", "--design", design, "--lie", "apply-patch"]


def told(design: str) -> list[str]:
    """What the command prints, without the hashes, which move with every world and version."""
    done = CliRunner().invoke(app, command(design), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    lines = (line.rstrip() for line in done.stdout.splitlines())
    return [line for line in lines if not line.startswith("hashes: ")]


@pytest.mark.parametrize("design", resolver.DESIGNS)
def test_a_design_tells_the_story_it_told(design: str) -> None:
    file = FOLDER / f"{design}.txt"
    kept = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    moved = difflib.unified_diff(kept, told(design), f"{file.name}, kept", "now", lineterm="")
    difference = "\n".join(moved)
    printed_by = f"creatura {' '.join(command(design))}"
    assert not difference, f"read it, and keep it only if it is right: {printed_by}\n{difference}"


def test_every_kept_story_is_of_a_design_there_is() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(resolver.DESIGNS)
