"""Trials: the cases that parts are examined in, and what a run of one leaves behind.

In each world every tool meets every mode of fault, each on one of four schedules in turn, and once
there is no trouble and once every barrier at a time. The list is the same each time it is made.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields

from creatura.results import Results, TraceRow
from creatura.world import TAKES_FACT, Episode, Fault, Mode, World

MAX_TICKS = 16  # two ways round the longest packaged world
CHANCE = 0.5

_SCHEDULES: tuple[dict[str, object], ...] = (
    {"times": 1},
    {},
    {"ticks": (2, 3, 5)},
    {"probability": CHANCE},
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One run in one world."""

    world: str
    faults: tuple[Fault, ...]
    seed: int

    @property
    def episode(self) -> Episode:
        """The same for the loop."""
        return Episode(self.seed, 0, self.faults)

    def __str__(self) -> str:
        trouble = "; ".join(map(str, self.faults)) or "no trouble"
        return f"{self.world}, {trouble}, seed {self.seed}"


def trials_of(name: str, world: World) -> tuple[Trial, ...]:
    """Lists the trials of one world."""
    troubles = [(), *(faults for faults in world.barriers.values())]
    if len(world.barriers) > 1:
        troubles.append(tuple(itertools.chain.from_iterable(world.barriers.values())))
    troubles += [(fault,) for fault in _faults(world)]
    return tuple(Trial(name, tuple(faults), seed) for seed, faults in enumerate(troubles))


def _faults(world: World) -> Iterator[Fault]:
    brief, schedules = world.brief, itertools.cycle(_SCHEDULES)
    for mode in Mode:
        for tool in brief.tools:
            others = [name for i, name in enumerate(brief.facts) if not tool.grants >> i & 1]
            fact = others[tool.index % len(others)] if mode in TAKES_FACT else None
            yield Fault(tool.id, mode, fact=fact, **next(schedules))  # type: ignore[arg-type]
        next(schedules)  # so that a tool meets the next mode on another schedule


@dataclass(frozen=True, slots=True)
class Account:
    """All that one run left behind, in plain values that can be compared.

    Attributes:
        told: Its parts by what they are called: trace, lies, outcome and so on.
    """

    told: tuple[tuple[str, object], ...]

    def difference(self, other: Account) -> str | None:
        """Says in a line where another account first differs; None where it does not."""
        for (name, mine), (_, theirs) in zip(self.told, other.told, strict=True):
            if mine != theirs:
                return f"{name}: {_first_difference(mine, theirs)}"
        return None


def account(results: Results, run: int) -> Account:
    """Gathers what one run of a batch left behind."""
    counts = {f.name: getattr(results.counts, f.name)[run].tolist() for f in fields(results.counts)}
    return Account(
        (
            ("trace", tuple(results.trace.rows(run))),
            ("lies", tuple(results.lies.of(run))),
            ("quarantines", tuple(results.quarantines.of(run))),
            ("counts", tuple(counts.items())),
            ("goal reached", bool(results.goal_reached[run])),
            ("ticks", int(results.ticks[run])),
            ("declared done", tuple(results.declared_done[run].tolist())),
            ("reason", results.reason(run)),
        )
    )


def _first_difference(mine: object, theirs: object) -> str:
    if not (isinstance(mine, tuple) and isinstance(theirs, tuple)):
        return f"{mine} and then {theirs}"
    pairs = itertools.zip_longest(mine, theirs, fillvalue=None)
    one, other = next((a, b) for a, b in pairs if a != b)
    return f"{_shown(one)} and then {_shown(other)}"


def _shown(line: object) -> str:
    if line is None:
        return "nothing more"
    if isinstance(line, TraceRow):
        return f"[tick {line.tick} {line.level} {line.stress:.2f} {line.action}: {line.detail}]"
    return str(line)
