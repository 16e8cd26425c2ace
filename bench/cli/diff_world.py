"""Diff world: `creatura world diff`: what differs between two worlds, entry by entry.

Entries are matched by name, rules by id, and compared field by field. What the engine adds to every
world follows from these and is left out; the hashes say whether anything moved at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bench.cli.screen import console
from bench.trouble import PLACE
from creatura import resolver
from creatura.vfs.schema import DEFAULT_READERS, DEFAULT_WRITERS
from creatura.world import World, load_world
from creatura.world.portrait import (
    Effect,
    Origin,
    Portrait,
    RulePortrait,
    as_plain,
    further_effects,
)
from creatura.world.portray import portrait_of

EQUAL, DIFFERENT = 0, 1
ABSENT = None
_UNCOMPARED = ("id", "place", "read_by", "written_by", "is_fact", "is_engine")

# What people take for granted in an entry that one world has and the other has not.
_USUAL: Mapping[str, Sequence[Any]] = {
    "scope": ("global",),
    "lifetime": ("episode",),
    "type": ("bool",),
    "readable_by": (list(DEFAULT_READERS),),
    "writable_by": (list(DEFAULT_WRITERS), ["vtc"]),
    "cost": (0.0,),
}

Entries = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same.

    Attributes:
        section: Such as `tools`.
        name: Of the entry; empty for what a section has one of.
        field: What of the entry; empty where one of the worlds has no such entry.
        a, b: What each world says; None for nothing.
    """

    section: str
    name: str
    field: str
    a: Any
    b: Any


def print_diff(a: str, b: str, *, as_json: bool) -> int:
    """Compares two worlds and prints what differs.

    Returns:
        0 if nothing does, else 1.

    Raises:
        AuthorError: One of them is unknown or does not load.
    """
    first, second = (load_world(resolver.world_file(text, PLACE)) for text in (a, b))
    found = differences(first, second)
    if as_json:
        print(json.dumps(as_plain(found), ensure_ascii=False))
    elif not found:
        print("nothing differs")
    else:
        _print_for_people(found)
    return DIFFERENT if found else EQUAL


def differences(a: World, b: World) -> list[Difference]:
    """Finds what differs between two worlds, in the order of their sections."""
    first, second = (_sections(portrait_of(world)) for world in (a, b))
    return [
        difference
        for section, entries in first.items()
        for difference in _compared(section, entries, second[section])
    ]


def _compared(section: str, a: Entries, b: Entries) -> Iterator[Difference]:
    for name in dict.fromkeys([*a, *b]):
        if name not in b:
            yield Difference(section, name, "", a[name], ABSENT)
        elif name not in a:
            yield Difference(section, name, "", ABSENT, b[name])
        else:
            for field in dict.fromkeys([*a[name], *b[name]]):
                left, right = a[name].get(field), b[name].get(field)
                if left != right or type(left) is not type(right):
                    yield Difference(section, name, field, left, right)
    order_a = [name for name in a if name in b]
    order_b = [name for name in b if name in a]
    if order_a != order_b:
        yield Difference(section, "", "order", order_a, order_b)


def _sections(portrait: Portrait) -> dict[str, Entries]:
    variables = {
        v.id: {key: value for key, value in as_plain(v).items() if key not in _UNCOMPARED}
        for v in portrait.variables
        if not v.is_engine
    }
    task = as_plain(portrait.task)
    del task["is_done_at_start"]
    tools = {
        tool.id: as_plain(tool) | {"writes": _lines_of(further_effects(portrait, tool.id))}
        for tool in portrait.tools
    }
    return {
        "world": {"": {"name": portrait.world}},
        "extents": {name: {"is": value} for name, value in portrait.extents.items()},
        "facts": {fact: variables[fact] for fact in portrait.facts},
        "variables": {id: v for id, v in variables.items() if id not in portrait.facts},
        "tools": {id: {k: v for k, v in tool.items() if k != "id"} for id, tool in tools.items()},
        "rules": {
            rule.id: {"phase": rule.phase, "writes": _lines_of((rule, e) for e in rule.effects)}
            for rule in portrait.rules
            if rule.origin is Origin.RULE
        },
        "tokens": {kind: {"kept": count} for kind, count in portrait.capacities.items()},
        "task": {"": task},
        "faults": {f"fault {i}": {"is": str(f)} for i, f in enumerate(portrait.faults, start=1)},
        "barriers": {
            name: {"faults": [str(fault) for fault in faults]}
            for name, faults in portrait.barriers.items()
        },
        "hashes": {name: {"digest": text} for name, text in portrait.hashes.items()},
    }


def _lines_of(effects: Iterable[tuple[RulePortrait, Effect]]) -> list[str]:
    """Says what is written, one line a write; that a call delivers goes without saying."""
    lines = []
    for _, effect in effects:
        parts = [effect.target, effect.composition, effect.value]
        parts += [f"within {list(effect.clamp)}"] if effect.clamp is not None else []
        parts += [f"where {effect.where}"] if effect.where is not None else []
        parts += [f"with priority {effect.priority}"] if effect.priority else []
        lines.append(" ".join(part for part in parts if part is not None))
    return lines


# ------------------------------------------------------------------ for people


def _print_for_people(found: Sequence[Difference]) -> None:
    screen = console()
    for section, held in groupby(found, key=lambda difference: difference.section):
        screen.print(section, style="bold")
        for name, fields in groupby(held, key=lambda difference: difference.name):
            for line in _lines(name, list(fields)):
                screen.print(f"  {line}", soft_wrap=True)


def _lines(name: str, fields: Sequence[Difference]) -> Iterator[str]:
    first = fields[0]
    if not first.field:
        sign, entry = ("-", first.a) if first.b is ABSENT else ("+", first.b)
        yield f"{sign} {name}: {_entry(entry)}".removesuffix(": ")
        return
    for difference in fields:
        subject = f"{name} {difference.field}".strip()
        if difference.field == "digest":
            subject = name
        if isinstance(difference.a, list) and isinstance(difference.b, list):
            yield from _listed(subject, difference.a, difference.b)
        else:
            yield f"~ {subject}: {_text(difference.a)} → {_text(difference.b)}"


def _listed(subject: str, a: list[Any], b: list[Any]) -> Iterator[str]:
    lost, won = [x for x in a if x not in b], [x for x in b if x not in a]
    if not lost and not won:
        yield f"~ {subject}: {_text(a)} → {_text(b)}"
        return
    parts = [f"without {_text(lost)}"] if lost else []
    parts += [f"with {_text(won)}"] if won else []
    if len(lost) == len(won) == 1:
        parts = [f"{_text(lost)} → {_text(won)}"]
    yield f"~ {subject}: {', '.join(parts)}"


def _entry(entry: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{key} {_text(value)}" for key, value in entry.items() if not _is_usual(key, value)
    )


def _is_usual(key: str, value: Any) -> bool:
    return value is None or value == [] or value is False or value in _USUAL.get(key, ())


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(held)}" for key, held in value.items()) or "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)
