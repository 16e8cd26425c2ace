"""Events: what can happen to an agent in a tick, each kept once for all the runs it happens to.

The same few events befall thousands of runs, so each distinct one is a number here, with its kind
and its plain words worked out once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from creatura.loop.recorder import Recorder
from creatura.membrane import Acts, Judgement
from creatura.membrane.effect_check import VERDICTS
from creatura.protocols import (
    CRASHED,
    Arrived,
    Busy,
    Decided,
    Event,
    GoalMet,
    HandOff,
    Held,
    Judged,
    Passed,
    Refused,
    Report,
    Reverted,
    TimeUp,
    Tool,
    Verdict,
    Vetoed,
    Waited,
    plain_words,
)

Ids = NDArray[np.int64]

KINDS = {
    Decided: "decided",
    Waited: "waited",
    Passed: "passed",
    Busy: "busy",
    Refused: "refused",
    Held: "held",
    HandOff: "handed-off",
    Vetoed: "vetoed",
    Reverted: "reverted",
    Arrived: "arrived",
    GoalMet: "done",
    TimeUp: "time-up",
}


def kind_of(event: Event) -> str:
    """Names the sort of an event, for machines."""
    if not isinstance(event, Judged):
        return KINDS[type(event)]
    if event.verdict is not Verdict.MISSING:
        return event.verdict.value
    return "lie" if event.is_lie else "failure"


class EventBook:
    """Every distinct event of a batch, by number."""

    def __init__(self, recorder: Recorder, tools: tuple[Tool, ...]) -> None:
        self.recorder, self._tools = recorder, tools
        self._ids: dict[Event, int] = {}
        self.events: list[Event] = []
        self._codes = np.zeros((64, 3), dtype=np.int32)  # grows by doubling
        # Judged events are numbered by their parts, so that a batch of them needs no objects.
        self._judged = np.full(len(tools) * len(VERDICTS) * 32, -1, dtype=np.int64)

    def id_of(self, event: Event) -> int:
        """Returns the number of an event."""
        found = self._ids.get(event)
        if found is None:
            found = self._ids[event] = len(self.events)
            self.events.append(event)
            action, detail = plain_words(event)
            code = self.recorder.code
            if found == len(self._codes):
                self._codes = np.concatenate([self._codes, np.zeros_like(self._codes)])
            self._codes[found] = code(kind_of(event)), code(action), code(detail)
        return found

    def judged(self, acts: Acts, judgement: Judgement) -> Ids:
        """Returns the numbers of N judged acts."""
        key = acts.tools * len(VERDICTS) + judgement.verdicts
        flags = (acts.success, acts.crashed, judgement.lies, judgement.quarantined, acts.probes)
        for flag in flags:
            key = key * 2 + flag
        ids = self._judged[key]
        if (ids < 0).any():
            for position in np.flatnonzero(ids < 0):
                if self._judged[key[position]] < 0:
                    event = self._event(int(key[position]))
                    self._judged[key[position]] = self.id_of(event)
            ids = self._judged[key]
        return np.asarray(ids)

    def go_on_from(self, earlier: EventBook) -> None:
        """Takes over the events of before; acts of now are of the tools as they are now."""
        self.recorder.go_on_from(earlier.recorder)
        self._ids, self.events, self._codes = earlier._ids, earlier.events, earlier._codes
        self._judged[:] = -1

    def codes(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Returns kind, action and detail codes in the plain words of the membrane."""
        kind, action, detail = self._codes[ids].T
        return kind, action, detail

    def _event(self, key: int) -> Judged:
        flags = [bool(key >> shift & 1) for shift in (4, 3, 2, 1, 0)]
        tool, verdict = divmod(key >> 5, len(VERDICTS))
        success, crashed, lie, quarantined, probe = flags
        message = "done" if success else CRASHED if crashed else "failed"
        return Judged(
            self._tools[tool], Report(success, message), VERDICTS[verdict], lie, quarantined, probe
        )
