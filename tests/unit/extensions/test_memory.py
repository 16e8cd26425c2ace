"""Memory: which records are carried, and what the note says of earlier cases."""

import pytest

from creatura.extensions.memory import Memory, Past
from creatura.protocols import Carried, Passed, Verdict, Vetoed, Waited
from tests.unit.regulators.contexts import BRIEF, CONFIG, PATCH, act, at, landing, lie

EXTENSION = Memory()


def played(memory, *events):
    """What a case leaves, an event a tick."""
    for tick, event in enumerate(events, 1):
        memory = EXTENSION.record(at(memory, tick=tick), event)
    return memory


@pytest.mark.parametrize(
    ("extension", "carried"),
    [
        (Memory(), (Carried.LEDGER, Carried.DESIGN, Carried.OWN)),
        (Memory(ledger=False), (Carried.DESIGN, Carried.OWN)),
        (Memory(design=False), (Carried.LEDGER, Carried.OWN)),
    ],
)
def test_its_options_say_which_records_go_on(extension, carried):
    assert extension.carries == carried


def test_the_first_case_has_nothing_to_note():
    memory = played(Past(), lie(PATCH), landing(CONFIG))
    assert EXTENSION.note(at(Past(), tick=1)) == ""
    assert EXTENSION.note(at(memory, tick=3)) == ""


def test_the_second_case_is_told_of_the_first_all_through():
    first = EXTENSION.wake(BRIEF, played(Past(), lie(PATCH), landing(CONFIG)))
    told = "in 1 earlier case: patch landed 0 of 1, lied once; config landed 1 of 1"
    assert EXTENSION.note(at(first, tick=1)) == told
    assert EXTENSION.note(at(played(first, landing(PATCH)), tick=2)) == told


def test_cases_add_up_and_say_how_many_they_are():
    memory = Past()
    for _ in range(3):
        memory = EXTENSION.wake(BRIEF, played(memory, lie(PATCH), act(PATCH, Verdict.PARTIAL)))
    told = "in 3 earlier cases: patch landed 0 of 6, lied 3 times"
    assert EXTENSION.note(at(memory, tick=1)) == told


def test_only_acts_count():
    for event in (Vetoed("stuck", "go on"), Waited(), Passed()):
        assert played(Past(), event) == Past()
