"""App: the commands and their options. What a command does stands in a module of its own."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bench.cli.world_commands import world_app
from bench.limits import MAX_CASES, MAX_COUNT

app = typer.Typer(
    name="creatura",
    help="Puts agent designs into worlds whose tools may lie, and says what they did there.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
bench_app = typer.Typer(help="Runs the whole bench and writes its report.", no_args_is_help=True)
app.add_typer(bench_app, name="bench")
app.add_typer(world_app, name="world")

FROZEN = Path("run.frozen")
FAULT_HELP = "When: TOOL:once (the default), :always, :times=2, :ticks=3,5 or :p=0.3."


class Backend(StrEnum):
    """Which engine moves the world; both give the same rows."""

    FUSED = "fused"
    INTERPRETER = "interpreter"


@app.command()
def run(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="A world's name (see `creatura worlds`) or file.")
    ],
    design: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A design, with options and extensions if any: 'hybrid(stage=2) with memory', "
            "or one of a file: my_design.py:Cautious. Repeat it to put several agents into the "
            "world.  [default: hybrid]",
        ),
    ] = None,
    seat: Annotated[
        str, typer.Option(metavar="NAME", help="Who decides (see `creatura seats`).")
    ] = "bfs",
    lie: Annotated[
        list[str] | None,
        typer.Option(metavar="TOOL", help=f"A tool that lies. {FAULT_HELP} Repeatable."),
    ] = None,
    fail: Annotated[
        list[str] | None,
        typer.Option(metavar="TOOL", help="A tool that fails honestly; written like --lie."),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FAULT",
            help="A fault of any kind: TOOL:MODE and, as above, when; late, reverts and slow take "
            "delay=2, damage and wrong take fact=NAME.",
        ),
    ] = None,
    barrier: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A barrier of the world to switch on, or all."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the draws.")] = 0,
    max_ticks: Annotated[
        int, typer.Option(metavar="N", min=1, max=MAX_COUNT, help="Ticks after which the run ends.")
    ] = 40,
    cases: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=MAX_CASES, help="Cases in a row, for designs that learn."
        ),
    ] = 1,
    freeze_at: Annotated[
        int | None,
        typer.Option(metavar="TICK", min=0, help="Stop there and keep the run in a file."),
    ] = None,
    freeze_to: Annotated[Path, typer.Option(metavar="FILE", help="That file.")] = FROZEN,
    backend: Annotated[Backend, typer.Option(help="Which engine moves the world.")] = Backend.FUSED,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Run one world once and print the trace, the outcome, the critic's count and the hashes."""
    from bench.cli import run_one
    from bench.matrix import sequence
    from bench.trouble import parse_faults

    given = {"lie": lie, "fail": fail, "fault": fault}
    faults = [f for option, texts in given.items() for f in parse_faults(option, texts or [])]
    faults += run_one.barriers_of(world, barrier or [])
    case = run_one.case_of(world, design or ["hybrid"], seat, faults, seed, max_ticks)
    if freeze_at is not None:
        from bench.cli import resume as resuming

        resuming.freeze(sequence(case, cases)[-1], freeze_at, freeze_to, backend.value)
    elif cases > 1:
        run_one.print_sequence(case, cases, backend.value, as_json=json)
    else:
        run_one.print_run(case, backend.value, as_json=json)


@app.command()
def resume(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A frozen run.")],
    fork: Annotated[
        bool,
        typer.Option("--fork", help="Start a new run from where it stands, whatever has moved."),
    ] = False,
    world: Annotated[
        str | None,
        typer.Option(metavar="WORLD", help="With --fork: go on in this world."),
    ] = None,
    design: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="With --fork: go on with this design; one an agent."),
    ] = None,
    freeze_at: Annotated[
        int | None,
        typer.Option(metavar="TICK", min=0, help="Stop there and keep the run in another file."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            "--freeze-to",
            metavar="FILE",
            help="That file; without --freeze-at the run is kept where it stands.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Play a frozen run to its end and print it as `run` does.

    What it was played with is in the file, the Python files of its cast among it, which are run.
    """
    from bench.cli import resume as resuming

    wanted = resuming.fork_of(fork, world, design or [])
    if to is None and freeze_at is None:
        resuming.resume(file, wanted, as_json=json)
    else:
        resuming.keep(file, wanted, freeze_at, to or FROZEN)


@app.command()
def designs() -> None:
    """List the designs and their options."""
    from bench.cli import lists

    lists.print_designs()


@app.command()
def seats() -> None:
    """List the seats and their options."""
    from bench.cli import lists
    from creatura import resolver

    lists.print_entries(resolver.seats(), resolver.Kind.SEAT)


@app.command()
def extensions() -> None:
    """List the extensions and their options."""
    from bench.cli import lists
    from creatura import resolver

    lists.print_entries(resolver.extensions(), resolver.Kind.EXTENSION)


@app.command("check-design")
def check_design(
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="A Python file, one class of it (FILE.py:CLASS), or the name of a design, seat or "
            "extension.",
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON list instead.")] = False,
) -> None:
    """Hold a design, a seat, an extension or all those of a file to the laws of their kind."""
    from bench.cli import check_parts

    raise typer.Exit(check_parts.check_parts(part, as_json=json))


@app.command()
def worlds() -> None:
    """List the packaged worlds."""
    from bench.cli import lists

    lists.print_worlds()


@app.command()
def steps(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORDS]", help="Only steps that hold these words."),
    ] = None,
) -> None:
    """List the sentences a feature file may use, or the nearest to some words."""
    from bench.cli import lists

    lists.print_steps(words or [])


@bench_app.command("run")
def bench_run(
    plan: Annotated[str, typer.Argument(metavar="[PLAN]", help="A plan's name or file.")] = "quick",
    features: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Feature files or folders to run.  [default: the packaged features]",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the run's folder.  [default: time and hash]"),
    ] = None,
    reports: Annotated[Path, typer.Option(metavar="FOLDER", help="Where runs are kept.")] = Path(
        "reports"
    ),
) -> None:
    """Run every feature and the plan's cases, and write a report of both."""
    from bench.cli import run_bench

    raise typer.Exit(run_bench.run_bench(plan, features or [], name, reports))


@app.command()
def report(
    run_folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run's folder below reports/.")
    ],
) -> None:
    """Write the report of a stored run again."""
    from bench.report import write_report

    print(write_report(run_folder))
