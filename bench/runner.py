"""Runner: plays cases, in lockstep batches of one world and one cast, in this process.

Grouping and batch size never show in a result: a case gives the same rows in a batch of one.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import creatura
from bench.matrix import Case, Player
from bench.traces import Batch
from creatura import loop, resolver
from creatura.errors import Place
from creatura.hashing import digest
from creatura.parts import files as part_files
from creatura.vtc import BackendName
from creatura.world import Episode, World, load_world

BATCH_SIZE = 4_096  # large enough to share the cost of a tick, small enough to hold its traces


def run_cases(
    cases: Sequence[Case],
    *,
    group: str,
    critic: bool = True,
    backend: BackendName = "fused",
    batch_size: int = BATCH_SIZE,
    place: Place | str = "command line",
) -> Iterator[Batch]:
    """Plays cases and yields them in batches; every case is in exactly one.

    Args:
        group: Where the cases come from, for the store.
        critic: Whether a critic watches; rows are the same either way.
        place: Where the cases were asked for, for errors.

    Raises:
        AuthorError: A case names a world, design, seat or tool that does not exist, or a part of
            its cast breaks what every part promises.
    """
    _spare_the_collector()
    how = _How(group, critic, backend, place)
    lots: dict[tuple[str, tuple[Player, ...], int, int], list[Case]] = {}
    for case in cases:
        lot = (case.world, case.cast, case.max_ticks, len(case.earlier))
        lots.setdefault(lot, []).append(case)
    # Hashing every case of a night costs more than its sequences save, where it has none.
    unplayed = set(cases) if any(case.earlier for case in cases) else None
    # The longest sequences come first, since playing them plays the cases on their way.
    for cases_alike in sorted(lots.values(), key=lambda lot: -len(lot[0].earlier)):
        left = [c for c in cases_alike if unplayed is None or c in unplayed]
        for start in range(0, len(left), batch_size):
            with part_files.in_sentences(place):
                for batch in _play(left[start : start + batch_size], unplayed or set(), how):
                    if unplayed is not None:
                        unplayed.difference_update(batch.cases)
                    yield batch


@cache
def _spare_the_collector() -> None:
    """Keeps Python's collector from reading the libraries again and again, once a process.

    Runs make records by the million and hardly a cycle, while torch, numba and pandas keep half a
    million objects that never go: designs that fill slots were measured 1.5 to 2 times as fast.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@dataclass(frozen=True, slots=True)
class _How:
    """What `run_cases` was asked for beside the cases."""

    group: str
    critic: bool
    backend: BackendName
    place: Place | str


def _play(ends: Sequence[Case], wanted: set[Case], how: _How) -> Iterator[Batch]:
    """Plays cases with all that came before them; yields them, and whole rows of `wanted` ones."""
    first, place = ends[0], how.place
    world = world_of(first.world, place)
    cast = cast_of(first, place)
    world.check_cast(len(cast), place)
    observers = (resolver.observer("critic"),) if how.critic else ()
    settings = loop.Settings(first.max_ticks, observers, how.backend)
    rows = list(zip(*(case.sequence for case in ends), strict=True))
    for faults in dict.fromkeys(case.faults for row in rows for case in row):
        world.check_faults(faults, place)
    episodes = [[Episode(c.seed, c.episode, c.faults) for c in case.sequence] for case in ends]
    for row, results in zip(rows, loop.run_sequences(world, cast, episodes, settings), strict=True):
        # Two sequences that begin alike share their first cases, which count once.
        if row == tuple(ends) or (len(set(row)) == len(row) and wanted.issuperset(row)):
            run_hashes = run_hashes_of(world, cast, row)
            yield Batch(how.group, row, results, world.hashes, run_hashes, world)


def cast_of(case: Case, place: Place | str = "command line") -> list[loop.Player]:
    """Builds the players of a case by their names, in agent order.

    Raises:
        AuthorError: There is no such design, extension or seat.
    """
    parts = [(resolver.outfit(p.design, place), resolver.seat(p.seat, place)) for p in case.cast]
    return [
        loop.Player(outfit.design, seat, extensions=outfit.extensions) for outfit, seat in parts
    ]


def identity_of(player: loop.Player) -> list[str]:
    """Writes the parts of a player, so that equal ones are written alike in any process."""
    parts = (player.design, player.seat, *player.extensions)
    return [resolver.identity(part) for part in parts]


def run_hashes_of(
    world: World, cast: Sequence[loop.Player], cases: Sequence[Case]
) -> tuple[str, ...]:
    """Digests what determines the rows of each of some cases that one cast plays in one world."""
    players = [identity_of(player) for player in cast]
    shared = [world.hashes["vfs"], world.faults, players, cases[0].max_ticks, creatura.__version__]
    by_trouble = {faults: digest([shared, faults]) for faults in {case.faults for case in cases}}
    return tuple(digest([by_trouble[c.faults], c.seed, c.episode, *c.earlier]) for c in cases)


def world_of(name: str, place: Place | str = "command line", beside: Path | None = None) -> World:
    """Loads a world by name or path; a file is compiled again only when it has changed."""
    path = resolver.world_file(name, place, beside)
    status = path.stat()
    return _load(path, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=64)
def _load(path: Path, version: tuple[int, ...]) -> World:
    return load_world(path)
