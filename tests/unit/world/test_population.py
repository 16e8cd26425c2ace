"""Population: groups, zones, items, pairs and ready-made variables, as a world file says them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from creatura.errors import AuthorError
from creatura.vfs import Extents, Registry
from creatura.vfs.encoder import Encoder
from creatura.vfs.schema import TokenType
from creatura.world import Episode, World, parse_world
from creatura.world.ready_made import NEED_DIMENSIONS

FERRY = """
name: ferry
facts: [loaded, docked]
tools: {load: {grants: [loaded]}, sail: {requires: [loaded], grants: [docked]}}
task: {goal: docked}
"""


def ferry(more: str) -> World:
    return parse_world(FERRY + more, "ferry.yaml")


def start(world: World, variable: str, agents: int = 3, role: str = "vtc") -> Any:
    return Registry(world.roster, Extents(1, agents)).get(variable, role)[0].tolist()


def refusal(more: str) -> list[str]:
    with pytest.raises(AuthorError) as caught:
        ferry(more)
    return [str(problem) for problem in caught.value.problems]


def test_every_scope_can_be_authored() -> None:
    world = ferry(
        """
extents:
  groups: [crew, guests]
  zones: 2
  affordances: [winch]
  items: {lamp_1: lamp, loaf: food, lamp_2: lamp}
  message_slots: 4
  pairs: [[0, 1], [2, 0]]
variables:
  calm: {scope: global, type: scalar, initial: 1.0}
  energy: {scope: agent, type: scalar, initial: 1.0}
  worry: {scope: agent_private, type: scalar, initial: 0.0}
  oil: {scope: item, profile: lamp, type: scalar, initial: 0.5, initial_at: {lamp_2: 0.25}}
  trust: {scope: pair, type: scalar, initial: 0.5, initial_at: {2 to 0: 0.75}}
  norm: {scope: group, type: scalar, initial: 0.5}
  strain: {scope: affordance, type: int, initial: 3}
  swell: {scope: zone, type: scalar, initial: 0.1, initial_at: {zone_1: 0.5}}
  word: {scope: message, type: message_token, dims: 2, initial: 0.0}
"""
    )
    assert world.roster.min_agents == 3
    assert start(world, "oil") == [0.5, 0.25]
    assert start(world, "trust") == [0.5, 0.75]
    assert start(world, "strain") == [3]
    assert start(world, "swell") == pytest.approx([0.1, 0.5])
    assert np.shape(start(world, "word")) == (3, 4, 2)
    with pytest.raises(AuthorError, match="so it takes at least 3 agents, found 1; give as many"):
        world.check_cast(1, "here")
    with pytest.raises(ValueError, match="so it needs at least 3 agents, found 1"):
        world.stage([Episode()], 1, "interpreter")


def test_membership_says_who_belongs_where() -> None:
    world = ferry(
        """
extents: {groups: [crew, guests], zones: [deck, hold]}
membership:
  groups: {crew: [0, 2], guests: [2]}
  zones: {hold: [1], deck: [0]}
"""
    )
    assert start(world, "member.groups") == [[True, False], [False, False], [True, True]]
    assert start(world, "member.zone") == [0, 1, -1]
    assert start(world, "member.zone", agents=4) == [0, 1, -1, -1]


@pytest.mark.parametrize(
    ("more", "problems"),
    [
        (
            "extents: {zones: [deck]}\nmembership: {zones: {dek: [0]}}\n",
            ["ferry.yaml:7: membership in 'dek', which is none of the zones; did you mean 'deck'?"],
        ),
        (
            "extents: {zones: [deck, hold]}\nmembership: {zones: {deck: [0], hold: [0]}}\n",
            ["ferry.yaml:7: agent 0 stands in deck and hold; it can be in one zone"],
        ),
        (
            "variables: {trust: {scope: zone, initial: true}}\n",
            [
                "ferry.yaml:6: variable 'trust' has scope 'zone', and the world has no zones; "
                "say under 'extents' which: zones"
            ],
        ),
        (
            "extents: {zones: 0}\n",
            ["ferry.yaml:6: extent 'zones' is from 1 to 4,096, found 0"],
        ),
        (
            "use: {needs: {slots: 1, start: [{intensity: 2.0, urgancy: 0.5}]}}\n",
            [
                "ferry.yaml:6: 'intensity' of need 1 is a share from 0 to 1, found 2.0",
                "ferry.yaml:6: need 1 has no dimension 'urgancy'; did you mean 'urgency'?",
            ],
        ),
        (
            "use: {needs: {slots: 1, tags: [warm], start: [{satisfaction_tags: [warn]}, {}]}}\n",
            [
                "ferry.yaml:6: 2 needs to start with in 1 slots",
                "ferry.yaml:6: need 1 has the tag 'warn', not in 'tags'; did you mean 'warm'?",
            ],
        ),
    ],
)
def test_who_is_not_there_is_named_with_a_line(more: str, problems: list[str]) -> None:
    assert refusal(more) == problems


def test_relations_and_messages_come_ready_made() -> None:
    world = ferry(
        "extents: {groups: [crew], message_slots: 2}\n"
        "use: {relations: {trust: 0.25}, messages: {dims: 3}}\n"
    )
    assert start(world, "trust", 2) == [[0.25, 0.25], [0.25, 0.25]]
    assert start(world, "obligation", 2) == [[0.0, 0.0], [0.0, 0.0]]
    assert start(world, "public_reputation", 2) == [0.5, 0.5]
    assert start(world, "norm_legitimacy", 2) == [0.5]
    assert np.shape(start(world, "recent_message_tokens", 2)) == (2, 2, 3)
    assert start(world, "message_sender", 2) == [[-1, -1], [-1, -1]]
    assert "norm_legitimacy" not in ferry("use: {relations: {}}\n").roster


NEEDS = """
use:
  needs:
    slots: 3
    form: {form}
    tags: [warm, edible]
    start:
      - {{intensity: 0.5, growth_rate: 0.25, satisfaction_tags: [edible]}}
      - {{urgency: 1.0}}
