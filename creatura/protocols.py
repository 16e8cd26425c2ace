"""Protocols: what the parts say to each other.

Designs, seats, extensions and observers see nothing of the engine: they are given the frozen
records of this module and answer with them. Facts and tools cross the border as int masks in which
bit i is the i-th fact, or tool, in the order the world declares them (see `bits`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words

# --------------------------------------------------------------------------- what a world is


@dataclass(frozen=True, slots=True)
class Tool:
    """What anyone may know of a tool: its declaration, not its honesty.

    Attributes:
        index: Position in the world's order of declaration.
        requires, grants, revokes: Masks of facts.
        release: Whether it ships something and so needs an earned record.
        cost: What one call costs, 0 or more, in the world's own unit.
    """

    id: str
    index: int
    requires: int
    grants: int
    revokes: int = 0
    release: bool = False
    cost: float = 0.0

    def after(self, facts: int) -> int:
        """Returns the facts that its declaration promises to leave."""
        return (facts | self.grants) & ~self.revokes


@dataclass(frozen=True, slots=True)
class Goal:
    """When a task is done: any clause holds and every obligation is closed.

    Attributes:
        text: The predicate as the world's author wrote it.
        clauses: Disjunctive normal form: (facts that must hold, facts that must not).
        obligations: Mask of the facts that must close.
    """

    text: str
    clauses: tuple[tuple[int, int], ...]
    obligations: int

    def is_met(self, facts: int) -> bool:
        """Reads the predicate over a mask of facts."""
        if facts & self.obligations != self.obligations:
            return False
        return any(facts & needs == needs and not facts & bars for needs, bars in self.clauses)


@dataclass(frozen=True, slots=True)
class Brief:
    """What every part may know of the world it is in.

    Attributes:
        world: The world's name. title: What the task is called in prose.
        facts: Fact names, in declaration order.
        obligations: Indices of the facts that must close, in their order.
    """

    world: str
    title: str
    facts: tuple[str, ...]
    tools: tuple[Tool, ...]
    goal: Goal
    obligations: tuple[int, ...]

    def num_open(self, facts: int) -> int:
        """Counts the obligations that do not hold now."""
        return (self.goal.obligations & ~facts).bit_count()

    def progress(self, facts: int) -> float:
        """Closed share of the obligations, in [0, 1]; 1 where a world has none."""
        total = len(self.obligations)
        return 1.0 - self.num_open(facts) / total if total else 1.0


# --------------------------------------------------------------------------- the membrane's words


class JudgeRule(StrEnum):
    """What a missing effect means when the tool itself reported failure."""

    EFFECT_FIRST = "effect-first"
    REPORT_FIRST = "report-first"


class Verdict(StrEnum):
    """What the effect check read in the facts after an act.

    `BELIEVED` stands where nobody checked: the membrane is off and success was reported.
    """

    LANDED = "landed"
    VACUOUS = "vacuous"
    PARTIAL = "partial"
    MISSING = "missing"
    BELIEVED = "believed"


@dataclass(frozen=True, slots=True)
class LayerOptions:
    """Switches on the one membrane (source: the seed's layer options and quarantine rule).

    Attributes:
        membrane: Off for the control arm: reports are believed and nothing is withheld.
        judge_rule: Whether a reported failure costs trust.
        cooldown_ticks: Ticks a distrusted tool stays hidden, 0 or more.
        clear_quarantine_on_no_route: Trust every tool again as soon as the seat sees no route.
        release_min_landed: Landed effects a release tool waits for.
        release_min_share: Landed share of judged acts it waits for, in [0, 1].
        retry_budget: Whether freedom limits how often a tool may be tried in a row.
    """

    membrane: bool = True
    judge_rule: JudgeRule = JudgeRule.EFFECT_FIRST
    cooldown_ticks: int = 3
    clear_quarantine_on_no_route: bool = False
    release_min_landed: int = 3
    release_min_share: float = 0.6
    retry_budget: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """What a tool said of its own call; never evidence."""

    success: bool
    message: str


# --------------------------------------------------------------------------- events of a tick


@dataclass(frozen=True, slots=True)
class Decided:
    """The seat chose a tool that was offered.

    Attributes:
        plan: Tool ids from this one to the goal; empty where the seat has no plan.
        why: The seat's own line, where it has one.
    """

    tool: Tool
    plan: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Judged:
    """An act ran and was read against the facts.

    Attributes:
        is_lie: Success was reported and the effect is missing.
        is_quarantined: The layer hid the tool for it.
        is_probe: The design asked for this act as its one approach after a lie.
    """

    tool: Tool
    report: Report
    verdict: Verdict
    is_lie: bool
    is_quarantined: bool
    is_probe: bool


@dataclass(frozen=True, slots=True)
class Waited:
    """No route, but a distrusted tool will be trusted again: the tick passed."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The seat let the tick pass without a tool, and without giving up."""


@dataclass(frozen=True, slots=True)
class Busy:
    """A slow tool has not come back yet: the tick passed."""

    tool: Tool


@dataclass(frozen=True, slots=True)
class Refused:
    """The gatekeeper did not let the named tool run; `named` is the answer word for word."""

    named: str
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """The design itself kept the seat's choice back for this tick."""

    tool: Tool
    reason: str


@dataclass(frozen=True, slots=True)
class HandOff:
    """The task goes to a person; also what a design's `stop` answers to ask for it."""

    reason: str


@dataclass(frozen=True, slots=True)
class GoalMet:
    """The task's predicate holds in what this design may believe."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The case's last tick has passed with the task open."""

    max_ticks: int


Event = Decided | Judged | Waited | Passed | Busy | Refused | Held | HandOff | GoalMet | TimeUp


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a trace, in the design's own vocabulary.

    Attributes:
        level: Which part of the design speaks.
        stress, freedom: Shares in [0, 1].
    """

    level: str
    stress: float
    freedom: float
    action: str
    detail: str


# --------------------------------------------------------------------------- designs


@dataclass(frozen=True, slots=True)
class Context:
    """What a design reads when one of its slots is asked.

    Attributes:
        tick: From 1.
        facts: Mask of what holds, as far as this design may believe it: at the start of the tick
            before the act, and after the transition in `record` and `tell` of a judged act.
        offered: Mask of the tools the layer shows. hidden: Mask of those in quarantine.
        error, freedom: This tick's values once they are asked, 0 before.
        layer: The switches of the membrane this design lives in.
        memory: What `begin` or the last `record` returned.
    """

    brief: Brief
    tick: int
    max_ticks: int
    facts: int
    offered: int
    hidden: int
    error: float
    freedom: float
    layer: LayerOptions
    memory: Any

    @property
    def num_open(self) -> int:
        """Obligations that do not hold now."""
        return self.brief.num_open(self.facts)

    @property
    def progress(self) -> float:
        """Closed share of the obligations, in [0, 1]."""
        return self.brief.progress(self.facts)


@dataclass(frozen=True, slots=True)
class Sleep:
    """Closing consolidation: what the design now believes, and what it would like to want.

    Attributes:
        memory: The rewritten record.
        proposal: A goal edit for a person to accept or not; nothing applies it. Empty for none.
        rows: Closing lines of the trace.
    """

    memory: Any
    proposal: str = ""
    rows: tuple[Row, ...] = ()


class Regulator(Protocol):
    """A design: the questions the loop asks, in the order of a tick. `Slots` has the defaults."""

    @property
    def name(self) -> str:
        """The design's name on the command line and in reports."""

    @property
    def layer(self) -> LayerOptions:
        """The membrane options it lives with unless a case says otherwise."""

    def begin(self, brief: Brief) -> Any:
        """Returns the memory it starts a case with; immutable, since the loop carries it."""

    def error(self, context: Context) -> float:
        """How far things are from where they should be, in [0, 1]."""

    def freedom(self, context: Context, error: float) -> float:
        """How much room to improvise that error buys, in [0, 1]."""

    def stop(self, context: Context) -> HandOff | None:
        """Hands off to a person before the seat is asked, or goes on."""

    def probe(self, context: Context) -> Tool | None:
        """Names a quarantined tool to approach this tick instead of asking the seat."""

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Reorders the offered tools (first is preferred) or holds some back."""

    def seat(self, context: Context) -> str:
        """Renders what the seat should read beside facts and tools."""

    def hold(self, context: Context, tool: Tool) -> str | None:
        """Gives a reason to keep the chosen tool back this tick, or lets it go."""

    def record(self, context: Context, event: Event) -> Any:
        """Returns the next memory after what this tick came to."""

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """Tells an event in the design's own vocabulary; the memory is already the next one."""

    def sleep(self, context: Context) -> Sleep:
        """Consolidates when the case is over."""


def budget_of(freedom: float) -> int:
    """Converts freedom to a retry budget: tries of one tool in a row that may fail to land.

    >>> [budget_of(freedom) for freedom in (0.0, 0.1, 0.5, 0.65, 1.0)]
    [1, 1, 3, 3, 4]
    """
    # Python's round is half-to-even, as the rule asks: 1 + round(1.5) is 3.
    return min(4, max(1, 1 + round(3 * freedom)))


# --------------------------------------------------------------------------- seats


@dataclass(frozen=True, slots=True)
class Reading:
    """The prose a seat may read for one agent: self-model, what happened, notes."""

    self_model: str
    history: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatBatch:
    """Everything that N agents' seats are asked in one tick; equal positions belong together.

    Attributes:
        facts: Masks of what holds. offered: Masks of the tools that may be answered.
        ahead: Masks of the tools that offered ones lead to; they may be planned, not answered.
        order: Offered tools in the design's preference, or None for declaration order.
        freedom: Shares in [0, 1] `[N]`.
        seeds `[N]`, episodes `[N]`, agent: Keys for counter-based draws.
        reading: Renders the prose of position i; asked only by seats that read prose.
    """

    brief: Brief
    tick: int
    facts: Sequence[int]
    offered: Sequence[int]
    ahead: Sequence[int]
    order: Sequence[tuple[int, ...] | None]
    freedom: NDArray[np.float64]
    seeds: NDArray[np.int64]
    episodes: NDArray[np.int64]
    agent: int
    reading: Callable[[int], Reading]

    def __len__(self) -> int:
        return len(self.facts)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat answers: the id of an offered tool, or None for 'I see no route'.

    Attributes:
        tool: Taken word for word; anything but an offered tool's id is refused and recorded.
        plan: Tool ids from this one to the goal, where the seat has a plan.
        why: One line for the trace, where the seat has one.
        passes: With no tool: let the tick pass, rather than 'I see no route'.
    """

    tool: str | None
    plan: tuple[str, ...] = ()
    why: str = ""
    passes: bool = False


class Seat(Protocol):
    """A decision maker: one method, asked for a whole batch at once."""

    @property
    def name(self) -> str:
        """The seat's name on the command line and in reports."""

    def decide(self, batch: SeatBatch) -> Sequence[Answer]:
        """Answers every position of the batch, in order."""


# --------------------------------------------------------------------------- observers


@dataclass(frozen=True, slots=True)
class Claims:
    """What tools said in one tick, beside the facts an observer may read for itself.

    Attributes:
        runs: Positions of the runs `[N]`. agent: Whose acts these are. tick: From 1.
        tools: Tool indices `[N]`. success: What was reported `[N]`.
        before, after: Facts as words `[N, K]`.
    """

    tick: int
    agent: int
    runs: NDArray[np.int64]
    tools: NDArray[np.int64]
    success: NDArray[np.bool_]
    before: Words
    after: Words


class Watch(Protocol):
    """An observer's notebook for one batch of runs; it is told, and has no way to act."""

    def saw(self, claims: Claims) -> None:
        """Notes what the tools of one agent claimed in one tick."""

    def closed(self, tick: int, agent: int, runs: NDArray[np.int64], facts: Words) -> None:
        """Notes that these runs declared the task done over these facts `[N, K]`."""

    def findings(self, run: int) -> Findings:
        """Sums up one run."""


@dataclass(frozen=True, slots=True)
class Findings:
    """An observer's closing count over one run, and the route it read afterwards."""

    claims: int
    judgements: int
    flags: int
    route: tuple[str, ...]


class Observer(Protocol):
    """A watcher without hands: it opens a notebook for a batch of runs."""

    @property
    def name(self) -> str:
        """The observer's name in reports."""

    def watch(self, brief: Brief, num_runs: int) -> Watch:
        """Opens an empty notebook."""


# --------------------------------------------------------------------------- default slots


class Slots:
    """The default of every slot: a design overrides only what it needs.

    The loop asks an overridden slot once per agent and computes a default for the whole batch.
    """

    name: str
    layer: LayerOptions = LayerOptions()

    def begin(self, brief: Brief) -> Any:
        """No memory."""
        return None

    def error(self, context: Context) -> float:
        """No error."""
        return 0.0

    def freedom(self, context: Context, error: float) -> float:
        """Plasticity: `0.1 + 0.9 * error`."""
        return plasticity(error)

    def stop(self, context: Context) -> HandOff | None:
        """Never hands off."""
        return None

    def probe(self, context: Context) -> Tool | None:
        """Never approaches a distrusted tool."""
        return None

    def shape(self, context: Context, offered: tuple[Tool, ...]) -> tuple[Tool, ...]:
        """Keeps the declared order and holds nothing back."""
        return offered

    def seat(self, context: Context) -> str:
        """Nothing to read."""
        return ""

    def hold(self, context: Context, tool: Tool) -> str | None:
        """Lets every choice go."""
        return None

    def record(self, context: Context, event: Event) -> Any:
        """Keeps its memory as it is."""
        return context.memory

    def tell(self, context: Context, event: Event) -> tuple[Row, ...]:
        """One row a tick, at the level `agent`, in the membrane's plain words."""
        action, detail = plain_words(event)
        return (Row("agent", context.error, context.freedom, action, detail),) if action else ()

    def sleep(self, context: Context) -> Sleep:
        """Keeps its memory and proposes nothing."""
        return Sleep(context.memory)


def plasticity(error: float) -> float:
    """Freedom that an error in [0, 1] buys: calm keeps a tenth, despair takes all.

    >>> plasticity(0.0), plasticity(1.0)
    (0.1, 1.0)
    """
    return 0.1 + 0.9 * error


CRASHED = "crashed"  # the message of a report that stands for an exception


def plain_words(event: Event) -> tuple[str, str]:
    """Renders an event as (action, detail); an empty action means there is nothing to tell."""
    match event:
        case Judged():
            return event.tool.id, _judged_words(event)
        case Refused():
            return event.named, f"refused: {event.reason}"
        case Busy() | Held():
            why = f"held back: {event.reason}" if isinstance(event, Held) else _STILL_BUSY
            return event.tool.id, why
        case HandOff():
            return "hand off", event.reason
        case TimeUp():
            return "stop", f"the {event.max_ticks} ticks of this case are up"
    return _FIXED_WORDS[type(event)]


_STILL_BUSY = "still at work: nothing came back yet"
_FIXED_WORDS: dict[type, tuple[str, str]] = {
    Waited: ("wait", "no route while a tool is distrusted"),
    Passed: ("wait", "the seat let the tick pass"),
    GoalMet: ("done", "the goal holds"),
    Decided: ("", ""),
}


def _judged_words(event: Judged) -> str:
    said = "success" if event.report.success else "failure"
    match event.verdict:
        case Verdict.LANDED:
            words = "landed" if event.report.success else "landed, though failure was reported"
        case Verdict.VACUOUS:
            words = "held already: no evidence either way"
        case Verdict.PARTIAL:
            words = f"landed in part, {said} reported"
        case Verdict.BELIEVED:
            words = "success reported and believed"
        case Verdict.MISSING if event.is_lie:
            words = "lie: success reported, effect missing"
        case Verdict.MISSING:
            cause = "crash" if event.report.message == CRASHED else "honest failure"
            words = f"{cause}: nothing landed"
    if event.is_probe:
        words = f"probe: {words}"
    return f"{words}; quarantined" if event.is_quarantined else words
