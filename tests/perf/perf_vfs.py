"""VFS throughput: checked reads and writes in microseconds, tokens in GB/s against a plain copy.

Run with `make perf`. Each figure stands beside the bare NumPy operation on the same bytes, timed in
the same run, so that the ratio means something on any machine. Nothing here asserts a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from creatura import resolver
from creatura.vfs import Extents, Registry
from creatura.vfs.encoder import Encoder
from creatura.world import load_world

SHAPES = ((1, 1), (250, 4), (25_000, 4))  # W and A: one, a thousand and a hundred thousand rows
ROUNDS = 7
SECONDS = 0.05  # of a round


def registry_of(num_worlds: int, num_agents: int) -> Registry:
    world = load_world(resolver.world_file("hidden_health"))
    return Registry(world.roster, Extents(num_worlds, num_agents))


def median_seconds(call: Callable[[], object]) -> float:
    """Times a call: the median of some rounds of many calls each."""
    call()
    start = time.perf_counter()
    call()
    count = max(1, int(SECONDS / max(time.perf_counter() - start, 1e-7)))
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            call()
        rounds.append((time.perf_counter() - start) / count)
    return float(np.median(rounds))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def perf_a_checked_read_and_write(benchmark, shape):
    registry = registry_of(*shape)
    whole = np.full(shape, 0.5, dtype=np.float32)
    own = np.full(shape[0], 0.5, dtype=np.float32)
    target = np.empty_like(whole)
    calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "get": (lambda: registry.get("true_health", "engine"), lambda: target[...]),
        "get of one agent": (
            lambda: registry.get("perceived_health", "agent", agent=0),
            lambda: target[:, 0],
        ),
        "set": (
            lambda: registry.set("true_health", whole, "vtc", tick=1, who="perf"),
            lambda: np.copyto(target, whole),
        ),
        "set of one agent": (
            lambda: registry.set("true_health", own, "vtc", tick=1, who="perf", holder=0),
            lambda: np.copyto(target[:, 0], own),
        ),
    }
    for what, (checked, bare) in calls.items():
        taken, plain = median_seconds(checked) * 1e6, median_seconds(bare) * 1e6
        key = what.replace(" ", "_")
        benchmark.extra_info |= {f"{key}_us": round(taken, 3), f"{key}_ratio": taken / plain}
        print(
            f"\nW x A = {shape[0]} x {shape[1]}, {what}: {taken:.2f} us, "
            f"{taken / plain:.1f} times the bare operation ({plain:.2f} us)"
        )
    benchmark.pedantic(calls["set"][0], rounds=ROUNDS)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def perf_the_encoding_of_tokens(benchmark, shape):
    world = load_world(resolver.world_file("hidden_health"))
    registry = registry_of(*shape)
    encoder = Encoder(world.layout(shape[1]), registry)
    rows = encoder.encode()
    target = np.empty_like(rows)
    benchmark.pedantic(encoder.encode, rounds=ROUNDS, warmup_rounds=1)
    taken, plain = median_seconds(encoder.encode), median_seconds(lambda: np.copyto(target, rows))
    speed, copied = rows.nbytes / taken / 1e9, rows.nbytes / plain / 1e9
    benchmark.extra_info |= {"gigabytes_per_second": speed, "share_of_a_copy": speed / copied}
    print(
        f"\nW x A = {shape[0]} x {shape[1]}, {rows.nbytes:,} bytes of tokens: "
        f"{taken * 1e6:.1f} us, {speed:.3f} GB/s, "
        f"{speed / copied:.0%} of a plain copy ({copied:.3f} GB/s)"
    )
