"""Play: freezes a run into a bundle, and goes on from one, as the same run or as a fork.

A run goes on with what its bundle holds and nothing else, and only if that is made of what it was
made of then. Its files lie in a folder of their own while it is played.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from bench.bundle.fork import Fork, check_carries, check_count, same_where_equal
from bench.bundle.hashes import Ancestor, Hashes, hashes_of, in_words, moved
from bench.bundle.record import Bundle, read_bundle, write_bundle
from bench.bundle.snapshot import Snapshot, changed, take_snapshot, with_designs, with_world
from bench.matrix import Case
from bench.runner import cast_of, world_of
from bench.traces import Batch
from creatura import loop, resolver
from creatura.errors import AuthorError, Place, Problem
from creatura.parts.files import in_sentences
from creatura.vtc import BackendName
from creatura.world import Episode, World

OBSERVERS = (resolver.observer("critic"),)


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that went on to its end.

    Attributes:
        ancestors: The runs it was forked from, the nearest first.
    """

    batch: Batch
    ancestors: tuple[Ancestor, ...]


@dataclass(frozen=True, slots=True)
class _Standing:
    """A run between two ticks, with all that it is played with."""

    snapshot: Snapshot
    world: World
    cast: Sequence[loop.Player]
    batch: loop.Batch
    backend: BackendName
    ancestors: tuple[Ancestor, ...]

    @property
    def hashes(self) -> dict[str, str]:
        return hashes_of(self.world, self.cast, self.snapshot.case, self.ancestors)

    def keep(self, file: Path) -> int:
        state = loop.freeze(self.batch, self.world, self.cast, OBSERVERS)
        tick = self.batch.clock
        bundle = Bundle(tick, self.backend, self.snapshot, self.hashes, state, self.ancestors)
        write_bundle(file, bundle, self.world)
        return tick


def freeze_run(case: Case, at_tick: int, file: Path, backend: BackendName, place: str) -> int:
    """Plays a case up to the end of a tick and writes it to a file, whole or not at all.

    Returns:
        The tick at which it stands: earlier than asked where the run closed before.
    """
    world, cast = world_of(case.world, place), cast_of(case, place)
    world.check_cast(len(cast), place)
    for earlier in case.sequence:
        world.check_faults(earlier.faults, place)
    sequence = [Episode(c.seed, c.episode, c.faults) for c in case.sequence]
    settings = loop.Settings(case.max_ticks, OBSERVERS, backend)
    snapshot = take_snapshot(case, world)
    with in_sentences(place):
        batches = loop.batches(world, cast, [sequence], settings)
        batch = next(islice(batches, len(case.earlier), None))
        batch.advance(min(at_tick, case.max_ticks))
        return _Standing(snapshot, world, cast, batch, backend, ()).keep(file)


def resume_run(file: Path, place: str, fork: Fork | None = None) -> Resumed:
    """Plays a frozen run to its end.

    Args:
        fork: What a new run that starts from it takes instead; None for the run itself.

    Raises:
        AuthorError: The file is no frozen run, what it is made of has moved and no fork was asked
            for, or its values cannot go on in the fork's world.
    """
    with _standing(file, place, fork) as run:
        case = run.snapshot.case
        run.batch.advance(case.max_ticks)
        hashes = (run.hashes["run"],)
        results = run.batch.results()
        batch = Batch("resume", (case,), results, run.world.hashes, hashes, run.world)
        return Resumed(batch, run.ancestors)


def freeze_again(
    file: Path, at_tick: int | None, to: Path, place: str, fork: Fork | None = None
) -> int:
    """Plays a frozen run up to the end of a later tick and writes it to another file.

    Args:
        at_tick: The tick, or None for where it stands.

    Returns:
        The tick at which it stands then.

    Raises:
        AuthorError: As `resume_run` does, and for a tick that is over.
    """
    with _standing(file, place, fork) as run:
        if at_tick is not None and at_tick < run.batch.clock:
            message = f"stands at tick {run.batch.clock} and cannot stop at tick {at_tick}"
            raise AuthorError.at(Place(str(file)), message)
        run.batch.advance(min(at_tick or 0, run.snapshot.case.max_ticks))
        return run.keep(to)


