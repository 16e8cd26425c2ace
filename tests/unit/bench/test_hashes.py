"""Hashes: change one thing of a run, and see exactly which of its eight hashes move."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

import creatura
from bench.matrix import Case, Player
from bench.runner import cast_of, run_hashes_of
from creatura import vfs
from creatura.world import HASHED, Fault, Mode, World, parse_world

QUAY = """
name: quay
roles: [planner]
extents: {items: {a: crate, b: crate}, pairs: [[0, 1], [1, 0]]}
tokens: {meter: 4}
facts: [moored, {calm: "swell <= 0.5"}, unloaded]
variables:
  swell: {type: scalar, range: [0.0, 1.0], initial: 0.25, readable_by: [agent, engine, vtc], exposed_to: [agent]}
  fatigue: {scope: agent, type: scalar, range: [0.0, 1.0], initial: 0.0}
  weight: {scope: item, profile: crate, type: scalar, initial: 8.0, metadata: {unit: tonnes}}
  trust: {scope: pair, type: scalar, initial: 0.0}
tools:
  moor: {grants: [moored]}
  unload: {requires: [moored], grants: [unloaded], release: true, cost: 0.5}
rules:
  - id: wind
    phase: apply_passive_depletion
    condition: moored
    writes: [{target: swell, expression: 0.125, composition: additive_delta, clamp: [0.0, 0.75], priority: 1}]
  - id: work
    phase: apply_passive_depletion
    writes: [{target: fatigue, expression: 0.25, composition: additive_delta}]
  - id: rest
    phase: apply_passive_depletion
    writes: [{target: fatigue, expression: 0.5, composition: multiplicative_modifier}]
