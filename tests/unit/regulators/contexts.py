"""A world of three chapters, and acts in it, for tests that ask a design's slots directly."""

from __future__ import annotations

from typing import Any

from creatura.bits import mask_of
from creatura.protocols import (
    Brief,
    Context,
    Event,
    Goal,
    Judged,
    LayerOptions,
    Regulator,
    Report,
    Tool,
    Verdict,
)

A, B, C = (1 << i for i in range(3))
PATCH = Tool("patch", 0, requires=0, grants=A)
CONFIG = Tool("config", 1, requires=0, grants=A)
TEST = Tool("test", 2, requires=A, grants=B)
SHIP = Tool("ship", 3, requires=B, grants=C, release=True)
UNDO = Tool("undo", 4, requires=0, grants=0, revokes=A)
TOOLS = (PATCH, CONFIG, TEST, SHIP, UNDO)
BRIEF = Brief(
    world="three-chapters",
    title="ship it",
    facts=("a", "b", "c"),
    tools=TOOLS,
    goal=Goal("c", ((C, 0),), A | B | C),
    obligations=(0, 1, 2),
)
EVERY_TOOL = mask_of(tool.index for tool in TOOLS)


def at(
    memory: Any,
    facts: int = 0,
    *,
    tick: int = 1,
    offered: int = EVERY_TOOL,
    hidden: int = 0,
    freedom: float = 0.0,
) -> Context:
    """What a slot reads with this memory over these facts."""
    layer = LayerOptions()
    return Context(BRIEF, tick, 40, facts, offered, hidden, 0, 0.0, freedom, layer, memory)


def act(tool: Tool, verdict: Verdict, *, success: bool = True, is_probe: bool = False) -> Judged:
    """An act and what the membrane made of it."""
    is_lie = success and verdict is Verdict.MISSING
    is_hidden = verdict is Verdict.MISSING
    return Judged(tool, Report(success, ""), verdict, is_lie, is_hidden, is_probe)


def lie(tool: Tool, *, is_probe: bool = False) -> Judged:
    return act(tool, Verdict.MISSING, is_probe=is_probe)


def failure(tool: Tool) -> Judged:
    return act(tool, Verdict.MISSING, success=False)


def landing(tool: Tool, *, is_probe: bool = False) -> Judged:
    return act(tool, Verdict.LANDED, is_probe=is_probe)


def after(design: Regulator, *happened: tuple[Event, int]) -> Any:
    """The memory that (event, facts after it) leave, tick by tick."""
    memory = design.begin(BRIEF)
    for tick, (event, facts) in enumerate(happened, 1):
        memory = design.record(at(memory, facts, tick=tick), event)
    return memory
