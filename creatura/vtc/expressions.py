"""Expressions: a tree to a typed node.

Types are settled bottom-up by the operator table: bools never pass for numbers, ints become
scalars by an explicit cast where a scalar is called for, and a value of one agent makes a value of
one agent. A derived variable is replaced by its own node, so no rule ever reads a stale one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from creatura.errors import cut, did_you_mean
from creatura.vfs.elements import INT_RANGE, LARGEST_SCALAR
from creatura.vfs.roster import Roster
from creatura.vfs.schema import RULES_ROLE, Scope, VarType
from creatura.vtc.ir import CAST, Ambient, Apply, Literal, Load, Node, Value
from creatura.vtc.operators import AMBIENT, OPERATORS, Gives, Kind
from creatura.vtc.reach import RULED_SCOPES, RULED_TYPES, beyond_rules
from creatura.vtc.syntax import Constant, ExpressionError, Name, Operation, Tree

MAX_SIZE = 4_096  # nodes of one expression with derived variables inlined
MAX_DEPTH = 128

_ROWS = {row.name: row for row in OPERATORS}


@final
class Typer:
    """Types expressions over one roster; derived variables are defined on it as they are typed."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._defined: dict[str, Node] = {}

    def define(self, variable: str, node: Node) -> None:
        """Makes every later reading of a derived variable this node."""
        self._defined[variable] = node

    def type(self, tree: Tree) -> Node:
        """Types a tree.

        Raises:
            ExpressionError: With the column of the first fault, reading left to right.

        >>> from creatura.vfs import VariableSpec, build_roster
        >>> from creatura.vtc.ir import render
        >>> fuel = VariableSpec(id="fuel", type="scalar", initial=1.0)
        >>> tree = Operation("lt", "<", (Name("fuel", 0), Constant(1, 7)), 0, 2)
        >>> render(Typer(build_roster([fuel])).type(tree))
        'lt(fuel, 1.0)'
        """
        match tree:
            case Constant():
                return _literal(tree)
            case Name():
                return self._load(tree)
            case Operation():
                return self._apply(tree)

    def _load(self, name: Name) -> Node:
        if name.id in AMBIENT:
            return Ambient(name.id)
        if name.id not in self._roster:
            raise ExpressionError(self._unknown(name.id), name.at)
        spec = self._roster[name.id]
        if RULES_ROLE not in spec.readable_by:
            readers = ", ".join(spec.readable_by) or "nobody"
            message = f"role '{RULES_ROLE}' may not read '{spec.id}'; allowed: {readers}"
            raise ExpressionError(message, name.at)
        if why := beyond_rules(spec):
            raise ExpressionError(why, name.at)
        defined = self._defined.get(spec.id)
        return defined or Load(spec.id, RULED_TYPES[spec.type], RULED_SCOPES[spec.scope])

    def _unknown(self, name: str) -> str:
        head, dot, _ = name.partition(".")
        if dot and head in self._roster:
            return f"'{name}' is no variable, and '{head}' has no attributes"
        return f"no variable '{name}'{did_you_mean(name, [*self._roster.ids, *AMBIENT])}"

    def _check_labels(self, tree: Operation) -> None:
        """Refuses a word beside a variable with labels: a rule compares their positions."""
        names = [operand for operand in tree.operands if isinstance(operand, Name)]
        labelled = next((n for n in names if n.id in self._roster and self._labels(n.id)), None)
        if labelled is None:
            return
        owner, labels = labelled.id, self._labels(labelled.id)
        for name in names:
            if name.id in self._roster or name.id in AMBIENT:
                continue
            if name.id not in labels:
                hint = did_you_mean(name.id, labels)
                raise ExpressionError(f"'{owner}' has no label '{name.id}'{hint}", name.at)
            message = f"'{name.id}' is a label of '{owner}', which is compared by position"
            raise ExpressionError(f"{message}; write {labels.index(name.id)}", name.at)

    def _labels(self, variable: str) -> Sequence[str]:
        return self._roster[variable].labels

    def _apply(self, tree: Operation) -> Node:
        row = _ROWS[tree.operator]
        self._check_labels(tree)
        operands = [self.type(operand) for operand in tree.operands]
        _check_kinds(tree, operands)
        operands = _unified(row.takes, operands)
        if row.folds_agents and operands[0].scope is Scope.GLOBAL:
            message = f"{row.spelling}() reduces agents, and this has one value a world"
            raise ExpressionError(f"{message}; drop {row.spelling}()", tree.operands[0].at)
        node = _built(tree.operator, operands, _given(row.gives, row.takes, operands))
        if node.size > MAX_SIZE or node.depth > MAX_DEPTH:
            grown = f"{node.size} operations, {node.depth} deep"
            message = f"with derived variables inlined this is {grown}"
            limit = f"at most {MAX_SIZE} and {MAX_DEPTH}; store a part of it by a rule"
            raise ExpressionError(f"{message}; {limit}", tree.at)
        return node


