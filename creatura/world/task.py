"""Task: a goal predicate in the rule language, as clauses over facts that plain Python can read.

The engine evaluates the predicate itself, as the derived variable `task.goal`; a planner gets the
same predicate in disjunctive normal form, so that it can ask about facts that do not hold yet.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from creatura.errors import did_you_mean
from creatura.protocols import Goal
from creatura.vtc.parser import parse_expression
from creatura.vtc.syntax import Constant, ExpressionError, Name, Operation, Tree

MAX_CLAUSES = 1_000
GOAL_VARIABLE = "task.goal"

Clause = tuple[int, int]  # facts that must hold, facts that must not


def goal_of(text: str | None, index: Mapping[str, int], closed: int) -> Goal:
    """Builds the goal from its predicate and the obligations.

    Args:
        text: Predicate over facts; None where the obligations are all there is.
        index: Position of each fact.
        closed: Mask of the obligations.

    Raises:
        ExpressionError: The text is no predicate over facts.
    """
    if text is None:
        return Goal("every obligation is closed", ((0, 0),), closed)
    clauses = _clauses(parse_expression(text), index, wanted=True)
    return Goal(text, tuple(dict.fromkeys(clauses)), closed)


def goal_expression(goal: str | None, obligations: Sequence[str]) -> str:
    """Renders the whole of what 'done' means as one predicate of the rule language.

    >>> goal_expression("docked or towed", ["loaded", "docked"])
    '(docked or towed) and loaded and docked'
    """
    return " and ".join([*([f"({goal})"] if goal else []), *obligations])


def _clauses(tree: Tree, index: Mapping[str, int], wanted: bool) -> list[Clause]:
    match tree:
        case Constant(value=bool(value)):
            return [(0, 0)] if value is wanted else []
        case Name():
            if tree.id not in index:
                hint = did_you_mean(tree.id, index)
                raise ExpressionError(f"unknown fact '{tree.id}'{hint}", tree.at)
            mask = 1 << index[tree.id]
            return [(mask, 0)] if wanted else [(0, mask)]
        case Operation(operator="not"):
            return _clauses(tree.operands[0], index, not wanted)
        case Operation(operator="and" | "or"):
            joins = _both if (tree.operator == "and") is wanted else list.__add__
            parts = [_clauses(operand, index, wanted) for operand in tree.operands]
            joined = functools.reduce(joins, parts)
            if len(joined) > MAX_CLAUSES:
                raise ExpressionError(f"a goal of more than {MAX_CLAUSES:,} clauses", tree.at)
            return joined
    message = "a goal is made of facts with and, or, not; give anything else a name as a fact"
    raise ExpressionError(message, tree.at)


def _both(left: list[Clause], right: list[Clause]) -> list[Clause]:
    pairs = ((a | c, b | d) for a, b in left for c, d in right)
    return [(needs, bars) for needs, bars in pairs if not needs & bars]
