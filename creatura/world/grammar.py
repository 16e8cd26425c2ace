"""Grammar: the operators and constants of one expression, with its names left blank.

A name becomes a hole, numbered by first occurrence and typed by what the operators around it take;
where they take either a bool or a number, and nothing beside it tells which, it is a `value`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from creatura.vtc.operators import AMBIENT, OPERATORS, Gives, Kind
from creatura.vtc.parser import parse_expression
from creatura.vtc.syntax import Constant, Name, Operation, Tree, text_of

_ROWS = {row.name: row for row in OPERATORS}
_ASKS = {Kind.BOOL: "bool", Kind.NUMBER: "number", Kind.SCALAR: "number", Kind.ANY: None}


def grammar_of(expression: str) -> str:
    """Renders the skeleton of an expression, which is the same under any names.

    Raises:
        ExpressionError: The text does not parse.

    >>> grammar_of("moisture >= 0.6 and not is_raining")
    'and(ge(number1, 0.6), not(bool2))'
    >>> grammar_of("coins + coins * rate") == grammar_of("herd + herd * growth")
    True
    """
    tree = parse_expression(expression)
    kinds: dict[str, str | None] = {}
    for name, kind in _asked(tree, None):
        kinds[name] = kinds.get(name) or kind
    holes = {
        name: f"{kind or 'value'}{place}" for place, (name, kind) in enumerate(kinds.items(), 1)
    }
    return _skeleton(tree, holes)


def _asked(tree: Tree, kind: str | None) -> Iterator[tuple[str, str | None]]:
    """Yields every name with what its place in the tree asks it to be."""
    if isinstance(tree, Name) and tree.id not in AMBIENT:
        yield tree.id, kind
    elif isinstance(tree, Operation):
        takes = _ROWS[tree.operator].takes
        either = [o for o, asks in zip(tree.operands, takes, strict=True) if asks is Kind.ANY]
        beside = next((found for o in either if (found := _given(o))), None)
        # A comparison says nothing of its operands by its own place, a choice does.
        passed = kind if _ROWS[tree.operator].gives is Gives.SAME else None
        for operand, asks in zip(tree.operands, takes, strict=True):
            yield from _asked(operand, _ASKS[asks] or beside or passed)


def _given(tree: Tree) -> str | None:
    """Says what a tree gives, as far as it tells without its names."""
    match tree:
        case Constant():
            return "bool" if isinstance(tree.value, bool) else "number"
        case Name():
            return "number" if tree.id in AMBIENT else None
        case Operation():
            row = _ROWS[tree.operator]
            if row.gives is not Gives.SAME:
                return "bool" if row.gives is Gives.BOOL else "number"
            if Kind.ANY not in row.takes:
                return "number"
            return next((found for o in tree.operands[1:] if (found := _given(o))), None)


def _skeleton(tree: Tree, holes: Mapping[str, str]) -> str:
    match tree:
        case Constant():
            return text_of(tree.value)
        case Name():
            return holes.get(tree.id, tree.id)
        case Operation():
            operands = ", ".join(_skeleton(operand, holes) for operand in tree.operands)
            return f"{tree.operator}({operands})"
