"""Orienting: punishing, holding still, approaching once, and getting used to it."""

import pytest

from creatura.protocols import Busy, Decided, GoalMet, Held, Verdict, Waited
from creatura.regulators.orienting import Expectation, Orienting
from creatura.world import Fault, Mode, parse_world
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    TEST,
    TOOLS,
    UNDO,
    A,
    act,
    after,
    at,
    failure,
    landing,
    lie,
)
from tests.worlds import LIE, play, restore_service, shown

REFLEX = Orienting()
HIDDEN = 1 << PATCH.index
HELD = Held(CONFIG, "orienting, the facts are read again")
LIED = (lie(PATCH), 0)
STILL = (HELD, 0)
ONE_WAY = parse_world(
    """
name: one-way
facts: [a]
tools: {work: {grants: [a]}}
task: {goal: a, obligations: [a]}
"""
)


def ids(tools):
    return [tool.id for tool in tools]


@pytest.mark.parametrize(("mismatches", "error"), [(0, 0.0), (1, 1.0), (2, 0.5), (3, 0.25)])
def test_error_is_a_mismatch_times_what_habituation_leaves_of_the_response(mismatches, error):
    memory = after(REFLEX, *[LIED] * mismatches)
    assert REFLEX.error(at(memory)) == error


def test_how_fast_it_gets_used_to_a_mismatch_is_an_option():
    slow = Orienting(habituation=0.8)
    assert slow.error(at(after(slow, LIED, LIED, LIED))) == pytest.approx(0.64)


def test_it_gets_used_to_each_tool_by_itself():
    assert REFLEX.error(at(after(REFLEX, LIED, LIED, (lie(CONFIG), 0)))) == 1.0


def test_a_match_restores_the_response():
    memory = after(REFLEX, LIED, LIED, (landing(PATCH), A))
    assert REFLEX.error(at(memory)) == 0.0
    assert REFLEX.error(at(REFLEX.record(at(memory), lie(PATCH)))) == 1.0


def test_a_match_of_another_tool_ends_the_mismatch_and_keeps_the_habit():
    memory = after(REFLEX, LIED, (landing(CONFIG), A))
    assert REFLEX.error(at(memory)) == 0.0
    assert memory.model[PATCH.index].mismatches == 1


@pytest.mark.parametrize("event", [lie(PATCH), failure(PATCH), act(PATCH, Verdict.PARTIAL)])
def test_a_mismatch_is_punished(event):
    assert after(REFLEX, (event, 0)).model[PATCH.index] == Expectation(0.5, 1)


def test_reliability_goes_half_way_to_what_happened():
    memory = after(REFLEX, LIED, LIED, (landing(PATCH), A))
    assert memory.model[PATCH.index] == Expectation(0.625, 0)
    slow = Orienting(learning_rate=0.1)
    assert after(slow, LIED).model[PATCH.index].reliability == pytest.approx(0.9)


def test_what_held_already_teaches_nothing():
    memory = after(REFLEX, (act(PATCH, Verdict.VACUOUS), A))
    assert memory == REFLEX.begin(BRIEF)


def test_what_held_already_leaves_the_mismatch_the_latest_news():
    memory = after(REFLEX, LIED, (act(CONFIG, Verdict.VACUOUS), 0))
    assert REFLEX.error(at(memory)) == 1.0


def test_a_reflex_that_ends_since_the_effect_has_come_forgets_nothing_it_learnt():
    memory = after(REFLEX, LIED, (HELD, A))
    assert memory.model == after(REFLEX, LIED).model
    assert REFLEX.error(at(memory, A)) == 0.0


def test_one_tick_is_held_after_a_mismatch():
    memory = after(REFLEX, LIED)
    assert REFLEX.hold(at(memory), CONFIG) == "orienting, the facts are read again"
    assert REFLEX.probe(at(memory, hidden=HIDDEN)) is None
    still = REFLEX.record(at(memory), HELD)
    assert REFLEX.hold(at(still), CONFIG) is None
    assert REFLEX.hold(at(REFLEX.begin(BRIEF)), CONFIG) is None


def test_then_the_tool_is_approached_once():
    memory = after(REFLEX, LIED, STILL)
    assert REFLEX.probe(at(memory, hidden=HIDDEN)) == PATCH
    assert REFLEX.probe(at(memory)) is None
    assert ids(REFLEX.shape(at(memory), (CONFIG, PATCH))) == ["patch", "config"]
    done = REFLEX.record(at(memory, A), landing(PATCH, is_probe=True))
    assert REFLEX.probe(at(done, A, hidden=HIDDEN)) is None


def test_the_approach_is_not_approached_itself():
    memory = after(REFLEX, LIED, STILL, (lie(PATCH, is_probe=True), 0))
    assert REFLEX.error(at(memory)) == 0.5
    assert REFLEX.hold(at(memory), CONFIG) is None
    assert REFLEX.probe(at(memory, hidden=HIDDEN)) is None
    later = REFLEX.record(at(memory), lie(PATCH))
    assert REFLEX.hold(at(later), CONFIG) is not None


def test_an_approach_that_was_not_possible_lapses():
    for event in (Waited(), landing(CONFIG), act(TEST, Verdict.VACUOUS)):
        memory = after(REFLEX, LIED, STILL, (event, 0))
        assert REFLEX.probe(at(memory, hidden=HIDDEN)) is None


def test_a_new_mismatch_takes_the_place_of_the_approach():
    memory = after(REFLEX, LIED, STILL, (lie(CONFIG), 0), STILL)
    assert REFLEX.probe(at(memory, hidden=HIDDEN | 1 << CONFIG.index)) == CONFIG


