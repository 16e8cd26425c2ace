"""Rosters: what a declaration may say, what is refused, and which hash a change moves."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from creatura.errors import AuthorError, Place
from creatura.vfs import VariableSpec, build_roster
from creatura.vtc.operators import AMBIENT, OPERATORS

ENERGY: dict[str, Any] = {
    "id": "energy",
    "scope": "agent",
    "type": "scalar",
    "range": (0.0, 1.0),
    "initial": 0.5,
}


def declared(**fields: Any) -> VariableSpec:
    return VariableSpec(**{"place": Place("worlds/farm.yaml", 4), **fields})


def refusal(*specs: VariableSpec) -> str:
    with pytest.raises(AuthorError) as caught:
        build_roster(specs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"id": "Low-Fuel", "initial": False},
            "'Low-Fuel' has an id that is no name: a-z, then a-z, 0-9 and '_'; write 'low_fuel'",
        ),
        (
            {"id": "a" * 65, "initial": False},
            f"'{'a' * 57}...' has an id of 65 characters; 64 at most",
        ),
        (
            {"id": "tick", "initial": False},
            "'tick' has the id of a word of the rule language; choose another",
        ),
        (
            {"id": "x", "scope": "group", "initial": False},
            "'x' has scope 'group', and the world has no groups; say under 'extents' which: groups",
        ),
        (
            {"id": "x", "type": "vecNf", "initial": 0.0},
            "'x' has type 'vecNf' and no dims; say how long it is: dims: 4",
        ),
        (
            {"id": "x"},
            "'x' has neither initial nor expression; give one, such as initial: false",
        ),
        (
            {"id": "x", "initial": False, "expression": "true"},
            "'x' is derived (it has an expression) and has an initial value; drop one of them",
        ),
        ({"id": "x", "initial": 1}, "'x' has initial 1, which is no bool; write true or false"),
        (
            {"id": "x", "type": "int", "initial": True},
            "'x' has initial true, which is a bool; a value of type int is a number",
        ),
        (
            {"id": "x", "type": "int", "initial": 1.5},
            "'x' has initial 1.5, which is no int; drop the fraction or declare type: scalar",
        ),
        (
            {"id": "x", "type": "int", "initial": 2**63},
            "'x' has initial 9223372036854775808, which does not fit in 64 bits",
        ),
        (
            {"id": "x", "type": "scalar", "initial": float("nan")},
            "'x' has initial .nan, which is not finite in 32 bits",
        ),
        (
            {"id": "x", "type": "scalar", "initial": 1e39},
            "'x' has initial 1e+39, which is not finite in 32 bits",
        ),
        (
            {**ENERGY, "initial": 2.0},
            "'energy' has initial 2.0, which is outside its range [0.0, 1.0]",
        ),
        (
            {**ENERGY, "range": (1.0, 0.0)},
            "'energy' has range [1.0, 0.0]; write the lower end first: [0.0, 1.0]",
        ),
        (
            {**ENERGY, "range": (0.0, float("inf"))},
            "'energy' has range [0.0, inf], of which inf is not finite in 32 bits",
        ),
        (
            {"id": "x", "initial": True, "range": (0, 1)},
            "'x' is bool and has a range; drop the range",
        ),
        (
            {"id": "x", "initial": True, "readable_by": ("",)},
            "'x' has '' in readable_by, which is no role name: a-z, then a-z, 0-9 and '_'",
        ),
        (
            {"id": "x", "initial": True, "writable_by": ("vtc", "vtc")},
            "'x' names role 'vtc' twice in writable_by",
        ),
        (
            {"id": "x", "initial": True, "exposed_to": ("agents",)},
            "'x' has 'agents' in exposed_to, which is no role of this world; did you mean 'agent'?",
        ),
    ],
)
def test_a_mistaken_declaration_gets_its_answer(fields: dict[str, Any], message: str) -> None:
    assert refusal(declared(**fields)) == f"worlds/farm.yaml:4: variable {message}"


def test_every_problem_of_a_roster_is_reported_at_once() -> None:
    first = declared(id="fuel", initial=False)
    again = declared(id="fuel", initial=False, place=Place("worlds/farm.yaml", 9))
    wrong = declared(id="x", initial=1, range=(0, 1), place=Place("worlds/farm.yaml", 12))
    assert refusal(first, again, wrong).split("\n") == [
        "worlds/farm.yaml:9: variable 'fuel' is declared already, at worlds/farm.yaml:4; "
        "rename one or drop it",
        "worlds/farm.yaml:12: variable 'x' is bool and has a range; drop the range",
        "worlds/farm.yaml:12: variable 'x' has initial 1, which is no bool; write true or false",
    ]


@pytest.mark.parametrize(
    "fields", [{"rnge": (0, 1)}, {"dims": "two"}, {"scope": "planet"}, {"range": (False, True)}]
)
def test_an_unknown_key_or_kind_is_no_declaration(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        declared(**{"id": "x", **fields})


def test_dotted_and_long_ids_are_names() -> None:
    roster = build_roster(
        [declared(id="task.goal", expression="x"), declared(id="x", initial=True)]
    )
    assert roster.ids == ("task.goal", "x")
    assert build_roster([declared(id="a" * 64, initial=True)]).ids == ("a" * 64,)


def test_no_variable_can_be_called_what_the_rule_language_says() -> None:
    words = {row.spelling for row in OPERATORS if row.spelling.isalpha()} | set(AMBIENT)
    for word in words:
        assert "a word of the rule language" in refusal(declared(id=word, initial=False)), word


SCHEMA, INITIAL, NEITHER = "schema", "initial", "neither"


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({"id": "vigour"}, {SCHEMA, INITIAL}),
        ({"scope": "global"}, {SCHEMA}),
        ({"lifetime": "tick"}, {SCHEMA}),
        ({"range": (0.0, 2.0)}, {SCHEMA}),
        ({"range": None}, {SCHEMA}),
        ({"readable_by": ("vtc",)}, {SCHEMA}),
        ({"writable_by": ("engine", "vtc")}, {SCHEMA}),
        ({"exposed_to": ("engine",)}, set()),
        ({"initial": 0.25}, {INITIAL}),
        ({"metadata": {"note": "how awake"}}, set()),
        ({"place": Place("worlds/other.yaml", 1)}, set()),
    ],
)
def test_a_change_moves_exactly_its_hash(change: dict[str, Any], moves: set[str]) -> None:
    before, after = (build_roster([declared(**ENERGY | more)]) for more in ({}, change))
    moved = {SCHEMA} if before.schema_hash != after.schema_hash else set()
    moved |= {INITIAL} if before.initial_hash != after.initial_hash else set()
    assert moved == moves


def test_a_derived_expression_is_part_of_the_schema() -> None:
    one, two = (build_roster([declared(id="d", expression=text)]) for text in ("true", "false"))
    assert one.schema_hash != two.schema_hash
    assert one.initial_hash == two.initial_hash
