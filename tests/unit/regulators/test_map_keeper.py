"""Map-keeper: the size of an anomaly, the one approach, and how stories fall up to the root."""

from dataclasses import replace

import pytest

from creatura.protocols import (
    Brief,
    Decided,
    Goal,
    GoalMet,
    HandOff,
    JudgeRule,
    TimeUp,
    Tool,
    Verdict,
    Waited,
)
from creatura.regulators.map_keeper import MapKeeper
from creatura.world import Fault, Mode, parse_world
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    SHIP,
    TEST,
    TOOLS,
    UNDO,
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

KEEPER = MapKeeper()
DEPTH = 5  # the contract, three obligations, the act
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


def bits(*tools):
    return sum(1 << tool.index for tool in tools)


def test_it_starts_with_every_road_on_the_map_and_nothing_to_tell():
    start = KEEPER.begin(BRIEF)
    assert KEEPER.error(at(start, offered=0)) == 0.0
    assert ids(KEEPER.shape(at(start), TOOLS)) == ids(TOOLS)
    assert (start.was_approach, start.was_handed_up, start.has_fallen) == (False, False, False)


def test_error_is_the_untried_share_of_the_visible_tools():
    two = bits(PATCH, CONFIG)
    assert KEEPER.error(at(KEEPER.begin(BRIEF), offered=two)) == 1.0
    walked = after(KEEPER, (landing(PATCH), A))
    assert KEEPER.error(at(walked, A, offered=two)) == 0.5
    assert KEEPER.error(at(walked, A, offered=bits(PATCH))) == 0.0
    assert KEEPER.error(at(walked, A, offered=0)) == 0.0


def test_error_is_the_anomaly_where_that_is_larger():
    walked = after(KEEPER, (lie(PATCH), 0))
    assert KEEPER.error(at(walked, offered=bits(PATCH))) == 1 / DEPTH
    assert KEEPER.error(at(walked, offered=bits(PATCH, TEST))) == 0.5


@pytest.mark.parametrize(
    ("happened", "broken"),
    [
        # Another tool grants what the patch promised, so only the act's own story breaks.
        ([(lie(PATCH), 0)], 1),
        # No other road leads to b, and none to c without it.
        ([(landing(PATCH), A), (lie(TEST), A)], 3),
        ([(landing(PATCH), A), (landing(TEST), A | B), (lie(SHIP), A | B)], 2),
        # Taking a away leads nowhere, so nothing else breaks with it.
        ([(landing(PATCH), A), (lie(UNDO), A)], 1),
    ],
)
def test_the_size_of_an_anomaly_is_the_share_of_the_stack_that_it_breaks(happened, broken):
    memory = after(KEEPER, *happened)
    assert (memory.broken, memory.anomaly) == (broken, broken / DEPTH)


def test_the_root_counts_as_broken_once_it_can_carry_no_more():
    frail = MapKeeper(root_carries=0)
    memory = after(frail, (landing(PATCH), A), (lie(TEST), A))
    assert memory.broken == 4


@pytest.mark.parametrize("event", [lie(PATCH), failure(PATCH), act(PATCH, Verdict.PARTIAL)])
def test_whatever_the_map_did_not_foretell_is_approached_first(event):
    memory = after(KEEPER, (event, 0))
    assert memory.doubted == bits(PATCH)
    assert KEEPER.probe(at(memory, hidden=bits(PATCH))) == PATCH
    assert KEEPER.probe(at(memory)) is None
    assert ids(KEEPER.shape(at(memory), (CONFIG, PATCH))) == ["patch", "config"]
    assert memory.struck == 0


def test_nothing_is_approached_without_an_anomaly():
    walked = after(KEEPER, (landing(PATCH), A))
    assert KEEPER.probe(at(walked, A, hidden=bits(PATCH, CONFIG))) is None
    assert ids(KEEPER.shape(at(walked, A), (CONFIG, PATCH))) == ["config", "patch"]


def test_an_approach_that_lands_leaves_the_map_as_it_was():
    memory = after(KEEPER, (lie(PATCH), 0), (landing(PATCH, is_probe=True), A))
    assert (memory.doubted, memory.struck, memory.anomaly, memory.broken) == (0, 0, 0.0, 0)


def test_an_approach_in_vain_takes_the_road_off_the_map():
    memory = after(KEEPER, (lie(PATCH), 0), (lie(PATCH, is_probe=True), 0))
    assert (memory.doubted, memory.struck, memory.anomaly) == (0, bits(PATCH), 0.0)
    assert ids(KEEPER.shape(at(memory), TOOLS)) == ["config", "test", "ship", "undo"]
    assert (memory.was_handed_up, memory.carried) == (False, 0)


def test_an_anomaly_waits_until_its_own_tool_is_approached():
    memory = after(KEEPER, (lie(PATCH), 0), (landing(CONFIG), 0), (Waited(), 0))
    assert (memory.doubted, memory.anomaly) == (bits(PATCH), 1 / DEPTH)


