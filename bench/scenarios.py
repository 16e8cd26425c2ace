"""Scenarios: what each scenario came to, and the file in which one process tells it another."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from creatura.errors import AuthorError


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario's outcome, or one problem of a feature file that was refused.

    Attributes:
        feature: The feature file, as seen from where the run was started.
        line: Where the scenario, or the problem, stands.
        name: The scenario's name, an outline's with its row; empty for a refused file.
        outcome: `passed`, `failed`, `skipped`, or `error` where it could not be run or cleared up.
        seconds: Wall time, setting up and clearing up included.
        message: What a person should read; empty where it passed.
    """

    feature: str
    line: int
    name: str
    tags: tuple[str, ...]
    outcome: str
    seconds: float
    message: str


def write_results(path: Path, results: Sequence[ScenarioResult]) -> None:
    """Writes results as a JSON list, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    text = json.dumps([asdict(result) for result in results], indent=1, ensure_ascii=False)
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


def read_results(path: Path) -> tuple[ScenarioResult, ...]:
    """Reads what `write_results` wrote.

    Raises:
        AuthorError: The file is missing or is no such list.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return tuple(ScenarioResult(**{**row, "tags": tuple(row["tags"])}) for row in rows)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise AuthorError.at(str(path), f"cannot be read: {why}") from None
    except (ValueError, TypeError, KeyError):
        raise AuthorError.at(str(path), "is no list of scenario results") from None
