"""Dynamic: variables join and leave a running world by permission, and on the record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from creatura.errors import AccessError, AuthorError
from creatura.vfs import Extents, Registry, UnknownVariableError, VariableSpec, build_roster
from creatura.vfs.dynamic import DynamicError, DynamicVariables, Effect
from creatura.vtc import RuleSpec, WriteSpec, compile_transition

ROSTER = build_roster(
    [
        VariableSpec(id="fuel", scope="agent", type="scalar", initial=1.0),
        VariableSpec(id="is_dry", scope="agent", expression="fuel <= 0"),
        VariableSpec(id="tag", type="int", initial=2, readable_by=("engine", "vtc", "warden")),
    ],
    roles=("warden",),
)


def cold(**fields: Any) -> VariableSpec:
    base = {"id": "cold", "scope": "agent", "type": "scalar", "initial": 0.25, "range": (0, 1)}
    return VariableSpec(**{**base, "writable_by": ("engine",), **fields})


@pytest.fixture
def registry() -> Registry:
    return Registry(ROSTER, Extents(2, 3), dynamic=True)


def test_variables_are_fixed_unless_the_registry_was_opened_for_change() -> None:
    with pytest.raises(DynamicError, match=r"open it with Registry\(\.\.\., dynamic=True\)"):
        DynamicVariables(Registry(ROSTER, Extents(2, 3)))


def test_a_variable_that_joins_is_like_any_other(registry: Registry) -> None:
    DynamicVariables(registry).add(cold(), Effect.INTERNAL, tick=4, who="the flu")
    assert registry.get("cold", "engine").tolist() == [[0.25] * 3] * 2
    registry.set("cold", np.full((2, 3), 0.5, np.float32), "engine", tick=5, who="a test")
    with pytest.raises(AccessError, match="may not read 'cold'"):
        registry.get("cold", "seat")
    with pytest.raises(ValueError, match=r"takes \[0, 1\], found 2.0"):
        registry.set("cold", np.full((2, 3), 2.0, np.float32), "engine", tick=5, who="a test")
    registry.reset()
    assert registry.get("cold", "engine").tolist() == [[0.25] * 3] * 2
    assert registry.roster.ids == ("fuel", "is_dry", "tag", "cold")


def test_every_change_is_on_the_record_with_the_schema_it_led_to(registry: Registry) -> None:
    dynamic = DynamicVariables(registry)
    before = registry.roster.schema_hash
    dynamic.add(cold(), Effect.INTERNAL, tick=4, who="the flu")
    grown = registry.roster.schema_hash
    dynamic.remove("cold", Effect.INTERNAL, tick=9, who="a doctor")
    assert [
        (m.generation, m.tick, m.who, m.added, m.variable, m.effect, m.schema_hash)
        for m in dynamic.mutations
    ] == [
        (1, 4, "the flu", True, "cold", Effect.INTERNAL, grown),
        (2, 9, "a doctor", False, "cold", Effect.INTERNAL, before),
    ]
    assert grown != before
    with pytest.raises(UnknownVariableError):
        registry.get("cold", "engine")


@pytest.mark.parametrize(
    ("exposed", "claimed", "wanted"),
    [
        ((), Effect.OBSERVED, "is not exposed; its effect is 'shape_stable_internal'"),
        (
            ("agent",),
            Effect.INTERNAL,
            "is exposed to agent; its effect is 'observation_schema_changed'",
        ),
    ],
)
def test_a_change_does_what_it_says_and_no_more(
    registry: Registry, exposed: tuple[str, ...], claimed: Effect, wanted: str
) -> None:
    dynamic = DynamicVariables(registry)
    spec = cold(exposed_to=exposed, readable_by=("agent", "engine"))
    right = Effect.OBSERVED if exposed else Effect.INTERNAL
    with pytest.raises(DynamicError, match=wanted):
        dynamic.add(spec, claimed, tick=1, who="a test")
    assert "cold" not in registry.roster
    dynamic.add(spec, right, tick=1, who="a test")
    with pytest.raises(DynamicError, match=wanted):
        dynamic.remove("cold", claimed, tick=2, who="a test")
    assert "cold" in registry.roster
    assert len(dynamic.mutations) == 1


def test_what_rules_work_on_stays_and_goes_on_working(registry: Registry) -> None:
    burn = WriteSpec(target="fuel", expression=-0.5, composition="additive_delta")
    rule = RuleSpec(id="burn", phase="apply_passive_depletion", writes=(burn,))
    bound = compile_transition(ROSTER, [rule]).bind(registry, "interpreter")
    dynamic = DynamicVariables(registry)
    with pytest.raises(DynamicError, match="'fuel' is what compiled rules work on; it stays"):
        dynamic.remove("fuel", Effect.INTERNAL, tick=1, who="a test")
    dynamic.add(cold(), Effect.INTERNAL, tick=1, who="a test")
    bound.step(1, np.ones((2, 3), np.bool_))
    assert registry.get("fuel", "engine").tolist() == [[0.5] * 3] * 2
    dynamic.remove("tag", Effect.INTERNAL, tick=2, who="a test")
    assert registry.roster.ids == ("fuel", "is_dry", "cold")


def test_a_mistaken_variable_does_not_join(registry: Registry) -> None:
    dynamic = DynamicVariables(registry)
    with pytest.raises(AuthorError, match="'fuel' is declared already"):
        dynamic.add(cold(id="fuel"), Effect.INTERNAL, tick=1, who="a test")
    with pytest.raises(AuthorError, match=r"'warder' in readable_by, .* did you mean 'warden'"):
        dynamic.add(cold(readable_by=("warder",)), Effect.INTERNAL, tick=1, who="a test")
    with pytest.raises(DynamicError, match="'cold' is derived"):
        dynamic.add(
            cold(initial=None, expression="fuel"), Effect.INTERNAL, tick=1, who="a test"
        )  # fmt: skip
    with pytest.raises(DynamicError, match="'cold' names agent 7, who is not there"):
        dynamic.add(cold(initial_at={"7": 0.5}), Effect.INTERNAL, tick=1, who="a test")
    with pytest.raises(UnknownVariableError, match="no variable 'fule'; did you mean 'fuel'"):
        dynamic.remove("fule", Effect.INTERNAL, tick=1, who="a test")
    assert registry.roster == ROSTER
    assert dynamic.mutations == []
