"""Portrait: what a world is made of, as plain data for whoever wants to look at it.

Each variable says which rules read and write it, and each rule says what it does in the words of
the rule language. What the engine adds by itself is marked, and left in. `portray` draws it up.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from creatura.errors import Place
from creatura.world.faults import Fault


class Origin(StrEnum):
    """Where a rule comes from: its author, or an entry of the file that asks for it."""

    RULE = "rule"
    TOOL = "tool"  # what a call that delivers leaves behind
    COST = "cost"  # what a call is paid with
    FAULT = "fault"  # lets a fault move a fact by itself
    DERIVED = "derived"  # computes a variable that has an expression
    RANGE = "range"  # holds a variable within its range


@dataclass(frozen=True, slots=True)
class Effect:
    """One write of a rule.

    Attributes:
        value: What is written, in the rule language; None for a bare clamp.
        condition: All that must hold for it, or None for always.
        where: The same without what only the engine knows, such as whether a call delivers.
        priority: Order within the phase.
    """

    target: str
    composition: str
    value: str | None
    condition: str | None
    where: str | None
    clamp: tuple[bool | int | float, bool | int | float] | None
    priority: int
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulePortrait:
    """One rule.

    Attributes:
        owner: The tool, fact or variable that asks for it; its own id for an author's rule.
        is_generated: Whether it only serves the engine, and people rarely care.
        index: Its position among the rules as they were declared.
    """

    id: str
    phase: str
    origin: Origin
    owner: str
    is_generated: bool
    index: int
    effects: tuple[Effect, ...]
    place: Place

    @property
    def reads(self) -> tuple[str, ...]:
        """The variables that it names, each once."""
        return tuple(dict.fromkeys(name for effect in self.effects for name in effect.reads))

    @property
    def writes(self) -> tuple[str, ...]:
        """The variables that it writes, each once."""
        return tuple(dict.fromkeys(effect.target for effect in self.effects))


@dataclass(frozen=True, slots=True)
class VariablePortrait:
    """One variable: all that its author declared, and who has to do with it.

    Attributes:
        start: The value it starts from, a categorical's as its label; None where it is derived.
        starts_at: Other starts of single holders.
        readable_by, writable_by: Roles. read_by, written_by: Ids of rules.
        is_engine: Whether the engine added it.
    """

    id: str
    scope: str
    type: str
    dims: Any
    labels: tuple[str, ...]
    profile: str | None
    lifetime: str
    range: tuple[float, float] | None
    start: Any
    starts_at: Mapping[str, Any]
    expression: str | None
    readable_by: tuple[str, ...]
    writable_by: tuple[str, ...]
    exposed_to: tuple[str, ...]
    token: str | None
    normalization: Mapping[str, Any] | None
    metadata: Mapping[str, Any] | None
    read_by: tuple[str, ...]
    written_by: tuple[str, ...]
    is_fact: bool
    is_engine: bool
    place: Place


@dataclass(frozen=True, slots=True)
class ToolPortrait:
    """One tool, with its facts by name."""

    id: str
    requires: tuple[str, ...]
    grants: tuple[str, ...]
    revokes: tuple[str, ...]
    release: bool
    cost: float


@dataclass(frozen=True, slots=True)
class TaskPortrait:
    """When the work is done.

    Attributes:
        goal: The predicate as it was written; None where the obligations are all there is.
        obligations: Facts that must close, in their order.
        is_done_at_start: Whether nothing is left to do.
    """

    title: str
    goal: str | None
    obligations: tuple[str, ...]
    is_done_at_start: bool


@dataclass(frozen=True, slots=True)
class Portrait:
    """A world to look at.

    Attributes:
        facts: Ids of variables, in the order that masks use.
        held: The facts that hold at the start, for every agent.
        extents: Who holds values besides worlds and agents. capacities: Tokens kept for a type.
        rules: By phase, and within one as they were declared.
    """

    world: str
    file: str
    facts: tuple[str, ...]
    held: tuple[str, ...]
    extents: Mapping[str, Any]
    capacities: Mapping[str, int]
    variables: tuple[VariablePortrait, ...]
    rules: tuple[RulePortrait, ...]
    tools: tuple[ToolPortrait, ...]
    task: TaskPortrait
    faults: tuple[Fault, ...]
    barriers: Mapping[str, tuple[Fault, ...]]
    hashes: Mapping[str, str]

    @property
    def headline(self) -> str:
        """The world's name, and what is to be done there if the author said so."""
        title = self.task.title
        return self.world if title == self.world else f"{self.world}: {title}"

    @property
    def by_id(self) -> dict[str, VariablePortrait]:
        """The variables, by id."""
        return {variable.id: variable for variable in self.variables}


def as_plain(value: Any) -> Any:
    """Turns a portrait, or any part of one, into what JSON and YAML can hold."""
    if isinstance(value, Place):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = {f.name: as_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        if isinstance(value, RulePortrait):
            plain |= {"reads": list(value.reads), "writes": list(value.writes)}
        return plain
    if isinstance(value, Mapping):
        return {str(key): as_plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_plain(item) for item in value]
    return value


def further_effects(
    portrait: Portrait, tool: str | None = None
) -> Iterator[tuple[RulePortrait, Effect]]:
    """Yields what one tool, or every tool, writes besides the facts that it grants and revokes."""
    declared = {t.id: (t.grants, t.revokes) for t in portrait.tools}
    for rule in portrait.rules:
        if rule.origin is Origin.TOOL and tool in (None, rule.owner):
            grants, revokes = declared[rule.owner]
            for effect in rule.effects:
                plain = {"true": grants, "false": revokes}.get(effect.value or "", ())
                if effect.target not in plain or effect.where is not None:
                    yield rule, effect
