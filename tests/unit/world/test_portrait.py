"""Portraits: who reads and writes what in a world, in the words of its author."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from creatura import resolver
from creatura.vfs import VariableSpec, build_roster
from creatura.vtc import RuleSpec, compile_transition
from creatura.world import World, load_world, parse_world
from creatura.world.formula import Formulas
from creatura.world.portrait import Origin, Portrait, as_plain
from creatura.world.portray import portrait_of
from creatura.world.reach import reach_of

VILLAGE = Path(__file__).parents[2] / "golden" / "world" / "village.yaml"


def village() -> Portrait:
    return portrait_of(load_world(VILLAGE))


def small(body: str, goal: str = "done") -> World:
    return parse_world(
        f"name: small\nfacts: [begun, done]\ntask: {{goal: {goal}}}\n"
        "tools: {begin: {grants: [begun]}, finish: {requires: [begun], grants: [done]}}\n" + body
    )


def with_rule(expression: str) -> str:
    """The value of a rule's only write, as its portrait puts it."""
    rule = (
        f'{{id: r, phase: apply_modulations, writes: [{{target: x, expression: "{expression}"}}]}}'
    )
    kinds = "{x: {type: scalar, initial: 0.0}, n: {type: int, initial: 0}, b: {initial: false}}"
    portrait = portrait_of(small(f"variables: {kinds}\nrules: [{rule}]\n"))
    (found,) = [rule for rule in portrait.rules if rule.id == "r"]
    return str(found.effects[0].value)


# --------------------------------------------------------------------------- variables


def test_a_variable_knows_which_rules_read_and_write_it() -> None:
    hunger = village().by_id["hunger"]
    assert hunger.read_by == ("grumble", "derived.fed")
    assert hunger.written_by == ("tool eat", "hunger-grows", "range.hunger")
    assert (hunger.scope, hunger.type, hunger.range, hunger.start) == (
        "agent", "scalar", (0, 1), 0.5,
    )  # fmt: skip


def test_a_derived_variable_that_a_rule_names_is_read_by_its_name() -> None:
    portrait = village()
    (grumble,) = [rule for rule in portrait.rules if rule.id == "grumble"]
    assert grumble.reads == ("hunger", "mood")
    assert grumble.effects[0].condition == "any(hunger > 0.8) or mood < 0.2"


def test_engine_variables_are_marked_and_no_others() -> None:
    portrait = village()
    marked = {v.id for v in portrait.variables if v.is_engine}
    assert "task.goal" in marked
    assert all(name.startswith(("call.", "push.", "task.")) for name in marked)
    assert {"hunger", "sown", "mood"} & marked == set()


# --------------------------------------------------------------------------- rules


def test_every_rule_says_where_it_comes_from() -> None:
    origins = {rule.id: (rule.origin, rule.owner, rule.is_generated) for rule in village().rules}
    assert origins["clock"] == (Origin.RULE, "clock", False)
    assert origins["tool eat"] == (Origin.TOOL, "eat", False)
    assert origins["cost of tool mend-roof"] == (Origin.COST, "mend-roof", True)
    assert origins["push sown"] == (Origin.FAULT, "sown", True)
    assert origins["derived.mood"] == (Origin.DERIVED, "mood", False)
    assert origins["derived.task.goal"] == (Origin.DERIVED, "task.goal", True)
    assert origins["range.heat"] == (Origin.RANGE, "heat", True)


def test_a_rule_of_an_author_is_not_taken_for_one_of_the_engine() -> None:
    rule = "{id: push about, phase: apply_modulations, writes: [{target: begun, expression: true}]}"
    portrait = portrait_of(small(f"rules: [{rule}]\n"))
    (found,) = [rule for rule in portrait.rules if rule.id == "push about"]
    assert (found.origin, found.is_generated) == (Origin.RULE, False)


def test_what_only_the_engine_knows_is_left_out_of_where_a_write_applies() -> None:
    (fire,) = [rule for rule in village().rules if rule.id == "tool light-fire"]
    (heat,) = [effect for effect in fire.effects if effect.target == "heat"]
    assert heat.where == "wood > 0"
    assert heat.condition is not None
    assert heat.condition.startswith("call.lands.t")


def test_rules_come_in_the_order_of_their_phases() -> None:
    phases = list(dict.fromkeys(rule.phase for rule in village().rules))
    assert phases.index("advance_global_time") < phases.index("apply_passive_depletion")
    assert phases[-1] == "emit_observation_features"


