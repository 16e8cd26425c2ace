"""Resolver: a name to a part, one table a kind.

A new design, preset, seat, extension or observer is one row here. A design, seat or extension may
also be an entry point of the user's own package (groups `creatura.designs`, `creatura.seats` and
`creatura.extensions`), or a class in a file: `path/to/my_design.py:Cautious`. Options follow in
brackets, extensions after `with`: `hybrid(stage=2) with honest-failure, memory`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

from creatura.critic import Critic
from creatura.errors import AuthorError, Place, did_you_mean
from creatura.extensions.exploration import Exploration
from creatura.extensions.honest_failure import HonestFailure
from creatura.extensions.memory import Memory
from creatura.extensions.note import Note
from creatura.extensions.veto import Veto
from creatura.parts.build import (
    Entry,
    broken,
    build,
    entries,
    first_line,
    installed_parts,
)
from creatura.parts.identity import identity
from creatura.parts.kinds import Kind, kind_of
from creatura.parts.options import layer_options
from creatura.parts.text import WITH, parse_part, split_player
from creatura.protocols import Extension, LayerOptions, Observer, Regulator, Seat
from creatura.regulators.careless import Careless
from creatura.regulators.colony import Colony
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.orienting import Orienting
from creatura.regulators.plain import Plain
from creatura.regulators.self_model import SelfModel
from creatura.seats.bfs import Bfs
from creatura.seats.scripted import load_script, parse_script

__all__ = [
    "CONTROL_ARM",
    "DESIGNS",
    "EXTENSIONS",
    "OBSERVERS",
    "PRESETS",
    "SEATS",
    "SEATS_FROM_FILES",
    "SEATS_FROM_TEXT",
    "Entry",
    "Kind",
    "Outfit",
    "broken",
    "design",
    "designs",
    "extension",
    "extensions",
    "identity",
    "kind_of",
    "layer_options",
    "observer",
    "outfit",
    "presets",
    "seat",
    "seats",
    "world_file",
    "world_name",
    "worlds",
    "worlds_folder",
]

DESIGNS: Mapping[str, Callable[..., Regulator]] = {
    "plain": Plain,
    "self-model": SelfModel,
    "colony": Colony,
    "map-keeper": MapKeeper,
    "orienting": Orienting,
    "hybrid": Hybrid,
    "careless": Careless,
}
# Designs with their options and their membrane's set as their authors published them.
PRESETS: Mapping[str, Callable[..., Regulator]] = {
    "bach": partial(SelfModel, name="bach", stage=3),
    "levin": partial(
        Colony,
        name="levin",
        leak=0.5,
        layer=LayerOptions(clear_quarantine_on_no_route=True),
    ),
    "peterson": partial(MapKeeper, name="peterson"),
}
CONTROL_ARM = "careless"  # runs with the membrane off; it is there to be beaten
SEATS: Mapping[str, Callable[..., Seat]] = {"bfs": Bfs}
SEATS_FROM_TEXT: Mapping[str, tuple[str, Callable[[str], Seat]]] = {
    "scripted": ("PATH", load_script),
    "script": ("TOOL,TOOL", parse_script),
}
SEATS_FROM_FILES = frozenset({"scripted"})  # those of them whose text is a path
EXTENSIONS: Mapping[str, Callable[..., Extension]] = {
    "honest-failure": HonestFailure,
    "exploration": Exploration,
    "memory": Memory,
    "veto": Veto,
    "note": Note,
}
OBSERVERS: Mapping[str, Callable[..., Observer]] = {"critic": Critic}

_DESIGNS = {**DESIGNS, **PRESETS}
_WORLD_ENDINGS = (".yaml", ".yml")

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Outfit:
    """What plays beside a seat: a design, and the extensions on its loop in their order."""

    design: Regulator
    extensions: tuple[Extension, ...] = ()


def outfit(text: str, place: Place | str = "command line") -> Outfit:
    """Resolves a design with its extensions, if any.

    Raises:
        AuthorError: No such part or option; the nearest name is offered.
    """
    head, extras = split_player(text)
    if extras == ():
        raise AuthorError.at(place, f"nothing follows '{head} {WITH}'; name an extension")
    made: dict[str, Extension] = {}
    for extra in extras or ():
        if not extra:
            raise AuthorError.at(place, f"an extension's name is empty in '{text.strip()}'")
        name = parse_part(extra).name
        if name in made:
            raise AuthorError.at(place, f"extension '{name}' is named twice in '{text.strip()}'")
        made[name] = extension(extra, place)
    return Outfit(_design(head, place), tuple(made.values()))


def design(text: str, place: Place | str = "command line") -> Regulator:
    """Resolves a design or a preset alone: a name or a file's class, with options if any.

    Raises:
        AuthorError: No such design or option, or extensions where none can be.
    """
    head, extras = split_player(text)
    if extras is not None:
        raise AuthorError.at(
            place, f"a design alone is wanted here; leave out what follows '{head}'"
        )
    return _design(text, place)


def seat(text: str, place: Place | str = "command line") -> Seat:
    """Resolves a seat: a name, a file's class, or a kind and what it needs: `scripted:lines.txt`.

    Raises:
        AuthorError: No such seat, or its file cannot be read.
    """
    kind, colon, rest = text.partition(":")
    if kind in SEATS_FROM_TEXT:
        shown, parse = SEATS_FROM_TEXT[kind]
        if not rest:
            raise AuthorError.at(place, f"seat '{kind}' needs more: write {kind}:{shown}")
        return parse(rest)
    if colon and parse_part(text).path is None:
        hint = did_you_mean(kind, SEATS_FROM_TEXT)
        raise AuthorError.at(place, f"unknown kind of seat '{kind}'{hint}")
    return cast(Seat, build(Kind.SEAT, text, SEATS, place, also=tuple(SEATS_FROM_TEXT)))


def extension(text: str, place: Place | str = "command line") -> Extension:
    """Resolves an extension: a name or a file's class, with options if any.

    Raises:
        AuthorError: No such extension or option; the nearest name is offered.
    """
    return cast(Extension, build(Kind.EXTENSION, text, EXTENSIONS, place))


def observer(name: str) -> Observer:
    """Resolves an observer by name."""
    return OBSERVERS[name]()


def designs() -> list[Entry[Regulator]]:
    """Lists the designs there are; a preset is one of them under another name."""
    return _rows(Kind.DESIGN, DESIGNS)


def presets() -> list[Entry[Regulator]]:
    """Lists the designs whose options are set as published."""
    return entries(PRESETS)


def seats() -> list[Entry[Seat]]:
    """Lists the seats there are."""
    rows = _rows(Kind.SEAT, SEATS)
    for kind, (shown, parse) in SEATS_FROM_TEXT.items():
        rows.append(Entry(f"{kind}:{shown}", first_line(parse.__doc__), ()))
    return rows


def extensions() -> list[Entry[Extension]]:
    """Lists the extensions there are."""
    return _rows(Kind.EXTENSION, EXTENSIONS)


def worlds_folder() -> Path:
    """Finds the packaged worlds: inside an installed package, or `worlds/` of a checkout."""
    package = Path(str(files("creatura")))
    packaged = package / "world" / "library"
    return packaged if packaged.is_dir() else package.parent / "worlds"


def worlds() -> list[Path]:
    """Lists the packaged world files, by name."""
    found = (p for p in worlds_folder().glob("*") if p.suffix in _WORLD_ENDINGS)
    return sorted(found, key=lambda p: p.stem)


def world_file(text: str, place: Place | str = "command line", beside: Path | None = None) -> Path:
    """Resolves a world: a path, or the name of a packaged world or of one beside a feature.

    Args:
        beside: A folder whose worlds come before the packaged ones.

    Raises:
        AuthorError: There is no such file or name.
    """
    path = Path(text)
    if os.path.isfile(path):  # unlike the method of a path, it says no to names that are too long
        return path
    own = sorted(p for p in beside.glob("*") if p.suffix in _WORLD_ENDINGS) if beside else []
    by_key = {_key(p.stem): p for p in (*worlds(), *own)}
    found = by_key.get(_key(path.stem if path.suffix in _WORLD_ENDINGS else text))
    looks_like_path = path.suffix in _WORLD_ENDINGS and len(path.parts) > 1
    if found is not None and (not looks_like_path or path.parent == Path("worlds")):
        return found
    hint = did_you_mean(path.stem, [p.stem for p in by_key.values()])
    what = f"there is no world file '{text}'" if looks_like_path else f"unknown world '{text}'"
    raise AuthorError.at(place, f"{what}{hint}")


def world_name(path: Path) -> str:
    """Names a world file: a packaged one by its stem, any other by its path as it was written."""
    is_packaged = path.parent.resolve() == worlds_folder().resolve()
    return path.stem if is_packaged and path.suffix in _WORLD_ENDINGS else str(path)


def _design(text: str, place: Place | str) -> Regulator:
    return cast(Regulator, build(Kind.DESIGN, text, _DESIGNS, place))


def _rows(kind: Kind, own: Mapping[str, Callable[..., Part]]) -> list[Entry[Part]]:
    return entries({**installed_parts(kind), **own})


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")
