"""Record: what a run bundle holds, and the members of its file.

`config/` is what the run is played with, `compiled/` what its world was compiled to, for people,
`hashes.json` what must not have moved, `parent.json` the runs it was forked from, the nearest
first, and `state` where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from bench.bundle.archive import (
    as_json,
    damaged,
    digest_of,
    parse_json,
    read_archive,
    write_archive,
)
from bench.bundle.hashes import Ancestor, read_hashes
from bench.bundle.snapshot import CASE, WORLD, Snapshot, read_snapshot
from creatura.errors import AuthorError, Place
from creatura.vtc import BackendName
from creatura.world import World

_HASHES, _PARENT, _STATE = "hashes.json", "parent.json", "state"
_NEEDED = (WORLD, CASE, _HASHES, _STATE)
_BACKENDS = ("fused", "interpreter")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A frozen run.

    Attributes:
        tick: The last tick that was played.
        backend: What moves the world.
        ancestors: The runs it was forked from, the nearest first.
        digest: Of the file it was read from; empty before it is written.
    """

    tick: int
    backend: BackendName
    snapshot: Snapshot
    hashes: Mapping[str, str]
    state: bytes
    ancestors: tuple[Ancestor, ...] = ()
    digest: str = ""


def write_bundle(file: Path, bundle: Bundle, world: World) -> None:
    """Writes a frozen run, whole or not at all; `world` is its world, compiled."""
    members = {
        **bundle.snapshot.members(),
        **_compiled(world),
        CASE: as_json(bundle.snapshot.plain_case()),
        _HASHES: as_json(dict(bundle.hashes)),
        _STATE: bundle.state,
    }
    if bundle.ancestors:
        members[_PARENT] = as_json({"runs": [asdict(a) for a in bundle.ancestors]})
    write_archive(file, {"tick": bundle.tick, "backend": bundle.backend}, members)


def read_bundle(file: Path) -> Bundle:
    """Reads a frozen run.

    Raises:
        AuthorError: The file is none, or is not as it was written.
    """
    cover, members = read_archive(file)
    for name in _NEEDED:
        if name not in members:
            raise AuthorError.at(Place(str(file)), f"lacks '{name}'; freeze the run anew")
    told = {name: parse_json(file, name, members[name]) for name in (CASE, _HASHES)}
    parent = parse_json(file, _PARENT, members[_PARENT]) if _PARENT in members else {"runs": []}
    try:
        bundle = Bundle(
            tick=int(cover["tick"]),
            backend=_backend(cover["backend"]),
            snapshot=read_snapshot(told[CASE], members),
            hashes=read_hashes(told[_HASHES]),
            state=members[_STATE],
            ancestors=tuple(_ancestor(run) for run in parent["runs"]),
            digest=digest_of(cover, members),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise damaged(file, "what it says of its case cannot be read") from None
    for name in (name for recipe in bundle.snapshot.recipes for name in recipe.files):
        if name not in bundle.snapshot.parts:
            raise AuthorError.at(Place(str(file)), f"its cast names '{name}', which it lacks")
    return bundle


def _compiled(world: World) -> dict[str, bytes]:
    specs = dict(world.specs)
    steps = specs.pop("transition")["steps"]
    rest = {f"compiled/{name}.json": as_json(spec) for name, spec in specs.items()}
    return {**rest, "compiled/transition.txt": steps.encode()}


def _backend(word: object) -> BackendName:
    if word not in _BACKENDS:
        raise ValueError(word)
    return cast(BackendName, word)


def _ancestor(told: Mapping[str, Any]) -> Ancestor:
    return Ancestor(told["bundle"], told["run"], int(told["tick"]), tuple(told["moved"]))
