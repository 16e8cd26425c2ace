"""Signature: what a world does, without what anything in it is called.

A world becomes a graph: variables, tools, writes and the task are its nodes, and who needs, grants,
takes away, reads or writes what are its edges. The text of a signature is that graph in its
canonical order. Renamed worlds never differ, nor do worlds that declare their facts, variables and
tools in another order, so what a planner's tie goes to is no structure. Worlds of another structure
differ, except beyond the bound of `canonical`, where the text tells alike things apart no further.
Faults and barriers are trouble laid over a world and are left out, as they are of its hashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from creatura.hashing import digest
from creatura.world.canonical import MAX_TRIES, ordering_of
from creatura.world.structure import KINDS, TASK, Thing, things_of
from creatura.world.world import World

_COARSE = "beyond the search bound: things that refinement finds alike share a name"
_HOLE = re.compile(r"%\d+")


@dataclass(frozen=True, slots=True)
class Signature:
    """The structure of a world; two of them are equal as their texts are.

    Attributes:
        text: One line a variable, write, tool and task, under names that only count.
        is_exact: Whether equal texts mean equal structures.
    """

    text: str
    is_exact: bool = True

    @property
    def hash(self) -> str:
        """Digest of the structure."""
        return digest(self.text)


def signature_of(world: World, max_tries: int = MAX_TRIES) -> Signature:
    """Reads the structure off a compiled world.

    Args:
        max_tries: Refinements spent on telling apart what refinement alone finds alike; the worlds
            one compares need the same bound.
    """
    things = things_of(world)
    at = {thing.key: position for position, thing in enumerate(things)}
    edges = [(at[thing.key], role, at[key]) for thing in things for role, key in thing.edges]
    ordering = ordering_of([f"{thing.kind} {thing.label}" for thing in things], edges, max_tries)
    place = ordering.cells if ordering.order is None else _inverse(ordering.order)
    names: dict[str, str] = {}
    for kind in KINDS:
        alike = sorted({place[at[thing.key]] for thing in things if thing.kind == kind})
        number = {found: position for position, found in enumerate(alike, 1)}
        names |= {t.key: f"{kind}{number[place[at[t.key]]]}" for t in things if t.kind == kind}
    lines = sorted((KINDS.index(t.kind), place[at[t.key]], _line(t, names)) for t in things)
    head = [] if ordering.order is not None else [_COARSE]
    return Signature("\n".join([*head, *(line for *_, line in lines)]), ordering.order is not None)


def _line(thing: Thing, names: Mapping[str, str]) -> str:
    holes = {role: names[key] for role, key in thing.edges if _HOLE.fullmatch(role)}
    text = _HOLE.sub(lambda hole: holes[hole.group()], thing.label)
    parts = [f"{names[thing.key] if thing.kind != TASK else 'task'}: {text}"]
    for role in dict.fromkeys(role for role, _ in thing.edges if role not in holes):
        # Names that count are sorted by their number.
        held = sorted((names[key] for r, key in thing.edges if r == role), key=lambda n: int(n[1:]))
        parts.append(f"{role} {', '.join(held)}")
    return "; ".join(parts)


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))
