"""Check: everything that is wrong with one feature file, found without running it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.catalogue import StepTemplate, steps
from bench.gherkin.model import Feature
from bench.gherkin.reader import read_feature
from bench.gherkin.sentences import check_sentences
from bench.gherkin.shape import check_shape
from creatura.errors import AuthorError, Problem


def check_feature(
    path: Path, known: Sequence[StepTemplate] | None = None, shown: str | None = None
) -> tuple[Problem, ...]:
    """Finds every problem of a feature file, in the order of its lines.

    Args:
        known: The steps it may use; those of `bench.steps` unless said otherwise.
        shown: What messages call the file; its path unless said otherwise.
    """
    try:
        feature = read_feature(path, shown)
    except AuthorError as error:
        return error.problems
    return inspect_feature(feature, steps() if known is None else known)


def inspect_feature(feature: Feature, known: Sequence[StepTemplate]) -> tuple[Problem, ...]:
    """Finds every problem of a feature that could be read, in the order of its lines."""
    found = dict.fromkeys((*check_shape(feature), *check_sentences(feature, known)))
    return tuple(sorted(found, key=lambda problem: problem.place.line or 0))
