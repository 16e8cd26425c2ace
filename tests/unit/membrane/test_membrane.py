"""The membrane at work: quarantine, retry budget, gatekeeper, probes, and the layer's switches."""

from dataclasses import dataclass

import pytest

from creatura.protocols import JudgeRule, LayerOptions, Slots
from creatura.world import Fault, Mode, parse_world
from tests.worlds import LIE, ferry, play, restore_service, shown


def one_way(grants: str = "b") -> str:
    """A world where only `work` leads on, so trust in it is all there is."""
    return f"""
name: one-way
facts: [a, b]
tools:
  work: {{grants: [{grants}]}}
  rest: {{grants: [a]}}
task: {{goal: b}}
"""


ONE_WAY = parse_world(one_way())


@dataclass(frozen=True)
class Bold(Slots):
    """Full freedom, so a tool may fail to land four times in a row."""

    name: str = "bold"

    def freedom(self, context, error):
        return 1.0


@dataclass(frozen=True)
class Approaching(Bold):
    """Asks for a probe of whatever is in quarantine."""

    name: str = "approaching"

    def probe(self, context):
        hidden = [tool for tool in context.brief.tools if context.hidden >> tool.index & 1]
        return hidden[0] if hidden else None


def test_a_lie_hides_the_tool_for_three_ticks():
    results = play(ONE_WAY, Bold(), Fault("work", Mode.LIE, times=1))
    assert shown(results) == [
        (1, "lie", "work"),
        (2, "waited", "wait"),
        (3, "waited", "wait"),
        (4, "waited", "wait"),
        (5, "landed", "work"),
        (5, "done", "done"),
    ]
    assert list(results.quarantines.of(0)) == [(0, 1, 0, 4)]


@pytest.mark.parametrize(("cooldown", "second_try"), [(0, 2), (1, 3), (5, 7)])
def test_the_cooldown_is_an_option(cooldown, second_try):
    layer = LayerOptions(cooldown_ticks=cooldown)
    results = play(ONE_WAY, Bold(), Fault("work", Mode.LIE, times=1), layer=layer)
    assert results.ticks[0] == second_try


def test_effect_first_costs_an_honest_failure_its_trust():
    results = play(ONE_WAY, Bold(), Fault("work", Mode.FAIL, times=1))
    assert results.ticks[0] == 5
    assert results.counts.failed[0, 0] == 1
    assert results.counts.lies_caught[0, 0] == 0
    assert len(results.quarantines.run) == 1


def test_report_first_lets_an_honest_failure_go():
    layer = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST)
    results = play(ONE_WAY, Bold(), Fault("work", Mode.FAIL, times=1), layer=layer)
    assert results.ticks[0] == 2
    assert len(results.quarantines.run) == 0


def test_report_first_still_catches_a_lie():
    layer = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST)
    results = play(ONE_WAY, Bold(), Fault("work", Mode.LIE, times=1), layer=layer)
    assert results.counts.lies_caught[0, 0] == 1
    assert results.ticks[0] == 5


def test_no_route_lifts_every_quarantine_where_the_layer_says_so():
    layer = LayerOptions(clear_quarantine_on_no_route=True)
    results = play(ONE_WAY, Bold(), Fault("work", Mode.LIE, times=1), layer=layer)
    assert shown(results)[:2] == [(1, "lie", "work"), (2, "landed", "work")]


def test_a_tool_past_its_retry_budget_is_not_offered_again():
    results = play(ONE_WAY, "plain", Fault("work", Mode.LIE))
    assert [row[1] for row in shown(results)] == ["lie", *["waited"] * 3, "handed-off"]
    assert results.reason(0) == "no route"


def test_full_freedom_buys_four_tries_in_a_row():
    layer = LayerOptions(cooldown_ticks=0)
    results = play(ONE_WAY, Bold(), Fault("work", Mode.LIE), layer=layer)
    assert [row[1] for row in shown(results)] == ["lie"] * 4 + ["handed-off"]


def test_a_changed_fact_opens_an_exhausted_tool_again():
    layer = LayerOptions(cooldown_ticks=0)
    script = "script:work,work,rest,work"
    results = play(ONE_WAY, "plain", Fault("work", Mode.LIE, times=1), seat=script, layer=layer)
    assert shown(results)[:4] == [
        (1, "lie", "work"),
        (2, "refused", "work"),
        (3, "landed", "rest"),
        (4, "landed", "work"),
    ]


