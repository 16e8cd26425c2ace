"""Gatekeeper: whether a named tool may run.

What was not offered is refused, whoever names it. A release tool also waits for an earned record:
enough landed effects, and a large enough share of all judged acts (source: the seed's gatekeeper;
the two numbers are layer options).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from creatura.protocols import LayerOptions

ADMITTED, NOT_OFFERED, NO_RECORD = 0, 1, 2


def rulings(
    tools: NDArray[np.int64],
    offered: NDArray[np.bool_],
    release: NDArray[np.bool_],
    landed: NDArray[np.int64],
    judged: NDArray[np.int64],
    options: LayerOptions,
) -> NDArray[np.int64]:
    """Rules on one answer a run.

    Args:
        tools: Tool indices `[N]`; -1 for a name that is no tool.
        offered: What each seat was shown `[N, T]`.
        release: Which tools ship something `[T]`.
        landed, judged: The agent's record over all its tools `[N]`.

    Returns:
        `ADMITTED`, `NOT_OFFERED` or `NO_RECORD` `[N]`.
    """
    shown = (tools >= 0) & offered[np.arange(len(tools)), tools]
    # Divided rather than multiplied: 3 / 5 is exactly the double that a share of 0.6 is written as.
    share = landed / np.maximum(judged, 1)
    earned = (landed >= options.release_min_landed) & (share >= options.release_min_share)
    unearned = shown & release[tools] & ~earned
    return np.where(shown, np.where(unearned, NO_RECORD, ADMITTED), NOT_OFFERED)


def reason(ruling: int, options: LayerOptions) -> str:
    """Renders why a ruling went against an answer."""
    if ruling == NOT_OFFERED:
        return "not offered"
    return (
        f"a release needs {options.release_min_landed} landed effects and a landed share of "
        f"{options.release_min_share:g}"
    )
