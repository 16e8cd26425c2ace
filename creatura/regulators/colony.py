"""Colony: nested controllers that each defend a set point and know nothing of themselves.

After Levin: competence of a body needs no picture of itself, only parts that each hold a variable
where it should be and feel some of one another's trouble. The cell wants its tool's effect (stress
0 or 1), the tissue wants its obligations closed (open / all), the organism wants its contract met
(0 or 1). Over the leaky bus a level feels `min(1, own + leak * mean of its neighbours' own)`; the
tissue's share of that is the error. The organism issues no action: while nothing moves it first
widens the budget, then hands the goal to a person. Source: seed 000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import (
    Arrived,
    Brief,
    Busy,
    Context,
    Decided,
    Event,
    GoalMet,
    HandOff,
    Judged,
    LayerOptions,
    Reverted,
    Row,
    Slots,
    TimeUp,
    Verdict,
    Vetoed,
    plain_words,
    plasticity,
)
from creatura.regulators.measures.coherence import answer_of
from creatura.regulators.measures.set_points import contract_stress, leaked, tissue_stress
from creatura.regulators.measures.wording import plan_words


@dataclass(frozen=True, slots=True)
class Memory:
    """What a body carries from tick to tick: the state of its parts and no record of itself.

    Attributes:
        cell: The cell's own stress: 1 while the last effect it waited for is missing, else 0.
        fewest_open: Obligations that were open when the tissue was nearest to its set point.
        still_ticks: Ticks in a row that neither landed an effect nor brought it nearer.
    """

    cell: float
    fewest_open: int
    still_ticks: int = 0


@final
@dataclass(frozen=True, slots=True)
class Colony(Slots):
    """Levin's body: cell, tissue and organism on one leaky bus.

    Attributes:
        leak: Share of the neighbours' stress that a level feels, in [0, 1] (seed 000: 0.5).
        widen_after: Ticks in a row that nothing may move before the organism widens the budget to
            what its own stress buys, 1 or more (own choice: a lie, its quarantine of 3, one try).
        hand_over_after: Ticks before it hands the goal over, not fewer (own choice: as long again,
            so that the wider budget has its chance).
    """

    name: str = "colony"
    layer: LayerOptions = LayerOptions()
    leak: float = 0.5
    widen_after: int = 5
    hand_over_after: int = 10

    def __post_init__(self) -> None:
        if not 0.0 <= self.leak <= 1.0:
            raise ValueError(f"leak is from 0 to 1, found {self.leak:g}")
        if not 1 <= self.widen_after <= self.hand_over_after:
            raise ValueError(
                "widen_after is from 1 to hand_over_after, "
                f"found {self.widen_after} and {self.hand_over_after}"
            )

    def begin(self, brief: Brief) -> Memory:
        """Starts with a calm cell, and with a tissue as far from its set point as it can be."""
        return Memory(cell=0.0, fewest_open=len(brief.obligations))

    def error(self, context: Context) -> float:
        """The tissue's effective stress, in [0, 1]."""
        return self._felt(context)[1]

    def freedom(self, context: Context, error: float) -> float:
        """Plasticity of the tissue's stress, or of the organism's once that has widened it."""
        if context.memory.still_ticks < self.widen_after:
            return plasticity(error)
        return plasticity(max(error, self._felt(context)[2]))

    def stop(self, context: Context) -> HandOff | None:
        """The organism's last lever: the goal goes to a person once widening was no help."""
        still: int = context.memory.still_ticks
        if still < self.hand_over_after:
            return None
        return HandOff(f"contract unmet and nothing moved for {still} ticks")

    def record(self, context: Context, event: Event) -> Memory:
        """Lets the cell feel its effect and counts how long nothing has moved."""
        memory: Memory = context.memory
        landed = answer_of(event) if isinstance(event, Judged) else None
        cell = memory.cell if landed is None else float(not landed)
        if landed or context.num_open < memory.fewest_open:
            return Memory(cell, min(memory.fewest_open, context.num_open))
        if isinstance(event, Vetoed):
            return Memory(cell, memory.fewest_open)
        at_work = isinstance(event, Busy)
        return Memory(cell, memory.fewest_open, memory.still_ticks + (not at_work))

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks at the level that acts, with the stress it feels; the organism only of levers."""
        cell, tissue, organism = self._felt(context)
        free = context.freedom
        match event:
            case Decided():
                return (Row("tissue", tissue, free, event.tool.id, plan_words(event)),)
            case Judged():
                row = Row("cell", cell, free, event.tool.id, _effect_words(event))
                return (row, *self._widening(context, event, organism))
            case GoalMet():
                return (Row("organism", organism, free, "contract met", context.brief.title),)
            case HandOff() | Vetoed() | TimeUp():
                return (Row("organism", organism, free, *plain_words(event)),)
            case Reverted() | Arrived():
                return (Row("cell", cell, free, event.tool.id, _later_words(event)),)
        row = Row("tissue", tissue, free, *plain_words(event))
        return (row, *self._widening(context, event, organism))

    def _felt(self, context: Context) -> tuple[float, ...]:
        own = (context.memory.cell, tissue_stress(context), contract_stress(context))
        return leaked(own, self.leak)

    def _widening(self, context: Context, event: Event, organism: float) -> tuple[Row, ...]:
        still: int = context.memory.still_ticks
        if still != self.widen_after or isinstance(event, Busy):  # no further tick has been still
            return ()
        why = f"nothing has moved for {still} ticks"
        return (Row("organism", organism, plasticity(organism), "widen the budget", why),)


def _effect_words(event: Judged) -> str:
    match event.verdict:
        case Verdict.LANDED | Verdict.BELIEVED:
            words = "effect landed"
        case Verdict.VACUOUS:
            words = "effect held already"
        case Verdict.PARTIAL:
            words = "part of the effect missing"
        case Verdict.MISSING:
            words = "effect missing" if event.is_lie else "no effect, as the tool said itself"
    return f"{words}; tool quarantined" if event.is_quarantined else words


def _later_words(event: Reverted | Arrived) -> str:
    names = ", ".join(event.facts)
    return f"effect lost again: {names}" if isinstance(event, Reverted) else f"effect late: {names}"
