"""Snapshot: a case with all that it is played with, as text that needs nothing beside it.

It holds the world's text and the user's own files that the cast is made of, with the neighbours
which those import. Data that such a file reads while it runs is not among them. The same texts give
the same identities wherever they lie, so a cast built from a snapshot is the one that was frozen.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.matrix import Case, Earlier, Player
from bench.runner import cast_of
from creatura import loop, resolver
from creatura.errors import AuthorError
from creatura.parts.files import sources_of
from creatura.parts.text import WITH, parse_part, split_player
from creatura.world import Fault, Mode, World, parse_world

WORLD, CASE, PARTS = "config/world.yaml", "config/case.json", "config/parts/"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A player in words whose files are members of the bundle.

    Attributes:
        design: The design, then its extensions.
    """

    design: tuple[str, ...]
    seat: str

    @property
    def files(self) -> list[str]:
        """The members that it names."""
        paths = [parse_part(piece).path for piece in self.design]
        kind, _, rest = self.seat.partition(":")
        if kind in resolver.SEATS_FROM_FILES:
            paths.append(rest)
        elif kind not in resolver.SEATS_FROM_TEXT:
            paths.append(parse_part(self.seat).path)
        return [path for path in paths if path is not None]

    def in_folder(self, folder: Path) -> Player:
        """Returns the player with its files as they lie below a folder."""
        kind, _, rest = self.seat.partition(":")
        is_script = kind in resolver.SEATS_FROM_FILES
        seat = f"{kind}:{_found(rest, folder)}" if is_script else _found(self.seat, folder)
        head, *extras = (_found(piece, folder) for piece in self.design)
        return Player(f"{head} {WITH} {', '.join(extras)}" if extras else head, seat)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a case is played with.

    Attributes:
        case: As it was asked for, with the names and paths of then.
        world: The world's text.
        recipes: The cast, in agent order. parts: The files they name, by member.
    """

    case: Case
    world: str
    recipes: tuple[Recipe, ...]
    parts: Mapping[str, bytes]

    def build_world(self, file: Path) -> World:
        """Compiles the world; errors name the bundle's member."""
        return parse_world(self.world, f"{file}/{WORLD}")

    def unpack(self, folder: Path) -> None:
        """Writes the files of the cast below a folder."""
        for name, content in self.parts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def build_cast(self, folder: Path, place: str) -> list[loop.Player]:
        """Builds the cast from the files below a folder."""
        players = tuple(recipe.in_folder(folder) for recipe in self.recipes)
        return cast_of(replace(self.case, cast=players), place)

    def members(self) -> dict[str, bytes]:
        """Returns the members of a bundle, but for the case, which is plain data."""
        return {WORLD: self.world.encode(), **self.parts}

    def plain_case(self) -> dict[str, Any]:
        """Writes the case as plain data; each player's words for the bundle stand in `kept`."""
        told = asdict(self.case)
        for player, recipe in zip(told["cast"], self.recipes, strict=True):
            player["kept"] = asdict(recipe)
        return told


def take_snapshot(case: Case, world: World) -> Snapshot:
    """Gathers what a case is played with as it stands now."""
    files = _Files()
    recipes = tuple(
        Recipe(files.design(player.design), files.seat(player.seat)) for player in case.cast
    )
    return Snapshot(case, world.text, recipes, files.members)


def with_world(snapshot: Snapshot, name: str, world: World) -> Snapshot:
    """Returns a snapshot with another world."""
    return replace(snapshot, case=replace(snapshot.case, world=name), world=world.text)


def with_designs(snapshot: Snapshot, designs: Sequence[str]) -> Snapshot:
    """Returns a snapshot with other designs, in agent order; their files are taken as they are."""
    files = _Files(snapshot.parts)
    recipes = tuple(
        Recipe(files.design(design), recipe.seat)
        for design, recipe in zip(designs, snapshot.recipes, strict=True)
    )
    cast = tuple(
        Player(design, player.seat)
        for design, player in zip(designs, snapshot.case.cast, strict=True)
    )
    words = " ".join(word for recipe in recipes for word in (*recipe.design, recipe.seat))
    kept = {name: held for name, held in files.members.items() if _folder_of(name) in words}
    return Snapshot(replace(snapshot.case, cast=cast), snapshot.world, recipes, kept)


def read_snapshot(told: Mapping[str, Any], members: Mapping[str, bytes]) -> Snapshot:
    """Reads a snapshot back from a case as plain data and the members of its bundle."""
    recipes = tuple(
        Recipe(tuple(player["kept"]["design"]), player["kept"]["seat"]) for player in told["cast"]
    )
    parts = {name: content for name, content in members.items() if name.startswith(PARTS)}
    return Snapshot(_case_of(told), members[WORLD].decode(), recipes, parts)


def changed(snapshot: Snapshot) -> list[str]:
    """Names what a snapshot was taken from and is another now; what is gone has not changed."""
    case, told = snapshot.case, []
    # What cannot be read any more says nothing of a change, and nothing of it is needed.
    with contextlib.suppress(AuthorError, OSError, UnicodeDecodeError):
        path = resolver.world_file(case.world)
        if path.read_text(encoding="utf-8-sig") != snapshot.world:
            told.append(f"the world '{case.world}'")
    with contextlib.suppress(OSError):
        files = _Files()
        for player in case.cast:
            files.design(player.design)
            files.seat(player.seat)
        if not _texts(files.members) <= _texts(snapshot.parts):
            told.append("a file of the cast")
    return told


def _texts(parts: Mapping[str, bytes]) -> set[tuple[str, bytes]]:
    return {(name.removeprefix(_folder_of(name)), text) for name, text in parts.items()}


class _Files:
    """The files of a cast, each folder under a number in the order in which they are named."""

    def __init__(self, earlier: Mapping[str, bytes] | None = None) -> None:
        self.members = dict(earlier or {})
        taken = [int(_folder_of(name).split("/")[-2]) for name in self.members]
        self._first = max(taken, default=-1) + 1
        self._folders: dict[Path, int] = {}

    def design(self, text: str) -> tuple[str, ...]:
        head, extras = split_player(text)
        return tuple(self._part(piece) for piece in (head, *(extras or ())))

    def seat(self, text: str) -> str:
        kind, _, rest = text.partition(":")
        if kind in resolver.SEATS_FROM_FILES:
            path = Path(rest).resolve()
            return f"{kind}:{self._keep(path, {path: path.read_bytes()})}"
        return text if kind in resolver.SEATS_FROM_TEXT else self._part(text)

    def _part(self, text: str) -> str:
        written = parse_part(text).path
        if written is None:
            return text.strip()
        path = Path(written).resolve()
        return self._keep(path, sources_of(path)) + text.strip()[len(written) :]

    def _keep(self, path: Path, sources: Mapping[Path, bytes]) -> str:
        number = self._folders.setdefault(path.parent, self._first + len(self._folders))
        for source, content in sources.items():
            self.members[f"{PARTS}{number}/{source.relative_to(path.parent).as_posix()}"] = content
        return f"{PARTS}{number}/{path.name}"


def _found(piece: str, folder: Path) -> str:
    return f"{folder}/{piece}" if piece.startswith(PARTS) else piece


def _folder_of(member: str) -> str:
    """Returns the numbered folder of a part's file.

    >>> _folder_of("config/parts/0/pack/a.py")
    'config/parts/0/'
    """
    return PARTS + member.removeprefix(PARTS).partition("/")[0] + "/"


def _case_of(told: Mapping[str, Any]) -> Case:
    return Case(
        world=told["world"],
        cast=tuple(Player(player["design"], player["seat"]) for player in told["cast"]),
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
