"""Exploration: untried tools, harmless ones first, no releases, and a budget if it is scaled."""

from creatura.bits import mask_of
from creatura.extensions.exploration import Exploration, Steps
from creatura.protocols import Decided, Verdict
from tests.unit.regulators.contexts import (
    BRIEF,
    CONFIG,
    EVERY_TOOL,
    PATCH,
    SHIP,
    TEST,
    UNDO,
    act,
    at,
    landing,
    lie,
)

OWN = Exploration()
SCALED = Exploration("exploration(scaled=True)", scaled=True)


def tried(*tools, offered=EVERY_TOOL, memory=None, freedom=0.0):
    context = at(memory or Steps(), offered=offered, freedom=freedom)
    return context._replace(tried=mask_of(tool.index for tool in tools))


def steps(extension, *events, memory=None):
    memory = memory or extension.begin(BRIEF)
    for event in events:
        memory = extension.record(at(memory), event)
    return memory


def own_step(extension, tool):
    return Decided(tool, (), extension.name)


def test_it_proposes_untried_tools_in_the_order_of_declaration():
    assert OWN.propose(tried()) is PATCH
    assert OWN.propose(tried(PATCH)) is CONFIG
    assert OWN.propose(tried(PATCH, offered=1 << TEST.index | 1)) is TEST


def test_what_takes_something_away_comes_last_and_a_release_never():
    assert OWN.propose(tried(PATCH, CONFIG, TEST, offered=EVERY_TOOL)) is UNDO
    only_the_release = tried(PATCH, CONFIG, TEST, UNDO)
    assert OWN.propose(only_the_release) is None
    undo_first = tried(offered=1 << UNDO.index | 1 << SHIP.index)
    assert OWN.propose(undo_first) is UNDO


def test_scaled_it_gives_up_after_as_many_vain_steps_as_the_retry_budget():
    vain = steps(SCALED, own_step(SCALED, PATCH), lie(PATCH))
    assert vain.in_vain == 1
    assert SCALED.propose(tried(PATCH, memory=vain, freedom=0.1)) is None
    assert SCALED.propose(tried(PATCH, memory=vain, freedom=1.0)) is CONFIG
    assert OWN.propose(tried(PATCH, memory=vain, freedom=0.1)) is CONFIG


def test_whatever_lands_starts_the_count_anew():
    vain = Steps(in_vain=3)
    assert steps(SCALED, landing(PATCH), memory=vain) == Steps()
    assert steps(SCALED, act(PATCH, Verdict.PARTIAL), memory=vain) == Steps()
    assert steps(SCALED, act(PATCH, Verdict.VACUOUS), memory=vain) == vain


def test_a_vain_step_of_the_seats_own_is_not_counted():
    assert steps(SCALED, Decided(PATCH, ("patch",), ""), lie(PATCH)) == Steps()
    assert steps(SCALED, lie(PATCH)) == Steps()
