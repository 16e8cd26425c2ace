"""Retry budget: a switch of the membrane, for designs whose attempts are not a count."""

from creatura.protocols import LayerOptions
from creatura.world import Fault, Mode
from tests.worlds import ferry, play

TRIES = "script:check-tickets,load-cars" + ",raise-ramp" * 6
LIES = Fault("raise-ramp", Mode.LIE)


def tries(layer: LayerOptions) -> int:
    results = play(ferry(), "plain", LIES, seat=TRIES, layer=layer, max_ticks=8)
    return int(results.counts.acts[0, 0]) - 2


def test_a_tool_past_its_budget_is_withheld_by_default():
    assert tries(LayerOptions(cooldown_ticks=0)) == 1


def test_without_a_budget_a_tool_may_be_tried_as_often_as_one_likes():
    assert tries(LayerOptions(cooldown_ticks=0, retry_budget=False)) == 6


def test_without_a_budget_a_liar_is_still_hidden():
    assert tries(LayerOptions(retry_budget=False)) == 2
