"""Events: what a tick may come to, and the plain words for it."""

from __future__ import annotations

from dataclasses import dataclass

from creatura.protocols.layers import Report, Verdict
from creatura.protocols.tasks import Tool


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
class Vetoed:
    """A hand-off was sent back and the run goes on.

    Attributes:
        reason: Why the agent wanted to hand off. why: What it was answered.
    """

    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Reverted:
    """What an earlier act had landed holds no longer, and no act of this agent's took it away.

    Attributes:
        facts: Names of the facts that are gone.
        reopened: Those of them that are obligations, and open again.
    """

    tool: Tool
    facts: tuple[str, ...]
    reopened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrived:
    """What an earlier act had promised and not brought holds now, by no act of this agent's.

    Attributes:
        facts: Names of the facts that have come.
    """

    tool: Tool
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalMet:
    """The task's predicate holds in what this design may believe."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The case's last tick has passed with the task open."""

    max_ticks: int


Event = (
    Decided
    | Judged
    | Waited
    | Passed
    | Busy
    | Refused
    | Held
    | HandOff
    | Vetoed
    | Reverted
    | Arrived
    | GoalMet
    | TimeUp
)


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
        case Vetoed():
            return "hand off", f"{event.reason}; sent back: {event.why}"
        case Reverted() | Arrived():
            return event.tool.id, _later_words(event)
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


def _later_words(event: Reverted | Arrived) -> str:
    names, hold = ", ".join(event.facts), "holds" if len(event.facts) == 1 else "hold"
    if isinstance(event, Arrived):
        return f"came late: {names} {hold} now"
    words = f"undone: {names} {hold} no longer"
    if not event.reopened:
        return words
    which = "" if len(event.reopened) == len(event.facts) else f"{', '.join(event.reopened)} "
    return f"{words}, {which}open again"


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
