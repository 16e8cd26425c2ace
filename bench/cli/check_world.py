"""Check world: `creatura world check`: every mistake of some world files, and every doubt.

A mistake keeps a world from loading and is told as the loader tells it. A doubt is about a world
that loads: something in it can do nothing, which its author can hardly have meant.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from bench.cli.screen import console
from bench.trouble import PLACE
from creatura import resolver
from creatura.errors import AuthorError, Problem, RunError
from creatura.source import Document, load_yaml
from creatura.world import load_world
from creatura.world.portrait import Origin, Portrait, VariablePortrait
from creatura.world.portray import portrait_of
from creatura.world.reach import reach_of

PASSED, BROKEN = 0, 2
_ENGINE_ROLES = {"vtc", "engine"}
_IDLE = (Origin.RANGE, Origin.FAULT)  # these write only what something else moved, or broke


def check_worlds(texts: Sequence[str]) -> int:
    """Loads each world and prints what came of it; a broken one does not stop the others.

    Returns:
        0 if all of them load, else 2.
    """
    broken = False
    for text in texts:
        try:
            _check(text)
        except AuthorError as error:
            print(error, file=sys.stderr)
            broken = True
        except RunError as error:
            print(f"{text}: cannot be started: {error}", file=sys.stderr)
            broken = True
    return BROKEN if broken else PASSED


def _check(text: str) -> None:
    path = resolver.world_file(text, PLACE)
    portrait, screen = portrait_of(load_world(path)), console()
    facts, tools = _count(len(portrait.facts), "fact"), _count(len(portrait.tools), "tool")
    line = f"ok  {portrait.world}: {facts}, {tools}, vfs={portrait.hashes['vfs']}"
    screen.print(line, soft_wrap=True)
    for doubt in doubts_of(portrait, load_yaml(path)):
        screen.print(f"    {doubt.place}: warning: {doubt.message}", soft_wrap=True)


def doubts_of(portrait: Portrait, document: Document) -> list[Problem]:
    """Finds what can do nothing in a world; `document` is its file, for the lines."""
    doubts = [*_idle_variables(portrait, document), *_unheld_facts(portrait)]
    for tool, message in _unoffered_tools(portrait):
        doubts.append(Problem(document.place(("tools", tool)), message))
    if portrait.task.is_done_at_start:
        key = "obligations" if portrait.task.goal is None else "goal"
        message = "the task is done at the start; ask for a fact that does not hold yet"
        doubts.append(Problem(document.place(("task", key)), message))
    return sorted(doubts, key=lambda doubt: doubt.place.line or 0)


def _idle_variables(portrait: Portrait, document: Document) -> Iterator[Problem]:
    needed = {fact for tool in portrait.tools for fact in tool.requires}
    origin = {rule.id: rule.origin for rule in portrait.rules}
    for variable in portrait.variables:
        # What came ready-made was not asked for by name, and not each part of it will be needed.
        if not variable.is_fact and ("variables", variable.id) not in document.lines:
            continue
        what = f"{'fact' if variable.is_fact else 'variable'} '{variable.id}'"
        is_read = bool(variable.read_by or variable.exposed_to) or variable.id in needed
        if not is_read:
            if variable.is_fact:
                message = f"{what} is needed by no tool, no rule and not by the task"
            else:
                message = f"{what} is read by no rule"
            yield Problem(variable.place, f"{message}; use it somewhere, or drop it")
        is_written = any(origin[rule] not in _IDLE for rule in variable.written_by)
        if _may_be_written(variable) and not is_written and not variable.starts_at:
            start = str(variable.start).lower()
            message = f"{what} is written by nothing and stays {start}"
            if variable.is_fact:
                fix = "let a tool revoke it, or drop it" if variable.start else ""
            else:
                fix = "give it a rule that writes it, or write the value where it is read"
            if fix:
                yield Problem(variable.place, f"{message}; {fix}")


def _may_be_written(variable: VariablePortrait) -> bool:
    # A role of an author's own stands for a writer that the file does not show.
    return variable.expression is None and set(variable.writable_by) <= _ENGINE_ROLES


def _unheld_facts(portrait: Portrait) -> Iterator[Problem]:
    granted = {fact for tool in portrait.tools for fact in tool.grants}
    never_held = reach_of(portrait).never_held
    for fact in never_held:
        variable = portrait.by_id[fact]
        if fact in granted or (variable.expression is None and not _may_be_written(variable)):
            continue  # its tool is doubted instead
        if variable.expression is None:
            message = "is granted by no tool and does not hold at the start"
            fix = f"grant it, or write {{{fact}: true}}"
        else:
            message = "does not hold at the start, and nothing moves what it is read off"
            fix = "let a rule or a tool write one of the variables in its predicate"
        yield Problem(variable.place, f"fact '{fact}' {message}; {fix}")


def _unoffered_tools(portrait: Portrait) -> Iterator[tuple[str, str]]:
    reach = reach_of(portrait)
    for tool in portrait.tools:
        if tool.id in reach.never_offered:
            missing = [fact for fact in tool.requires if fact in reach.never_held]
            names = " and ".join(f"'{fact}'" for fact in missing)
            which = "which never holds" if len(missing) == 1 else "which never hold"
            message = f"tool '{tool.id}' can never be offered: it requires {names}, {which}"
            yield tool.id, f"{message}; let a tool that can be called leave what is missing"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