def test_an_act_whose_effect_held_already_leaves_trust_unchanged():
    script = "script:rest,rest,rest,work"
    results = play(ONE_WAY, "plain", Fault("rest", Mode.LIE, ticks=(2, 3)), seat=script)
    kinds = [kind for _, kind, _ in shown(results)]
    assert kinds == ["landed", "vacuous", "vacuous", "landed", "done"]
    assert results.counts.lies_told[0, 0] == 0


def test_a_release_waits_for_three_landed_effects():
    world = parse_world(
        """
name: shop
facts: [a, b, c, shipped]
tools:
  one: {grants: [a]}
  two: {grants: [b]}
  three: {grants: [c]}
  ship: {grants: [shipped], release: true}
task: {goal: shipped}
"""
    )
    results = play(world, "plain", seat="script:ship,one,two,ship,three,ship")
    assert shown(results) == [
        (1, "refused", "ship"),
        (2, "landed", "one"),
        (3, "landed", "two"),
        (4, "refused", "ship"),
        (5, "landed", "three"),
        (6, "landed", "ship"),
        (6, "done", "done"),
    ]
    detail = next(results.trace.rows(0)).detail
    assert detail == "refused: a release needs 3 landed effects and a landed share of 0.6"


@pytest.mark.parametrize(("tries", "kind"), [(2, "landed"), (3, "refused")])
def test_a_release_waits_for_a_landed_share_of_six_tenths(tries, kind):
    # Three effects land; with two misses the share is 3/5, which is enough, with three 3/6.
    layer = LayerOptions(cooldown_ticks=0)
    script = "script:" + "check-tickets,load-cars" + ",raise-ramp" * (tries + 1) + ",sail"
    lies = Fault("raise-ramp", Mode.LIE, times=tries)
    results = play(ferry(), Bold(), lies, seat=script, layer=layer)
    sail = [row for row in shown(results) if row[2] == "sail"]
    assert sail == [(tries + 4, kind, "sail")]


def test_a_design_may_probe_a_quarantined_tool_once_for_each_lie():
    results = play(ONE_WAY, Approaching(), Fault("work", Mode.LIE, times=2))
    rows = list(results.trace.rows(0))
    assert [(row.tick, row.kind) for row in rows[:3]] == [(1, "lie"), (2, "lie"), (3, "landed")]
    assert [row.detail.startswith("probe: ") for row in rows[:3]] == [False, True, True]


def test_an_honest_failure_earns_no_probe():
    results = play(ONE_WAY, Approaching(), Fault("work", Mode.FAIL, times=1))
    assert [row[:2] for row in shown(results)[:2]] == [(1, "failure"), (2, "waited")]


def test_probes_do_not_use_up_the_retry_budget():
    @dataclass(frozen=True)
    class Shy(Approaching):
        def freedom(self, context, error):
            return 0.2  # a budget of two

        def probe(self, context):
            return Approaching.probe(self, context) if context.tick == 2 else None

    results = play(ONE_WAY, Shy(), Fault("work", Mode.LIE, times=2))
    # The lie of tick 1 counts and the probe's of tick 2 does not, so one of two tries is left when
    # the tool is shown again. Were probes counted, there would be none.
    assert [row[:2] for row in shown(results)] == [
        (1, "lie"),
        (2, "lie"),
        (3, "waited"),
        (4, "waited"),
        (5, "waited"),
        (6, "landed"),
        (6, "done"),
    ]


def test_the_one_lie_world_is_told_in_plain_words():
    details = [row.detail for row in play(restore_service(), "plain", LIE).trace.rows(0)]
    assert details == [
        "landed",
        "landed",
        "lie: success reported, effect missing; quarantined",
        "landed",
        "landed",
        "landed",
        "landed",
        "the goal holds",
    ]


def test_a_probe_is_admitted_only_where_the_tool_could_run():
    world = parse_world(
        """
name: gone
facts: [{key: true}, lost, open]
tools:
  unlock: {requires: [key], grants: [open]}
  lose-key: {grants: [lost], revokes: [key]}
task: {goal: open}
"""
    )

    @dataclass(frozen=True)
    class Late(Approaching):
        def probe(self, context):
            return Approaching.probe(self, context) if context.tick == 3 else None

    faults = Fault("unlock", Mode.LIE, times=1)
    results = play(world, Late(), faults, seat="script:unlock,lose-key,-,-")
    assert [row[:2] for row in shown(results)[:3]] == [(1, "lie"), (2, "landed"), (3, "passed")]
