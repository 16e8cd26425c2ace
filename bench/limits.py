"""Limits: how large a count a bench takes."""

from __future__ import annotations

MAX_COUNT = 2**31 - 1  # the engine and the store hold ticks in 32 bits
MAX_CASES = 1_000  # in a row: each holds what came before it, so a sequence grows by its square
COUNT_RANGE = f"from 1 to {MAX_COUNT:,}"


def is_count(number: int) -> bool:
    """Tells whether so many ticks, calls or runs can be counted."""
    return 1 <= number <= MAX_COUNT
