"""Syntax: what an author's rule is made of, as written.

`RuleSpec` and `WriteSpec` are the rule's fields; expressions are still text there. The tree classes
are what the parser makes of that text; every node knows the column it came from, so that whoever
finds fault with it can put a caret under it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, InstanceOf, StrictInt, StrictStr

from creatura.errors import Place
from creatura.vfs.fields import Ends, Source

# Kinds of the rules that the compiler writes itself; no author can.
DERIVED = "derived"
RANGE = "range"


class WriteSpec(BaseModel):
    """One write of a rule.

    Attributes:
        target: Id of the variable it writes.
        expression: The value; left out only by the composition `clamp`.
        composition: How the value meets what is there (see `composition`).
        condition: Where it applies; the rule's own condition must hold as well.
        clamp: Bounds of what the target may be after this write, both included.
        priority: Order within a phase: the higher comes later and so has the last word.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: StrictStr
    expression: Source | None = None
    composition: StrictStr = "overwrite"
    condition: Source | None = None
    clamp: Ends | None = None
    priority: StrictInt = 0


class RuleSpec(BaseModel):
    """One rule: in its phase, where its condition holds, its writes happen together.

    Attributes:
        id: What errors call it; no part of what it does.
        kind: What sort of rule it is; `rule` is the plain one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: StrictStr
    phase: StrictStr
    condition: Source | None = None
    writes: tuple[WriteSpec, ...]
    place: InstanceOf[Place] = Place("a rule")
    kind: StrictStr = "rule"


def label_of(rule: RuleSpec, write: WriteSpec | None = None, *, is_condition: bool = False) -> str:
    """Says which part of a rule an error is about; without a write it is the rule's condition."""
    if rule.kind == DERIVED:
        return f"variable '{rule.writes[0].target}', expression"
    if write is None:
        return f"rule '{rule.id}', condition"
    part = "condition of the write" if is_condition else "write"
    return f"rule '{rule.id}', {part} to '{write.target}'"


def text_of(source: Source) -> str:
    """Writes an expression that YAML read as a number or a bool in the rule language.

    >>> text_of(True), text_of(0.5), text_of("a + 1")
    ('true', '0.5', 'a + 1')
    """
    return str(source).lower() if isinstance(source, bool) else str(source)


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal. `at` is its column in the text, from 0, here as in the other nodes."""

    value: bool | int | float
    at: int
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or an ambient name such as `tick`."""

    id: str
    at: int
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function over operands.

    Attributes:
        operator: Its row's name in `operators`.
        spelling: How the author wrote it.
        depth: Nodes on the longest way down to a leaf.
    """

    operator: str
    spelling: str
    operands: tuple[Tree, ...]
    at: int
    depth: int


Tree = Constant | Name | Operation


class ExpressionError(Exception):
    """Something is wrong at one column of an expression; whoever knows the rule adds the place."""

    def __init__(self, message: str, at: int) -> None:
        self.message, self.at = message, at
        super().__init__(message)


WINDOW = 96  # characters shown of a long line


def render_fault(message: str, text: str, at: int) -> str:
    r"""Renders a message with the line of the expression at fault and a caret under the spot.

    >>> print(render_fault("expected a number, found bool", "energy + open", 9))
    expected a number, found bool
        energy + open
                 ^
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line, column = text[start : end if end >= 0 else len(text)], at - start
    if len(line) > WINDOW:
        first = max(0, column - WINDOW // 2)
        shown = line[first : first + WINDOW]
        lead = "..." if first else ""
        tail = "..." if first + WINDOW < len(line) else ""
        line, column = lead + shown + tail, column - first + len(lead)
    return f"{message}\n    {line.replace(chr(9), ' ')}\n    {' ' * column}^"
