"""Lists: what designs, seats, worlds and steps there are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from bench.cli.screen import console
from creatura import resolver
from creatura.errors import AuthorError


def print_designs() -> None:
    """Prints designs and presets, and once what any of them takes for its membrane."""
    print_entries([*resolver.designs(), *resolver.presets()], resolver.Kind.DESIGN)
    options = ", ".join(f"{name}={value!s}" for name, value in resolver.layer_options().items())
    console().print(f"\nand for the membrane of any but {resolver.CONTROL_ARM}: {options}")


def print_entries(entries: Sequence[resolver.Entry[Any]], kind: resolver.Kind) -> None:
    """Prints parts of a kind with what they are and the options they take.

    One that another package brings and that does not load is named on standard error.
    """
    for sentence in resolver.broken(kind):
        print(sentence, file=sys.stderr)
    table = _table("name", "what it is", "options")
    for entry in entries:
        options = ", ".join(f"{name}={value!r}" for name, value in entry.options)
        table.add_row(entry.name, entry.line, options)
    console().print(table)


def print_worlds() -> None:
    """Prints the packaged worlds; one that does not load is named on standard error."""
    from creatura.world import load_world  # brings torch, which the other lists do without

    table = _table("name", "task", "tools", "obligations")
    for path in resolver.worlds():
        try:
            brief = load_world(path).brief
        except AuthorError as error:
            print(error, file=sys.stderr)
            continue
        table.add_row(path.stem, brief.title, str(len(brief.tools)), str(len(brief.obligations)))
    console().print(table)


def print_steps(words: Sequence[str]) -> None:
    """Prints step sentences with their examples: all, or those that hold some words."""
    from bench import catalogue

    known = sorted(catalogue.steps(), key=lambda step: _KEYWORDS.index(step.keyword))
    wanted = [word.lower() for word in words]
    found = [
        step
        for step in known
        if all(word in f"{step.sentence} {step.example}".lower() for word in wanted)
    ]
    if not found:
        found = list(catalogue.nearest_steps("", " ".join(words), known))
        nearest = "; nearest:" if found else ""
        print(f"no sentence holds '{' '.join(words)}'{nearest}", file=sys.stderr)
    screen = console()
    for step in found:
        screen.print(step.sentence, style="bold", soft_wrap=True)
        screen.print(f"    {step.meaning}", soft_wrap=True)
        screen.print(f"    e.g. {step.example}", style="dim", soft_wrap=True)


_KEYWORDS = ("Given", "When", "Then", "Any")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
