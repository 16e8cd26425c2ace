"""Operators: every operator and function of the rule language, one row each.

A row says how it is written, what it takes and what it gives. The parser, the checker and the
manual read this table; what an operator computes stands once in each back-end, under its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How an operator is written."""

    INFIX = "infix"
    PREFIX = "prefix"
    CALL = "call"


class Kind(StrEnum):
    """What an operand must be.

    `number` operands of one operation become scalars as soon as one of them is; `scalar` ones
    always do. `any` operands are all bools or all numbers.
    """

    BOOL = "bool"
    NUMBER = "number"
    SCALAR = "scalar"
    ANY = "any"


class Gives(StrEnum):
    """What an operation gives: a fixed type, or that of its numbers or its `any` operands."""

    BOOL = "bool"
    SCALAR = "scalar"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Operator:
    """One row.

    Attributes:
        name: What the back-ends call it; two spellings may share one meaning.
        binding: How tightly an infix or prefix operator binds; the higher binds first.
        folds_agents: Whether it reduces the agent axis.
        chains: Whether operands may be grouped at will, so that a long chain nests no deeper than
            its logarithm.
        example: An expression and its value, shown in the manual and tried by a test.
    """

    name: str
    spelling: str
    form: Form
    takes: tuple[Kind, ...]
    gives: Gives
    doc: str
    example: tuple[str, bool | int | float]
    binding: int = 0
    folds_agents: bool = False
    chains: bool = False


_B, _N, _S, _X = Kind.BOOL, Kind.NUMBER, Kind.SCALAR, Kind.ANY
_IN, _PRE, _CALL = Form.INFIX, Form.PREFIX, Form.CALL
_SAME, _BOOL, _SCALAR = Gives.SAME, Gives.BOOL, Gives.SCALAR

COMPARISON_BINDING = 4

# fmt: off
OPERATORS = (
    Operator("or", "or", _IN, (_B, _B), _BOOL, "either holds", ("false or true", True), 1,
             chains=True),
    Operator("and", "and", _IN, (_B, _B), _BOOL, "both hold", ("true and false", False), 2,
             chains=True),
    Operator("not", "not", _PRE, (_B,), _BOOL, "does not hold", ("not 1 < 2", False), 3),
    Operator("eq", "==", _IN, (_X, _X), _BOOL, "equal", ("1 == 1.0", True), 4),
    Operator("ne", "!=", _IN, (_X, _X), _BOOL, "different", ("true != false", True), 4),
    Operator("lt", "<", _IN, (_N, _N), _BOOL, "less", ("1 < 2", True), 4),
    Operator("le", "<=", _IN, (_N, _N), _BOOL, "less or equal", ("2 <= 2", True), 4),
    Operator("gt", ">", _IN, (_N, _N), _BOOL, "greater", ("1 > 2", False), 4),
    Operator("ge", ">=", _IN, (_N, _N), _BOOL, "greater or equal", ("2 >= 3", False), 4),
    Operator("or", "|", _IN, (_B, _B), _BOOL, "either holds", ("false | true", True), 5,
             chains=True),
    Operator("and", "&", _IN, (_B, _B), _BOOL, "both hold", ("true & ~false", True), 6,
             chains=True),
    Operator("add", "+", _IN, (_N, _N), _SAME, "sum", ("1 + 0.5", 1.5), 7),
    Operator("sub", "-", _IN, (_N, _N), _SAME, "difference", ("1 - 3", -2), 7),
    Operator("mul", "*", _IN, (_N, _N), _SAME, "product", ("2 * 3", 6), 8),
    Operator("div", "/", _IN, (_S, _S), _SCALAR, "quotient; 0 where the divisor is 0",
             ("1 / 2", 0.5), 8),
    Operator("neg", "-", _PRE, (_N,), _SAME, "opposite", ("-2 * 3", -6), 9),
    Operator("not", "~", _PRE, (_B,), _BOOL, "does not hold", ("~true", False), 9),
    Operator("abs", "abs", _CALL, (_N,), _SAME, "size without sign", ("abs(-2)", 2)),
    Operator("min", "min", _CALL, (_N, _N), _SAME, "the smaller", ("min(1, 2)", 1)),
    Operator("max", "max", _CALL, (_N, _N), _SAME, "the larger", ("max(1, 2.5)", 2.5)),
    Operator("clamp", "clamp", _CALL, (_N, _N, _N), _SAME,
             "the first, no lower than the second, no higher than the third",
             ("clamp(7, 0, 5)", 5)),
    Operator("where", "where", _CALL, (_B, _X, _X), _SAME,
             "the second where the first holds, else the third", ("where(true, 1, 2)", 1)),
    Operator("any", "any", _CALL, (_B,), _BOOL, "some agent's holds, live or not",
             ("any(is_open)", True), folds_agents=True),
    Operator("all", "all", _CALL, (_B,), _BOOL, "every agent's holds, live or not",
             ("all(is_open)", False), folds_agents=True),
)
# fmt: on

AMBIENT = {"tick": "the number of the step, from 1"}

INFIX = {row.spelling: row for row in OPERATORS if row.form is Form.INFIX}
PREFIX = {row.spelling: row for row in OPERATORS if row.form is Form.PREFIX}
CALLS = {row.spelling: row for row in OPERATORS if row.form is Form.CALL}
