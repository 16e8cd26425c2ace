"""EffectCheck: what the facts say of an act, fact by fact."""

import numpy as np
import pytest

from creatura.bits import words_of
from creatura.membrane.effect_check import VERDICTS, EffectCheck
from creatura.protocols import Tool, Verdict

A, B, C = 1, 2, 4


def verdict(tool: Tool, before: int, after: int) -> Verdict:
    check = EffectCheck([tool], 3)
    found = check.verdicts(np.array([0]), words_of([before], 3), words_of([after], 3))
    return VERDICTS[int(found[0])]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0, A | B, Verdict.LANDED),
        (A, A | B, Verdict.LANDED),
        (0, A, Verdict.PARTIAL),
        (0, 0, Verdict.MISSING),
        (0, C, Verdict.MISSING),
        (A, A, Verdict.MISSING),
        (A | B, A | B, Verdict.VACUOUS),
        (A | B, 0, Verdict.VACUOUS),
        (A, B, Verdict.LANDED),  # A held before, so it is no promise of this call
    ],
)
def test_granted_facts_that_did_not_hold_are_the_evidence(before, after, expected):
    assert verdict(Tool("t", 0, 0, grants=A | B), before, after) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(A, 0, Verdict.LANDED), (A, A, Verdict.MISSING), (0, 0, Verdict.VACUOUS)],
)
def test_a_tool_that_only_revokes_is_judged_by_what_it_takes_away(before, after, expected):
    assert verdict(Tool("t", 0, 0, grants=0, revokes=A), before, after) is expected


def test_a_tool_that_promises_nothing_gives_no_evidence():
    assert verdict(Tool("t", 0, 0, grants=0), 0, A) is Verdict.VACUOUS


def test_what_a_tool_takes_away_beside_what_it_grants_is_no_evidence():
    swap = Tool("swap", 0, 0, grants=A, revokes=C)
    assert verdict(swap, C, A | C) is Verdict.LANDED
    assert verdict(swap, C, 0) is Verdict.MISSING
    assert verdict(swap, A | C, A) is Verdict.VACUOUS


def test_each_act_of_a_batch_is_judged_by_its_own_facts():
    check = EffectCheck([Tool("one", 0, 0, grants=A), Tool("two", 1, 0, grants=A | B)], 3)
    tools, before, after = np.array([0, 0, 1, 1]), [0, A, 0, 0], [A, A, A, 0]
    found = check.verdicts(tools, words_of(before, 3), words_of(after, 3))
    names = [VERDICTS[i] for i in found]
    assert names == [Verdict.LANDED, Verdict.VACUOUS, Verdict.PARTIAL, Verdict.MISSING]
