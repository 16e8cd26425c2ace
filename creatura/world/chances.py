"""Chances: a sequence of choices that depends on its key alone.

It counts through the counter-based draws of (seed, episode, purpose), at tick 0, which no run ever
reaches, so making a world shares no number with running it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, final

import numpy as np

from creatura import draws

_BLOCK = 256  # numbers drawn at once; one at a time costs forty times as much
_Item = TypeVar("_Item")


@final
class Chances:
    """Makes choices one after the other; each uses one number."""

    def __init__(self, seed: int, episode: int, purpose: int) -> None:
        self._key = (seed % 2**64, episode, purpose)
        self._used = 0
        self._block: list[float] = []

    def share(self) -> float:
        """Draws a number in [0, 1)."""
        if self._used % _BLOCK == 0:
            numbers = np.arange(self._used, self._used + _BLOCK)
            seed, episode, purpose = self._key
            drawn = draws.uniform(np.uint64(seed), episode, purpose, 0, 0, numbers)
            self._block = drawn.tolist()
        self._used += 1
        return self._block[(self._used - 1) % _BLOCK]

    def is_drawn(self, chance: float) -> bool:
        """Says yes with a chance in [0, 1]."""
        return self.share() < chance

    def below(self, end: int) -> int:
        """Draws a whole number from 0 to below `end`."""
        return int(self.share() * end)

    def pick(self, items: Sequence[_Item]) -> _Item:
        """Picks one of some items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_Item]) -> list[_Item]:
        """Returns the items in a drawn order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]
