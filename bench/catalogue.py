"""Catalogue: every sentence the bench understands, and the ones nearest to a sentence it does not.

A template's first docstring line is its meaning; a line `Example: Given the world "ferry"` is its
example, which a test holds to match that template and no other. Templates are read from the
registry that pytest-bdd keeps, so there is no second list to keep in step.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from pytest_bdd.parsers import StepParser
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry

from bench import steps as step_package
from bench.arguments import Sentence, tidy
from creatura.errors import Place

TABLE, TEXT_BLOCK = "datatable", "docstring"  # the names pytest-bdd passes them under
ANY = "Any"


class Takes(Enum):
    """Whether a step function takes a table, or a text block."""

    NO = "no"
    MAYBE = "maybe"
    NEEDS = "needs"


@dataclass(frozen=True, slots=True)
class StepTemplate:
    """One sentence that a step function stands behind.

    Attributes:
        keyword: `Given`, `When`, `Then`, or `Any`.
        text: The sentence as a person reads it, `the world "<world>"`.
        meaning: What it does, in a sentence.
        example: A whole step, keyword first; empty where none was written.
        place: File and line of its function.
        makes: The fixture that later steps find its result under, if any.
        is_async: Whether its function is a coroutine, which nobody would await.
    """

    keyword: str
    text: str
    meaning: str
    example: str
    place: Place
    table: Takes
    text_block: Takes
    makes: str | None
    is_async: bool
    parser: StepParser = field(repr=False, compare=False)

    @property
    def sentence(self) -> str:
        """Keyword and text."""
        return self.text if self.keyword == ANY else f"{self.keyword} {self.text}"

    def is_for(self, keyword: str) -> bool:
        """Tells whether it may stand under `Given`, `When` or `Then`."""
        return self.keyword in (ANY, keyword)

    def matches(self, text: str) -> bool:
        """Tells whether a step's text, without keyword, has this form."""
        return self.parser.is_matching(text)


def steps() -> tuple[StepTemplate, ...]:
    """Lists the templates of `bench.steps`, by file and line."""
    names = step_package.modules()
    for name in names:
        importlib.import_module(name)
    known = step_function_context_registry.values()
    return templates(c for c in known if inspect.unwrap(c.step_func).__module__ in names)


def templates(contexts: Iterable[StepFunctionContext]) -> tuple[StepTemplate, ...]:
    """Describes step functions as pytest-bdd registered them, by file and line."""
    found = (_template(context) for context in contexts)
    return tuple(sorted(found, key=lambda t: (t.place.file, t.place.line or 0, t.sentence)))


def nearest_steps(
    keyword: str, text: str, known: Iterable[StepTemplate], most: int = 3
) -> tuple[StepTemplate, ...]:
    """Finds the templates that a sentence most likely meant, best first."""
    bare = _bare(text)

    def likeness(template: StepTemplate) -> float:
        ratio = difflib.SequenceMatcher(None, bare, _bare(template.text)).ratio()
        return ratio + 0.05 * template.is_for(keyword)

    scored = sorted(((likeness(t), t) for t in known), key=lambda pair: -pair[0])
    return tuple(template for score, template in scored[:most] if score > 0.4)


def matching(
    keyword: str, text: str, known: Sequence[StepTemplate]
) -> tuple[tuple[StepTemplate, ...], tuple[StepTemplate, ...]]:
    """Finds the templates of a sentence: under this keyword, and under others only."""
    found = [template for template in known if template.matches(text)]
    here = tuple(template for template in found if template.is_for(keyword))
    return here, tuple(template for template in found if not template.is_for(keyword))


def shown_file(file: str) -> str:
    """Writes a path as seen from the folder the reader is in, if it lies below that."""
    path = Path(file)
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else file


def _template(context: StepFunctionContext) -> StepTemplate:
    function = inspect.unwrap(context.step_func)
    parameters = inspect.signature(function).parameters
    meaning, example = _prose(inspect.getdoc(function) or "")
    parser = context.parser
    return StepTemplate(
        keyword=(context.type or ANY).capitalize(),
        text=parser.shown if isinstance(parser, Sentence) else parser.name,
        meaning=meaning,
        example=example,
        place=Place(shown_file(function.__code__.co_filename), function.__code__.co_firstlineno),
        table=_takes(parameters.get(TABLE)),
        text_block=_takes(parameters.get(TEXT_BLOCK)),
        makes=context.target_fixture,
        is_async=inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function),
        parser=parser,
    )


def _takes(parameter: inspect.Parameter | None) -> Takes:
    if parameter is None:
        return Takes.NO
    return Takes.NEEDS if parameter.default is parameter.empty else Takes.MAYBE


def _prose(doc: str) -> tuple[str, str]:
    lines = [line.strip() for line in doc.splitlines()]
    examples = [line.removeprefix("Example:").strip() for line in lines if line[:8] == "Example:"]
    return (lines[0] if lines else ""), (examples[0] if examples else "")


_VARIES: Any = re.compile(r'"[^"]*"|“[^”]*”|\{[^}]*\}|<[^>]*>|\d[\d.,]*')


def _bare(text: str) -> str:
    # Names and numbers differ between any two sentences; likeness is that of the words around them.
    return str(_VARIES.sub("_", tidy(text))).lower()