def test_an_effect_that_comes_late_after_all_needs_no_approach():
    memory = after(KEEPER, (lie(PATCH), 0), (Waited(), A))
    assert (memory.doubted, memory.anomaly, memory.broken) == (0, 0.0, 0)


def test_one_of_two_anomalies_explained_leaves_the_other():
    memory = after(KEEPER, (lie(PATCH), 0), (lie(TEST), 0), (Waited(), A))
    assert memory.doubted == bits(TEST)
    assert memory.anomaly == 3 / DEPTH


def test_what_held_already_is_walked_and_no_anomaly():
    memory = after(KEEPER, (act(PATCH, Verdict.VACUOUS), A))
    assert (memory.tried, memory.doubted, memory.anomaly) == (bits(PATCH), 0, 0.0)


def test_a_story_with_no_road_left_is_handed_to_the_root_which_tells_it_anew_once():
    vain = [(landing(PATCH), A), (lie(TEST), A), (lie(TEST, is_probe=True), A)]
    memory = after(KEEPER, *vain)
    assert (memory.was_handed_up, memory.collapsed) == (True, B | C)
    assert (memory.carried, memory.struck, memory.has_fallen) == (1, 0, False)
    assert KEEPER.stop(at(memory, A)) is None
    again = after(KEEPER, *vain, *vain[1:])
    assert (again.was_handed_up, again.has_fallen) == (True, True)
    assert KEEPER.stop(at(again, A)) == HandOff("the root story has fallen")


def test_the_news_of_a_collapse_is_told_in_its_own_tick_only():
    vain = [(landing(PATCH), A), (lie(TEST), A), (lie(TEST, is_probe=True), A)]
    memory = after(KEEPER, *vain, (Waited(), A))
    assert (memory.was_handed_up, memory.collapsed, memory.was_approach) == (False, 0, False)


def test_every_road_must_be_struck_before_a_story_collapses():
    one = [(lie(PATCH), 0), (lie(PATCH, is_probe=True), 0)]
    both = [*one, (lie(CONFIG), 0), (lie(CONFIG, is_probe=True), 0)]
    assert after(KEEPER, *one).carried == 0
    memory = after(KEEPER, *both)
    assert (memory.carried, memory.collapsed) == (1, A | B | C)


def test_a_contract_that_needs_a_lost_fact_is_handed_up_even_with_no_obligation():
    key, door = 1, 2
    tools = (Tool("find", 0, 0, key), Tool("open", 1, key, door))
    bare = Brief("w", "open it", ("key", "door"), tools, Goal("door", ((door, 0),), 0), ())
    memory = KEEPER.begin(bare)
    for _ in range(2):
        context = at(memory)
        memory = KEEPER.record(context._replace(brief=bare), lie(tools[0]))
    assert (memory.was_handed_up, memory.collapsed, memory.carried) == (True, 0, 1)


def test_the_seat_reads_where_the_map_can_be_trusted():
    vain = [(lie(PATCH), 0), (lie(PATCH, is_probe=True), 0)]
    memory = after(KEEPER, *vain, (lie(TEST), 0), (lie(SHIP), 0))
    assert KEEPER.seat(at(memory, A)) == (
        "The contract is 'ship it'; open chapters: b, c. To approach: test, ship. "
        "Off the map: patch."
    )


@pytest.mark.parametrize(
    ("happened", "stress", "detail"),
    [
        ([landing(PATCH)], 0.0, "as foretold"),
        ([act(PATCH, Verdict.BELIEVED)], 0.0, "as foretold"),
        ([act(PATCH, Verdict.VACUOUS)], 0.0, "nothing was left to foretell"),
        ([lie(PATCH)], 0.2, "anomaly, approaching next tick: 1 of 5 stories broken"),
        (
            [failure(PATCH)],
            0.2,
            "anomaly, approaching next tick: the tool reported it itself, 1 of 5 stories broken",
        ),
        (
            [act(PATCH, Verdict.PARTIAL)],
            0.2,
            "anomaly in part, approaching next tick: 1 of 5 stories broken",
        ),
        ([lie(PATCH), landing(PATCH)], 0.0, "approached: as foretold after all"),
        (
            [lie(PATCH), lie(PATCH)],
            0.0,
            "approached in vain: its story collapsed, its road is off the map",
        ),
    ],
)
def test_it_tells_an_act_as_what_the_map_made_of_it(happened, stress, detail):
    memory = after(KEEPER, *((event, 0) for event in happened))
    (row,) = KEEPER.tell(at(memory, freedom=0.4), happened[-1])
    assert (row.level, row.action, row.detail) == ("act", "patch", detail)
    assert (row.stress, row.freedom) == (stress, 0.4)


