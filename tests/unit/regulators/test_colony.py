"""Colony: what leaks along the bus, and the organism's two levers."""

import pytest

from creatura.protocols import Busy, GoalMet, HandOff, LayerOptions, TimeUp, Verdict, Waited
from creatura.regulators.colony import Colony
from creatura.world import Fault, Mode, parse_world
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    TEST,
    A,
    B,
    C,
    act,
    after,
    at,
    failure,
    landing,
    lie,
)
from tests.worlds import LIE, play, restore_service, shown

BODY = Colony()
ONE_WAY = parse_world(
    """
name: one-way
facts: [a]
tools: {work: {grants: [a]}}
task: {goal: a, obligations: [a]}
"""
)


def still(ticks):
    return after(BODY, *[(Waited(), 0)] * ticks)


def test_error_is_what_the_tissue_feels():
    calm = after(BODY, (landing(PATCH), A), (landing(TEST), A | B))
    # Tissue 1/3, and half of the mean of a calm cell and an unmet contract.
    assert BODY.error(at(calm, A | B)) == pytest.approx(1 / 3 + 0.5 * 0.5)
    assert Colony(leak=0.0).error(at(calm, A | B)) == pytest.approx(1 / 3)
    assert BODY.error(at(calm, A | B | C)) == 0.0


def test_a_missing_effect_is_felt_by_the_tissue_and_never_beyond_one():
    troubled = after(BODY, (landing(PATCH), A), (lie(TEST), A))
    assert troubled.cell == 1.0
    assert Colony(leak=0.2).error(at(troubled, A)) == pytest.approx(2 / 3 + 0.2)
    assert BODY.error(at(troubled, A)) == 1.0


def test_the_cell_stays_troubled_until_an_effect_lands():
    memory = after(BODY, (lie(PATCH), 0), (Waited(), 0))
    assert memory.cell == 1.0
    assert BODY.record(at(memory, A), act(CONFIG, Verdict.VACUOUS)).cell == 1.0
    assert BODY.record(at(memory, A), landing(CONFIG)).cell == 0.0


@pytest.mark.parametrize("event", [failure(PATCH), act(PATCH, Verdict.PARTIAL)])
def test_an_effect_that_is_missing_honestly_or_in_part_is_missing(event):
    assert after(BODY, (event, 0)).cell == 1.0


def test_freedom_is_the_plasticity_of_the_error():
    assert BODY.freedom(at(BODY.begin(BRIEF)), 0.5) == pytest.approx(0.55)


def test_the_organism_widens_the_budget_once_nothing_has_moved_for_five_ticks():
    over = A | B  # tissue 1/3, organism 1 and half of a third
    assert BODY.freedom(at(still(4), over), 0.5) == pytest.approx(0.55)
    assert BODY.freedom(at(still(5), over), 0.5) == 1.0
    assert Colony(widen_after=6).freedom(at(still(5), over), 0.5) == pytest.approx(0.55)


def test_the_organism_hands_the_goal_over_after_ten():
    assert BODY.stop(at(still(9))) is None
    assert BODY.stop(at(still(10))) == HandOff("contract unmet and nothing moved for 10 ticks")
    assert Colony(hand_over_after=11).stop(at(still(10))) is None


def test_a_landed_effect_or_a_closed_obligation_starts_the_count_anew():
    assert BODY.record(at(still(4), 0), landing(PATCH)).still_ticks == 0
    assert BODY.record(at(still(4), A), Waited()).still_ticks == 0
    assert BODY.record(at(still(4), 0), lie(PATCH)).still_ticks == 5


def test_an_obligation_closed_a_second_time_brings_the_tissue_no_nearer():
    memory = after(BODY, (Waited(), A), (Waited(), 0), (Waited(), A))
    assert (memory.fewest_open, memory.still_ticks) == (2, 2)


def test_a_slow_tool_at_work_is_not_standing_still():
    assert BODY.record(at(still(4)), Busy(PATCH)).still_ticks == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leak": 1.5}, "leak is from 0 to 1, found 1.5"),
        ({"leak": -0.1}, "leak is from 0 to 1, found -0.1"),
        ({"widen_after": 11}, "widen_after is from 1 to hand_over_after, found 11 and 10"),
        ({"widen_after": 0}, "widen_after is from 1 to hand_over_after, found 0 and 10"),
    ],
)
def test_an_option_out_of_range_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Colony(**options)


