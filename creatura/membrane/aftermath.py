"""Aftermath: what earlier acts brought and still owe, so that a later change is told to its act.

An effect that landed may be undone, and one that was reported and did not land may come late. Both
are read from the facts, on the tick they happen; what the agent's own act of that tick does to the
facts is no news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, words_of
from creatura.protocols import Tool

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Notices:
    """N changes that earlier acts answer for.

    Attributes:
        positions: Positions among the runs that were asked about `[N]`. tools: Tool indices `[N]`.
        facts: The facts that changed `[N, K]`.
        gone: Whether they hold no longer, rather than hold at last `[N]`.
    """

    positions: Ints
    tools: Ints
    facts: Words
    gone: NDArray[np.bool_]


class Aftermath:
    """What each tool landed and owes in each of W runs, as words `[W, T, K]`."""

    def __init__(self, tools: Sequence[Tool], num_runs: int, num_facts: int) -> None:
        self._grants = words_of([tool.grants for tool in tools], num_facts)
        self._revokes = words_of([tool.revokes for tool in tools], num_facts)
        shape = (num_runs, *self._grants.shape)
        self._landed = np.zeros(shape, dtype=np.uint64)
        self._owed = np.zeros(shape, dtype=np.uint64)

    def go_on_from(self, earlier: Aftermath) -> None:
        """Takes over what was landed and is owed."""
        self._landed, self._owed = earlier._landed, earlier._owed

    def follow(
        self, runs: Ints, tools: Ints, success: NDArray[np.bool_], before: Words, after: Words
    ) -> Notices:
        """Takes in one tick of N runs and returns what changed by no act of theirs.

        Args:
            runs: Positions in the batch `[N]`. tools: The tool whose call came back, or -1 `[N]`.
            success: Whether that call reported success `[N]`.
            before, after: Facts around the transition `[N, K]`.
        """
        acted = np.flatnonzero(tools >= 0)
        promised, taken = np.zeros_like(before), np.zeros_like(before)
        promised[acted] = self._grants[tools[acted]]
        taken[acted] = self._revokes[tools[acted]]
        lost, come = before & ~after, after & ~before
        notices = self._notices(runs, lost & ~taken, come & ~promised)
        if lost.any():
            self._landed[runs] &= ~lost[:, None]
        if come.any():
            self._owed[runs] &= ~come[:, None]
        where = (runs[acted], tools[acted])
        self._landed[where] |= (promised & come)[acted]
        late = np.where(success[acted, None], (promised & ~after)[acted], np.uint64(0))
        self._owed[where] |= late
        return notices

    def _notices(self, runs: Ints, lost: Words, come: Words) -> Notices:
        parts = []
        for news, kept, is_loss in ((lost, self._landed, True), (come, self._owed, False)):
            changed = np.flatnonzero(news.any(axis=1))
            # The usual tick has no news, and then nothing of size [N, T, K] is made.
            facts = kept[runs[changed]] & news[changed, None]
            at, tools = np.nonzero(facts.any(axis=2))
            parts.append((changed[at], tools, facts[at, tools], np.full(len(at), is_loss)))
        positions, tools, facts, gone = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        return Notices(positions, tools, facts, gone)
