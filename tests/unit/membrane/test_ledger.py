"""Ledger: what each act leaves in a tool's record, and what the record then decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from creatura import loop, resolver
from creatura.bits import words_of
from creatura.membrane import Acts, Layer, open_layer
from creatura.membrane.effect_check import VERDICTS
from creatura.membrane.gatekeeper import ADMITTED, NO_RECORD, NOT_OFFERED, reason, rulings
from creatura.protocols import Answer, JudgeRule, LayerOptions, Verdict
from creatura.world import Episode, Fault, Mode, parse_world
from tests.worlds import play, shown

WORKSHOP = parse_world(
    """
name: workshop
facts: [a, b, shipped]
tools:
  one: {grants: [a]}
  two: {grants: [b]}
  ship: {grants: [shipped], release: true}
task: {goal: shipped}
"""
)
ONE, TWO, SHIP = range(3)
LANDED, MISSING = Verdict.LANDED, Verdict.MISSING
RUN = np.array([0])


class Book:
    """The membrane of one agent over two runs, judging the acts of the first."""

    def __init__(self, **options: object) -> None:
        self.layer: Layer = open_layer(WORKSHOP.brief, LayerOptions(**options), 2)  # type: ignore[arg-type]
        self.tick = 0

    def act(
        self, verdict: Verdict, tool: int = ONE, *, success: bool = True, probe: bool = False
    ) -> None:
        self.tick += 1
        acts = Acts(
            tick=self.tick,
            runs=RUN,
            tools=np.array([tool]),
            success=np.array([success]),
            crashed=np.array([False]),
            verdicts=np.array([VERDICTS.index(verdict)]),
            probes=np.array([probe]),
        )
        self.layer.distrust(acts, self.layer.judge(acts))

    def column(self, name: str, tool: int = ONE) -> int:
        whole = getattr(self.layer.ledger, name)
        assert not whole[1].any(), "the other run has no part in this"
        return int(whole[0, tool])

    def is_offered(self, tool: int, tick: int, budget: int = 4) -> bool:
        facts = words_of([0], len(WORKSHOP.brief.facts))
        return bool(self.layer.offer(RUN, facts, np.array([budget]), tick).offered[0, tool])

    def tries_in_row(self, most: int = 9) -> int:
        """Tries that did not land: the largest budget at which the first tool is withheld."""
        withheld = [n for n in range(most) if not self.is_offered(ONE, self.tick + 99, n)]
        return max(withheld, default=0)


# --------------------------------------------------------------------------- columns

COLUMNS = ("attempts", "landed", "vacuous", "lies", "failures", "predictions", "hits")


@pytest.mark.parametrize(
    ("verdict", "success", "expected"),
    [
        (Verdict.LANDED, True, (1, 1, 0, 0, 0, 1, 1)),
        (Verdict.LANDED, False, (1, 1, 0, 0, 0, 1, 1)),
        (Verdict.VACUOUS, True, (1, 0, 1, 0, 0, 0, 0)),
        (Verdict.PARTIAL, True, (1, 0, 0, 0, 0, 1, 0)),
        (Verdict.MISSING, True, (1, 0, 0, 1, 0, 1, 0)),
        (Verdict.MISSING, False, (1, 0, 0, 0, 1, 1, 0)),
    ],
)
@pytest.mark.parametrize("rule", list(JudgeRule))
def test_an_act_enters_the_columns_of_its_tool(rule, verdict, success, expected):
    book = Book(judge_rule=rule)
    book.act(verdict, success=success)
    assert tuple(book.column(name) for name in COLUMNS) == expected
    assert not any(book.column(name, TWO) for name in COLUMNS)


def test_the_columns_add_up_act_by_act():
    book = Book()
    for verdict in (LANDED, MISSING, Verdict.VACUOUS, LANDED):
        book.act(verdict)
    book.act(MISSING, TWO, success=False)
    assert tuple(book.column(name) for name in COLUMNS) == (4, 2, 1, 1, 0, 3, 2)
    assert tuple(book.column(name, TWO) for name in COLUMNS) == (1, 0, 0, 0, 1, 1, 0)


# --------------------------------------------------------------------------- tries in a row


@pytest.mark.parametrize(
    ("verdicts", "tries"),
    [
        ([], 0),
        ([MISSING], 1),
        ([MISSING, MISSING], 2),
        ([MISSING, Verdict.PARTIAL], 2),
        ([MISSING, Verdict.VACUOUS], 1),
        ([MISSING, MISSING, LANDED], 0),
        ([MISSING, LANDED, MISSING], 1),
    ],
)
def test_what_lands_ends_the_row_of_tries_that_did_not(verdicts, tries):
    book = Book()
    for verdict in verdicts:
        book.act(verdict)
    assert book.tries_in_row() == tries


def test_a_probe_does_not_count_against_the_retry_budget():
    book = Book()
    book.act(MISSING)
    book.act(MISSING, probe=True)
    assert book.tries_in_row() == 1


def test_a_probe_that_lands_ends_the_row_as_well():
    book = Book()
    book.act(MISSING)
    book.act(LANDED, probe=True)
    assert book.tries_in_row() == 0


def test_a_changed_fact_ends_the_row_of_its_run_only():
    book = Book()
    book.act(MISSING)
    book.layer.ledger.facts_changed(np.array([1]))
    assert book.tries_in_row() == 1
    book.layer.ledger.facts_changed(RUN)
    assert book.tries_in_row() == 0


# --------------------------------------------------------------------------- quarantine and probes


@pytest.mark.parametrize("cooldown", [0, 1, 3])
def test_a_lie_hides_its_tool_for_the_cooldown_and_no_other(cooldown):
    book = Book(cooldown_ticks=cooldown)
    book.act(MISSING)
    offered = [book.is_offered(ONE, tick) for tick in range(2, 8)]
    assert offered == [False] * cooldown + [True] * (6 - cooldown)
    assert book.is_offered(TWO, 2)


def probe(book: Book, tool: int = ONE, tick: int | None = None) -> bool:
    facts = words_of([0], len(WORKSHOP.brief.facts))
    return book.layer.admit_probe(0, tool, facts, book.tick + 1 if tick is None else tick)


def test_a_lie_allows_one_probe_and_the_next_lie_another():
    book = Book()
    assert not probe(book), "nothing was hidden"
    book.act(MISSING)
    assert [probe(book), probe(book), probe(book)] == [True, False, False]
    book.act(MISSING, probe=True)
    assert [probe(book), probe(book)] == [True, False]


def test_a_probe_is_of_the_tool_that_lied_while_it_is_hidden():
    book = Book()
    book.act(MISSING)
    assert not probe(book, TWO)
    assert not probe(book, tick=5), "by now the tool may simply be answered"
    assert probe(book, tick=4)


# --------------------------------------------------------------------------- the release's record


@pytest.mark.parametrize(
    ("verdicts", "ruling"),
    [
        ([LANDED] * 2, NO_RECORD),
        ([LANDED] * 3, ADMITTED),
        ([LANDED] * 3 + [MISSING] * 2, ADMITTED),
        ([LANDED] * 3 + [MISSING] * 3, NO_RECORD),
        ([LANDED] * 3 + [Verdict.PARTIAL] * 3, NO_RECORD),
        ([LANDED] * 3 + [Verdict.VACUOUS] * 9, ADMITTED),  # no evidence either way
        ([LANDED] * 2 + [Verdict.VACUOUS] * 9, NO_RECORD),
        ([LANDED] * 3 + [MISSING] * 2 + [Verdict.VACUOUS] * 9, ADMITTED),
        ([LANDED] * 9 + [MISSING] * 6, ADMITTED),
        ([LANDED] * 9 + [MISSING] * 7, NO_RECORD),
    ],
)
def test_a_release_is_earned_by_what_the_facts_answered(verdicts, ruling):
    book = Book()
    for verdict in verdicts:
        book.act(verdict)
    everything = np.ones((1, 3), dtype=bool)
    assert book.layer.admit(RUN, np.array([SHIP]), everything).tolist() == [ruling]
    assert book.layer.admit(RUN, np.array([TWO]), everything).tolist() == [ADMITTED]


def test_acts_without_evidence_do_not_keep_a_release_back():
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
    results = play(world, seat="script:one,two,three,one,one,one,ship")
    assert [kind for _, kind, _ in shown(results)[3:7]] == ["vacuous"] * 3 + ["landed"]


# --------------------------------------------------------------------------- the gatekeeper

OPTIONS = LayerOptions()
NOBODY = np.zeros(1, dtype=np.int64)


@pytest.mark.parametrize(
    ("offered", "tool", "ruling"),
    [
        ([True, True, True], -1, NOT_OFFERED),  # -1 would be the last tool of a row
        ([False, False, True], -1, NOT_OFFERED),
        ([True, True, False], 2, NOT_OFFERED),
        ([True, False, True], 1, NOT_OFFERED),
        ([True, False, True], 0, ADMITTED),
        ([True, False, True], 2, NO_RECORD),
    ],
)
def test_only_an_offered_tool_of_the_world_may_run(offered, tool, ruling):
    release = np.array([False, False, True])
    found = rulings(np.array([tool]), np.array([offered]), release, NOBODY, NOBODY, OPTIONS)
    assert found.tolist() == [ruling]


@dataclass(frozen=True)
class Babbling:
    """Names what is no tool of any world."""

    name: str = "babbling"

    def decide(self, batch):
        return [Answer("sesame")] * len(batch)


@pytest.mark.parametrize("design", ["plain", "careless"])
def test_an_unknown_name_does_not_run_the_last_tool_though_it_is_offered(design):
    world = parse_world(
        "{name: cave, facts: [a, b], tools: {dig: {grants: [a]}, open: {grants: [b]}}, "
        "task: {goal: b}}"
    )
    cast = [loop.Player(resolver.design(design), Babbling())]
    results = loop.run(world, cast, [Episode()], max_ticks=2, backend="interpreter")
    assert shown(results)[:2] == [(1, "refused", "sesame"), (2, "refused", "sesame")]
    assert results.final_facts[0] == 0
    assert results.counts.acts[0, 0] == 0


# --------------------------------------------------------------------------- the membrane off


def careless(text: str, *faults: Fault) -> list[tuple[int, str, str]]:
    return shown(play(parse_world(text), "careless", *faults, max_ticks=4))


OPENED = """
name: opened
facts: [{key: true}, lamp, open]
tools:
  light: {grants: [lamp]}
  unlock: {requires: [key, lamp], grants: [open]}
