"""Orienting: a neuronal model of what each tool does, and the reflex when one does otherwise.

After Sokolov: an organism keeps a model of what comes next, and where the world departs from it the
world gets all attention, until the departure is no news any more. A mismatch is punished (the
tool's reliability falls); then one tick is held while the facts are read again; then the tool is
approached once. Each repeated mismatch of a tool halves the response, `0.5 ** (mismatches - 1)` in
(0, 1], and a match restores it whole. Error is mismatch (0 or 1) times that response.
Source: seed 000 names the design; the order of punishing, orienting and approach is its trace.
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
    Held,
    Judged,
    LayerOptions,
    Reverted,
    Row,
    Slots,
    Tool,
    Verdict,
    Waited,
    plain_words,
)
from creatura.regulators.measures.coherence import answer_of, has_come
from creatura.regulators.measures.wording import promise_words


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the neuronal model holds of one tool.

    Attributes:
        reliability: How much is expected of it, in [0, 1].
        mismatches: Mismatches since its last match, 0 or more.
    """

    reliability: float = 1.0
    mismatches: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """What it carries from tick to tick.

    Attributes:
        model: Expectations, one a tool.
        surprise: Index of the tool whose mismatch is the latest news, or None after a match.
        target: Index of the tool that it orients to, or None.
        has_oriented: Whether the held tick is over and the approach is due.
        was_approach: Whether the last act was an approach.
    """

    model: tuple[Expectation, ...]
    surprise: int | None = None
    target: int | None = None
    has_oriented: bool = False
    was_approach: bool = False


@final
@dataclass(frozen=True, slots=True)
class Orienting(Slots):
    """Sokolov's reflex: punish, hold still and look, approach once.

    Attributes:
        habituation: What each repeated mismatch leaves of the response, in [0, 1] (semantics: 0.5).
        learning_rate: Share of the way that reliability moves towards 0 on a mismatch and towards 1
            on a match, in [0, 1] (own choice: 0.5).
    """

    name: str = "orienting"
    layer: LayerOptions = LayerOptions()
    habituation: float = 0.5
    learning_rate: float = 0.5

    def __post_init__(self) -> None:
        for option in ("habituation", "learning_rate"):
            value = getattr(self, option)
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{option} is from 0 to 1, found {value:g}")

    def begin(self, brief: Brief) -> Memory:
        """Starts by expecting of every tool what it declares."""
        return Memory((Expectation(),) * len(brief.tools))

    def wake(self, brief: Brief, memory: Memory) -> Memory:
        """Keeps its model, with what it is used to by now; no reflex outlasts the night."""
        return Memory(memory.model)

    def error(self, context: Context) -> float:
        """The latest mismatch times what habituation has left of the response, in [0, 1]."""
        memory: Memory = context.memory
        if memory.surprise is None:
            return 0.0
        repeats = memory.model[memory.surprise].mismatches - 1
        return float(self.habituation**repeats)

    def probe(self, context: Context) -> Tool | None:
        """Approaches the tool it has oriented to, if the membrane hides it."""
        target = _approached(context.memory)
        if target is None or not context.hidden >> target & 1:
            return None
        return context.brief.tools[target]

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Puts the tool to approach first, where it is visible, and then the more reliable ones."""
        memory: Memory = context.memory
        target = _approached(memory)

        def reluctance(tool: Tool) -> tuple[bool, float]:
            return tool.index != target, -memory.model[tool.index].reliability

        return tuple(sorted(offered, key=reluctance))

    def seat(self, context: Context) -> str:
        """Says of which tools it expects less than they declare."""
        pairs = zip(context.brief.tools, context.memory.model, strict=True)
        doubted = [f"{tool.id} {e.reliability:.0%}" for tool, e in pairs if e.reliability < 1.0]
        return f"Expected of tools: {', '.join(doubted) or 'what they declare'}."

    def hold(self, context: Context, tool: Tool) -> str | None:
        """Keeps still for the tick after a mismatch."""
        if not _is_orienting(context.memory):
            return None
        return "orienting, the facts are read again"

    def record(self, context: Context, event: Event) -> Memory:
        """Updates the model on an act; otherwise takes the reflex one step on."""
        memory: Memory = context.memory
        if isinstance(event, Judged):
            return self._judged(memory, event)
        if isinstance(event, Busy):
            return memory
        if memory.target is None or memory.has_oriented:
            return Memory(memory.model, memory.surprise)
        if has_come(context.brief.tools[memory.target], context.facts):
            return Memory(memory.model)
        return Memory(memory.model, memory.surprise, memory.target, has_oriented=True)

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks as the model of what it expected, and as the reflex of what it does about it."""
        stress, free = self.error(context), context.freedom
        match event:
            case Decided():
                wanted = promise_words(context.brief, event.tool, context.facts)
                reliability = context.memory.model[event.tool.index].reliability
                detail = f"expects {wanted}, reliability {reliability:.0%}"
                return (Row("model", stress, free, event.tool.id, detail),)
            case Judged():
                level = "reflex" if context.memory.was_approach else "model"
                return (Row(level, stress, free, event.tool.id, _outcome_words(context, event)),)
            case Held():
                came = "" if context.memory.has_oriented else "; the effect has come after all"
                return (Row("reflex", stress, free, event.tool.id, f"held: {event.reason}{came}"),)
            case Waited() if context.memory.has_oriented:
                detail = "orienting, the facts are read again; there was nothing to hold back"
                return (Row("reflex", stress, free, "wait", detail),)
            case Reverted() | Arrived():
                return (Row("model", stress, free, event.tool.id, _later_words(event)),)
        return (Row("model", stress, free, *plain_words(event)),)

    def _judged(self, memory: Memory, event: Judged) -> Memory:
        matched = answer_of(event)
        if matched is None:
            return Memory(memory.model, memory.surprise)
        tool = event.tool.index
        was_approach = _approached(memory) == tool
        expected = self._learnt(memory.model[tool], matched)
        model = (*memory.model[:tool], expected, *memory.model[tool + 1 :])
        if matched:
            return Memory(model, was_approach=was_approach)
        # The one approach is not itself approached; what it met is for the seat to go round.
        target = None if was_approach else tool
        return Memory(model, surprise=tool, target=target, was_approach=was_approach)

    def _learnt(self, expected: Expectation, matched: bool) -> Expectation:
        towards = (1.0 if matched else 0.0) - expected.reliability
        reliability = expected.reliability + self.learning_rate * towards
        return Expectation(reliability, 0 if matched else expected.mismatches + 1)


def _is_orienting(memory: Memory) -> bool:
    return memory.target is not None and not memory.has_oriented


def _approached(memory: Memory) -> int | None:
    return memory.target if memory.has_oriented else None


def _later_words(event: Reverted | Arrived) -> str:
    names = ", ".join(event.facts)
    if isinstance(event, Reverted):
        return f"the match did not last: {names}"
    return f"a match that comes late: {names}"


def _outcome_words(context: Context, event: Judged) -> str:
    reliability = f"reliability {context.memory.model[event.tool.index].reliability:.0%}"
    match event.verdict:
        case Verdict.LANDED | Verdict.BELIEVED:
            words = f"match, {reliability}"
        case Verdict.VACUOUS:
            words = "nothing was left to expect"
        case Verdict.PARTIAL:
            words = f"mismatch in part: punished, {reliability}"
        case Verdict.MISSING if event.is_lie:
            words = f"mismatch: punished, {reliability}"
        case Verdict.MISSING:
            words = f"mismatch, as the tool said itself: punished, {reliability}"
    return f"approach: {words}" if context.memory.was_approach else words
