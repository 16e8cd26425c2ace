"""Encoder: the rows of a token layout, filled from the live values of a registry.

What never changes stands in a template that every row begins as; what does is written over it by a
generated kernel (see `encoding`) that loops over worlds and observers once. `reference` says the
same in plain NumPy, binding by binding, and is what the kernel must agree with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from creatura.bits import indices_of
from creatura.machine_code import compiled
from creatura.vfs.access import OTHERS, SELF
from creatura.vfs.elements import element_shape
from creatura.vfs.encoding import Parameter, needs_array, source_of
from creatura.vfs.exposure import lanes_in, normalization_of
from creatura.vfs.holders import Axis
from creatura.vfs.normalise import Kind, normalised
from creatura.vfs.registry import Registry
from creatura.vfs.schema import Scope, TokenType, VariableSpec
from creatura.vfs.tokens import PAYLOADS, SEAT, Binding, TokenLayout

Rows = NDArray[np.float32]
Flags = NDArray[np.bool_]


@final
class Encoder:
    """A layout at work on the values of one registry.

    Args:
        masked: Token types of which not every one is visible at all times; `encode` then takes a
            mask of each.
    """

    def __init__(
        self, layout: TokenLayout, registry: Registry, masked: Collection[TokenType] = ()
    ) -> None:
        if registry.roster != layout.roster or (
            layout.role == SELF and registry.extents.num_agents != layout.num_agents
        ):
            raise ValueError("the registry holds another roster, or other agents, than the layout")
        self.layout = layout
        self.masked = tuple(kind for kind in PAYLOADS if kind in masked)
        self._shape = (
            registry.extents.num_worlds,
            layout.num_agents if layout.role == SELF else 1,
        )
        self._template = _template(layout, self._shape[1])
        self._values = _readable(layout, registry)
        self._facts = self._fact_arrays(registry)

    def encode(
        self, visible: Mapping[TokenType, Flags] | None = None, out: Rows | None = None
    ) -> Rows:
        """Fills the rows of every world.

        Args:
            visible: For each masked type, which of its tokens are there `[W, A, capacity]`; tools
                that are not offered, agents and items out of sight.
            out: Where to; a new array if left out.

        Returns:
            Rows `[W, A, width]`; of an observer that is no agent `[W, 1, width]`.
        """
        masks = self._checked(visible or {})
        rows = np.empty((*self._shape, self.layout.width), np.float32) if out is None else out
        if rows.shape != (*self._shape, self.layout.width) or rows.dtype != np.float32:
            raise ValueError(f"out takes float32 {[*self._shape, self.layout.width]}")
        kernel, parameters = self._kernel
        arrays = {**self._inputs(), **{f"m_{kind}": mask for kind, mask in masks.items()}}
        kernel(self._template, rows, *(np.ascontiguousarray(arrays[p.name]) for p in parameters))
        return rows

    @cached_property
    def _kernel(self) -> tuple[Callable[..., None], tuple[Parameter, ...]]:
        source, parameters = source_of(self.layout, self.masked)
        return compiled(source, "encode", _signature(parameters)), parameters

    def reference(self, visible: Mapping[TokenType, Flags] | None = None) -> Rows:
        """Fills the rows as `encode` does, slowly and plainly."""
        masks = self._checked(visible or {})
        rows = np.empty((*self._shape, self.layout.width), np.float32)
        rows[...] = self._template
        for binding, at in self.layout.placed():
            stride = len(PAYLOADS[binding.type])
            part = rows[..., at : at + binding.num_tokens * stride]
            tokens = part.reshape(*self._shape, binding.num_tokens, stride)
            self._fill(binding, tokens)
            rows[..., at : at + binding.num_tokens * stride] = tokens.reshape(part.shape)
        for kind, mask in masks.items():
            at, stride = self.layout.offsets[kind], len(PAYLOADS[kind])
            hidden = np.repeat(~mask, stride, axis=-1)
            rows[..., at : at + hidden.shape[-1]][hidden] = 0.0
        return rows

    # ------------------------------------------------------------------ inputs of the kernel

    def _inputs(self) -> dict[str, NDArray[Any]]:
        inputs: dict[str, NDArray[Any]] = {}
        for binding in self.layout.bindings:
            for variable in binding.variables:
                spec = self.layout.roster[variable]
                name = f"{'o' if binding.type is TokenType.AGENT else 'v'}_{variable}"
                if not needs_array(normalization_of(spec)):
                    inputs[name] = self._held(binding, spec)
                else:
                    lanes = self._scaled(binding, spec)
                    inputs[name] = lanes.reshape(*lanes.shape[:-2], -1)
        if self._facts:
            inputs |= self._task_inputs()
        return inputs

    def _task_inputs(self) -> dict[str, NDArray[Any]]:
        held, tools = self._held_facts(), self.layout.brief.tools
        progress, met = self._progress(held)
        tables = {"requires": [list(indices_of(t.requires)) for t in tools],
                  "grants": [list(indices_of(t.grants)) for t in tools]}  # fmt: skip
        inputs: dict[str, NDArray[Any]] = {"facts": held, "progress": progress, "met": met}
        for name, lists in tables.items():
            inputs[f"{name}_at"] = np.cumsum([0, *map(len, lists)]).astype(np.int64)
            inputs[name] = np.array([i for part in lists for i in part], dtype=np.int64)
        return inputs

    def _held(self, binding: Binding, spec: VariableSpec) -> NDArray[Any]:
        """Gives a variable's values as `[W, A, n]` of the observer's own, else `[W, n]`."""
        array = self._values[binding.type is TokenType.AGENT, spec.id]
        holders = self.layout.roster.holders
        if binding.is_own and holders.axes_of(spec) != (Axis.EDGE,):
            return array.reshape(*array.shape[:2], -1)
        if binding.type is TokenType.AGENT:
            return array.reshape(*array.shape[:2], -1)
        return array.reshape(array.shape[0], -1)

    def _scaled(self, binding: Binding, spec: VariableSpec) -> Rows:
        """Gives a variable's lanes as `[..., n, lanes]`, shaped as `_held` shapes its values."""
        array = self._values[binding.type is TokenType.AGENT, spec.id]
        normalization = normalization_of(spec)
        elements = len(element_shape(spec))
        lanes = normalised(normalization, array, axis=array.ndim - 1 - elements)
        held = self._held(binding, spec)
        return lanes.reshape(*held.shape, lanes.shape[-1])

    def _held_facts(self) -> Flags:
        brief = self.layout.brief
        held = np.empty((*self._shape, len(brief.facts)), dtype=np.bool_)
        for i, fact in enumerate(brief.facts):
            held[:, :, i] = self._facts[fact].reshape(self._shape[0], -1)
        return held

    def _progress(self, held: Flags) -> tuple[Rows, Flags]:
        """Gives the share of closed obligations and whether the goal holds `[W, A]`."""
        brief = self.layout.brief
        closed = held[..., list(brief.obligations)]
        share = closed.mean(axis=-1) if brief.obligations else np.zeros(self._shape)
        met = np.zeros(self._shape, dtype=np.bool_)
        for needs, bars in brief.goal.clauses:
            wants = held[..., list(indices_of(needs))].all(axis=-1)
            met |= wants & ~held[..., list(indices_of(bars))].any(axis=-1)
        must = list(indices_of(brief.goal.obligations))
        return share.astype(np.float32), met & held[..., must].all(axis=-1)

    def _fact_arrays(self, registry: Registry) -> dict[str, NDArray[Any]]:
        has_facts = any(binding.type is TokenType.FACT for binding in self.layout.bindings)
        return registry.reader(SEAT, self.layout.brief.facts) if has_facts else {}

    def _checked(self, visible: Mapping[TokenType, Flags]) -> dict[TokenType, Flags]:
        if set(visible) != set(self.masked):
            expected, found = (
                ", ".join(sorted(kinds)) or "none" for kinds in (self.masked, visible)
            )
            raise ValueError(f"masks of {expected} are expected, found {found}")
        for kind in self.masked:
            shape = (*self._shape, self.layout.capacities[kind])
            if visible[kind].shape != shape or visible[kind].dtype != np.bool_:
                found = f"{visible[kind].dtype} {list(visible[kind].shape)}"
                raise ValueError(f"the mask of {kind} takes bool {list(shape)}, found {found}")
        return {kind: visible[kind] for kind in self.masked}

    # ------------------------------------------------------------------ the reference

    def _fill(self, binding: Binding, tokens: Rows) -> None:
        match binding.type:
            case TokenType.SELF:
                if self._facts:
                    progress, met = self._progress(self._held_facts())
                    tokens[:, :, 0, 2], tokens[:, :, 0, 3] = progress, met
            case TokenType.FACT:
                tokens[..., 1] = self._held_facts()
            case TokenType.TOOL:
                self._fill_tools(tokens)
            case TokenType.METER:
                self._fill_meter(binding, tokens)
            case TokenType.EFFECT | TokenType.VARIABLE_ELEMENT:
                self._fill_elements(binding, tokens)
            case _:
                self._fill_holders(binding, tokens)

    def _fill_tools(self, tokens: Rows) -> None:
        held = self._held_facts()
        for tool in self.layout.brief.tools:
            for lane, mask in ((3, tool.requires), (4, tool.grants)):
                which = list(indices_of(mask))
                share = held[..., which].sum(axis=-1) / max(len(which), 1) if which else 1.0
                tokens[:, :, tool.index, lane] = share

    def _fill_meter(self, binding: Binding, tokens: Rows) -> None:
        spec = self.layout.roster[binding.variables[0]]
        assert spec.range is not None, "a meter has a range"
        held = self._held(binding, spec)[..., 0]
        tokens[:, :, 0, 1] = self._scaled(binding, spec)[..., 0, 0]
        tokens[:, :, 0, 2] = held <= np.float32(spec.range[0])
        tokens[:, :, 0, 3] = held >= np.float32(spec.range[1])

    def _fill_elements(self, binding: Binding, tokens: Rows) -> None:
        spec = self.layout.roster[binding.variables[0]]
        normalization, lanes = normalization_of(spec), self._scaled(binding, spec)
        if lanes.ndim == 3:
            lanes = np.broadcast_to(lanes[:, None], (*self._shape, *lanes.shape[1:]))
        if normalization.kind is Kind.ONE_HOT:
            tokens[..., 1] = lanes.reshape(*self._shape, -1)
            return
        tokens[..., 1] = lanes[..., 0]
        if normalization.kind is Kind.MASKED:
            tokens[..., 0] = lanes[..., 1]
            tokens[lanes[..., 1] == 0.0] = 0.0
        elif lanes.shape[-1] == 2:
            tokens[..., 2] = lanes[..., 1]
        edges = self.layout.roster.holders.edges
        if binding.is_own and edges is not None and spec.scope is Scope.PAIR:
            elements = prod(element_shape(spec))
            mine = np.array([i for i, _ in edges for _ in range(elements)])
            for a in range(self._shape[1]):
                tokens[:, a, mine != a] = 0.0
        if binding.type is TokenType.EFFECT:
            tokens[..., 0] = tokens[..., 1] != 0.0

    def _fill_holders(self, binding: Binding, tokens: Rows) -> None:
        lane = len(PAYLOADS[binding.type]) - 4
        for variable in binding.variables:
            spec = self.layout.roster[variable]
            lanes = self._scaled(binding, spec)
            width = lanes_in(spec).num_lanes
            if binding.type is TokenType.AGENT:
                flat = lanes.reshape(*lanes.shape[:2], -1)
                for a in range(self._shape[1]):
                    others = [j for j in range(self._shape[1]) if j != a]
                    tokens[:, a, :, lane : lane + width] = flat[:, others]
            else:
                flat = lanes.reshape(lanes.shape[0], binding.num_tokens, -1)
                tokens[:, :, :, lane : lane + width] = flat[:, None]
            lane += width


