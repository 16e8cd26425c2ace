"""The loop's books: what is counted as told, who closes when, and what designs and seats read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from creatura import loop, resolver
from creatura.protocols import (
    Answer,
    Context,
    HandOff,
    JudgeRule,
    LayerOptions,
    Reading,
    Regulator,
    Seat,
    Slots,
)
from creatura.results import Results
from creatura.seats.bfs import Bfs
from creatura.world import Episode, Fault, Mode, World, parse_world
from tests.worlds import LIE, ferry, play, restore_service, shown

SWITCH = parse_world(
    """
name: switch
facts: [on, tidy]
tools:
  turn-on: {grants: [on]}
  turn-off: {revokes: [on]}
  tidy-up: {grants: [tidy]}
task: {goal: on and tidy}
"""
)
TURN_ON, TURN_OFF, TIDY_UP = range(3)


def perform(
    world: World,
    *scripts: str,
    faults: Sequence[Fault] = (),
    episodes: Sequence[Episode] = (),
    design: str = "plain",
    layer: LayerOptions | None = None,
    max_ticks: int = 10,
) -> Results:
    """Plays a cast of scripts, one an agent; once, or once for each episode."""
    cast = [
        loop.Player(resolver.design(design), resolver.seat(f"script:{script}"), layer)
        for script in scripts
    ]
    return loop.run(
        world, cast, episodes or [Episode(0, 0, tuple(faults))], max_ticks=max_ticks,
        observers=[resolver.observer("critic")], backend="interpreter",
    )  # fmt: skip


def rows_of(results: Results, agent: int, run: int = 0) -> list[tuple[int, str, str]]:
    rows = results.trace.rows(run)
    return [(row.tick, row.kind, row.action) for row in rows if row.agent == agent]


def counted(results: Results, name: str) -> list[int]:
    return getattr(results.counts, name)[0].tolist()


# --------------------------------------------------------------------------- what is told


def test_a_lie_about_what_held_already_is_not_told():
    results = perform(SWITCH, "turn-on,turn-on", faults=[Fault("turn-on", Mode.LIE, ticks=(2,))])
    assert rows_of(results, 0)[:2] == [(1, "landed", "turn-on"), (2, "vacuous", "turn-on")]
    assert counted(results, "lies_told") == [0]
    assert list(results.lies.of(0)) == []


def test_a_success_that_another_agent_undoes_at_once_is_told_though_nobody_planted_it():
    results = perform(SWITCH, "turn-on", "-,turn-off", max_ticks=1)
    assert counted(results, "lies_told") == [0, 0]
    undone = perform(SWITCH, "turn-on", "turn-off", max_ticks=1)
    assert rows_of(undone, 0)[0] == (1, "lie", "turn-on")
    assert counted(undone, "lies_told") == [1, 0]
    assert list(undone.lies.of(0)) == [(0, 1, TURN_ON, True)]


def test_a_lie_that_another_agent_makes_true_misleads_nobody():
    faults = [Fault("turn-on", Mode.LIE, agent=0)]
    results = perform(SWITCH, "turn-on", "turn-on", faults=faults, max_ticks=1)
    assert counted(results, "lies_told") == [0, 0]
    assert counted(results, "lies_caught") == [0, 0]
    assert counted(results, "landed") == [1, 1]


def test_a_lie_that_another_agent_makes_half_true_is_told():
    world = parse_world(
        """
