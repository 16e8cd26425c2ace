"""World files: the sugar says what it should, and every mistake has its line and a way out."""

import json

import numpy as np
import pytest

from creatura.errors import AuthorError
from creatura.vfs import Extents, Registry
from creatura.world import Fault, Mode, load_world, parse_world
from creatura.world.expand import CALLED, SPENT
from tests.worlds import ferry, play, restore_service, shown

HEAD = """\
name: ferry
facts: [loaded, docked]
tools:
  load: {grants: [loaded]}
  sail: {requires: [loaded], grants: [docked]}
"""
TASK = "task: {goal: docked, obligations: [loaded, docked]}\n"

PAIRS = ("ab", "bc", "cd", "de", "ef", "fg")

BAD = {
    "unknown key of a tool": (
        HEAD.replace("grants: [loaded]", "grant: [loaded]") + TASK,
        ["ferry.yaml:4: tool 'load' has no key 'grant'; did you mean 'grants'?"],
    ),
    "unknown key at the top": (
        HEAD + TASK + "fault: []\n",
        ["ferry.yaml:7: the world has no key 'fault'; did you mean 'faults'?"],
    ),
    "unknown fact, each time": (
        HEAD.replace("requires: [loaded]", "requires: [loadd]")
        + "task: {goal: dokced, obligations: [loaded, dockd]}\n",
        [
            "ferry.yaml:5: tool 'sail' requires the unknown fact 'loadd'; did you mean 'loaded'?",
            "ferry.yaml:6: the task obliges the unknown fact 'dockd'; did you mean 'docked'?",
            "ferry.yaml:6: the task's goal: unknown fact 'dokced'; did you mean 'docked'?\n"
            "    dokced\n"
            "    ^",
        ],
    ),
    "no task": (HEAD, ["ferry.yaml:1: the world needs the key 'task'"]),
    "an empty task": (
        HEAD + "task: {title: sail}\n",
        ["ferry.yaml:6: 'task' needs a goal, or obligations, or both"],
    ),
    "a number for a list": (
        HEAD.replace("grants: [loaded]", "grants: 3") + TASK,
        ["ferry.yaml:4: 'grants' of tool 'load' should be a list, found 3"],
    ),
    "a word for a switch": (
        HEAD.replace("grants: [loaded]", "grants: [loaded], release: yes") + TASK,
        ["ferry.yaml:4: 'release' of tool 'load' should be true or false, found 'yes'"],
    ),
    "a negative cost": (
        HEAD.replace("grants: [loaded]", "grants: [loaded], cost: -1") + TASK,
        ["ferry.yaml:4: 'cost' of tool 'load' should be greater than or equal to 0, found -1"],
    ),
    "a tool that gives and takes": (
        HEAD.replace("grants: [loaded]", "grants: [loaded], revokes: [loaded]") + TASK,
        ["ferry.yaml:4: tool 'load' both grants and revokes 'loaded'"],
    ),
    "a fact twice": (
        HEAD.replace("[loaded, docked]", "[loaded, docked, loaded]") + TASK,
        ["ferry.yaml:2: fact 'loaded' is declared twice; the first is on line 2"],
    ),
    "a key twice": (
        HEAD + TASK + "name: again\n",
        ["ferry.yaml:7: key 'name' stands twice; the first is on line 1"],
    ),
    "a goal that counts": (
        HEAD + "task: {goal: loaded + docked}\n",
        [
            "ferry.yaml:6: the task's goal: a goal is made of facts with and, or, not; "
            "give anything else a name as a fact\n"
            "    loaded + docked\n"
            "    ^"
        ],
    ),
    "a fault of no tool": (
        HEAD + TASK + "faults: [{tool: sial, mode: lie}]\n",
        ["ferry.yaml:7: fault of the unknown tool 'sial'; did you mean 'sail'?"],
    ),
    "a fault of no mode": (
        HEAD + TASK + "faults: [{tool: sail, mode: cheat}]\n",
        [
            "ferry.yaml:7: 'mode' of fault 1 should be 'deliver', 'fail', 'lie', 'partial', "
            "'late', 'reverts', 'false_alarm', 'damage', 'crash', 'slow' or 'wrong', found 'cheat'"
        ],
    ),
    "a damage to nothing": (
        HEAD + TASK + "faults: [{tool: sail, mode: damage}]\n",
        ["ferry.yaml:7: fault 1 of mode 'damage' needs the key 'fact'"],
    ),
    "a damage to no fact": (
        HEAD + TASK + "faults: [{tool: sail, mode: damage, fact: laoded}]\n",
        ["ferry.yaml:7: fault with 'laoded', which is no stored fact; did you mean 'loaded'?"],
    ),
    "a fault with two schedules": (
        HEAD + TASK + "faults: [{tool: sail, mode: lie, once: true, times: 2}]\n",
        ["ferry.yaml:7: fault 1 takes one schedule, found once and times"],
    ),
    "a chance above one": (
        HEAD + TASK + "faults: [{tool: sail, mode: lie, probability: 1.5}]\n",
        ["ferry.yaml:7: 'probability' of fault 1 should be less than or equal to 1, found 1.5"],
    ),
    "a name with a blank": (
        HEAD.replace("name: ferry", "name: The Ferry") + TASK,
        [
            "ferry.yaml:1: 'name' is made of small letters, digits and single hyphens or "
            "underscores, at most 64, found 'The Ferry'"
        ],
    ),
    "a fact that is no id": (
        HEAD.replace("loaded", "is-loaded") + TASK.replace("loaded", "is-loaded"),
        None,
    ),
    "a fact that is a number": (
        HEAD + "variables: {loaded: {type: scalar, initial: 0.0}}\n" + TASK,
        [
            "ferry.yaml:2: fact 'loaded' is a variable of type scalar; a fact is a bool, "
            'or a predicate such as {loaded_is_high: "loaded >= 0.5"}'
        ],
    ),
    "a fact that the seat may not read": (
        HEAD
        + "variables: {loaded: {type: bool, initial: false, readable_by: [engine, vtc]}}\n"
        + TASK,
        [
            "ferry.yaml:2: fact 'loaded' must be readable by seat, effect_check, critic, report; "
            "add to 'readable_by'"
        ],
    ),
    "a predicate nobody writes": (
        HEAD.replace("[loaded, docked]", '[loaded, {docked: "loaded"}]') + TASK,
        [
            "ferry.yaml:5: tool 'sail' cannot set 'docked', which is read off other variables; "
            "give it 'writes' that make it so"
        ],
    ),
    "no YAML": ("name: [ferry\n", ["ferry.yaml:2: is not well-formed YAML: "]),
    "a list": ("- ferry\n", ["ferry.yaml:1: the world must be `key: value` lines, found a list"]),
    "nothing": ("# only a comment\n", ["ferry.yaml: is empty"]),
    "a tag": (
        HEAD + TASK + "title: !!python/name:os x\n",
        ["ferry.yaml:7: tags such as !!python/name:os are not read; write the plain value"],
    ),
}


