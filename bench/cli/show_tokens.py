"""Show tokens: `creatura world tokens`: what an observer gets of a world, lane by lane.

The first table goes along a row; the second says what the lanes of a token of each type hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console

from bench.cli.screen import console, open_table
from bench.trouble import PLACE
from creatura import resolver
from creatura.errors import AuthorError, did_you_mean
from creatura.vfs.exposure import normalization_of
from creatura.vfs.holders import SCOPES
from creatura.vfs.normalise import Normalization
from creatura.vfs.roster import Roster
from creatura.vfs.schema import ROLES, TokenType
from creatura.vfs.tokens import PAYLOADS, Binding, TokenLayout
from creatura.world import World, load_world, tokens_of

LANE_BYTES = 4  # a lane is a 32-bit float
MAX_AGENTS = 10_000


def print_tokens(text: str, *, num_agents: int | None, role: str, as_json: bool) -> None:
    """Prints the layout of a row, or one JSON object that holds it.

    Args:
        num_agents: In the run; None for as few as the world can have.

    Raises:
        AuthorError: The world does not load, its runs have no such observer, or cannot be of so
            many agents.
    """
    world = load_world(resolver.world_file(text, PLACE))
    _check_role(world, role)
    layout = world.layout(_count(world, num_agents), role)
    if as_json:
        print(json.dumps(tokens_of(layout), ensure_ascii=False))
    else:
        print_layout(layout, console())


def print_layout(layout: TokenLayout, screen: Console) -> None:
    """Prints a layout."""
    agents = "1 agent" if layout.num_agents == 1 else f"{layout.num_agents:,} agents"
    row = "row of each agent" if layout.role == "agent" else f"row in the role '{layout.role}'"
    screen.print(f"{layout.brief.world}: the {row}, with {agents} in the run", style="bold")
    size = layout.width * LANE_BYTES
    screen.print(f"{layout.num_tokens:,} tokens, {layout.width:,} lanes, {size:,} bytes")
    screen.print()
    table = open_table("lanes", "tokens", "type", "what they show", "scaled")
    for kind, count in layout.capacities.items():
        for cells in _rows(layout, kind, count):
            table.add_row(*cells)
    screen.print(table)
    screen.print()
    table = open_table("type", "lanes of a token")
    for kind, count in layout.capacities.items():
        if count:
            table.add_row(str(kind), ", ".join(PAYLOADS[kind]))
    screen.print(table)
    screen.print(f"\nhash {layout.hash}")


def _rows(layout: TokenLayout, kind: TokenType, count: int) -> Iterator[tuple[str, ...]]:
    lanes, filled = len(PAYLOADS[kind]), 0
    for binding, lane in layout.placed():
        if binding.type is kind and binding.num_tokens:
            filled += binding.num_tokens
            yield (
                _span(lane, binding.num_tokens * lanes),
                f"{binding.num_tokens:,}",
                str(kind),
                _what(layout, binding),
                _scaled(layout.roster, binding),
            )
    if filled < count:
        free = count - filled
        lane = layout.offsets[kind] + filled * lanes
        yield _span(lane, free * lanes), f"{free:,}", str(kind), "nothing: kept free", ""


def _span(first: int, lanes: int) -> str:
    return f"{first} to {first + lanes - 1}"


def _what(layout: TokenLayout, binding: Binding) -> str:
    if not binding.variables:
        if binding.type is TokenType.SELF:
            return "the observer"
        brief = layout.brief
        is_fact = binding.type is TokenType.FACT
        return ", ".join(brief.facts if is_fact else (tool.id for tool in brief.tools))
    names = ", ".join(binding.variables)
    if binding.is_own:
        return f"own {names}"
    if binding.type is TokenType.AGENT:
        return f"{names} of the others"
    spec = layout.roster[binding.variables[0]]
    return f"{names} of each {spec.profile or spec.scope}" if SCOPES[spec.scope] else names


def _scaled(roster: Roster, binding: Binding) -> str:
    ways = [_way(normalization_of(roster[variable])) for variable in binding.variables]
    return "; ".join(dict.fromkeys(ways))


def _way(normalization: Normalization) -> str:
    """Writes a normalization as it stands in a world file.

    >>> _way(Normalization(kind="minmax", min=0, max=1, clip=True))
    'minmax (min 0, max 1, clip)'
    """
    options = normalization.model_dump(exclude={"kind"}, exclude_none=True)
    told = [
        key if value is True else f"no {key}" if value is False else f"{key} {value:g}"
        for key, value in options.items()
    ]
    kind = str(normalization.kind)
    kind = "as it is" if kind == "none" else kind
    return f"{kind} ({', '.join(told)})" if told else kind


def _check_role(world: World, role: str) -> None:
    known = (*ROLES, *world.roster.own_roles)
    if role not in known:
        message = f"world '{world.brief.world}' has no role '{role}'{did_you_mean(role, known)}"
        raise AuthorError.at(PLACE, message)


def _count(world: World, num_agents: int | None) -> int:
    fewest = world.roster.min_agents
    if num_agents is None:
        return fewest
    if not fewest <= num_agents <= MAX_AGENTS:
        message = f"--agents {num_agents}: world '{world.brief.world}' has from {fewest:,} to "
        raise AuthorError.at(PLACE, f"{message}{MAX_AGENTS:,}")
    return num_agents
