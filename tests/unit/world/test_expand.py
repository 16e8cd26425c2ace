"""Expand: whose a predicate is, what a task is called, and goals as clauses over facts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import loop, resolver
from creatura.errors import AuthorError
from creatura.results import Results
from creatura.vfs import Scope
from creatura.world import Episode, World, parse_world
from creatura.world.task import goal_of


def canteen(fact: str, goal: str = "fed") -> World:
    """Two may eat; `fed` is read off what each of them has eaten."""
    return parse_world(
        f"""
name: canteen
facts: [{{fed: "{fact}"}}, rested]
variables: {{eaten: {{scope: agent, type: scalar, initial: 0.0}}}}
tools:
  eat:
    grants: [fed]
    writes: [{{target: eaten, expression: 1, composition: additive_delta}}]
  rest: {{grants: [rested]}}
task: {{goal: "{goal}"}}
""",
        "canteen.yaml",
    )


def after_one_eats(world: World) -> tuple[list[int], list[bool]]:
    """Facts, and whether the goal is met, of two agents after the second ate."""
    stage = world.stage([Episode()], 2, "interpreter")
    stage.step(np.array([[-1, 0]]), np.ones((1, 2), dtype=bool), 1)
    return stage.facts("seat")[0, :, 0].tolist(), stage.goal_met("engine")[0].tolist()


# --------------------------------------------------------------------------- scopes


def test_a_predicate_over_what_an_agent_has_is_each_agents_own():
    assert after_one_eats(canteen("eaten >= 1")) == ([0, 1], [False, True])


@pytest.mark.parametrize(
    ("fold", "facts", "met"),
    [("any(eaten >= 1)", [1, 1], [True, True]), ("all(eaten >= 1)", [0, 0], [False, False])],
)
def test_a_predicate_folded_over_all_agents_is_one_fact_for_all(fold, facts, met):
    assert after_one_eats(canteen(fold)) == (facts, met)


@pytest.mark.parametrize(
    ("fact", "scope"),
    [
        ("eaten >= 1", Scope.AGENT),
        ("any(eaten >= 1)", Scope.GLOBAL),
        ("not all(eaten >= 1)", Scope.GLOBAL),
        ("any(eaten >= 1) and eaten < 1", Scope.AGENT),
        ("rested", Scope.GLOBAL),
    ],
)
def test_a_predicate_has_the_scope_of_what_it_reads_by_rows(fact, scope):
    world = canteen(fact)
    assert world.roster["fed"].scope is scope
    assert world.roster["task.goal"].scope is scope


def test_a_predicate_that_folds_and_reads_a_row_is_each_agents_own():
    mixed = canteen("any(eaten >= 1) and eaten < 1")
    assert after_one_eats(mixed) == ([1, 0], [True, False])


def test_a_predicate_over_a_fact_of_an_agent_is_each_agents_own():
    world = parse_world(
        """
name: canteen
facts: [{fed: "eaten >= 1"}, {hungry: "not fed"}]
variables: {eaten: {scope: agent, type: scalar, initial: 0.0}}
tools: {eat: {grants: [fed], writes: [
  {target: eaten, expression: 1, composition: additive_delta}]}}
task: {goal: fed}
"""
    )
    assert after_one_eats(world)[0] == [0b10, 0b01]


def eaters(*scripts: str) -> Results:
    cast = [loop.Player(resolver.design("plain"), resolver.seat(f"script:{s}")) for s in scripts]
    return loop.run(canteen("eaten >= 1"), cast, [Episode()], max_ticks=3, backend="interpreter")


@pytest.mark.parametrize(
    ("scripts", "done", "reached"),
    [
        (("eat", "rest"), [True, False], False),
        (("rest", "eat"), [False, True], False),
        (("eat", "rest,eat"), [True, True], True),
    ],
)
def test_a_goal_that_each_agent_has_is_reached_when_every_agent_has_reached_it(
    scripts, done, reached
):
    results = eaters(*scripts)
    assert results.declared_done[0].tolist() == done
    assert bool(results.goal_reached[0]) is reached
    assert bool(results.final_facts[0] & 1) is reached, "a fact at the close is one for every agent"
    assert not results.false_completion[0]


# --------------------------------------------------------------------------- titles and places


@pytest.mark.parametrize(
    ("world_title", "task_title", "expected"),
    [
        ("", "", "quiet night watch"),
        ("title: the harbour", "", "the harbour"),
        ("", ", title: keep watch", "keep watch"),
        ("title: the harbour", ", title: keep watch", "keep watch"),
    ],
)
def test_a_task_is_called_what_it_says_or_what_its_world_is_called(
    world_title, task_title, expected
):
    world = parse_world(
        f"""
