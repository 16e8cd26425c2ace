"""Audit: an audited registry knows of every write who made it, those of compiled rules included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from creatura.vfs import Extents, Registry, VariableSpec, build_roster
from creatura.vtc import RuleSpec, WriteSpec, compile_transition

ROSTER = build_roster(
    [
        VariableSpec(id="heat", type="scalar", initial=0.5),
        VariableSpec(id="coins", scope="agent", type="int", initial=0),
        VariableSpec(id="warm", type="bool", expression="heat > 0.25"),
    ]
)
RULES = [
    RuleSpec(
        id="cooling",
        phase="apply_passive_depletion",
        condition="warm",
        writes=[WriteSpec(target="heat", expression=-0.25, composition="additive_delta")],
    ),
    RuleSpec(
        id="wages",
        phase="apply_modulations",
        writes=[WriteSpec(target="coins", expression=1, composition="additive_delta")],
    ),
]
LIVE = np.ones((2, 2), dtype=np.bool_)


def bound(*, audit: bool, backend: Any = "fused") -> tuple[Registry, Any]:
    registry = Registry(ROSTER, Extents(2, 2), audit=audit)
    return registry, compile_transition(ROSTER, RULES).bind(registry, backend)


def told(registry: Registry) -> list[tuple[int, str, str, str]]:
    assert all(attempt.refusal is None for attempt in registry.attempts)
    return [(a.tick, a.who, a.role, a.variable) for a in registry.attempts]


@pytest.mark.parametrize("backend", ["fused", "interpreter"])
def test_every_write_of_a_rule_is_attributable(backend: str) -> None:
    registry, transition = bound(audit=True, backend=backend)
    transition.refresh()
    for tick in (1, 2):
        transition.step(tick, LIVE)
    assert told(registry) == [
        (0, "derived.warm", "vtc", "warm"),
        (1, "cooling", "vtc", "heat"),
        (1, "wages", "vtc", "coins"),
        (1, "derived.warm", "vtc", "warm"),
        # Cold at the end of tick 1, so cooling applied nowhere in tick 2.
        (2, "wages", "vtc", "coins"),
        (2, "derived.warm", "vtc", "warm"),
    ]


def test_a_step_that_is_audited_gives_the_same_values_and_one_that_is_not_keeps_nothing() -> None:
    values = []
    for audit in (True, False):
        registry, transition = bound(audit=audit)
        transition.refresh()
        for tick in (1, 2, 3):
            transition.step(tick, LIVE)
        values.append({name: array.tolist() for name, array in registry.snapshot().items()})
    assert values[0] == values[1]
    assert not registry.attempts
