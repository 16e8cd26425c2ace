"""Hashes: what a run is made of, each part under a name, and what has moved between two times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import creatura
from bench.matrix import Case
from bench.runner import identity_of, run_hashes_of
from creatura import loop
from creatura.hashing import digest
from creatura.world import HASHED, World

Hashes = Mapping[str, str]

_WORDS = {
    **HASHED,
    "faults": "the faults that the world starts with",
    "cast": "a design, a seat or an extension",
    "version": "the version of creatura-bench",
    "run": "all that the rows follow from",
}


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The frozen run that another one was forked from.

    Attributes:
        bundle: Digest of its file. run: Its run hash. tick: Where the two part.
        moved: The hashes that were others in the fork.
    """

    bundle: str
    run: str
    tick: int
    moved: tuple[str, ...] = ()


def hashes_of(
    world: World, cast: Sequence[loop.Player], case: Case, ancestors: Sequence[Ancestor] = ()
) -> dict[str, str]:
    """Digests all that a case is made of; a fork is another run than one of the same making."""
    (run,) = run_hashes_of(world, cast, [case])
    return {
        **world.hashes,
        "faults": digest(world.faults),
        "cast": digest([identity_of(player) for player in cast]),
        "version": creatura.__version__,
        "run": digest([run, [asdict(ancestor) for ancestor in ancestors]]) if ancestors else run,
    }


def moved(then: Hashes, now: Hashes) -> tuple[str, ...]:
    """Names the hashes that are no longer what they were.

    >>> moved({"vfs": "a", "run": "b"}, {"vfs": "a", "run": "c"})
    ('run',)
    """
    return tuple(name for name in {**then, **now} if then.get(name) != now.get(name))


def in_words(name: str) -> str:
    """Writes a hash's name with what it stands for.

    >>> in_words("transition_graph")
    'transition_graph (what the rules do, whatever they are called)'
    """
    return f"{name} ({_WORDS[name]})" if name in _WORDS else name


def read_hashes(told: Mapping[str, Any]) -> dict[str, str]:
    """Reads hashes back from plain data.

    Raises:
        KeyError: The run's own is not among them.
    """
    return {**{str(name): str(value) for name, value in told.items()}, "run": str(told["run"])}