"""


def test_needs_come_as_slots_or_as_tokens_of_the_same_numbers() -> None:
    slots, tokens = (ferry(NEEDS.format(form=form)) for form in ("slots", "tokens"))
    for world in (slots, tokens):
        assert start(world, "need.in_use", 1) == [[True, True, False]]
        assert start(world, "need.satisfaction_tags", 1) == [[False, True] + [False] * 4]
    matrix = np.array(start(tokens, "need.tokens", 1))[0]
    columns = [start(slots, f"need.{dimension}", 1)[0] for dimension in NEED_DIMENSIONS]
    assert np.array_equal(matrix, np.array(columns).T)
    assert matrix[0, :2].tolist() == [0.5, 0.25]
    assert len(NEED_DIMENSIONS) == 12


def test_a_need_that_comes_or_goes_moves_no_layout() -> None:
    for form in ("slots", "tokens"):
        world = ferry(NEEDS.format(form=form))
        layout = world.layout(1)
        registry = Registry(world.roster, Extents(1))
        encoder = Encoder(layout, registry)
        before = encoder.encode().copy()
        in_use = np.array([[[True, True, True]]])
        with pytest.raises(PermissionError):
            registry.set("need.in_use", in_use, "engine", tick=1, who="a test")
        registry.set("need.in_use", in_use, "vtc", tick=1, who="a new need")
        after = encoder.encode()
        assert after.shape == before.shape
        assert (after != before).sum() == 1
        assert layout.capacities[TokenType.VARIABLE_ELEMENT] == 3 + 3 * 12 + 6


def test_a_feature_is_worked_out_and_shown_and_held_by_nobody() -> None:
    world = ferry(
        """
variables:
  fuel: {scope: agent, type: scalar, initial: 0.5}
features:
  reserve: {expression: thrift * 2.0, range: [0.0, 4.0]}
  thrift: {expression: fuel + 0.25}
  is_low: {expression: reserve < 1.0, type: bool}
"""
    )
    registry = Registry(world.roster, Extents(1, 2))
    world.transition.bind(registry, "interpreter").refresh()
    assert registry.get("reserve", "engine").tolist() == [[1.5, 1.5]]
    assert registry.get("is_low", "engine").tolist() == [[False, False]]
    with pytest.raises(PermissionError, match="may not write 'reserve'; allowed: vtc"):
        registry.set("reserve", np.zeros((1, 2), np.float32), "engine", tick=1, who="a test")
    assert world.layout(2).capacities[TokenType.METER] == 1
    assert world.layout(2).capacities[TokenType.VARIABLE_ELEMENT] == 2
    (cycle,) = refusal(
        "features: {a: {expression: b + 1.0}, b: {expression: c * 2.0}, c: {expression: a}}\n"
    )
    assert cycle == "ferry.yaml:6: derived variables form a cycle: a -> b -> c -> a"


def test_rules_say_which_variables_they_do_not_reach() -> None:
    (problem,) = refusal(
        """extents: {zones: [deck]}
variables: {swell: {scope: zone, type: scalar, initial: 0.1}}
rules:
  - {id: calm, phase: apply_modulations, writes: [{target: swell, expression: 0.0}]}
"""
    )
    assert problem == (
        "ferry.yaml:9: rule 'calm', write to 'swell': 'swell' has scope zone; rules reach global, "
        "agent and agent_private"
    )
