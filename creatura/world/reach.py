"""Reach: the order in which the facts of a world can come to hold, tool by tool.

Tools go in waves: a wave holds those that need nothing but what the start and earlier waves leave.
Whatever was once reached stays reached, since a fact that is taken away can be made again; so a
tool that is in no wave can truly never be offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from creatura.world.portrait import Origin, Portrait


@dataclass(frozen=True, slots=True)
class Reach:
    """What can be reached.

    Attributes:
        facts: The wave in which each fact can first hold; 0 is before any call.
        tools: The wave in which each tool can first be called, from 1.
        never_held, never_offered: Facts and tools that are in no wave, as declared.
    """

    facts: Mapping[str, int]
    tools: Mapping[str, int]
    never_held: tuple[str, ...]
    never_offered: tuple[str, ...]


def reach_of(portrait: Portrait) -> Reach:
    """Finds out in which wave each tool and each fact comes."""
    roots = {fact: _roots(portrait, fact) for fact in portrait.facts}
    facts = dict.fromkeys(portrait.held, 0)
    tools: dict[str, int] = {}
    # What rules may bring about by themselves comes last, so that the flow shows the tools' way.
    granted = {fact for tool in portrait.tools for fact in tool.grants}
    late = _moved(portrait, roots, Origin.RULE)
    wave = 1
    while len(tools) < len(portrait.tools):
        ready = [
            tool
            for tool in portrait.tools
            if tool.id not in tools and all(fact in facts for fact in tool.requires)
        ]
        if not ready and all(fact in facts for fact in late):
            break
        for fact in () if ready else late:
            facts.setdefault(fact, wave - 1)
        for tool in ready:
            tools[tool.id] = wave
            # A predicate that a tool promises is taken to hold when that tool is called.
            moved = _moved(portrait, roots, Origin.TOOL, tool.id)
            fresh = [f for f in moved if f not in granted and f not in tool.revokes]
            for fact in (*tool.grants, *fresh):
                facts.setdefault(fact, wave)
        wave += bool(ready)
    for fact in late:
        facts.setdefault(fact, wave - 1)
    return Reach(
        facts,
        tools,
        tuple(fact for fact in portrait.facts if fact not in facts),
        tuple(tool.id for tool in portrait.tools if tool.id not in tools),
    )


def _roots(portrait: Portrait, fact: str) -> frozenset[str]:
    """Finds the stored variables that a fact comes from: itself, or what its predicate reads."""
    by_id, reads = portrait.by_id, {}
    for rule in portrait.rules:
        if rule.origin is Origin.DERIVED:
            reads[rule.owner] = rule.reads
    found, waiting = set(), [fact]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += reads.get(name, ())
    return frozenset(name for name in found if name in by_id and by_id[name].expression is None)


def _moved(
    portrait: Portrait,
    roots: Mapping[str, frozenset[str]],
    origin: Origin,
    owner: str | None = None,
) -> list[str]:
    """Lists the facts that rules of one origin, or of one owner, can move by what they write."""
    written = {
        target
        for rule in portrait.rules
        if rule.origin is origin and owner in (None, rule.owner)
        for target in rule.writes
    }
    return [fact for fact in portrait.facts if roots[fact] & written]