def _readable(layout: TokenLayout, registry: Registry) -> dict[tuple[bool, str], NDArray[Any]]:
    """Resolves every permission once: what is the observer's own, and what others show it."""
    found: dict[tuple[bool, str], NDArray[Any]] = {}
    for binding in layout.bindings:
        of_others = binding.type is TokenType.AGENT
        if binding.is_own:
            held = registry.own_rows(binding.variables)
        else:
            held = registry.reader(OTHERS if of_others else layout.role, binding.variables)
        found |= {(of_others, variable): array for variable, array in held.items()}
    return found


def _template(layout: TokenLayout, num_rows: int) -> Rows:
    """Writes what never changes: presences, positions, and what tools and facts are."""
    template = np.zeros((num_rows, layout.width), np.float32)
    for binding, at in layout.placed():
        stride = len(PAYLOADS[binding.type])
        part = template[:, at : at + binding.num_tokens * stride]
        tokens = part.reshape(num_rows, binding.num_tokens, stride).copy()
        tokens[..., 0] = 1.0
        _STATIC.get(binding.type, _positions)(layout, binding, tokens)
        template[:, at : at + binding.num_tokens * stride] = tokens.reshape(part.shape)
    return template


def _positions(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    tokens[..., 1] = _shares(binding.num_tokens)


def _of_self(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    tokens[:, 0, 1] = _shares(len(tokens))


def _of_agents(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    for a in range(len(tokens)):
        tokens[a, :, 1] = np.delete(_shares(len(tokens)), a)


def _of_items(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    _positions(layout, binding, tokens)
    profiles = layout.roster.holders.profiles
    profile = layout.roster[binding.variables[0]].profile
    tokens[..., 2] = (profiles.index(str(profile)) + 1) / len(profiles)


def _of_elements(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    spec = layout.roster[binding.variables[0]]
    elements = lanes_in(spec).num_tokens
    holders = binding.num_tokens // elements
    tokens[..., 3] = np.repeat(_shares(holders), elements)
    tokens[..., 4] = np.tile(_shares(elements), holders)


def _of_facts(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    brief = layout.brief
    tokens[:, list(brief.obligations), 2] = 1.0
    for needs, bars in brief.goal.clauses:
        tokens[:, list(indices_of(bars)), 3] = -1.0
        tokens[:, list(indices_of(needs)), 3] = 1.0


def _of_tools(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    for tool in layout.brief.tools:
        tokens[:, tool.index, 1] = tool.release
        tokens[:, tool.index, 2] = tool.cost / (1.0 + tool.cost)


def _nothing(layout: TokenLayout, binding: Binding, tokens: Rows) -> None:
    """Leaves all but the presence to the values."""


_STATIC = {
    TokenType.SELF: _of_self,
    TokenType.METER: _nothing,
    TokenType.AGENT: _of_agents,
    TokenType.ITEM: _of_items,
    TokenType.EFFECT: _nothing,
    TokenType.VARIABLE_ELEMENT: _of_elements,
    TokenType.FACT: _of_facts,
    TokenType.TOOL: _of_tools,
}


def _shares(count: int) -> Rows:
    """Spreads positions over [0, 1]; a single one is at 0."""
    return np.linspace(0.0, 1.0, count, dtype=np.float32) if count > 1 else np.zeros(1, np.float32)


def _signature(parameters: tuple[Parameter, ...]) -> str:
    # What comes from a registry is read-only, which Numba's short notation cannot say.
    arrays = [f'Array({p.dtype}, {p.rank}, "C", readonly=True)' for p in parameters]
    return f"void({', '.join(['f4[:,::1]', 'f4[:,:,::1]', *arrays])})"
