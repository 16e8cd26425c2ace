"""Holders: who holds a value of each scope, and how many of them there are.

The worlds of a batch and the agents of a run are counted when a run starts (`Extents`). Everybody
else stands in the world file (`Holders`): groups, zones, affordances, message slots, items by
profile, and the pairs that know each other. A scope is one row: the axes that follow the worlds'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from creatura.errors import cut, did_you_mean
from creatura.vfs.elements import element_shape
from creatura.vfs.schema import Scope, VariableSpec

MAX_HOLDERS = 4_096  # on one axis of a world

_NUMBER = re.compile(r"[0-9]{1,9}")  # other scripts have digits too, and int() takes them


class Axis(StrEnum):
    """What an axis counts; the letters of the style guide are in brackets."""

    AGENT = "agent"  # A
    ITEM = "item"  # I
    GROUP = "group"  # G
    AFFORDANCE = "affordance"  # F
    ZONE = "zone"  # Z
    SLOT = "message slot"  # M
    EDGE = "pair"  # E


SCOPES: Mapping[Scope, tuple[Axis, ...]] = {
    Scope.GLOBAL: (),
    Scope.AGENT: (Axis.AGENT,),
    Scope.AGENT_PRIVATE: (Axis.AGENT,),
    Scope.ITEM: (Axis.ITEM,),
    Scope.PAIR: (Axis.AGENT, Axis.AGENT),
    Scope.GROUP: (Axis.GROUP,),
    Scope.AFFORDANCE: (Axis.AFFORDANCE,),
    Scope.ZONE: (Axis.ZONE,),
    Scope.MESSAGE: (Axis.AGENT, Axis.SLOT),
}
OF_AGENTS = tuple(scope for scope, axes in SCOPES.items() if axes[:1] == (Axis.AGENT,))


@dataclass(frozen=True, slots=True)
class Extents:
    """How many worlds and agents a batch has, each at least one."""

    num_worlds: int
    num_agents: int = 1

    def __post_init__(self) -> None:
        for name in ("num_worlds", "num_agents"):
            count = getattr(self, name)
            if count < 1:
                raise ValueError(f"{name} is {count}; at least 1 is needed")


@dataclass(frozen=True)
class Holders:
    """Who else holds values in a world; names are in order of their positions.

    Attributes:
        items: The profile of each item, by the item's name.
        num_slots: Messages that each agent can hold.
        edges: The directed pairs (holder, the other) that exist; None for every pair.
    """

    groups: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    affordances: tuple[str, ...] = ()
    items: Mapping[str, str] = field(default_factory=dict)
    num_slots: int = 0
    edges: tuple[tuple[int, int], ...] | None = None

    @property
    def profiles(self) -> tuple[str, ...]:
        """Every profile, in the order its first item has."""
        return tuple(dict.fromkeys(self.items.values()))

    def names(self, axis: Axis, profile: str | None = None) -> tuple[str, ...]:
        """Names the holders along an axis; agents, slots and pairs have numbers instead."""
        match axis:
            case Axis.GROUP:
                return self.groups
            case Axis.ZONE:
                return self.zones
            case Axis.AFFORDANCE:
                return self.affordances
            case Axis.ITEM:
                return tuple(name for name, of in self.items.items() if of == profile)
            case _:
                return ()

    def axes_of(self, spec: VariableSpec) -> tuple[Axis, ...]:
        """Lists the axes between the worlds' and the value's own."""
        if spec.scope is Scope.PAIR and self.edges is not None:
            return (Axis.EDGE,)
        return SCOPES[spec.scope]

    def count(self, axis: Axis, num_agents: int, profile: str | None = None) -> int:
        """Counts the holders along an axis."""
        match axis:
            case Axis.AGENT:
                return num_agents
            case Axis.SLOT:
                return self.num_slots
            case Axis.EDGE:
                return len(self.edges or ())
            case _:
                return len(self.names(axis, profile))

    def shape_of(self, spec: VariableSpec, extents: Extents) -> tuple[int, ...]:
        """Gives the shape of a variable's storage: worlds, holders, then the value's own.

        >>> at = VariableSpec(id="at", scope="agent", type="vec2i", initial=0)
        >>> Holders().shape_of(at, Extents(5, 2))
        (5, 2, 2)
        """
        counts = (self.count(axis, extents.num_agents, spec.profile) for axis in self.axes_of(spec))
        return (extents.num_worlds, *counts, *element_shape(spec))

    def index_of(self, spec: VariableSpec, holder: object, num_agents: int) -> tuple[int, ...]:
        """Finds a holder's position along the axes of a variable.

        Args:
            holder: A name or a number; of two axes, two numbers.

        Raises:
            LookupError: There is no such holder; the sentence names the nearest.
        """
        axes = self.axes_of(spec)
        parts = holder if isinstance(holder, tuple) else (holder,)
        if axes == (Axis.EDGE,):
            return (self._edge(spec, parts),)
        if len(parts) != len(axes):
            wanted = " and ".join(axes) or "nothing, being global"
            raise LookupError(f"'{spec.id}' is held by {wanted}, found {holder!r}")
        return tuple(
            self.position(spec, axis, part, num_agents)
            for axis, part in zip(axes, parts, strict=True)
        )

    def position(self, spec: VariableSpec, axis: Axis, part: object, num_agents: int) -> int:
        """Finds a position along one axis, of a name or a number.

        Raises:
            LookupError: There is no such holder; the sentence names the nearest.
        """
        names = self.names(axis, spec.profile)
        if isinstance(part, str) and not _NUMBER.fullmatch(part):
            if part not in names:
                hint = did_you_mean(part, names)
                raise LookupError(f"'{spec.id}' has no {axis} '{cut(part)}'{hint}")
            return names.index(part)
        count = self.count(axis, num_agents, spec.profile)
        if isinstance(part, bool) or not isinstance(part, (int, str)):
            raise LookupError(f"'{spec.id}' has no {axis} {part!r}")
        if not 0 <= int(part) < count:
            raise LookupError(f"'{spec.id}' has no {axis} {part}; they go from 0 to {count - 1}")
        return int(part)

    def _edge(self, spec: VariableSpec, parts: tuple[object, ...]) -> int:
        assert self.edges is not None, "only sparse pairs are held by edges"
        if parts not in self.edges or any(isinstance(part, bool) for part in parts):
            shown = " to ".join(map(str, parts))
            known = ", ".join(f"{i} to {j}" for i, j in self.edges[:8])
            more = ", ..." if len(self.edges) > 8 else ""
            raise LookupError(f"'{spec.id}' has no pair {shown}; it has {known}{more}")
        return self.edges.index(parts)
