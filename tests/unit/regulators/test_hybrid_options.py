"""Hybrid: its leaky bus, shared memory and gated levels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura.protocols import (
    CRASHED,
    Arrived,
    Busy,
    Goal,
    HandOff,
    Judged,
    JudgeRule,
    LayerOptions,
    Report,
    Reverted,
    Slots,
    Verdict,
    Waited,
)
from creatura.regulators.hybrid import Hybrid, Memory
from creatura.regulators.measures.coherence import Claims
from creatura.regulators.measures.gates import Gates
from creatura.regulators.measures.provenance import Entry, Known, SharedMemory
from creatura.regulators.measures.stages import Ladder, Standing
from creatura.results import Results
from creatura.world import Fault, Mode
from tests.property.strategies import faults, worlds
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    SHIP,
    TEST,
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
from tests.worlds import LIE, play, restore_service

LEAKY = Hybrid(leak=0.5)
SHARING = Hybrid(shared_memory=True)
GATED = Hybrid(gate_levels=True)
ALL = Hybrid(leak=0.5, derive_set_points=True, shared_memory=True, gate_levels=True)


def chosen(results: Results) -> list[str]:
    return [row.action for row in results.trace.rows(0) if row.kind == "decided"]


# ---------------------------------------------------------------------------- the leaky bus


@pytest.mark.parametrize(
    ("claims", "facts", "leak", "stress"),
    [
        (Claims(), 0, 0.5, 0.5),
        (Claims(), A, 0.6, 0.4),
        (Claims(3, 1), A | B, 0.3, 0.25 + 0.1),
        (Claims(1, 3), 0, 1.0, 1.0),
        (Claims(3, 1), A | B | C, 0.5, 0.25),  # the contract is met: nothing is left to leak
    ],
)
def test_the_organism_feels_its_incoherence_and_what_leaks_of_the_open_obligations(
    claims, facts, leak, stress
):
    design = Hybrid(leak=leak)
    memory = replace(design.begin(BRIEF), claims=claims)
    assert design.error(at(memory, facts)) == pytest.approx(stress)


def test_a_missing_effect_is_felt_by_the_tissue_and_by_no_one_further_off():
    memory = after(LEAKY, (landing(PATCH), A), (lie(TEST), A))
    (row,) = LEAKY.tell(at(memory, A), Waited())
    # Open 2/3, and half the mean of a cell in trouble and a record that is half contradicted.
    assert (row.level, row.stress) == ("tissue", pytest.approx(min(1.0, 2 / 3 + 0.5 * 0.75)))
    assert LEAKY.error(at(memory, A)) == pytest.approx(0.5 + 0.5 * 2 / 3)


def test_the_cell_starts_calm():
    (row,) = LEAKY.tell(at(LEAKY.begin(BRIEF), A | B), Waited())
    assert (row.level, row.stress) == ("tissue", pytest.approx(1 / 3))


def test_the_cell_is_calm_again_once_an_effect_is_there():
    troubled = after(LEAKY, (lie(PATCH), 0))
    assert troubled.is_missing
    assert LEAKY.record(at(troubled, 0), Waited()).is_missing
    assert not LEAKY.record(at(troubled, A), landing(CONFIG)).is_missing
    assert not LEAKY.record(at(troubled, A), act(CONFIG, Verdict.VACUOUS)).is_missing


def test_a_contract_without_parts_is_felt_as_a_whole():
    either = replace(BRIEF, goal=Goal("a or b", ((A, 0), (B, 0)), 0), obligations=())
    for design in (LEAKY, replace(LEAKY, derive_set_points=True)):
        memory = design.begin(either)
        assert design.error(at(memory)._replace(brief=either)) == 0.5
        assert design.error(at(memory, A)._replace(brief=either)) == 0.0


def test_the_row_of_a_met_contract_shows_no_stress():
    rows = list(play(restore_service(), "hybrid(leak=0.5)", LIE).trace.rows(0))
    (met,) = [row for row in rows if row.action == "contract met"]
    assert (met.level, met.stress) == ("organism", 0.0)
    assert met.freedom == pytest.approx(0.1 + 0.9 * (1 / 6 + 0.5 / 6))


@pytest.mark.parametrize("leak", [-0.1, 1.1])
def test_a_leak_is_a_share(leak):
    with pytest.raises(ValueError, match="leak is from 0 to 1"):
        Hybrid(leak=leak)


# ---------------------------------------------------------------------------- shared memory


def told(*happened) -> SharedMemory:
    memory = after(SHARING, *happened)
    assert memory.shared is not None
    return memory.shared


def quoted(*happened) -> list[str]:
    return [entry.render() for entry in told(*happened).entries]


def test_every_entry_says_who_wrote_it_when_and_how_it_is_known():
    part = act(TEST, Verdict.PARTIAL)
    crash = Judged(SHIP, Report(False, CRASHED), Verdict.MISSING, False, True, False)
    assert quoted(
        (failure(PATCH), 0), (lie(CONFIG), 0), (landing(PATCH), A), (part, A), (crash, A)
    ) == [
        "tick 1, cell, the tool said so itself: patch failed, and admitted it",
        "tick 2, cell, read from the facts: config reported success, and a is missing",
        "tick 2, organism, read from the facts: organism fell from stage 3 to stage 2",
        "tick 3, cell, read from the facts: patch brought a",
        "tick 4, cell, read from the facts: test reported success, and part of b is missing",
        "tick 5, cell, the tool said so itself: ship crashed",
        "tick 5, organism, read from the facts: organism fell from stage 2 to stage 1",
    ]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (act(PATCH, Verdict.VACUOUS), []),
        (
            act(PATCH, Verdict.LANDED, success=False),
            ["tick 1, cell, read from the facts: patch brought a, though it reported failure"],
        ),
        (
            act(PATCH, Verdict.BELIEVED),
            ["tick 1, cell, the tool said so itself: patch reported a, and nobody looked"],
        ),
        (
            act(UNDO, Verdict.LANDED),
            ["tick 1, cell, read from the facts: undo brought not a"],
        ),
        (Waited(), []),
    ],
)
def test_what_the_cell_writes_of_an_act(event, words):
    assert quoted((event, 0)) == words


def test_the_organism_writes_when_it_rises():
    climbing = [(landing(PATCH), A)] * 5
    assert quoted(*climbing)[-1] == (
        "tick 5, organism, read from the facts: organism rose from stage 3 to stage 4"
    )


def test_a_promise_stands_from_the_tick_it_was_made_until_the_act_is_answered():
    at_work = [(Busy(TEST), A), (Busy(TEST), A)]
    assert quoted(*at_work) == ["tick 1, tissue, promised: test is to bring b"]
    assert quoted(*at_work, (Busy(SHIP), A))[0] == "tick 1, tissue, promised: test is to bring b"
    assert quoted(*at_work, (landing(TEST), A | B)) == [
        "tick 3, cell, read from the facts: test brought b"
    ]


def test_only_what_the_facts_contradicted_sinks_a_tool():
    tools = (PATCH, CONFIG, TEST)

    def order(design: Hybrid, *happened) -> list[str]:
        return [tool.id for tool in design.shape(at(after(design, *happened)), tools)]

    assert order(SHARING, (failure(PATCH), 0)) == ["patch", "config", "test"]
    assert order(Hybrid(), (failure(PATCH), 0)) == ["config", "test", "patch"]
    assert order(SHARING, (lie(PATCH), 0)) == ["config", "test", "patch"]
    mixed = (lie(PATCH), 0), (landing(PATCH), A), (lie(CONFIG), 0)
    assert order(SHARING, *mixed) == ["test", "patch", "config"]


def test_a_tool_that_admits_its_failure_is_asked_again():
    fails = Fault("apply-patch", Mode.FAIL, times=1)
    layer = LayerOptions(judge_rule=JudgeRule.REPORT_FIRST)
    again, round_it = (
        chosen(play(restore_service(), replace(design, layer=layer), fails))[3]
        for design in (SHARING, Hybrid())
    )
    assert (again, round_it) == ("apply-patch", "apply-config")


def test_the_memory_is_bounded_and_forgets_the_oldest_first():
    design = Hybrid(shared_memory=True, memory_length=2)
    memory = after(design, (lie(PATCH), 0), (landing(CONFIG), A), (landing(TEST), A | B))
    assert [entry.about for entry in memory.shared.entries] == ["config", "test"]
    assert memory.shared.doubt(PATCH) == 0.0
    with pytest.raises(ValueError, match="memory_length is 1 or more, found 0"):
        Hybrid(memory_length=0)


def test_the_seat_reads_entries_with_their_provenance():
    assert SHARING.seat(at(SHARING.begin(BRIEF))).endswith(" Shared memory: empty.")
    memory = after(SHARING, (failure(PATCH), 0), (landing(CONFIG), A))
    assert SHARING.seat(at(memory)).endswith(
        " Shared memory: tick 1, cell, the tool said so itself: patch failed, and admitted it; "
        "tick 2, cell, read from the facts: config brought a."
    )


def test_an_entry_says_how_many_cases_ago_it_was_written():
    entry = Entry("cell", 3, Known.READ, "patch", "brought a")
    once = SharedMemory(4, (entry,)).aged()
    ends = ": patch brought a"
    assert once.render() == f"1 case ago, tick 3, cell, read from the facts{ends}"
    assert once.aged().render() == f"2 cases ago, tick 3, cell, read from the facts{ends}"


# ---------------------------------------------------------------------------- gated levels


def gated(cell: dict[int, int] | None = None, tissue: int = 5, organism: int = 5) -> Memory:
    """A memory at these stages: the cell's by tool, 5 where none is given."""
    stands = tuple(Standing((cell or {}).get(i, 5)) for i in range(5))
    memory = replace(GATED.begin(BRIEF), standing=Standing(organism))
    return replace(memory, gates=Gates(stands, Standing(tissue)))


