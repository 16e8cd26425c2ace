"""Design laws: what every design promises the loop and the person who reads its trace."""

from __future__ import annotations

import dataclasses

from bench.conformance.exam import Exam
from bench.conformance.law import Breach, Law, Weight
from bench.conformance.notebook import CEILING, PURE, RANGES, SHOWN, SLEEP, SURVIVES
from bench.conformance.run_laws import APART, BRIEF, FROZEN, SAME_AGAIN, SAME_ALONE, WAKES, seen


def _record_of_options(exam: Exam) -> Breach | None:
    """Advises a frozen dataclass: its options are then named, checked and part of its hash."""
    design = exam.subject.player().design
    frozen = dataclasses.is_dataclass(design) and type(design).__dataclass_params__.frozen
    if frozen:
        return None
    came = f"{type(design).__name__} can be changed after it was made"
    return Breach("to be a frozen dataclass of its options", came, weight=Weight.ADVICE)


DESIGN_LAWS: tuple[Law[Exam], ...] = (
    Law("survives", "It gets through every world under every kind of fault.", seen(SURVIVES)),
    Law("answers", "Each slot answers with what it promises, within its range.", seen(RANGES)),
    Law("pure", "A slot asked twice answers the same and leaves its memory alone.", seen(PURE)),
    Law("ceiling", "Its freedom never exceeds its own ceiling.", seen(CEILING)),
    Law("shown", "It sees and passes on only tools that the membrane shows.", seen(SHOWN)),
    BRIEF,
    Law("sleep", "Sleep only proposes: a memory, a goal edit in words, and rows.", seen(SLEEP)),
    SAME_AGAIN,
    SAME_ALONE,
    APART,
    WAKES,
    FROZEN,
    Law("options", "It is a frozen record of its options.", _record_of_options),
)
