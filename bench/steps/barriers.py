"""Barriers and faults: trouble that a world keeps ready, and trouble told in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_bdd import given

from bench.arguments import Sentence
from bench.scene import Scene
from creatura.errors import did_you_mean
from creatura.world import TAKES_FACT, Fault, Mode

_COLUMNS = ("tool", "mode", "when", "delay", "fact", "agent")
_WHENS = "once, 2 times, always, at tick 3, at ticks 3 and 5, or 30% of the time"


@given(Sentence("the barrier {barrier:Name} is on"))
def barrier_is_on(scene: Scene, barrier: str) -> None:
    """Switches on one of the barriers that the world's file names.

    Example: Given the barrier "gateway-lies" is on
    """
    scene.switch_on(barrier)


@given(Sentence("every barrier is on"))
def every_barrier_is_on(scene: Scene) -> None:
    """Switches on all barriers of the world, in the order of its file.

    Example: Given every barrier is on
    """
    scene.switch_on(None)


@given(Sentence("these faults"))
def these_faults(scene: Scene, datatable: list[list[str]]) -> None:
    """Adds faults of any kind: tool, mode, when, delay, fact, and the only agent it meets, from 0.

    Example: Given these faults
    """
    columns, *rows = datatable
    for column in columns:
        assert column in _COLUMNS, f"no column '{column}'{did_you_mean(column, _COLUMNS)}"
    assert {"tool", "mode"} <= set(columns), "the table needs the columns 'tool' and 'mode'"
    for row in rows:
        scene.add_fault(_fault(dict(zip(columns, row, strict=True))))


def _fault(cells: Mapping[str, str]) -> Fault:
    modes = [mode.value for mode in Mode]
    mode = cells["mode"].replace(" ", "_")
    assert mode in modes, f"no mode '{cells['mode']}'{did_you_mean(mode, modes)}"
    delay, fact = cells.get("delay") or "2", cells.get("fact") or None
    assert delay.isdecimal() and int(delay) > 0, f"a delay is 1 tick or more, found '{delay}'"
    assert fact or Mode(mode) not in TAKES_FACT, f"the mode '{mode}' needs a fact"
    agent = cells.get("agent") or None
    assert agent is None or agent.isdecimal(), f"agents count from 0, found '{agent}'"
    return Fault(
        cells["tool"],
        Mode(mode),
        delay=int(delay),
        fact=fact,
        agent=None if agent is None else int(agent),
        **_schedule(cells.get("when") or "always"),
    )


_SCHEDULES: tuple[tuple[Sentence, Callable[..., dict[str, Any]]], ...] = (
    (Sentence("always"), lambda: {}),
    (Sentence("at tick {tick:Tick}"), lambda tick: {"ticks": (tick,)}),
    (Sentence("at ticks {ticks:Ticks}"), lambda ticks: {"ticks": ticks}),
    (Sentence("{share:Percent} of the time"), lambda share: {"probability": share}),
    (Sentence("{times:Times}"), lambda times: {"times": times}),
)


def _schedule(when: str) -> dict[str, Any]:
    for sentence, read in _SCHEDULES:
        values = sentence.parse_arguments(when)
        if values is not None:
            return read(**values)
    raise AssertionError(f"'{when}' is no time for a fault; write {_WHENS}")
