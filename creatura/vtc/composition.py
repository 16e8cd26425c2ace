"""Composition: how a write meets the value that is there, one row each.

Within a phase the writes of a variable are taken in order (priority, then declaration) on an
accumulator that starts as the value the phase found; each row says what one write does to it. What
it computes stands once in each back-end, under its name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Composition:
    """One row.

    Attributes:
        numbers_only: Whether the target must be an int or a scalar.
        means: The operator that joins accumulator and value; None where the value replaces it.
        folds: Whether agents may write a global target with it, one after the other.
        decides: Whether it sets the value outright, so that two need different priorities.
        needs_priority: Whether a priority must be stated.
        needs_value: Whether the write has an expression; without one it has bounds only.
    """

    name: str
    means: str | None
    doc: str
    numbers_only: bool = False
    folds: bool = False
    decides: bool = False
    needs_priority: bool = False
    needs_value: bool = True


# fmt: off
_ROWS = (
    Composition("overwrite", None, "the value", decides=True),
    Composition("additive_delta", "add", "what is there plus the value",
                numbers_only=True, folds=True),
    Composition("multiplicative_modifier", "mul", "what is there times the value",
                numbers_only=True, folds=True),
    Composition("min", "min", "the smaller; of bools, whether both hold", folds=True),
    Composition("max", "max", "the larger; of bools, whether either holds", folds=True),
    Composition("clamp", None, "what is there, within the clamp of the write",
                numbers_only=True, needs_value=False),
    Composition("last_write_wins", None, "the value; of several, the last in order"),
    Composition("priority_write", None, "the value, over every write of lower priority",
                decides=True, needs_priority=True),
)
# fmt: on

COMPOSITIONS = {row.name: row for row in _ROWS}
