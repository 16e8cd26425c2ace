"""Portrait: what a world is made of, as plain data for whoever wants to look at it.

A compiled world knows its variables, its tools and the writes of its plan; a portrait turns these
round, so that each variable says which rules read and write it, and each rule says what it does in
the words of the rule language. What the engine adds by itself is marked, and left in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from creatura.bits import indices_of, masks_of
from creatura.errors import Place
from creatura.protocols import Tool
from creatura.vfs import VariableSpec
from creatura.vfs.elements import start_of
from creatura.vtc.ir import Write, loads_of
from creatura.vtc.phases import POSITION
from creatura.vtc.syntax import text_of
from creatura.world.faults import Fault
from creatura.world.formula import Formulas
from creatura.world.naming import PUSH
from creatura.world.task import GOAL_VARIABLE
from creatura.world.world import Episode, World

_READER = "critic"  # who looks at a world without a part in it
_ENGINE_PREFIXES = ("call.", PUSH)
_TOOL, _COST, _PUSH, _DERIVED, _RANGE = "tool ", "cost of tool ", "push ", "derived.", "range."


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
        start: The value it starts from; None where it is derived.
        readable_by, writable_by: Roles. read_by, written_by: Ids of rules.
        is_engine: Whether the engine added it.
    """

    id: str
    scope: str
    type: str
    lifetime: str
    range: tuple[float, float] | None
    start: Any
    expression: str | None
    readable_by: tuple[str, ...]
    writable_by: tuple[str, ...]
    exposed_to: tuple[str, ...]
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
        held: The facts that hold at the start.
        rules: By phase, and within one as they were declared.
    """

    world: str
    file: str
    facts: tuple[str, ...]
    held: tuple[str, ...]
    variables: tuple[VariablePortrait, ...]
    rules: tuple[RulePortrait, ...]
    tools: tuple[ToolPortrait, ...]
    task: TaskPortrait
    faults: tuple[Fault, ...]
    barriers: Mapping[str, tuple[Fault, ...]]
    hashes: Mapping[str, str]

    @property
    def by_id(self) -> dict[str, VariablePortrait]:
        """The variables, by id."""
        return {variable.id: variable for variable in self.variables}


def portrait_of(world: World) -> Portrait:
    """Draws up what a world is made of."""
    brief = world.brief
    rules = _rules(world)
    tools = tuple(_tool(tool, brief.facts) for tool in brief.tools)
    obligations = tuple(brief.facts[index] for index in brief.obligations)
    # The reference needs no compiling, and a world has a start without being played.
    stage = world.stage([Episode()], 1, "interpreter")
    (held,) = masks_of(stage.facts(_READER)[0])
    goal = None if brief.goal.clauses == ((0, 0),) else brief.goal.text
    return Portrait(
        world=brief.world,
        file=world.file,
        facts=brief.facts,
        held=tuple(brief.facts[index] for index in indices_of(held)),
        variables=tuple(_variable(spec, rules, brief.facts) for spec in world.roster),
        rules=rules,
        tools=tools,
        task=TaskPortrait(brief.title, goal, obligations, bool(stage.goal_met(_READER).all())),
        faults=world.faults,
        barriers=world.barriers,
        hashes=world.hashes,
    )


def is_engine(variable: str) -> bool:
    """Whether a variable of this name is one that the engine adds to every world."""
    return variable.startswith(_ENGINE_PREFIXES) or variable == GOAL_VARIABLE


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


# ------------------------------------------------------------------ rules


def _rules(world: World) -> tuple[RulePortrait, ...]:
    formulas = Formulas(world.transition.plan)
    found: dict[tuple[str, str], list[Write]] = {}
    for write in _sites(world):
        found.setdefault((write.phase, write.rule), []).append(write)
    rules = [_rule(writes, formulas, world) for writes in found.values()]
    return tuple(sorted(rules, key=lambda rule: (POSITION.get(rule.phase, 0), *_order(rule))))


def _sites(world: World) -> Iterable[Write]:
    # A derived variable that late rules touch is computed a second time by the same write.
    return {id(write): write for write in world.transition.plan.sites}.values()


def _order(rule: RulePortrait) -> tuple[bool, int]:
    return rule.origin in (Origin.DERIVED, Origin.RANGE), rule.index


def _rule(writes: list[Write], formulas: Formulas, world: World) -> RulePortrait:
    first = writes[0]
    origin, owner = _origin(first, world)
    defines = owner if origin is Origin.DERIVED else None
    return RulePortrait(
        id=first.rule,
        phase=first.phase,
        origin=origin,
        owner=owner,
        is_generated=origin in (Origin.COST, Origin.FAULT, Origin.RANGE)
        or (origin is Origin.DERIVED and is_engine(owner)),
        index=first.order[-1],
        effects=tuple(_effect(write, formulas, defines) for write in writes),
        place=first.place,
    )


def _origin(write: Write, world: World) -> tuple[Origin, str]:
    """Tells a generated rule by its name and by what it is about: an author may use any name."""
    tools = {tool.id for tool in world.brief.tools}
    reads_engine = any(is_engine(name) for name in _loads(write))
    for prefix, origin in ((_TOOL, Origin.TOOL), (_COST, Origin.COST), (_PUSH, Origin.FAULT)):
        owner = write.rule.removeprefix(prefix)
        known = world.brief.facts if origin is Origin.FAULT else tools
        if owner != write.rule and owner in known and reads_engine:
            return origin, owner
    if write.rule == _DERIVED + write.target and world.roster[write.target].is_derived:
        return Origin.DERIVED, write.target
    if write.rule == _RANGE + write.target and write.value is None:
        return Origin.RANGE, write.target
    return Origin.RULE, write.rule


def _loads(write: Write) -> Iterable[str]:
    return (load.variable for node in write.nodes for load in loads_of(node))


def _effect(write: Write, formulas: Formulas, defines: str | None) -> Effect:
    value = None if write.value is None else formulas.of(write.value, defines)
    condition = None if write.condition is None else formulas.of(write.condition)
    said = [
        part
        for part in formulas.conjuncts(write.condition)
        if not part.reads or not all(map(is_engine, part.reads))
    ]
    reads = [name for part in (condition, value) if part is not None for name in part.reads]
    return Effect(
        target=write.target,
        composition=write.composition,
        value=None if value is None else value.text,
        condition=None if condition is None else condition.text,
        where=" and ".join(_joinable(part.text, len(said)) for part in said) or None,
        clamp=write.clamp,
        priority=write.order[1],
        reads=tuple(dict.fromkeys(reads)),
    )


def _joinable(text: str, parts: int) -> str:
    return f"({text})" if parts > 1 and " or " in text else text


# ------------------------------------------------------------------ variables, tools


def _variable(
    spec: VariableSpec, rules: Iterable[RulePortrait], facts: tuple[str, ...]
) -> VariablePortrait:
    return VariablePortrait(
        id=spec.id,
        scope=str(spec.scope),
        type=str(spec.type),
        lifetime=str(spec.lifetime),
        range=spec.range,
        start=None if spec.is_derived else start_of(spec, spec.initial).tolist(),
        expression=None if spec.expression is None else text_of(spec.expression),
        readable_by=spec.readable_by,
        writable_by=spec.writable_by,
        exposed_to=spec.exposed_to,
        metadata=spec.metadata,
        read_by=tuple(dict.fromkeys(rule.id for rule in rules if spec.id in rule.reads)),
        written_by=tuple(dict.fromkeys(rule.id for rule in rules if spec.id in rule.writes)),
        is_fact=spec.id in facts,
        is_engine=is_engine(spec.id),
        place=spec.place,
    )


def _tool(tool: Tool, facts: tuple[str, ...]) -> ToolPortrait:
    requires, grants, revokes = (
        tuple(facts[index] for index in indices_of(mask))
        for mask in (tool.requires, tool.grants, tool.revokes)
    )
    return ToolPortrait(tool.id, requires, grants, revokes, tool.release, tool.cost)
