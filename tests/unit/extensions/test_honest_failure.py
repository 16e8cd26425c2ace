"""Honest failure: a tool that says that it failed is no liar."""

import dataclasses

import pytest

from creatura.extensions.honest_failure import HonestFailure
from creatura.protocols import Verdict
from tests.unit.regulators.contexts import CONFIG, PATCH, act, after, at, failure, landing, lie

EXTENSION = HonestFailure()


@pytest.mark.parametrize(
    ("event", "is_hidden"),
    [
        (failure(PATCH), False),
        (lie(PATCH), True),
        (act(PATCH, Verdict.LANDED, success=False), False),
        (act(PATCH, Verdict.PARTIAL), False),
    ],
)
def test_only_a_reported_failure_is_taken_at_its_word(event, is_hidden):
    assert EXTENSION.rejudge(at(0), event) is is_hidden


def test_a_partial_effect_that_the_layer_hides_stays_hidden():
    partial = dataclasses.replace(act(PATCH, Verdict.PARTIAL, success=False), is_quarantined=True)
    assert EXTENSION.rejudge(at(0), partial)


def test_the_note_names_the_tools_whose_last_word_was_a_failure():
    memory = after(EXTENSION, (failure(PATCH), 0), (failure(CONFIG), 0))
    assert EXTENSION.note(at(memory)) == "failed and said so: patch, config"
    memory = after(EXTENSION, (failure(PATCH), 0), (failure(CONFIG), 0), (landing(PATCH), 1))
    assert EXTENSION.note(at(memory)) == "failed and said so: config"
    assert EXTENSION.note(at(after(EXTENSION, (lie(PATCH), 0)))) == ""
