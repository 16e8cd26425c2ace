"""Strategies: small random worlds that can be solved, and faults of their tools."""

from __future__ import annotations

from hypothesis import strategies as st

from creatura.world import TAKES_DELAY, TAKES_FACT, Fault, Mode, World, parse_world

MAX_FACTS = 5


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draws a chain of facts, each granted by one to three tools, some of which are releases."""
    facts = [f"f{i}" for i in range(draw(st.integers(1, MAX_FACTS)))]
    tools = []
    for i, fact in enumerate(facts):
        needs = f"[{facts[i - 1]}]" if i else "[]"
        for twin in range(draw(st.integers(1, 3))):
            # A release too early in the chain could never be earned, so only late ones ship.
            release = i >= 3 and draw(st.booleans())
            tools.append(
                f"  t{i}-{'abc'[twin]}: {{requires: {needs}, grants: [{fact}], "
                f"release: {str(release).lower()}}}"
            )
    head = f"name: drawn\nfacts: [{', '.join(facts)}]\ntools:\n"
    task = f"\ntask: {{goal: {facts[-1]}, obligations: [{', '.join(facts)}]}}\n"
    return parse_world(head + "\n".join(tools) + task, "drawn.yaml")


# What a call does at once or not at all; the other modes move facts at other times.
PROMPT_MODES = (Mode.DELIVER, Mode.FAIL, Mode.LIE)


@st.composite
def fault(draw: st.DrawFn, world: World, modes: tuple[Mode, ...] = tuple(Mode)) -> Fault:
    """Draws one fault of some modes and any schedule."""
    tool = draw(st.sampled_from([tool.id for tool in world.brief.tools]))
    mode = draw(st.sampled_from(modes))
    fact = draw(st.sampled_from(world.brief.facts)) if mode in TAKES_FACT else None
    delay = draw(st.integers(1, 3)) if mode in TAKES_DELAY else 2
    schedules = ["always", "times", "ticks", "probability"]
    schedule: dict[str, object] = {}
    match draw(st.sampled_from(schedules)):
        case "times":
            schedule = {"times": draw(st.integers(1, 3))}
        case "ticks":
            ticks = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
            schedule = {"ticks": tuple(ticks)}
        case "probability":
            schedule = {"probability": draw(st.sampled_from([0.1, 0.5, 0.9, 1.0]))}
    return Fault(tool, mode, fact=fact, delay=delay, **schedule)


def faults(
    world: World, most: int = 4, modes: tuple[Mode, ...] = tuple(Mode)
) -> st.SearchStrategy[tuple[Fault, ...]]:
    """Draws the faults of one run."""
    return st.lists(fault(world, modes), max_size=most).map(tuple)
