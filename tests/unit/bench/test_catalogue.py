"""Catalogue: what it says of a step, and which steps it holds to be near."""

from __future__ import annotations

from bench.catalogue import Takes, matching, nearest_steps
from tests.unit.bench.toy_pond import pond_steps

STEPS = {step.sentence: step for step in pond_steps()}


def test_a_step_is_described_from_its_docstring_and_its_parser() -> None:
    step = STEPS["Given a pond with <frogs> frogs"]
    assert (step.keyword, step.text) == ("Given", "a pond with <frogs> frogs")
    assert (step.meaning, step.example) == ("Digs a pond.", "Given a pond with 3 frogs")
    assert (step.makes, step.is_async, step.table) == ("pond", False, Takes.NO)


def test_a_step_says_where_its_function_stands() -> None:
    place = STEPS["Given a pond with <frogs> frogs"].place
    assert place.file.endswith("toy_pond.py")
    assert place.line is not None
    assert place.line > 1


def test_a_table_is_needed_unless_its_argument_has_a_default() -> None:
    assert STEPS["Given these frogs"].table is Takes.NEEDS
    assert STEPS["Given guests"].table is Takes.MAYBE
    assert STEPS["Given a letter"].text_block is Takes.NEEDS


def test_a_coroutine_is_known_for_one() -> None:
    assert [s.sentence for s in pond_steps() if s.is_async] == ["Given a heron that waits"]


def test_a_step_for_any_keyword_is_shown_without_one() -> None:
    step = STEPS["a pause"]
    assert step.keyword == "Any"
    assert all(step.is_for(keyword) for keyword in ("Given", "When", "Then"))


def test_a_sentence_is_matched_under_its_keyword_and_under_others() -> None:
    here, elsewhere = matching("When", "the pond has 2 frogs", pond_steps())
    assert here == ()
    assert [step.sentence for step in elsewhere] == ["Then the pond has <frogs> frogs"]


def test_the_nearest_step_is_the_one_whose_words_are_nearest() -> None:
    known = pond_steps()
    nearest = {
        "a pnd named 'x'": 'Given a pond named "<name>"',
        "12 frogs jumps in": "When <frogs> frogs jump in",
        "it rain on 5% of the pond": "When it rains on <share>% of the pond",
        "they are gone at tick 5": "Then they are gone by tick <tick>",
    }
    assert {text: nearest_steps("Given", text, known)[0].sentence for text in nearest} == nearest


def test_of_two_steps_as_near_the_one_under_the_right_keyword_comes_first() -> None:
    known = pond_steps()
    assert nearest_steps("Then", "a pond has 2 frogs", known)[0].keyword == "Then"


def test_nothing_is_near_a_sentence_of_other_words() -> None:
    assert nearest_steps("Given", "zzz", pond_steps()) == ()
