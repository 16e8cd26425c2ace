"""Station: one agent over a batch of runs: its design, seat, membrane and extensions.

A slot that the design overrides is asked once a run; a slot left at its default is worked out for
the whole batch, which is what makes ten thousand plain runs cost about as much as ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, indices_of, masks_of, pack
from creatura.errors import PartError
from creatura.loop.events import EventBook
from creatura.loop.hooks import Hooks, Kept, overrides
from creatura.loop.narrator import Narrator
from creatura.loop.turn import NO_TOOL, UNDECIDED, Contexts, Turn
from creatura.membrane import Acts, Judgement, Ledger, Notices, open_layer
from creatura.protocols import (
    Arrived,
    Brief,
    Busy,
    Carried,
    Context,
    Event,
    Extension,
    Judged,
    LayerOptions,
    Reading,
    Regulator,
    Reverted,
    Seat,
    Slots,
    plain_words,
    plasticity,
)

Flags = NDArray[np.bool_]
Runs = NDArray[np.int64]
Positions = NDArray[np.int64]

_NO_BUDGET = 2**31 - 1  # more tries than a run has ticks


@dataclass(frozen=True, slots=True)
class Player:
    """One agent of a cast.

    Attributes:
        layer: Membrane options instead of the design's own, or None for those.
        extensions: What hangs on the verbs of its loop, in order.
    """

    design: Regulator
    seat: Seat
    layer: LayerOptions | None = None
    extensions: tuple[Extension, ...] = ()


@dataclass(frozen=True, slots=True)
class Keys:
    """What the draws of a batch are keyed by: one seed and one episode a run `[W]`."""

    seeds: NDArray[np.int64]
    episodes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Legacy:
    """What one agent's case leaves to the next one of its sequence, in every run.

    Attributes:
        memories: What the design slept on. kept: The extensions' memories.
    """

    ledger: Ledger
    memories: list[Any]
    kept: Kept


def budgets(freedom: NDArray[np.float64]) -> NDArray[np.int64]:
    """Computes `budget_of` for a batch; numpy's rint is half-to-even as well."""
    return np.asarray(np.clip(1 + np.rint(3 * freedom), 1, 4), dtype=np.int64)