@pytest.mark.parametrize(
    ("memory", "ceiling"),
    [
        (gated(), 0.95),
        (gated(organism=2), 0.50),
        (gated(tissue=1), 0.30),
        (gated({PATCH.index: 4}), 0.80),
        (gated({PATCH.index: 4, TEST.index: 1}), 0.30),
        (gated({SHIP.index: 2}), 0.95),  # it may not be used, so it needs no room
    ],
)
def test_the_lowest_of_the_levels_that_an_act_concerns_caps_freedom(memory, ceiling):
    assert GATED.ceiling(at(memory)) == ceiling
    assert GATED.freedom(at(memory), 1.0) == ceiling


def test_a_tool_that_is_not_visible_takes_no_room():
    memory = gated({TEST.index: 1})
    assert GATED.ceiling(at(memory, offered=1 << PATCH.index)) == 0.95


def test_without_gates_the_organism_alone_caps_freedom():
    memory = replace(Hybrid().begin(BRIEF), standing=Standing(4))
    assert Hybrid().ceiling(at(memory)) == 0.80
    assert Hybrid().freedom(at(memory), 0.1) == pytest.approx(0.19)


def test_the_cell_stands_with_each_tool_by_itself():
    memory = after(GATED, (lie(PATCH), 0), (landing(CONFIG), A), (lie(PATCH), A))
    assert memory.gates is not None
    assert [standing.stage for standing in memory.gates.cell] == [2, 3, 3, 3, 3]
    assert memory.gates.cell[CONFIG.index].hits == 1


