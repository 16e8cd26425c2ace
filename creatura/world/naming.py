"""Naming: what the names in a world file may not be.

The engine keeps variables of its own beside the author's, and makes one of every stored fact; no
name may clash with those or be too long for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from creatura.errors import cut
from creatura.source import Path_
from creatura.vfs.declarations import MAX_ID_LENGTH, misnamed
from creatura.world.population import GROUPS_VARIABLE, ZONE_VARIABLE
from creatura.world.spec import WorldSpec
from creatura.world.task import GOAL_VARIABLE

CALLED = "call.tool"  # which tool an agent calls this tick, by position; -1 for none
PUSH = "push."  # before a stored fact's name: 1 raises it this tick, -1 takes it away
SPENT = "call.spent"  # what an agent's calls have cost so far
LANDS = "call.lands."  # before a tool: whether its effect lands for an agent this tick

_KEPT = frozenset({CALLED, SPENT, GOAL_VARIABLE, GROUPS_VARIABLE, ZONE_VARIABLE})
_MAX_FACT_LENGTH = MAX_ID_LENGTH - len(PUSH)


def mistaken_names(spec: WorldSpec) -> Iterator[tuple[Path_, str]]:
    """Yields the path of every name that cannot stand, and what is wrong with it."""
    for i, fact in enumerate(spec.facts):
        subject = f"fact '{cut(fact.id)}'"
        if why := misnamed(fact.id):
            yield ("facts", i), f"{subject} {why}"
        elif len(fact.id) > _MAX_FACT_LENGTH:
            found = f"has an id of {len(fact.id)} characters"
            yield ("facts", i), f"{subject} {found}; a fact's has {_MAX_FACT_LENGTH} at most"
    for name, variable in spec.variables.items():
        if variable.id != name:
            message = f"variable '{cut(name)}' has the id '{cut(variable.id)}' besides"
            yield ("variables", name, "id"), f"{message}; its key is its id: drop one of them"
    declared: list[tuple[Path_, str]] = [(("facts", i), f.id) for i, f in enumerate(spec.facts)]
    declared += [(("variables", name), name) for name in spec.variables]
    declared += [(("features", name), name) for name in spec.features]
    for path, name in declared:
        if name in _KEPT or name.startswith((PUSH, LANDS)):
            yield path, f"'{cut(name)}' is what the engine calls a variable of its own; rename it"
