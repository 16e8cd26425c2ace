"""Parser: the text of an expression to a tree, by precedence climbing over the operator table.

`not` binds looser than a comparison, comparisons do not chain, and a name that begins with a word
of the language (`not_open`) is a name. What the language leaves out is refused by name, with what
to write instead, and every refusal knows its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, final

from creatura.errors import character, did_you_mean
from creatura.vtc.operators import CALLS, COMPARISON_BINDING, INFIX, PREFIX, Operator
from creatura.vtc.syntax import Constant, ExpressionError, Name, Operation, Tree

MAX_LENGTH = 2_000
MAX_DEPTH = 64

_LEXICON = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)
      | (?P<word>[^\W\d]\w*(\.[^\W\d]\w*)*)
      | (?P<sign>\*\*|//|<<|>>|<>|&&|\|\||==|!=|<=|>=|[-+*/<>&|~(),])
      | (?P<other>.)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_END = "the end"

# What people write from habit, and what this language says instead.
_INSTEAD = {
    "%": "there is no remainder; keep a counter that returns to 0 with where()",
    "//": "there is no whole division; '/' gives a scalar",
    "**": "there is no power; multiply",
    "^": "there is no '^'; compare bools with !=",
    "<<": "there are no shifts; multiply",
    ">>": "there are no shifts; divide",
    "<>": "write !=",
    "&&": "write 'and'",
    "||": "write 'or'",
    "!": "write 'not'",
    "=": "write == to compare",
    "[": "there are no subscripts; a rule reads the row of its own agent",
    "{": "there are no sets or mappings",
    ".": "there are no attributes; every value is a variable or a function of variables",
    '"': "there are no strings; compare numbers or bools",
    "'": "there are no strings; compare numbers or bools",
    "if": "write where(condition, value, otherwise)",
    "else": "write where(condition, value, otherwise)",
    "is": "write ==",
    "in": "compare with == and join with 'or'",
    "lambda": "there are no functions of one's own; declare a derived variable",
    "True": "write true",
    "False": "write false",
    "inf": "there is no infinity; compare with a large number",
    "nan": "every value is a number; a rule that makes another is stopped",
    "None": "there is no missing value; declare a bool for it",
}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse_expression(text: str) -> Tree:
    """Parses one expression.

    Raises:
        ExpressionError: With the column of the fault.

    >>> tree = parse_expression("not fuel < 3")
    >>> tree.operator, tree.operands[0].operator
    ('not', 'lt')
    """
    if len(text) > MAX_LENGTH:
        message = f"expression of {len(text)} characters; {MAX_LENGTH} at most"
        raise ExpressionError(f"{message}: name a part of it as a derived variable", MAX_LENGTH)
    parser = _Parser(list(_tokens(text)))
    tree = parser.parse(0, 1)
    parser.check_finished()
    return tree


def _tokens(text: str) -> Iterator[_Token]:
    for match in _LEXICON.finditer(text):
        kind, found = str(match.lastgroup), match.group()
        if kind == "other" or found in _INSTEAD:
            why = _INSTEAD.get(found)
            named = character(found) if len(found) == 1 else f"'{found}'"
            what = f"{named} is not in the rule language"
            raise ExpressionError(f"{what}: {why}" if why else what, match.start())
        if kind != "space":
            yield _Token(kind, found, match.start())
    yield _Token("end", _END, len(text))


@final
class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def parse(self, binding: int, depth: int) -> Tree:
        """Parses operators that bind at least as tightly as `binding`.

        Args:
            binding: From the operator table; 0 takes everything.
            depth: How deep in the text this stands, so that nesting ends before the stack does.
        """
        left = self._operand(binding, depth)
        while (row := self._infix()) and row.binding >= binding:
            operands, sign = [left], self._peek().at
            while self._infix() is row and (row.chains or len(operands) == 1):
                self._take()
                operands.append(self.parse(row.binding + 1, depth + 1))
            left = _grouped(row, operands, sign)
            if row.binding == COMPARISON_BINDING:
                self._check_unchained(row)
        return left

    def check_finished(self) -> None:
        """Refuses whatever follows a whole expression."""
        token = self._peek()
        if token.kind == "end":
            return
        if token.text == ")":
            raise ExpressionError("this ')' closes nothing", token.at)
        raise ExpressionError(f"expected an operator, found '{token.text}'", token.at)

    def _operand(self, binding: int, depth: int) -> Tree:
        token = self._take()
        if depth > MAX_DEPTH:
            _refuse_depth(token.at)
        if row := PREFIX.get(token.text):
            if row.binding < binding:
                message = f"'{token.text}' binds looser than what is left of it"
                raise ExpressionError(f"{message}; put it in parentheses", token.at)
            return _operation(row, (self.parse(row.binding, depth + 1),), token.at, token.at)
        if token.text == "(":
            inner = self.parse(0, depth + 1)
            self._close(token)
            return inner
        return self._leaf(token, depth)

    def _leaf(self, token: _Token, depth: int) -> Tree:
        if token.kind == "number":
            return _number(token)
        if token.kind == "word" and token.text not in INFIX:
            if self._peek().text == "(":
                return self._call(token, depth)
            if token.text in CALLS:
                raise ExpressionError(f"'{token.text}' is a function; write {token.text}(...)",
                                      token.at)  # fmt: skip
            if token.text in ("true", "false"):
                return Constant(token.text == "true", token.at)
            return Name(token.text, token.at)
        found = token.text if token.kind == "end" else f"'{token.text}'"
        raise ExpressionError(f"expected a value, found {found}", token.at)

    def _call(self, name: _Token, depth: int) -> Tree:
        row = CALLS.get(name.text)
        if row is None:
            guess = did_you_mean(name.text, CALLS)
            raise ExpressionError(f"no function '{name.text}'{guess}", name.at)
        opening = self._take()
        operands: list[Tree] = []
        while self._peek().text != ")" or operands:
            operands.append(self.parse(0, depth + 1))
            if self._peek().text != ",":
                break
            self._take()
        self._close(opening)
        if len(operands) != len(row.takes):
            takes = f"{len(row.takes)} argument" + ("s" if len(row.takes) > 1 else "")
            raise ExpressionError(f"{name.text}() takes {takes}, found {len(operands)}", name.at)
        return _operation(row, tuple(operands), name.at, name.at)

    def _close(self, opening: _Token) -> None:
        token = self._peek()
        if token.kind == "end":
            raise ExpressionError("this '(' is never closed", opening.at)
        if token.text != ")":
            raise ExpressionError(f"expected ')', found '{token.text}'", token.at)
        self._take()

    def _check_unchained(self, row: Operator) -> None:
        following = self._infix()
        if following and following.binding == COMPARISON_BINDING:
            raise ExpressionError(
                f"comparisons do not chain; write a {row.spelling} b and b {following.spelling} c",
                self._peek().at,
            )

    def _infix(self) -> Operator | None:
        return INFIX.get(self._peek().text)

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token


def _operation(row: Operator, operands: tuple[Tree, ...], at: int, sign: int) -> Operation:
    depth = 1 + max(operand.depth for operand in operands)
    if depth > MAX_DEPTH:
        _refuse_depth(sign)
    return Operation(row.name, row.spelling, operands, at, depth)


def _grouped(row: Operator, operands: list[Tree], sign: int) -> Tree:
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) + 1) // 2
    halves = [_grouped(row, half, sign) for half in (operands[:middle], operands[middle:])]
    return _operation(row, tuple(halves), operands[0].at, sign)


def _number(token: _Token) -> Constant:
    if token.text.isdigit():
        return Constant(int(token.text), token.at)
    return Constant(float(token.text), token.at)


def _refuse_depth(at: int) -> NoReturn:
    message = f"nested deeper than {MAX_DEPTH}; name a part of it as a derived variable"
    raise ExpressionError(message, at)