@pytest.mark.parametrize(
    "text",
    [
        "x - (x - 1.0)",
        "(x - x) - 1.0",
        "-(x + 1.0) * 2.0",
        "x * -1.0",
        "where(b and (n < 2 or x > 0.5), 1.0, clamp(x, 0.0, 0.5))",
        "where((n < 2) == b, 1.0, 0.1)",
        "where(b or b and b or (b or b), 1.0, 0.0)",
        "where(b and (b and (b and b)), 1.0, 0.0)",
        "where(not (b and b), n + 1, x / 3.0)",
        "where(not b == b, 1.0, 0.0)",
        "1.0 / (x / 2.0) / (x * x)",
    ],
)
def test_an_expression_is_written_so_that_it_means_the_same(text: str) -> None:
    specs = [
        VariableSpec(id="x", type="scalar", initial=0.0),
        VariableSpec(id="n", type="int", initial=0),
        VariableSpec(id="b", initial=False),
    ]

    def compiled(value: str) -> tuple[str, str]:
        write = {"target": "x", "expression": value}
        rule = RuleSpec(id="r", phase="apply_modulations", writes=[write])
        plan = compile_transition(build_roster(specs), [rule]).plan
        (site,) = plan.sites
        assert site.value is not None
        return plan.hash, Formulas(plan).of(site.value).text

    digest, written = compiled(text)
    assert compiled(written) == (digest, written)


def test_an_expression_keeps_no_parentheses_that_it_does_not_need() -> None:
    assert with_rule("((x + (n * 2)) + 1)") == "x + n * 2 + 1.0"
    assert with_rule("where(b and b and b, x, 1)") == "where(b and b and b, x, 1.0)"


# --------------------------------------------------------------------------- the rest


def test_a_portrait_knows_what_holds_at_the_start() -> None:
    portrait = portrait_of(
        parse_world(
            'name: lit\nfacts: [{on: true}, {bright: "level > 2"}, left]\n'
            "variables: {level: {type: int, initial: 3}}\n"
            "tools: {go: {requires: [on], grants: [left]}}\ntask: {goal: on}\n"
        )
    )
    assert portrait.held == ("on", "bright")
    assert portrait.task.is_done_at_start


def test_a_task_of_obligations_alone_has_no_goal() -> None:
    world = parse_world(
        "name: w\nfacts: [a]\ntools: {t: {grants: [a]}}\ntask: {obligations: [a]}\n"
    )
    assert portrait_of(world).task.goal is None


@pytest.mark.parametrize("path", [*resolver.worlds(), VILLAGE], ids=lambda path: path.stem)
def test_a_portrait_is_plain_data_all_the_way_down(path: Path) -> None:
    plain = as_plain(portrait_of(load_world(path)))
    assert json.loads(json.dumps(plain)) == plain


# --------------------------------------------------------------------------- reach


def test_tools_come_in_the_order_in_which_their_facts_can_be_reached() -> None:
    reach = reach_of(village())
    assert reach.tools == {
        "cut-wood": 1, "plough": 1, "sow": 2, "light-fire": 2, "mend-roof": 2, "eat": 3,
        "gather": 4,
    }  # fmt: skip
    assert (reach.never_held, reach.never_offered) == ((), ())


def test_a_predicate_that_a_tool_promises_waits_for_that_tool() -> None:
    # The fire moves the heat that `safe` is read off, and nobody is safe for that alone.
    reach = reach_of(village())
    assert (reach.facts["warm"], reach.facts["safe"]) == (2, 4)


def test_a_tool_behind_a_fact_that_never_holds_is_never_offered() -> None:
    reach = reach_of(
        portrait_of(
            parse_world(
                "name: w\nfacts: [a, b, c]\ntask: {goal: a}\n"
                "tools: {t: {grants: [a]}, u: {requires: [b], grants: [c]}}\n"
            )
        )
    )
    assert (reach.never_held, reach.never_offered) == (("b", "c"), ("u",))


def test_what_a_rule_may_bring_about_can_be_reached() -> None:
    rule = "{id: r, phase: apply_modulations, writes: [{target: sun, expression: 'sun + 1'}]}"
    reach = reach_of(
        portrait_of(
            parse_world(
                'name: w\nfacts: [a, {day: "sun > 3"}]\ntask: {goal: a}\n'
                "variables: {sun: {type: int, initial: 0}}\n"
                f"tools: {{t: {{requires: [day], grants: [a]}}}}\nrules: [{rule}]\n"
            )
        )
    )
    assert reach.tools == {"t": 1}
