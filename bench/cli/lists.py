"""Lists: what designs, seats, worlds and steps there are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from bench.cli.screen import console
from creatura import resolver
from creatura.errors import AuthorError


def print_entries(entries: Sequence[resolver.Entry[Any]]) -> None:
    """Prints parts with what they are and the options they take."""
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


def print_steps(search: str) -> None:
    """Prints step sentences, all or those nearest to some words."""
    from bench import catalogue

    known = catalogue.steps()
    found = [step for step in known if search.lower() in step.sentence.lower()]
    if not found:
        found = list(catalogue.nearest_steps("", search, known))
        print(f"no sentence holds '{search}'" + ("; nearest:" if found else ""), file=sys.stderr)
    table = _table("", "sentence", "what it means")
    for step in found:
        table.add_row(step.keyword, step.text, step.meaning)
    console().print(table)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
