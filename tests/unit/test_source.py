"""Source: hostile YAML gets a sentence and a line, and never a traceback."""

import pytest
from pydantic import BaseModel

from creatura.errors import AuthorError
from creatura.source import MAX_DEPTH, parse_yaml, validated


def problems(text: str) -> list[str]:
    with pytest.raises(AuthorError) as error:
        parse_yaml(text, "a.yaml")
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("0007", 7),
        ("0x1F", 31),
        ("0o17", 15),
        (str(2**63 - 1), 2**63 - 1),
        (str(-(2**63)), -(2**63)),
        ("'" + "9" * 5_000 + "'", "9" * 5_000),
        ("1.5", 1.5),
        ("no", "no"),
    ],
)
def test_a_scalar_is_read_as_the_core_schema_says(text, value):
    assert parse_yaml(f"a: {text}", "a.yaml").value == {"a": value}


@pytest.mark.parametrize("text", [str(2**63), str(-(2**63) - 1), "0x8000000000000000"])
def test_a_whole_number_beyond_64_bits_is_refused(text):
    found = problems(f"b: 1\na: {text}")
    assert found == [f"a.yaml:2: {text} is beyond 64 bits; quote it if it is text"]


@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_number_of_many_digits_is_shown_by_its_first(digits):
    found = problems(f"a: [1, {'9' * digits}]")
    assert found == [f"a.yaml:1: {'9' * 57}... is beyond 64 bits; quote it if it is text"]


def test_a_number_that_no_float_holds_is_told_before_a_model_sees_it():
    class Cost(BaseModel):
        cost: float

    with pytest.raises(AuthorError, match="beyond 64 bits"):
        validated(Cost, parse_yaml(f"cost: {'9' * 400}", "a.yaml"), "the tool")


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "a: &a [{b: [*a]}]"])
def test_a_value_that_contains_itself_is_refused(text):
    (found,) = problems(text)
    assert found == "a.yaml:1: contains itself, by an alias; write its values out"


def test_a_value_may_stand_in_several_places():
    assert parse_yaml("a: &a [1]\nb: [*a, *a]", "a.yaml").value == {"a": [1], "b": [[1], [1]]}


def test_aliases_cannot_nest_deeper_than_brackets():
    chain = "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 600))
    (found,) = problems(f"a0: &a0 [1]\n{chain}")
    assert found.endswith(f"is nested more than {MAX_DEPTH} levels deep")


def test_brackets_may_nest_as_deep_as_is_said_and_no_deeper():
    def nested(levels: int) -> str:
        return "[" * levels + "]" * levels

    parse_yaml(nested(MAX_DEPTH), "a.yaml")
    assert problems(nested(MAX_DEPTH + 1)) == [
        f"a.yaml:1: is nested more than {MAX_DEPTH} levels deep"
    ]


def test_a_byte_order_mark_moves_no_column():
    assert problems("\ufeffa: @b") == [
        "a.yaml:1: has a value that begins with '@'; put it in quotes"
    ]
