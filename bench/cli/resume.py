"""Resume: `creatura resume`, which goes on from a frozen run, as that run or as a fork of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.bundle import (
    Ancestor,
    Fork,
    changes_since,
    freeze_again,
    freeze_run,
    in_words,
    resume_run,
)
from bench.cli.run_one import print_batch
from bench.cli.screen import console
from bench.matrix import Case
from bench.trouble import PLACE
from creatura.errors import AuthorError
from creatura.vtc import BackendName


def freeze(case: Case, at_tick: int, file: Path, backend: BackendName) -> None:
    """Runs a case up to the end of a tick and keeps it in a file."""
    _print_frozen(freeze_run(case, at_tick, file, backend, PLACE), at_tick, file)


def fork_of(is_fork: bool, world: str | None, designs: Sequence[str]) -> Fork | None:
    """Returns the fork that the command line asked for, if it did.

    Raises:
        AuthorError: It asks for another world or other designs, and for no fork.
    """
    given = {"--world": world is not None, "--design": bool(designs)}
    asked = " and ".join(option for option, is_given in given.items() if is_given)
    if asked and not is_fork:
        makes = "makes" if len(asked.split()) == 1 else "make"
        raise AuthorError.at(PLACE, f"{asked} {makes} a new run of it; add --fork")
    return Fork(world, tuple(designs)) if is_fork else None


def resume(file: Path, fork: Fork | None, *, as_json: bool) -> None:
    """Plays a frozen run to its end and prints what came of it."""
    _warn(file, fork)
    resumed = resume_run(file, PLACE, fork)
    print_batch(resumed.batch, as_json=as_json, also=_told(resumed.ancestors))
    if resumed.ancestors and not as_json:
        _print_parent(resumed.ancestors[0])


def keep(file: Path, fork: Fork | None, at_tick: int | None, to: Path) -> None:
    """Plays a frozen run up to a later tick, or not at all, and keeps it in another file."""
    _warn(file, fork)
    tick = freeze_again(file, at_tick, to, PLACE, fork)
    _print_frozen(tick, tick if at_tick is None else at_tick, to)


def _warn(file: Path, fork: Fork | None) -> None:
    if fork is None or fork.world is None:
        for change in changes_since(file):
            print(f"note: {change}", file=sys.stderr)


def _print_frozen(tick: int, asked: int, file: Path) -> None:
    early = "" if tick == asked else f", where it closed before tick {asked}"
    print(f"frozen at tick {tick}{early}; go on with: creatura resume {shlex.quote(str(file))}")


def _told(ancestors: Sequence[Ancestor]) -> dict[str, Any]:
    """Writes where a fork comes from; nothing for a run that is none."""
    if not ancestors:
        return {}
    parent, *before = (asdict(ancestor) for ancestor in ancestors)
    moved = parent.pop("moved")
    return {"parent": parent, "moved": moved, "ancestors": before}


def _print_parent(parent: Ancestor) -> None:
    screen = console()
    where = f"run {parent.run} at tick {parent.tick}, bundle {parent.bundle}"
    screen.print(f"parent: {where}", soft_wrap=True)
    moved = ", ".join(map(in_words, parent.moved)) or "nothing"
    screen.print(f"moved: {moved}", soft_wrap=True)
