"""Visibility: which tools a seat may see this tick, and what those lead to.

A tool is visible when its requirements hold and nothing withholds it. `Horizon` adds the map a
planner needs: the tools that come within reach through the declared effects of visible ones. A
withheld tool is on neither, so its name never reaches a seat.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, has_all, indices_of
from creatura.protocols import Tool


def visible(facts: Words, requires: Words, withheld: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Reads who may see what: facts `[N, K]`, requirements `[T, K]`, withheld `[N, T]`."""
    return has_all(facts, requires) & ~withheld


class Horizon:
    """The tools that offered ones lead to; memoised, since runs of one world meet again."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self._tools = tools
        self._seen: dict[tuple[int, int, int], int] = {}

    def ahead(self, facts: int, offered: int, withheld: int) -> int:
        """Returns the mask of tools within reach beyond the offered ones.

        Requirements only ever grow easier along the way: revoked facts are not taken back, so the
        map may show a road that a planner then finds closed, never hide one that is open.
        """
        key = (facts, offered, withheld)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._grow(*key)
        return found

    def _grow(self, facts: int, offered: int, withheld: int) -> int:
        known = facts
        for index in indices_of(offered):
            known |= self._tools[index].grants
        reached = offered
        waiting = [t for t in self._tools if not (offered | withheld) >> t.index & 1]
        grew = bool(offered)
        while grew:
            ready = [tool for tool in waiting if tool.requires & ~known == 0]
            waiting = [tool for tool in waiting if tool.requires & ~known]
            for tool in ready:
                reached |= 1 << tool.index
                known |= tool.grants
            grew = bool(ready)
        return reached & ~offered