name: tray
facts: [cup, spoon]
tools: {set-both: {grants: [cup, spoon]}, set-cup: {grants: [cup]}}
task: {goal: cup and spoon}
"""
    )
    faults = [Fault("set-both", Mode.LIE, agent=0)]
    results = perform(world, "set-both", "set-cup", faults=faults, max_ticks=1)
    assert counted(results, "lies_told") == [1, 0]


@pytest.mark.parametrize(
    ("mode", "failed", "told"), [(Mode.LIE, 0, 1), (Mode.FAIL, 1, 0), (Mode.DELIVER, 0, 0)]
)
def test_a_missing_effect_is_either_a_lie_or_a_failure(mode, failed, told):
    results = perform(SWITCH, "turn-on", faults=[Fault("turn-on", mode)], max_ticks=1)
    names = ("failed", "lies_told", "lies_caught", "quarantines")
    assert [counted(results, name) for name in names] == [
        [failed],
        [told],
        [told],
        [failed + told],
    ]


def test_a_failure_that_costs_no_trust_is_counted_and_hides_nothing():
    layer = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST)
    faults = [Fault("turn-on", Mode.FAIL)]
    results = perform(SWITCH, "turn-on", faults=faults, layer=layer, max_ticks=1)
    assert (counted(results, "failed"), counted(results, "quarantines")) == ([1], [0])


def test_the_control_arm_is_told_a_lie_and_catches_none():
    faults = [Fault("turn-on", Mode.LIE)]
    results = perform(SWITCH, "turn-on", faults=faults, design="careless", max_ticks=1)
    assert (counted(results, "lies_told"), counted(results, "lies_caught")) == ([1], [0])
    assert list(results.lies.of(0)) == [(0, 1, TURN_ON, False)]


def test_lies_are_listed_by_run_then_tick_then_agent():
    layer = LayerOptions(cooldown_ticks=0, retry_budget=False)
    lies = tuple(Fault(tool, Mode.LIE) for tool in ("turn-on", "tidy-up"))
    episodes = [Episode(seed, 0, lies) for seed in (1, 0)]
    scripts = ("turn-on,tidy-up", "tidy-up,turn-on")
    results = perform(SWITCH, *scripts, episodes=episodes, layer=layer, max_ticks=2)
    listed = [(0, 1, TURN_ON), (1, 1, TIDY_UP), (0, 2, TIDY_UP), (1, 2, TURN_ON)]
    for run in (0, 1):
        assert [lie[:3] for lie in results.lies.of(run)] == listed
    assert results.lies.run.tolist() == [0] * 4 + [1] * 4


def test_ticks_spent_without_an_act_are_counted_by_what_they_were():
    faults = [Fault("turn-on", Mode.LIE, times=1)]
    results = perform(SWITCH, "turn-on,turn-on,sesame,tidy-up", faults=faults, max_ticks=4)
    assert counted(results, "refused") == [2]
    assert counted(results, "acts") == [2]
    assert counted(results, "waited") == [0]
    waiting = play(SWITCH, "plain", Fault("turn-on", Mode.LIE, times=1))
    assert waiting.counts.waited[0].tolist() == [3]


# --------------------------------------------------------------------------- a fact that changed

WIDE = parse_world(
    f"""
name: wide
facts: [first, {", ".join(f"f{i}" for i in range(70))}, last]
tools:
  work: {{grants: [first]}}
  low: {{grants: [f0]}}
  high: {{grants: [f69]}}
task: {{goal: first and last}}
"""
)


@pytest.mark.parametrize("other", ["low", "high"])
def test_a_change_in_any_of_many_facts_opens_an_exhausted_tool(other):
    layer = LayerOptions(cooldown_ticks=0)
    faults = [Fault("work", Mode.LIE, times=1)]
    script = f"work,work,{other},work"
    results = perform(WIDE, script, faults=faults, layer=layer, max_ticks=4)
    assert [row[1] for row in rows_of(results, 0)[:4]] == ["lie", "refused", "landed", "landed"]


def test_what_another_agent_changes_opens_an_exhausted_tool_as_well():
    layer = LayerOptions(cooldown_ticks=0)
    faults = [Fault("turn-on", Mode.LIE, times=1)]
    results = perform(SWITCH, "turn-on,-,turn-on", "-,tidy-up,-", faults=faults, layer=layer)
    assert rows_of(results, 0)[2] == (3, "landed", "turn-on")


# --------------------------------------------------------------------------- who closes when


def test_an_agent_that_hands_off_leaves_the_others_at_work():
    results = perform(SWITCH, "turn-on", "-,-,tidy-up")
    assert [row[:2] for row in rows_of(results, 0)] == [(1, "landed"), (2, "handed-off")]
    assert [row[:2] for row in rows_of(results, 1)][-2:] == [(3, "landed"), (3, "done")]
    assert results.declared_done[0].tolist() == [False, True]
    assert (results.handed_off[0] >= 0).tolist() == [True, False]
    assert results.goal_reached[0]
    assert results.ticks[0] == 3


def test_an_agent_that_hands_off_in_the_last_tick_does_not_declare_done_as_well():
    results = perform(SWITCH, "turn-on", "-,tidy-up")
    assert results.goal_reached[0]
    assert rows_of(results, 0) == [(1, "landed", "turn-on"), (2, "handed-off", "hand off")]
    assert results.declared_done[0].tolist() == [False, True]


def test_an_agent_that_is_done_does_nothing_more():
    world = parse_world(
        """
name: shifts
facts: [{fed: "eaten >= 1"}]
variables: {eaten: {scope: agent, type: scalar, initial: 0.0}}
tools:
  eat:
    grants: [fed]
    writes: [{target: eaten, expression: 1, composition: additive_delta}]
