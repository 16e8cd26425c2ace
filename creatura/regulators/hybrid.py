"""Hybrid: a body of set points with a mind that keeps a record of itself.

After Levin (parts that each defend a set point, stress as the one signal between them) and Bach (a
self-model scored on its coherence, authority earned in stages); source: seed 001. Both halves ask
how far the system is from where it should be, so the organism's stress is whichever is worse, an
unmet contract or an incoherent record: `max(contract, 1 - coherence)`, in [0, 1]. Freedom is
`min(stage cap, 0.1 + 0.9 * stress)`: trouble buys attempts, only a record buys authority. Four
options finish what its author described and did not build; with all of them off it is as published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from creatura.bits import indices_of
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
    Sleep,
    Slots,
    Tool,
    Verdict,
    Vetoed,
    Waited,
    plain_words,
    plasticity,
)
from creatura.regulators.measures import provenance
from creatura.regulators.measures.coherence import Claims, answer_of
from creatura.regulators.measures.derived import SetPoints, derive
from creatura.regulators.measures.gates import Gates
from creatura.regulators.measures.provenance import SharedMemory
from creatura.regulators.measures.set_points import contract_stress, leaked
from creatura.regulators.measures.stages import Ladder, Standing
from creatura.regulators.measures.wording import fact_words, plan_words


@dataclass(frozen=True, slots=True)
class Memory:
    """What the hybrid carries from tick to tick.

    Attributes:
        claims: The organism's record of itself.
        standing: The stage the organism has earned.
        cell: The cell's record, one a tool.
        stale_ticks: Ticks in a row without progress.
        progress: Closed share of the tissue's set points when it last looked, in [0, 1].
        is_missing: Whether the last effect that the cell waited for is missing.
        points: The set points that the tissue derived, where it derives any.
        shared: What the levels wrote down for each other, where they do.
        gates: Where the cell and the tissue stand, where they are gated.
    """

    claims: Claims
    standing: Standing
    cell: tuple[Claims, ...]
    stale_ticks: int = 0
    progress: float = 0.0
    is_missing: bool = False
    points: SetPoints | None = None
    shared: SharedMemory | None = None
    gates: Gates | None = None


@final
@dataclass(frozen=True, slots=True)
class Hybrid(Slots):
    """Levin's body, Bach's mind.

    Seed 001 names the leak, the derived set points, the shared memory and the gated levels as
    described and not built; how they work here is an own choice.

    Attributes:
        stage: Stage the organism starts at, 1 to 5 (seed 001: 3).
        count_waiting: Whether ticks spent waiting for a distrusted tool count as stuck; True is the
            design as published.
        stuck_margin: Ticks without progress, beyond the membrane's cooldown, that raise the alarm
            (seed 001: 2).
        leak: Share of its neighbours' stress that a level feels, in [0, 1] (default 0: none, as
            published). Above 0 the contract reaches the organism over this bus alone, as what the
            tissue has open, so that freedom falls as set points close.
        derive_set_points: Whether the tissue also defends the means that the contract needs and
            does not name (default False); one that closes is progress.
        shared_memory: Whether the levels share a memory whose entries say how they are known
            (default False). What a tool admits itself does not sink it, then.
        memory_length: Entries the shared memory keeps, 1 or more (own choice: 16).
        gate_levels: Whether the tissue, and the cell with each tool, stand on the ladder as the
            organism does (default False). The lowest of them caps freedom, so more room than at the
            start is for tools that have earned it themselves.
        ladder: How stages cap freedom and how they are earned and lost.
    """

    name: str = "hybrid"
    layer: LayerOptions = LayerOptions()
    stage: int = 3
    count_waiting: bool = True
    stuck_margin: int = 2
    leak: float = 0.0
    derive_set_points: bool = False
    shared_memory: bool = False
    memory_length: int = 16
    gate_levels: bool = False
    ladder: Ladder = Ladder()

    def __post_init__(self) -> None:
        self.ladder.check_stage(self.stage)
        if not 0.0 <= self.leak <= 1.0:
            raise ValueError(f"leak is from 0 to 1, found {self.leak:g}")
        if self.memory_length < 1:
            raise ValueError(f"memory_length is 1 or more, found {self.memory_length}")

    def begin(self, brief: Brief) -> Memory:
        """Starts with an empty record at the stage it was given."""
        num_tools = len(brief.tools)
        return Memory(
            Claims(),
            Standing(self.stage),
            (Claims(),) * num_tools,
            points=derive(brief) if self.derive_set_points else None,
            shared=SharedMemory(self.memory_length) if self.shared_memory else None,
            gates=Gates.at(self.stage, num_tools) if self.gate_levels else None,
        )

    def wake(self, brief: Brief, memory: Memory) -> Memory:
        """Keeps its records and what it earned; the alarm starts anew."""
        return replace(
            memory,
            stale_ticks=0,
            progress=0.0,
            is_missing=False,
            shared=memory.shared and memory.shared.aged(),
            gates=memory.gates and memory.gates.rested(self.stage),
        )

    def ceiling(self, context: Context) -> float:
        """The cap of the organism's stage, or the lowest of the levels' where all are gated."""
        memory: Memory = context.memory
        cap = self.ladder.cap(memory.standing.stage)
        if memory.gates is None:
            return cap
        visible = (context.brief.tools[index] for index in indices_of(context.offered))
        return min(cap, memory.gates.cap(self.ladder, visible))

    def error(self, context: Context) -> float:
        """Organism stress: the worse of an unmet contract and an incoherent record, in [0, 1].

        On a leaky bus it is its incoherence, and what leaks of the open set points. Once the
        contract is met nothing is open, and what is left is the incoherence, as without a leak.
        """
        memory: Memory = context.memory
        if self.leak:
            return self._felt(context, memory.is_missing)[2]
        return max(contract_stress(context), 1.0 - memory.claims.coherence)

    def freedom(self, context: Context, error: float) -> float:
        """Plasticity of the organism's stress, never above the ceiling."""
        return min(self.ceiling(context), plasticity(error))

    def stop(self, context: Context) -> HandOff | None:
        """Stuck-regulation alarm: acting, tick after tick, while the gap does not move."""
        stale = context.memory.stale_ticks
        if stale < context.layer.cooldown_ticks + self.stuck_margin:
            return None
        at = f"{context.freedom:.0%} freedom"
        return HandOff(f"stuck regulation: {stale} ticks with no progress at {at}")

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Sinks tools in the order of how often the cell saw their effect missing.

        A shared memory sinks only those whose report the facts contradicted. Gated levels hold back
        what the cell's standing with a tool no longer allows.
        """
        memory: Memory = context.memory
        cell, shared, gates = memory.cell, memory.shared, memory.gates

        def doubt(tool: Tool) -> float:
            return shared.doubt(tool) if shared else 1.0 - cell[tool.index].coherence

        allowed = offered if gates is None else filter(gates.may_use, offered)
        return tuple(sorted(allowed, key=doubt))

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
            f"{_means_words(context)}"
            f"{f' Shared memory: {memory.shared.render()}.' if memory.shared else ''}"
        )

    def record(self, context: Context, event: Event) -> Memory:
        """Takes the tick into every record and counts how long nothing has moved."""
        memory: Memory = context.memory
        claims, standing, cell, gates = memory.claims, memory.standing, memory.cell, memory.gates
        progress = self._progress(context)
        is_nearer = progress > memory.progress
        if isinstance(event, Judged) and (held := answer_of(event)) is not None:
            tool = event.tool.index
            claims, standing = claims.after(held), self.ladder.after(standing, held)
            cell = (*cell[:tool], cell[tool].after(held), *cell[tool + 1 :])
            gates = gates and gates.after(self.ladder, tool, held, is_nearer)
        excused = isinstance(event, Waited) and not self.count_waiting
        anew = is_nearer or isinstance(event, Vetoed)
        stale = 0 if anew else memory.stale_ticks + (not excused)
        is_missing = _is_missing(memory, event)
        shared = memory.shared and _written(context, event, standing)
        return Memory(
            claims, standing, cell, stale, progress, is_missing, memory.points, shared, gates
        )

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks as the tissue of plans, as the cell of effects, as the organism at the end."""
        free = context.freedom
        cell, tissue, _ = self._felt(context, _is_missing(context.memory, event))
        match event:
            case Decided():
                return (Row("tissue", tissue, free, event.tool.id, plan_words(event)),)
            case Judged():
                return (Row("cell", cell, free, event.tool.id, _cell_words(context, event)),)
            case Reverted() | Arrived():
                return (Row("cell", cell, free, event.tool.id, _later_words(event)),)
            case GoalMet():
                done = f"{context.brief.title} complete"
                return (Row("organism", contract_stress(context), free, "contract met", done),)
            case HandOff():
                detail = f"{event.reason}{_held_back(context)}"
                return (Row("organism", context.error, free, "hand off", detail),)
            case Vetoed():
                return (Row("organism", context.error, free, *plain_words(event)),)
        return (Row("tissue", tissue, free, *plain_words(event)),)

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

    def _progress(self, context: Context) -> float:
        points = context.memory.points
        return context.progress if points is None else points.progress(context.facts)

    def _felt(self, context: Context, is_missing: bool) -> tuple[float, ...]:
        """What cell, tissue and organism feel of themselves and of their neighbours."""
        tissue, incoherence = 1.0 - self._progress(context), 1.0 - context.memory.claims.coherence
        if not self.leak:
            return float(is_missing), tissue, incoherence
        points = context.memory.points
        if not (context.brief.obligations if points is None else points.every):
            # A contract without parts can be felt by the tissue only as a whole.
            tissue = contract_stress(context)
        return leaked((float(is_missing), tissue, incoherence), self.leak)


