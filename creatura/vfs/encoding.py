"""Encoding: the source of the kernel that fills the rows of one token layout.

The function takes the template, the rows, and then an array for each variable that a binding shows,
named `v_` and its id (`o_` where it is what others show), the facts, and a mask for each masked
type. What one expression computes is said once more, in NumPy, by `normalise`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from creatura.vfs.elements import element_shape, numpy_dtype
from creatura.vfs.exposure import normalization_of
from creatura.vfs.holders import Axis
from creatura.vfs.normalise import LARGEST, Kind, Normalization, lanes_of
from creatura.vfs.schema import TokenType, VariableSpec
from creatura.vfs.tokens import PAYLOADS, Binding, TokenLayout

_NUMBA = {"bool": "b1", "int64": "i8", "float32": "f4"}
# Kinds that one expression computes; the others come as arrays of their lanes.
_INLINE = (Kind.NONE, Kind.MINMAX, Kind.ZSCORE, Kind.BINARY, Kind.ONE_HOT, Kind.MASKED)

_HEADER = '''"""A token encoder, written by creatura and rewritten at need; edits are lost."""

from numpy import float32 as f4
from numpy import float64 as f8


def encode({parameters}):
    num_worlds, num_rows, width = rows.shape
    for w in range(num_worlds):
        for a in range(num_rows):
            for i in range(width):
                rows[w, a, i] = template[a, i]
'''


@dataclass(frozen=True, slots=True)
class Parameter:
    """An array that the function takes after `template` and `rows`, and its Numba dtype."""

    name: str
    dtype: str
    rank: int


def needs_array(normalization: Normalization) -> bool:
    """Whether a kind is computed ahead, array by array, and not inside the loop."""
    return normalization.kind not in _INLINE


def source_of(
    layout: TokenLayout, masked: Sequence[TokenType]
) -> tuple[str, tuple[Parameter, ...]]:
    """Writes the source of a module with one function, `encode`, and lists what it takes."""
    emission = _Emission(layout)
    for binding, at in layout.placed():
        emission.bind(binding, at)
    for kind in masked:
        emission.clear(kind)
    parameters = tuple(emission.parameters.values())
    arguments = ", ".join(["template", "rows", *(_argument(p.name) for p in parameters)])
    body = "".join(f"            {line}\n" for line in emission.lines)
    return _HEADER.format(parameters=arguments) + body, parameters


class _Emission:
    def __init__(self, layout: TokenLayout) -> None:
        self.lines: list[str] = []
        self.parameters: dict[str, Parameter] = {}
        self._layout = layout
        self._has_facts = any(b.type is TokenType.FACT for b in layout.bindings)

    def bind(self, binding: Binding, at: int) -> None:
        """Writes the lines that fill one binding."""
        match binding.type:
            case TokenType.SELF:
                if self._has_facts:
                    self._take("progress", "f4", 2)
                    self._take("met", "b1", 2)
                    self.lines += [
                        f"rows[w, a, {at + 2}] = progress[w, a]",
                        f"rows[w, a, {at + 3}] = f4(met[w, a])",
                    ]
            case TokenType.FACT:
                self._take("facts", "b1", 3)
                self._loop(binding, at, ["rows[w, a, o + 1] = f4(facts[w, a, k])"])
            case TokenType.TOOL:
                self._tools(binding, at)
            case TokenType.METER:
                self._meter(binding, at)
            case TokenType.EFFECT | TokenType.VARIABLE_ELEMENT:
                self._elements(binding, at)
            case _:
                self._holders(binding, at)

    def clear(self, kind: TokenType) -> None:
        """Writes the lines that clear the tokens of a type which are not visible."""
        name, stride = f"m_{kind}", len(PAYLOADS[kind])
        self._take(name, "b1", 3)
        self.lines += [
            f"for k in range({self._layout.capacities[kind]}):",
            f"    if not {name}[w, a, k]:",
            f"        for i in range({stride}):",
            f"            rows[w, a, {self._layout.offsets[kind]} + k * {stride} + i] = f4(0.0)",
        ]

    def _tools(self, binding: Binding, at: int) -> None:
        self._take("facts", "b1", 3)
        body: list[str] = []
        for lane, name in ((3, "requires"), (4, "grants")):
            self._take(f"{name}_at", "i8", 1)
            self._take(name, "i8", 1)
            body += [
                f"n = {name}_at[k + 1] - {name}_at[k]",
                "held = 0",
                f"for i in range({name}_at[k], {name}_at[k + 1]):",
                f"    held += facts[w, a, {name}[i]]",
                f"rows[w, a, o + {lane}] = f4(held / n) if n else f4(1.0)",
            ]
        self._loop(binding, at, body)

    def _meter(self, binding: Binding, at: int) -> None:
        spec = self._layout.roster[binding.variables[0]]
        assert spec.range is not None, "a meter has a range"
        value = self._lane(binding, spec, "[w, a, 0]", "[w, a, {lane}]", 0)
        raw = self._raw(binding, spec) + "[w, a, 0]"
        low, high = (f"f4({float(end)!r})" for end in spec.range)
        self.lines += [
            f"rows[w, a, {at + 1}] = {value}",
            f"rows[w, a, {at + 2}] = f4(1.0) if {raw} <= {low} else f4(0.0)",
            f"rows[w, a, {at + 3}] = f4(1.0) if {raw} >= {high} else f4(0.0)",
        ]

    def _elements(self, binding: Binding, at: int) -> None:
        spec = self._layout.roster[binding.variables[0]]
        normalization = normalization_of(spec)
        is_edge = self._layout.roster.holders.axes_of(spec) == (Axis.EDGE,)
        head = "w, a, " if binding.is_own and not is_edge else "w, "
        if normalization.kind is Kind.ONE_HOT:
            size = lanes_of(normalization)
            name = self._raw(binding, spec)
            line = f"rows[w, a, o + 1] = f4({name}[{head}k // {size}] == k % {size})"
            self._loop(binding, at, [line])
            return
        lanes = lanes_of(normalization)
        places = f"[{head}k]", f"[{head}k * {lanes} + {{lane}}]"
        body = [f"rows[w, a, o + 1] = {self._lane(binding, spec, *places, 0)}"]
        if normalization.kind is Kind.MASKED:
            present = self._lane(binding, spec, *places, 1)
            body += [f"if {present} == f4(0.0):", *_cleared(len(PAYLOADS[binding.type]))]
        elif lanes == 2:
            body.append(f"rows[w, a, o + 2] = {self._lane(binding, spec, *places, 1)}")
        if is_edge and binding.is_own:
            body = self._own_edges(spec, body, len(PAYLOADS[binding.type]))
        if binding.type is TokenType.EFFECT:
            body.append("rows[w, a, o] = f4(1.0) if rows[w, a, o + 1] != f4(0.0) else f4(0.0)")
        self._loop(binding, at, body)

    def _own_edges(self, spec: VariableSpec, body: list[str], stride: int) -> list[str]:
        edges = self._layout.roster.holders.edges or ()
        holders = ", ".join(str(i) for i, _ in edges)
        elements = prod(element_shape(spec))
        mine = f"({holders},)[k // {elements}] == a" if len(edges) > 1 else f"{holders} == a"
        return [f"if {mine}:", *(f"    {line}" for line in body), "else:", *_cleared(stride)]

    def _holders(self, binding: Binding, at: int) -> None:
        body: list[str] = []
        place = "w, h" if binding.type is TokenType.AGENT else "w"
        if binding.type is TokenType.AGENT:
            body.append("h = k if k < a else k + 1")
        lane = len(PAYLOADS[binding.type]) - 4
        for variable in binding.variables:
            spec = self._layout.roster[variable]
            elements, lanes = prod(element_shape(spec)), lanes_of(normalization_of(spec))
            for e in range(elements):
                if place == "w":
                    raw = f"[w, k * {elements} + {e}]"
                    scaled = f"[w, (k * {elements} + {e}) * {lanes} + {{lane}}]"
                else:
                    raw, scaled = f"[w, h, {e}]", f"[w, h, {e * lanes} + {{lane}}]"
                for i in range(lanes):
                    value = self._lane(binding, spec, raw, scaled, i)
                    body.append(f"rows[w, a, o + {lane}] = {value}")
                    lane += 1
        self._loop(binding, at, body)

    def _lane(self, binding: Binding, spec: VariableSpec, raw: str, scaled: str, lane: int) -> str:
        """Writes one lane of a value; `raw` and `scaled` say where it stands in its array."""
        normalization = normalization_of(spec)
        if needs_array(normalization):
            rank = raw.count(",") + 1
            return self._array(binding, spec, "f4", rank) + scaled.format(lane=lane)
        return _expression(normalization, self._raw(binding, spec) + raw, spec, lane)

    def _raw(self, binding: Binding, spec: VariableSpec) -> str:
        is_edge = self._layout.roster.holders.axes_of(spec) == (Axis.EDGE,)
        rank = 3 if (binding.is_own and not is_edge) or binding.type is TokenType.AGENT else 2
        return self._array(binding, spec, _NUMBA[numpy_dtype(spec.type)().dtype.name], rank)

    def _array(self, binding: Binding, spec: VariableSpec, kind: str, rank: int) -> str:
        name = f"{'o' if binding.type is TokenType.AGENT else 'v'}_{spec.id}"
        self._take(name, kind, rank)
        return _argument(name)

    def _take(self, name: str, dtype: str, rank: int) -> None:
        self.parameters.setdefault(name, Parameter(name, dtype, rank))

    def _loop(self, binding: Binding, at: int, body: Sequence[str]) -> None:
        stride = len(PAYLOADS[binding.type])
        self.lines.append(f"for k in range({binding.num_tokens}):")
        self.lines.append(f"    o = {at} + k * {stride}")
        self.lines += [f"    {line}" for line in body]


def _cleared(stride: int) -> Iterator[str]:
    yield f"    for i in range({stride}):"
    yield "        rows[w, a, o + i] = f4(0.0)"


def _expression(of: Normalization, x: str, spec: VariableSpec, lane: int) -> str:
    match of.kind:
        case Kind.NONE:
            return f"f4({x})"
        case Kind.MINMAX:
            low, high = float(of.min or 0), float(of.max or 0)
            share = f"(f8({x}) - {low!r}) / {high - low!r}"
            return _held(share, 0.0, 1.0) if of.clip else _held(share, -LARGEST, LARGEST)
        case Kind.ZSCORE:
            share = f"(f8({x}) - {float(of.mean or 0)!r}) / {float(of.std or 1)!r}"
            return _held(share, -LARGEST, LARGEST)
        case Kind.BINARY:
            return (
                f"f4({x} > {_typed(of.threshold or 0, spec)})" if not _is_bool(spec) else f"f4({x})"
            )
        case Kind.ONE_HOT:
            return f"f4({x} == {lane})"
        case _:
            present = f"{x} != {_typed(of.absent or 0, spec)}"
            return f"(f4({x}) if {present} else f4(0.0))" if lane == 0 else f"f4({present})"


def _held(text: str, low: float, high: float) -> str:
    return f"f4(min(max({text}, {low!r}), {high!r}))"


def _typed(number: float, spec: VariableSpec) -> str:
    # Compared in the variable's own type, as `normalise` does.
    if numpy_dtype(spec.type)().dtype.name == "float32":
        return f"f4({float(number)!r})"
    return repr(number)


def _is_bool(spec: VariableSpec) -> bool:
    return numpy_dtype(spec.type)().dtype.name == "bool"


def _argument(name: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", name)
