"""Emission: lines of Python for the values of typed nodes, inside a loop over worlds.

Names start with a letter for what they hold: v stored arrays, g a global as the phase found it,
n its next value, s a scratch row, r and z reductions over agents, t an intermediate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import final

import numpy as np

from creatura.vfs.schema import Scope, VarType
from creatura.vtc.ir import Ambient, Apply, Literal, Load, Node, Value, render

MAX_LINE = 72  # an intermediate longer than this gets a name, so nesting stays readable

# What each operator computes. Operands that stand twice are named first, so are computed once.
MEANINGS = {
    "or": "({0} or {1})",
    "and": "({0} and {1})",
    "not": "(not {0})",
    "eq": "({0} == {1})",
    "ne": "({0} != {1})",
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "gt": "({0} > {1})",
    "ge": "({0} >= {1})",
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "mul": "({0} * {1})",
    "div": "(f4(0.0) if {1} == f4(0.0) else {0} / {1})",
    "neg": "(-{0})",
    "abs": "abs({0})",
    "min": "({0} if {0} != {0} or {0} <= {1} else {1})",
    "max": "({0} if {0} != {0} or {0} >= {1} else {1})",
    "where": "({1} if {0} else {2})",
    "to_scalar": "f4({0})",
}
_OF_BOOLS = {"min": MEANINGS["and"], "max": MEANINGS["or"]}
_REDUCTIONS = {"any": ("False", "or"), "all": ("True", "and")}


@final
class Emission:
    """Lines under way, and the names given so far.

    Attributes:
        lines: What was written.

    Args:
        suffixes: What follows the letter in the names of a variable.
        checked: Whether divisions by zero are looked for.
    """

    def __init__(self, suffixes: Mapping[str, str], checked: bool, margin: int) -> None:
        self.lines: list[str] = []
        self._suffixes, self._checked, self._margin = suffixes, checked, margin
        self._num_names = 0
        self._reductions: dict[str, tuple[str, str | None]] = {}

    def line(self, text: str) -> None:
        """Writes one line at the present margin."""
        self.lines.append("    " * self._margin + text if text else "")

    @contextmanager
    def under(self, head: str) -> Iterator[None]:
        """Writes a head and, indented, what the body writes."""
        self.line(head)
        self._margin += 1
        yield
        self._margin -= 1

    @contextmanager
    def live_agents(self) -> Iterator[None]:
        """Writes a loop over the live agents `a` of the world `w`."""
        with self.under("for a in range(num_agents):"), self.under("if live[w, a]:"):
            yield

    def forget_reductions(self) -> None:
        """Makes reductions stale: the state has changed."""
        self._reductions = {}

    def reduce(self, node: Node) -> None:
        """Writes the loops of the reductions in a node, inner ones first."""
        if not isinstance(node, Apply):
            return
        for operand in node.operands:
            self.reduce(operand)
        key = render(node)
        if node.operator not in _REDUCTIONS or key in self._reductions:
            return
        start, word = _REDUCTIONS[node.operator]
        operand = node.operands[0]
        result = self._name("r")
        zero = self._name("z") if self._checked and _divides(operand) else None
        self.line(f"{result} = {start}")
        if zero:
            self.line(f"{zero} = False")
        with self.under("for a in range(num_agents):"):
            self.line(f"{result} = {result} {word} {self.value(operand)}")
            if zero:
                self.line(f"{zero} = {zero} or {self.zero(operand)}")
        self._reductions[key] = (result, zero)

    def value(self, node: Node) -> str:
        """Writes what a node needs and returns the text of its value."""
        match node:
            case Literal():
                return literal_text(node.value, node.type)
            case Load():
                suffix = self._suffixes[node.variable]
                return f"g{suffix}" if node.scope is Scope.GLOBAL else f"v{suffix}[w, a]"
            case Ambient():
                return node.name
            case Apply():
                return self._applied(node)

    def _applied(self, node: Apply) -> str:
        if node.operator in _REDUCTIONS:
            return self._reductions[render(node)][0]
        operands = [self.value(operand) for operand in node.operands]
        if node.operator == "clamp":
            value, low, high = map(self.atom, operands)
            raised = self.atom(self.joined("max", node.type, [value, low]))
            text = self.joined("min", node.type, [raised, high])
        else:
            text = self.joined(node.operator, node.type, operands)
        return self.atom(text) if len(text) > MAX_LINE else text

    def joined(self, operator: str, given: VarType, operands: list[str]) -> str:
        """Returns the text of an operator over texts; `given` is the type of the result."""
        template = MEANINGS[operator]
        if given is VarType.BOOL:
            template = _OF_BOOLS.get(operator, template)
        for index, operand in enumerate(operands):
            if template.count(f"{{{index}}}") > 1:
                operands[index] = self.atom(operand)
        return template.format(*operands)

    def atom(self, text: str) -> str:
        """Gives a text a name unless it is a name, a literal or an element already."""
        if text[0] != "(" and " " not in text.replace(", ", ","):
            return text
        name = self._name("t")
        self.line(f"{name} = {text}")
        return name

    def zero(self, node: Node) -> str | None:
        """Writes where a node divides by zero; None where it never can."""
        if not isinstance(node, Apply):
            return None
        if node.operator in _REDUCTIONS:
            return self._reductions[render(node)][1]
        first, *rest = [self.zero(operand) for operand in node.operands]
        guard = node.operands[0]
        match node.operator:
            case "and" if rest[0]:
                rest = [f"({self.value(guard)} and {rest[0]})"]
            case "or" if rest[0]:
                rest = [f"(not {self.value(guard)} and {rest[0]})"]
            case "where" if any(rest):
                then, otherwise = rest
                rest = [f"({then or False} if {self.value(guard)} else {otherwise or False})"]
            case "div":
                rest.append(f"{self.value(node.operands[1])} == f4(0.0)")
        found = [text for text in (first, *rest) if text is not None]
        if not found:
            return None
        return self.atom(found[0] if len(found) == 1 else f"({' or '.join(found)})")

    def _name(self, letter: str) -> str:
        self._num_names += 1
        return f"{letter}{self._num_names}"


def _divides(node: Node) -> bool:
    return isinstance(node, Apply) and (
        node.operator == "div" or any(_divides(operand) for operand in node.operands)
    )


def literal_text(value: Value, given: VarType) -> str:
    """Writes a literal in its own type.

    >>> literal_text(True, VarType.BOOL), literal_text(3, VarType.INT)
    ('True', 'i8(3)')
    """
    if given is VarType.BOOL:
        return str(bool(value))
    if given is VarType.INT:
        return f"i8({value})"
    short = str(np.float32(value))
    # The text is read as a double first, so the short form must survive that.
    return f"f4({short if np.float32(float(short)) == np.float32(value) else repr(value)})"
