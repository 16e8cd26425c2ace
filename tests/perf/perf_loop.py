"""Loop throughput: agent-ticks a second, from the first offer to the trace on disk.

Run with `make perf`. One thread, this world, plain with the planner. Nothing here asserts a time:
the figures are printed and kept in pytest-benchmark's JSON.
"""

from __future__ import annotations

import cProfile
import itertools
import pstats
from collections import Counter
from pathlib import Path

import pytest
import torch

from bench.matrix import Case, Player
from bench.runner import run_cases
from bench.store import RunStore
from creatura.world import Fault, Mode

FAULTS = (Fault("apply-patch", Mode.LIE, probability=0.5), Fault("diagnose", Mode.FAIL, times=1))
ROUNDS = 7
RUN_NAMES = (f"perf-{i}" for i in itertools.count())


def cases(num_runs: int, design: str) -> list[Case]:
    cast = (Player(design, "bfs"),)
    return [Case("restore_service", cast, FAULTS, seed) for seed in range(num_runs)]


def play(num_runs: int, design: str) -> int:
    """Plays cases, keeps their traces in memory, and returns the agent-ticks played."""
    batches = run_cases(cases(num_runs, design), group="perf", critic=False)
    return sum(int(batch.results.ticks.sum()) for batch in batches)


def play_and_write(num_runs: int, design: str, reports: Path) -> int:
    """Plays cases, writes their traces to parquet, and returns the agent-ticks played."""
    agent_ticks = 0
    with RunStore.create(reports, next(RUN_NAMES), {"command": "make perf"}) as store:
        for batch in run_cases(cases(num_runs, design), group="perf", critic=False):
            store.add(batch)
            agent_ticks += int(batch.results.ticks.sum())
        store.finish([])
    return agent_ticks


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("design", ["plain", "hybrid", "careless"])
@pytest.mark.parametrize("num_runs", [1, 64, 4096])
def perf_the_loop(benchmark, num_runs, design):
    play(num_runs, design)  # compiles the world and fills the planner's memory
    ticks = benchmark.pedantic(play, (num_runs, design), rounds=ROUNDS)
    tell(benchmark, f"{design}, W = {num_runs}, traces kept", ticks)


@pytest.mark.parametrize("num_runs", [1, 64, 4096])
def perf_the_loop_with_traces_written(benchmark, tmp_path, num_runs):
    play_and_write(num_runs, "plain", tmp_path)
    ticks = benchmark.pedantic(play_and_write, (num_runs, "plain", tmp_path), rounds=ROUNDS)
    tell(benchmark, f"plain, W = {num_runs}, traces written", ticks)


def tell(benchmark, what: str, ticks: int) -> None:
    rate = ticks / benchmark.stats.stats.median
    benchmark.extra_info |= {"agent_ticks": ticks, "agent_ticks_per_second": round(rate)}
    print(f"\n{what}: {rate:,.0f} agent-ticks/s ({ticks} ticks)")


@pytest.mark.parametrize("design", ["plain", "hybrid"])
def perf_where_the_time_goes(tmp_path, design):
    play_and_write(4096, design, tmp_path)
    profile = cProfile.Profile()
    profile.runcall(play_and_write, 4096, design, tmp_path)
    share: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        share[room_of(file)] += own
    total = sum(share.values())
    print(f"\n{design}, W = 4096, own time under a profiler:")
    for room, seconds in share.most_common(8):
        print(f"  {seconds / total:6.1%}  {room}")


def room_of(file: str) -> str:
    path = Path(file)
    for package in ("creatura", "bench"):
        if package in path.parts:
            return "/".join(path.parts[path.parts.index(package) :][:2]).removesuffix(".py")
    return "site-packages" if "site-packages" in path.parts else "built-ins and standard library"
