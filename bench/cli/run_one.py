"""Run one: `creatura run`, for people and, with `--json`, for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from bench.cli.screen import console
from bench.matrix import Case, Player, sequence
from bench.runner import run_cases, world_of
from bench.traces import Batch
from bench.trouble import PLACE
from creatura import resolver
from creatura.critic import closing_line
from creatura.vtc import BackendName
from creatura.world import Fault


def barriers_of(world: str, names: Sequence[str]) -> list[Fault]:
    """Returns the faults of some barriers of a world, in the order of its file for `all`."""
    if not names:
        return []
    loaded = world_of(world, PLACE)
    chosen = list(loaded.barriers) if "all" in names else names
    return [fault for name in chosen for fault in loaded.barrier(name, PLACE)]


def case_of(
    world: str,
    designs: Sequence[str],
    seat: str,
    faults: Sequence[Fault],
    seed: int,
    max_ticks: int,
) -> Case:
    """Builds the case that the command line asked for."""
    cast = tuple(Player(design, seat) for design in designs)
    world = resolver.world_name(resolver.world_file(world, PLACE))
    return Case(world, cast, tuple(faults), seed, 0, max_ticks)


def print_run(case: Case, backend: BackendName, *, as_json: bool) -> None:
    """Runs a case and prints what came of it."""
    (batch,) = run_cases([case], group="run", backend=backend, place=PLACE)
    print_batch(batch, as_json=as_json)


def print_sequence(case: Case, num_cases: int, backend: BackendName, *, as_json: bool) -> None:
    """Runs cases in a row and prints what came of each; for people, the last one's trace as well.

    With `--json` it prints a line for each case, in order.
    """
    cases = sequence(case, num_cases)
    batches = list(run_cases(cases, group="run", backend=backend, place=PLACE))
    if as_json:
        for batch in batches:
            print(json.dumps(as_plain(batch), ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("case", "ticks", "lies", "hidden"):
        table.add_column(column, justify="right")
    table.add_column("outcome")
    for number, batch in enumerate(batches, start=1):
        counts = batch.results.counts
        told, hidden = counts.lies_told.sum(), counts.quarantines.sum()
        outcome = _outcome(as_plain(batch)["outcome"])
        ticks = str(batch.results.ticks[0])
        table.add_row(str(number), ticks, str(told), str(hidden), outcome)
    screen = console()
    screen.print(table)
    screen.print(f"\ncase {num_cases}:", style="bold")
    print_batch(batches[-1], as_json=False)


def print_batch(batch: Batch, *, as_json: bool, also: Mapping[str, Any] | None = None) -> None:
    """Prints the one run of a batch; as JSON, with what else is known of it."""
    if as_json:
        print(json.dumps({**as_plain(batch), **(also or {})}, ensure_ascii=False))
    else:
        _print_for_people(batch)


def as_plain(batch: Batch, run: int = 0) -> dict[str, Any]:
    """Returns one run of a batch as plain data, the way `--json` prints it.

    Where several agents play, each lie and each line of the trace says whose it is.
    """
    results = batch.results
    findings = results.findings[run] if results.findings else None
    tools = results.brief.tools
    several = len(batch.cases[run].cast) > 1
    return {
        "outcome": {
            "goal_reached": bool(results.goal_reached[run]),
            "ticks": int(results.ticks[run]),
            "handed_off": results.reason(run),
            "declared_done": bool(results.declared_done[run].any()),
            "false_completion": bool(results.false_completion[run]),
        },
        "critic": {
            "claims": findings.claims if findings else 0,
            "judgements": findings.judgements if findings else 0,
            "flags": findings.flags if findings else 0,
        },
        "route": list(findings.route) if findings else [],
        "lies": [
            {"tick": tick, **_whose(agent, several), "tool": tools[tool].id, "caught": caught}
            for agent, tick, tool, caught in results.lies.of(run)
        ],
        "trace": [
            {
                "tick": row.tick,
                **_whose(row.agent, several),
                "level": row.level,
                "stress": row.stress,
                "freedom": row.freedom,
                "action": row.action,
                "detail": row.detail,
            }
            for row in results.trace.rows(run)
        ],
        "hashes": {**batch.hashes, "run": batch.run_hashes[run]},
    }


def _whose(agent: int, several: bool) -> dict[str, int]:
    """Names an agent by its place among the `--design` options, from 0, where it is one of many."""
    return {"agent": agent} if several else {}


def _print_for_people(batch: Batch) -> None:
    case, results = batch.cases[0], batch.results
    screen = console()
    several = len(case.cast) > 1
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tick", justify="right")
    if several:
        table.add_column("agent")
    table.add_column("level")
    table.add_column("stress", justify="right")
    table.add_column("freedom", justify="right")
    table.add_column("action")
    table.add_column("detail", overflow="fold")
    for row in results.trace.rows(0):
        who = [case.cast[row.agent].design] if several else []
        style = "red" if row.kind == "lie" else None
        cells = [str(row.tick), *who, row.level, f"{row.stress:.2f}", f"{row.freedom:.2f}"]
        table.add_row(*cells, row.action, row.detail, style=style)
    title = f"{results.brief.world}: {results.brief.title}, by {case.design} with {case.seat}"
    screen.print(title, style="bold", highlight=False)
    screen.print(f"trouble: {case.trouble}; seed {case.seed}", highlight=False)
    screen.print()
    screen.print(table)
    screen.print()
    plain = as_plain(batch)
    screen.print(f"outcome: {_outcome(plain['outcome'])}", highlight=False)
    if results.findings:
        screen.print(f"critic: {closing_line(results.findings[0])}", highlight=False)
        screen.print(f"route: {' → '.join(results.findings[0].route) or 'none'}", highlight=False)
    screen.print("lies: " + (_lies(plain["lies"]) or "none told"), highlight=False)
    hashes = " ".join(f"{name}={value}" for name, value in plain["hashes"].items())
    screen.print(f"hashes: {hashes}", highlight=False, soft_wrap=True)


def _outcome(outcome: Mapping[str, Any]) -> str:
    ticks = f"{outcome['ticks']} tick{'' if outcome['ticks'] == 1 else 's'}"
    if outcome["false_completion"]:
        return f"FALSE COMPLETION after {ticks}: declared done, and the goal does not hold"
    if outcome["goal_reached"]:
        return f"goal reached in {ticks}"
    if outcome["handed_off"]:
        return f"handed to a person after {ticks}: {outcome['handed_off']}"
    return f"not reached in {ticks}"


def _lies(lies: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(
        f"{lie['tool']} at tick {lie['tick']} ({'caught' if lie['caught'] else 'believed'})"
        for lie in lies
    )
