"""World commands: `creatura world show`, `check` and `diff`, for people and machines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.cli.diff_world import differences
from bench.cli.expanded_world import render_expanded
from creatura import resolver
from creatura.source import parse_yaml
from creatura.vfs import VariableSpec, build_roster
from creatura.vtc import RuleSpec, compile_transition
from creatura.world import load_world, parse_world
from creatura.world.population import ExtentsSpec
from tests.unit.bench.conftest import FERRY, Run

VILLAGE = Path(__file__).parents[2] / "golden" / "world" / "village.yaml"


# --------------------------------------------------------------------------- show


def test_people_see_tools_as_a_flow_and_rules_by_phase(creatura_world: Run) -> None:
    status, out, err = creatura_world("show", "water-board")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert (status, err) == (0, "")
    assert "4 gate_open → irrigate → field_wet writes moisture" in lines
    assert "5 field_wet → close-turn → turn_closed, not gate_open" in lines
    assert "moisture → field_wet = moisture >= 0.6" in lines
    assert "motor-lies open-gate lies once" in lines


def test_what_the_engine_adds_is_shown_only_on_demand(creatura_world: Run) -> None:
    _, plain, _ = creatura_world("show", "water-board")
    _, everything, _ = creatura_world("show", "water-board", "--all")
    for word in ("call.tool", "push.gate_open", "clamp_and_validate"):
        assert word not in plain
        assert word in everything


def test_machines_get_the_whole_portrait(creatura_world: Run) -> None:
    _, out, _ = creatura_world("show", "water-board", "--json")
    found = json.loads(out)
    assert found["facts"][0] == "turn_asked"
    assert found["tools"][4]["grants"] == ["field_wet"]
    (rule,) = [rule for rule in found["rules"] if rule["id"] == "evaporation"]
    assert (rule["reads"], rule["writes"]) == ([], ["moisture"])
    assert found["barriers"]["motor-lies"][0]["mode"] == "lie"


def test_a_picture_is_written_where_it_was_asked_for(creatura_world: Run, tmp_path: Path) -> None:
    file = tmp_path / "world.svg"
    assert creatura_world("show", "water-board", "--svg", str(file)) == (0, f"{file}\n", "")
    assert "<svg" in file.read_text()


def test_what_looks_like_markup_in_a_world_is_shown_as_written(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    name = world_file("odd.yaml", ("name: ferry", 'name: ferry\ntitle: "[red]x[/] :bug:"'))
    assert "ferry: [red]x[/] :bug:" in creatura_world("show", name)[1]


@pytest.mark.parametrize("words", [("show", "bred"), ("diff", "bread", "bred"), ("check", "bred")])
def test_an_unknown_world_is_answered_with_the_nearest_name(
    creatura_world: Run, words: tuple[str, ...]
) -> None:
    assert creatura_world(*words) == (
        2, "", "command line: unknown world 'bred'; did you mean 'bread'?\n",
    )  # fmt: skip


# --------------------------------------------------------------------------- expanded


@pytest.mark.parametrize("path", [*resolver.worlds(), VILLAGE], ids=lambda path: path.stem)
def test_roster_and_rules_can_be_built_again_from_the_full_text(path: Path) -> None:
    world = load_world(path)
    found = parse_yaml(render_expanded(world), "expanded").value
    specs = [VariableSpec(id=name, **body) for name, body in found["variables"].items()]
    holders = ExtentsSpec(**found["extents"]).holders()
    roster = build_roster(specs, holders, found["roles"])
    rules = [RuleSpec(**rule) for rule in found["rules"]]
    assert roster.schema_hash == world.roster.schema_hash
    assert roster.initial_hash == world.roster.initial_hash
    assert compile_transition(roster, rules).hash == world.transition.hash


def test_the_full_text_has_every_field_of_every_variable() -> None:
    world = load_world(VILLAGE)
    found = parse_yaml(render_expanded(world), "expanded").value
    fields = VariableSpec.model_fields.keys() - {"id", "place"}
    assert list(found["variables"]) == list(world.roster.ids)
    assert all(body.keys() == fields for body in found["variables"].values())


def test_the_full_text_does_not_depend_on_where_the_file_lies(tmp_path: Path) -> None:
    copy = tmp_path / "copy.yaml"
    copy.write_text(VILLAGE.read_text())
    assert render_expanded(load_world(copy)) == render_expanded(load_world(VILLAGE))


def test_text_that_reads_as_a_number_stays_text() -> None:
    world = parse_world(FERRY.replace('"fog * 0.5"', '"1e-5"').replace("title", ""))
    found = parse_yaml(render_expanded(world), "expanded").value
    (rule,) = [rule for rule in found["rules"] if rule["id"] == "clear-up"]
    assert rule["writes"][0]["expression"] == "1e-05"


# --------------------------------------------------------------------------- check


def test_every_packaged_world_is_beyond_doubt(creatura_world: Run) -> None:
    status, out, err = creatura_world("check", *[path.stem for path in resolver.worlds()])
    assert (status, err) == (0, "")
    assert "ok  water-board: 5 facts, 6 tools, vfs=" in out
    assert "warning" not in out


def test_a_broken_file_does_not_stop_the_others(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    bad = world_file("bad.yaml", ("{grants: [loaded]}", "{grant: [loaded]}"))
    good = world_file("good.yaml")
    status, out, err = creatura_world("check", bad, good, "nowhere.yaml")
    assert status == 2
    assert out.startswith("ok  ferry: 2 facts, 2 tools, vfs=")
    assert err.splitlines() == [
        "bad.yaml:6: tool 'load' has no key 'grant'; did you mean 'grants'?",
        "command line: unknown world 'nowhere.yaml'; known: bread, hidden_health, livestock, "
        "permit, restore_service, water_board",
    ]


def test_a_world_whose_start_cannot_be_computed_is_broken(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    change = ("tools:", '  vast: {type: scalar, expression: "fog * 3e38 * 9"}\ntools:')
    status, out, err = creatura_world("check", world_file("ferry.yaml", change), "bread")
    assert status == 2
    assert out.startswith("ok  bread: ")
    assert err.startswith("ferry.yaml: cannot be started: tick 0: rule 'derived.vast' ")


DOUBTS = {
    "a variable nobody reads": (
        ('"fog * 0.5"', "0.25"),
        "4: warning: variable 'fog' is read by no rule; use it somewhere, or drop it",
    ),
    "a variable nobody writes": (
        ('{target: fog, expression: "fog * 0.5"}', '{target: docked, expression: "fog > 2"}'),
        "4: warning: variable 'fog' is written by nothing and stays 0.5; give it a rule that "
        "writes it, or write the value where it is read",
    ),
    "a fact nobody needs": (
        ("loaded, docked]", "loaded, docked, {wet: true}]"),
        "2: warning: fact 'wet' is needed by no tool, no rule and not by the task; use it "
        "somewhere, or drop it",
    ),
    "a fact that always holds": (
        ("[loaded, docked]", "[{loaded: true}, docked]\n# x"),
        None,
    ),
    "a fact nobody grants": (
        ("load: {grants: [loaded]}", "load: {}"),
        "2: warning: fact 'loaded' is granted by no tool and does not hold at the start; grant "
        "it, or write {loaded: true}",
    ),
    "a tool that can never be offered": (
        ("load: {grants: [loaded]}", "load: {}"),
        "7: warning: tool 'sail' can never be offered: it requires 'loaded', which never holds; "
        "let a tool that can be called leave what is missing",
    ),
    "a predicate that nothing moves": (
        ("loaded, docked]", 'loaded, docked, {dry: "loaded and fog > 2"}, {low: "1 > 2"}]'),
        "2: warning: fact 'low' does not hold at the start, and nothing moves what it is read "
        "off; let a rule or a tool write one of the variables in its predicate",
    ),
    "a task that is done at the start": (
        ("loaded, docked]", "loaded, {docked: true}]"),
        "12: warning: the task is done at the start; ask for a fact that does not hold yet",
    ),
}


@pytest.mark.parametrize("case", list(DOUBTS))
def test_what_can_do_nothing_is_doubted_with_its_line_and_a_fix(
    creatura_world: Run, world_file: Callable[..., str], case: str
) -> None:
    change, line = DOUBTS[case]
    status, out, err = creatura_world("check", world_file("ferry.yaml", change))
    assert (status, err) == (0, "")
    found = [line.strip().removeprefix("ferry.yaml:") for line in out.splitlines()[1:]]
    assert (line in found) if line else (found == [])


def test_a_fact_is_not_doubted_for_a_tool_that_is_doubted_already(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    name = world_file("ferry.yaml", ("load: {grants: [loaded]}", "load: {}"))
    _, out, _ = creatura_world("check", name)
    assert not any("fact 'docked'" in line for line in out.splitlines())


def test_a_variable_that_is_only_exposed_is_read(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    seen = ("range: [0, 1]}", "range: [0, 1], exposed_to: [engine]}")
    _, out, _ = creatura_world("check", world_file("ferry.yaml", ('"fog * 0.5"', "0.25"), seen))
    assert len(out.splitlines()) == 1


@pytest.mark.parametrize("words", [(), ("show",), ("check",), ("diff",)])
def test_every_world_command_explains_itself(creatura_world: Run, words: tuple[str, ...]) -> None:
    status, out, err = creatura_world(*words, "--help")
    assert (status, err) == (0, "")
    assert "Usage:" in out


def test_a_sound_world_has_no_doubts(creatura_world: Run, world_file: Callable[..., str]) -> None:
    _, out, _ = creatura_world("check", world_file("ferry.yaml"))
    assert len(out.splitlines()) == 1


# --------------------------------------------------------------------------- diff


def test_equal_worlds_differ_in_nothing(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    a, b = world_file("a.yaml"), world_file("b.yaml", ("facts:", "# a remark\nfacts:"))
    assert creatura_world("diff", a, b) == (0, "nothing differs\n", "")
    assert creatura_world("diff", a, b, "--json") == (0, "[]\n", "")


def test_people_see_what_differs_section_by_section(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    changes = (
        ("initial: 0.5", "initial: 0.25"),
        ("{grants: [loaded]}", "{grants: [loaded], cost: 2}"),
        ("fog * 0.5", "fog * 0.75"),
        ("task:", "barriers: {jam: [{tool: load, mode: fail}]}\ntask:"),
    )
    status, out, _ = creatura_world("diff", world_file("a.yaml"), world_file("b.yaml", *changes))
    assert status == 1
    assert out.splitlines()[:9] == [
        "variables",
        "  ~ fog start: 0.5 → 0.25",
        "tools",
        "  ~ load cost: 0 → 2",
        "rules",
        "  ~ clear-up writes: fog overwrite fog * 0.5 → fog overwrite fog * 0.75",
        "barriers",
        "  + jam: faults load fails always",
        "hashes",
    ]


def test_entries_of_one_world_alone_are_added_or_gone(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    change = ("sail: {requires: [loaded], grants: [docked]}", "row: {grants: [docked]}")
    found = creatura_world("diff", world_file("a.yaml"), world_file("b.yaml", change))[
        1
    ].splitlines()
    assert "  - sail: requires loaded; grants docked" in found
    assert "  + row: grants docked" in found


HASHES = {
    "initial: 0.5": ("initial: 0.6", {"initial_state"}),
    "range: [0, 1]": ("range: [0, 2]", {"variable_schema", "transition_graph"}),
    "{grants: [loaded]}": ("{grants: [loaded], release: true}", {"action_schema"}),
    "fog * 0.5": ("fog * 0.6", {"transition_graph"}),
    "id: clear-up": ("id: clearing", set()),
    "name: ferry": ("name: boat", set()),
}


@pytest.mark.parametrize("old", list(HASHES))
def test_the_hashes_that_moved_are_among_what_differs(old: str) -> None:
    new, moved = HASHES[old]
    found = differences(parse_world(FERRY), parse_world(FERRY.replace(old, new)))
    hashes = {d.name for d in found if d.section == "hashes"}
    assert found
    assert hashes == moved | ({"vfs"} if moved else set())


def test_an_order_that_changed_is_a_difference(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    a, b = world_file("a.yaml"), world_file("b.yaml", ("[loaded, docked]", "[docked, loaded]"))
    assert "  ~ order: loaded, docked → docked, loaded" in creatura_world("diff", a, b)[1]


def test_machines_get_one_object_a_difference(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    a, b = world_file("a.yaml"), world_file("b.yaml", ("initial: 0.5", "initial: 0.25"))
    status, out, _ = creatura_world("diff", a, b, "--json")
    assert status == 1
    assert json.loads(out)[0] == {
        "section": "variables", "name": "fog", "field": "start", "a": 0.5, "b": 0.25,
    }  # fmt: skip


def test_a_world_that_does_not_load_cannot_be_compared(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    a, b = world_file("a.yaml"), world_file("b.yaml", ("goal: docked", "goal: dokced"))
    status, out, err = creatura_world("diff", a, b)
    assert (status, out) == (2, "")
    assert "did you mean 'docked'?" in err
