"""VTC: the rules of a world, compiled into one transition over every world of a batch."""

from creatura.vtc.compiler import BackendName, Bound, Transition, compile_transition
from creatura.vtc.phases import PHASES
from creatura.vtc.syntax import RuleSpec, WriteSpec

__all__ = [
    "PHASES",
    "BackendName",
    "Bound",
    "RuleSpec",
    "Transition",
    "WriteSpec",
    "compile_transition",
]
