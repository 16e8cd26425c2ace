"""Recorder: collects trace rows as columns while the runs go on.

Rows come in chunks, one for all runs that the same thing happened to. Nothing is sorted until the
end, when a stable sort by run gives each run its rows in the order they were told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from creatura.results import TraceTable

_INTEGERS = ("agent", "tick", "kind", "level", "action", "detail")


class Recorder:
    """The growing trace of one batch."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._chunks: list[tuple[NDArray[np.int64], dict[str, ArrayLike]]] = []

    def code(self, text: str) -> int:
        """Returns the code of a string, the same one each time."""
        return self._codes.setdefault(text, len(self._codes))

    def add(
        self,
        runs: NDArray[np.int64],
        agent: int,
        tick: int,
        *,
        kind: ArrayLike,
        level: ArrayLike,
        stress: ArrayLike,
        freedom: ArrayLike,
        action: ArrayLike,
        detail: ArrayLike,
    ) -> None:
        """Adds one row for each of N runs; a single value stands for all of them.

        Args:
            kind, level, action, detail: Codes from `code`.
        """
        columns = {
            "agent": agent, "tick": tick, "kind": kind, "level": level,
            "stress": stress, "freedom": freedom, "action": action, "detail": detail,
        }  # fmt: skip
        self._chunks.append((runs, columns))

    def go_on_from(self, earlier: Recorder) -> None:
        """Takes over the rows that were told before."""
        self._codes, self._chunks = earlier._codes, earlier._chunks

    def table(self) -> TraceTable:
        """Puts all rows in order: by run, then as they were told."""
        lengths = [len(runs) for runs, _ in self._chunks]
        run = np.concatenate([runs for runs, _ in self._chunks] or [np.zeros(0, dtype=np.int64)])
        order = np.argsort(run, kind="stable")
        columns: dict[str, Any] = {}
        for name in (*_INTEGERS, "stress", "freedom"):
            column = np.empty(len(run), dtype=np.int32 if name in _INTEGERS else np.float64)
            start = 0
            for length, (_, values) in zip(lengths, self._chunks, strict=True):
                column[start : start + length] = values[name]
                start += length
            columns[name] = column[order]
        return TraceTable(run=run[order], strings=tuple(self._codes), **columns)
