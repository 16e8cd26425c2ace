"""The verbs of the loop: what an extension may re-judge, send back, note, propose and carry."""

from dataclasses import dataclass

import pytest

from creatura import loop, resolver
from creatura.extensions.exploration import Exploration
from creatura.protocols import Answer, Carried, HandOff, Slots, Verbs, Vetoed
from creatura.world import Episode, Fault, Mode, parse_world
from tests.worlds import ferry

FERRY = ferry()
WINCH_FAILS = Fault("winch-ramp", Mode.FAIL)


def played(*extensions, faults=(), design="plain", seat="bfs", max_ticks=12, world=FERRY):
    part = resolver.design(design) if isinstance(design, str) else design
    decider = resolver.seat(seat) if isinstance(seat, str) else seat
    player = loop.Player(part, decider, extensions=extensions)
    return loop.run(
        world, [player], [Episode(0, 0, tuple(faults))], max_ticks=max_ticks, backend="interpreter"
    )


def rows(results):
    return [(row.tick, row.kind, row.action) for row in results.trace.rows(0)]


# ------------------------------------------------------------------ re-judge


class Lenient(Verbs):
    name = "lenient"

    def rejudge(self, context, event):
        return False


class Strict(Verbs):
    name = "strict"

    def rejudge(self, context, event):
        return True


def test_a_rejudged_act_hides_nothing_and_its_verdict_stays():
    fails = Fault("raise-ramp", Mode.FAIL, times=1)
    plain, lenient = played(faults=[fails]), played(Lenient(), faults=[fails])
    assert plain.counts.quarantines[0, 0] == 1
    assert lenient.counts.quarantines[0, 0] == 0
    assert lenient.counts.failed[0, 0] == 1
    assert next(r.detail for r in lenient.trace.rows(0) if r.tick == 3).endswith("nothing landed")


def test_an_act_may_be_rejudged_for_the_worse():
    results = played(Strict())
    hidden = {tool for _, _, tool, _ in results.quarantines.of(0)}
    assert FERRY.brief.tools[0].index in hidden


def test_of_two_extensions_the_later_has_the_last_word():
    fails = Fault("raise-ramp", Mode.FAIL, times=1)
    assert played(Strict(), Lenient(), faults=[fails]).counts.quarantines[0, 0] == 0
    assert played(Lenient(), Strict(), faults=[fails]).counts.quarantines[0, 0] > 0


def test_what_is_rejudged_shows_the_facts_after_the_act():
    seen = []

    class Reader(Verbs):
        name = "reader"

        def rejudge(self, context, event):
            seen.append((event.tool.id, context.facts, context.tried))
            return event.is_quarantined

    played(Reader())
    assert seen[0] == ("check-tickets", 0b0001, 0b00001)
    assert seen[1] == ("load-cars", 0b0011, 0b00011)


# ------------------------------------------------------------------ veto


@dataclass(frozen=True)
class Quitter(Slots):
    """Hands off at every tick from the second, and counts how often it was sent back."""

    name: str = "quitter"

    def begin(self, brief):
        return 0

    def stop(self, context):
        return HandOff(f"enough, after {context.memory}") if context.tick > 1 else None

    def record(self, context, event):
        return context.memory + isinstance(event, Vetoed)


@dataclass(frozen=True)
class SendsBack(Verbs):
    name: str = "sends-back"
    times: int = 2

    def begin(self, brief):
        return 0

    def veto(self, context, hand_off):
        return "go on" if context.memory < self.times else None

    def record(self, context, event):
        return context.memory + isinstance(event, Vetoed)


def test_a_hand_off_that_is_sent_back_lets_the_tick_go_on():
    results = played(SendsBack(), design=Quitter())
    assert rows(results) == [
        (1, "landed", "check-tickets"),
        (2, "vetoed", "hand off"),
        (2, "landed", "load-cars"),
        (3, "vetoed", "hand off"),
        (3, "landed", "raise-ramp"),
        (4, "handed-off", "hand off"),
    ]
    assert results.reason(0) == "enough, after 2"
    assert next(r.detail for r in results.trace.rows(0) if r.kind == "vetoed") == (
        "enough, after 0; sent back: go on"
    )


