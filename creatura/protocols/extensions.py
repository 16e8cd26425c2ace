"""Extensions: behaviours hung on the loop's verbs, whatever the design.

An extension re-judges an outcome, sends a hand-off back, adds a note for the seat, proposes a step
where the seat sees no route, or has a record carried to the next case. It can change what the
membrane makes of an act, never what the facts are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Protocol

from creatura.protocols.designs import Context
from creatura.protocols.events import Event, HandOff, Judged
from creatura.protocols.tasks import Brief, Tool


class Carried(StrEnum):
    """A record that may go from one case of a sequence to the next."""

    LEDGER = "ledger"  # the membrane's: what each tool's acts came to, and how long it stays hidden
    DESIGN = "design"  # the design's: what it slept on
    OWN = "own"  # the extension's own memory


class Extension(Protocol):
    """A behaviour on the loop's verbs. `Verbs` has the defaults.

    In every verb `context.memory` is the extension's own memory.
    """

    @property
    def name(self) -> str:
        """The extension's name on the command line and in reports."""

    @property
    def carries(self) -> tuple[Carried, ...]:
        """Which records go to the next case because of it."""

    def begin(self, brief: Brief) -> Any:
        """Returns the memory it starts a case with; immutable, since the loop carries it."""

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Returns the memory it starts the next case with, where its own is carried."""

    def rejudge(self, context: Context, event: Judged) -> bool:
        """Decides whether the tool is to be hidden for this act; the layer's word is the event's.

        The context shows the facts after the act.
        """

    def veto(self, context: Context, hand_off: HandOff) -> str | None:
        """Gives a reason to send the task back to the agent, or lets it go to a person."""

    def note(self, context: Context) -> str:
        """Renders what a seat that reads prose should know; empty for nothing."""

    def propose(self, context: Context) -> Tool | None:
        """Names an offered tool to try where the seat sees no route; the gatekeeper still rules."""

    def record(self, context: Context, event: Event) -> Any:
        """Returns its next memory after what this tick came to.

        A proposed step that is admitted comes first, as a `Decided` whose `why` is the name of the
        extension that proposed it.
        """


class Verbs:
    """The default of every verb: an extension overrides only what it needs."""

    name: str
    carries: tuple[Carried, ...] = ()

    def begin(self, brief: Brief) -> Any:
        """No memory."""
        return None

    def wake(self, brief: Brief, memory: Any) -> Any:
        """Goes on with what it knew."""
        return memory

    def rejudge(self, context: Context, event: Judged) -> bool:
        """Leaves it at the layer's word."""
        return event.is_quarantined

    def veto(self, context: Context, hand_off: HandOff) -> str | None:
        """Lets every hand-off go."""
        return None

    def note(self, context: Context) -> str:
        """Nothing to note."""
        return ""

    def propose(self, context: Context) -> Tool | None:
        """Has no step to propose."""
        return None

    def record(self, context: Context, event: Event) -> Any:
        """Keeps its memory as it is."""
        return context.memory
