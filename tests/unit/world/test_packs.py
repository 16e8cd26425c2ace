"""Packs: a structure is what is left without names, and a split holds names out."""

from __future__ import annotations

import random
import re

import pytest
import yaml

from creatura import resolver
from creatura.errors import AuthorError
from creatura.vtc.syntax import ExpressionError
from creatura.world import (
    Pack,
    Signature,
    World,
    check_split,
    grammar_of,
    load_world,
    parse_world,
    signature_of,
)
from creatura.world.packs import names_of

MILL = """
name: mill
title: grind the corn
facts:
  - corn_brought
  - sluice_open
  - {wheel_turns: "flow >= 0.5 and sluice_open"}
  - {paid: false}
  - ground
variables:
  flow: {type: scalar, range: [0, 1], initial: 0.2}
  dust: {type: int, scope: agent, initial: 0}
tools:
  bring-corn: {grants: [corn_brought]}
  open-sluice:
    requires: [corn_brought]
    grants: [sluice_open]
    writes: [{target: flow, expression: 0.6, composition: additive_delta}]
  crank-sluice: {requires: [corn_brought], grants: [sluice_open], cost: 0.5}
  grind: {requires: [wheel_turns], grants: [ground], revokes: [corn_brought]}
  pay: {requires: [ground], grants: [paid], release: true}
rules:
  - id: leak
    phase: apply_passive_depletion
    condition: sluice_open
    writes: [{target: flow, expression: -0.01, composition: additive_delta}]
  - id: dust settles
    phase: apply_modulations
    writes:
      - target: dust
        expression: "where(ground, 1, 0)"
        composition: additive_delta
        clamp: [0, 9]
      - {target: dust, expression: 2, composition: multiplicative_modifier, condition: paid}
task:
  goal: paid and not corn_brought or ground and paid
  obligations: [sluice_open, ground]
"""
NAMES = """mill corn_brought sluice_open wheel_turns paid ground flow dust bring-corn open-sluice
crank-sluice grind pay leak""".split()


def signature(text: str) -> Signature:
    return signature_of(parse_world(text, "mill.yaml"))


def renamed(text: str) -> str:
    for number, name in enumerate(NAMES):
        text = re.sub(rf"(?<![\w-]){name}(?![\w-])", f"x{number}", text)
    return text.replace("dust settles", "second rule").replace("grind the corn", "some title")


def reordered(text: str, seed: int) -> str:
    """Declares facts, variables, tools and what each tool needs in another order."""
    rng, world = random.Random(seed), yaml.safe_load(text)
    for tool in world["tools"].values():
        tool.get("requires", []).reverse()
    rng.shuffle(world["facts"])
    for key in ("variables", "tools"):
        world[key] = dict(rng.sample(list(world[key].items()), len(world[key])))
    return yaml.safe_dump(world, sort_keys=False)


# --------------------------------------------------------------------------- signatures


def test_a_renamed_world_has_the_same_signature():
    assert renamed(MILL) != MILL
    assert signature(renamed(MILL)) == signature(MILL)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_declarations_is_no_structure(seed):
    assert signature(reordered(MILL, seed)) == signature(MILL)


def test_what_looks_alike_may_be_declared_in_any_order():
    alike = "\n".join(f"  t{i}: {{requires: [f{i}], grants: [f{(i + 1) % 6}]}}" for i in range(6))
    ring = f"""
name: ring
facts: [f0, f1, f2, f3, f4, f5, end]
variables: {{}}
tools:
{alike}
  finish: {{requires: [f0, f1, f2, f3, f4, f5], grants: [end]}}
task: {{goal: end}}
"""
    assert signature(ring).is_exact
    for seed in range(6):
        assert signature(reordered(ring, seed)) == signature(ring)
    two_rings = ring.replace("grants: [f0]", "grants: [f3]").replace(
        "requires: [f2], grants: [f3]", "requires: [f2], grants: [f0]"
    )
    assert signature(two_rings) != signature(ring)


def test_a_signature_holds_no_name():
    held = signature(MILL).text
    found = [name for name in NAMES if re.search(rf"(?<![\w-]){name}(?![\w-])", held)]
    assert found == []


KETTLE = """
name: kettle
facts: [full, {hot: "heat >= 80"}]
variables: {heat: {type: int, initial: 20}}
tools:
  fill: {grants: [full]}
  boil:
    requires: [full]
    grants: [hot]
    cost: 1
    writes: [{target: heat, expression: 70, composition: additive_delta}]
task: {goal: hot}
"""


def test_a_signature_is_read_by_people():
    assert signature(KETTLE).text.splitlines() == [
        "v1: global bool, lasts episode, fact, derived",
        "v2: global bool, lasts episode, fact, starts false",
        "v3: global int, lasts episode, starts 20",
        "w1: apply_action_effects v3 additive_delta 70 by each agent by t2",
        "w2: derived v1 overwrite ge(v3, 80)",
        "t1: tool; grants v2",
        "t2: tool, cost 1.0; requires v2; grants v1",
        "task: obliges v1, goals 1; goal 1 needs v1",
    ]


