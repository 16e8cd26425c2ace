"""Designs: the questions that the loop asks a regulator, and the default answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from creatura.protocols.events import Event, HandOff, plain_words
from creatura.protocols.layers import LayerOptions
from creatura.protocols.tasks import Brief, Tool


class Row(NamedTuple):
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


class Context(NamedTuple):
    """What a design reads when one of its slots is asked.

    A named tuple, because half a dozen are made for each run and tick and a frozen dataclass takes
    several times as long to make.

    Attributes:
        tick: From 1.
        facts: Mask of what holds, as far as this design may believe it: at the start of the tick
            before the act, and after the transition in `record` and `tell` of a judged act.
        offered: Mask of the tools the layer shows. hidden: Mask of those in quarantine.
        tried: Mask of the tools that the ledger knows an act of.
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
    tried: int
    error: float
    freedom: float
    layer: LayerOptions
    memory: Any

    def with_memory(self, memory: Any) -> Context:
        """Returns the same context over another memory."""
        return self._replace(memory=memory)

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

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Returns the memory the next case of a sequence starts with, given what it slept on."""

    def ceiling(self, context: Context) -> float:
        """The most freedom it may have now, in [0, 1]; `freedom` keeps to it."""

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


def plasticity(error: float) -> float:
    """Freedom that an error in [0, 1] buys: calm keeps a tenth, despair takes all.

    >>> plasticity(0.0), plasticity(1.0)
    (0.1, 1.0)
    """
    return 0.1 + 0.9 * error


class Slots:
    """The default of every slot: a design overrides only what it needs.

    The loop asks an overridden slot once per agent and computes a default for the whole batch.
    """

    name: str
    layer: LayerOptions = LayerOptions()

    def begin(self, brief: Brief) -> Any:
        """No memory."""
        return None

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Starts afresh."""
        return self.begin(brief)

    def ceiling(self, context: Context) -> float:
        """No ceiling."""
        return 1.0

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
