"""Draws: random numbers that depend on what they are for, never on when they are made.

A draw is a pure function of (seed, episode, agent, tool, tick, draw), so an episode gives the same
numbers alone, in a batch of thousands, in any process and in any order. The generator is
Philox 4x32 with ten rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

U32 = NDArray[np.uint64]  # 32-bit words held in 64 bits, so that products do not overflow

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ROUNDS = 10


def philox(counter: tuple[U32, U32, U32, U32], key: tuple[U32, U32]) -> tuple[U32, U32, U32, U32]:
    """Runs the ten rounds of Philox 4x32 over arrays of one common shape.

    Args:
        counter: Four arrays of 32-bit words.
        key: Two arrays of 32-bit words.

    Returns:
        Four arrays of 32-bit words, uniform and independent.
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        p0, p1 = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _LOW, (p0 >> _HALF) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _WEYL[0]) & _LOW, (k1 + _WEYL[1]) & _LOW
    return c0, c1, c2, c3


def uniform(
    seed: ArrayLike, episode: ArrayLike, agent: ArrayLike, tool: ArrayLike, tick: ArrayLike,
    draw: ArrayLike = 0,
) -> NDArray[np.float64]:  # fmt: skip
    """Draws one number in [0, 1) for each key, with 53 random bits.

    Args:
        seed: 64-bit seeds; negative ones count from the top.
        episode, tick, draw: Indices below 2**32.
        agent, tool: Indices below 2**16.

    Returns:
        Array of the broadcast shape of all arguments.
    """
    words = [np.asarray(x).astype(np.uint64) for x in (seed, episode, agent, tool, tick, draw)]
    seeds, episodes, agents, tools, ticks, draws = np.broadcast_arrays(*words)
    who = (agents << np.uint64(16)) | tools
    high, low, _, _ = philox((episodes, who, ticks, draws), (seeds & _LOW, seeds >> _HALF))
    # 53 bits are what a double holds exactly, so the largest result is still below 1.
    bits = ((high << _HALF) | low) >> np.uint64(11)
    return bits.astype(np.float64) * 2.0**-53
