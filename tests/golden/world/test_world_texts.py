"""World texts: what `creatura world show` prints of two worlds, word for word.

Digests are left out: they are pinned by tests of their own, and say nothing of how a world reads.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from bench.cli.expanded_world import render_expanded
from bench.cli.show_tokens import print_layout
from bench.cli.show_world import print_portrait
from creatura import resolver
from creatura.world import World, load_world
from creatura.world.portray import portrait_of

FOLDER = Path(__file__).parent


def world(name: str) -> World:
    own = FOLDER / f"{name}.yaml"
    return load_world(own if own.exists() else resolver.world_file(name))


def masked(text: str) -> str:
    return re.sub(r'"?\b[0-9a-f]{16}\b"?', "(digest)", text)


def printed(width: int, print_on: Callable[[Console], None]) -> str:
    screen = Console(file=io.StringIO(), width=width, markup=False, highlight=False, emoji=False)
    print_on(screen)
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    return masked("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


def shown(name: str, width: int, *, show_all: bool = False) -> str:
    portrait = portrait_of(world(name))
    return printed(width, lambda screen: print_portrait(portrait, screen, show_all=show_all))


def shown_tokens(name: str, num_agents: int, role: str) -> str:
    layout = world(name).layout(num_agents, role)
    return printed(80, lambda screen: print_layout(layout, screen))


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["water-board", "village"])
def test_a_world_reads_as_it_did(name: str, width: int) -> None:
    assert shown(name, width) == (FOLDER / f"{name}.{width}.txt").read_text()


def test_what_the_engine_adds_reads_as_it_did() -> None:
    assert shown("water-board", 120, show_all=True) == (FOLDER / "water-board.all.txt").read_text()


def test_a_full_roster_reads_as_it_did() -> None:
    expanded = masked(render_expanded(world("water-board")))
    assert expanded == (FOLDER / "water-board.expanded.yaml").read_text()


@pytest.mark.parametrize("name", ["water-board", "village", "bread"])
def test_no_line_is_wider_than_the_screen(name: str) -> None:
    for width in (80, 100):
        assert max(map(len, shown(name, width, show_all=True).splitlines())) <= width


@pytest.mark.parametrize(("num_agents", "role"), [(3, "agent"), (1, "planner")])
def test_a_row_of_tokens_reads_as_it_did(num_agents: int, role: str) -> None:
    shown = shown_tokens("harbour", num_agents, role)
    assert shown == (FOLDER / f"harbour.tokens.{role}.txt").read_text()
