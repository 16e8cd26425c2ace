"""EffectCheck: what the facts say an act came to, whatever its tool reported.

The promised facts are those the tool grants; for a tool that grants nothing they are the ones it
takes away. Only promised facts that did not hold before the call are evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, words_of
from creatura.protocols import Tool, Verdict

VERDICTS = tuple(Verdict)
LANDED, VACUOUS, PARTIAL, MISSING, BELIEVED = range(len(VERDICTS))


class EffectCheck:
    """Judges acts of the tools of one world by their facts before and after."""

    def __init__(self, tools: Sequence[Tool], num_facts: int) -> None:
        self._grants = words_of([tool.grants for tool in tools], num_facts)
        takes = [0 if tool.grants else tool.revokes for tool in tools]
        self._takes = words_of(takes, num_facts)

    def verdicts(self, tools: NDArray[np.int64], before: Words, after: Words) -> NDArray[np.int64]:
        """Reads N acts.

        Args:
            tools: Tool indices `[N]`.
            before, after: Facts around the transition `[N, K]`.

        Returns:
            Positions in `VERDICTS` `[N]`.
        """
        grants, takes = self._grants[tools], self._takes[tools]
        wanted = (grants & ~before) | (takes & before)
        missing = (grants & ~after) | (takes & after)
        still_missing = wanted & missing
        some_wanted, some_missing = wanted.any(axis=1), still_missing.any(axis=1)
        some_landed = (wanted & ~missing).any(axis=1)
        verdict = np.where(some_landed, PARTIAL, MISSING)
        verdict[~some_missing] = LANDED
        verdict[~some_wanted] = VACUOUS
        return verdict