def test_it_names_the_chapter_that_a_choice_belongs_to():
    (row,) = KEEPER.tell(at(KEEPER.begin(BRIEF), A), Decided(TEST, ("test", "ship"), ""))
    assert (row.level, row.action, row.detail) == ("story", "b", "plan: test → ship")
    (row,) = KEEPER.tell(at(KEEPER.begin(BRIEF), A | B | C), Decided(TEST, (), "why not"))
    assert (row.action, row.detail) == ("contract", "why not")


def test_a_collapse_is_told_up_to_the_root():
    vain = [(landing(PATCH), A), (lie(TEST), A), (lie(TEST, is_probe=True), A)]
    act_row, story, root = KEEPER.tell(at(after(KEEPER, *vain), A), vain[-1][0])
    assert act_row.level == "act"
    assert (story.level, story.action) == ("story", "b, c")
    assert story.detail == "collapsed with no road left, handed up"
    assert (root.level, root.action) == ("root", "contract")
    assert root.detail == "takes over: every road is back"
    *_, root = KEEPER.tell(at(after(KEEPER, *vain, *vain[1:]), A), vain[-1][0])
    assert root.detail == "has fallen, no story is left"


def test_the_root_tells_the_end_and_the_act_what_is_left():
    for event in (HandOff("no route"), TimeUp(40)):
        (row,) = KEEPER.tell(at(KEEPER.begin(BRIEF)), event)
        assert row.level == "root"
    (row,) = KEEPER.tell(at(KEEPER.begin(BRIEF), A | B | C), GoalMet())
    assert (row.level, row.action, row.detail) == ("root", "told to the end", "ship it")
    (row,) = KEEPER.tell(at(KEEPER.begin(BRIEF)), Waited())
    assert (row.level, row.action) == ("act", "wait")


def test_its_membrane_takes_a_reported_failure_as_honest_and_counts_no_tries():
    assert KEEPER.layer.judge_rule is JudgeRule.REPORT_FIRST
    assert KEEPER.layer.retry_budget is False


def test_an_honest_failure_hides_nothing_and_is_approached_at_once():
    fails = Fault("apply-patch", Mode.FAIL, times=1)
    results = play(restore_service(), "map-keeper", fails)
    acts = [row for row in shown(results) if row[2] == "apply-patch"]
    assert acts == [(3, "failure", "apply-patch"), (4, "landed", "apply-patch")]
    assert len(results.quarantines.run) == 0


def test_a_way_that_lies_for_good_falls_with_the_root():
    results = play(ONE_WAY, "map-keeper", Fault("work", Mode.LIE))
    told = [row for row in shown(results) if row[1] != "decided"]
    lies = [tick for tick, kind, action in told if (kind, action) == ("lie", "work")]
    assert lies == [1, 2, 6, 7]
    assert (results.ticks[0], results.reason(0)) == (8, "the root story has fallen")


def test_a_lie_and_an_honest_failure_are_outlived():
    faults = (Fault("work", Mode.LIE, times=1), Fault("work", Mode.FAIL, times=1))
    results = play(ONE_WAY, "map-keeper", *faults)
    assert results.goal_reached[0]


def test_a_root_that_carries_nothing_falls_with_the_first_collapse():
    results = play(ONE_WAY, "map-keeper(root_carries=0)", Fault("work", Mode.LIE))
    assert (results.ticks[0], results.reason(0)) == (3, "the root story has fallen")


def test_a_root_cannot_carry_less_than_nothing():
    with pytest.raises(ValueError, match="root_carries is 0 or more, found -1"):
        MapKeeper(root_carries=-1)


def test_the_one_lie_is_called_an_anomaly_and_approached_on_the_next_tick():
    rows = play(restore_service(), "map-keeper", LIE).trace.rows(0)
    told = {row.tick: (row.kind, row.detail) for row in rows if row.action == "apply-patch"}
    assert told == {
        3: ("lie", "anomaly, approaching next tick: 1 of 8 stories broken"),
        4: ("landed", "approached: as foretold after all"),
    }


def test_two_roads_that_both_lie_are_each_approached_before_the_other_is_taken():
    lies = (Fault("apply-patch", Mode.LIE, times=2), Fault("apply-config", Mode.LIE, times=1))
    results = play(restore_service(), "map-keeper", *lies)
    acts = [row for row in shown(results) if row[2].startswith("apply")]
    assert acts == [
        (3, "lie", "apply-patch"),
        (4, "lie", "apply-patch"),
        (5, "lie", "apply-config"),
        (6, "landed", "apply-config"),
    ]


def test_a_road_that_leads_there_after_all_is_on_the_map_again_and_the_others_stay_off():
    memory = replace(KEEPER.begin(BRIEF), struck=0b0011)
    landed = KEEPER.record(at(memory, A), landing(PATCH))
    assert landed.struck == 0b0010
    shown = KEEPER.shape(at(replace(landed, doubted=0b1000)), TOOLS)
    assert [tool.id for tool in shown] == ["ship", "patch", "test", "undo"]
