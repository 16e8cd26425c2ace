"""Veto and note: what a person says to an agent."""

import pytest

from creatura.extensions.note import Note
from creatura.extensions.veto import Veto
from creatura.protocols import HandOff, Vetoed
from tests.unit.regulators.contexts import PATCH, after, at, lie

STUCK = HandOff("stuck")


def test_a_person_sends_the_task_back_as_often_as_said_and_then_takes_it():
    veto = Veto(times=2, why="try the other door")
    sent_back = (Vetoed("stuck", "try the other door"), 0)
    assert veto.veto(at(after(veto)), STUCK) == "try the other door"
    assert veto.veto(at(after(veto, sent_back)), STUCK) == "try the other door"
    assert veto.veto(at(after(veto, sent_back, sent_back)), STUCK) is None


def test_what_somebody_else_sent_back_or_an_act_uses_no_patience():
    veto = Veto()
    memory = after(veto, (Vetoed("stuck", "another reason"), 0), (lie(PATCH), 0))
    assert veto.veto(at(memory), STUCK) == "go on"


def test_a_note_says_what_was_written_at_every_tick():
    note = Note(text="the gate sticks")
    assert [note.note(at(None, tick=tick)) for tick in (1, 9)] == ["the gate sticks"] * 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Veto(times=0), "times is 1 or more, found 0"),
        (lambda: Veto(why=" "), "why is empty"),
        (lambda: Note(), "it needs something to say; write note"),
    ],
)
def test_options_that_mean_nothing_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
