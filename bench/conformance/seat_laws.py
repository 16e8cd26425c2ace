"""Seat laws: what a decision maker promises, asked with positions that any world may bring.

The positions are drawn from the declarations of each world, the same ones each time: facts, the
tools that may be answered in them, and none at all.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.conformance.exam import Exam
from bench.conformance.law import Breach, Law
from bench.conformance.notebook import SURVIVES, short
from bench.conformance.run_laws import APART, BRIEF, FROZEN, SAME_AGAIN, SAME_ALONE, seen
from creatura import resolver
from creatura.bits import indices_of, mask_of
from creatura.parts.files import in_words
from creatura.protocols import Answer, Brief, Reading, Seat, SeatBatch

NUM_POSITIONS = 24
_EXEMPT = tuple(resolver.SEATS_FROM_TEXT)  # a script names what its author wrote, offered or not


@dataclass(frozen=True, slots=True)
class Position:
    """What one seat is shown."""

    facts: int
    offered: int
    ahead: int
    order: tuple[int, ...] | None
    seed: int

    def words(self, brief: Brief) -> str:
        """Tells it in the world's own names."""
        facts = ", ".join(brief.facts[i] for i in indices_of(self.facts)) or "nothing"
        tools = ", ".join(brief.tools[i].id for i in indices_of(self.offered)) or "nothing"
        return f"{brief.world} where {facts} holds and {tools} is offered"


def positions(brief: Brief) -> list[Position]:
    """Draws positions of a world, one of them with nothing offered."""
    draw, found = random.Random(brief.world), []
    for seed in range(NUM_POSITIONS):
        facts = draw.getrandbits(len(brief.facts)) if seed else 0
        ready = [tool.index for tool in brief.tools if not tool.requires & ~facts]
        shown = [i for i in ready if draw.random() < 0.8] if seed > 1 else ready * (seed == 0)
        others = [tool.index for tool in brief.tools if tool.index not in ready]
        order = tuple(draw.sample(shown, len(shown))) if draw.random() < 0.3 else None
        found.append(Position(facts, mask_of(shown), mask_of(others), order, seed))
    return found


def batch_of(brief: Brief, asked: Sequence[Position]) -> SeatBatch:
    """Puts positions side by side."""
    return SeatBatch(
        brief=brief,
        tick=1,
        facts=[p.facts for p in asked],
        offered=[p.offered for p in asked],
        ahead=[p.ahead for p in asked],
        order=[p.order for p in asked],
        freedom=np.full(len(asked), 0.1),
        seeds=np.array([p.seed for p in asked], dtype=np.int64),
        episodes=np.zeros(len(asked), dtype=np.int64),
        agent=0,
        reading=lambda position: Reading("", (), ()),
    )


Finder = Callable[[Seat, Brief, list[Position], list[object]], tuple[Position, str] | None]


def _over_worlds(what: str, find: Finder) -> Callable[[Exam], Breach | None]:
    """Makes a check that asks a new seat in each world, and again as `find` likes."""

    def check(exam: Exam) -> Breach | None:
        for ground in exam.grounds:
            asked = positions(ground.brief)
            seat = exam.subject.player().seat
            try:
                answers: list[object] = list(seat.decide(batch_of(ground.brief, asked)))
                found = find(seat, ground.brief, asked, answers)
            except Exception as error:
                return Breach(f"{len(asked)} positions at once", in_words(error), ground.name)
            if found:
                position, came = found
                return Breach(what, came, position.words(ground.brief))
        return None

    return check


def _answers(
    seat: Seat, brief: Brief, asked: list[Position], answers: list[object]
) -> tuple[Position, str] | None:
    if len(answers) != len(asked):
        return asked[0], f"{len(answers)} answers to {len(asked)} positions"
    for position, answer in zip(asked, answers, strict=True):
        is_one = isinstance(answer, Answer) and isinstance(answer.tool, (str, type(None)))
        if not is_one:
            return position, short(answer)
    return None


def _offered(
    seat: Seat, brief: Brief, asked: list[Position], answers: list[object]
) -> tuple[Position, str] | None:
    for position, answer in zip(asked, answers, strict=False):
        offered = [brief.tools[i].id for i in indices_of(position.offered)]
        if isinstance(answer, Answer) and answer.tool is not None and answer.tool not in offered:
            return position, f"'{answer.tool}'"
    return None


def _alone(
    seat: Seat, brief: Brief, asked: list[Position], answers: list[object]
) -> tuple[Position, str] | None:
    for position, answer in zip(asked, answers, strict=False):
        (alone,) = seat.decide(batch_of(brief, [position]))
        if alone != answer:
            return position, f"{short(answer)} among others, {short(alone)} alone"
    return None


def _in_any_order(
    seat: Seat, brief: Brief, asked: list[Position], answers: list[object]
) -> tuple[Position, str] | None:
    backwards = list(seat.decide(batch_of(brief, asked[::-1])))[::-1]
    for position, answer, other in zip(asked, answers, backwards, strict=False):
        if other != answer:
            return position, f"{short(answer)}, and {short(other)} in another order"
    return None


def _nothing(
    seat: Seat, brief: Brief, asked: list[Position], answers: list[object]
) -> tuple[Position, str] | None:
    empty = replace(asked[0], offered=0, order=None)
    answers = list(seat.decide(batch_of(brief, [empty])))
    answer = answers[0]
    return None if isinstance(answer, Answer) else (empty, short(answer))


def _unless_script(check: Callable[[Exam], Breach | None]) -> Callable[[Exam], Breach | None]:
    def exempt(exam: Exam) -> Breach | None:
        return None if exam.subject.text.partition(":")[0] in _EXEMPT else check(exam)

    return exempt


SEAT_LAWS: tuple[Law[Exam], ...] = (
    Law("survives", "It gets through every world under every kind of fault.", seen(SURVIVES)),
    Law(
        "answers",
        "It answers every position, in order.",
        _over_worlds("an answer for each position", _answers),
    ),
    Law(
        "shown",
        "It names only tools that it is offered.",
        _unless_script(_over_worlds("one of the offered tools, or none", _offered)),
    ),
    Law(
        "nothing",
        "It has an answer where nothing is offered.",
        _over_worlds("what to do with nothing", _nothing),
    ),
    Law(
        "alone",
        "A position is answered alone as among others.",
        _over_worlds("the same position twice", _alone),
    ),
    Law(
        "order",
        "The order of the positions changes no answer.",
        _over_worlds("the same positions backwards", _in_any_order),
    ),
    BRIEF,
    SAME_AGAIN,
    SAME_ALONE,
    APART,
    FROZEN,
)
