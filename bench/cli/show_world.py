"""Show world: `creatura world show`: what a world is made of, for people.

The tools come as a flow, in the order in which their facts can be reached; then the variables, with
whoever reads and writes them, and the rules phase by phase. What only serves the engine is left out
unless it is asked for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.cli.expanded_world import render_expanded
from bench.cli.screen import console, open_table
from bench.trouble import PLACE
from creatura import resolver
from creatura.world import World, load_world
from creatura.world.formula import literal_text
from creatura.world.portrait import (
    Effect,
    Origin,
    Portrait,
    RulePortrait,
    ToolPortrait,
    VariablePortrait,
    as_plain,
    further_effects,
)
from creatura.world.portray import portrait_of
from creatura.world.reach import reach_of

NOTHING = "-"
ARROW = "→"
_USUAL_LIFETIME = "episode"
_GOAL_RULE, _TASK = "derived.task.goal", "the task"
_WIDEST = 24  # a name longer than this is folded before the columns beside it suffer


def print_world(text: str, *, show_all: bool, as_json: bool) -> None:
    """Prints a world, or one JSON object that holds all that is known of it.

    Raises:
        AuthorError: It is unknown, or does not load.
    """
    portrait = portrait_of(_loaded(text))
    if as_json:
        print(json.dumps(as_plain(portrait), ensure_ascii=False))
    else:
        print_portrait(portrait, console(), show_all=show_all)


def print_expanded(text: str) -> None:
    """Prints the full roster that a world stands for."""
    print(render_expanded(_loaded(text)), end="")


def draw(text: str, file: Path) -> None:
    """Draws a world into an SVG file."""
    from bench.world_graph import render_graph  # brings matplotlib, which text does without

    file.write_text(render_graph(portrait_of(_loaded(text))), encoding="utf-8")
    print(file)


def _loaded(text: str) -> World:
    return load_world(resolver.world_file(text, PLACE))


def print_portrait(portrait: Portrait, screen: Console, *, show_all: bool) -> None:
    """Prints a world; with `show_all` also what the engine adds by itself."""
    screen.print(portrait.headline, style="bold")
    for line in _head(portrait):
        screen.print(line)
    _print_tools(portrait, screen)
    variables = [v for v in portrait.variables if show_all or not v.is_engine]
    shown = [rule for rule in portrait.rules if show_all or not rule.is_generated]
    _print_variables(portrait, variables, shown, screen)
    _print_roles(variables, screen)
    _print_rules(portrait, shown, screen, show_all=show_all)
    _print_trouble(portrait, screen)
    _heading(screen, "hashes")
    _print_pairs(screen, portrait.hashes)


def _head(portrait: Portrait) -> Iterator[str]:
    task = portrait.task
    if task.goal is None:
        yield f"done when these hold: {', '.join(task.obligations)}"
    else:
        yield f"done when: {task.goal}"
        if task.obligations not in ((), (task.goal,)):
            yield f"and these hold: {', '.join(task.obligations)}"
    holders = ", ".join(_holders(portrait.extents))
    if holders:
        yield f"besides agents: {holders}"
    if portrait.held:
        yield f"holds at the start: {', '.join(portrait.held)}"
    if task.is_done_at_start:
        yield "nothing is left to do at the start"


def _holders(extents: Mapping[str, Any]) -> Iterator[str]:
    for kind in ("groups", "zones", "affordances"):
        if extents[kind]:
            yield f"{kind} {' and '.join(extents[kind])}"
    for profile, count in Counter(extents["items"].values()).items():
        yield f"{count} {profile}" if count == 1 else f"{count} of {profile}"
    if extents["message_slots"]:
        yield f"{extents['message_slots']} message slots an agent"
    if extents["pairs"] is not None:
        yield f"{len(extents['pairs'])} pairs of agents"


# ------------------------------------------------------------------ tools


def _print_tools(portrait: Portrait, screen: Console) -> None:
    _heading(screen, "tools, in the order in which their facts can be reached")
    reach = reach_of(portrait)
    never = len(portrait.tools) + 1
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("step", justify="right")
    for header in ("needs", "", "tool", "", "leaves", "notes"):
        table.add_column(header, overflow="fold", no_wrap=not header)
    order = sorted(portrait.tools, key=lambda tool: reach.tools.get(tool.id, never))
    last = 0
    for tool in order:
        wave = reach.tools.get(tool.id, 0)
        number = "never" if not wave else str(wave) if wave != last else ""
        last = wave
        leaves = [*tool.grants, *(f"not {fact}" for fact in tool.revokes)]
        needs, left = ", ".join(tool.requires) or NOTHING, ", ".join(leaves) or NOTHING
        table.add_row(number, needs, ARROW, tool.id, ARROW, left, _notes(portrait, tool))
    screen.print(table)
    if reach.never_held:
        screen.print(f"never holds: {', '.join(reach.never_held)}")


def _notes(portrait: Portrait, tool: ToolPortrait) -> str:
    notes = ["release"] if tool.release else []
    notes += [f"cost {tool.cost:g}"] if tool.cost else []
    further = dict.fromkeys(effect.target for _, effect in further_effects(portrait, tool.id))
    return ", ".join([*notes, *([f"writes {' and '.join(further)}"] if further else [])])


# ------------------------------------------------------------------ variables


def _print_variables(
    portrait: Portrait,
    variables: Sequence[VariablePortrait],
    rules: Sequence[RulePortrait],
    screen: Console,
) -> None:
    _heading(screen, "variables, and what writes and reads them")
    names = {rule.id: _name(rule) for rule in rules}
    needed = {v.id: [t.id for t in portrait.tools if v.id in t.requires] for v in variables}
    table = open_table("name", "what it is", "start", "written by", "read by")
    for variable in variables:
        is_derived = variable.expression is not None
        readers = [names[rule] for rule in variable.read_by if rule in names]
        readers += [_TASK] if _GOAL_RULE in variable.read_by and _GOAL_RULE not in names else []
        writers = [names[rule] for rule in variable.written_by if rule in names]
        table.add_row(
            variable.id,
            _kind(variable),
            NOTHING if is_derived else _starts(variable),
            NOTHING if is_derived else _listed(writers),
            _listed([*needed[variable.id], *readers]),
        )
    screen.print(table)


def _kind(variable: VariablePortrait) -> str:
    parts = [what_it_is(variable)]
    if variable.range is not None:
        low, high = variable.range
        parts.append(f"{low} to {high}")
    if variable.lifetime != _USUAL_LIFETIME:
        parts.append("for a tick" if variable.lifetime == "tick" else variable.lifetime)
    text = ", ".join(parts)
    return text if variable.expression is None else f"{text} = {variable.expression}"


def what_it_is(variable: VariablePortrait) -> str:
    """Writes whose a variable is and of which type, as in `item crate scalar`."""
    words = [variable.scope, *([variable.profile] if variable.profile else []), variable.type]
    if variable.labels:
        words.append(f"({'/'.join(variable.labels)})")
    elif variable.dims is not None:
        dims = variable.dims
        words.append(f"of {dims if isinstance(dims, int) else ' x '.join(map(str, dims))}")
    return " ".join(words)


def _name(rule: RulePortrait) -> str:
    if rule.origin is Origin.RANGE:
        return f"range of {rule.owner}"
    return rule.owner if rule.origin in (Origin.TOOL, Origin.DERIVED) else rule.id


def _print_roles(variables: Sequence[VariablePortrait], screen: Console) -> None:
    """Prints who may read and write, once for all the variables that have it in common."""
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for variable in variables:
        writers = variable.writable_by if variable.expression is None else ("vtc",)
        roles = (variable.readable_by, writers, variable.exposed_to)
        alike.setdefault(roles, []).append(variable.id)
    _heading(screen, "roles")
    table = open_table("variables", "may read", "may write", "get a token")
    for held, names in alike.items():
        table.add_row(", ".join(names), *(_listed(role) for role in held))
    screen.print(table)


# ------------------------------------------------------------------ rules


def _print_rules(
    portrait: Portrait, rules: Sequence[RulePortrait], screen: Console, *, show_all: bool
) -> None:
    lines: dict[str, list[tuple[RulePortrait, Effect]]] = {}
    further = list(further_effects(portrait))
    for rule in rules:
        for effect in rule.effects:
            # What a tool does to its own facts stands in the flow of tools.
            if rule.origin is not Origin.TOOL or show_all or (rule, effect) in further:
                lines.setdefault(rule.phase, []).append((rule, effect))
    _heading(screen, "rules, phase by phase")
    if not lines:
        screen.print("none besides the tools", style="dim")
    rows = {phase: _rows(effects, show_all=show_all) for phase, effects in lines.items()}
    widths = [
        min(_WIDEST, max(len(row[column]) for held in rows.values() for row in held))
        for column in (range(5) if rows else ())
    ]
    for phase, held in rows.items():
        screen.print(phase, style="italic")
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(width=1)
        for width in widths:
            table.add_column(min_width=width, overflow="fold")
        table.add_column(overflow="fold")
        for row in held:
            table.add_row("", *row)
        screen.print(table)


def _rows(
    effects: Sequence[tuple[RulePortrait, Effect]], *, show_all: bool
) -> list[tuple[str, str, str, str, str, str]]:
    rows = []
    for rule, effect in effects:
        inner = [name for name in effect.reads if show_all or not _is_call(name)]
        arrow = ARROW if inner else ""
        name = f"tool {rule.owner}" if rule.origin is Origin.TOOL else _name(rule)
        if rule.origin is Origin.DERIVED:
            rows.append((", ".join(inner), arrow, name, "", "", _does(effect, show_all=show_all)))
        else:
            does = _does(effect, show_all=show_all)
            rows.append((", ".join(inner), arrow, name, ARROW, effect.target, does))
    return rows


def _is_call(name: str) -> bool:
    return name.startswith("call.")


def _does(effect: Effect, *, show_all: bool) -> str:
    word = "=" if effect.composition == "overwrite" else effect.composition
    parts = [word] if effect.value is None else [word, effect.value]
    if effect.clamp is not None:
        low, high = map(literal_text, effect.clamp)
        parts.append(f"within [{low}, {high}]")
    condition = effect.condition if show_all else effect.where
    if condition is not None:
        parts.append(f"where {condition}")
    if effect.priority:
        parts.append(f"(priority {effect.priority})")
    return " ".join(parts)


# ------------------------------------------------------------------ the rest


def _print_trouble(portrait: Portrait, screen: Console) -> None:
    if portrait.faults:
        _heading(screen, "faults that every run starts with")
        for fault in portrait.faults:
            screen.print(f"  {fault}")
    if portrait.barriers:
        _heading(screen, "barriers")
        _print_pairs(
            screen,
            {
                name: "; ".join(str(fault) for fault in faults)
                for name, faults in portrait.barriers.items()
            },
        )


def _print_pairs(screen: Console, pairs: Mapping[str, str]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(overflow="fold")
    for name, text in pairs.items():
        table.add_row(name, text)
    screen.print(table)


def _heading(screen: Console, text: str) -> None:
    screen.print(f"\n{text}", style="bold")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names)) or NOTHING


def _starts(variable: VariablePortrait) -> str:
    others = [f"{holder} {_value(value)}" for holder, value in variable.starts_at.items()]
    return _value(variable.start) + (f" ({', '.join(others)})" if others else "")


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return value
    return literal_text(value) if isinstance(value, bool) else f"{value:g}"