def changes_since(file: Path) -> list[str]:
    """Says what a frozen run was made of and is another now; the run goes on without it."""
    snapshot = read_bundle(file).snapshot
    return [f"{what} has changed since; {file} goes on as it was" for what in changed(snapshot)]


@contextmanager
def _standing(file: Path, place: str, fork: Fork | None) -> Iterator[_Standing]:
    bundle = read_bundle(file)
    with tempfile.TemporaryDirectory(prefix="creatura-") as name, _named(name, file):
        snapshot, folder = bundle.snapshot, Path(name)
        snapshot.unpack(folder)
        world, cast = snapshot.build_world(file), snapshot.build_cast(folder, str(file))
        now = hashes_of(world, cast, snapshot.case, bundle.ancestors)
        if fork is None:
            _check_unmoved(file, bundle.hashes, now)
        batch = _thawed(file, bundle.state, world, cast)
        run = _Standing(snapshot, world, cast, batch, bundle.backend, bundle.ancestors)
        if fork is not None:
            run = _forked(run, bundle, fork, folder, place)
        with in_sentences(place):
            yield run


def _thawed(file: Path, state: bytes, world: World, cast: Sequence[loop.Player]) -> loop.Batch:
    try:
        return loop.thaw(state, world, cast, OBSERVERS)
    except Exception as error:  # bytes that are no state may fail in any way
        raise AuthorError.at(Place(str(file)), f"its state cannot be read: {error}") from None


def _forked(run: _Standing, bundle: Bundle, fork: Fork, folder: Path, place: str) -> _Standing:
    snapshot, world, cast = run.snapshot, run.world, run.cast
    check_count(fork.designs, len(cast), place)
    if fork.world is not None:
        path = resolver.world_file(fork.world, place)
        world = world_of(fork.world, place)
        check_carries(run.world, world, str(path))
        world.check_cast(len(cast), place)
        snapshot = with_world(snapshot, resolver.world_name(path), world)
    if fork.designs:
        # Built as they were named first, so that a mistake is told of the file its author knows.
        for design in fork.designs:
            resolver.outfit(design, place)
        snapshot = with_designs(snapshot, fork.designs)
        snapshot.unpack(folder)
        cast = same_where_equal(cast, snapshot.build_cast(folder, place))
    case = snapshot.case
    settings = loop.Settings(case.max_ticks, OBSERVERS, run.backend)
    with in_sentences(place):
        batch = loop.Batch(world, cast, [Episode(case.seed, case.episode, case.faults)], settings)
        batch.go_on_from(run.batch)
    as_before = hashes_of(world, cast, case, run.ancestors)
    parent = Ancestor(
        bundle.digest, bundle.hashes["run"], run.batch.clock, moved(bundle.hashes, as_before)
    )
    return replace(
        run,
        snapshot=snapshot,
        world=world,
        cast=cast,
        batch=batch,
        ancestors=(parent, *run.ancestors),
    )


def _check_unmoved(file: Path, then: Hashes, now: Hashes) -> None:
    names = moved(then, now)
    if not names:
        return
    told = [
        f"{in_words(name)} is not what it was when the run was frozen "
        f"({then.get(name, 'none')}, now {now.get(name, 'none')})"
        for name in names
    ]
    told.append("it cannot go on as the same run; add --fork to start a new run from here")
    raise AuthorError([Problem(Place(str(file)), text) for text in told])


@contextmanager
def _named(folder: str, file: Path) -> Iterator[None]:
    """Names the file where an error would name the folder that its parts are unpacked in."""
    try:
        yield
    except AuthorError as error:
        raise AuthorError(
            [
                Problem(
                    Place(problem.place.file.replace(folder, str(file)), problem.place.line),
                    problem.message.replace(folder, str(file)),
                )
                for problem in error.problems
            ]
        ) from None
