"""Portray: draws up the portrait of a world.

A compiled world knows its variables, its tools and the writes of its plan; these are turned round,
so that everything is found by what has to do with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.bits import indices_of, masks_of
from creatura.protocols import Tool
from creatura.vfs import Holders, VariableSpec, VarType
from creatura.vfs.elements import start_of
from creatura.vtc.ir import Write, loads_of
from creatura.vtc.phases import POSITION
from creatura.vtc.syntax import text_of
from creatura.world.formula import Formulas
from creatura.world.naming import PUSH
from creatura.world.portrait import (
    Effect,
    Origin,
    Portrait,
    RulePortrait,
    TaskPortrait,
    ToolPortrait,
    VariablePortrait,
    as_plain,
)
from creatura.world.task import GOAL_VARIABLE
from creatura.world.world import Episode, World

_READER = "critic"  # who looks at a world without a part in it
_ENGINE_PREFIXES = ("call.", PUSH)
_TOOL, _COST, _PUSH, _DERIVED, _RANGE = "tool ", "cost of tool ", "push ", "derived.", "range."


def portrait_of(world: World) -> Portrait:
    """Draws up what a world is made of."""
    brief = world.brief
    rules = _rules(world)
    tools = tuple(_tool(tool, brief.facts) for tool in brief.tools)
    obligations = tuple(brief.facts[index] for index in brief.obligations)
    # The reference needs no compiling, and a world has a start without being played.
    stage = world.stage([Episode()], world.roster.min_agents, "interpreter")
    (held,) = masks_of(np.bitwise_and.reduce(stage.facts(_READER), axis=1))
    goal = None if brief.goal.clauses == ((0, 0),) else brief.goal.text
    return Portrait(
        world=brief.world,
        file=world.file,
        facts=brief.facts,
        held=tuple(brief.facts[index] for index in indices_of(held)),
        extents=_extents(world.roster.holders),
        capacities={str(kind): count for kind, count in world.capacities.items()},
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


def _extents(holders: Holders) -> dict[str, Any]:
    return {
        "groups": list(holders.groups),
        "zones": list(holders.zones),
        "affordances": list(holders.affordances),
        "items": dict(holders.items),
        "message_slots": holders.num_slots,
        "pairs": None if holders.edges is None else [list(edge) for edge in holders.edges],
    }


def _variable(
    spec: VariableSpec, rules: Iterable[RulePortrait], facts: tuple[str, ...]
) -> VariablePortrait:
    return VariablePortrait(
        id=spec.id,
        scope=str(spec.scope),
        type=str(spec.type),
        dims=spec.dims,
        labels=spec.labels,
        profile=spec.profile,
        lifetime=str(spec.lifetime),
        range=spec.range,
        start=None if spec.is_derived else _start(spec, start_of(spec, spec.initial)),
        starts_at={str(holder): value for holder, value in spec.initial_at.items()},
        expression=None if spec.expression is None else text_of(spec.expression),
        readable_by=spec.readable_by,
        writable_by=spec.writable_by,
        exposed_to=spec.exposed_to,
        token=spec.token,
        normalization=_scaling(spec),
        metadata=spec.metadata,
        read_by=tuple(dict.fromkeys(rule.id for rule in rules if spec.id in rule.reads)),
        written_by=tuple(dict.fromkeys(rule.id for rule in rules if spec.id in rule.writes)),
        is_fact=spec.id in facts,
        is_engine=is_engine(spec.id),
        place=spec.place,
    )


def _scaling(spec: VariableSpec) -> dict[str, Any] | None:
    told = spec.normalization
    return None if told is None else as_plain(told.model_dump(exclude_none=True))


def _start(spec: VariableSpec, values: NDArray[Any]) -> Any:
    """Writes a start as its author would: 0.6, not the 0.6000000238 that a 32-bit float holds."""
    if spec.type is VarType.CATEGORICAL:
        return spec.labels[int(values)]
    if values.dtype != np.float32:
        return values.tolist()
    return np.array([float(str(value)) for value in values.ravel()]).reshape(values.shape).tolist()


def _tool(tool: Tool, facts: tuple[str, ...]) -> ToolPortrait:
    requires, grants, revokes = (
        tuple(facts[index] for index in indices_of(mask))
        for mask in (tool.requires, tool.grants, tool.revokes)
    )
    return ToolPortrait(tool.id, requires, grants, revokes, tool.release, tool.cost)