task: {title: unload the ship, goal: unloaded, obligations: [moored, unloaded]}
faults: [{tool: moor, mode: lie, once: true}]
barriers: {strike: [{tool: moor, mode: fail}]}
"""  # noqa: E501
CASE = Case("quay", (Player("plain", "bfs"), Player("plain", "bfs")), max_ticks=20)
SCHEMA, START, LAYOUT = "variable_schema", "initial_state", "layout"
ACTIONS, RULES = "action_schema", "transition_graph"

# What is changed: (this, into this, what moves besides `vfs` and `run`).
WORLDS: Mapping[str, tuple[str, str, set[str]]] = {
    "a variable's name": ("fatigue", "tiredness", {SCHEMA, START, RULES}),
    "a variable's type": (
        "{scope: pair, type: scalar, initial: 0.0}",
        "{scope: pair, type: int, initial: 0}",
        {SCHEMA, START},
    ),
    "a variable's scope": ("fatigue: {scope: agent,", "fatigue: {scope: agent_private,", {SCHEMA}),
    "a variable's lifetime": ("trust: {", "trust: {lifetime: persistent, ", {SCHEMA}),
    "the range of a variable": ("trust: {", "trust: {range: [-1.0, 1.0], ", {SCHEMA}),
    "the range of one that rules write": (
        "fatigue: {scope: agent, type: scalar, range: [0.0, 1.0]",
        "fatigue: {scope: agent, type: scalar, range: [0.0, 2.0]",
        {SCHEMA, RULES},
    ),
    "who may read a variable": ("trust: {", "trust: {readable_by: [planner, vtc], ", {SCHEMA}),
    "who may write a variable": ("trust: {", "trust: {writable_by: [planner, vtc], ", {SCHEMA}),
    "who is shown a variable": ("vtc], exposed_to: [agent]", "vtc]", {LAYOUT}),
    "how a variable is scaled": (
        "exposed_to: [agent]}",
        "exposed_to: [agent], normalization: {kind: none}}",
        {LAYOUT},
    ),
    "the tokens that are kept": ("meter: 4", "meter: 5", {LAYOUT}),
    "where a variable starts": ("initial: 0.25", "initial: 0.375", {START}),
    "where one of the items starts": ("metadata", "initial_at: {b: 9.0}, metadata", {START}),
    "how many items there are": ("b: crate", "b: crate, c: crate", {SCHEMA}),
    "which agents know which": ("[[0, 1], [1, 0]]", "[[0, 1]]", {SCHEMA}),
    "a variable more": ("  trust:", "  hope: {type: bool, initial: false}\n  trust:", {SCHEMA, START}),  # noqa: E501
    "what a tool needs": ("unload: {requires: [moored]", "unload: {requires: []", {ACTIONS}),
    "what a tool leaves": ("moor: {grants: [moored]}", "moor: {grants: [moored], revokes: [unloaded]}", {ACTIONS, RULES}),  # noqa: E501
    "what a tool costs": ("cost: 0.5", "cost: 0.75", {ACTIONS, RULES}),
    "whether a tool ships": (", release: true", "", {ACTIONS}),
    "what a tool writes": (
        "moor: {grants: [moored]}",
        "moor: {grants: [moored], writes: [{target: swell, expression: 0.5, composition: max}]}",
        {RULES},
    ),
    "a tool's name": ("unload: {requires", "land: {requires", {ACTIONS}),
    "what a rule adds": ("expression: 0.125", "expression: 0.25", {RULES}),
    "when a rule applies": ("condition: moored", "condition: not moored", {RULES}),
    "a rule's phase": ("rest\n    phase: apply_passive_depletion", "rest\n    phase: apply_modulations", {RULES}),  # noqa: E501
    "how a rule's write is composed": ("composition: multiplicative_modifier", "composition: max", {RULES}),  # noqa: E501
    "a write's bounds": ("[0.0, 0.75]", "[0.0, 0.5]", {RULES}),
    "the goal": ("goal: unloaded", "goal: moored and unloaded", {SCHEMA, RULES}),
    "the order of the obligations": ("[moored, unloaded]", "[unloaded, moored]", {SCHEMA, RULES}),
    "what a fact is": ("swell <= 0.5", "swell <= 0.25", {SCHEMA, RULES}),
}  # fmt: skip
_TWO = (
    "    writes: [{target: fatigue, expression: 0.25, composition: additive_delta}]\n",
    "    writes: [{target: fatigue, expression: 0.5, composition: multiplicative_modifier}]\n",
)
UNMOVED: Mapping[str, tuple[str, str]] = {
    "a rule's name": ("id: wind", "id: storm"),
    "notes on a variable": ("unit: tonnes", "unit: kilograms"),
    "the task's title": ("unload the ship", "unload her"),
    "a barrier that nobody switched on": ("tool: moor, mode: fail", "tool: moor, mode: lie"),
    "a remark": ("name: quay", "# by the sea\nname: quay"),
    "brackets in an expression": ("expression: 0.125", 'expression: "(0.125)"'),
    "the order of a tool's keys": ("{requires: [moored], grants: [unloaded],", "{grants: [unloaded], requires: [moored],"),  # noqa: E501
}  # fmt: skip


def changed(old: str, new: str) -> World:
    assert old in QUAY, old
    return parse_world(QUAY.replace(old, new))


def hashes_of(world: World, case: Case = CASE) -> dict[str, str]:
    (run,) = run_hashes_of(world, cast_of(case, "test"), [case])
    return {**world.hashes, "run": run}


def moved_by(world: World, case: Case = CASE) -> set[str]:
    before, after = hashes_of(parse_world(QUAY)), hashes_of(world, case)
    return {name for name in before if before[name] != after[name]}


def test_there_are_eight_and_each_is_said_in_words() -> None:
    assert len(hashes_of(parse_world(QUAY))) == 8
    assert set(HASHED) == set(parse_world(QUAY).hashes)


@pytest.mark.parametrize("what", WORLDS)
def test_a_change_of_a_world_moves_these_hashes_and_no_others(what: str) -> None:
    old, new, moves = WORLDS[what]
    assert moved_by(changed(old, new)) == moves | {"vfs", "run"}


@pytest.mark.parametrize("what", UNMOVED)
def test_what_no_row_follows_from_moves_nothing(what: str) -> None:
    assert moved_by(changed(*UNMOVED[what])) == set()


def test_two_writes_that_meet_move_the_rules_when_they_are_swapped() -> None:
    one, two = _TWO
    swapped = QUAY.replace(one, "?").replace(two, one).replace("?", two)
    assert moved_by(parse_world(swapped)) == {RULES, "vfs", "run"}


def test_another_payload_moves_the_token_types_of_every_world(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = hashes_of(parse_world(QUAY))
    wider = {**vfs.tokens.PAYLOADS, vfs.schema.TokenType.EFFECT: ("presence", "strength", "age")}
    monkeypatch.setattr(vfs.tokens, "PAYLOADS", MappingProxyType(wider))
    after = hashes_of(parse_world(QUAY))
    moved = {name for name in before if before[name] != after[name]}
    assert moved == {"token_type_schema", "vfs", "run"}


def test_what_is_not_of_the_world_moves_the_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    quay = parse_world(QUAY)
    fault = Fault("unload", Mode.FAIL)
    others = {
        "seed": Case("quay", CASE.cast, seed=1, max_ticks=20),
        "episode": Case("quay", CASE.cast, episode=1, max_ticks=20),
        "ticks": Case("quay", CASE.cast, max_ticks=21),
        "faults": Case("quay", CASE.cast, (fault,), max_ticks=20),
        "a design": Case("quay", (Player("hybrid", "bfs"), CASE.cast[1]), max_ticks=20),
        "a seat": Case("quay", (CASE.cast[0], Player("plain", "script:moor")), max_ticks=20),
    }
    for what, case in others.items():
        assert moved_by(quay, case) == {"run"}, what
    assert moved_by(changed("mode: lie", "mode: fail")) == {"run"}
    before = hashes_of(quay)
    monkeypatch.setattr(creatura, "__version__", "99.0")
    after = hashes_of(quay)
    assert {name for name in before if before[name] != after[name]} == {"run"}
