"""Notices: an effect that is undone, and one that comes late, told on the tick it happens."""

from creatura import loop, resolver
from creatura.world import Episode, Fault, Mode, parse_world
from tests.worlds import ferry, play, shown

FERRY = ferry()


def details(results, kind, run=0):
    return [(r.tick, r.action, r.detail) for r in results.trace.rows(run) if r.kind == kind]


def test_an_effect_that_is_undone_is_told_on_its_tick_and_its_obligation_is_open_again():
    slips = Fault("raise-ramp", Mode.REVERTS, times=1, delay=1)
    results = play(FERRY, "plain", slips, seat="script:check-tickets,load-cars,raise-ramp,sail,-")
    assert details(results, "reverted") == [
        (4, "raise-ramp", "undone: ramp_up holds no longer, open again")
    ]


def test_a_design_closes_the_reopened_obligation_anew():
    slips = Fault("load-cars", Mode.REVERTS, times=1, delay=1)
    for design in ("plain", "hybrid", "colony", "self-model", "map-keeper", "orienting"):
        results = play(FERRY, design, slips)
        told = shown(results)
        assert (3, "reverted", "load-cars") in told, design
        assert (4, "landed", "load-cars") in told, design
        assert results.goal_reached[0], design


def test_an_effect_that_comes_late_is_told_on_its_tick():
    late = Fault("raise-ramp", Mode.LATE, times=1, delay=2)
    results = play(FERRY, "plain", late, seat="script:check-tickets,load-cars,raise-ramp,-,-,sail")
    assert details(results, "arrived") == [(5, "raise-ramp", "came late: ramp_up holds now")]


def test_what_another_tool_brought_meanwhile_does_not_come_late():
    late = Fault("raise-ramp", Mode.LATE, times=1, delay=2)
    results = play(FERRY, "plain", late)
    assert (4, "landed", "winch-ramp") in shown(results)
    assert not details(results, "arrived")


def test_a_failure_that_was_admitted_owes_nothing():
    fails = Fault("raise-ramp", Mode.FAIL, times=1)
    late = Fault("winch-ramp", Mode.LATE, times=1, delay=1)
    script = "script:check-tickets,load-cars,raise-ramp,winch-ramp,-"
    results = play(FERRY, "plain", fails, late, seat=script, max_ticks=6)
    assert details(results, "arrived") == [(5, "winch-ramp", "came late: ramp_up holds now")]


def test_what_the_own_act_takes_away_is_no_news():
    gate = parse_world(
        """
name: gate
facts: [open, through, shut]
tools:
  lift: {grants: [open]}
  pass: {requires: [open], grants: [through], revokes: [open]}
task: {goal: through, obligations: [through]}
"""
    )
    results = play(gate)
    assert shown(results) == [
        (1, "landed", "lift"),
        (2, "landed", "pass"),
        (2, "done", "done"),
    ]


def test_what_another_agent_takes_away_is_told_to_the_one_who_brought_it():
    gate = parse_world(
        """
name: gate
facts: [open, barred, through]
tools:
  lift: {grants: [open]}
  bar: {grants: [barred], revokes: [open]}
  pass: {requires: [open], grants: [through]}
task: {goal: through, obligations: [through]}
"""
    )
    cast = [
        loop.Player(resolver.design("plain"), resolver.seat(f"script:{script}"))
        for script in ("lift,-,-", "-,bar,-")
    ]
    results = loop.run(gate, cast, [Episode()], max_ticks=3, backend="interpreter")
    told = [(r.tick, r.agent, r.action) for r in results.trace.rows(0) if r.kind == "reverted"]
    assert told == [(2, 0, "lift")]


def test_the_control_arm_reads_no_facts_and_notices_nothing():
    slips = Fault("load-cars", Mode.REVERTS, times=1, delay=1)
    assert not details(play(FERRY, "careless", slips), "reverted")


def test_notices_stand_in_the_history_that_a_seat_reads():
    heard = []

    class Listening:
        name = "listening"

        def decide(self, batch):
            heard.append(batch.reading(0).history)
            return resolver.seat("script:check-tickets,load-cars,-,-").decide(batch)

    slips = Fault("load-cars", Mode.REVERTS, times=1, delay=1)
    player = loop.Player(resolver.design("plain"), Listening())
    episodes = [Episode(0, 0, (slips,))]
    loop.run(FERRY, [player], episodes, max_ticks=4, backend="interpreter")
    assert heard[-1][-1] == "tick 3: load-cars: undone: loaded holds no longer, open again"