@pytest.mark.parametrize("case", list(BAD))
def test_every_mistake_is_named_with_its_place(case):
    text, expected = BAD[case]
    with pytest.raises(AuthorError) as error:
        parse_world(text, "ferry.yaml")
    found = [str(problem) for problem in error.value.problems]
    print("\n".join(found))
    if expected is None:
        assert all(line.startswith("ferry.yaml:") for line in found)
    else:
        assert len(found) == len(expected)
        for line, start in zip(found, expected, strict=True):
            assert line.startswith(start) if start.endswith(": ") else line == start


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: " + "[" * 50 + "]" * 50, "deep.yaml:1: is nested more than 40 levels deep"),
        (
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            + "".join(f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in PAIRS),
            "deep.yaml:1: holds more than 200,000 values, an alias counting as what it repeats",
        ),
    ],
)  # fmt: skip
def test_a_file_made_to_exhaust_the_reader_is_refused(text, message):
    with pytest.raises(AuthorError) as error:
        parse_world(text, "deep.yaml")
    assert str(error.value) == message


def test_words_that_older_yaml_took_for_switches_are_words():
    world = parse_world(
        "{name: light, facts: [lit], tools: {on: {grants: [lit]}, no: {revokes: [lit]}}, "
        "task: {goal: lit}}"
    )
    assert [tool.id for tool in world.brief.tools] == ["on", "no"]


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda p: None, "cannot be read: no such file or directory"),
        (lambda p: p.mkdir(), "cannot be read: is a directory"),
        (
            lambda p: p.write_bytes(b"name: \xff\xfe"),
            "is not UTF-8 text (byte 6); save it as UTF-8",
        ),
        (
            lambda p: p.write_text("#" * 4_000_001),
            "4,000,001 bytes is too large; at most 4,000,000 are read",
        ),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_sentence(tmp_path, write, message):
    path = tmp_path / "world.yaml"
    write(path)
    with pytest.raises(AuthorError) as error:
        load_world(path)
    assert str(error.value) == f"{path}: {message}"


def test_done_is_the_goal_and_every_obligation():
    goal = restore_service().brief.goal
    everything = 0b111111
    assert goal.is_met(everything)
    assert not any(goal.is_met(everything & ~(1 << fact)) for fact in range(6))


def test_a_goal_with_alternatives_is_met_by_any_of_them():
    goal = ferry(goal='"(docked and not loaded) or tickets_checked"').brief.goal
    closed = goal.obligations
    assert goal.is_met(closed)
    assert goal.clauses == ((0b1000, 0b0010), (0b0001, 0))


