"""Choice: what an agent tries this tick, from the offer to the admitted tool.

The design may stop, probe, shape and hold; between those the seat is asked, for all runs at once.
A run's tick is either left with a tool or with an event that ends it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, indices_of, mask_of
from creatura.errors import PartError
from creatura.loop.station import Runs, Station, budgets
from creatura.loop.turn import NO_TOOL, Turn
from creatura.membrane import gatekeeper
from creatura.membrane.visibility import Horizon
from creatura.protocols import (
    Answer,
    Decided,
    Event,
    HandOff,
    Held,
    Passed,
    Reading,
    Refused,
    SeatBatch,
    Waited,
)

Positions = NDArray[np.int64]

NO_ROUTE = "no route"
PASSED, WAITED = Passed(), Waited()


class Choice:
    """Asks one station's design, seat and membrane what each run tries."""

    def __init__(self, station: Station) -> None:
        self._station, self._brief = station, station.brief
        self._book, self._layer, self._design = station.book, station.layer, station.design
        self._horizon = Horizon(station.brief.tools)
        self._index = {tool.id: tool.index for tool in station.brief.tools}

    def choose(self, runs: Runs, facts: Words, tick: int) -> Turn:
        """Settles what each of N runs tries this tick: a tool, or an event that ends its tick."""
        turn = self._station.look(runs, facts, tick)
        if self._station.answers("stop"):
            self._ask_stop(turn)
        self._station.go_on(turn)
        if self._station.answers("probe"):
            self._ask_probe(turn)
        self._ask_seat(turn, turn.undecided(), may_lift=True)
        return turn

    def _ask_stop(self, turn: Turn) -> None:
        for position, context in enumerate(self._station.before(turn)):
            hand_off = self._design.stop(context)
            if hand_off is None:
                continue
            vetoed = self._station.hooks.veto(int(turn.runs[position]), context, hand_off)
            if vetoed is None:
                turn.events[position] = self._book.id_of(hand_off)
            else:
                # The run goes on: the design hears the answer, and the seat is asked after all.
                self._station.take_in(turn, position, vetoed)

    def _ask_probe(self, turn: Turn) -> None:
        contexts = self._station.before(turn)
        for position in turn.undecided().tolist():
            tool = self._design.probe(contexts[position])
            if tool is None:
                continue
            run, facts = int(turn.runs[position]), turn.facts[position : position + 1]
            if self._layer.admit_probe(run, tool.index, facts, turn.tick):
                turn.tools[position], turn.probes[position] = tool.index, True

    # ------------------------------------------------------------------ the seat

    def _ask_seat(self, turn: Turn, asked: Positions, may_lift: bool) -> None:
        if not len(asked):
            return
        order = self._shaped(turn, asked)
        seat = self._station.seat
        answers = seat.decide(self._batch(turn, asked, order))
        if len(answers) != len(asked):
            raise PartError(
                f"seat '{seat.name}' gave {len(answers)} answers to {len(asked)} positions"
            )
        silent = np.array([answer.tool is None for answer in answers], dtype=bool)
        if silent.any():
            lost = [answers[i] for i in np.flatnonzero(silent).tolist()]
            self._no_tool(turn, asked[silent], lost, may_lift)
        named = np.flatnonzero(~silent)
        self._admit(turn, asked[named], [answers[i] for i in named.tolist()])

    def _shaped(self, turn: Turn, asked: Positions) -> list[tuple[int, ...] | None]:
        if not self._station.answers("shape"):
            return [None] * len(asked)
        contexts = self._station.before(turn)
        orders: list[tuple[int, ...] | None] = []
        for position in asked.tolist():
            shown = tuple(self._brief.tools[i] for i in indices_of(turn.offered[position]))
            order = tuple(tool.index for tool in self._design.shape(contexts[position], shown))
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
        runs, keys = turn.runs[asked], self._station.keys

        def reading(position: int) -> Reading:
            return self._station.reading(turn, where[position])

        return SeatBatch(
            brief=self._brief,
            tick=turn.tick,
            facts=facts,
            offered=offered,
            ahead=ahead,
            order=order,
            freedom=turn.freedom[asked],
            seeds=keys.seeds[runs],
            episodes=keys.episodes[runs],
            agent=self._station.agent,
            reading=reading,
        )

    # ------------------------------------------------------------------ no route

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
        if may_lift and waits.any() and self._layer.options.clear_quarantine_on_no_route:
            self._lift(turn, silent[waits])
            silent, waits = silent[~waits], waits[~waits]
        is_going = self._explored(turn, silent)
        silent, waits = silent[~is_going], waits[~is_going]
        turn.events[silent[waits]] = self._book.id_of(WAITED)
        for position in silent[~waits].tolist() if self._station.hooks.has("veto") else ():
            turn.events[position] = self._book.id_of(self._sent_back(turn, position, hand_off))
        left = silent[~waits]
        turn.events[left[turn.is_open(left)]] = self._book.id_of(hand_off)

    def _lift(self, turn: Turn, lifted: Positions) -> None:
        runs = turn.runs[lifted]
        self._layer.ledger.lift(runs, turn.tick)
        budget = budgets(turn.freedom[lifted])
        turn.replace_offer(lifted, self._layer.offer(runs, turn.facts[lifted], budget, turn.tick))
        self._ask_seat(turn, lifted, may_lift=False)

    def _explored(self, turn: Turn, silent: Positions) -> NDArray[np.bool_]:
        """Takes the steps that extensions propose; returns where there was one `[N]`."""
        is_going = np.zeros(len(silent), dtype=bool)
        if not self._station.hooks.has("propose"):
            return is_going
        contexts, hooks = self._station.before(turn), self._station.hooks
        steps = []
        for i, position in enumerate(silent.tolist()):
            proposed = hooks.proposed(int(turn.runs[position]), contexts[position])
            if proposed is not None:
                is_going[i] = True
                steps.append(Decided(proposed[0], (), proposed[1]))
        going = silent[is_going]
        self._admit(turn, going, [Answer(step.tool.id, why=step.why) for step in steps])
        for position, step in zip(going.tolist(), steps, strict=True):
            if turn.tools[position] != NO_TOOL:
                hooks.record(int(turn.runs[position]), contexts[position], step)
        return is_going

    def _sent_back(self, turn: Turn, position: int, hand_off: HandOff) -> Event:
        context = self._station.before(turn)[position]
        return self._station.hooks.veto(int(turn.runs[position]), context, hand_off) or hand_off

    # ------------------------------------------------------------------ admit

    def _admit(self, turn: Turn, named: Positions, answers: Sequence[Answer]) -> None:
        if not answers:
            return
        find = self._index.get
        tools = np.array([find(answer.tool, -1) for answer in answers], dtype=np.int64)  # type: ignore[arg-type]
        rulings = self._layer.admit(turn.runs[named], tools, turn.offer.offered[named])
        for i in np.flatnonzero(rulings != gatekeeper.ADMITTED).tolist():
            reason = gatekeeper.reason(int(rulings[i]), self._layer.options)
            refused = Refused(str(answers[i].tool), reason)
            turn.events[named[i]] = self._book.id_of(refused)
        admitted = np.flatnonzero(rulings == gatekeeper.ADMITTED)
        turn.tools[named[admitted]] = tools[admitted]
        chosen = named[admitted]
        if self._station.answers("hold"):
            self._ask_hold(turn, chosen)
        if self._station.narrator.has_own_words:
            going = admitted[turn.tools[chosen] != NO_TOOL]
            self._tell_decided(turn, named[going], [answers[i] for i in going.tolist()])

    def _tell_decided(self, turn: Turn, going: Positions, answers: Sequence[Answer]) -> None:
        contexts, tools = self._station.before(turn), self._brief.tools
        chosen = zip(turn.tools[going].tolist(), answers, strict=True)
        decided = [Decided(tools[tool], answer.plan, answer.why) for tool, answer in chosen]
        here = [contexts[i] for i in going.tolist()]
        self._station.narrator.tell(turn, going, here, decided)

    def _ask_hold(self, turn: Turn, chosen: Positions) -> None:
        contexts = self._station.before(turn)
        for position in chosen.tolist():
            tool = self._brief.tools[int(turn.tools[position])]
            reason = self._design.hold(contexts[position], tool)
            if reason is not None:
                turn.events[position] = self._book.id_of(Held(tool, reason))
                turn.tools[position] = NO_TOOL
