"""Boxes: what a world's picture shows, with the size of its text, before anything has a place.

Facts and variables are nodes, tools and rules are boxes; a line leads from what is read to who
reads it, and on to what is written. What only serves the engine is left out. Text is measured in
the font that comes with matplotlib, so sizes are the same everywhere.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from creatura.world.formula import literal_text
from creatura.world.portrait import (
    Effect,
    Origin,
    Portrait,
    RulePortrait,
    ToolPortrait,
    VariablePortrait,
    further_effects,
)
from creatura.world.reach import reach_of

FONT = "DejaVu Sans"
SIZE, SMALL = 9.0, 7.5  # points
LINE = 1.3  # height of a line of text, in sizes
PAD = 7.0
NOTE_WIDTH = 40  # characters of a note in one line


class Kind(StrEnum):
    """What a box stands for."""

    FACT = "fact"
    TOOL = "tool"
    VARIABLE = "variable"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Box:
    """A box and its size in points.

    Attributes:
        notes: Small lines under the title.
        is_wanted: Whether the task asks for this fact.
        phase: Of a rule.
    """

    kind: Kind
    title: str
    notes: tuple[str, ...]
    width: float
    height: float
    is_wanted: bool = False
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from one box to another, by their keys; `revokes` takes a fact away."""

    start: str
    end: str
    revokes: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """What a picture shows.

    Attributes:
        boxes: By key; rules in the order of their phases.
        ranks: Facts and tools by the order in which they can be reached.
        flow: Lines between facts and tools. asides: All others.
    """

    boxes: Mapping[str, Box]
    ranks: Mapping[str, int]
    flow: tuple[Edge, ...]
    asides: tuple[Edge, ...]


def graph_of(portrait: Portrait) -> Graph:
    """Finds what the picture of a world shows."""
    rules = [rule for rule in portrait.rules if _is_drawn(rule)]
    boxes: dict[str, Box] = {}
    for fact in portrait.facts:
        boxes[fact] = _fact(portrait, portrait.by_id[fact])
    for tool in portrait.tools:
        boxes[_key(Kind.TOOL, tool.id)] = _box(Kind.TOOL, tool.id, _tool_notes(tool))
    for variable in portrait.variables:
        if not variable.is_fact and not variable.is_engine:
            boxes[variable.id] = _box(Kind.VARIABLE, variable.id, _variable_notes(variable))
    for rule in rules:
        title = f"{rule.owner} =" if rule.origin is Origin.DERIVED else rule.id
        boxes[_key(Kind.RULE, rule.id)] = _box(
            Kind.RULE, title, _rule_notes(rule), phase=rule.phase
        )
    flow = tuple(edge for tool in portrait.tools for edge in _flow(tool))
    asides = [
        *_further(portrait, frozenset(flow)),
        *(edge for rule in rules for edge in _rule(rule)),
    ]
    kept = (edge for edge in asides if edge.start in boxes and edge.end in boxes)
    return Graph(boxes, _ranks(portrait), flow, tuple(dict.fromkeys(kept)))


@cache
def text_width(text: str, size: float, is_bold: bool = False) -> float:
    """Measures a line of text in points."""
    if not text.strip():
        return 0.0  # blanks have no outline
    font = FontProperties(family=FONT, weight="bold" if is_bold else "normal")
    with matplotlib.rc_context({"text.parse_math": False}):
        return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width)


# ------------------------------------------------------------------ boxes


def _box(kind: Kind, title: str, notes: Iterable[str], **more: str | bool) -> Box:
    lines = tuple(line for note in notes for line in textwrap.wrap(note, NOTE_WIDTH))
    is_wanted, phase = bool(more.get("is_wanted", False)), str(more.get("phase", ""))
    texts = [text_width(title, SIZE, is_wanted), *(text_width(line, SMALL) for line in lines)]
    height = LINE * (SIZE + SMALL * len(lines)) + PAD
    return Box(kind, title, lines, max(texts) + 2 * PAD, height, is_wanted, phase)


def _fact(portrait: Portrait, variable: VariablePortrait) -> Box:
    notes = ["holds at the start"] if variable.id in portrait.held else []
    is_wanted = variable.id in portrait.task.obligations or variable.id == portrait.task.goal
    return _box(Kind.FACT, variable.id, notes, is_wanted=is_wanted)


def _tool_notes(tool: ToolPortrait) -> Iterator[str]:
    notes = ["release"] if tool.release else []
    notes += [f"cost {tool.cost:g}"] if tool.cost else []
    if notes:
        yield ", ".join(notes)


def _variable_notes(variable: VariablePortrait) -> Iterator[str]:
    parts = [f"{variable.scope} {variable.type}"]
    if variable.range is not None:
        parts.append(f"{variable.range[0]} to {variable.range[1]}")
    if variable.expression is None:
        parts.append(f"from {str(variable.start).lower()}")
    yield ", ".join(parts)


def _rule_notes(rule: RulePortrait) -> Iterator[str]:
    for effect in rule.effects:
        yield _does(effect, is_derived=rule.origin is Origin.DERIVED)


def _does(effect: Effect, *, is_derived: bool) -> str:
    if is_derived:
        return str(effect.value)
    parts = [f"{effect.target}:", effect.composition, effect.value or ""]
    if effect.clamp is not None:
        low, high = map(literal_text, effect.clamp)
        parts.append(f"within [{low}, {high}]")
    if effect.where is not None:
        parts.append(f"where {effect.where}")
    return " ".join(part for part in parts if part)


def _is_drawn(rule: RulePortrait) -> bool:
    return not rule.is_generated and rule.origin is not Origin.TOOL


# ------------------------------------------------------------------ lines and ranks


def _key(kind: Kind, name: str) -> str:
    return f"{kind} {name}"


def _flow(tool: ToolPortrait) -> Iterator[Edge]:
    key = _key(Kind.TOOL, tool.id)
    yield from (Edge(fact, key) for fact in tool.requires)
    yield from (Edge(key, fact) for fact in tool.grants)
    yield from (Edge(key, fact, revokes=True) for fact in tool.revokes)


def _further(portrait: Portrait, flow: frozenset[Edge]) -> Iterator[Edge]:
    facts = frozenset(portrait.facts)
    for rule, effect in further_effects(portrait):
        key = _key(Kind.TOOL, rule.owner)
        edges = [Edge(name, key) for name in effect.reads] + [Edge(key, effect.target)]
        # A fact that a tool reads or writes beside its declaration stands in the same lane.
        yield from (e for e in edges if e not in flow and not {e.start, e.end} & facts)


def _rule(rule: RulePortrait) -> Iterator[Edge]:
    key = _key(Kind.RULE, rule.id)
    yield from (Edge(name, key) for name in rule.reads)
    yield from (Edge(key, name) for name in rule.writes)


def _ranks(portrait: Portrait) -> dict[str, int]:
    """Puts facts into even and tools into odd ranks; what is never reached comes last."""
    reach = reach_of(portrait)
    last = max([*reach.facts.values(), *reach.tools.values()], default=0) + 1
    facts = {fact: 2 * reach.facts.get(fact, last) for fact in portrait.facts}
    tools = {
        _key(Kind.TOOL, tool.id): 2 * reach.tools.get(tool.id, last + 1) - 1
        for tool in portrait.tools
    }
    used = sorted({*facts.values(), *tools.values()})
    return {key: used.index(rank) for key, rank in (facts | tools).items()}
