"""Arguments: what each blank reads, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from bench.arguments import BLANKS, Sentence, tidy


def read(blank: str, text: str) -> Any:
    """Reads one value in the middle of a sentence; None where the sentence has another form."""
    found = Sentence(f"before {{value:{blank}}} after").parse_arguments(f"before {text} after")
    return None if found is None else found["value"]


@pytest.mark.parametrize(
    ("blank", "text", "value"),
    [
        ("Name", '"ferry crossing"', "ferry crossing"),
        ("Name", '" Ferry "', "Ferry"),
        ("Name", "“ferry”", "ferry"),
        ("Name", "„ferry“", "ferry"),
        ("Names", '"plain"', ("plain",)),
        ("Names", '"plain", "hybrid" and "careless"', ("plain", "hybrid", "careless")),
        ("Count", "12", 12),
        ("Count", "1,000", 1000),
        ("Number", "-0.5", -0.5),
        ("Number", "3", 3.0),
        ("Tick", "1", 1),
        ("Ticks", "3, 5 and 8", (3, 5, 8)),
        ("Percent", "12.5%", 0.125),
        ("Percent", "100 %", 1.0),
        ("Times", "once", 1),
        ("Times", "Twice", 2),
        ("Times", "3 times", 3),
        ("Span", "7", (7, 7)),
        ("Span", "5 to 8", (5, 8)),
    ],
)
def test_a_blank_reads_its_value(blank: str, text: str, value: object) -> None:
    assert read(blank, text) == value


@pytest.mark.parametrize(
    ("blank", "text"),
    [
        ("Name", "ferry"),
        ("Names", '"a" or "b"'),
        ("Count", "1,00"),
        ("Count", "-1"),
        ("Number", "1e5"),
        ("Tick", "first"),
        ("Ticks", "3"),
        ("Percent", "50"),
        ("Times", "3"),
        ("Span", "5 to"),
    ],
)
def test_a_blank_leaves_what_does_not_look_like_it(blank: str, text: str) -> None:
    assert read(blank, text) is None


@pytest.mark.parametrize(
    ("blank", "text", "message"),
    [
        ("Name", '" "', "a name in quotes is empty"),
        ("Tick", "0", "ticks count from 1, found tick 0"),
        ("Ticks", "3, 0 and 5", "ticks count from 1, found tick 0"),
        ("Percent", "101%", "a share is at most 100%, found 101%"),
        ("Span", "8 to 5", "a span runs from low to high, found 8 to 5"),
    ],
)
def test_a_value_out_of_range_matches_and_is_then_refused(
    blank: str, text: str, message: str
) -> None:
    assert Sentence(f"{{value:{blank}}}").is_matching(text)
    with pytest.raises(ValueError, match=f"^{message}$"):
        read(blank, text)


def test_every_blank_is_shown_with_its_name() -> None:
    assert {kind: Sentence(f"{{x:{kind}}}").shown for kind in BLANKS} == {
        "Name": '"<x>"',
        "Names": '"<x>", "<...>"',
        "Count": "<x>",
        "Number": "<x>",
        "Tick": "<x>",
        "Ticks": "<x>, <...>",
        "Percent": "<x>%",
        "Times": "<x> times",
        "Span": "<x> to <x>",
    }


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a {thing}", "'a {thing}': '{thing:}' is no typed blank; known: Name, "),
        ("a {n:d}", "'a {n:d}': '{n:d}' is no typed blank; known: Name, "),
        ("a {n:Cuont}", "'a {n:Cuont}': '{n:Cuont}' is no typed blank; did you mean 'Count'?"),
    ],
)
def test_a_template_with_an_untyped_blank_is_refused(template: str, message: str) -> None:
    with pytest.raises(ValueError, match="no typed blank") as caught:
        Sentence(template)
    assert str(caught.value).startswith(message)


def test_what_stands_in_quotes_keeps_its_spaces_its_case_and_its_dots() -> None:
    sentence = Sentence("the note {note:Name}")
    assert sentence.parse_arguments('The  note "A  b. "') == {"note": "A  b."}


def test_three_dots_at_the_end_are_not_a_final_dot() -> None:
    assert tidy("and so on...") == "and so on..."
