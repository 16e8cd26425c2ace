"""Runner: plays cases, in lockstep batches of one world and one cast, in this process.

Grouping and batch size never show in a result: a case gives the same rows in a batch of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import creatura
from bench.matrix import Case, Player
from bench.traces import Batch
from creatura import loop, resolver
from creatura.errors import Place
from creatura.hashing import digest
from creatura.protocols import Regulator, Seat
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
        AuthorError: A case names a world, design, seat or tool that does not exist.
    """
    lots: dict[tuple[str, tuple[Player, ...], int], list[Case]] = {}
    for case in cases:
        lots.setdefault((case.world, case.cast, case.max_ticks), []).append(case)
    for lot in lots.values():
        for start in range(0, len(lot), batch_size):
            yield _run_batch(lot[start : start + batch_size], group, critic, backend, place)


def _run_batch(
    cases: Sequence[Case], group: str, critic: bool, backend: BackendName, place: Place | str
) -> Batch:
    first = cases[0]
    world = world_of(first.world, place)
    parts = [(resolver.design(p.design, place), resolver.seat(p.seat, place)) for p in first.cast]
    for faults in dict.fromkeys(case.faults for case in cases):
        world.check_faults(faults, place)
    results = loop.run(
        world,
        [loop.Player(design, seat) for design, seat in parts],
        [Episode(case.seed, case.episode, case.faults) for case in cases],
        max_ticks=first.max_ticks,
        observers=[resolver.observer("critic")] if critic else [],
        backend=backend,
    )
    run_hashes = _run_hashes(world, parts, cases)
    return Batch(group, tuple(cases), results, world.hashes, run_hashes)


def _run_hashes(
    world: World, parts: Sequence[tuple[Regulator, Seat]], cases: Sequence[Case]
) -> tuple[str, ...]:
    cast = [[repr(design), repr(seat)] for design, seat in parts]
    shared = [world.hashes["vfs"], world.faults, cast, cases[0].max_ticks, creatura.__version__]
    by_trouble = {faults: digest([shared, faults]) for faults in {case.faults for case in cases}}
    return tuple(digest([by_trouble[c.faults], c.seed, c.episode]) for c in cases)


def world_of(name: str, place: Place | str = "command line", beside: Path | None = None) -> World:
    """Loads a world by name or path; a file is compiled again only when it has changed."""
    path = resolver.world_file(name, place, beside)
    return _load(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _load(path: Path, changed_at: int) -> World:
    return load_world(path)
