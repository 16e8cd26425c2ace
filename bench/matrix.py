"""Matrix: which cases a bench runs.

A case is everything that determines one run's result, and its id is the hash of that. Cases of one
world and one cast go through the loop as one lockstep batch; the grouping never shows in a row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from bench.limits import COUNT_RANGE, is_count
from creatura.errors import AuthorError
from creatura.hashing import digest
from creatura.loop import DEFAULT_MAX_TICKS
from creatura.protocols import Brief
from creatura.world import Fault, Mode

Trouble = tuple[Fault, ...]


@lru_cache(maxsize=4_096)
def _lot(world: str, cast: tuple[Player, ...], faults: Trouble, max_ticks: int) -> str:
    # Cases differ by their seed far more often than by anything else.
    return digest([world, cast, faults, max_ticks])


@dataclass(frozen=True, slots=True)
class Player:
    """One agent of a case: a design and the seat in it, as their names were written."""

    design: str
    seat: str = "bfs"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A case that the same cast had in the same world before; `Case` has the fields' meaning."""

    faults: Trouble = ()
    seed: int = 0
    episode: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that determines one run.

    Attributes:
        world: A packaged world's name, or a path.
        cast: The players, in agent order.
        faults: Faults added in front of those that the world starts with.
        seed, episode: Keys of the counter-based draws.
        earlier: What the cast went through before, oldest first; it may have learned from it.
    """

    world: str
    cast: tuple[Player, ...]
    faults: Trouble = ()
    seed: int = 0
    episode: int = 0
    max_ticks: int = DEFAULT_MAX_TICKS
    earlier: tuple[Earlier, ...] = ()

    def __post_init__(self) -> None:
        if not -(2**63) <= self.seed < 2**63:
            raise AuthorError.at("seed", f"a seed has 64 bits, found {self.seed}")
        if not is_count(self.max_ticks):
            raise AuthorError.at("max_ticks", f"ticks are {COUNT_RANGE}, found {self.max_ticks}")
        for fault in self.faults:
            _check_counts(fault)
            _check_agent(fault, len(self.cast))

    @property
    def id(self) -> str:
        """Hash of what determines the result, 16 hex digits."""
        lot = _lot(self.world, self.cast, self.faults, self.max_ticks)
        return digest([lot, self.seed, self.episode, *self.earlier])

    @property
    def sequence(self) -> tuple[Case, ...]:
        """All cases that its cast goes through, this one last."""
        past = (
            replace(self, faults=e.faults, seed=e.seed, episode=e.episode, earlier=self.earlier[:i])
            for i, e in enumerate(self.earlier)
        )
        return (*past, self)

    @property
    def design(self) -> str:
        """Design names in agent order, joined by ` + `."""
        return " + ".join(player.design for player in self.cast)

    @property
    def seat(self) -> str:
        """Seat names in agent order, joined by ` + `; one name where all are the same."""
        return " + ".join(dict.fromkeys(player.seat for player in self.cast))

    @property
    def trouble(self) -> str:
        """The added faults in words; `none` without any."""
        return "; ".join(map(str, self.faults)) or "none"


def _check_counts(fault: Fault) -> None:
    times = () if fault.times is None else (fault.times,)
    for count in (*times, *(fault.ticks or ()), fault.delay):
        if not is_count(count):
            message = f"its times, ticks and delay are {COUNT_RANGE}, found {count}"
            raise AuthorError.at(f"the fault of '{fault.tool}'", message)


def _check_agent(fault: Fault, num_agents: int) -> None:
    if fault.agent is None or fault.agent < num_agents:
        return
    agents = "agent 0 alone" if num_agents == 1 else f"agents 0 to {num_agents - 1}"
    message = f"it is for agent {fault.agent}, and this run has {agents}"
    raise AuthorError.at(f"the fault of '{fault.tool}'", message)


def _each(mode: Mode, times: int | None) -> Callable[[Brief], list[Trouble]]:
    return lambda brief: [(Fault(tool.id, mode, times),) for tool in brief.tools]


def _all_often(brief: Brief) -> list[Trouble]:
    return [tuple(Fault(tool.id, Mode.LIE, probability=0.3) for tool in brief.tools)]


# The kinds of trouble a plan may name; each makes one or more variants of a world.
TROUBLES: Mapping[str, Callable[[Brief], list[Trouble]]] = {
    "none": lambda brief: [()],
    "one tool lies once": _each(Mode.LIE, times=1),
    "one tool lies always": _each(Mode.LIE, times=None),
    "one tool fails once": _each(Mode.FAIL, times=1),
    "every tool lies now and then": _all_often,
}


def cross(
    world: str,
    troubles: Iterable[Trouble],
    casts: Iterable[tuple[Player, ...]],
    seeds: Iterable[int] = (0,),
    max_ticks: int = DEFAULT_MAX_TICKS,
) -> list[Case]:
    """Builds every combination in one world, in the order of the arguments."""
    cells = itertools.product(troubles, casts, seeds)
    return [Case(world, cast, faults, seed, 0, max_ticks) for faults, cast, seed in cells]


def sequence(case: Case, num_cases: int) -> tuple[Case, ...]:
    """Lines up cases of one cast: the same trouble anew each time, one episode after another."""
    cases = tuple(replace(case, episode=case.episode + i) for i in range(num_cases))
    past = tuple(Earlier(c.faults, c.seed, c.episode) for c in cases)
    return tuple(replace(c, earlier=case.earlier + past[:i]) for i, c in enumerate(cases))