def _is_missing(memory: Memory, event: Event) -> bool:
    match event:
        case Judged():
            return answer_of(event) is False
        case Reverted() | Arrived():
            return isinstance(event, Reverted)
    return memory.is_missing


def _cell_words(context: Context, event: Judged) -> str:
    coherence = f"coherence {context.memory.claims.coherence:.0%}"
    match event.verdict:
        case Verdict.LANDED | Verdict.BELIEVED:
            return coherence
        case Verdict.VACUOUS:
            return f"held already, {coherence}"
        case Verdict.PARTIAL:
            return f"part of the effect is missing, {coherence}"
    trust = "tool distrusted" if event.is_quarantined else "tool still trusted"
    if event.is_lie:
        return f"contradiction: belief quarantined, {trust}"
    return f"prediction missed: the tool said so itself, {trust}"


def _later_words(event: Reverted | Arrived) -> str:
    names = ", ".join(event.facts)
    if isinstance(event, Reverted):
        return f"set point lost again: {names}"
    return f"effect after all: {names}"


def _means_words(context: Context) -> str:
    points = context.memory.points
    if points is None:
        return ""
    derived = points.open_in(context.facts) & ~context.brief.goal.obligations
    return f" Derived set points that are open: {fact_words(context.brief, derived)}."


def _held_back(context: Context) -> str:
    gates = context.memory.gates
    if gates is None:
        return ""
    held = [tool.id for tool in context.brief.tools if not gates.may_use(tool)]
    return f"; the cell holds back {', '.join(held)}" if held else ""


def _written(context: Context, event: Event, now: Standing) -> SharedMemory:
    """What the levels have written down once a tick is over, with the organism standing here."""
    shared: SharedMemory = context.memory.shared
    brief, tick, was = context.brief, context.tick, context.memory.standing
    if isinstance(event, Busy) and not shared.waits_for(event.tool):
        shared = shared.after(provenance.promised(brief, tick, event.tool))
    if isinstance(event, Judged):
        shared = shared.after(*provenance.answered(brief, tick, event))
    if now.stage == was.stage:
        return shared
    return shared.after(provenance.moved(tick, was.stage, now.stage))