def test_the_tissue_stands_by_whether_its_acts_bring_it_nearer():
    nearer = after(GATED, *[(landing(PATCH), A), (landing(TEST), A | B)])
    assert nearer.gates.tissue == Standing(3, hits=2, predictions=2)
    # Both effects landed, and neither closed anything.
    aside = after(GATED, (landing(UNDO), 0), (landing(UNDO), 0))
    assert aside.gates.tissue.stage == 2
    assert aside.standing.stage == 3
    untested = after(GATED, (act(PATCH, Verdict.VACUOUS), 0), (Waited(), 0))
    assert untested.gates == GATED.begin(BRIEF).gates


@pytest.mark.parametrize(
    ("stage", "kept"),
    [(3, ["patch", "ship", "undo"]), (2, ["patch", "undo"]), (1, ["patch"])],
)
def test_the_cell_holds_back_what_its_standing_with_a_tool_forbids(stage, kept):
    memory = gated({PATCH.index: stage, SHIP.index: stage, UNDO.index: stage})
    assert [tool.id for tool in GATED.shape(at(memory), (PATCH, SHIP, UNDO))] == kept


def test_the_hand_off_names_what_is_held_back():
    (row,) = GATED.tell(at(gated({SHIP.index: 2})), HandOff("no route"))
    assert row.detail == "no route; the cell holds back ship"
    (row,) = GATED.tell(at(gated({SHIP.index: 2, UNDO.index: 1})), HandOff("no route"))
    assert row.detail == "no route; the cell holds back ship, undo"
    (row,) = GATED.tell(at(gated()), HandOff("no route"))
    assert row.detail == "no route"


