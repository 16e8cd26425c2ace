"""Loop: offer, decide, admit, act, judge, record, stop; the only way into a world.

Any number of runs go in lockstep, each with the same cast of agents: in a tick all seats decide on
the same snapshot, the world takes one compiled transition, and then every act is judged. A single
run is a batch of one, and no row depends on how many others ran beside it.
"""

from creatura.loop.batch import DEFAULT_MAX_TICKS, Batch, Settings
from creatura.loop.freeze import freeze, thaw
from creatura.loop.run import batches, run, run_sequences
from creatura.loop.station import Player

__all__ = [
    "DEFAULT_MAX_TICKS",
    "Batch",
    "Player",
    "Settings",
    "batches",
    "freeze",
    "run",
    "run_sequences",
    "thaw",
]
