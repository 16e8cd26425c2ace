"""Map-keeper: a stack of stories about the way there, and a walk towards whatever they miss.

After Peterson: one acts from a map of what is and what should be, and what the map did not foretell
is met by going towards it before redrawing it. The stack holds the root contract, a story for each
obligation, and the act, so its depth is obligations + 2. An outcome that the map did not predict is
an anomaly of size (stories with no way left without that tool) / depth, in (0, 1]; error is
`max(anomaly, untried share of the visible tools)`. One approach, then the tool's road is struck; a
story with no road left collapses and hands its problem up. Attempts are stories, so the membrane
counts none of them. Source: seed 000; how a problem is handed up is an own choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from creatura.bits import indices_of, mask_of
from creatura.protocols import (
    Arrived,
    Brief,
    Context,
    Decided,
    Event,
    GoalMet,
    HandOff,
    Judged,
    JudgeRule,
    LayerOptions,
    Reverted,
    Row,
    Slots,
    TimeUp,
    Tool,
    Verdict,
    Vetoed,
    plain_words,
)
from creatura.regulators.measures.coherence import answer_of, has_come
from creatura.regulators.measures.wording import fact_words, plan_words


@dataclass(frozen=True, slots=True)
class Memory:
    """The map as it stands.

    Attributes:
        tried: Mask of the tools it has walked with.
        struck: Mask of the tools whose road is off the map.
        doubted: Mask of the tools that surprised it and wait to be approached.
        anomaly: Size of the latest surprise, in [0, 1]; 0 once none waits.
        broken: Stories that the latest surprise breaks.
        was_approach: Whether this tick's act was an approach.
        was_handed_up: Whether a problem reached the root this tick.
        collapsed: Mask of the obligations whose story collapsed with it.
        carried: Problems that the root has taken over.
        has_fallen: Whether the root story has fallen.
    """

    tried: int = 0
    struck: int = 0
    doubted: int = 0
    anomaly: float = 0.0
    broken: int = 0
    was_approach: bool = False
    was_handed_up: bool = False
    collapsed: int = 0
    carried: int = 0
    has_fallen: bool = False


@dataclass(frozen=True, slots=True)
class _Lost:
    """What taking one more road off the map costs.

    Attributes:
        obligations: Mask of those no road leads to any more.
        is_contract_lost: Whether the contract cannot be told without that road.
        depth: Height of the whole stack.
    """

    obligations: int
    is_contract_lost: bool
    depth: int


@final
@dataclass(frozen=True, slots=True)
class MapKeeper(Slots):
    """Peterson's map: stories that break, and an approach before they are told anew.

    Attributes:
        root_carries: Problems the root takes over, each time telling the map anew with every road
            on it, before it falls itself, 0 or more (own choice: 1).
    """

    name: str = "map-keeper"
    layer: LayerOptions = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST, retry_budget=False)
    root_carries: int = 1

    def __post_init__(self) -> None:
        if self.root_carries < 0:
            raise ValueError(f"root_carries is 0 or more, found {self.root_carries}")

    def begin(self, brief: Brief) -> Memory:
        """Starts with every road on the map and none of them walked."""
        return Memory()

    def wake(self, brief: Brief, memory: Memory) -> Memory:
        """Knows the roads that it has walked; a new day puts every road back on the map."""
        return Memory(tried=memory.tried)

    def error(self, context: Context) -> float:
        """The anomaly that waits, or the untried share of the visible tools if larger."""
        memory: Memory = context.memory
        visible = context.offered.bit_count()
        untried = (context.offered & ~memory.tried).bit_count()
        return max(memory.anomaly, untried / visible if visible else 0.0)

    def stop(self, context: Context) -> HandOff | None:
        """Hands off once the last story has fallen."""
        return HandOff("the root story has fallen") if context.memory.has_fallen else None

    def probe(self, context: Context) -> Tool | None:
        """Approaches what surprised it, where the membrane hides that."""
        hidden = context.hidden & context.memory.doubted
        return context.brief.tools[next(indices_of(hidden))] if hidden else None

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Shows the roads on the map; what surprised it comes first, where it is visible."""
        memory: Memory = context.memory
        roads = [tool for tool in offered if not memory.struck >> tool.index & 1]
        return tuple(sorted(roads, key=lambda tool: not memory.doubted >> tool.index & 1))

    def seat(self, context: Context) -> str:
        """Tells the seat where the map can be trusted."""
        brief, memory = context.brief, context.memory
        return (
            f"The contract is '{brief.title}'; open chapters: "
            f"{fact_words(brief, brief.goal.obligations & ~context.facts)}. "
            f"To approach: {_tool_words(brief, memory.doubted)}. "
            f"Off the map: {_tool_words(brief, memory.struck)}."
        )

    def record(self, context: Context, event: Event) -> Memory:
        """Walks a road, meets an anomaly, or redraws the map after the approach."""
        memory = _news_read(context)
        if isinstance(event, Vetoed):
            # Told to go on, it needs roads to go on by: the root story stands again as at first.
            return replace(memory, struck=0, carried=0, has_fallen=False)
        if not isinstance(event, Judged):
            return memory
        bit = 1 << event.tool.index
        was_approach = bool(context.memory.doubted & bit)
        memory = replace(memory, tried=memory.tried | bit, was_approach=was_approach)
        match answer_of(event):
            case None:
                return memory
            case True:
                return _without_doubt(replace(memory, struck=memory.struck & ~bit), bit)
        lost = _lost(context, memory.struck, bit)
        return self._redrawn(memory, bit, lost) if was_approach else self._met(memory, bit, lost)

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Speaks as the story it is in, as the act that carries it, and as the root when it must.

        An act's stress is the anomaly it leaves; the other rows show the error.
        """
        stress, free = self.error(context), context.freedom
        match event:
            case Decided():
                return (Row("story", stress, free, _chapter(context), plan_words(event)),)
            case Judged():
                return (_act_row(context, event), *_fall_rows(context, stress))
            case GoalMet():
                return (Row("root", stress, free, "told to the end", context.brief.title),)
            case HandOff() | Vetoed() | TimeUp():
                return (Row("root", stress, free, *plain_words(event)),)
            case Reverted() | Arrived():
                return (Row("act", stress, free, event.tool.id, _later_words(event)),)
        return (Row("act", stress, free, *plain_words(event)),)

    def _met(self, memory: Memory, bit: int, lost: _Lost) -> Memory:
        root_breaks = lost.is_contract_lost and memory.carried >= self.root_carries
        broken = 1 + lost.obligations.bit_count() + root_breaks
        doubted = memory.doubted | bit
        return replace(memory, doubted=doubted, anomaly=broken / lost.depth, broken=broken)

    def _redrawn(self, memory: Memory, bit: int, lost: _Lost) -> Memory:
        memory = _without_doubt(replace(memory, struck=memory.struck | bit), bit)
        if not lost.is_contract_lost:
            return memory
        memory = replace(memory, was_handed_up=True, collapsed=lost.obligations)
        if memory.carried < self.root_carries:
            return replace(memory, carried=memory.carried + 1, struck=0)
        return replace(memory, has_fallen=True)


def _lost(context: Context, struck: int, bit: int) -> _Lost:
    brief = context.brief
    before = _reach(brief, context.facts, struck)
    lost = before & ~_reach(brief, context.facts, struck | bit)
    obligations = lost & brief.goal.obligations
    # Only where every way to meet the goal needs something lost is the contract itself at stake.
    is_contract_lost = bool(obligations) or all(needs & lost for needs, _ in brief.goal.clauses)
    return _Lost(obligations, is_contract_lost, _depth(brief))


def _reach(brief: Brief, facts: int, struck: int) -> int:
    """Returns every fact that roads on the map could lead to, as if no tool took any away."""
    roads = [tool for tool in brief.tools if not struck >> tool.index & 1]
    reached, grown = -1, facts
    while reached != grown:
        reached = grown
        for tool in roads:
            if not tool.requires & ~reached:
                grown |= tool.grants
    return reached


def _depth(brief: Brief) -> int:
    return len(brief.obligations) + 2


def _news_read(context: Context) -> Memory:
    """Closes the news of the last tick; what came late after all needs no approach."""
    memory: Memory = context.memory
    quiet = replace(memory, was_approach=False, was_handed_up=False, collapsed=0)
    tools = context.brief.tools
    come = mask_of(i for i in indices_of(memory.doubted) if has_come(tools[i], context.facts))
    return _without_doubt(quiet, come)


def _without_doubt(memory: Memory, tools: int) -> Memory:
    doubted = memory.doubted & ~tools
    if doubted:
        return replace(memory, doubted=doubted)
    return replace(memory, doubted=0, anomaly=0.0, broken=0)


def _chapter(context: Context) -> str:
    """Names the first obligation that is open, or the contract itself."""
    names = context.brief.facts
    still_open = (names[i] for i in context.brief.obligations if not context.facts >> i & 1)
    return next(still_open, "contract")


def _act_row(context: Context, event: Judged) -> Row:
    memory: Memory = context.memory
    how = "" if event.report.success else "the tool reported it itself, "
    size = f"{how}{memory.broken} of {_depth(context.brief)} stories broken"
    match answer_of(event):
        case None:
            words = "nothing was left to foretell"
        case True:
            words = "approached: as foretold after all" if memory.was_approach else "as foretold"
        case False if memory.was_approach:
            words = "approached in vain: its story collapsed, its road is off the map"
        case False if event.verdict is Verdict.PARTIAL:
            words = f"anomaly in part, approaching next tick: {size}"
        case False:
            words = f"anomaly, approaching next tick: {size}"
    return Row("act", memory.anomaly, context.freedom, event.tool.id, words)


def _fall_rows(context: Context, stress: float) -> tuple[Row, ...]:
    memory: Memory = context.memory
    if not memory.was_handed_up:
        return ()
    free, names = context.freedom, fact_words(context.brief, memory.collapsed)
    root = "has fallen, no story is left" if memory.has_fallen else "takes over: every road is back"
    return (
        Row("story", stress, free, names, "collapsed with no road left, handed up"),
        Row("root", stress, free, "contract", root),
    )


def _later_words(event: Reverted | Arrived) -> str:
    names = ", ".join(event.facts)
    if isinstance(event, Reverted):
        return f"the ground it won has gone again: {names}"
    return f"the road led there after all: {names}"


def _tool_words(brief: Brief, tools: int) -> str:
    return ", ".join(brief.tools[index].id for index in indices_of(tools)) or "none"
