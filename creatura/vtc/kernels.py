"""Kernels: a plan as the source of one Python function that loops over worlds.

The text is what Numba compiles for the `fused` back-end, and it runs as plain Python too. A phase
reads what it needs into locals, puts new values of agents into a scratch row, and commits when no
value of the world is at fault. What the letters of names mean stands in `emission`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

from creatura.vfs.schema import Scope, VarType
from creatura.vtc.composition import COMPOSITIONS
from creatura.vtc.emission import Emission, literal_text
from creatura.vtc.ir import Block, Load, Node, Plan, Value, Write, loads_of

NO_FAULT = 2**53

_HEADER = '''"""A compiled transition, written by creatura and rewritten at need; edits are lost."""

from math import isfinite

from numpy import float32 as f4
from numpy import int64 as i8


def step({parameters}):
    num_worlds, num_agents = live.shape
    fault[0] = -1.0
    for w in range(num_worlds):
        is_running = False
        for a in range(num_agents):
            if live[w, a]:
                is_running = True
        if not is_running:
            continue
'''


@dataclass(frozen=True, slots=True)
class Parameter:
    """An array the function takes after `tick`, `live` and `fault`.

    Attributes:
        rank: 1 or 2; a scratch row has rank 1.
        variable: Which variable's values it holds; None for a scratch row.
    """

    name: str
    type: VarType
    rank: int
    variable: str | None


def parameters_of(plan: Plan) -> tuple[Parameter, ...]:
    """Lists the arrays in the order the function takes them: stored ones, then scratch rows."""
    suffixes = _suffixes(plan)
    stored = [
        Parameter(f"v{suffixes[slot.variable]}", slot.type,
                  1 if slot.scope is Scope.GLOBAL else 2, slot.variable)
        for slot in plan.slots
    ]  # fmt: skip
    written = {write.target for write in plan.sites if write.scope is Scope.AGENT}
    scratch = [
        Parameter(f"s{suffixes[slot.variable]}", slot.type, 1, None)
        for slot in plan.slots
        if slot.variable in written
    ]
    return (*stored, *scratch)


def source_of(plan: Plan, checked: bool = False) -> str:
    """Writes a plan as the source of a module with one function, `step`.

    The function takes the tick, `live` as `[W, A]` and `fault` as four doubles, which it fills with
    site, world, agent and value of the first fault; a negative site says there was none.
    """
    names = ["tick", "live", "fault", *(parameter.name for parameter in parameters_of(plan))]
    writer = _Writer(_suffixes(plan), checked)
    writer.resets(plan)
    site = 0
    for block in plan.blocks:
        writer.block(block, site)
        site += len(block.writes)
    return _HEADER.format(parameters=", ".join(names)) + "".join(
        f"{line}\n" for line in writer.lines
    )


def _suffixes(plan: Plan) -> dict[str, str]:
    # The number keeps `task.goal` and `task_goal` apart.
    return {
        slot.variable: f"{index}_{re.sub(r'[^a-z0-9]', '_', slot.variable)}"
        for index, slot in enumerate(plan.slots)
    }


@final
class _Writer:
    """Writes the body of the loop over worlds, line by line."""

    def __init__(self, suffixes: dict[str, str], checked: bool) -> None:
        self._suffixes, self._checked = suffixes, checked
        self._out = Emission(suffixes, checked, margin=2)

    @property
    def lines(self) -> list[str]:
        """What was written so far."""
        return self._out.lines

    def resets(self, plan: Plan) -> None:
        """Writes what the start of a step clears."""
        for slot in plan.slots:
            if slot.reset is None:
                continue
            value = literal_text(slot.reset, slot.type)
            name = f"v{self._suffixes[slot.variable]}"
            if slot.scope is Scope.GLOBAL:
                self._out.line(f"{name}[w] = {value}")
            else:
                with self._out.live_agents():
                    self._out.line(f"{name}[w, a] = {value}")

    def block(self, block: Block, site: int) -> None:
        """Writes one block; the first of its writes is at `site`."""
        self._out.line("")
        self._out.line(f"# {block.phase}")
        self._out.forget_reductions()
        can_fault = self._checked or any(w.type is VarType.SCALAR for w in block.writes)
        if can_fault:
            self._out.line(f"bad, bad_agent, bad_value = {NO_FAULT}, -1, f4(0.0)")
        self._found_globals(block)
        for write in block.writes:
            for node in write.nodes:
                self._out.reduce(node)
        for target, writes in block.by_target().items():
            self._target(target, writes, site)
            site += len(writes)
        if can_fault:
            self._give_up()
        self._commit(block)

    def _found_globals(self, block: Block) -> None:
        nodes = (node for write in block.writes for node in write.nodes)
        found = {load.variable for node in nodes for load in _global_loads(node)}
        found |= {write.target for write in block.writes if write.scope is Scope.GLOBAL}
        for variable, suffix in self._suffixes.items():
            if variable in found:
                self._out.line(f"g{suffix} = v{suffix}[w]")

    def _target(self, target: str, writes: tuple[Write, ...], site: int) -> None:
        suffix, is_global = self._suffixes[target], writes[0].scope is Scope.GLOBAL
        if is_global:
            self._out.line(f"n{suffix} = g{suffix}")
            self._writes(f"n{suffix}", "-1", writes, site)
        else:
            with self._out.live_agents():
                self._out.line(f"n{suffix} = v{suffix}[w, a]")
                self._writes(f"n{suffix}", "a", writes, site)
                self._out.line(f"s{suffix}[a] = n{suffix}")

    def _writes(self, name: str, agent: str, writes: tuple[Write, ...], site: int) -> None:
        is_scalar = writes[0].type is VarType.SCALAR
        if is_scalar:
            self._out.line("blame = -1")
        for here, write in enumerate(writes, site):
            if write.folds:
                self._fold(write, name, here)
            else:
                self._write(write, name, agent, here)
            if is_scalar:
                self._out.line(
                    f"blame = -1 if isfinite({name}) else {here} if blame < 0 else blame"
                )
        if is_scalar:
            with self._out.under("if blame >= 0 and blame < bad:"):
                self._out.line(f"bad, bad_agent, bad_value = blame, {agent}, {name}")

    def _write(self, write: Write, name: str, agent: str, site: int) -> None:
        with self._where(write, agent, site):
            self._compose(write, name, agent, site)
            if write.clamp is not None:
                self._clamp(write, write.clamp, name)

    def _fold(self, write: Write, name: str, site: int) -> None:
        if write.clamp is not None:
            self._out.line("is_touched = False")
        with self._out.live_agents(), self._where(write, "-1", site):
            self._compose(write, name, "-1", site)
            if write.clamp is not None:
                self._out.line("is_touched = True")
        if write.clamp is not None:
            with self._out.under("if is_touched:"):
                self._clamp(write, write.clamp, name)

    @contextmanager
    def _where(self, write: Write, agent: str, site: int) -> Iterator[None]:
        if write.condition is None:
            yield
            return
        self._check_zero(write.condition, agent, site)
        with self._out.under(f"if {self._out.value(write.condition)}:"):
            yield

    def _compose(self, write: Write, name: str, agent: str, site: int) -> None:
        if write.value is None:
            return
        self._check_zero(write.value, agent, site)
        value, means = self._out.value(write.value), COMPOSITIONS[write.composition].means
        if means is not None:
            value = self._out.joined(means, write.type, [name, self._out.atom(value)])
        self._out.line(f"{name} = {value}")

    def _clamp(self, write: Write, bounds: tuple[Value, Value], name: str) -> None:
        for means, end in zip(("max", "min"), bounds, strict=True):
            value = self._out.joined(means, write.type, [name, literal_text(end, write.type)])
            self._out.line(f"{name} = {value}")

    def _check_zero(self, node: Node, agent: str, site: int) -> None:
        zero = self._out.zero(node) if self._checked else None
        if zero is not None:
            with self._out.under(f"if {site} < bad and {zero}:"):
                self._out.line(f"bad, bad_agent, bad_value = {site}, {agent}, f4(0.0)")

    def _give_up(self) -> None:
        with self._out.under(f"if bad != {NO_FAULT}:"):
            with self._out.under("if fault[0] < 0.0 or bad < fault[0]:"):
                for position, value in enumerate(("bad", "w", "bad_agent", "bad_value")):
                    self._out.line(f"fault[{position}] = {value}")
            self._out.line("continue")

    def _commit(self, block: Block) -> None:
        of_agents = []
        for target, writes in block.by_target().items():
            suffix = self._suffixes[target]
            if writes[0].scope is Scope.GLOBAL:
                self._out.line(f"v{suffix}[w] = n{suffix}")
            else:
                of_agents.append(f"v{suffix}[w, a] = s{suffix}[a]")
        if of_agents:
            with self._out.live_agents():
                for line in of_agents:
                    self._out.line(line)


def _global_loads(node: Node) -> Iterator[Load]:
    return (load for load in loads_of(node) if load.scope is Scope.GLOBAL)
