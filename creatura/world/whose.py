"""Whose: which facts and features are the world's and which are each agent's.

What reads a value of an agent as a row is an agent's too, and so is what reads that, in whatever
order they are declared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from creatura.vfs import Scope
from creatura.vfs.holders import OF_AGENTS
from creatura.vtc.parser import parse_expression
from creatura.vtc.syntax import ExpressionError, Name, Operation, Tree
from creatura.world.spec import WorldSpec

_FOLDS = ("any", "all")


def settled(spec: WorldSpec, declared: Mapping[str, Scope]) -> dict[str, Scope]:
    """Finds whose each fact and feature is.

    Args:
        declared: The scopes of the variables.
    """
    scopes, texts = dict(declared), dict[str, str]()
    for fact in spec.facts:
        scopes.setdefault(fact.id, Scope.GLOBAL)
        if fact.predicate is not None and fact.id not in spec.variables:
            texts[fact.id] = fact.predicate
    for name, feature in spec.features.items():
        scopes[name] = feature.scope or Scope.GLOBAL
        if feature.scope is None:
            texts[name] = feature.expression
    readers = defaultdict(list)
    for reader, text in texts.items():
        for name in rows_read(text):
            readers[name].append(reader)
    pending = [name for name, scope in scopes.items() if scope in OF_AGENTS]
    while pending:
        for reader in readers[pending.pop()]:
            if scopes[reader] is not Scope.AGENT:
                scopes[reader] = Scope.AGENT
                pending.append(reader)
    return scopes


def scope_of(expression: str, scopes: Mapping[str, Scope]) -> Scope:
    """Says whose an expression is."""
    is_agents = any(scopes.get(name) in OF_AGENTS for name in rows_read(expression))
    return Scope.AGENT if is_agents else Scope.GLOBAL


def rows_read(expression: str) -> set[str]:
    """Returns the variables that an expression reads as rows, not folded over agents."""
    try:
        return set(_names(parse_expression(expression)))
    except ExpressionError:
        return set()  # reported, with its place, when the world is compiled


def _names(tree: Tree) -> Iterator[str]:
    match tree:
        case Name():
            yield tree.id
        case Operation() if tree.operator not in _FOLDS:
            for operand in tree.operands:
                yield from _names(operand)
