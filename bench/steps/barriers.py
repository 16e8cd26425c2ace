"""Barriers and faults: trouble that a world keeps ready, and trouble told in a table."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_bdd import given

from bench.arguments import BLANKS, Sentence
from bench.scene import Scene
from creatura.errors import did_you_mean
from creatura.world import TAKES_FACT, Fault, Mode

_COLUMNS = ("tool", "mode", "when", "delay", "fact")
ALWAYS = "always"


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
    """Adds faults of any kind: tool, mode, when (once, 2 times, always), delay and fact.

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
    when = cells.get("when") or ALWAYS
    times = None if when == ALWAYS else BLANKS["Times"].read(when)
    assert times is None or isinstance(times, int)
    delay, fact = cells.get("delay") or "2", cells.get("fact") or None
    assert delay.isdecimal() and int(delay) > 0, f"a delay is 1 tick or more, found '{delay}'"
    assert fact or Mode(mode) not in TAKES_FACT, f"the mode '{mode}' needs a fact"
    return Fault(cells["tool"], Mode(mode), times, delay=int(delay), fact=fact)
