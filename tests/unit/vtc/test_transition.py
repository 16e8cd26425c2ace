"""Transitions: which changes move the hash, and what the tables promise."""

from __future__ import annotations

from typing import Any

import pytest

from creatura.errors import Place
from creatura.vfs import Extents, Registry, VariableSpec, build_roster
from creatura.vtc import PHASES, RuleSpec, Transition, WriteSpec, compile_transition
from creatura.vtc.composition import COMPOSITIONS
from creatura.vtc.emission import MEANINGS as TEXTS
from creatura.vtc.interpreter import MEANINGS as FUNCTIONS
from creatura.vtc.lowering import KINDS
from creatura.vtc.operators import AMBIENT, OPERATORS, Operator


def variable(name: str, **fields: Any) -> VariableSpec:
    return VariableSpec(**{"id": name, "type": "int", "initial": 0, **fields})


def rule(name: str = "one", **fields: Any) -> RuleSpec:
    defaults = {"target": "x", "expression": "x + 1", "composition": "last_write_wins"}
    own = {key: fields.pop(key) for key in list(fields) if key in WriteSpec.model_fields}
    write = WriteSpec(**{**defaults, **own})
    return RuleSpec(**{"id": name, "phase": "apply_modulations", "writes": [write], **fields})


def compiled(*rules: RuleSpec, **changes: Any) -> Transition:
    roster = build_roster([variable(name, **changes.get(name, {})) for name in ("x", "y")])
    return compile_transition(roster, rules)


ONE, TWO = rule(), rule("two", expression="x * 2")


@pytest.mark.parametrize(
    "same",
    [
        compiled(rule("renamed"), TWO),
        compiled(rule(place=Place("worlds/other.yaml", 8)), TWO),
        compiled(rule(expression="(x) + 1"), TWO),
        compiled(ONE, TWO, x={"metadata": {"note": "steps"}}),
        compiled(ONE, rule("two", expression="x * 2", priority=3)),
    ],
)
def test_what_changes_nothing_moves_no_hash(same: Transition) -> None:
    assert same.hash == compiled(ONE, TWO).hash


@pytest.mark.parametrize(
    "other",
    [
        compiled(ONE),
        compiled(TWO, ONE),
        compiled(rule(expression="1 + x"), TWO),
        compiled(rule(expression="x + 2"), TWO),
        compiled(rule(phase="compute_rewards"), TWO),
        compiled(rule(condition="y > 0"), TWO),
        compiled(rule(target="y"), TWO),
        compiled(rule(composition="additive_delta"), TWO),
        compiled(rule(clamp=(0, 9)), TWO),
        compiled(rule(priority=1), TWO),
        compiled(ONE, TWO, x={"range": (0, 9)}),
        compiled(ONE, TWO, x={"type": "scalar"}),
        compiled(ONE, TWO, x={"scope": "agent"}),
        compiled(ONE, TWO, x={"lifetime": "tick"}),
    ],
)
def test_what_changes_a_step_moves_the_hash(other: Transition) -> None:
    assert other.hash != compiled(ONE, TWO).hash


def test_the_order_of_writes_that_do_not_meet_moves_no_hash() -> None:
    apart = rule("two", target="y", expression="y * 2")
    assert compiled(ONE, apart).hash == compiled(apart, ONE).hash


def test_there_are_eighteen_phases_and_each_can_hold_a_rule() -> None:
    assert len(PHASES) == len(set(PHASES)) == 18
    rules = [rule(phase, phase=phase, composition="additive_delta") for phase in PHASES]
    blocks = compiled(*rules).plan.blocks
    assert tuple(block.phase for block in blocks) == PHASES


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: f"{row.name} {row.spelling}")
def test_an_operator_does_what_its_example_says(row: Operator) -> None:
    text, value = row.example
    kind = {bool: "bool", int: "int", float: "scalar"}[type(value)]
    roster = build_roster(
        [
            variable("result", type=kind, initial=type(value)(0)),
            variable("is_open", type="bool", scope="agent", initial=False),
        ]
    )
    transition = compile_transition(
        roster,
        [RuleSpec(id="r", phase=PHASES[0], writes=[WriteSpec(target="result", expression=text)])],
    )
    registry = Registry(roster, Extents(1, 2))
    registry.lend("vtc", [], ["is_open"])["is_open"][0, 1] = True
    live = registry.get("is_open", "engine").numpy() | True
    transition.bind(registry, "interpreter").step(1, live)
    assert registry.get("result", "engine").tolist() == [value]


def test_each_row_of_the_tables_has_its_line_in_each_back_end() -> None:
    names = {row.name for row in OPERATORS}
    composed = {"clamp", "any", "all"}  # the kernel writes these out as comparisons and loops
    assert names | {"to_scalar"} == FUNCTIONS.keys()
    assert names - composed | {"to_scalar"} == TEXTS.keys()
    assert {row.means for row in COMPOSITIONS.values()} - {None} <= names
    assert all(row.doc for row in (*OPERATORS, *COMPOSITIONS.values()))
    assert AMBIENT.keys() == {"tick"}
    assert KINDS.keys() == {"rule"}