def test_waiting_is_as_good_as_holding_still():
    memory = after(REFLEX, LIED, (Waited(), 0))
    assert REFLEX.probe(at(memory, hidden=HIDDEN)) == PATCH


def test_a_tool_at_work_keeps_the_reflex_where_it_is():
    memory = after(REFLEX, LIED, STILL)
    assert REFLEX.record(at(memory), Busy(PATCH)) == memory


def test_an_effect_found_when_the_facts_are_read_again_needs_no_approach():
    memory = after(REFLEX, LIED, (HELD, A))
    assert REFLEX.error(at(memory, A)) == 0.0
    assert REFLEX.probe(at(memory, A, hidden=HIDDEN)) is None
    (row,) = REFLEX.tell(at(memory, A), HELD)
    assert row.detail.endswith("; the effect has come after all")


def test_less_reliable_tools_come_last():
    memory = after(REFLEX, LIED, (landing(CONFIG), A))
    assert ids(REFLEX.shape(at(memory), TOOLS)) == ["config", "test", "ship", "undo", "patch"]


def test_the_seat_reads_what_is_expected_of_the_tools():
    assert REFLEX.seat(at(REFLEX.begin(BRIEF))) == "Expected of tools: what they declare."
    assert REFLEX.seat(at(after(REFLEX, LIED))) == "Expected of tools: patch 50%."


@pytest.mark.parametrize("option", ["habituation", "learning_rate"])
def test_an_option_out_of_range_is_refused(option):
    for value in (-0.1, 1.1):
        with pytest.raises(ValueError, match=f"{option} is from 0 to 1, found {value}"):
            Orienting(**{option: value})
    for value in (0.0, 1.0):
        assert getattr(Orienting(**{option: value}), option) == value


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        (landing(PATCH), "match, reliability 100%"),
        (act(PATCH, Verdict.BELIEVED), "match, reliability 100%"),
        (lie(PATCH), "mismatch: punished, reliability 50%"),
        (failure(PATCH), "mismatch, as the tool said itself: punished, reliability 50%"),
        (act(PATCH, Verdict.PARTIAL), "mismatch in part: punished, reliability 50%"),
        (act(PATCH, Verdict.VACUOUS), "nothing was left to expect"),
    ],
)
def test_the_model_tells_an_act_as_match_or_mismatch(event, detail):
    memory = after(REFLEX, (event, A))
    (row,) = REFLEX.tell(at(memory, A, freedom=0.2), event)
    assert (row.level, row.action, row.detail) == ("model", "patch", detail)
    assert (row.stress, row.freedom) == (REFLEX.error(at(memory)), 0.2)


def test_the_model_tells_what_it_expects():
    (row,) = REFLEX.tell(at(after(REFLEX, LIED), freedom=1.0), Decided(PATCH, (), ""))
    assert (row.level, row.detail) == ("model", "expects a, reliability 50%")
    (row,) = REFLEX.tell(at(REFLEX.begin(BRIEF), A), Decided(UNDO, (), ""))
    assert row.detail == "expects not a, reliability 100%"


def test_the_reflex_tells_its_pause_and_its_approach():
    held = after(REFLEX, LIED, STILL)
    (row,) = REFLEX.tell(at(held, freedom=1.0), HELD)
    assert (row.level, row.action, row.stress) == ("reflex", "config", 1.0)
    assert row.detail == "held: orienting, the facts are read again"
    (row,) = REFLEX.tell(at(held), Waited())
    assert row.detail == "orienting, the facts are read again; there was nothing to hold back"
    (row,) = REFLEX.tell(at(after(REFLEX, LIED, STILL, (Waited(), 0))), Waited())
    assert (row.level, row.detail) == ("model", "no route while a tool is distrusted")
    approach = landing(PATCH, is_probe=True)
    (row,) = REFLEX.tell(at(after(REFLEX, LIED, STILL, (approach, A)), A), approach)
    assert (row.level, row.detail) == ("reflex", "approach: match, reliability 75%")
    missed = lie(PATCH, is_probe=True)
    (row,) = REFLEX.tell(at(after(REFLEX, LIED, STILL, (missed, 0))), missed)
    assert row.detail == "approach: mismatch: punished, reliability 25%"
    (row,) = REFLEX.tell(at(REFLEX.begin(BRIEF), A), GoalMet())
    assert (row.level, row.action) == ("model", "done")


def test_the_one_lie_is_punished_oriented_to_and_approached():
    rows = [row for row in shown(play(restore_service(), "orienting", LIE)) if row[0] in (3, 4, 5)]
    assert rows == [
        (3, "decided", "apply-patch"),
        (3, "lie", "apply-patch"),
        (4, "held", "apply-config"),
        (5, "landed", "apply-patch"),
    ]


def test_a_way_that_lies_for_good_is_left_once_it_is_no_news():
    results = play(ONE_WAY, "orienting", Fault("work", Mode.LIE))
    lies = [tick for tick, kind, _ in shown(results) if kind == "lie"]
    # Each try of the seat is followed by a pause, an approach, and the quarantine of that.
    assert lies == [1, 3, 7, 9]
    assert (results.ticks[0], results.reason(0)) == (13, "no route")


def test_an_honest_failure_is_hidden_and_cannot_be_approached():
    results = play(restore_service(), "orienting", Fault("apply-patch", Mode.FAIL, times=1))
    told = [row for row in shown(results) if row[0] in (4, 5) and row[1] != "decided"]
    assert told == [(4, "held", "apply-config"), (5, "landed", "apply-config")]
    assert results.ticks[0] == 8