def test_a_predicate_is_a_fact_that_a_tool_can_make_true():
    world = parse_world(
        """
name: ward
facts: [{healthy: "health >= 0.9"}]
variables: {health: {type: scalar, range: [0, 1], initial: 0.7}}
tools:
  treat:
    grants: [healthy]
    writes: [{target: health, expression: 0.25, composition: additive_delta}]
rules:
  - id: decay
    phase: apply_passive_depletion
    writes: [{target: health, expression: -0.01, composition: additive_delta}]
task: {goal: healthy}
"""
    )
    assert shown(play(world)) == [(1, "landed", "treat"), (1, "done", "done")]


def test_what_an_agent_spends_is_counted_whether_or_not_the_call_lands():
    world = ferry()
    registry = Registry(world.roster, Extents(2, 1))
    bound = world.transition.bind(registry, backend="interpreter")
    winch = next(tool.index for tool in world.brief.tools if tool.id == "winch-ramp")
    registry.set(CALLED, np.array([[winch], [0]]), "engine", tick=1, who="test")
    bound.step(1, np.ones((2, 1), dtype=bool))
    assert registry.get(SPENT, "engine").flatten().tolist() == pytest.approx([0.2, 0.0])


def test_the_first_fault_that_is_due_decides_the_call():
    faults = (Fault("load-cars", Mode.FAIL, times=1), Fault("load-cars", Mode.LIE, times=1))
    results = play(ferry(), "hybrid(count_waiting=False)", *faults)
    kinds = [
        kind for _, kind, action in shown(results) if action == "load-cars" and kind != "decided"
    ]
    assert kinds == ["failure", "lie", "landed"]


def test_faults_may_stand_in_the_world_file():
    world = ferry("faults: [{tool: raise-ramp, mode: lie, once: true}]")
    results = play(world)
    assert [(t, k) for t, k, a in shown(results) if a == "raise-ramp"] == [(3, "lie")]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (Fault("sail", Mode.LIE, times=1, agent=1), "sail lies once for agent 1"),
        (Fault("sail", Mode.FAIL, times=3), "sail fails 3 times"),
        (Fault("sail", Mode.LIE, ticks=(2, 5)), "sail lies at tick 2, 5"),
        (Fault("sail", Mode.DELIVER, probability=0.25), "sail delivers with probability 0.25"),
        (Fault("sail", Mode.FAIL), "sail fails always"),
    ],
)
def test_a_fault_is_told_in_a_sentence(fault, sentence):
    assert str(fault) == sentence


def test_a_renamed_label_moves_no_hash_and_a_new_rule_moves_the_right_ones():
    write = "{target: loaded, expression: false, composition: min}"
    rule = "rules: [{id: %s, phase: apply_passive_depletion, writes: [" + write + "]}]"
    one, two, none = ferry(rule % "one"), ferry(rule % "two"), ferry()
    assert one.hashes == two.hashes
    moved = {name for name in one.hashes if one.hashes[name] != none.hashes[name]}
    assert moved == {"transition_graph", "vfs"}


def test_a_world_says_what_its_text_was_compiled_to(tmp_path):
    text = """
name: tank
facts: [{full: "level >= 0.8"}, tapped]
variables: {level: {type: scalar, initial: 0.5}}
tools: {tap: {requires: [full], grants: [tapped], release: true, cost: 2}}
task: {goal: tapped}
"""
    world = parse_world(text)
    specs = json.loads(json.dumps(world.specs))
    assert specs["variables"][0] | {"readable_by": [], "writable_by": []} == {
        "id": "level", "scope": "global", "type": "scalar", "dims": None, "labels": [],
        "profile": None, "lifetime": "episode", "range": None, "initial": 0.5, "initial_at": {},
        "token": None, "readable_by": [], "writable_by": [], "exposed_to": [],
        "normalization": None, "metadata": None, "expression": None,
    }  # fmt: skip
    assert [variable["id"] for variable in specs["variables"]] == list(world.roster.ids)
    assert specs["actions"] == [
        {"id": "tap", "requires": ["full"], "grants": ["tapped"], "revokes": [], "release": True,
         "cost": 2.0}
    ]  # fmt: skip
    assert specs["transition"]["hash"] == world.hashes["transition_graph"]
    assert "[tool tap]" in specs["transition"]["steps"]
    tokens = specs["tokens"]
    assert (tokens["hash"], tokens["role"]) == (world.hashes["layout"], "agent")
    assert tokens["width"] == sum(t["capacity"] * len(t["payload"]) for t in tokens["types"])
    assert [b["type"] for b in tokens["bindings"]] == ["self", "fact", "tool"]
    file = tmp_path / "tank.yaml"
    file.write_text(text, encoding="utf-8")
    loaded = load_world(file)
    assert loaded.text == world.text == text
    assert "facts" not in repr(loaded)
