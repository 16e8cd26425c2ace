"""Failures: a failed step as its author reads it, with the line and the sentence.

`features/ferry.feature:12: Then the goal is reached`, and under it what the step has to say.
`--tb=long` and `--full-trace` show the Python side instead.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pytest_bdd.parser import Step

from bench.catalogue import StepTemplate, shown_file
from creatura.errors import AccessError, AuthorError, RunError

# These speak for themselves; any other exception is shown with its name and place.
_SPOKEN = (AssertionError, AuthorError, AccessError, RunError, pytest.fail.Exception)


@dataclass(frozen=True, slots=True)
class Crash:
    """Where a failure is and what the one-line summary says of it, under the names pytest reads."""

    path: str
    lineno: int
    message: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed step, printed in place of a traceback."""

    place: str
    step: str
    lines: tuple[str, ...]
    reprcrash: Crash

    def __str__(self) -> str:
        return "\n".join((f"{self.place}: {self.step}", *(f"    {line}" for line in self.lines)))

    def toterminal(self, writer: Any) -> None:
        """Prints it; the name is pytest's."""
        head, *rest = str(self).split("\n")
        writer.line(head, bold=True)
        for line in rest:
            writer.line(line, red=True)


def is_short(config: pytest.Config) -> bool:
    """Tells whether a failed step is shown without its traceback."""
    style = config.getoption("tbstyle", "auto")
    return style not in ("long", "native") and not config.getoption("fulltrace", False)


def failure(
    file: str, step: Step, error: BaseException, known: Sequence[StepTemplate] = ()
) -> Failure:
    """Describes a failed step; `known` are the steps that could have made what it lacked."""
    lines = tuple("\n".join(_said(error, known)).splitlines())
    crash = Crash(file, step.line_number, lines[0])
    return Failure(f"{file}:{step.line_number}", f"{step.keyword} {step.name}", lines, crash)


def _said(error: BaseException, known: Sequence[StepTemplate]) -> list[str]:
    notes = list(getattr(error, "__notes__", ()))
    if isinstance(error, pytest.FixtureLookupError):
        return [*_lacking(str(error.argname), known), *notes]
    if not isinstance(error, _SPOKEN):
        at = f"at {_where(error)}; --full-trace shows how it came to that"
        return [f"{type(error).__name__}: {error}", *notes, at]
    # pytest appends its own reading of the expression to the message.
    text = str(error).partition("\nassert ")[0]
    return [text or f"a check without a message failed at {_where(error)}", *notes]


def _lacking(name: str, known: Sequence[StepTemplate]) -> list[str]:
    makers = [template.sentence for template in known if template.makes == name]
    wrong = f"this step needs '{name}', which no step above it has made"
    return [wrong, f"made by: {' | '.join(makers)}"] if makers else [wrong]


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "an unknown place"
    return f"{shown_file(frames[-1].filename)}:{frames[-1].lineno}"
