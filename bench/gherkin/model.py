"""Model: a feature file as records, with the line of everything.

Unlike the tree a Gherkin parser returns, it keeps which line each piece of prose stands on: text
that the parser took for prose is where a misspelt keyword hides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

PLACEHOLDER = re.compile(r"<([\w][\w .-]*)>")


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of text and where it stands, from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step, or one row's rendering of it.

    Attributes:
        keyword: As written, such as `And`.
        kind: `Given`, `When` or `Then`; empty where an `And` follows nothing.
        table: Rows of cells, the heading among them.
    """

    line: int
    keyword: str
    kind: str
    text: str
    table: tuple[tuple[str, ...], ...] | None = None
    text_block: str | None = None

    def __str__(self) -> str:
        return f"{self.keyword} {self.text}"

    @property
    def full(self) -> str:
        """The step with the keyword that its `And` or `*` stands for."""
        return f"{self.kind or self.keyword} {self.text}"

    def placeholders(self) -> tuple[str, ...]:
        """Names its `<placeholders>`, in text, table and text block."""
        cells = [cell for row in self.table or () for cell in row]
        return tuple(
            name
            for text in (self.text, *cells, self.text_block or "")
            for name in PLACEHOLDER.findall(text)
        )

    def filled(self, row: dict[str, str]) -> Step:
        """Puts a row's values in place of the placeholders."""
        if not row:
            return self

        def fill(text: str) -> str:
            return PLACEHOLDER.sub(lambda found: row.get(found[1], found[0]), text)

        table = self.table and tuple(tuple(map(fill, cells)) for cells in self.table)
        block = None if self.text_block is None else fill(self.text_block)
        return replace(self, text=fill(self.text), table=table, text_block=block)


@dataclass(frozen=True, slots=True)
class Examples:
    """A table of values for an outline."""

    line: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Background:
    """Steps in front of each scenario; `prose` is text above its first step."""

    line: int
    steps: tuple[Step, ...]
    prose: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, or an outline.

    Attributes:
        tags: Its own and those of its rule and feature.
        before: The steps of the backgrounds in force.
        prose: Text above its first step.
        is_outline: Whether it has, or announces, a table of examples.
    """

    line: int
    name: str
    tags: tuple[str, ...]
    before: tuple[Step, ...]
    steps: tuple[Step, ...]
    prose: tuple[Line, ...]
    examples: tuple[Examples, ...]
    is_outline: bool

    def runs(self) -> Iterator[tuple[Step, ...]]:
        """Renders its steps, backgrounds first: once, or once a row of examples."""
        steps = (*self.before, *self.steps)
        rows = [dict(zip(e.columns, row, strict=True)) for e in self.examples for row in e.rows]
        for row in rows or [{}]:
            yield tuple(step.filled(row) for step in steps)


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature file.

    Attributes:
        file: What messages call it.
        tags: Every tag in the file, with its line.
        prose: Text under `Feature:` and `Rule:` headings, one tuple a heading.
        step_words, headings: The keywords of its language; a heading is without its colon.
    """

    file: str
    line: int
    name: str
    tags: tuple[Line, ...]
    prose: tuple[tuple[Line, ...], ...]
    backgrounds: tuple[Background, ...]
    scenarios: tuple[Scenario, ...]
    step_words: tuple[str, ...]
    headings: tuple[str, ...]
