"""Screen: where commands print. A pipe gets whole lines; a terminal gets lines that fit it."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 240  # wide enough that no row of a trace is folded when another program reads it


def console() -> Console:
    """Opens standard output for tables and text."""
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else PIPE_WIDTH
    # Names and titles are their authors' text: `[red]` and `:bug:` in them mean nothing.
    return Console(width=width, highlight=False, markup=False, emoji=False)


def open_table(*columns: str) -> Table:
    """Makes a table without lines, whose long cells are folded."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