class Station:
    """One agent's half of the loop, but for its choice.

    Attributes:
        agent: Its index in the cast.
    """

    def __init__(
        self,
        agent: int,
        player: Player,
        brief: Brief,
        keys: Keys,
        book: EventBook,
        max_ticks: int,
        legacy: Legacy | None = None,
    ) -> None:
        num_runs = len(keys.seeds)
        self.agent, self.brief, self.keys, self.book = agent, brief, keys, book
        self.design, self.seat = player.design, player.seat
        options = player.layer or player.design.layer
        self.layer = open_layer(brief, options, num_runs)
        self.hooks = Hooks(player.extensions, brief, num_runs, legacy.kept if legacy else None)
        # In order, as a set of words has another one in each process.
        self._own = tuple(s for s in vars(Slots) if overrides(player.design, s, Slots))
        if legacy is not None and self.hooks.carry(Carried.LEDGER):
            self.layer.ledger = legacy.ledger
        if legacy is not None and self.hooks.carry(Carried.DESIGN):
            memories = [player.design.wake(brief, memory) for memory in legacy.memories]
        else:
            memories = [player.design.begin(brief) for _ in range(num_runs)]
        self._contexts = Contexts(brief, options, max_ticks, memories)
        self.narrator = Narrator(agent, self.design, book, self.answers("tell"))
        self._busy = np.full(num_runs, NO_TOOL)  # the slow tool each run is waiting for
        self._closed_at = np.zeros(num_runs, dtype=np.int64)
        self._log: list[tuple[int, Runs, NDArray[np.int64]]] = []

    def answers(self, *slots: str) -> bool:
        """Tells whether the design answers any of some slots itself."""
        return any(slot in self._own for slot in slots)

    def go_on_from(self, earlier: Station) -> None:
        """Takes over where another cast stood; a design that was not in it begins anew."""
        self.layer.go_on_from(earlier.layer)
        self.hooks.go_on_from(earlier.hooks)
        memories = self._contexts.memories
        if self.design is earlier.design:
            memories[:] = earlier._contexts.memories
        else:
            memories[:] = [self.design.begin(self.brief) for _ in memories]
        self._busy, self._closed_at = earlier._busy, earlier._closed_at
        self._log = earlier._log

    def legacy(self) -> Legacy:
        """Returns what a closed case leaves to the next one."""
        ledger = self.layer.ledger.carried(self._closed_at)
        return Legacy(ledger, self._contexts.memories, self.hooks.memories)

    # ------------------------------------------------------------------ offer

    def look(self, runs: Runs, facts: Words, tick: int) -> Turn:
        """Takes in what N runs show this tick, without choosing anything."""
        seen = self.layer.believes(runs, facts)
        size = len(runs)
        no_limit = np.full(size, _NO_BUDGET)
        zeros = np.zeros(size)
        masks = masks_of(seen)
        if not self.answers("error", "freedom"):
            calm = np.full(size, plasticity(0.0))
            offer = self.layer.offer(runs, seen, budgets(calm), tick)
            return Turn(runs, tick, seen, masks, zeros, calm, offer)
        offer = self.layer.offer(runs, seen, no_limit, tick)
        turn = Turn(runs, tick, seen, masks, zeros, zeros, offer)
        contexts = self.before(turn)
        turn.error = np.array([self.design.error(context) for context in contexts])
        self._check_share("error", turn.error, tick)
        asked = zip(contexts, turn.error.tolist(), strict=True)
        turn.freedom = np.array([self.design.freedom(context, error) for context, error in asked])
        self._check_share("freedom", turn.freedom, tick)
        turn.contexts = None
        offer = self.layer.offer(runs, seen, budgets(turn.freedom), tick)
        turn.replace_offer(np.arange(size), offer)
        return turn

    def _check_share(self, slot: str, values: NDArray[np.float64], tick: int) -> None:
        wrong = ~((values >= 0.0) & (values <= 1.0))
        if wrong.any():
            found = values[int(np.argmax(wrong))]
            raise PartError(
                f"design '{self.design.name}' answered {slot} {found:g} at tick {tick}; "
                "it is a share from 0 to 1"
            )

    def before(self, turn: Turn) -> list[Context]:
        """Builds what the design reads before the act, once a turn."""
        if turn.contexts is None:
            hidden = masks_of(pack(turn.offer.hidden))
            turn.contexts = self._contexts.build(turn, turn.masks, hidden, self._tried(turn))
        return turn.contexts

    def go_on(self, turn: Turn) -> None:
        """Keeps busy agents at the tool they are waiting for."""
        open_runs = turn.undecided()
        turn.tools[open_runs] = self._busy[turn.runs[open_runs]]

    def reading(self, turn: Turn, position: int) -> Reading:
        """Renders the prose that a seat may read for one run."""
        run, context = int(turn.runs[position]), self.before(turn)[position]
        lines = []
        for tick, runs, events in self._log:
            first, last = np.searchsorted(runs, [run, run + 1])
            for number in events[first:last].tolist():
                action, detail = plain_words(self.book.events[number])
                lines.append(f"tick {tick}: {action}: {detail}")
        return Reading(self.design.seat(context), tuple(lines), self.hooks.notes(run, context))

    def take_in(self, turn: Turn, position: int, event: Event) -> None:
        """Takes in and tells an event that does not end a run's tick."""
        run, at = int(turn.runs[position]), np.array([position])
        context, number = self.before(turn)[position], np.array([self.book.id_of(event)])
        self._log.append((turn.tick, turn.runs[at], number))
        self._contexts.memories[run] = self.design.record(context, event)
        self.hooks.record(run, context, event)
        turn.contexts = None
        if self.narrator.has_own_words:
            self.narrator.tell(turn, at, [self.before(turn)[position]], [event])
        else:
            self.narrator.tell_plainly(turn, at, number)

    def _tried(self, turn: Turn) -> list[int]:
        return masks_of(pack(self.layer.ledger.attempts[turn.runs] > 0))

    def _after(self, turn: Turn, facts: Words) -> list[Context]:
        believed = masks_of(self.layer.believes(turn.runs, facts))
        hidden = masks_of(pack(self.layer.ledger.hidden(turn.runs, turn.tick + 1)))
        return self._contexts.build(turn, believed, hidden, self._tried(turn))

    # ------------------------------------------------------------------ judge

    def judge(
        self, turn: Turn, acting: Positions, acts: Acts, before: Words, after: Words
    ) -> Judgement:
        """Judges the acts that came back, and notices what changed without one.

        Args:
            acting: Positions of the turn where the M acts stand.
            before, after: Facts around the transition, for every run of the turn `[N, K]`.
        """
        judgement = self._rejudged(turn, acting, acts, self.layer.judge(acts), after)
        self.layer.distrust(acts, judgement)
        turn.events[acting] = self.book.judged(acts, judgement)
        self._busy[acts.runs] = NO_TOOL
        tools, success = np.full(len(turn.runs), NO_TOOL), np.zeros(len(turn.runs), dtype=bool)
        tools[acting], success[acting] = acts.tools, acts.success
        turn.notices = self.layer.follow(turn.runs, tools, success, before, after)
        return judgement

    def _rejudged(
        self, turn: Turn, acting: Positions, acts: Acts, judgement: Judgement, after: Words
    ) -> Judgement:
        if not (len(acting) and self.hooks.has("rejudge")):
            return judgement
        contexts, events = self._after(turn, after), self.book.events
        quarantined = judgement.quarantined.copy()
        numbers = self.book.judged(acts, judgement).tolist()
        for i, (position, number) in enumerate(zip(acting.tolist(), numbers, strict=True)):
            event = events[number]
            assert isinstance(event, Judged)
            run = int(turn.runs[position])
            quarantined[i] = self.hooks.rejudged(run, contexts[position], event)
        return Judgement(judgement.verdicts, judgement.lies, quarantined)

    def wait_for(self, turn: Turn, pending: Positions) -> None:
        """Notes the slow tools that have not come back."""
        self._busy[turn.runs[pending]] = turn.tools[pending]
        for position in pending.tolist():
            tool = self.brief.tools[int(turn.tools[position])]
            turn.events[position] = self.book.id_of(Busy(tool))

    # ------------------------------------------------------------------ record

    def record(self, turn: Turn, facts: Words) -> None:
        """Lets the design take in what the tick came to, and tells the trace."""
        assert (turn.events != UNDECIDED).all(), "every run's tick has come to something"
        self._log.append((turn.tick, turn.runs, turn.events))
        if self.answers("record", "tell") or self.hooks.has("record"):
            self._record_each(turn, facts)
        else:
            self.narrator.tell_plainly(turn, np.arange(len(turn.runs)), turn.events)
        if turn.notices is not None and len(turn.notices.positions):
            self._tell_notices(turn, turn.notices, facts)

    def _record_each(self, turn: Turn, facts: Words) -> None:
        contexts = self._after(turn, facts)
        memories, events = self._contexts.memories, self.book.events
        told = [events[i] for i in turn.events.tolist()]
        for run, context, event in zip(turn.runs.tolist(), contexts, told, strict=True):
            memories[run] = self.design.record(context, event)
            self.hooks.record(run, context, event)
        everyone = np.arange(len(turn.runs))
        if self.narrator.has_own_words:
            self.narrator.tell(turn, everyone, self._after(turn, facts), told)
        else:
            self.narrator.tell_plainly(turn, everyone, turn.events)

    def _tell_notices(self, turn: Turn, notices: Notices, facts: Words) -> None:
        order = np.argsort(notices.positions, kind="stable")
        where = notices.positions[order]
        columns = (notices.tools[order], notices.facts[order], notices.gone[order])
        masks = masks_of(columns[1])
        told = [
            self._news(tool, mask, gone)
            for tool, mask, gone in zip(
                columns[0].tolist(), masks, columns[2].tolist(), strict=True
            )
        ]
        numbers = np.array([self.book.id_of(event) for event in told], dtype=np.int64)
        self._log.append((turn.tick, turn.runs[where], numbers))
        if self.narrator.has_own_words:
            contexts = self._after(turn, facts)
            self.narrator.tell(turn, where, [contexts[i] for i in where.tolist()], told)
        else:
            self.narrator.tell_plainly(turn, where, numbers)

    def _news(self, tool: int, facts: int, gone: bool) -> Event:
        brief, owed = self.brief, self.brief.goal.obligations
        names = tuple(brief.facts[i] for i in indices_of(facts))
        if not gone:
            return Arrived(brief.tools[tool], names)
        reopened = tuple(brief.facts[i] for i in indices_of(facts & owed))
        return Reverted(brief.tools[tool], names, reopened)

    # ------------------------------------------------------------------ stop

    def is_done(self, runs: Runs, goal_met: Flags, facts: Words) -> Flags:
        """Decides which runs this agent may declare done."""
        return self.layer.is_done(runs, goal_met, facts)

    def close(self, turn: Turn, positions: Positions, facts: Words, event: Event | None) -> None:
        """Ends some runs of a turn for this agent: tells why, then sleeps.

        Args:
            facts: What holds at the close `[N, K]`, a row for every run of the turn.
            event: Why it ends, or None where the turn's own event said so.
        """
        if not len(positions):
            return
        self._closed_at[turn.runs[positions]] = turn.tick
        if event is not None and not self.narrator.has_own_words:
            events = np.full(len(positions), self.book.id_of(event))
            self.narrator.tell_plainly(turn, positions, events)
        if not self.answers("tell", "sleep"):
            return
        built = self._after(turn, facts)
        contexts = [built[position] for position in positions.tolist()]
        if event is not None and self.narrator.has_own_words:
            self.narrator.tell(turn, positions, contexts, [event] * len(contexts))
        sleeps = [self.design.sleep(context) for context in contexts]
        for run, sleep in zip(turn.runs[positions].tolist(), sleeps, strict=True):
            self._contexts.memories[run] = sleep.memory
        self.narrator.slept(turn, positions, sleeps)
