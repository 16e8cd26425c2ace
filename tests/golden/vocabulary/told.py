"""Told: what each design says of the same happenings, one after another."""

from __future__ import annotations

from collections.abc import Iterator

from creatura import resolver
from creatura.protocols import (
    Arrived,
    Busy,
    Decided,
    Event,
    GoalMet,
    HandOff,
    Held,
    Passed,
    Refused,
    Regulator,
    Reverted,
    TimeUp,
    Verdict,
    Vetoed,
    Waited,
)
from tests.unit.regulators.contexts import (
    CONFIG,
    PATCH,
    SHIP,
    TEST,
    A,
    B,
    C,
    act,
    at,
    failure,
    landing,
    lie,
)

# What happens, and the facts after it. `Reverted` and `Arrived` are told and not recorded.
HAPPENINGS: tuple[tuple[Event, int], ...] = (
    (Decided(PATCH, ("patch", "test", "ship"), ""), 0),
    (lie(PATCH), 0),
    (Held(CONFIG, "not yet"), 0),
    (Waited(), 0),
    (lie(PATCH, is_probe=True), 0),
    (failure(CONFIG), 0),
    (Busy(CONFIG), 0),
    (Waited(), 0),
    (act(CONFIG, Verdict.PARTIAL), 0),
    (landing(CONFIG), A),
    (act(PATCH, Verdict.VACUOUS), A),
    (Refused("ship", "not offered"), A),
    (landing(TEST), A | B),
    (Reverted(CONFIG, ("a", "b"), ("a",)), B),
    (Arrived(PATCH, ("a", "b")), A | B),
    (Passed(), A | B),
    (Vetoed("no route", "go on"), A | B),
    (Decided(SHIP, ("ship",), ""), A | B),
    (HandOff("no route"), A | B),
    (TimeUp(40), A | B),
    (GoalMet(), A | B | C),
)


def told() -> list[str]:
    """Renders the whole file; the control arm has no words of its own."""
    names = [name for name in resolver.DESIGNS if name != resolver.CONTROL_ARM]
    return [line for name in names for line in _of(resolver.design(name))]


def _of(design: Regulator) -> Iterator[str]:
    yield f"{design.name}"
    memory = design.begin(at(None).brief)
    for tick, (event, facts) in enumerate(HAPPENINGS, 1):
        before = at(memory, facts, tick=tick)
        error = design.error(before)
        freedom = design.freedom(before._replace(error=error), error)
        context = before._replace(error=error, freedom=freedom)
        if not isinstance(event, (Decided, Reverted, Arrived, GoalMet, TimeUp)):
            memory = design.record(context, event)
        yield f"  {_name(event)}: error {error:.2f}, freedom {freedom:.2f}"
        for row in design.tell(context.with_memory(memory), event):
            shown = f"{row.stress:.2f} {row.freedom:.2f} {row.action}: {row.detail}"
            yield f"      {row.level:<10} {shown}"
        if isinstance(event, Busy):
            yield f"  seat reads: {design.seat(at(memory, facts)) or 'nothing'}"
    yield f"  seat reads: {design.seat(at(memory, A | B)) or 'nothing'}"
    slept = design.sleep(at(memory, A | B | C))
    for row in slept.rows:
        yield f"  sleep: {row.level} {row.stress:.2f} {row.freedom:.2f} {row.action}: {row.detail}"
    yield f"  proposal: {slept.proposal or 'none'}"


def _name(event: Event) -> str:
    tool = getattr(event, "tool", None)
    return f"{type(event).__name__}{f' {tool.id}' if tool else ''}"


if __name__ == "__main__":
    print("\n".join(told()))