name: quiet-night_watch
{world_title}
facts: [a]
tools: {{watch: {{grants: [a]}}}}
task: {{goal: a{task_title}}}
"""
    )
    assert world.brief.title == expected


@pytest.mark.parametrize("fact", ["lit: true", 'lit: "dim or bright"'])
def test_a_fact_that_is_a_variable_has_its_value_there(fact):
    text = f"""\
name: lamp
facts: [{{{fact}}}, dim, bright]
variables: {{lit: {{type: bool, initial: false}}}}
tools: {{switch: {{grants: [dim]}}}}
task: {{goal: lit}}
"""
    with pytest.raises(AuthorError) as error:
        parse_world(text, "lamp.yaml")
    assert str(error.value.problems[0]) == (
        "lamp.yaml:2: fact 'lit' is a variable already; declare its value there"
    )


def test_a_fact_that_is_a_variable_starts_as_the_variable_does():
    world = parse_world(
        """
name: lamp
facts: [lit, seen]
variables: {lit: {type: bool, initial: true}}
tools: {look: {requires: [lit], grants: [seen]}}
task: {goal: seen}
"""
    )
    facts = world.stage([Episode()], 1, "interpreter").facts("seat")
    assert facts[0, 0].tolist() == [0b01]


# --------------------------------------------------------------------------- goals

NAMES = ("a", "b", "c", "d")
INDEX = {name: i for i, name in enumerate(NAMES)}


def met_by(text: str) -> list[bool]:
    """Reads the clauses of a goal over every set of facts."""
    goal = goal_of(text, INDEX, 0)
    return [goal.is_met(facts) for facts in range(2 ** len(NAMES))]


def truth(text: str) -> list[bool]:
    """The same predicate, as Python reads it."""
    rows = (
        {name: bool(facts >> i & 1) for name, i in INDEX.items()}
        for facts in range(2 ** len(NAMES))
    )
    code = compile(text, "a goal", "eval")
    return [bool(eval(code, {}, row)) for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        "not (a and b)",
        "not (a or b)",
        "not (a and (b or not c))",
        "not not a",
        "not (not a or not (b and c))",
        "(a or b) and (c or d)",
        "(a or b) and not (c or d)",
    ],
)
def test_a_goal_with_negations_means_what_it_says(text):
    assert met_by(text) == truth(text)


def joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(parts, st.sampled_from(["and", "or"]), parts)
    return st.one_of(
        pair.map(lambda three: f"({' '.join(three)})"), parts.map(lambda part: f"(not {part})")
    )


@given(st.recursive(st.sampled_from(NAMES), joined, max_leaves=7))
@settings(max_examples=150)
def test_the_clauses_of_any_goal_mean_what_it_says(text):
    assert met_by(text) == truth(text)


def test_a_clause_that_contradicts_itself_is_dropped():
    goal = goal_of("(a and not a) or (b and c)", INDEX, 0)
    assert goal.clauses == ((0b0110, 0),)
    assert goal_of("a and not a", INDEX, 0).clauses == ()


def test_a_clause_said_twice_stands_once():
    assert goal_of("(a and b) or (b and a) or c", INDEX, 0).clauses == ((0b0011, 0), (0b0100, 0))


@pytest.mark.parametrize(
    ("goal", "obligations"),
    [
        ("b and a", ("a", "b")),
        ("(c and not c) or (a and b)", ("a", "b")),  # its one clause that can hold
        ("a and not c", ("a",)),
        ("a or b", ()),
    ],
)
def test_a_goal_that_asks_for_one_list_of_facts_obliges_them(goal, obligations):
    brief = parse_world(
        f"""
name: lists
facts: [a, b, c]
tools: {{one: {{grants: [a]}}, two: {{grants: [b]}}, three: {{grants: [c]}}}}
task: {{goal: "{goal}"}}
"""
    ).brief
    assert tuple(brief.facts[i] for i in brief.obligations) == obligations


@pytest.mark.parametrize("goal", ["not (a and b) and c", "not (a or b)", "(a and not a) or c"])
def test_the_engine_and_the_planner_read_one_goal(goal):
    names = ("a", "b", "c")
    for held in itertools.product((False, True), repeat=3):
        facts = ", ".join(
            f"{{{name}: {str(is_held).lower()}}}" for name, is_held in zip(names, held, strict=True)
        )
        tools, task = "{t: {grants: [a]}}", f'{{goal: "{goal}"}}'
        world = parse_world(f"{{name: one, facts: [{facts}], tools: {tools}, task: {task}}}")
        stage = world.stage([Episode()], 1, "interpreter")
        mask = int(stage.facts("seat")[0, 0, 0])
        assert bool(stage.goal_met("engine")[0, 0]) is world.brief.goal.is_met(mask)
