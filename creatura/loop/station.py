"""Station: one agent over a batch of runs: its design, the seat in it, and its membrane.

The loop asks a station the verbs of a tick in order. A slot that the design overrides is asked once
a run; a slot left at its default is worked out for the whole batch, which is what makes ten
thousand plain runs cost about as much as ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, indices_of, mask_of, masks_of, pack
from creatura.errors import PartError
from creatura.loop.events import EventBook
from creatura.loop.narrator import Narrator
from creatura.loop.turn import NO_TOOL, UNDECIDED, Contexts, Turn
from creatura.membrane import Acts, Judgement, gatekeeper, open_layer
from creatura.membrane.visibility import Horizon
from creatura.protocols import (
    Answer,
    Brief,
    Busy,
    Context,
    Decided,
    Event,
    HandOff,
    Held,
    LayerOptions,
    Passed,
    Reading,
    Refused,
    Regulator,
    Seat,
    SeatBatch,
    Slots,
    Waited,
    plain_words,
    plasticity,
)

Flags = NDArray[np.bool_]
Runs = NDArray[np.int64]
Positions = NDArray[np.int64]

NO_ROUTE = "no route"
PASSED, WAITED = Passed(), Waited()
_NO_BUDGET = 2**31 - 1  # more tries than a run has ticks


@dataclass(frozen=True, slots=True)
class Player:
    """One agent of a cast.

    Attributes:
        layer: Membrane options instead of the design's own, or None for those.
    """

    design: Regulator
    seat: Seat
    layer: LayerOptions | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """What the draws of a batch are keyed by: one seed and one episode a run `[W]`."""

    seeds: NDArray[np.int64]
    episodes: NDArray[np.int64]


def budgets(freedom: NDArray[np.float64]) -> NDArray[np.int64]:
    """Computes `budget_of` for a batch; numpy's rint is half-to-even as well."""
    return np.asarray(np.clip(1 + np.rint(3 * freedom), 1, 4), dtype=np.int64)


