"""Structure: a compiled world as the things it is made of and how they are joined.

Variables, writes, tools and the task are things; who needs, grants, takes away, reads or writes
what are their edges. Labels say all the rest that counts and hold no name of the author's. What
follows from another part, such as the write that a grant stands for, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from typing import Any, final

from creatura.bits import indices_of
from creatura.hashing import digest
from creatura.protocols import Tool
from creatura.vfs.elements import element_shape, start_of
from creatura.vfs.schema import DEFAULT_READERS, VariableSpec, VarType
from creatura.vtc.ir import Apply, Literal, Load, Node, Write, render
from creatura.world.expand import FACT_READERS, lands_of
from creatura.world.naming import CALLED, PUSH, SPENT
from creatura.world.task import GOAL_VARIABLE
from creatura.world.world import World

VARIABLE, WRITE, TOOL, TASK = KINDS = ("v", "w", "t", "task")  # in the order that people read

_COMMUTES = frozenset({"additive_delta", "multiplicative_modifier", "min", "max"})
_EFFECTS = "apply_action_effects"


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing, the node of a graph.

    Attributes:
        key: What the world calls it; no part of the structure.
        label: What it is, with `%k` where the thing at the edge of that name stands.
    """

    kind: str
    key: str
    label: str
    edges: tuple[tuple[str, str], ...] = ()


def things_of(world: World) -> list[Thing]:
    """Takes a world apart."""
    return list(_Reading(world).things())