task: {goal: open and key}
"""


def test_the_control_arm_sees_the_facts_that_hold_as_well_as_those_it_was_told_of():
    rows = careless(OPENED, Fault("light", Mode.LIE))
    assert rows == [(1, "believed", "light"), (2, "believed", "unlock"), (2, "done", "done")]


def test_the_control_arm_believes_a_reported_failure():
    rows = careless(OPENED, Fault("light", Mode.FAIL, times=1), Fault("unlock", Mode.FAIL, times=1))
    assert [row[:2] for row in rows] == [
        (1, "failure"),
        (2, "believed"),
        (3, "failure"),
        (4, "believed"),
        (4, "done"),
    ]


WASHED = """
name: washed
facts: [{dirty: true}, soap]
tools:
  fetch: {grants: [soap]}
  wash: {requires: [soap, dirty], revokes: [dirty, soap]}
task: {goal: not dirty and not soap}
"""


def test_the_control_arm_believes_that_what_a_tool_takes_away_is_gone():
    rows = careless(WASHED, Fault("wash", Mode.LIE), Fault("fetch", Mode.LIE))
    assert rows == [(1, "believed", "fetch"), (2, "believed", "wash"), (2, "done", "done")]


def test_the_control_arm_believes_the_last_report_of_a_fact():
    text = WASHED.replace("not dirty and not soap", "not dirty and soap")
    rows = careless(text, Fault("wash", Mode.LIE), Fault("fetch", Mode.LIE))
    assert [action for _, _, action in rows] == ["fetch", "wash", "fetch", "done"]


# ------------------------------------------------------------------ several runs at once


def acts_of(tools, verdicts, *, success=None, tick=1):
    size = len(tools)
    return Acts(
        tick=tick,
        runs=np.arange(size),
        tools=np.array(tools),
        success=np.ones(size, dtype=bool) if success is None else np.array(success),
        crashed=np.zeros(size, dtype=bool),
        verdicts=np.array([VERDICTS.index(verdict) for verdict in verdicts]),
        probes=np.zeros(size, dtype=bool),
    )


def test_each_run_has_a_record_of_its_own():
    layer = open_layer(WORKSHOP.brief, LayerOptions(), 3)
    for tick, verdicts in enumerate([[LANDED, MISSING, LANDED], [LANDED, LANDED, MISSING]], 1):
        layer.judge(acts_of([ONE, ONE, TWO], verdicts, tick=tick))
    landed, judged = layer.ledger.record(np.arange(3))
    assert landed.tolist() == [2, 1, 1]
    assert judged.tolist() == [2, 2, 2]


def test_failures_are_counted_one_by_one():
    book = Book()
    book.act(MISSING, success=False)
    book.act(MISSING, success=False)
    assert book.column("failures") == 2


def test_a_lifted_quarantine_ends_in_the_log_of_its_own_runs_only():
    layer = open_layer(WORKSHOP.brief, LayerOptions(), 2)
    acts = acts_of([ONE, ONE], [MISSING, MISSING], tick=3)
    layer.distrust(acts, layer.judge(acts))
    layer.ledger.lift(np.array([1]), 5)
    (entry,) = layer.ledger.quarantines
    assert entry.until.tolist() == [6, 4]
    assert layer.ledger.hidden(np.arange(2), 5)[:, ONE].tolist() == [True, False]
    assert layer.ledger.hidden(np.arange(2), 4)[:, ONE].tolist() == [True, True]


def test_a_carried_ledger_is_a_copy_with_what_was_left_of_each_quarantine():
    layer = open_layer(WORKSHOP.brief, LayerOptions(), 3)
    acts = acts_of([ONE, TWO, ONE], [MISSING, MISSING, LANDED], success=[True, False, True], tick=4)
    layer.distrust(acts, layer.judge(acts))
    carried = layer.ledger.carried(np.array([5, 6, 9]))
    (entry,) = carried.quarantines
    columns = (entry.runs, entry.tools, entry.until, entry.lies)
    assert [column.tolist() for column in columns] == [[0, 1], [ONE, TWO], [2, 1], [True, False]]
    assert entry.tick == 0
    for tick, hidden in ((1, [True, True, False]), (2, [True, False, False]), (3, [False] * 3)):
        shown = carried.hidden(np.arange(3), tick)
        assert [bool(row.any()) for row in shown] == hidden
    assert carried.attempts.tolist() == layer.ledger.attempts.tolist()
    assert not carried.failed_in_row.any()
    layer.judge(acts_of([ONE, ONE, ONE], [LANDED] * 3, tick=5))
    assert carried.attempts.tolist() != layer.ledger.attempts.tolist()


def test_a_carried_lie_may_still_be_probed_once():
    layer = open_layer(WORKSHOP.brief, LayerOptions(), 1)
    acts = acts_of([ONE], [MISSING], tick=4)
    layer.distrust(acts, layer.judge(acts))
    carried = layer.ledger.carried(np.array([5]))
    assert carried.take_probe(0, ONE, 1)
    assert not carried.take_probe(0, ONE, 2)


# ------------------------------------------------------------------ the membrane off


def test_with_the_membrane_off_nothing_is_probed():
    bypass = open_layer(WORKSHOP.brief, LayerOptions(membrane=False), 1)
    acts = acts_of([ONE], [MISSING])
    bypass.distrust(acts, bypass.judge(acts))
    assert not bypass.admit_probe(0, ONE, words_of([0], 3), 2)


def test_with_the_membrane_off_a_seat_without_a_route_has_nothing_to_wait_for():
    results = play(WORKSHOP, "careless", seat="script:one")
    assert shown(results) == [(1, "believed", "one"), (2, "handed-off", "hand off")]


def test_a_refusal_says_why():
    options = LayerOptions(release_min_landed=2, release_min_share=0.25)
    assert reason(NOT_OFFERED, options) == "not offered"
    assert reason(NO_RECORD, options) == (
        "a release needs 2 landed effects and a landed share of 0.25"
    )
