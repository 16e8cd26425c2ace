"""Fork: a frozen run goes on in another world, with other designs, or just under another name.

The values go on where the world has the same variables, facts and tools; its rules, what its tools
do and what it starts from may be others. Of the cast, what is equal keeps its memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from creatura import loop
from creatura.errors import AuthorError, Place, Problem
from creatura.parts.identity import identity
from creatura.vfs import VariableSpec
from creatura.world import World

_OF_TOOLS = ("call.lands.", "push.")  # one for each tool and each fact, which are named themselves


@dataclass(frozen=True, slots=True)
class Fork:
    """What the new run takes instead of what was frozen.

    Attributes:
        world: A world's name or path; None for the one that was frozen.
        designs: One for each agent, or none for those that were frozen.
    """

    world: str | None = None
    designs: tuple[str, ...] = ()


def check_carries(frozen: World, other: World, place: Place | str) -> None:
    """Refuses a world in which frozen values would mean something else.

    Raises:
        AuthorError: Each variable, fact and tool that differs.
    """
    at = place if isinstance(place, Place) else Place(place)
    found = list(_differences(frozen, other))
    if found:
        message = "; the values go on only where variables, facts and tools are the same"
        raise AuthorError([Problem(at, text + message) for text in found])


def check_count(designs: Sequence[str], num_agents: int, place: str) -> None:
    """Refuses designs that do not match the agents one for one.

    Raises:
        AuthorError: There are more or fewer.
    """
    if designs and len(designs) != num_agents:
        agents = "1 agent" if num_agents == 1 else f"{num_agents} agents"
        message = f"this run has {agents}, found {len(designs)} designs; give one for each"
        raise AuthorError.at(place, message)


def same_where_equal(old: Sequence[loop.Player], new: Sequence[loop.Player]) -> list[loop.Player]:
    """Returns the new cast, with the old object wherever an equal part stands in its place."""
    cast = []
    for was, now in zip(old, new, strict=True):
        known = {identity(extension): extension for extension in was.extensions}
        extensions = tuple(known.get(identity(e), e) for e in now.extensions)
        is_same = identity(was.design) == identity(now.design)
        design = was.design if is_same else now.design
        cast.append(replace(now, design=design, seat=was.seat, extensions=extensions))
    return cast


def _differences(frozen: World, other: World) -> Iterator[str]:
    tools = [[tool.id for tool in world.brief.tools] for world in (frozen, other)]
    yield from _of_names("tool", *tools)
    yield from _of_names("fact", frozen.brief.facts, other.brief.facts)
    was, now = _declared(frozen), _declared(other)
    yield from _of_names("variable", list(was), list(now))
    for name, declared in was.items():
        if name in now and now[name] != declared:
            keys = [key for key, value in declared.items() if now[name][key] != value]
            yield f"variable '{name}' has another {' and another '.join(keys)}"


def _of_names(kind: str, was: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    yield from (f"{kind} '{name}' is gone" for name in was if name not in now)
    yield from (f"{kind} '{name}' is new" for name in now if name not in was)
    if set(was) == set(now) and list(was) != list(now):
        yield f"the {kind}s stand in another order"


def _declared(world: World) -> dict[str, dict[str, Any]]:
    return {spec.id: _plain(spec) for spec in world.roster if not spec.id.startswith(_OF_TOOLS)}


def _plain(spec: VariableSpec) -> dict[str, Any]:
    return spec.model_dump(exclude={"place", "metadata", "initial"})
