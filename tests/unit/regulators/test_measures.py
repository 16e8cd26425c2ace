"""Measures: the leaky bus, promises, and the words that designs share."""

import pytest

from creatura.protocols import Decided
from creatura.regulators.measures.coherence import Claims, has_come
from creatura.regulators.measures.set_points import contract_stress, leaked, tissue_stress
from creatura.regulators.measures.stages import Ladder, Standing
from creatura.regulators.measures.wording import fact_words, plan_words, promise_words
from tests.unit.regulators.contexts import BRIEF, PATCH, UNDO, A, B, C, at


@pytest.mark.parametrize(
    ("own", "leak", "felt"),
    [
        ((0.0, 0.5, 1.0), 0.5, (0.25, 0.75, 1.0)),
        ((1.0, 0.5, 1.0), 0.5, (1.0, 1.0, 1.0)),
        ((0.0, 0.5, 1.0), 0.25, (0.125, 0.625, 1.0)),
        ((0.0, 0.2, 0.0), 1.0, (0.2, 0.2, 0.2)),
        ((0.0, 0.5, 1.0), 0.0, (0.0, 0.5, 1.0)),
        ((0.3,), 1.0, (0.3,)),
    ],
)
def test_a_level_feels_its_own_stress_and_a_share_of_its_neighbours(own, leak, felt):
    assert leaked(own, leak) == pytest.approx(felt)


def test_the_levels_measure_in_spaces_of_their_own():
    assert tissue_stress(at(None)) == 1.0
    assert tissue_stress(at(None, A)) == pytest.approx(2 / 3)
    assert (contract_stress(at(None, A | B)), contract_stress(at(None, A | B | C))) == (1.0, 0.0)


def test_a_promise_has_come_when_its_grants_hold_or_what_it_takes_is_gone():
    assert (has_come(PATCH, 0), has_come(PATCH, A)) == (False, True)
    assert (has_come(UNDO, A), has_come(UNDO, 0)) == (False, True)


def test_plans_and_promises_are_put_in_words():
    assert plan_words(Decided(PATCH, ("patch", "test"), "")) == "plan: patch → test"
    assert plan_words(Decided(PATCH, ("patch",), "")) == "last step"
    assert plan_words(Decided(PATCH, (), "a hunch")) == "a hunch"
    assert plan_words(Decided(PATCH, (), "")) == "chosen without a plan"
    assert (fact_words(BRIEF, A | C), fact_words(BRIEF, 0)) == ("a, c", "none")
    assert (promise_words(BRIEF, PATCH, 0), promise_words(BRIEF, PATCH, A)) == ("a", "none")
    assert [promise_words(BRIEF, UNDO, facts) for facts in (A, A | C)] == ["not a"] * 2


def test_a_stage_off_the_ladder_is_refused():
    Ladder().check_stage(5)
    with pytest.raises(ValueError, match="stage is from 1 to 5, found 6"):
        Ladder().check_stage(6)
    with pytest.raises(ValueError, match="found 0"):
        Ladder().check_stage(0)


def test_the_last_stage_counts_its_hits_and_leads_no_further():
    top = Ladder().after(Standing(5, hits=20, predictions=20), True)
    assert top == Standing(5, hits=21, predictions=21)


@pytest.mark.parametrize(("stage", "needed"), [(1, 2), (2, 3), (3, 5), (4, 12)])
def test_a_stage_is_earned_by_as_many_hits_as_it_asks_for_and_by_no_fewer(stage, needed):
    ladder, stands = Ladder(), Standing(stage)
    reached = []
    for _ in range(needed):
        stands = ladder.after(stands, True)
        reached.append(stands.stage)
    assert reached == [stage] * (needed - 1) + [stage + 1]


def test_nothing_was_predicted_badly_before_the_first_prediction():
    assert (Standing(3).accuracy, Claims().coherence) == (1.0, 1.0)
