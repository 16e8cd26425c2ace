"""Formula: a compiled expression as the text an author would have written.

A compiled rule has its derived variables put in place and its casts written out; people read better
what was written first. Derived variables are known again because the compiler puts in the very node
that defines them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from creatura.vtc.ir import CAST, Ambient, Apply, Literal, Load, Node, Plan, loads_of, render
from creatura.vtc.operators import OPERATORS, Form, Operator

_ROWS: Mapping[str, Operator] = {row.name: row for row in reversed(OPERATORS)}
_ATOM = 100  # binds tighter than any operator
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass(frozen=True, slots=True)
class Formula:
    """One expression.

    Attributes:
        text: In the rule language.
        reads: The variables it names, in the order of the text.
    """

    text: str
    reads: tuple[str, ...]


@final
class Formulas:
    """Writes the expressions of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._defined: dict[int, str] = {}
        for write in plan.derive.writes:
            if write.value is not None:
                self._defined.setdefault(id(write.value), write.target)

    def of(self, node: Node, defines: str | None = None) -> Formula:
        """Writes one node; `defines` is the variable that it is the definition of, if any.

        >>> from creatura.vtc.ir import Block
        >>> from creatura.vfs import Scope, VarType
        >>> fuel = Load("fuel", VarType.SCALAR, Scope.AGENT)
        >>> half = Literal(0.5, VarType.SCALAR)
        >>> low = Apply("lt", (fuel, half), VarType.BOOL, Scope.AGENT, 3, 2)
        >>> Formulas(Plan((), (), Block("", ()))).of(low)
        Formula(text='fuel < 0.5', reads=('fuel',))
        """
        text, _ = self._written(node, defines)
        return Formula(text, tuple(dict.fromkeys(self._names(node, defines))))

    def conjuncts(self, node: Node | None) -> tuple[Formula, ...]:
        """Writes a condition as the parts that must all hold."""
        if node is None:
            return ()
        if isinstance(node, Apply) and node.operator == "and" and id(node) not in self._defined:
            return tuple(part for operand in node.operands for part in self.conjuncts(operand))
        return (self.of(node),)

    def _names(self, node: Node, defines: str | None) -> Iterator[str]:
        name = self._defined.get(id(node))
        if name is not None and name != defines:
            yield name
        elif isinstance(node, Apply):
            for operand in node.operands:
                yield from self._names(operand, defines)
        else:
            yield from (load.variable for load in loads_of(node))

    def _written(self, node: Node, defines: str | None) -> tuple[str, int]:
        """Returns the text and how tightly its outermost operator binds."""
        name = self._defined.get(id(node))
        if name is not None and name != defines:
            return name, _ATOM
        match node:
            case Literal():
                text = literal_text(node.value)
                return text, _ROWS["neg"].binding if text.startswith("-") else _ATOM
            case Load():
                return node.variable, _ATOM
            case Ambient():
                return node.name, _ATOM
            case Apply():
                return self._applied(node, defines)
        return render(node), _ATOM

    def _applied(self, node: Apply, defines: str | None) -> tuple[str, int]:
        parts = [self._written(operand, defines) for operand in node.operands]
        row = _ROWS.get(node.operator)
        if node.operator == CAST and len(parts) == 1:
            return parts[0]
        if row is None or row.form is Form.CALL:
            spelling = node.operator if row is None else row.spelling
            return f"{spelling}({', '.join(text for text, _ in parts)})", _ATOM
        if row.form is Form.PREFIX:
            gap = " " if row.spelling.isalpha() else ""
            return f"{row.spelling}{gap}{_wrapped(parts[0], row.binding)}", row.binding
        if row.chains:
            joined = [self._written(operand, defines) for operand in self._chain(node)]
            texts = [_wrapped(part, row.binding + 1) for part in joined]
            return f" {row.spelling} ".join(texts), row.binding
        # Operators group to the left; comparisons do not group at all.
        left = row.binding + (row.name in _COMPARISONS)
        first, second = _wrapped(parts[0], left), _wrapped(parts[1], row.binding + 1)
        return f"{first} {row.spelling} {second}", row.binding

    def _chain(self, node: Apply) -> list[Node]:
        """Lists what a chain of one operator joins, if the parser would group it the same way."""
        halves = [self._half(node.operator, operand) for operand in node.operands]
        if len(halves[0]) - len(halves[1]) in (0, 1):
            return [part for half in halves for part in half]
        return list(node.operands)

    def _half(self, operator: str, node: Node) -> list[Node]:
        if not isinstance(node, Apply) or node.operator != operator or id(node) in self._defined:
            return [node]
        chain = self._chain(node)
        is_split = chain == list(node.operands) and any(
            isinstance(part, Apply) and part.operator == operator for part in chain
        )
        return [node] if is_split else chain


def literal_text(value: bool | int | float) -> str:
    """Writes a literal: for a float the shortest text that reads back as the same 32 bits.

    >>> literal_text(float(np.float32(0.1))), literal_text(True)
    ('0.1', 'true')
    """
    return str(np.float32(value)) if isinstance(value, float) else str(value).lower()


def _wrapped(part: tuple[str, int], binding: int) -> str:
    text, binds = part
    return text if binds >= binding else f"({text})"
