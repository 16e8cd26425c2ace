"""World commands: `creatura world show`, `tokens`, `check` and `diff`, and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

world_app = typer.Typer(help="Shows, checks and compares worlds.", no_args_is_help=True)

World = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world's name (see `creatura worlds`) or file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]


@world_app.command()
def show(
    world: World,
    show_all: Annotated[
        bool, typer.Option("--all", help="Also what the engine adds by itself.")
    ] = False,
    expanded: Annotated[
        bool,
        typer.Option("--expanded", help="Print the full roster and every rule as YAML instead."),
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw facts, variables, tools and rules into a file."),
    ] = None,
    json: Json = False,
) -> None:
    """Show a world: its tools, variables, rules and faults."""
    from bench.cli import show_world

    if svg is not None:
        show_world.draw(world, svg)
    elif expanded:
        show_world.print_expanded(world)
    else:
        show_world.print_world(world, show_all=show_all, as_json=json)


@world_app.command()
def tokens(
    world: World,
    agents: Annotated[
        int | None, typer.Option(metavar="N", help="How many are in the run; the fewest possible.")
    ] = None,
    role: Annotated[str, typer.Option(metavar="ROLE", help="Who observes.")] = "agent",
    json: Json = False,
) -> None:
    """Show what an observer gets of a world, lane by lane."""
    from bench.cli import show_tokens

    show_tokens.print_tokens(world, num_agents=agents, role=role, as_json=json)


@world_app.command()
def check(
    worlds: Annotated[
        list[str], typer.Argument(metavar="WORLD...", help="Names of worlds, or files.")
    ],
) -> None:
    """Print every mistake in worlds, and every doubt."""
    from bench.cli import check_world

    raise typer.Exit(check_world.check_worlds(worlds))


@world_app.command()
def diff(a: World, b: World, json: Json = False) -> None:
    """Print what differs between two worlds, if anything."""
    from bench.cli import diff_world

    raise typer.Exit(diff_world.print_diff(a, b, as_json=json))