def fitted(node: Node, wanted: VarType, at: int, target: str) -> Node:
    """Casts a node to the type of the variable it is for, or refuses it."""
    if node.type is wanted:
        return node
    if wanted is VarType.SCALAR and node.type is VarType.INT:
        return _cast(node)
    hint = "; compare it" if wanted is VarType.BOOL else ""
    raise ExpressionError(
        f"expected {_article(wanted)}, found {node.type}; '{target}' is {wanted}{hint}", at
    )


def joined(first: Node | None, second: Node | None) -> Node | None:
    """Joins two conditions, either of which may be missing."""
    if first is None or second is None:
        return second if first is None else first
    return _built("and", [first, second], VarType.BOOL)


def clamped(node: Node, low: Literal, high: Literal) -> Node:
    """Holds a node between two literals of its own type."""
    return _built("clamp", [node, low, high], node.type)


def literal_of(value: Value, wanted: VarType) -> Literal:
    """Makes a literal of a type, rounded to 32 bits where that is a scalar."""
    if wanted is VarType.SCALAR:
        # An int is rounded once, to 32 bits, as casts of the back-ends round it.
        exact = np.int64(value) if isinstance(value, int) else np.float64(value)
        return Literal(float(np.float32(exact)), wanted)
    return Literal(value, wanted)


def _literal(tree: Constant) -> Literal:
    value = tree.value
    if isinstance(value, bool):
        return Literal(value, VarType.BOOL)
    if isinstance(value, int):
        if value > INT_RANGE[1]:
            raise ExpressionError(f"{cut(str(value))} does not fit in 64 bits", tree.at)
        return Literal(value, VarType.INT)
    if abs(value) > LARGEST_SCALAR:
        raise ExpressionError(f"{value!r} is not finite in 32 bits", tree.at)
    return literal_of(value, VarType.SCALAR)


def _check_kinds(tree: Operation, operands: Sequence[Node]) -> None:
    kinds = _ROWS[tree.operator].takes
    first_any: VarType | None = None
    for kind, operand, text in zip(kinds, operands, tree.operands, strict=True):
        is_bool = operand.type is VarType.BOOL
        if kind is Kind.BOOL and not is_bool:
            hint = "; put comparisons in parentheses" if tree.spelling in "&|~" else ""
            raise ExpressionError(f"expected a bool, found {operand.type}{hint}", text.at)
        if kind in (Kind.NUMBER, Kind.SCALAR) and is_bool:
            raise ExpressionError("expected a number, found bool", text.at)
        if kind is Kind.ANY:
            first_any = first_any or operand.type
            if is_bool != (first_any is VarType.BOOL):
                expected = "a bool" if first_any is VarType.BOOL else "a number"
                message = f"expected {expected} like the one before it, found {operand.type}"
                raise ExpressionError(message, text.at)


def _unified(kinds: Sequence[Kind], operands: list[Node]) -> list[Node]:
    is_scalar = Kind.SCALAR in kinds or any(node.type is VarType.SCALAR for node in operands)
    return [_cast(node) if is_scalar and node.type is VarType.INT else node for node in operands]


def _given(gives: Gives, kinds: Sequence[Kind], operands: Sequence[Node]) -> VarType:
    if gives is Gives.SAME:
        # The first operand may be the bool of a choice; the last is always one of its values.
        return operands[-1].type
    return VarType.BOOL if gives is Gives.BOOL else VarType.SCALAR


def _cast(node: Node) -> Node:
    if isinstance(node, Literal):
        return literal_of(node.value, VarType.SCALAR)
    return _built(CAST, [node], VarType.SCALAR)


def _built(operator: str, operands: Sequence[Node], given: VarType) -> Node:
    only = operands[0]
    if operator == "neg" and isinstance(only, Literal):
        return Literal(-only.value, given)
    is_global = all(node.scope is Scope.GLOBAL for node in operands)
    folds = operator in _ROWS and _ROWS[operator].folds_agents
    return Apply(
        operator,
        tuple(operands),
        given,
        Scope.GLOBAL if is_global or folds else Scope.AGENT,
        1 + sum(node.size for node in operands),
        1 + max(node.depth for node in operands),
    )


def _article(wanted: VarType) -> str:
    return f"an {wanted}" if wanted is VarType.INT else f"a {wanted}"
