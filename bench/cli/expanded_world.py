"""Expanded world: the full roster that a short world file stands for, as YAML with notes.

Every variable has every field, the engine's own included, and every rule is written out, so that
roster and rules can be built from this text alone. Left out are the rules that a variable's
`expression` and `range` imply. The same world gives the same text, wherever its file lies.
"""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from creatura.vfs import VariableSpec
from creatura.world import HASHED, Fault, World
from creatura.world.portrait import Effect, Origin, Portrait, RulePortrait, as_plain
from creatura.world.portray import portrait_of

WIDTH = 100

_PLAIN = re.compile(r"[A-Za-z_][\w .-]*", re.ASCII)
_NOTES: Mapping[str, Mapping[str, str]] = {
    "hashes": HASHED,
    "variables": {
        "scope": "who holds a value: global is one a world, agent one an agent",
        "type": "bool, int (64 bits), scalar (a 32-bit float), and what is made of them",
        "dims": "how long a vector or mask is, rows and columns of a matrix",
        "labels": "names of the values of a categorical, of the places of a one_hot or mask",
        "profile": "which items have it",
        "lifetime": "returns to its initial value each tick, each episode, or is persistent",
        "range": "lowest and highest value, both included; null for no bounds",
        "initial": "what it starts from; null where it has an expression",
        "initial_at": "other starts for single holders",
        "readable_by": "roles that may read it",
        "writable_by": "roles that may write it; one with an expression is written by vtc alone",
        "exposed_to": "roles that get it as a token",
        "token": "of which type these are; null for what its scope suggests",
        "normalization": "how a token shows it; null for as it is",
        "metadata": "notes for people; nothing reads them",
        "expression": "what it is computed from; null where it is stored",
    },
    "extents": {
        "pairs": "which agents know which; null for all",
    },
    "roles": {},
    "tools": {
        "requires": "facts that must hold before it is offered",
        "grants": "facts that it leaves",
        "revokes": "facts that it takes away",
        "release": "it ships something, so an agent must have earned a record first",
        "cost": "of one call, in the world's own unit",
    },
    "rules": {
        "phase": "when in a tick it runs; within a phase all read one snapshot",
        "condition": "where the write applies; null for always",
        "composition": "how the value meets what is there",
        "clamp": "bounds of the target after the write",
        "priority": "the higher comes later and so has the last word",
    },
    "task": {
        "goal": "predicate over facts; null where the obligations are all there is",
        "obligations": "facts that must close, in order",
    },
    "faults": {
        "mode": "how its tool misbehaves; delay and fact go with some modes",
        "times, ticks, probability": "the schedule; always where all are null",
        "agent": "the only one it meets; null for every one",
    },
    "barriers": {},
}
_INTROS = {
    "hashes": "What moves when the world changes.",
    "facts": "Names that tools and the task speak of; each is a bool among the variables.",
    "extents": "Who holds values besides the worlds of a batch and the agents of a run.",
    "roles": "Roles of this world's own.",
    "variables": "The state of a world. Names that begin with call. or push., and task.goal, are "
    "the engine's.",
    "tools": "What a seat may call. What a call does to the variables is among the rules.",
    "rules": "What a tick does, as declared: tools first, then what lets faults move facts, then "
    "the author's. A variable with an expression or a range implies one rule more.",
    "task": "When the work is done: the goal holds and every obligation is closed.",
    "faults": "Trouble that every run starts with.",
    "barriers": "Trouble by name, off until a run switches it on; written like faults.",
}
_IMPLIED = (Origin.DERIVED, Origin.RANGE)


def render_expanded(world: World) -> str:
    """Writes a world in full."""
    portrait = portrait_of(world)
    head = {"name": portrait.world, "title": portrait.task.title}
    texts = [_dumped(head)]
    for section, value in _sections(world, portrait).items():
        texts.append(_notes(section) + _dumped({section: value}))
    return "\n".join(texts)


def _sections(world: World, portrait: Portrait) -> dict[str, Any]:
    barriers = {name: list(map(_fault, faults)) for name, faults in portrait.barriers.items()}
    task = portrait.task
    return {
        "hashes": dict(portrait.hashes),
        "facts": list(portrait.facts),
        "extents": dict(portrait.extents),
        "roles": list(world.roster.own_roles),
        "variables": {spec.id: _variable(spec) for spec in world.roster},
        "tools": {tool.id: _without(as_plain(tool), "id") for tool in portrait.tools},
        "rules": [_rule(rule) for rule in _declared(portrait.rules)],
        "task": {"goal": task.goal, "obligations": list(task.obligations)},
        "faults": list(map(_fault, portrait.faults)),
        "barriers": barriers,
    }


def _declared(rules: Iterable[RulePortrait]) -> Iterator[RulePortrait]:
    kept = (rule for rule in rules if rule.origin not in _IMPLIED)
    yield from sorted(kept, key=lambda rule: rule.index)


def _variable(spec: VariableSpec) -> dict[str, Any]:
    return _without(as_plain(spec.model_dump(exclude={"place"})), "id")


def _rule(rule: RulePortrait) -> dict[str, Any]:
    return {"id": rule.id, "phase": rule.phase, "writes": [_write(e) for e in rule.effects]}


def _write(effect: Effect) -> _Line:
    return _Line(
        target=effect.target,
        expression=effect.value,
        composition=effect.composition,
        condition=effect.condition,
        clamp=as_plain(effect.clamp),
        priority=effect.priority,
    )


def _fault(fault: Fault) -> _Line:
    return _Line(as_plain(dataclasses.asdict(fault)))


def _without(plain: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name != key}


def _notes(section: str) -> str:
    lines = _comment(_INTROS.get(section, ""), "")
    for field, note in _NOTES.get(section, {}).items():
        lines += _comment(f"{field}: {note}", "  ")
    return "".join(f"{line}\n" for line in lines)


def _comment(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"# {indent}", subsequent_indent=f"# {indent}  "
    )


class _Line(dict[str, Any]):
    """A mapping that is written in braces."""


class _Dumper(yaml.SafeDumper):
    """Puts text into quotes unless it is plainly a word, and never makes an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Words that YAML 1.2 reads as numbers, such as 1e5, are text to the library.
    style = None if _PLAIN.fullmatch(text) and text == text.strip() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _list(dumper: yaml.SafeDumper, items: list[Any]) -> yaml.SequenceNode:
    is_flat = not any(isinstance(item, dict | list) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_flat)


def _line(dumper: yaml.SafeDumper, line: _Line) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", line.items(), flow_style=True)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _list)
_Dumper.add_representer(_Line, _line)


def _dumped(value: Any) -> str:
    return yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH - 12,
        default_flow_style=False,
    )  # fmt: skip
