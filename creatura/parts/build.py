"""Build: makes a part from its text, or says in a sentence why it cannot.

A part's name is a row of its kind's table, an entry point of another package, or a class in a
user's file. Its options are checked before its class is asked; a part that comes from elsewhere is
checked for what every part of its kind has.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from creatura.errors import AuthorError, Place, did_you_mean
from creatura.parts import files as part_files
from creatura.parts.kinds import Kind, described
from creatura.parts.options import (
    check_options,
    layer_options,
    layer_with,
    options_of,
    part_of,
)
from creatura.parts.text import Written, parse_options, parse_part
from creatura.protocols import LayerOptions

MAX_LENGTH = 1_000  # characters of a part with its options

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


def build(
    kind: Kind,
    text: str,
    own: Mapping[str, Callable[..., Any]],
    place: Place | str,
    also: tuple[str, ...] = (),
) -> Any:
    """Makes a part as it is written.

    Args:
        own: The table of its kind. also: Other names that a misspelt one may have meant.

    Raises:
        AuthorError: No such part or option, or its class refuses.
    """
    if len(text) > MAX_LENGTH:
        message = f"is written in at most {MAX_LENGTH:,} characters, found {len(text):,}"
        raise AuthorError.at(place, f"{_an(kind)} {message}")
    written = parse_part(text)
    maker = _maker(kind, written, own, also, place)
    known = dict(options_of(maker))
    of_layer = layer_options() if kind is Kind.DESIGN else {}
    try:
        given = parse_options(written.options)
        check_options(given, {**of_layer, **known})
    except ValueError as error:
        sentence = str(error)
        joint = " " if sentence.startswith("has ") else ": "
        raise AuthorError.at(place, f"{kind} '{written.name}'{joint}{sentence}") from None
    its_own = {name: value for name, value in given.items() if name in known}
    part = _made(kind, written, maker, its_own, place)
    if given:
        shown = ", ".join(f"{key}={value!r}" for key, value in sorted(given.items()))
        part = _named(part, f"{getattr(part, 'name', written.name)}({shown})")
    rest = {name: value for name, value in given.items() if name not in known}
    if rest:
        part = _with_layer(written, part, rest, place)
    _check_part(kind, written, part, place)
    return part


def _an(kind: Kind) -> str:
    return f"an {kind}" if kind is Kind.EXTENSION else f"a {kind}"


def _maker(
    kind: Kind,
    written: Written,
    own: Mapping[str, Callable[..., Any]],
    also: tuple[str, ...],
    place: Place | str,
) -> Callable[..., Any]:
    if written.path is not None:
        return part_files.load(written.path, place).pick(kind, written.chosen, place)
    if written.name in own:
        return own[written.name]
    if written.name in _points(kind):
        try:
            return _installed(kind, written.name)
        except AuthorError as error:
            raise AuthorError.at(place, error.problems[0].message) from None
    hint = did_you_mean(written.name, [*_points(kind), *own, *also])
    raise AuthorError.at(place, f"unknown {kind} '{written.name}'{hint}")


def _made(
    kind: Kind,
    written: Written,
    maker: Callable[..., Any],
    given: dict[str, Any],
    place: Place | str,
) -> Any:
    try:
        return maker(**given)
    except AuthorError:
        raise
    except Exception as error:
        told = str(error) if isinstance(error, (TypeError, ValueError)) else ""
        if not told:
            told = f"cannot be made: {part_files.in_words(error)}"
        where = part_files.line_of(error, written.path) if written.path else ""
        raise AuthorError.at(place, f"{kind} '{written.name}': {told}{where}") from None


def _named(part: Any, name: str) -> Any:
    """Gives a part its name with its options, where it has a field for it."""
    fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
    has_name = any(field.name == "name" and field.init for field in fields)
    return dataclasses.replace(part, name=name) if has_name else part


def _with_layer(written: Written, part: Any, given: dict[str, Any], place: Place | str) -> Any:
    layer = getattr(part, "layer", LayerOptions())
    try:
        layer = layer_with(layer, given)
        fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
        if any(field.name == "layer" and field.init for field in fields):
            return dataclasses.replace(part, layer=layer)
        # The part was made here and nobody else knows it yet.
        object.__setattr__(part, "layer", layer)
    except ValueError as error:
        raise AuthorError.at(place, f"design '{written.name}': {error}") from None
    except AttributeError:
        message = "has no room for a layer; inherit `Slots` or declare a field `layer`"
        raise AuthorError.at(place, f"design '{written.name}' {message}") from None
    return part


def _check_part(kind: Kind, written: Written, part: Any, place: Place | str) -> None:
    wrong = described(kind, part)
    if wrong:
        raise AuthorError.at(place, f"{kind} '{written.name}' {wrong}")


# ------------------------------------------------------------------ parts of other packages


@cache
def _points(kind: Kind) -> dict[str, EntryPoint]:
    # Reading the metadata of every installed package takes milliseconds, so it is done once.
    return {point.name: point for point in entry_points(group=f"creatura.{kind}s")}


@cache
def _installed(kind: Kind, name: str) -> Callable[..., Any]:
    """Loads a part of another package; a broken one breaks nothing but itself."""
    point = _points(kind)[name]
    try:
        found = point.load()
    except Exception as error:
        why = f"cannot be loaded from '{point.value}': {part_files.in_words(error)}"
        raise AuthorError.at("entry points", f"{kind} '{name}' {why}") from None
    if isinstance(found, type):
        part_files.check_kind(found, kind, f"{kind} '{name}', '{point.value}',", "entry points")
    return cast(Callable[..., Any], found)


def installed_parts(kind: Kind) -> dict[str, Callable[..., Any]]:
    """Lists the parts of one kind that other packages bring and that can be loaded."""
    found = {}
    for name in _points(kind):
        with contextlib.suppress(AuthorError):  # `broken` says so
            found[name] = _installed(kind, name)
    return found


def broken(kind: Kind) -> list[str]:
    """Says of each part of another package that cannot be loaded why, in a sentence."""
    told = []
    for name in _points(kind):
        try:
            _installed(kind, name)
        except AuthorError as error:
            told += [problem.message for problem in error.problems]
    return told


def entries(known: Mapping[str, Callable[..., Any]]) -> list[Entry[Any]]:
    """Lists the rows of a table for people."""
    return [
        Entry(name, first_line(part_of(maker).__doc__), tuple(options_of(maker)))
        for name, maker in known.items()
    ]


def first_line(text: str | None) -> str:
    """Returns the first line of a docstring; empty for none."""
    return (text or "").strip().partition("\n")[0]
