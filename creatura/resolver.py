"""Resolver: a name to a part, one table a kind.

A new design, preset, seat or observer is one row here; a design or seat may also be an entry point
in the user's own package (groups `creatura.designs` and `creatura.seats`). A name may carry
options: `hybrid(stage=2)`.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar

from creatura.critic import Critic
from creatura.errors import AuthorError, Place, did_you_mean
from creatura.protocols import LayerOptions, Observer, Regulator, Seat
from creatura.regulators.careless import Careless
from creatura.regulators.colony import Colony
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.orienting import Orienting
from creatura.regulators.plain import Plain
from creatura.regulators.self_model import SelfModel
from creatura.seats.bfs import Bfs
from creatura.seats.scripted import load_script, parse_script

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
OBSERVERS: Mapping[str, Callable[..., Observer]] = {"critic": Critic}

_CALL = re.compile(r"(?P<name>[^()]+?)\s*(\((?P<options>.*)\))?", re.DOTALL)
_WORLD_ENDINGS = (".yaml", ".yml")
MAX_LENGTH = 1_000  # characters of a name with its options

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Part]):
    """A row of a table, for lists that people read.

    Attributes:
        line: What it is, in one line.
        options: Option names with their defaults.
    """

    name: str
    line: str
    options: tuple[tuple[str, object], ...]


def design(text: str, place: Place | str = "command line") -> Regulator:
    """Resolves a design or a preset by name, with options if any.

    Raises:
        AuthorError: No such design or option; the nearest name is offered.
    """
    known = _with_entry_points({**DESIGNS, **PRESETS}, "creatura.designs")
    return _build("design", text, known, place)


def seat(text: str, place: Place | str = "command line") -> Seat:
    """Resolves a seat: a name, or a kind and what it needs, such as `scripted:path/to/lines.txt`.

    Raises:
        AuthorError: No such seat, or its file cannot be read.
    """
    kind, colon, rest = text.partition(":")
    if kind in SEATS_FROM_TEXT:
        shown, parse = SEATS_FROM_TEXT[kind]
        if not rest:
            raise AuthorError.at(place, f"seat '{kind}' needs more: write {kind}:{shown}")
        return parse(rest)
    known = _with_entry_points(SEATS, "creatura.seats")
    if colon:
        hint = did_you_mean(kind, SEATS_FROM_TEXT)
        raise AuthorError.at(place, f"unknown kind of seat '{kind}'{hint}")
    return _build("seat", text, known, place, also=tuple(SEATS_FROM_TEXT))


def observer(name: str) -> Observer:
    """Resolves an observer by name."""
    return OBSERVERS[name]()


def designs() -> list[Entry[Regulator]]:
    """Lists the designs there are; a preset is one of them under another name."""
    return _entries(_with_entry_points(DESIGNS, "creatura.designs"))


def presets() -> list[Entry[Regulator]]:
    """Lists the designs whose options are set as published."""
    return _entries(PRESETS)


def seats() -> list[Entry[Seat]]:
    """Lists the seats there are."""
    rows = _entries(_with_entry_points(SEATS, "creatura.seats"))
    for kind, (shown, parse) in SEATS_FROM_TEXT.items():
        rows.append(Entry(f"{kind}:{shown}", _first_line(parse.__doc__), ()))
    return rows


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


def _build(
    kind: str,
    text: str,
    known: Mapping[str, Callable[..., Part]],
    place: Place | str,
    also: tuple[str, ...] = (),
) -> Part:
    if len(text) > MAX_LENGTH:
        message = f"a {kind} is written in at most {MAX_LENGTH:,} characters, found {len(text):,}"
        raise AuthorError.at(place, message)
    match = _CALL.fullmatch(text.strip())
    name = match["name"].strip() if match else text.strip()
    if name not in known:
        hint = did_you_mean(name, [*known, *also])
        raise AuthorError.at(place, f"unknown {kind} '{name}'{hint}")
    options = _options(kind, name, (match and match["options"]) or "", known[name], place)
    try:
        part = known[name](**options)
    except (TypeError, ValueError) as error:
        raise AuthorError.at(place, f"{kind} '{name}': {error}") from None
    if options:
        shown = ", ".join(f"{key}={value!r}" for key, value in sorted(options.items()))
        part = dataclasses.replace(part, name=f"{name}({shown})")  # type: ignore[type-var]
    return part


def _options(
    kind: str, name: str, text: str, build: Callable[..., object], place: Place | str
) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AssertionError, MemoryError, RecursionError):
        # The last two are how Python's parser answers text that is nested too deeply.
        message = f"{kind} '{name}': options are written name=value, found '({text})'"
        raise AuthorError.at(place, message) from None
    known = dict(_options_of(build))
    for option, value in given.items():
        if option not in known:
            hint = did_you_mean(option, known)
            raise AuthorError.at(place, f"{kind} '{name}' has no option '{option}'{hint}")
        default = known[option]
        wanted = (int, float) if isinstance(default, float) else (type(default),)
        if type(value) not in wanted:
            expected = "a number" if isinstance(default, float) else type(default).__name__
            message = f"{kind} '{name}': option '{option}' is {expected}, found {value!r}"
            raise AuthorError.at(place, message)
    return given


def _options_of(build: Callable[..., object]) -> Iterable[tuple[str, object]]:
    kind = _part_of(build)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        return
    preset = build.keywords if isinstance(build, partial) else {}
    for field in dataclasses.fields(kind):
        default = preset.get(field.name, field.default)
        if field.init and isinstance(default, (bool, int, float, str)) and field.name != "name":
            yield field.name, default


def _with_entry_points(
    own: Mapping[str, Callable[..., Part]], group: str
) -> dict[str, Callable[..., Part]]:
    return {**_installed(group), **own}


@cache
def _installed(group: str) -> dict[str, Callable[..., Any]]:
    # Reading the metadata of every installed package takes milliseconds, so it is done once.
    return {point.name: point.load() for point in entry_points(group=group)}


def _entries(known: Mapping[str, Callable[..., Any]]) -> list[Entry[Any]]:
    return [
        Entry(name, _first_line(_part_of(build).__doc__), tuple(_options_of(build)))
        for name, build in known.items()
    ]


def _part_of(build: Callable[..., Any]) -> Callable[..., Any]:
    return build.func if isinstance(build, partial) else build


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _key(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")
