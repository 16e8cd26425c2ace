"""Interpreter: the reference back-end, plain torch over the plan.

It says as plainly as torch allows what a step means; the compiled back-end is right when it agrees
bit for bit. Values of a world are `[W, 1]` and values of its agents `[W, A]`, so that torch's
broadcasting is the rule language's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import final

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.vfs.elements import ELEMENTS
from creatura.vfs.schema import Scope
from creatura.vtc.composition import COMPOSITIONS
from creatura.vtc.ir import Ambient, Apply, Block, Fault, Literal, Load, Node, Plan, Slot, Write

Tensor = torch.Tensor
Witness = Callable[[Write], None]


def _min(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype is torch.bool:
        return a & b
    # Not torch.minimum, which leaves open which zero it returns; a NaN on either side stays.
    return torch.where((a != a) | (a <= b), a, b)


def _max(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype is torch.bool:
        return a | b
    return torch.where((a != a) | (a >= b), a, b)


def _divide(a: Tensor, b: Tensor) -> Tensor:
    return torch.where(b == 0, torch.zeros((), dtype=a.dtype), a / b)


def _any(a: Tensor) -> Tensor:
    return a.any(dim=1, keepdim=True)


def _all(a: Tensor) -> Tensor:
    return a.all(dim=1, keepdim=True)


MEANINGS: dict[str, Callable[..., Tensor]] = {
    "or": torch.logical_or,
    "and": torch.logical_and,
    "not": torch.logical_not,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": _divide,
    "neg": torch.neg,
    "abs": torch.abs,
    "min": _min,
    "max": _max,
    "clamp": lambda x, low, high: _min(_max(x, low), high),
    "where": torch.where,
    "any": _any,
    "all": _all,
    "to_scalar": lambda x: x.to(torch.float32),
}


@final
class Evaluation:
    """Evaluates nodes over the state that a phase found.

    Args:
        state: Values by variable, `[W, 1]` or `[W, A]`.
        num_worlds: W, for values that no variable carries.
    """

    def __init__(self, state: Mapping[str, Tensor], tick: int, num_worlds: int) -> None:
        self._state = state
        self._ambient = {"tick": torch.tensor(tick, dtype=torch.int64)}
        self._shape = (num_worlds, 1)

    def value(self, node: Node) -> Tensor:
        """Computes a node: `[W, 1]` for a value of the world, `[W, A]` for one of its agents."""
        match node:
            case Literal():
                return torch.full(self._shape, node.value, dtype=ELEMENTS[node.type].dtype)
            case Load():
                return self._state[node.variable]
            case Ambient():
                return self._ambient[node.name].expand(self._shape)
            case Apply():
                return MEANINGS[node.operator](*map(self.value, node.operands))

    def divides_by_zero(self, node: Node) -> Tensor:
        """Finds where a node divides by zero; `and`, `or` and `where` shield what they skip."""
        if not isinstance(node, Apply):
            return torch.zeros(self._shape, dtype=torch.bool)
        first, *rest = [self.divides_by_zero(operand) for operand in node.operands]
        match node.operator, node.operands:
            case "and", (left, _):
                return first | (self.value(left) & rest[0])
            case "or", (left, _):
                return first | (~self.value(left) & rest[0])
            case "where", (choice, _, _):
                return first | torch.where(self.value(choice), rest[0], rest[1])
            case "any" | "all", _:
                return _any(first)
            case "div", (_, divisor):
                return first | rest[0] | (self.value(divisor) == 0)
        for other in rest:
            first = torch.logical_or(first, other)
        return first


@final
class Interpreter:
    """A plan bound to live tensors.

    Args:
        tensors: Values by variable, `[W]` or `[W, A]`; steps write them in place.
        shape: W and A.
        checked: Whether a division by zero is a fault.
        witness: Hears of every write that applies anywhere, as it is made.
    """

    def __init__(
        self,
        plan: Plan,
        tensors: Mapping[str, Tensor],
        shape: tuple[int, int],
        checked: bool,
        witness: Witness | None = None,
    ) -> None:
        self._plan, self._checked, self._shape = plan, checked, shape
        self._witness = witness
        # A view [W, 1] of a global tensor [W] shares its memory, so writes go through.
        self._state = {
            slot.variable: tensors[slot.variable].unsqueeze(1)
            if slot.scope is Scope.GLOBAL
            else tensors[slot.variable]
            for slot in plan.slots
        }

    def step(self, tick: int, live: NDArray[np.bool_]) -> Fault | None:
        """Runs every block over live agents `[W, A]`; returns the first fault, if there is one."""
        alive = torch.from_numpy(np.array(live))
        running = alive.any(dim=1, keepdim=True)
        for slot in self._plan.slots:
            self._reset(slot, running if slot.scope is Scope.GLOBAL else alive)
        return self._run(self._plan.blocks, tick, running, alive)

    def derive(self) -> Fault | None:
        """Computes every derived variable of every world."""
        alive = torch.ones(self._shape, dtype=torch.bool)
        return self._run((self._plan.derive,), 0, alive[:, :1], alive)

    def _reset(self, slot: Slot, rows: Tensor) -> None:
        if slot.reset is not None:
            self._state[slot.variable].masked_fill_(rows, slot.reset)

    def _run(
        self, blocks: tuple[Block, ...], tick: int, running: Tensor, alive: Tensor
    ) -> Fault | None:
        site, worst = 0, None
        for block in blocks:
            phase = _Phase(
                self._state, tick, running, alive & running, self._checked, self._witness
            )
            for target, writes in block.by_target().items():
                phase.resolve(target, writes, site)
                site += len(writes)
            running = running & ~phase.failed
            phase.commit(running)
            # Blocks count sites upwards, so the first block that faults has the smallest.
            worst = worst or min(phase.faults, default=None)
        return worst


@final
class _Phase:
    """One block: values are computed from the state it found and committed at the end."""

    def __init__(
        self,
        state: Mapping[str, Tensor],
        tick: int,
        running: Tensor,
        alive: Tensor,
        checked: bool,
        witness: Witness | None,
    ) -> None:
        self._witness = witness
        self.faults: list[Fault] = []
        self.failed = torch.zeros_like(running)
        self._state, self._running, self._alive, self._checked = state, running, alive, checked
        self._evaluation = Evaluation(state, tick, len(running))
        self._results: dict[str, Tensor] = {}

    def resolve(self, target: str, writes: tuple[Write, ...], site: int) -> None:
        """Applies the writes of one variable in order; the first of them is at `site`."""
        value = self._state[target]
        blame = torch.full_like(value, -1, dtype=torch.int64)
        for here, write in enumerate(writes, site):
            value = self._applied(write, value, here)
            first = torch.where(blame < 0, here, blame)
            blame = torch.where(torch.isfinite(value), -1, first)
        for here, write in enumerate(writes, site):
            self._note(here, write.scope, blame == here, value)
        self._results[target] = value

    def commit(self, running: Tensor) -> None:
        """Writes the results of the worlds that still run."""
        for target, value in self._results.items():
            held = self._state[target]
            held.copy_(torch.where(running, value, held))

    def _applied(self, write: Write, before: Tensor, site: int) -> Tensor:
        rows = self._alive if write.folds or write.scope is Scope.AGENT else self._running
        touched = rows
        if write.condition is not None:
            touched = rows & self._evaluation.value(write.condition)
        if self._checked:
            self._note_divisions(write, rows, touched, site)
        if self._witness is not None and touched.any():
            self._witness(write)
        after = before
        if write.value is not None:
            after = _composed(write, before, self._evaluation.value(write.value), touched)
        if write.clamp is not None:
            low, high = (torch.tensor(end, dtype=before.dtype) for end in write.clamp)
            after = MEANINGS["clamp"](after, low, high)
        return torch.where(_any(touched) if write.folds else touched, after, before)

    def _note_divisions(self, write: Write, rows: Tensor, touched: Tensor, site: int) -> None:
        zero = torch.zeros_like(rows)
        if write.condition is not None:
            zero = rows & self._evaluation.divides_by_zero(write.condition)
        if write.value is not None:
            zero = zero | (touched & self._evaluation.divides_by_zero(write.value))
        self._note(site, write.scope, zero, torch.zeros_like(zero))

    def _note(self, site: int, scope: Scope, where: Tensor, value: Tensor) -> None:
        if where.any():
            self.failed |= _any(where)
            world, column = map(int, where.nonzero()[0])
            agent = column if scope is Scope.AGENT else -1
            self.faults.append(Fault(site, world, agent, float(value[world, column])))


def _composed(write: Write, before: Tensor, value: Tensor, touched: Tensor) -> Tensor:
    means = COMPOSITIONS[write.composition].means
    if means is None:
        return value
    join = MEANINGS[means]
    if not write.folds:
        return join(before, value)
    after, values = before, value.expand_as(touched)
    for agent in range(touched.shape[1]):
        column = slice(agent, agent + 1)
        after = torch.where(touched[:, column], join(after, values[:, column]), after)
    return after
