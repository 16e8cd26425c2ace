"""World holders: worlds of several agents, items and groups, shown, checked and compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.unit.bench.conftest import Run

HARBOUR = """name: harbour
title: moor the ship
extents: {groups: [crew], items: {a: crate, b: crate}, pairs: [[0, 1], [1, 0]]}
membership: {groups: {crew: [0, 1]}}
facts: [moored]
variables:
  weight: {scope: item, profile: crate, type: scalar, initial: 0.6, initial_at: {b: 9.5}}
  sky: {type: categorical, labels: [fair, rain], initial: rain}
  wind: {type: vec2f, initial: [0.1, 0.2]}
tools:
  moor: {grants: [moored]}
task: {goal: moored}
"""


def test_a_world_of_several_agents_and_holders_is_shown(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    harbour = world_file("harbour.yaml", text=HARBOUR)
    status, out, _ = creatura_world("show", harbour)
    assert status == 0
    assert "besides agents: groups crew, 2 of crate, 2 pairs of agents" in out
    rows = {line.split()[0]: " ".join(line.split()) for line in out.splitlines() if line}
    assert rows["weight"].startswith("weight item crate scalar 0.6 (b 9.5) ")
    assert rows["sky"].startswith("sky global categorical (fair/rain) rain ")
    assert rows["wind"].startswith("wind global vec2f [0.1, 0.2] ")
    picture = Path("harbour.svg")
    assert creatura_world("show", harbour, "--svg", str(picture))[0] == 0
    assert "0.6000000" not in picture.read_text()


def test_holders_and_their_starts_are_compared(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    a = world_file("a.yaml", text=HARBOUR)
    b = world_file(
        "b.yaml", ("b: crate", "b: crate, c: crate"), ("b: 9.5", "b: 9.25"), text=HARBOUR
    )
    out = creatura_world("diff", a, b)[1]
    assert "  ~ items is: a crate, b crate → a crate, b crate, c crate" in out
    assert "  ~ weight starts_at: b 9.5 → b 9.25" in out


def test_what_came_ready_made_is_not_doubted_and_a_table_of_starts_is_no_idle_variable(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    out = creatura_world("check", world_file("harbour.yaml", text=HARBOUR))[1]
    assert "member.groups" not in out
    assert "variable 'weight' is read by no rule" in out
    assert "variable 'weight' is written by nothing" not in out
    assert "variable 'sky' is written by nothing and stays rain" in out


def test_a_world_without_a_title_is_named_once(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    assert creatura_world("show", world_file("ferry.yaml"))[1].startswith("ferry\n")