@pytest.mark.parametrize(("stage", "tissue", "cell"), [(1, 1, 3), (3, 3, 3), (5, 5, 5)])
def test_every_tool_starts_at_a_standing_that_lets_it_be_used(stage, tissue, cell):
    gates = Hybrid(stage=stage, gate_levels=True).begin(BRIEF).gates
    assert gates == Gates((Standing(cell),) * 5, Standing(tissue))


# ---------------------------------------------------------------------------- together


@pytest.mark.parametrize("option", ["derive_set_points", "shared_memory", "gate_levels"])
def test_an_option_leaves_no_trace_in_the_memory_where_it_is_off(option):
    fields = {"derive_set_points": "points", "shared_memory": "shared", "gate_levels": "gates"}
    off, on = Hybrid().begin(BRIEF), Hybrid(**{option: True}).begin(BRIEF)
    assert getattr(off, fields[option]) is None
    assert getattr(on, fields[option]) is not None


class Watched(Slots):
    """The whole hybrid, with an eye on its freedom and on what it shows."""

    name, layer = ALL.name, ALL.layer
    begin, wake, record, tell = ALL.begin, ALL.wake, ALL.record, ALL.tell
    error, stop, seat, sleep = ALL.error, ALL.stop, ALL.seat, ALL.sleep

    def freedom(self, context, error):
        freedom = ALL.freedom(context, error)
        gates, ladder = context.memory.gates, Ladder()
        caps = [ladder.cap(context.memory.standing.stage), ladder.cap(gates.tissue.stage)]
        assert 0.0 <= freedom <= min(caps)
        assert freedom <= ALL.ceiling(context)
        return freedom

    def shape(self, context, offered):
        shaped = ALL.shape(context, offered)
        assert set(shaped) <= set(offered)
        assert all(context.memory.gates.may_use(tool) for tool in shaped)
        return shaped


@given(st.data())
@settings(max_examples=40)
def test_with_every_option_on_freedom_keeps_below_every_cap(data):
    world = data.draw(worlds())
    play(world, Watched(), *data.draw(faults(world)), seeds=(0, 1), max_ticks=15)


@pytest.mark.parametrize(
    ("event", "stress", "detail"),
    [
        (Reverted(PATCH, ("a", "b")), 1.0, "set point lost again: a, b"),
        (Arrived(PATCH, ("a",)), 0.0, "effect after all: a"),
    ],
)
def test_the_cell_tells_what_comes_of_an_act_later(event, stress, detail):
    (row,) = Hybrid().tell(at(Hybrid().begin(BRIEF)), event)
    assert (row.level, row.stress, row.action, row.detail) == ("cell", stress, "patch", detail)