# What is written, what is written instead.
CHANGES = {
    "an edge": ("grind: {requires: [wheel_turns]", "grind: {requires: [sluice_open]"),
    "a missing edge": ("requires: [corn_brought]\n", "requires: []\n"),
    "who is taken away": ("revokes: [corn_brought]", "revokes: [sluice_open]"),
    "a release": ("release: true", "release: false"),
    "a cost": ("cost: 0.5", "cost: 0.25"),
    "a constant of a predicate": ("flow >= 0.5", "flow >= 0.6"),
    "an operator": ("flow >= 0.5", "flow > 0.5"),
    "a constant of a rule": ("expression: -0.01", "expression: -0.02"),
    "a composition": ("-0.01, composition: additive_delta", "-0.01, composition: min"),
    "a phase": ("phase: apply_passive_depletion", "phase: apply_modulations"),
    "a rule's condition": ("condition: sluice_open", "condition: corn_brought"),
    "a write's condition": ("modifier, condition: paid", "modifier, condition: ground"),
    "a clamp": ("clamp: [0, 9]", "clamp: [0, 8]"),
    "a scope": ("scope: agent, ", ""),
    "a type": ("type: int, scope: agent, initial: 0", "type: scalar, scope: agent, initial: 0.0"),
    "a range": ("range: [0, 1]", "range: [0, 2]"),
    "an initial value": ("initial: 0.2", "initial: 0.3"),
    "a fact that holds at the start": ("{paid: false}", "{paid: true}"),
    "a lifetime": ("type: scalar, range", "type: scalar, lifetime: persistent, range"),
    "who reads it": ("scope: agent,", "scope: agent, readable_by: [vtc, engine, agent],"),
    "an obligation": ("obligations: [sluice_open, ground]", "obligations: [sluice_open]"),
    "the order of obligations": ("[sluice_open, ground]", "[ground, sluice_open]"),
    "a goal": ("and not corn_brought or", "and not wheel_turns or"),
    "the order of goals": (
        "paid and not corn_brought or ground and paid",
        "ground and paid or paid and not corn_brought",
    ),
    "what a tool writes": ("expression: 0.6", "expression: 0.7"),
    "which tool writes": (
        "cost: 0.5}",
        "cost: 0.5, writes: [{target: flow, expression: 0.6, composition: additive_delta}]}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_structure_changes_the_signature(change):
    old, new = CHANGES[change]
    assert MILL.count(old) == 1
    changed = signature(MILL.replace(old, new))
    assert changed != signature(MILL)
    assert changed.hash != signature(MILL).hash
    assert signature(renamed(MILL.replace(old, new))) == changed


NO_CHANGES = {
    "a title": ("title: grind the corn", "title: another day"),
    "notes": ("initial: 0.2}", "initial: 0.2, metadata: {unit: share}}"),
    "a barrier": ("task:\n", "barriers: {jam: [{tool: grind, mode: lie, once: true}]}\ntask:\n"),
    "a fault": ("task:\n", "faults: [{tool: grind, mode: fail, once: true}]\ntask:\n"),
    "a grant written out": (
        "cost: 0.5}",
        "cost: 0.5, writes: [{target: sluice_open, expression: true, composition: max}]}",
    ),
    "how high a priority is": ("expression: -0.01,", "expression: -0.01, priority: 3,"),
}  # fmt: skip


@pytest.mark.parametrize("change", NO_CHANGES)
def test_what_is_no_structure_leaves_the_signature(change):
    old, new = NO_CHANGES[change]
    assert MILL.count(old) == 1
    assert signature(MILL.replace(old, new)) == signature(MILL)


TANK = """
name: tank
facts: [{full: "level >= 1"}]
variables: {level: {type: scalar, initial: 0.5}}
tools: {pump: {grants: [full], writes: [{target: level, expression: 1, composition: max}]}}
rules:
  RULES
task: {goal: full}
"""


def change(name: str, expression: float, composition: str) -> str:
    write = f"{{target: level, expression: {expression}, composition: {composition}}}"
    return f"- {{id: {name}, phase: apply_modulations, writes: [{write}]}}"


ADD = change("add", 0.1, "additive_delta")
DROP = change("drop", -0.2, "additive_delta")
HALVE = change("halve", 0.5, "multiplicative_modifier")


def test_writes_that_commute_have_no_order_and_others_do():
    def of(*rules: str) -> Signature:
        return signature(TANK.replace("RULES", "\n  ".join(rules)))

    assert of(ADD, DROP) == of(DROP, ADD)
    assert of(ADD, HALVE) != of(HALVE, ADD)
    assert of(ADD, DROP, HALVE) == of(DROP, ADD, HALVE)
    assert of(ADD, HALVE, DROP) != of(ADD, DROP, HALVE)


def test_a_rule_that_asks_which_tool_is_called_follows_the_tool_not_its_position():
    text = """
name: bell
facts: [rung, heard]
variables: {times: {type: int, scope: agent, initial: 0}}
tools:
  ring: {grants: [rung]}
  listen: {requires: [rung], grants: [heard]}
rules:
  - id: count
    phase: apply_action_costs
    condition: "call.tool == 0 or call.tool == -1"
    writes: [{target: times, expression: 1, composition: additive_delta}]
task: {goal: heard}
"""
    swapped = reordered(text, 1)
    assert swapped.index("listen") < swapped.index("ring:")
    assert signature(swapped) != signature(text)
    assert signature(swapped.replace("call.tool == 0", "call.tool == 1")) == signature(text)
    counted = text.replace("call.tool == 0", "call.tool < 1")
    assert "number 1" in signature(counted).text
    assert signature(counted) != signature(counted.replace("call.tool < 1", "call.tool < 2"))


def test_no_two_world_files_have_one_structure():
    worlds = [load_world(resolver.world_file(name)) for name in resolver.worlds()]
    assert len({signature_of(world).hash for world in worlds}) == len(worlds)


def test_beyond_the_bound_renamed_worlds_still_never_differ():
    ring = "\n".join(f"  t{i}: {{requires: [f{i}], grants: [f{(i + 1) % 6}]}}" for i in range(6))
    text = f"""
name: ring
facts: [f0, f1, f2, f3, f4, f5, end]
variables: {{}}
tools:
{ring}
  finish: {{grants: [end]}}
task: {{goal: end}}
"""
    coarse = signature_of(parse_world(text), max_tries=5)
    assert not coarse.is_exact
    assert coarse.text.startswith("beyond the search bound")
    for seed in range(6):
        assert signature_of(parse_world(reordered(text, seed)), max_tries=5) == coarse


# --------------------------------------------------------------------------- grammar


@pytest.mark.parametrize(
    ("expression", "skeleton"),
    [
        ("moisture >= 0.6", "ge(number1, 0.6)"),
        ("is_open and not is_wet | is_open", "and(bool1, not(or(bool2, bool1)))"),
        ("where(is_open, flow, 0.0) / rate", "div(where(bool1, number2, 0.0), number3)"),
        ("is_open == false", "eq(bool1, false)"),
        ("tick == deadline", "eq(tick, number1)"),
        ("a != b", "ne(value1, value2)"),
        ("a != b and b", "and(ne(value1, bool2), bool2)"),
        ("any(fed) != (level > 2)", "ne(any(bool1), gt(number2, 2))"),
        ("-abs(x) + where(c, x, y)", "add(neg(abs(number1)), where(bool2, number1, number3))"),
        ("true", "true"),
        ("lone", "value1"),
    ],
)
def test_a_grammar_keeps_operators_and_constants(expression, skeleton):
    assert grammar_of(expression) == skeleton


def test_a_grammar_of_no_expression_is_refused_at_its_column():
    with pytest.raises(ExpressionError, match="closed") as refused:
        grammar_of("max(a, (b")
    assert refused.value.at == 7


# --------------------------------------------------------------------------- splits


def kettle(fact: str, tool: str, meter: str, file: str, floor: int = 80) -> World:
    """The kettle under other names."""
    text = KETTLE.replace("80", str(floor)).replace("fill", f"{tool}-first")
    names = {"kettle": file, "full": f"{fact}_first", "hot": fact, "boil": tool, "heat": meter}
    text = re.sub("|".join(names), lambda found: names[found.group()], text)
    return parse_world(text, f"{file}.yaml")


TRAIN = kettle("hot", "boil", "heat", "kettle")


def test_new_names_and_a_known_structure_are_a_split():
    pack = Pack((TRAIN,), (kettle("dry", "hang", "drought", "laundry"),))
    pack.check()


def test_names_of_the_engine_are_shared_by_all_and_count_for_none():
    assert names_of(TRAIN) == {
        "fact": ("hot_first", "hot"),
        "variable": ("heat",),
        "tool": ("boil-first", "boil"),
    }


def test_everything_wrong_with_a_split_is_said_at_once():
    shares = kettle("hot", "boil", "sun", "tea")
    strange = kettle("dry", "heat", "drought", "laundry", floor=70)
    with pytest.raises(AuthorError) as refused:
        check_split([TRAIN], [shares, strange])
    known = signature_of(strange).hash
    assert [str(problem) for problem in refused.value.problems] == [
        "tea.yaml: test world 'tea' shares names with train world 'kettle' (kettle.yaml): "
        "facts 'hot', 'hot_first'; tools 'boil', 'boil-first'; rename them in one of them",
        "laundry.yaml: test world 'laundry' shares names with train world 'kettle' (kettle.yaml): "
        "tool 'heat'; rename them in one of them",
        f"laundry.yaml: test world 'laundry' has a structure ({known}) that no train world has "
        "(kettle.yaml); train on a world of that structure, or leave this out",
    ]


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [([], [TRAIN], "has no train world"), ([TRAIN], [], "has no test world")],
)
def test_a_split_has_two_sides(train, test, message):
    with pytest.raises(AuthorError, match=f"the split: {message}; give it at least one"):
        check_split(train, test)


def test_train_worlds_may_share_names_and_have_structures_that_are_not_tested():
    other = kettle("hot", "boil", "heat", "pot", floor=60)
    check_split([TRAIN, other], [kettle("dry", "hang", "drought", "laundry")])
