"""Provenance: what an entry holds to be true, and whose promise it answers."""

from __future__ import annotations

import pytest

from creatura.protocols import Verdict
from creatura.regulators.hybrid import Hybrid
from creatura.regulators.measures.provenance import Known, SharedMemory, answered, promised
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    PATCH,
    SHIP,
    TEST,
    A,
    act,
    after,
    landing,
    lie,
)


@pytest.mark.parametrize(
    ("event", "known", "held"),
    [
        (landing(PATCH), Known.READ, True),
        (act(PATCH, Verdict.LANDED, success=False), Known.READ, True),
        (act(PATCH, Verdict.BELIEVED), Known.TOLD, True),
        (lie(PATCH), Known.READ, False),
        (act(PATCH, Verdict.PARTIAL), Known.READ, False),
        (act(PATCH, Verdict.MISSING, success=False), Known.TOLD, False),
    ],
)
def test_an_entry_says_whether_its_claim_came_true(event, known, held):
    (entry,) = answered(BRIEF, 1, event)
    assert (entry.known, entry.held) == (known, held)


def written(*events) -> SharedMemory:
    entries = (entry for tick, event in enumerate(events) for entry in answered(BRIEF, tick, event))
    return SharedMemory(16).after(*entries)


def test_doubt_is_the_share_of_what_was_read_that_contradicted_the_report():
    memory = written(lie(PATCH), landing(PATCH), landing(PATCH), landing(PATCH), landing(CONFIG))
    assert (memory.doubt(PATCH), memory.doubt(CONFIG), memory.doubt(SHIP)) == (0.25, 0.0, 0.0)


def test_a_promise_is_waited_for_by_its_own_tool_only():
    memory = written(landing(PATCH)).after(promised(BRIEF, 2, TEST))
    waits = {tool.id: memory.waits_for(tool) for tool in (PATCH, TEST, SHIP)}
    assert waits == {"patch": False, "test": True, "ship": False}


def test_two_promises_may_stand_side_by_side():
    memory = SharedMemory(16).after(promised(BRIEF, 1, TEST)).after(promised(BRIEF, 2, PATCH))
    assert [entry.about for entry in memory.entries] == ["test", "patch"]


def test_a_memory_of_one_entry_keeps_the_last():
    design = Hybrid(shared_memory=True, memory_length=1)
    memory = after(design, (lie(PATCH), 0), (landing(CONFIG), A))
    assert [entry.about for entry in memory.shared.entries] == ["config"]


def test_a_shared_memory_keeps_sixteen_entries_unless_told_otherwise():
    memory = after(Hybrid(shared_memory=True), *[(landing(CONFIG), 0)] * 20)
    assert len(memory.shared.entries) == 16
