"""Self-model: a design that keeps a record of itself and acts as far as that record carries.

After Bach: a mind is a system that models itself and is judged on whether the model hangs together.
It believes of each tool that it does what it declares, predicts what each act will bring, and is
committed to what it has closed. The facts answer every such claim: `coherence = held / all` in
[0, 1], error is `1 - coherence`, freedom `min(stage cap, 0.1 + 0.9 * error)`. Predicting well earns
stages, and with them tools. A contradiction quarantines the belief it broke; when more stand open
than it can reason around, it halts. Source: seed 000; the stages are those of `measures.stages`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from creatura.protocols import (
    Arrived,
    Brief,
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
    TimeUp,
    Tool,
    Verdict,
    Vetoed,
    plain_words,
    plasticity,
)
from creatura.regulators.measures.coherence import Claims, answer_of
from creatura.regulators.measures.stages import Ladder, Standing, may_use
from creatura.regulators.measures.wording import fact_words, promise_words


@dataclass(frozen=True, slots=True)
class Memory:
    """What the self-model holds of itself.

    Attributes:
        claims: Predictions and commitments, and how the facts answered them.
        standing: The stage that its predictions have earned.
        contradictions: Open contradictions of the belief in each tool.
        closed: Mask of the obligations it has seen closed and is committed to keep so.
        broken: Mask of those that are open again. newly_broken: Of those, since this tick.
        forgiven: Open contradictions that a person or a night has told it to bear.
    """

    claims: Claims
    standing: Standing
    contradictions: tuple[int, ...]
    closed: int = 0
    broken: int = 0
    newly_broken: int = 0
    forgiven: int = 0

    @property
    def num_contradictions(self) -> int:
        """Contradictions that stand open, of beliefs and of commitments."""
        return sum(self.contradictions) + self.broken.bit_count()

    def forgiving(self) -> Memory:
        """Returns the record with every contradiction that stands open forgiven."""
        return replace(self, forgiven=self.num_contradictions)


@final
@dataclass(frozen=True, slots=True)
class SelfModel(Slots):
    """Bach's mind: beliefs, predictions and commitments, scored on their coherence.

    Attributes:
        stage: Stage it starts at, 1 to 5 (seed 000: 3).
        max_contradictions: Open contradictions it can reason around, 0 or more (semantics: 3).
        revoke_from: First stage whose tools may take facts away (semantics: 2).
        release_from: First stage that may ship, if the gatekeeper admits it (semantics: 3).
        ladder: How stages cap freedom and how they are earned and lost.
    """

    name: str = "self-model"
    layer: LayerOptions = LayerOptions()
    stage: int = 3
    max_contradictions: int = 3
    revoke_from: int = 2
    release_from: int = 3
    ladder: Ladder = Ladder()

    def __post_init__(self) -> None:
        self.ladder.check_stage(self.stage)

    def begin(self, brief: Brief) -> Memory:
        """Starts with nothing claimed, at the stage it was given."""
        return Memory(Claims(), Standing(self.stage), (0,) * len(brief.tools))

    def wake(self, brief: Brief, memory: Memory) -> Memory:
        """Keeps what it believes and the stage it has; commits itself afresh.

        Contradictions of the cases before stand, but would halt it before its first act, so only
        new ones count towards that.
        """
        kept = replace(memory, closed=0, broken=0, newly_broken=0)
        return kept.forgiving()

    def ceiling(self, context: Context) -> float:
        """The cap of the stage."""
        return self.ladder.cap(context.memory.standing.stage)

    def error(self, context: Context) -> float:
        """Incoherence: the share of its claims that the facts contradicted, in [0, 1]."""
        memory: Memory = context.memory
        return 1.0 - memory.claims.coherence

    def freedom(self, context: Context, error: float) -> float:
        """Plasticity of its incoherence, never above the cap of the stage."""
        return min(self.ceiling(context), plasticity(error))

    def stop(self, context: Context) -> HandOff | None:
        """Halts past its budget of contradictions: nothing it believes would carry a plan."""
        memory: Memory = context.memory
        num_open = memory.num_contradictions - memory.forgiven
        if num_open <= self.max_contradictions:
            return None
        return HandOff(
            f"halted: {num_open} open contradictions, {self.max_contradictions} can be borne"
        )

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Holds back what its stage may not use, and puts quarantined beliefs last."""
        memory: Memory = context.memory
        allowed = [tool for tool in offered if self._may_use(tool, memory.standing.stage)]
        return tuple(sorted(allowed, key=lambda tool: memory.contradictions[tool.index]))

    def seat(self, context: Context) -> str:
        """Renders the self-model that the seat acts from."""
        memory, brief = context.memory, context.brief
        stage = memory.standing.stage
        doubted = [
            tool.id
            for tool, open_ones in zip(brief.tools, memory.contradictions, strict=True)
            if open_ones
        ]
        still_open = brief.goal.obligations & ~context.facts
        return (
            f"I am committed to '{brief.title}'. Closed: "
            f"{fact_words(brief, brief.goal.obligations & context.facts)}. "
            f"Open: {fact_words(brief, still_open)}. "
            f"Of {memory.claims.made} claims that the facts have answered, {memory.claims.held} "
            f"held. I am at stage {stage}, which caps my freedom at {self.ladder.cap(stage):.0%}. "
            f"Quarantined beliefs: {', '.join(doubted) or 'none'}."
        )

    def record(self, context: Context, event: Event) -> Memory:
        """Lets the facts answer this tick's prediction and every commitment."""
        memory: Memory = context.memory
        claims, standing, beliefs = memory.claims, memory.standing, memory.contradictions
        given_up = 0
        if isinstance(event, Judged) and (held := answer_of(event)) is not None:
            tool = event.tool.index
            claims, standing = claims.after(held), self.ladder.after(standing, held)
            belief = 0 if held else beliefs[tool] + 1
            beliefs = (*beliefs[:tool], belief, *beliefs[tool + 1 :])
            given_up = event.tool.revokes
        committed = memory.closed & ~given_up
        broken = committed & ~context.facts
        newly_broken = broken & ~memory.broken
        for _ in range(newly_broken.bit_count()):
            claims = claims.after(False)
        closed = committed | context.brief.goal.obligations & context.facts
        after = Memory(claims, standing, beliefs, closed, broken, newly_broken)
        if isinstance(event, Vetoed):
            return after.forgiving()
        return replace(after, forgiven=min(memory.forgiven, after.num_contradictions))

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks as the prediction before an act, the belief after it, the commitment at the end.

        The stress is the incoherence of the record as the event leaves it.
        """
        stress, free = self.error(context), context.freedom
        match event:
            case Decided():
                told = Row("prediction", stress, free, event.tool.id, _foretold(context, event))
            case Judged():
                told = Row("belief", stress, free, event.tool.id, _answered(context, event))
            case GoalMet():
                told = Row("commitment", stress, free, "kept", context.brief.title)
            case HandOff():
                detail = f"{event.reason}{self._held_back(context)}"
                told = Row("commitment", stress, free, "hand off", detail)
            case Reverted() | Arrived():
                told = Row("belief", stress, free, event.tool.id, _later_words(event))
            case _:
                told = Row("belief", stress, free, *plain_words(event))
        broken = context.memory.newly_broken
        if not broken or isinstance(event, (Decided, Reverted, Arrived, GoalMet, TimeUp)):
            return (told,)
        names = fact_words(context.brief, broken)
        detail = "contradiction: it was closed and is open again"
        return (told, Row("commitment", stress, free, names, detail))

    def sleep(self, context: Context) -> Sleep:
        """Closes the record as it stands: what was claimed is not forgiven overnight."""
        memory: Memory = context.memory
        summary = (
            f"coherence {memory.claims.coherence:.0%}, "
            f"predictions {memory.standing.accuracy:.0%}, stage {memory.standing.stage}, "
            f"open contradictions {memory.num_contradictions}"
        )
        return Sleep(memory, rows=(Row("belief", self.error(context), 0.0, "sleep", summary),))

    def _may_use(self, tool: Tool, stage: int) -> bool:
        return may_use(tool, stage, self.revoke_from, self.release_from)

    def _held_back(self, context: Context) -> str:
        stage = context.memory.standing.stage
        held = [
            tool.id
            for tool in context.brief.tools
            if not tool.requires & ~context.facts
            and not context.hidden >> tool.index & 1
            and not self._may_use(tool, stage)
        ]
        return f"; stage {stage} holds back {', '.join(held)}" if held else ""


def _foretold(context: Context, event: Decided) -> str:
    wanted = promise_words(context.brief, event.tool, context.facts)
    return f"will bring {wanted}; stage {context.memory.standing.stage}"


def _answered(context: Context, event: Judged) -> str:
    coherence = f"coherence {context.memory.claims.coherence:.0%}"
    match event.verdict:
        case Verdict.LANDED | Verdict.BELIEVED:
            return f"held, {coherence}"
        case Verdict.VACUOUS:
            return f"nothing to predict, {coherence}"
        case Verdict.PARTIAL:
            return f"contradiction in part: belief quarantined, {coherence}"
    if event.is_lie:
        return f"contradiction: belief quarantined, {coherence}"
    return f"prediction missed, as the tool said itself: belief quarantined, {coherence}"


def _later_words(event: Reverted | Arrived) -> str:
    names = ", ".join(event.facts)
    if isinstance(event, Reverted):
        return f"held once and holds no longer: {names}"
    return f"held after all: {names}"
