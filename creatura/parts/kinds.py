"""Kinds: what makes a class a design, a seat or an extension.

A kind is told by the base it inherits or by the methods it has, so a user's class needs no
registration.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from creatura.protocols import Carried, LayerOptions, Slots, Verbs


class Kind(StrEnum):
    """A kind of part, as messages call it."""

    DESIGN = "design"
    SEAT = "seat"
    EXTENSION = "extension"


_BASES: Mapping[Kind, type] = {Kind.DESIGN: Slots, Kind.EXTENSION: Verbs}


def _methods(base: type) -> tuple[str, ...]:
    return tuple(name for name, value in vars(base).items() if callable(value) and name[0] != "_")


_NEEDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.DESIGN: _methods(Slots),
    Kind.EXTENSION: _methods(Verbs),
    Kind.SEAT: ("decide",),
}


def lacks(found: type, kind: Kind) -> list[str]:
    """Names the methods of a kind that a class has not.

    >>> lacks(Verbs, Kind.SEAT), lacks(Slots, Kind.DESIGN)
    (['decide'], [])
    """
    return [name for name in _NEEDS[kind] if not callable(getattr(found, name, None))]


def kind_of(found: type) -> Kind | None:
    """Tells what kind of part a class is, if any; a base that it inherits decides."""
    for kind, base in _BASES.items():
        if issubclass(found, base):
            return kind
    return next((kind for kind in Kind if not lacks(found, kind)), None)


def described(kind: Kind, part: object) -> str:
    """Says what a part does not tell of itself that every part of its kind tells; empty if all."""
    name = getattr(part, "name", None)
    if not isinstance(name, str) or not name.strip():
        return 'has no name; write name = "..." in its class'
    if kind is Kind.DESIGN and not isinstance(getattr(part, "layer", None), LayerOptions):
        return "has no layer; write layer = LayerOptions() in its class"
    if kind is Kind.EXTENSION and not _is_carried(getattr(part, "carries", None)):
        return (
            "says in `carries` what goes to the next case: a tuple of `Carried`, empty for nothing"
        )
    return ""


def _is_carried(found: object) -> bool:
    return isinstance(found, tuple) and all(isinstance(record, Carried) for record in found)