def test_the_extremes_of_the_options_are_allowed():
    assert (Colony(leak=0.0).leak, Colony(leak=1.0).leak) == (0.0, 1.0)
    assert Colony(widen_after=1, hand_over_after=1).hand_over_after == 1


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        (landing(PATCH), "effect landed"),
        (lie(PATCH), "effect missing; tool quarantined"),
        (failure(PATCH), "no effect, as the tool said itself; tool quarantined"),
        (act(PATCH, Verdict.PARTIAL), "part of the effect missing"),
        (act(PATCH, Verdict.VACUOUS), "effect held already"),
        (act(PATCH, Verdict.BELIEVED), "effect landed"),
    ],
)
def test_the_cell_tells_an_act_as_its_effect(event, detail):
    memory = after(BODY, (event, A))
    (row,) = BODY.tell(at(memory, A, freedom=0.4), event)
    felt = min(1.0, memory.cell + 0.5 * 2 / 3)
    assert (row.level, row.action, row.detail) == ("cell", "patch", detail)
    assert (row.stress, row.freedom) == (pytest.approx(felt), 0.4)


def test_the_organism_speaks_of_its_levers_only():
    (wait,) = BODY.tell(at(still(4)), Waited())
    assert (wait.level, wait.action) == ("tissue", "wait")
    wait, widen = BODY.tell(at(still(5)), Waited())
    assert (widen.level, widen.action) == ("organism", "widen the budget")
    assert widen.detail == "nothing has moved for 5 ticks"
    assert (widen.stress, widen.freedom) == (1.0, 1.0)
    assert len(BODY.tell(at(still(6)), Waited())) == 1
    assert len(BODY.tell(at(still(5)), lie(PATCH))) == 2
    for event in (HandOff("no route"), TimeUp(40)):
        (row,) = BODY.tell(at(still(5)), event)
        assert row.level == "organism"
    (met,) = BODY.tell(at(still(0), A | B | C), GoalMet())
    assert (met.level, met.stress, met.action) == ("organism", 0.0, "contract met")
    assert met.detail == "ship it"


def test_a_way_that_lies_for_good_is_handed_over():
    lies = (Fault("apply-patch", Mode.LIE), Fault("apply-config", Mode.LIE))
    results = play(restore_service(), "colony", *lies)
    assert results.ticks[0] == 13
    assert results.reason(0) == "contract unmet and nothing moved for 10 ticks"


def test_a_lie_and_an_honest_failure_are_outlived():
    faults = (Fault("work", Mode.LIE, times=1), Fault("work", Mode.FAIL, times=1))
    results = play(ONE_WAY, "colony", *faults)
    assert results.goal_reached[0]
    assert results.ticks[0] == 9


def test_levin_trusts_again_as_soon_as_there_is_no_route():
    results = play(ONE_WAY, "levin", Fault("work", Mode.LIE, times=1))
    assert results.ticks[0] == 2
    assert results.counts.waited[0, 0] == 0


def test_without_a_leak_a_nearly_finished_body_has_less_room():
    def last_freedom(design):
        rows = [row for row in play(restore_service(), design).trace.rows(0) if row.tick == 6]
        return rows[0].freedom

    assert last_freedom("colony") == pytest.approx(0.1 + 0.9 * (1 / 6 + 0.25))
    assert last_freedom("colony(leak=0.0)") == pytest.approx(0.1 + 0.9 / 6)


def test_the_one_lie_is_called_a_missing_effect():
    results = play(restore_service(), "colony", LIE)
    assert (3, "lie", "apply-patch") in shown(results)
    told = next(row for row in results.trace.rows(0) if row.kind == "lie")
    assert (told.level, told.detail) == ("cell", "effect missing; tool quarantined")


def test_it_lives_in_the_default_membrane():
    assert Colony().layer == LayerOptions()


def test_a_colony_begins_with_a_calm_cell():
    assert Colony().begin(BRIEF).cell == 0.0
