"""IR: the typed form of rules, and the plan that the back-ends carry out.

Every node knows its type and scope, and casts are explicit, so a back-end never promotes anything.
Records compare, and hash, by what they do: names of rules and places are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from creatura.errors import Place
from creatura.hashing import digest
from creatura.vfs.schema import Scope, VarType

Value = bool | int | float
CAST = "to_scalar"  # the one operator that no author writes: int to scalar


@dataclass(frozen=True, slots=True)
class Literal:
    """A value known at compile time; a scalar is already rounded to 32 bits."""

    value: Value
    type: VarType
    scope: Scope = Scope.GLOBAL
    size: int = field(default=1, compare=False)
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Load:
    """The value of a stored variable as the phase found it."""

    variable: str
    type: VarType
    scope: Scope
    size: int = field(default=1, compare=False)
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Ambient:
    """A value the engine provides, such as `tick`."""

    name: str
    type: VarType = VarType.INT
    scope: Scope = Scope.GLOBAL
    size: int = field(default=1, compare=False)
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator, by its name in `operators`, over operands of settled types.

    Attributes:
        size, depth: Nodes in all, and on the longest way down, with derived variables inlined.
    """

    operator: str
    operands: tuple[Node, ...]
    type: VarType
    scope: Scope
    size: int = field(compare=False)
    depth: int = field(compare=False)


Node = Literal | Load | Ambient | Apply


@dataclass(frozen=True, slots=True)
class Write:
    """One write, ready to run.

    Attributes:
        type, scope: Those of the target.
        value: Of the target's type; None for a bare clamp.
        condition: Rule's and write's own joined; None for always.
        folds: Whether agents write a global target, one after the other.
        order: Sorts the writes of one variable in one phase.
        rule, place: For people.
    """

    phase: str
    target: str
    type: VarType
    scope: Scope
    composition: str
    value: Node | None
    condition: Node | None
    clamp: tuple[Value, Value] | None
    folds: bool
    order: tuple[bool, int, int] = field(compare=False)
    rule: str = field(compare=False)
    place: Place = field(compare=False)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Its condition and its value, those it has."""
        return tuple(node for node in (self.condition, self.value) if node is not None)


@dataclass(frozen=True, slots=True)
class Block:
    """Writes that read one snapshot and land together; those of one variable stand in a row."""

    phase: str
    writes: tuple[Write, ...]

    def by_target(self) -> dict[str, tuple[Write, ...]]:
        """Groups the writes by the variable they write."""
        targets = dict.fromkeys(write.target for write in self.writes)
        return {
            target: tuple(write for write in self.writes if write.target == target)
            for target in targets
        }


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable that a plan touches. `reset` is what a step sets it to first, if anything."""

    variable: str
    type: VarType
    scope: Scope
    reset: Value | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What one step does, in order.

    Attributes:
        slots: The variables it touches, in roster order.
        derive: What computes every derived variable; also part of `blocks`.
    """

    slots: tuple[Slot, ...]
    blocks: tuple[Block, ...]
    derive: Block

    @property
    def sites(self) -> tuple[Write, ...]:
        """Every write in the order of the step; its position is how back-ends name it."""
        return tuple(write for block in self.blocks for write in block.writes)

    @property
    def reads(self) -> frozenset[str]:
        """The variables whose values it reads."""
        nodes = (node for write in self.sites for node in write.nodes)
        return frozenset(load.variable for node in nodes for load in loads_of(node))

    @property
    def writes(self) -> frozenset[str]:
        """The variables that its rules write."""
        return frozenset(write.target for write in self.sites)

    @property
    def hash(self) -> str:
        """Digest of what the step does to which variables, whatever its rules are called."""
        blocks = [[block.phase, [_meaning(w) for w in block.writes]] for block in self.blocks]
        return digest([list(self.slots), blocks])

    def describe(self) -> str:
        """Renders the plan for people: phases, then each variable's writes in order."""
        resets = [f"  {slot.variable} = {_text(slot.reset)}" for slot in self.slots
                  if slot.reset is not None]  # fmt: skip
        lines = ["at the start of a step", *resets] if resets else []
        for block in self.blocks:
            lines.append(block.phase)
            for target, writes in block.by_target().items():
                lines.append(f"  {target} ({writes[0].scope} {writes[0].type})")
                lines += [f"    {line}" for write in writes for line in _described(write)]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """Why a world did not complete a step; the smallest of several is the one to raise.

    Attributes:
        site: Position in the plan's sites.
        agent: -1 for a value of global scope.
        value: What would have been committed; a finite one stands for a division by zero.
    """

    site: int
    world: int
    agent: int
    value: float = field(compare=False)


def loads_of(node: Node) -> Iterator[Load]:
    """Yields every variable that a node reads, as often as it does."""
    if isinstance(node, Load):
        yield node
    elif isinstance(node, Apply):
        for operand in node.operands:
            yield from loads_of(operand)


def render(node: Node) -> str:
    """Renders a node as text in which every operation shows its operands.

    >>> energy = Load("energy", VarType.SCALAR, Scope.AGENT)
    >>> render(Apply("lt", (energy, Literal(0.5, VarType.SCALAR)), VarType.BOOL, Scope.AGENT, 3, 2))
    'lt(energy, 0.5)'
    """
    match node:
        case Literal():
            return _text(node.value)
        case Load():
            return node.variable
        case Ambient():
            return node.name
        case Apply():
            return f"{node.operator}({', '.join(map(render, node.operands))})"


def _meaning(write: Write) -> list[object]:
    # Text, because digesting a tree takes ten stack frames a level, rendering it two.
    value, condition = (node and render(node) for node in (write.value, write.condition))
    return [write.target, write.composition, value, condition, write.clamp, write.folds]


def _described(write: Write) -> Iterator[str]:
    parts = [write.composition]
    if write.value is not None:
        parts.append(render(write.value))
    if write.clamp is not None:
        parts.append(f"within [{', '.join(map(_text, write.clamp))}]")
    if write.folds:
        parts.append("by each agent")
    if write.condition is not None:
        parts.append(f"where {render(write.condition)}")
    yield f"{' '.join(parts)}  [{write.rule}]"
    reads = dict.fromkeys(load.variable for node in write.nodes for load in loads_of(node))
    if reads:
        yield f"  reads {', '.join(reads)}"


def _text(value: Value | None) -> str:
    if isinstance(value, float):
        return str(np.float32(value))  # the shortest text that reads back as the same 32 bits
    return str(value).lower()
