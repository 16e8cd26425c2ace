"""Population: who holds values in a world besides its agents, and who belongs where.

The `extents` of a world file become the roster's holders. Membership becomes variables like any
others: `member.groups`, a mask of each agent's groups, and `member.zone`, where it stands, -1 for
nowhere; rules and observers see them as their roles allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr

from creatura.errors import MAX_PROBLEMS, Problem, did_you_mean, shown
from creatura.source import Document
from creatura.vfs import Holders, Scope, VariableSpec, VarType
from creatura.vfs.declarations import problems_of_holders
from creatura.vfs.holders import MAX_HOLDERS

GROUPS_VARIABLE = "member.groups"
ZONE_VARIABLE = "member.zone"
_READERS = ("agent", "engine", "vtc", "critic")

Index = Annotated[StrictInt, Field(ge=0, lt=MAX_HOLDERS)]


def _named(kind: str) -> BeforeValidator:
    """Reads a number as that many holders, named by their kind and position."""

    def names(value: object) -> object:
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if not 1 <= value <= MAX_HOLDERS:
            raise ValueError(f"is from 1 to {MAX_HOLDERS:,}, found {value}")
        return [f"{kind}_{i}" for i in range(value)]

    return BeforeValidator(names)


def _pair(value: object) -> object:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"should be two agents by number, such as [0, 1], found {shown(value)}")
    return value


class ExtentsSpec(BaseModel):
    """How many holders there are besides worlds and agents.

    Attributes:
        groups, zones, affordances: Their names, or how many.
        items: The profile of each item.
        message_slots: Messages that each agent can hold.
        pairs: Which agents know which, as [holder, the other]; left out, all know all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    groups: Annotated[tuple[StrictStr, ...], _named("group")] = ()
    zones: Annotated[tuple[StrictStr, ...], _named("zone")] = ()
    affordances: Annotated[tuple[StrictStr, ...], _named("affordance")] = ()
    items: dict[StrictStr, StrictStr] = {}
    message_slots: Annotated[StrictInt, Field(ge=0)] = 0
    pairs: tuple[Annotated[tuple[Index, Index], BeforeValidator(_pair)], ...] | None = None

    def holders(self) -> Holders:
        """Returns the record that the roster keeps."""
        return Holders(
            self.groups, self.zones, self.affordances, self.items, self.message_slots, self.pairs
        )


class MembershipSpec(BaseModel):
    """Which agents, by number, belong to which group and stand in which zone at the start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    groups: dict[StrictStr, tuple[Index, ...]] = {}
    zones: dict[StrictStr, tuple[Index, ...]] = {}


def member_variables(
    holders: Holders, membership: MembershipSpec, document: Document, problems: list[Problem]
) -> Iterator[VariableSpec]:
    """Yields the variables that say who belongs where; what names nobody goes to `problems`."""
    problems += islice(_mistaken_members(holders, membership, document), MAX_PROBLEMS + 1)
    if any(True for _ in problems_of_holders(holders)):
        return  # told of the holders themselves; what they make would only repeat it
    place = document.place(("membership",))
    if holders.groups:
        starts, known = _by_agent(membership.groups), frozenset(holders.groups)
        yield VariableSpec(
            id=GROUPS_VARIABLE, scope=Scope.AGENT, type=VarType.MASK, labels=holders.groups,
            initial=False, readable_by=_READERS, exposed_to=("agent",), place=place,
            initial_at={agent: [n for n in names if n in known]
                        for agent, names in starts.items()},
        )  # fmt: skip
    if holders.zones:
        starts = _by_agent(membership.zones)
        yield VariableSpec(
            id=ZONE_VARIABLE, scope=Scope.AGENT, type=VarType.INT, initial=-1,
            range=(-1, len(holders.zones) - 1), readable_by=_READERS, exposed_to=("agent",),
            place=place,
            initial_at={agent: holders.zones.index(names[0])
                        for agent, names in starts.items() if names[0] in holders.zones},
        )  # fmt: skip


def _mistaken_members(
    holders: Holders, membership: MembershipSpec, document: Document
) -> Iterator[Problem]:
    for key, known in (("groups", holders.groups), ("zones", holders.zones)):
        for name, agents in getattr(membership, key).items():
            place = document.place(("membership", key, name))
            if name not in known:
                hint = did_you_mean(name, known) or f"; declare them under 'extents': {key}"
                yield Problem(place, f"membership in '{name}', which is none of the {key}{hint}")
            for agent, times in Counter(agents).items():
                if times > 1:
                    yield Problem(place, f"agent {agent} stands twice in '{name}'; drop one")
    for agent, names in _by_agent(membership.zones).items():
        if len({*names}) > 1:
            message = f"agent {agent} stands in {' and '.join(names)}; it can be in one zone"
            yield Problem(document.place(("membership", "zones")), message)


def _by_agent(members: Mapping[str, tuple[int, ...]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, agents in members.items():
        for agent in agents:
            found.setdefault(str(agent), []).append(name)
    return found