def test_no_route_may_be_sent_back_and_then_the_tick_passes():
    gone = [Fault(tool, Mode.FAIL) for tool in ("raise-ramp", "winch-ramp")]
    alone, sent = played(faults=gone, max_ticks=30), played(SendsBack(), faults=gone, max_ticks=30)
    assert alone.reason(0) == sent.reason(0) == "no route"
    assert sent.ticks[0] == alone.ticks[0] + 2
    assert [kind for _, kind, _ in rows(sent)].count("vetoed") == 2


# ------------------------------------------------------------------ note


class Talker:
    name = "talker"

    def __init__(self):
        self.heard = []

    def decide(self, batch):
        for position in range(len(batch)):
            self.heard.append(batch.reading(position))
        return [Answer(None, passes=True)] * len(batch)


class Says(Verbs):
    def __init__(self, name, words):
        self.name, self.words = name, words

    def note(self, context):
        return self.words and f"{self.words} at tick {context.tick}"


def test_notes_reach_the_seat_in_order_and_empty_ones_do_not():
    seat = Talker()
    played(Says("a", "mind the ramp"), Says("b", ""), Says("c", "low tide"), seat=seat, max_ticks=2)
    assert seat.heard[1].notes == ("mind the ramp at tick 2", "low tide at tick 2")
    assert seat.heard[1].history == ("tick 1: wait: the seat let the tick pass",)


# ------------------------------------------------------------------ propose


HARBOUR = parse_world(
    """
name: harbour
facts: [lit, moored, painted]
tools:
  paint: {grants: [painted], revokes: [lit]}
  ring-bell: {grants: [lit], writes: [{target: moored, expression: "true", composition: max}]}
  unload: {grants: [painted], release: true}
task: {goal: moored, obligations: [moored]}
"""
)


@dataclass(frozen=True)
class Proposes(Verbs):
    name: str = "proposes"
    tool: str = "ring-bell"

    def propose(self, context):
        return next(tool for tool in context.brief.tools if tool.id == self.tool)


def test_a_step_is_proposed_only_where_the_seat_sees_no_route():
    assert rows(played(world=HARBOUR)) == [(1, "handed-off", "hand off")]
    results = played(Proposes(), world=HARBOUR)
    assert rows(results) == [(1, "landed", "ring-bell"), (1, "done", "done")]
    assert rows(played(Proposes())) == rows(played())


def test_the_gatekeeper_rules_on_a_proposed_step():
    results = played(Proposes(tool="unload"), world=HARBOUR, max_ticks=2)
    assert [kind for _, kind, _ in rows(results)] == ["refused", "refused", "time-up"]


def test_a_proposed_step_is_told_with_who_proposed_it():
    results = played(Proposes(), world=HARBOUR, design="hybrid")
    assert next(results.trace.rows(0)).detail == "proposes"


MAZE = parse_world(
    """
name: maze
facts: [a, b, c, d, e, out]
tools:
  one: {grants: [a]}
  two: {grants: [b]}
  three: {grants: [c]}
  four: {grants: [d]}
  five: {grants: [e], writes: [{target: out, expression: "true", composition: max}]}
task: {goal: out, obligations: [out]}
"""
)


def test_exploration_finds_the_way_out_that_no_declaration_shows():
    assert played(world=MAZE).reason(0) == "no route"
    results = played(Exploration(), world=MAZE)
    assert [action for _, _, action in rows(results)] == [
        "one", "two", "three", "four", "five", "done",
    ]  # fmt: skip


def test_scaled_exploration_gives_up_after_as_many_vain_steps_as_its_freedom_buys():
    vain = [Fault(tool, Mode.FAIL) for tool in ("one", "two", "three", "four")]
    results = played(Exploration(scaled=True), world=MAZE, faults=vain, max_ticks=30)
    tried = [action for _, kind, action in rows(results) if kind == "failure"]
    assert tried == ["one"], "plain's freedom of 0.1 buys a single try"
    free = played(Exploration(), world=MAZE, faults=vain, max_ticks=30)
    assert free.goal_reached[0]


# ------------------------------------------------------------------ carry


@dataclass(frozen=True)
class Carries(Verbs):
    name: str = "carries"
    carries: tuple[Carried, ...] = ()

    def begin(self, brief):
        return 0

    def record(self, context, event):
        return context.memory + 1

    def note(self, context):
        return f"{context.memory} ticks so far"