@final
class _Reading:
    """Reads the things of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._facts = world.brief.facts
        self._tools = world.brief.tools
        self._engine = engine_variables(world)
        self._lands = {lands_of(tool.index): tool for tool in self._tools}
        self._pushes = {PUSH + fact: fact for fact in self._facts}
        self._counts_tools = False

    def things(self) -> Iterator[Thing]:
        for spec in self._world.roster:
            if spec.id not in self._engine:
                yield Thing(VARIABLE, spec.id, self._variable(spec))
        yield from self._writes()
        yield from (self._tool(tool) for tool in self._tools)
        yield self._task()

    # ------------------------------------------------------------------ variables, tools, task

    def _variable(self, spec: VariableSpec) -> str:
        parts = [f"{spec.scope} {spec.type}", f"lasts {spec.lifetime}"]
        parts += ["fact"] if spec.id in self._facts else []
        parts += ["derived"] if spec.is_derived else [f"starts {_start(spec, spec.initial)}"]
        if shape := element_shape(spec):
            parts.append(f"of {list(shape)}")
        if spec.initial_at:
            parts.append(f"but {sorted(_start(spec, v) for v in spec.initial_at.values())}")
        if spec.range is not None:
            low, high = (_value(spec, end) for end in spec.range)
            parts.append(f"in [{low}, {high}]")
        usual = FACT_READERS if spec.id in self._facts else DEFAULT_READERS
        if set(spec.readable_by) != set(usual):
            parts.append(f"read by {' '.join(sorted(spec.readable_by)) or 'nobody'}")
        if spec.exposed_to:
            parts.append(f"a token of {' '.join(sorted(spec.exposed_to))}")
        if spec.normalization is not None:
            parts.append(f"normalised as {digest(spec.normalization.model_dump())}")
        return ", ".join(parts)

    def _tool(self, tool: Tool) -> Thing:
        parts = ["tool", *(["release"] if tool.release else [])]
        parts += [f"cost {float(tool.cost)!r}"] if tool.cost else []
        parts += [f"number {tool.index}"] if self._counts_tools else []
        masks = {"requires": tool.requires, "grants": tool.grants, "revokes": tool.revokes}
        edges = [(role, fact) for role, mask in masks.items() for fact in self._in(mask)]
        return Thing(TOOL, _key_of(tool), ", ".join(parts), tuple(edges))

    def _task(self) -> Thing:
        obligations = [self._facts[i] for i in self._world.brief.obligations]
        edges = [(f"%{place}", fact) for place, fact in enumerate(obligations, 1)]
        for place, (needs, bars) in enumerate(self._world.brief.goal.clauses, 1):
            edges += [(f"goal {place} needs", fact) for fact in self._in(needs)]
            edges += [(f"goal {place} bars", fact) for fact in self._in(bars)]
        holes = ", ".join(f"%{place}" for place in range(1, len(obligations) + 1))
        clauses = f"goals {len(self._world.brief.goal.clauses)}"
        return Thing(TASK, "the task", f"obliges {holes or 'nothing'}, {clauses}", tuple(edges))

    def _in(self, mask: int) -> Iterator[str]:
        return (self._facts[i] for i in indices_of(mask))

    # ------------------------------------------------------------------ writes

    def _writes(self) -> Iterator[Thing]:
        number = count()
        plan, roster = self._world.transition.plan, self._world.roster
        for write in plan.derive.writes:
            if write.target != GOAL_VARIABLE:
                yield self._written(f"write {next(number)}", write, "derived", None)
        ruled = (write for write in plan.sites if not roster[write.target].is_derived)
        for (phase, _), group in groupby(ruled, key=lambda w: (w.phase, w.target)):
            # A declared range is said by its variable.
            writes = [write for write in group if not write.order[0]]
            for write, when in zip(writes, self._stages(writes), strict=True):
                if not self._is_implied(write):
                    key = f"write {next(number)}"
                    yield self._written(key, write, f"{phase}{when}", self._owner(write))

    def _stages(self, writes: Sequence[Write]) -> list[str]:
        """Says which of the writes of one variable in one phase come after which.

        Those that commute, and those of different tools, have no order among themselves.
        """
        stages: list[str] = []
        stage, own = 0, dict[str, int]()
        for place, write in enumerate(writes):
            if place and not self._is_beside(writes[place - 1], write):
                stage, own = stage + 1, {}
            nth = own[write.rule] = own.get(write.rule, -1) + 1
            within = f".{nth}" if nth and self._owner(write) else ""
            stages.append(f" step {stage}{within}" if stage or within else "")
        return stages

    def _is_beside(self, first: Write, second: Write) -> bool:
        kinds = [self._kind(write) for write in (first, second)]
        if kinds[0] != kinds[1]:
            return False
        if kinds[0] != "rule":
            return first.order[1] == second.order[1]
        alike = first.composition == second.composition and first.composition in _COMMUTES
        return alike and first.clamp is None and second.clamp is None

    def _kind(self, write: Write) -> str:
        if self._owner(write):
            return "tool"
        return "push" if self._is_push(write) else "rule"

    def _is_push(self, write: Write) -> bool:
        is_stored = PUSH + write.target in self._world.roster
        return is_stored and write.rule == f"push {write.target}"

    def _owner(self, write: Write) -> Tool | None:
        """Returns the tool that declares a write."""
        if write.phase != _EFFECTS or not write.rule.startswith("tool "):
            return None
        first = _conjuncts(write.condition)[0]
        owner = self._lands.get(first.variable) if isinstance(first, Load) else None
        return owner if owner is not None and write.rule == f"tool {owner.id}" else None

    def _is_implied(self, write: Write) -> bool:
        """Whether the graph says a write already: what a grant, a cost or a push does."""
        if self._is_push(write):
            return True
        if write.target == SPENT and write.rule.startswith("cost of tool "):
            return True
        owner = self._owner(write)
        if owner is None or len(_conjuncts(write.condition)) > 1 or write.order[1]:
            return False
        if write.target not in self._facts or not isinstance(write.value, Literal):
            return False
        bit = 1 << self._facts.index(write.target)
        raises = write.composition == "max" and write.value.value and owner.grants & bit
        lowers = write.composition == "min" and not write.value.value and owner.revokes & bit
        return bool(raises or lowers)

    def _written(self, key: str, write: Write, when: str, owner: Tool | None) -> Thing:
        holes = _Holes()
        condition = _conjuncts(write.condition)[1:] if owner else [write.condition]
        is_engine = write.target in self._engine
        parts = [f"{when} {write.target if is_engine else holes.of(write.target)}"]
        parts.append(write.composition)
        if write.value is not None:
            parts.append(self._text(write.value, holes))
        if write.clamp is not None:
            low, high = (render(Literal(end, write.type)) for end in write.clamp)
            parts.append(f"within [{low}, {high}]")
        parts += ["by each agent"] if write.folds else []
        parts += [f"by {holes.of(_key_of(owner))}"] if owner else []
        parts += [f"where {self._text(node, holes)}" for node in condition if node is not None]
        return Thing(WRITE, key, " ".join(parts), holes.edges)

    def _text(self, node: Node, holes: _Holes) -> str:
        if isinstance(node, Load):
            return self._loaded(node.variable, holes)
        if not isinstance(node, Apply):
            return render(node)
        number = _called(node)
        if number is not None:
            # A number that is no tool's, such as -1, is asked about by those who ask for none.
            is_tools = 0 <= number < len(self._tools)
            who = holes.of(_key_of(self._tools[number])) if is_tools else "no tool"
            return f"{node.operator}(called, {who})"
        operands = ", ".join([self._text(operand, holes) for operand in node.operands])
        return f"{node.operator}({operands})"

    def _loaded(self, variable: str, holes: _Holes) -> str:
        if variable in self._lands:
            return f"lands({holes.of(_key_of(self._lands[variable]))})"
        if variable in self._pushes:
            return f"push({holes.of(self._pushes[variable])})"
        if variable == CALLED:
            self._counts_tools = True  # a rule that calculates with it gives positions a meaning
        return variable if variable in self._engine else holes.of(variable)


class _Holes:
    """Numbers what an expression names, by first occurrence."""

    def __init__(self) -> None:
        self._at: dict[str, str] = {}

    def of(self, key: str) -> str:
        return self._at.setdefault(key, f"%{len(self._at)}")

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return tuple((hole, key) for key, hole in self._at.items())


def engine_variables(world: World) -> frozenset[str]:
    """Names the variables of a world that the engine keeps for itself."""
    lands = (lands_of(tool.index) for tool in world.brief.tools)
    pushes = (PUSH + fact for fact in world.brief.facts)
    return frozenset({CALLED, SPENT, GOAL_VARIABLE, *lands, *pushes})


def _called(node: Apply) -> int | None:
    """Returns the number that a comparison asks about, where it asks which tool is called."""
    if node.operator in ("eq", "ne"):
        for asked, number in (node.operands, node.operands[::-1]):
            if isinstance(asked, Load) and asked.variable == CALLED and isinstance(number, Literal):
                return int(number.value)
    return None


def _conjuncts(condition: Node | None) -> list[Node | None]:
    """Takes a tool's condition apart: that its call lands, and what a write of its own asks."""
    if isinstance(condition, Apply) and condition.operator == "and":
        first, *rest = condition.operands
        return [first, *rest]
    return [condition]


def _key_of(tool: Tool) -> str:
    return f"tool {tool.id}"  # a space keeps it apart from variables


def _start(spec: VariableSpec, value: Any) -> str:
    start = start_of(spec, value).tolist()
    return _value(spec, start) if element_shape(spec) == () else str(start)


def _value(spec: VariableSpec, value: bool | int | float) -> str:
    return render(Literal(float(value) if spec.type is VarType.SCALAR else value, spec.type))