class Station:
    """One agent's half of the loop."""

    def __init__(
        self, agent: int, player: Player, brief: Brief, keys: Keys, book: EventBook, max_ticks: int
    ) -> None:
        num_runs = len(keys.seeds)
        self.design, self.seat = player.design, player.seat
        options = player.layer or player.design.layer
        self.layer = open_layer(brief, options, num_runs)
        self._agent, self._brief, self._keys, self._book = agent, brief, keys, book
        self._horizon = Horizon(brief.tools)
        self._index = {tool.id: tool.index for tool in brief.tools}
        self._own = {slot for slot in vars(Slots) if _is_own(player.design, slot)}
        memories = [player.design.begin(brief) for _ in range(num_runs)]
        self._contexts = Contexts(brief, options, max_ticks, memories)
        self._narrator = Narrator(agent, self.design, book, "tell" in self._own)
        self._busy = np.full(num_runs, NO_TOOL)  # the slow tool each run is waiting for
        self._log: list[tuple[int, Runs, NDArray[np.int64]]] = []

    # ------------------------------------------------------------------ offer, decide, admit

    def choose(self, runs: Runs, facts: Words, tick: int) -> Turn:
        """Settles what each of N runs tries this tick: a tool, or an event that ends its tick."""
        turn = self.look(runs, facts, tick)
        if "stop" in self._own:
            self._ask_stop(turn)
        self._go_on(turn)
        if "probe" in self._own:
            self._ask_probe(turn)
        self._ask_seat(turn, turn.undecided(), may_lift=True)
        return turn

    def look(self, runs: Runs, facts: Words, tick: int) -> Turn:
        """Takes in what N runs show this tick, without choosing anything."""
        seen = self.layer.believes(runs, facts)
        size = len(runs)
        no_limit = np.full(size, _NO_BUDGET)
        zeros = np.zeros(size)
        masks = masks_of(seen)
        if not {"error", "freedom"} & self._own:
            calm = np.full(size, plasticity(0.0))
            offer = self.layer.offer(runs, seen, budgets(calm), tick)
            return Turn(runs, tick, seen, masks, zeros, calm, offer)
        offer = self.layer.offer(runs, seen, no_limit, tick)
        turn = Turn(runs, tick, seen, masks, zeros, zeros, offer)
        contexts = self._before(turn)
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

    def _before(self, turn: Turn) -> list[Context]:
        if turn.contexts is None:
            hidden = masks_of(pack(turn.offer.hidden))
            turn.contexts = self._contexts.build(turn, turn.masks, hidden, self._tried(turn))
        return turn.contexts

    def _tried(self, turn: Turn) -> list[int]:
        return masks_of(pack(self.layer.ledger.attempts[turn.runs] > 0))

    def _ask_stop(self, turn: Turn) -> None:
        for position, context in enumerate(self._before(turn)):
            hand_off = self.design.stop(context)
            if hand_off is not None:
                turn.events[position] = self._book.id_of(hand_off)

    def _go_on(self, turn: Turn) -> None:
        """Keeps busy agents at the tool they are waiting for."""
        open_runs = turn.undecided()
        turn.tools[open_runs] = self._busy[turn.runs[open_runs]]

    def _ask_probe(self, turn: Turn) -> None:
        contexts = self._before(turn)
        for position in turn.undecided().tolist():
            tool = self.design.probe(contexts[position])
            if tool is None:
                continue
            run, facts = int(turn.runs[position]), turn.facts[position : position + 1]
            if self.layer.admit_probe(run, tool.index, facts, turn.tick):
                turn.tools[position], turn.probes[position] = tool.index, True

    def _ask_seat(self, turn: Turn, asked: Positions, may_lift: bool) -> None:
        if not len(asked):
            return
        order = self._shaped(turn, asked)
        answers = self.seat.decide(self._batch(turn, asked, order))
        if len(answers) != len(asked):
            raise PartError(
                f"seat '{self.seat.name}' gave {len(answers)} answers to {len(asked)} positions"
            )
        silent = np.array([answer.tool is None for answer in answers], dtype=bool)
        if silent.any():
            lost = [answers[i] for i in np.flatnonzero(silent).tolist()]
            self._no_tool(turn, asked[silent], lost, may_lift)
        named = np.flatnonzero(~silent)
        if len(named):
            self._admit(turn, asked[named], [answers[i] for i in named.tolist()])

    def _shaped(self, turn: Turn, asked: Positions) -> list[tuple[int, ...] | None]:
        if "shape" not in self._own:
            return [None] * len(asked)
        contexts = self._before(turn)
        orders: list[tuple[int, ...] | None] = []
        for position in asked.tolist():
            shown = tuple(self._brief.tools[i] for i in indices_of(turn.offered[position]))
            order = tuple(tool.index for tool in self.design.shape(contexts[position], shown))
            kept = mask_of(order) & turn.offered[position]
            turn.hold_back(position, turn.offered[position] & ~kept)
            orders.append(tuple(i for i in order if kept >> i & 1))
        return orders

    def _batch(
        self, turn: Turn, asked: Positions, order: list[tuple[int, ...] | None]
    ) -> SeatBatch:
        where = asked.tolist()
        facts = [turn.masks[i] for i in where]
        offered = [turn.offered[i] for i in where]
        withheld = [turn.withheld[i] for i in where]
        ahead = list(map(self._horizon.ahead, facts, offered, withheld))
        runs = turn.runs[asked]

        def reading(position: int) -> Reading:
            return self._reading(turn, where[position])

        return SeatBatch(
            brief=self._brief,
            tick=turn.tick,
            facts=facts,
            offered=offered,
            ahead=ahead,
            order=order,
            freedom=turn.freedom[asked],
            seeds=self._keys.seeds[runs],
            episodes=self._keys.episodes[runs],
            agent=self._agent,
            reading=reading,
        )

    def _reading(self, turn: Turn, position: int) -> Reading:
        run = int(turn.runs[position])
        lines = []
        for tick, runs, events in self._log:
            found = int(np.searchsorted(runs, run))
            if found < len(runs) and runs[found] == run:
                action, detail = plain_words(self._book.events[int(events[found])])
                lines.append(f"tick {tick}: {action}: {detail}")
        return Reading(self.design.seat(self._before(turn)[position]), tuple(lines), ())

    def _no_tool(
        self, turn: Turn, silent: Positions, answers: Sequence[Answer], may_lift: bool
    ) -> None:
        passes = np.array([answer.passes for answer in answers], dtype=bool)
        turn.events[silent[passes]] = self._book.id_of(PASSED)
        reasons = {a.why: None for a in answers if not a.passes}
        for why in reasons:
            here = np.array([not a.passes and a.why == why for a in answers], dtype=bool)
            hand_off = HandOff(f"{NO_ROUTE}: {why}" if why else NO_ROUTE)
            self._no_route(turn, silent[here], hand_off, may_lift)

    def _no_route(self, turn: Turn, silent: Positions, hand_off: HandOff, may_lift: bool) -> None:
        waits = np.asarray(turn.offer.hidden[silent].any(axis=1))
        if may_lift and waits.any() and self.layer.options.clear_quarantine_on_no_route:
            lifted = silent[waits]
            runs = turn.runs[lifted]
            self.layer.ledger.lift(runs, turn.tick)
            budget = budgets(turn.freedom[lifted])
            turn.replace_offer(
                lifted, self.layer.offer(runs, turn.facts[lifted], budget, turn.tick)
            )
            self._ask_seat(turn, lifted, may_lift=False)
            silent, waits = silent[~waits], waits[~waits]
        turn.events[silent[waits]] = self._book.id_of(WAITED)
        turn.events[silent[~waits]] = self._book.id_of(hand_off)

    def _admit(self, turn: Turn, named: Positions, answers: Sequence[Answer]) -> None:
        find = self._index.get
        tools = np.array([find(answer.tool, -1) for answer in answers], dtype=np.int64)  # type: ignore[arg-type]
        rulings = self.layer.admit(turn.runs[named], tools, turn.offer.offered[named])
        for i in np.flatnonzero(rulings != gatekeeper.ADMITTED).tolist():
            reason = gatekeeper.reason(int(rulings[i]), self.layer.options)
            refused = Refused(str(answers[i].tool), reason)
            turn.events[named[i]] = self._book.id_of(refused)
        admitted = np.flatnonzero(rulings == gatekeeper.ADMITTED)
        turn.tools[named[admitted]] = tools[admitted]
        chosen = named[admitted]
        if "hold" in self._own:
            self._ask_hold(turn, chosen)
        if self._narrator.has_own_words:
            going = admitted[turn.tools[chosen] >= 0]
            self._tell_decided(turn, named[going], [answers[i] for i in going.tolist()])

    def _tell_decided(self, turn: Turn, going: Positions, answers: Sequence[Answer]) -> None:
        contexts, tools = self._before(turn), self._brief.tools
        chosen = zip(turn.tools[going].tolist(), answers, strict=True)
        decided = [Decided(tools[tool], answer.plan, answer.why) for tool, answer in chosen]
        self._narrator.tell(turn, going, [contexts[i] for i in going.tolist()], decided)

    def _ask_hold(self, turn: Turn, chosen: Positions) -> None:
        contexts = self._before(turn)
        for position in chosen.tolist():
            tool = self._brief.tools[int(turn.tools[position])]
            reason = self.design.hold(contexts[position], tool)
            if reason is not None:
                turn.events[position] = self._book.id_of(Held(tool, reason))
                turn.tools[position] = -1

    # ------------------------------------------------------------------ judge, record

    def judge(self, turn: Turn, acting: Positions, acts: Acts) -> Judgement:
        """Judges the acts that came back, at the positions of a turn where they stand `[M]`."""
        judgement = self.layer.judge(acts)
        turn.events[acting] = self._book.judged(acts, judgement)
        self._busy[acts.runs] = NO_TOOL
        return judgement

    def wait_for(self, turn: Turn, pending: Positions) -> None:
        """Notes the slow tools that have not come back."""
        self._busy[turn.runs[pending]] = turn.tools[pending]
        for position in pending.tolist():
            tool = self._brief.tools[int(turn.tools[position])]
            turn.events[position] = self._book.id_of(Busy(tool))

    def record(self, turn: Turn, facts: Words) -> None:
        """Lets the design take in what the tick came to, and tells the trace."""
        assert (turn.events != UNDECIDED).all(), "every run's tick has come to something"
        self._log.append((turn.tick, turn.runs, turn.events))
        if {"record", "tell"} & self._own:
            self._record_each(turn, facts)
        else:
            self._narrator.tell_plainly(turn, np.arange(len(turn.runs)), turn.events)

    def _record_each(self, turn: Turn, facts: Words) -> None:
        believed = masks_of(self.layer.believes(turn.runs, facts))
        hidden = masks_of(pack(self.layer.ledger.hidden(turn.runs, turn.tick + 1)))
        tried = self._tried(turn)
        contexts = self._contexts.build(turn, believed, hidden, tried)
        memories, events = self._contexts.memories, self._book.events
        told = [events[i] for i in turn.events.tolist()]
        for run, context, event in zip(turn.runs.tolist(), contexts, told, strict=True):
            memories[run] = self.design.record(context, event)
        everyone = np.arange(len(turn.runs))
        if self._narrator.has_own_words:
            contexts = self._contexts.build(turn, believed, hidden, tried)
            self._narrator.tell(turn, everyone, contexts, told)
        else:
            self._narrator.tell_plainly(turn, everyone, turn.events)

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
        if event is not None and not self._narrator.has_own_words:
            events = np.full(len(positions), self._book.id_of(event))
            self._narrator.tell_plainly(turn, positions, events)
        if not {"tell", "sleep"} & self._own:
            return
        believed = masks_of(self.layer.believes(turn.runs, facts))
        hidden = masks_of(pack(self.layer.ledger.hidden(turn.runs, turn.tick + 1)))
        built = self._contexts.build(turn, believed, hidden, self._tried(turn))
        contexts = [built[position] for position in positions.tolist()]
        if event is not None and self._narrator.has_own_words:
            self._narrator.tell(turn, positions, contexts, [event] * len(contexts))
        sleeps = [self.design.sleep(context) for context in contexts]
        for run, sleep in zip(turn.runs[positions].tolist(), sleeps, strict=True):
            self._contexts.memories[run] = sleep.memory
        self._narrator.slept(turn, positions, sleeps)


def _is_own(design: Any, slot: str) -> bool:
    return getattr(type(design), slot, None) is not getattr(Slots, slot)
