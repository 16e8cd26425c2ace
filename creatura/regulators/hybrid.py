"""Hybrid: a body of set points with a mind that keeps a record of itself.

After Levin (parts that each defend a set point, stress as the one signal between them) and Bach (a
self-model scored on its coherence, authority earned in stages); source: seed 001. Both halves ask
how far the system is from where it should be, so the organism's stress is whichever is worse, an
unmet contract or an incoherent record: `max(contract, 1 - coherence)`, in [0, 1]. Freedom is
`min(stage cap, 0.1 + 0.9 * stress)`: trouble buys attempts, only a record buys authority.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import (
    Brief,
    Context,
    Decided,
    Event,
    GoalMet,
    HandOff,
    Judged,
    LayerOptions,
    Row,
    Sleep,
    Slots,
    Tool,
    Verdict,
    Waited,
    plain_words,
    plasticity,
)
from creatura.regulators.measures.coherence import Claims, answer_of
from creatura.regulators.measures.set_points import contract_stress, tissue_stress
from creatura.regulators.measures.stages import Ladder, Standing
from creatura.regulators.measures.wording import plan_words


@dataclass(frozen=True, slots=True)
class Memory:
    """What the hybrid carries from tick to tick.

    Attributes:
        claims: The organism's record of itself.
        standing: The stage the organism has earned.
        cell: The cell's record, one a tool.
        stale_ticks: Ticks in a row without progress.
        progress: Closed share of the obligations when it last looked, in [0, 1].
    """

    claims: Claims
    standing: Standing
    cell: tuple[Claims, ...]
    stale_ticks: int = 0
    progress: float = 0.0


@final
@dataclass(frozen=True, slots=True)
class Hybrid(Slots):
    """Levin's body, Bach's mind.

    Attributes:
        stage: Stage the organism starts at, 1 to 5 (seed 001: 3).
        count_waiting: Whether ticks spent waiting for a distrusted tool count as stuck; True is the
            design as published.
        stuck_margin: Ticks without progress, beyond the membrane's cooldown, that raise the alarm
            (seed 001: 2).
        ladder: How stages cap freedom and how they are earned and lost.
    """

    name: str = "hybrid"
    layer: LayerOptions = LayerOptions()
    stage: int = 3
    count_waiting: bool = True
    stuck_margin: int = 2
    ladder: Ladder = Ladder()

    def __post_init__(self) -> None:
        self.ladder.check_stage(self.stage)

    def begin(self, brief: Brief) -> Memory:
        """Starts with an empty record at the stage it was given."""
        return Memory(Claims(), Standing(self.stage), (Claims(),) * len(brief.tools))

    def error(self, context: Context) -> float:
        """Organism stress: the worse of an unmet contract and an incoherent record, in [0, 1]."""
        memory: Memory = context.memory
        return max(contract_stress(context), 1.0 - memory.claims.coherence)

    def freedom(self, context: Context, error: float) -> float:
        """Plasticity of the organism's stress, never above the cap of the stage."""
        return min(self.ladder.cap(context.memory.standing.stage), plasticity(error))

    def stop(self, context: Context) -> HandOff | None:
        """Stuck-regulation alarm: acting, tick after tick, while the gap does not move."""
        stale = context.memory.stale_ticks
        if stale < context.layer.cooldown_ticks + self.stuck_margin:
            return None
        at = f"{context.freedom:.0%} freedom"
        return HandOff(f"stuck regulation: {stale} ticks with no progress at {at}")

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Sinks tools in the order of how often the cell saw their effect missing."""
        cell = context.memory.cell
        return tuple(sorted(offered, key=lambda tool: 1.0 - cell[tool.index].coherence))

    def seat(self, context: Context) -> str:
        """Renders the organism's self-model for a seat that reads prose."""
        memory: Memory = context.memory
        doubted = [
            f"{tool.id} ({cell.contradicted} of {cell.made} missing)"
            for tool, cell in zip(context.brief.tools, memory.cell, strict=True)
            if cell.contradicted
        ]
        return (
            f"I own the task '{context.brief.title}'. "
            f"{context.num_open} of {len(context.brief.obligations)} obligations are open. "
            f"My record is {memory.claims.coherence:.0%} coherent and I act at stage "
            f"{memory.standing.stage}. Tools whose effect I have missed: "
            f"{', '.join(doubted) or 'none'}."
        )

    def record(self, context: Context, event: Event) -> Memory:
        """Takes the tick into both records and counts how long nothing has moved."""
        memory: Memory = context.memory
        claims, standing, cell = memory.claims, memory.standing, memory.cell
        if isinstance(event, Judged) and (held := answer_of(event)) is not None:
            tool = event.tool.index
            claims, standing = claims.after(held), self.ladder.after(standing, held)
            cell = (*cell[:tool], cell[tool].after(held), *cell[tool + 1 :])
        progress = context.progress
        excused = isinstance(event, Waited) and not self.count_waiting
        stale = 0 if progress > memory.progress else memory.stale_ticks + (not excused)
        return Memory(claims, standing, cell, stale, progress)

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks as the tissue of plans, as the cell of effects, as the organism at the end."""
        free = context.freedom
        match event:
            case Decided():
                stress = tissue_stress(context)
                return (Row("tissue", stress, free, event.tool.id, plan_words(event)),)
            case Judged():
                return (_cell_row(context, event),)
            case GoalMet():
                done = f"{context.brief.title} complete"
                return (Row("organism", contract_stress(context), free, "contract met", done),)
            case HandOff():
                return (Row("organism", context.error, free, *plain_words(event)),)
        return (Row("tissue", tissue_stress(context), free, *plain_words(event)),)

    def sleep(self, context: Context) -> Sleep:
        """Sums up the record, and proposes what to do with the goal; a person decides."""
        memory: Memory = context.memory
        met = contract_stress(context) == 0.0
        summary = (
            f"coherence {memory.claims.coherence:.0%}, "
            f"predictions {memory.standing.accuracy:.0%}, stage {memory.standing.stage}"
        )
        proposal = (
            "keep the contract as it is"
            if met
            else "renegotiate the contract: it was not reached with these tools"
        )
        return Sleep(memory, proposal, (Row("organism", 0.0, 0.0, "sleep", summary),))


def _cell_row(context: Context, event: Judged) -> Row:
    action, free = event.tool.id, context.freedom
    coherence = f"coherence {context.memory.claims.coherence:.0%}"
    match event.verdict:
        case Verdict.LANDED | Verdict.BELIEVED:
            return Row("cell", 0.0, free, action, coherence)
        case Verdict.VACUOUS:
            return Row("cell", 0.0, free, action, f"held already, {coherence}")
        case Verdict.PARTIAL:
            return Row("cell", 1.0, free, action, f"part of the effect is missing, {coherence}")
    trust = "tool distrusted" if event.is_quarantined else "tool still trusted"
    if event.is_lie:
        return Row("cell", 1.0, free, action, f"contradiction: belief quarantined, {trust}")
    return Row("cell", 1.0, free, action, f"prediction missed: the tool said so itself, {trust}")
