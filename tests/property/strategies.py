"""Strategies: small random worlds that can be solved, and faults of their tools."""

from __future__ import annotations

from hypothesis import strategies as st

from creatura.world import Fault, Mode, World, parse_world

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


@st.composite
def fault(draw: st.DrawFn, world: World) -> Fault:
    """Draws one fault of any mode and schedule."""
    tool = draw(st.sampled_from([tool.id for tool in world.brief.tools]))
    mode = draw(st.sampled_from(list(Mode)))
    match draw(st.sampled_from(["always", "times", "ticks", "probability"])):
        case "times":
            return Fault(tool, mode, times=draw(st.integers(1, 3)))
        case "ticks":
            ticks = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
            return Fault(tool, mode, ticks=tuple(ticks))
        case "probability":
            return Fault(tool, mode, probability=draw(st.sampled_from([0.1, 0.5, 0.9, 1.0])))
    return Fault(tool, mode)


def faults(world: World, most: int = 4) -> st.SearchStrategy[tuple[Fault, ...]]:
    """Draws the faults of one run."""
    return st.lists(fault(world), max_size=most).map(tuple)
