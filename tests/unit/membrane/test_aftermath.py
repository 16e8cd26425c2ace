"""Aftermath: whose act answers for a fact that went, or came, by itself."""

from __future__ import annotations

import numpy as np

from creatura.bits import masks_of, words_of
from creatura.membrane.aftermath import Aftermath
from creatura.protocols import Tool

A, B, C = 1, 2, 4
ONE = Tool("one", 0, requires=0, grants=A)
TWO = Tool("two", 1, requires=0, grants=A | B)
TAKES = Tool("takes", 2, requires=0, grants=C, revokes=A)
TOOLS = (ONE, TWO, TAKES)
NONE = -1


class Follow:
    """Three runs, of which those in question are told tick by tick; the rest stand still."""

    def __init__(self) -> None:
        self.aftermath = Aftermath(TOOLS, 3, 3)
        self.facts = [0, 0, 0]

    def tick(
        self, *runs: tuple[int, int, int], success: bool = True
    ) -> list[tuple[int, str, int, bool]]:
        """Takes (run, tool or none, facts after) and returns (run, tool, facts, gone)."""
        at, tools, after = (np.array(column) for column in zip(*runs, strict=True))
        before = words_of([self.facts[run] for run in at], 3)
        now = words_of([int(mask) for mask in after], 3)
        done = np.full(len(at), success)
        notices = self.aftermath.follow(at, tools, done, before, now)
        for run, _, mask in runs:
            self.facts[run] = mask
        return [
            (int(at[i]), TOOLS[tool].id, mask, gone)
            for i, tool, mask, gone in zip(
                notices.positions.tolist(),
                notices.tools.tolist(),
                masks_of(notices.facts),
                notices.gone.tolist(),
                strict=True,
            )
        ]


def test_a_fact_that_goes_is_told_to_the_act_that_brought_it_once():
    follow = Follow()
    assert follow.tick((1, ONE.index, A)) == []
    assert follow.tick((1, NONE, 0)) == [(1, "one", A, True)]
    assert follow.tick((1, NONE, A)) == [], "nobody owed it"
    assert follow.tick((1, NONE, 0)) == [], "and this time nobody had brought it"


def test_only_what_the_act_newly_brought_is_its_own():
    follow = Follow()
    follow.tick((0, NONE, A))
    follow.tick((0, TWO.index, A | B))
    assert follow.tick((0, NONE, 0)) == [(0, "two", B, True)]


def test_two_facts_of_one_act_may_go_one_after_the_other():
    follow = Follow()
    follow.tick((2, TWO.index, A | B))
    assert follow.tick((2, NONE, A)) == [(2, "two", B, True)]
    assert follow.tick((2, NONE, 0)) == [(2, "two", A, True)]


def test_two_acts_of_one_tool_add_up():
    follow = Follow()
    follow.tick((0, TWO.index, A))
    follow.tick((0, TWO.index, A | B))
    assert follow.tick((0, NONE, 0)) == [(0, "two", A | B, True)]


def test_a_fact_beside_the_promise_is_nobodys():
    follow = Follow()
    follow.tick((0, ONE.index, A | C))
    assert follow.tick((0, NONE, A)) == []


def test_what_the_agents_own_act_takes_away_is_no_news_and_is_forgotten():
    follow = Follow()
    follow.tick((0, ONE.index, A))
    assert follow.tick((0, TAKES.index, C)) == []
    follow.tick((0, NONE, A | C))
    assert follow.tick((0, NONE, C)) == []


def test_a_reported_effect_that_comes_later_is_told_to_its_act_once():
    follow = Follow()
    assert follow.tick((1, TWO.index, 0)) == []
    assert follow.tick((1, NONE, A)) == [(1, "two", A, False)]
    assert follow.tick((1, NONE, A | B)) == [(1, "two", B, False)]
    follow.tick((1, NONE, 0))
    assert follow.tick((1, NONE, A | B)) == []


def test_promises_of_one_tool_add_up():
    follow = Follow()
    follow.tick((0, TWO.index, B))
    follow.tick((0, TWO.index, 0))
    assert follow.tick((0, NONE, A | B)) == [(0, "two", A | B, False)]


def test_a_promise_that_was_withdrawn_is_not_awaited():
    follow = Follow()
    follow.tick((0, ONE.index, 0), success=False)
    assert follow.tick((0, NONE, A)) == []


def test_what_the_agents_own_act_brings_settles_every_promise_of_it():
    follow = Follow()
    follow.tick((0, ONE.index, 0))
    assert follow.tick((0, TWO.index, A | B)) == []
    assert follow.tick((0, NONE, B)) == [(0, "two", A, True)]
    assert follow.tick((0, NONE, A | B)) == []


def test_runs_answer_each_for_themselves():
    follow = Follow()
    follow.tick((0, ONE.index, A), (1, TWO.index, 0), (2, NONE, 0))
    told = follow.tick((0, NONE, 0), (1, NONE, B), (2, NONE, A | B))
    assert sorted(told) == [(0, "one", A, True), (1, "two", B, False)]
    assert follow.tick((0, NONE, 0), (2, ONE.index, A | B)) == []
    assert follow.tick((1, NONE, A), (2, NONE, 0)) == [(1, "two", A, False)]


def test_a_failure_that_is_admitted_settles_no_earlier_promise():
    follow = Follow()
    follow.tick((0, ONE.index, 0))
    follow.tick((0, ONE.index, 0), success=False)
    assert follow.tick((0, NONE, A)) == [(0, "one", A, False)]
