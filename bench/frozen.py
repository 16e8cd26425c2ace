"""Frozen: a run that stopped between two ticks, as a file, and the way on from it.

The file is a line that marks it, a line that says what was playing, both JSON, and the state behind
them. Whoever resumes builds the same world and cast from the names in it; where one of them is no
longer what it was, the file is refused and the sentence says which.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import creatura
from bench.matrix import Case, Earlier, Player
from bench.runner import cast_of, identity_of, run_hashes_of, world_of
from bench.traces import Batch
from creatura import loop, resolver
from creatura.errors import AuthorError, Place, Problem
from creatura.hashing import digest
from creatura.parts.files import in_sentences
from creatura.vtc import BackendName
from creatura.world import Episode, Fault, Mode

FORMAT = 1
_MARK = "creatura-bench frozen run"
_MOVED = {  # a part of the header, and what a person calls it
    "version": "the version of creatura-bench",
    "world": "the world",
    "cast": "a design, a seat or an extension",
}


def freeze_run(case: Case, at_tick: int, file: Path, backend: BackendName, place: str) -> int:
    """Plays a case up to the end of a tick and writes it to a file, whole or not at all.

    Returns:
        The tick at which it stands: earlier than asked where the run closed before.
    """
    world, cast = world_of(case.world, place), cast_of(case, place)
    observers = (resolver.observer("critic"),)
    for earlier in case.sequence:
        world.check_faults(earlier.faults, place)
    sequence = [Episode(c.seed, c.episode, c.faults) for c in case.sequence]
    settings = loop.Settings(case.max_ticks, observers, backend)
    with in_sentences(place):
        batches = loop.batches(world, cast, [sequence], settings)
        batch = next(islice(batches, len(case.earlier), None))
        batch.advance(min(at_tick, case.max_ticks))
        state = loop.freeze(batch, world, cast, observers)
    header = {"tick": batch.clock, "case": asdict(case), "made_of": _made_of(case, place)}
    body = json.dumps(header).encode() + b"\n" + state
    mark = json.dumps({_MARK: FORMAT, "digest": digest(body)}).encode()
    written = file.with_name(f"{file.name}.partial")
    written.write_bytes(mark + b"\n" + body)
    written.replace(file)
    return batch.clock


def resume_run(file: Path, place: str) -> Batch:
    """Plays a frozen run to its end.

    Raises:
        AuthorError: The file is no frozen run, or what it was playing has changed since.
    """
    header, state = _read(file)
    case = _case_of(header["case"])
    world, cast = world_of(case.world, place), cast_of(case, place)
    then, now = header["made_of"], _made_of(case, place)
    moved = [name for name in _MOVED if then[name] != now[name]]
    if moved:
        raise AuthorError([_has_moved(file, name, then[name], now[name]) for name in moved])
    try:
        batch = loop.thaw(state, world, cast, (resolver.observer("critic"),))
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError) as error:
        raise AuthorError.at(Place(str(file)), f"its state cannot be read: {error}") from None
    with in_sentences(place):
        batch.advance(case.max_ticks)
    hashes = run_hashes_of(world, cast, [case])
    return Batch("resume", (case,), batch.results(), world.hashes, hashes)


def _made_of(case: Case, place: str) -> dict[str, str]:
    """Says what a case is made of now: its rows follow from this and from what it says itself."""
    world, cast = world_of(case.world, place), cast_of(case, place)
    return {
        "version": creatura.__version__,
        "world": digest([world.hashes["vfs"], world.faults]),
        "cast": digest([identity_of(player) for player in cast]),
    }


def _has_moved(file: Path, name: str, then: str, now: str) -> Problem:
    message = f"{_MOVED[name]} has changed since this run was frozen ({then}, now {now})"
    return Problem(Place(str(file)), f"{message}; start the run anew")


def _read(file: Path) -> tuple[dict[str, Any], bytes]:
    line, _, body = file.read_bytes().partition(b"\n")
    try:
        mark = json.loads(line)
    except ValueError:
        mark = None
    if not isinstance(mark, dict) or _MARK not in mark:
        message = "is no frozen run; `creatura run ... --freeze-at N` writes one"
        raise AuthorError.at(Place(str(file)), message)
    if mark[_MARK] != FORMAT:
        message = f"was written in format {mark[_MARK]}, and this version reads format {FORMAT}"
        raise AuthorError.at(Place(str(file)), message)
    if mark.get("digest") != digest(body):
        raise AuthorError.at(Place(str(file)), "is damaged: it does not hold what was written")
    header, _, state = body.partition(b"\n")
    return json.loads(header), state


def _case_of(told: Mapping[str, Any]) -> Case:
    return Case(
        world=told["world"],
        cast=tuple(Player(**player) for player in told["cast"]),
        faults=_faults_of(told["faults"]),
        seed=told["seed"],
        episode=told["episode"],
        max_ticks=told["max_ticks"],
        earlier=tuple(
            Earlier(_faults_of(past["faults"]), past["seed"], past["episode"])
            for past in told["earlier"]
        ),
    )


def _faults_of(told: list[dict[str, Any]]) -> tuple[Fault, ...]:
    return tuple(
        Fault(
            **{
                **fault,
                "mode": Mode(fault["mode"]),
                "ticks": fault["ticks"] and tuple(fault["ticks"]),
            }
        )
        for fault in told
    )