task: {goal: fed}
"""
    )
    results = perform(world, "eat,eat,eat", "-,-,eat")
    assert rows_of(results, 0) == [(1, "landed", "eat"), (1, "done", "done")]
    assert rows_of(results, 1)[-1] == (3, "done", "done")
    assert counted(results, "acts") == [1, 1]
    assert (results.handed_off < 0).all()


def test_each_run_closes_by_itself():
    episodes = [Episode(0, 0, faults) for faults in ((), (Fault("turn-on", Mode.LIE),), ())]
    results = play_all(SWITCH, episodes)
    assert results.goal_reached.tolist() == [True, False, True]
    assert results.ticks.tolist() == [2, 5, 2]
    assert [results.reason(run) is None for run in range(3)] == [True, False, True]


# --------------------------------------------------------------------------- what a design reads


@dataclass(frozen=True)
class Notes(Slots):
    """Keeps what it was asked; each run of a slot adds a line."""

    name: str = "notes"
    tries: float = 1.0
    lines: list[tuple[str, Context]] = field(default_factory=list, compare=False)

    def freedom(self, context, error):
        return self.tries

    def read(self, slot: str) -> list[Context]:
        return [context for name, context in self.lines if name == slot]


class Recording(Notes):
    def record(self, context, event):
        self.lines.append(("record", context))
        return context.memory


class Holding(Notes):
    def shape(self, context, offered):
        self.lines.append(("shape", context))
        return offered

    def hold(self, context, tool):
        self.lines.append(("hold", context))
        return "something is hidden" if context.hidden else None


def play_all(
    world: World,
    episodes: Sequence[Episode],
    design: Regulator | None = None,
    seat: Seat | None = None,
    layer: LayerOptions | None = None,
    max_ticks: int = 10,
) -> Results:
    player = loop.Player(design or resolver.design("plain"), seat or Bfs(), layer)
    return loop.run(world, [player], episodes, max_ticks=max_ticks, backend="interpreter")


ON_LIE = Episode(0, 0, (Fault("turn-on", Mode.LIE, times=1),))


def test_a_record_reads_what_will_be_hidden_when_the_design_is_asked_again():
    design = Recording()
    script = resolver.seat("script:turn-on,-,-,-")
    layer = LayerOptions(cooldown_ticks=1)
    play_all(SWITCH, [ON_LIE], design, script, layer, max_ticks=3)
    hidden = [(c.tick, c.hidden) for c in design.read("record")]
    # Hidden in tick 2 and no other.
    assert hidden == [(1, 1 << TURN_ON), (2, 0), (3, 0)]


def test_what_a_design_holds_back_cannot_be_answered():
    @dataclass(frozen=True)
    class Cautious(Slots):
        name: str = "cautious"

        def shape(self, context, offered):
            return tuple(tool for tool in offered if tool.id != "winch-ramp")

    results = play(ferry(), Cautious(), seat="script:check-tickets,load-cars,winch-ramp,raise-ramp")
    assert [row[1:] for row in shown(results)[2:4]] == [
        ("refused", "winch-ramp"),
        ("landed", "raise-ramp"),
    ]


def test_a_design_reads_its_offer_without_what_it_holds_back():
    class Narrow(Holding):
        def shape(self, context, offered):
            return tuple(tool for tool in offered if tool.id != "tidy-up")

    design = Narrow()
    play_all(SWITCH, [Episode()], design, max_ticks=1, seat=resolver.seat("script:turn-on"))
    (asked,) = design.read("hold")
    assert asked.offered == 1 << TURN_ON | 1 << TURN_OFF


def test_a_tool_that_was_not_offered_cannot_be_added_by_shape():
    @dataclass(frozen=True)
    class Grasping(Slots):
        name: str = "grasping"

        def shape(self, context, offered):
            return tuple(reversed(context.brief.tools))

    results = play(ferry(), Grasping())
    assert [action for _, _, action in shown(results)][:4] == [
        "check-tickets",
        "load-cars",
        "winch-ramp",
        "sail",
    ]


# --------------------------------------------------------------------------- lifted quarantines

LIFTING = LayerOptions(clear_quarantine_on_no_route=True)
SHORT = parse_world("{name: short, facts: [b], tools: {work: {grants: [b]}}, task: {goal: b}}")
WORK_LIES = Episode(0, 0, (Fault("work", Mode.LIE, times=1),))


def test_a_lifted_tool_is_still_past_its_retry_budget():
    results = play_all(SHORT, [WORK_LIES], layer=LIFTING)
    assert [row[:2] for row in shown(results)] == [(1, "lie"), (2, "handed-off")]
    assert str(results.reason(0)).startswith("no route")


@pytest.mark.parametrize(("freedom", "lies"), [(0.0, 1), (0.3, 2), (0.6, 3), (1.0, 4)])
def test_a_lifted_tool_is_offered_as_often_as_freedom_allows(freedom, lies):
    always = Episode(0, 0, (Fault("work", Mode.LIE),))
    results = play_all(SHORT, [always], Notes(tries=freedom), layer=LIFTING)
    assert [kind for _, kind, _ in shown(results)] == ["lie"] * lies + ["handed-off"]


def test_a_quarantine_lifts_in_the_run_without_a_route_and_no_other():
    once, twice = (Fault("work", Mode.LIE, times=n) for n in (1, 2))
    episodes = [Episode(0, 0, faults) for faults in ((), (once,), (twice,))]
    results = play_all(SHORT, episodes, Notes(), layer=LIFTING)
    assert results.ticks.tolist() == [1, 2, 3]
    assert results.goal_reached.all()


def test_a_design_reads_what_is_hidden_after_a_lift_and_not_before():
    design = Holding()
    results = play_all(SHORT, [WORK_LIES], design, layer=LIFTING)
    assert [row[:2] for row in shown(results)][:2] == [(1, "lie"), (2, "landed")]
    assert [(c.tick, c.hidden, c.offered) for c in design.read("hold")] == [(1, 0, 1), (2, 0, 1)]
    shaped = [(c.tick, c.hidden, c.offered) for c in design.read("shape")]
    assert shaped == [(1, 0, 1), (2, 1, 0), (2, 0, 1)]


# --------------------------------------------------------------------------- what a seat reads


@dataclass(frozen=True)
class Reader:
    """A planner that keeps the keys and the prose it could read."""

    name: str = "reader"
    inner: Bfs = field(default_factory=Bfs)
    keys: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    prose: list[tuple[Reading, ...]] = field(default_factory=list)

    def decide(self, batch) -> Sequence[Answer]:
        self.keys.append((batch.tick, tuple(batch.seeds.tolist()), tuple(batch.episodes.tolist())))
        self.prose.append(tuple(batch.reading(i) for i in range(len(batch))))
        return self.inner.decide(batch)


@dataclass(frozen=True)
class Telling(Slots):
    """Has a self-model to read."""

    name: str = "telling"

    def seat(self, context):
        return f"at tick {context.tick} I see {context.facts:b}"


def three_runs() -> list[Episode]:
    """The runs beside the middle one end in two ticks."""
    lies = (Fault("tidy-up", Mode.LIE, times=1),)
    return [Episode(7, 70), Episode(8, 80, lies), Episode(9, 90)]


def test_a_seat_is_given_the_keys_of_the_runs_that_are_still_open():
    seat = Reader()
    results = play_all(SWITCH, three_runs(), seat=seat)
    assert results.ticks.tolist() == [2, 6, 2]
    both = ((7, 8, 9), (70, 80, 90))
    assert seat.keys == [(1, *both), (2, *both), *((t, (8,), (80,)) for t in range(3, 7))]


def test_a_seat_is_given_the_keys_and_the_prose_of_the_runs_that_ask_it():
    @dataclass(frozen=True)
    class Quitting(Telling):
        name: str = "quitting"

        def stop(self, context):
            return HandOff("enough") if context.tick == 2 and context.facts == 0 else None

    lies = (Fault("turn-on", Mode.LIE),)
    episodes = [Episode(5, 50, lies), Episode(6, 60)]
    seat = Reader()
    results = play_all(SWITCH, episodes, Quitting(), seat)
    assert seat.keys == [(1, (5, 6), (50, 60)), (2, (6,), (60,))]
    (reading,) = seat.prose[1]
    assert reading.self_model == "at tick 2 I see 1"
    assert reading.history == ("tick 1: turn-on: landed",)
    assert results.goal_reached.tolist() == [False, True]


def test_a_seat_reads_the_self_model_and_the_history_of_its_own_run():
    seat = Reader()
    play_all(SWITCH, three_runs(), Telling(), seat)
    first, middle, last = seat.prose[1]
    assert first.self_model == "at tick 2 I see 1"
    assert first.history == last.history == ("tick 1: turn-on: landed",)
    assert middle.notes == ()
    (later,) = seat.prose[2]
    assert later.self_model == "at tick 3 I see 1"
    assert later.history == (
        "tick 1: turn-on: landed",
        "tick 2: tidy-up: lie: success reported, effect missing; quarantined",
    )


def test_a_design_that_says_nothing_of_itself_is_read_as_nothing():
    seat = Reader()
    play_all(SWITCH, [Episode()], seat=seat)
    assert [reading.self_model for (reading,) in seat.prose] == ["", ""]
    assert [len(reading.history) for (reading,) in seat.prose] == [0, 1]


def test_the_hybrids_self_model_reaches_its_seat():
    seat = Reader()
    play_all(restore_service(), [Episode(0, 0, (LIE,))], resolver.design("hybrid"), seat)
    (reading,) = seat.prose[3]
    assert reading.self_model == (
        "I own the task 'restore the service'. 4 of 6 obligations are open. My record is 67% "
        "coherent and I act at stage 3. Tools whose effect I have missed: apply-patch (1 of 1 "
        "missing)."
    )