def in_a_row(num_cases, *carried, design="hybrid", faults=(), seat="bfs", layer=None):
    decider = resolver.seat(seat) if isinstance(seat, str) else seat
    player = loop.Player(resolver.design(design), decider, layer, (Carries(carries=carried),))
    sequence = [Episode(0, i, tuple(faults)) for i in range(num_cases)]
    settings = loop.Settings(20, backend="interpreter")
    return list(loop.run_sequences(FERRY, [player], [sequence, sequence], settings))


RAMP_LIES = Fault("raise-ramp", Mode.LIE, times=1)


def test_without_a_carried_record_every_case_begins_afresh():
    first, second, third = in_a_row(3, faults=[RAMP_LIES])
    assert rows(first) == rows(second) == rows(third)
    assert first.counts.lies_told[0, 0] == 1


def test_a_design_wakes_with_the_record_it_slept_on():
    first, second = in_a_row(2, Carried.DESIGN, faults=[RAMP_LIES])
    assert first.counts.lies_told[0, 0] == 1
    assert second.counts.lies_told[0, 0] == 0, "the cell's record sinks the tool that lied"
    assert (2, "landed", "load-cars") in rows(second)
    assert (3, "landed", "winch-ramp") in rows(second)


def test_a_carried_ledger_lets_a_release_go_that_had_earned_its_record():
    boat = parse_world(
        """
name: boat
facts: [a, b, c, sent]
tools:
  one: {grants: [a]}
  two: {requires: [a], grants: [b]}
  three: {requires: [b], grants: [c]}
  send: {grants: [sent], release: true}
task: {goal: sent, obligations: [sent]}
"""
    )
    seat = resolver.seat("script:one,two,three,send")
    eager = resolver.seat("script:send")

    class First:
        name = "first"

        def decide(self, batch):
            return (seat if batch.episodes[0] == 0 else eager).decide(batch)

    def sent_at(*carried):
        player = loop.Player(
            resolver.design("plain"), First(), extensions=(Carries(carries=carried),)
        )
        sequence = [Episode(0, 0), Episode(0, 1)]
        settings = loop.Settings(5, backend="interpreter")
        _, second = loop.run_sequences(boat, [player], [sequence], settings)
        return rows(second)[0]

    assert sent_at() == (1, "refused", "send")
    assert sent_at(Carried.LEDGER) == (1, "landed", "send")


def test_what_was_left_of_a_quarantine_goes_on_in_the_next_case():
    late = Fault("raise-ramp", Mode.LIE, ticks=(3,))
    seat = resolver.seat("script:check-tickets,load-cars,raise-ramp,winch-ramp,sail")
    first, second = in_a_row(2, Carried.LEDGER, design="plain", faults=[late], seat=seat)
    assert first.ticks[0] == 5
    tool = FERRY.brief.tools[2].index
    assert list(first.quarantines.of(0)) == [(0, 3, tool, 6)]
    carried = next(second.quarantines.of(0))
    assert carried == (0, 0, tool, 1), "it was hidden up to tick 6, and the case closed at 5"


@pytest.mark.parametrize("carried", [(), (Carried.OWN,)])
def test_an_extension_keeps_its_own_memory_only_if_it_says_so(carried):
    seat = Talker()
    settings_cases = in_a_row(2, *carried, design="plain", seat=seat)
    assert all(results.ticks[0] == 20 for results in settings_cases)
    first_of_second_case = seat.heard[40].notes
    assert first_of_second_case == (("20 ticks so far",) if carried else ("0 ticks so far",))


def test_runs_of_a_sequence_do_not_know_each_other():
    both = in_a_row(2, Carried.LEDGER, Carried.DESIGN, faults=[RAMP_LIES])
    player = loop.Player(
        resolver.design("hybrid"),
        resolver.seat("bfs"),
        extensions=(Carries(carries=(Carried.LEDGER, Carried.DESIGN)),),
    )
    quiet = [Episode(0, 0), Episode(0, 1, (RAMP_LIES,))]
    loud = [Episode(0, 0, (RAMP_LIES,)), Episode(0, 1, (RAMP_LIES,))]
    settings = loop.Settings(20, backend="interpreter")
    mixed = list(loop.run_sequences(FERRY, [player], [quiet, loud], settings))
    for position in range(2):
        told = list(mixed[position].trace.rows(1))
        assert told == list(both[position].trace.rows(0))
    assert mixed[1].counts.lies_told[0, 0] == 1
    assert mixed[1].counts.lies_told[1, 0] == 0
