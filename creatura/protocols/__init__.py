"""Protocols: what the parts say to each other.

Designs, seats, extensions and observers see nothing of the engine: they are given the frozen
records of this package and answer with them. Facts and tools cross the border as int masks in which
bit i is the i-th fact, or tool, in the order the world declares them (see `bits`).
"""

from creatura.protocols.designs import (
    Context,
    Regulator,
    Row,
    Sleep,
    Slots,
    budget_of,
    plasticity,
)
from creatura.protocols.events import (
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
    Reverted,
    TimeUp,
    Vetoed,
    Waited,
    plain_words,
)
from creatura.protocols.extensions import (
    Carried,
    Extension,
    Verbs,
)
from creatura.protocols.layers import (
    JudgeRule,
    LayerOptions,
    Report,
    Verdict,
)
from creatura.protocols.observers import (
    Claims,
    Findings,
    Observer,
    Watch,
)
from creatura.protocols.seats import (
    Answer,
    Reading,
    Seat,
    SeatBatch,
)
from creatura.protocols.tasks import (
    Brief,
    Goal,
    Tool,
)

__all__ = [
    "CRASHED",
    "Answer",
    "Arrived",
    "Brief",
    "Busy",
    "Carried",
    "Claims",
    "Context",
    "Decided",
    "Event",
    "Extension",
    "Findings",
    "Goal",
    "GoalMet",
    "HandOff",
    "Held",
    "JudgeRule",
    "Judged",
    "LayerOptions",
    "Observer",
    "Passed",
    "Reading",
    "Refused",
    "Regulator",
    "Report",
    "Reverted",
    "Row",
    "Seat",
    "SeatBatch",
    "Sleep",
    "Slots",
    "TimeUp",
    "Tool",
    "Verbs",
    "Verdict",
    "Vetoed",
    "Waited",
    "Watch",
    "budget_of",
    "plain_words",
    "plasticity",
]
