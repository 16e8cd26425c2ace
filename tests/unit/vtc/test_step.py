"""Steps: what phases, compositions, conditions, folds and faults mean, on both back-ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from creatura.errors import RunError
from creatura.vfs import Extents, Registry, VariableSpec, build_roster
from creatura.vtc import RuleSpec, WriteSpec, compile_transition

GLOBALS: dict[str, bool | int | float] = {
    "flag": False, "door": False, "count": 0, "other": 0, "heat": 0.0, "level": 0.0,
}  # fmt: skip
AGENTS: dict[str, bool | int | float] = {"open": False, "coins": 0, "energy": 0.0, "mood": 0.0}
TYPES = {bool: "bool", int: "int", float: "scalar"}


def variables(**changes: Any) -> list[VariableSpec]:
    """Declares the variables above; `name=dict(...)` changes one or adds one."""
    specs: dict[str, dict[str, Any]] = {
        name: {"id": name, "scope": scope, "type": TYPES[type(initial)], "initial": initial}
        for scope, table in (("global", GLOBALS), ("agent", AGENTS))
        for name, initial in table.items()
    }
    for name, fields in changes.items():
        specs[name] = {"id": name, **specs.get(name, {}), **fields}
    return [VariableSpec(**fields) for fields in specs.values()]


def rule(target: str, value: Any, *, phase: str = "apply_modulations", **more: Any) -> RuleSpec:
    name, condition = more.pop("id", f"{target} {value} {more}"), more.pop("when", None)
    write = WriteSpec(target=target, expression=value, **more)
    return RuleSpec(id=name, phase=phase, condition=condition, writes=(write,))


class Room:
    """A registry and a bound transition; `room["coins"]` reads, `room["coins"] = x` writes."""

    def __init__(
        self,
        backend: str,
        rules: Sequence[RuleSpec],
        *,
        shape: tuple[int, int] = (1, 1),
        checked: bool = False,
        **changes: Any,
    ) -> None:
        roster = build_roster(variables(**changes))
        self.registry = Registry(roster, Extents(*shape))
        self.bound = compile_transition(roster, rules).bind(self.registry, backend, checked)  # type: ignore[arg-type]
        self.shape = shape

    def __getitem__(self, variable: str) -> Any:
        return self.registry.get(variable, "engine").tolist()

    def __setitem__(self, variable: str, value: Any) -> None:
        held = self.registry.get(variable, "engine").numpy()
        self.registry.set(
            variable, np.broadcast_to(value, held.shape).astype(held.dtype), "vtc",
            tick=0, who="a test",
        )  # fmt: skip

    def step(self, tick: int = 1, live: Any = True) -> None:
        self.bound.step(tick, np.broadcast_to(live, self.shape).copy())

    def fault(self, tick: int = 1, live: Any = True) -> str:
        with pytest.raises(RunError) as caught:
            self.step(tick, live)
        return str(caught.value)


def value_of(backend: str, expression: str, target: str = "heat") -> Any:
    """Evaluates an expression by a rule that writes it."""
    room = Room(backend, [rule(target, expression)])
    room.step(tick=5)
    return room[target][0]


@pytest.mark.parametrize(
    ("expression", "target", "value"),
    [
        ("2 + 3 * 4 - 1", "count", 13),
        ("2 - 3 - 4", "count", -5),
        ("-2 * -3", "count", 6),
        ("8 / 4 / 2", "heat", 1.0),
        ("7 / 2", "heat", 3.5),
        ("7 / 0", "heat", 0.0),
        ("7 / -0.0", "heat", 0.0),
        ("tick * 2", "count", 10),
        ("abs(3 - 5)", "count", 2),
        ("min(2, 1.5) + max(1, 2)", "heat", 3.5),
        ("clamp(9, 0, 5) + clamp(-9, 0, 5)", "count", 5),
        ("where(1 < 2, 3, 4)", "count", 3),
        ("9223372036854775807 + 1", "count", -(2**63)),
        ("16777217 + 0.0", "heat", 16777216.0),
        ("not 1 < 2", "flag", False),
        ("not false and false", "flag", False),
        ("true or true and false", "flag", True),
        ("true | true & false", "flag", True),
        ("~false & ~false", "flag", True),
        ("1 + 1 == 2 and true != false", "flag", True),
        ("any(open) or not all(open)", "flag", True),
    ],
)
def test_an_expression_has_its_value(
    backend: str, expression: str, target: str, value: Any
) -> None:
    found = value_of(backend, expression, target)
    assert (found, type(found)) == (value, type(value))


def test_a_smaller_zero_is_the_first_one(backend: str) -> None:
    texts = ["min(0.0, -0.0)", "min(-0.0, 0.0)", "max(0.0, -0.0)", "max(-0.0, 0.0)"]
    signs = [np.signbit(value_of(backend, text)) for text in texts]
    assert signs == [False, True, False, True]


@pytest.mark.parametrize(
    "expression",
    ["max({0}, 1)", "max(1, {0})", "min({0}, 1)", "min(1, {0})", "clamp({0}, 0, 1)",
     "clamp(1, {0}, 2)", "{0} + 1", "{0} * 0", "{0} / 2"],
)  # fmt: skip
def test_what_is_no_number_passes_no_bound(backend: str, expression: str) -> None:
    nan = "(3e38 * 9 - 3e38 * 9)"
    room = Room(backend, [rule("heat", expression.format(nan), id="melt")])
    assert room.fault() == "tick 1: rule 'melt' computes nan for 'heat' (world 0)"


def test_rules_of_a_phase_read_the_state_it_found(backend: str) -> None:
    room = Room(backend, [rule("count", "other"), rule("other", "count")])
    room["count"], room["other"] = 1, 2
    room.step()
    assert (room["count"], room["other"]) == ([2], [1])


def test_a_later_phase_reads_what_an_earlier_one_wrote(backend: str) -> None:
    room = Room(
        backend,
        [
            rule("other", "count", phase="emit_telemetry"),
            rule("count", "count + 1", phase="ingest_actions"),
        ],
    )
    room.step()
    assert (room["count"], room["other"]) == ([1], [1])


@pytest.mark.parametrize(
    ("composition", "value", "left"),
    [
        ("overwrite", 3, 3),
        ("last_write_wins", 3, 3),
        ("additive_delta", 3, 13),
        ("multiplicative_modifier", 3, 30),
        ("min", 3, 3),
        ("min", 30, 10),
        ("max", 3, 10),
        ("max", 30, 30),
    ],
)
def test_a_composition_joins_what_is_there(
    backend: str, composition: str, value: int, left: int
) -> None:
    room = Room(backend, [rule("count", value, composition=composition)])
    room["count"] = 10
    room.step()
    assert room["count"] == [left]


@pytest.mark.parametrize(
    ("composition", "before", "value", "after"),
    [
        ("max", False, True, True),
        ("max", True, False, True),
        ("min", True, False, False),
        ("min", True, True, True),
    ],
)
def test_of_bools_max_is_or_and_min_is_and(
    backend: str, composition: str, before: bool, value: bool, after: bool
) -> None:
    room = Room(backend, [rule("flag", value, composition=composition)])
    room["flag"] = before
    room.step()
    assert room["flag"] == [after]


def test_writes_of_one_variable_go_by_priority_then_declaration(backend: str) -> None:
    rules = [
        rule("count", 5, priority=2, composition="priority_write"),
        rule("count", 1, composition="additive_delta"),
        rule("count", 10, composition="multiplicative_modifier"),
        rule("other", 1, composition="additive_delta"),
        rule("other", 10, composition="multiplicative_modifier"),
    ]
    room = Room(backend, rules)
    room["count"] = room["other"] = 2
    room.step()
    assert (room["count"], room["other"]) == ([5], [30])


def test_of_last_writes_the_last_wins(backend: str) -> None:
    rules = [rule("count", value, composition="last_write_wins") for value in (1, 2)]
    room = Room(backend, rules)
    room.step()
    assert room["count"] == [2]


def test_a_clamp_holds_its_own_write_and_a_bare_one_holds_what_is_there(backend: str) -> None:
    rules = [
        rule("count", 100, composition="additive_delta", clamp=(0, 9)),
        rule("heat", None, composition="clamp", clamp=(-1, 1)),
        rule("level", 100, composition="additive_delta", clamp=(0, 9), when="flag"),
    ]
    room = Room(backend, rules)
    room["heat"], room["level"] = -4.0, 50.0
    room.step()
    assert (room["count"], room["heat"], room["level"]) == ([9], [-1.0], [50.0])


def test_a_condition_picks_rows(backend: str) -> None:
    write = WriteSpec(target="energy", expression=1.0, condition="coins > 2")
    rules = [RuleSpec(id="eat", phase="apply_modulations", condition="open", writes=[write])]
    room = Room(backend, rules, shape=(2, 2))
    room["open"], room["coins"] = [[True, True], [False, True]], [[3, 2], [3, 3]]
    room.step()
    assert room["energy"] == [[1.0, 0.0], [0.0, 1.0]]


def test_agents_fold_into_a_global_in_their_order(backend: str) -> None:
    rules = [rule("heat", "energy", composition="additive_delta", when="open")]
    room = Room(backend, rules, shape=(2, 4))
    # In 32 bits 1e8 + 3 is lost and -1e8 brings nothing back, so the order shows.
    room["energy"] = [[1e8, 3.0, -1e8, 5.0], [3.0, 1e8, -1e8, 7.0]]
    room["open"] = [[True, True, True, False], [True, True, True, True]]
    room.step()
    expected = [np.float32(1e8) + np.float32(3) - np.float32(1e8), np.float32(7)]
    assert room["heat"] == [float(value) for value in expected]


def test_a_fold_is_clamped_once_all_agents_have_had_their_turn(backend: str) -> None:
    rules = [rule("count", "coins", composition="additive_delta", clamp=(0, 10))]
    room = Room(backend, rules, shape=(1, 3))
    room["coins"] = [[9, 9, -12]]
    room.step()
    assert room["count"] == [6]


def test_a_fold_that_touches_nothing_clamps_nothing(backend: str) -> None:
    rules = [rule("count", 1, composition="additive_delta", clamp=(0, 5), when="open")]
    room = Room(backend, rules, shape=(1, 2))
    room["count"] = 50
    room.step()
    assert room["count"] == [50]


def test_a_tool_lands_where_it_was_called(backend: str) -> None:
    tool = rule(
        "flag", True, composition="max", when="coins == 2 and open", phase="apply_action_effects"
    )
    room = Room(backend, [tool], shape=(3, 2))
    room["coins"], room["open"] = [[2, -1], [2, 2], [1, 2]], [[True], [False], [True]]
    room.step()
    assert room["flag"] == [True, False, True]


def test_any_and_all_ask_every_agent_live_or_not(backend: str) -> None:
    room = Room(backend, [rule("flag", "any(open)"), rule("door", "all(open)")], shape=(3, 2))
    room["open"] = [[True, False], [True, True], [False, False]]
    room.step(live=[[False, True], [True, True], [True, True]])
    assert (room["flag"], room["door"]) == ([True, True, False], [False, True, False])


def test_what_lives_a_tick_returns_to_its_start_each_step(backend: str) -> None:
    rules = [rule("heat", "heat + 1"), rule("mood", "mood + 1")]
    room = Room(backend, rules, shape=(1, 2), heat={"lifetime": "tick"}, mood={"lifetime": "tick"})
    for _ in range(3):
        room.step(live=[[True, False]])
    assert (room["heat"], room["mood"]) == ([1.0], [[1.0, 0.0]])


def test_a_variable_of_one_tick_is_cleared_though_no_rule_names_it(backend: str) -> None:
    room = Room(backend, [], door={"lifetime": "tick", "writable_by": ("engine", "vtc")})
    room["door"] = True
    room.step()
    assert room["door"] == [False]


@pytest.mark.parametrize("phase", ["apply_modulations", "clamp_and_validate", "emit_telemetry"])
def test_a_declared_range_holds_whenever_a_rule_writes(backend: str, phase: str) -> None:
    rules = [rule("heat", "heat + 9", phase=phase, priority=7), rule("coins", -9, phase=phase)]
    room = Room(backend, rules, heat={"range": (-5, 5)}, coins={"range": (0, 3)})
    room.step()
    assert (room["heat"], room["coins"]) == ([5.0], [[0]])


DERIVED = {
    "warm": {"expression": "heat > 3", "type": "bool"},
    "alarm": {"expression": "warm and any(open)", "type": "bool"},
    "share": {"expression": "coins / 4", "type": "scalar", "scope": "agent", "range": (0, 1)},
}


def test_derived_values_hold_after_a_step_and_after_a_refresh(backend: str) -> None:
    room = Room(backend, [rule("heat", "heat + 2")], shape=(2, 2), **DERIVED)
    room["heat"], room["open"], room["coins"] = [2.0, 0.0], [[True], [False]], [[1, 9], [0, 2]]
    room.step()
    assert (room["warm"], room["alarm"]) == ([True, False], [True, False])
    assert room["share"] == [[0.25, 1.0], [0.0, 0.5]]
    room.registry.reset()
    room.bound.refresh()
    assert (room["warm"], room["alarm"]) == ([False, False], [False, False])
    assert room["share"] == [[0.0, 0.0], [0.0, 0.0]]


def test_a_rule_reads_a_derived_value_as_of_its_phase(backend: str) -> None:
    rules = [
        rule("heat", 5.0, phase="ingest_actions"),
        rule("flag", "alarm", phase="apply_modulations"),
    ]
    room = Room(backend, rules, **DERIVED)
    room["open"] = True
    room.step()
    assert room["flag"] == [True]


@pytest.mark.parametrize("phase", ["emit_observation_features", "emit_telemetry"])
def test_a_late_write_leaves_no_derived_value_stale(backend: str, phase: str) -> None:
    room = Room(backend, [rule("heat", 5.0, phase=phase)], **DERIVED)
    room.step()
    assert room["warm"] == [True]


def test_agents_that_are_not_live_neither_change_nor_count(backend: str) -> None:
    rules = [
        rule("coins", "coins + 1"),
        rule("count", "coins", composition="additive_delta"),
        rule("other", "other + 1"),
    ]
    room = Room(backend, rules, shape=(2, 2))
    room["coins"] = [[1, 2], [3, 4]]
    room.step(live=[[True, False], [False, False]])
    assert room["coins"] == [[2, 2], [3, 4]]
    assert (room["count"], room["other"]) == ([1, 0], [1, 0])


def test_a_fault_keeps_its_phase_out_of_its_world_only(backend: str) -> None:
    rules = [
        rule("other", 1, phase="ingest_actions"),
        rule("heat", "level * 3e38", id="melt"),
        rule("count", 1),
        rule("door", True, phase="emit_telemetry"),
    ]
    room = Room(backend, rules, shape=(3, 1))
    room["level"] = [0.0, 9.0, 1.0]
    assert room.fault(tick=4) == "tick 4: rule 'melt' computes inf for 'heat' (world 1)"
    assert room["other"] == [1, 1, 1]
    assert room["count"] == [1, 0, 1]
    assert room["door"] == [True, False, True]
    assert room["heat"] == [0.0, 0.0, pytest.approx(3e38)]


def test_of_several_faults_the_first_by_phase_write_world_and_agent_is_raised(
    backend: str,
) -> None:
    rules = [
        rule("mood", "count * 3e38", id="late", phase="apply_threshold_cascades"),
        rule("energy", "coins * 3e38", id="second"),
        rule("heat", "level * -3e38", id="first"),
    ]
    room = Room(backend, rules, shape=(3, 3))
    room["count"], room["level"] = [9, 0, 0], [0.0, 0.0, 9.0]
    room["coins"] = [[0, 0, 0], [0, 9, 9], [9, 0, 0]]
    assert room.fault() == "tick 1: rule 'first' computes -inf for 'heat' (world 2)"
    room["level"] = 0.0
    assert room.fault() == "tick 1: rule 'second' computes inf for 'energy' (world 1, agent 1)"
    room["coins"] = 0
    assert room.fault() == "tick 1: rule 'late' computes inf for 'mood' (world 0, agent 0)"


def test_a_division_by_zero_outranks_no_earlier_write(backend: str) -> None:
    rules = [
        rule("heat", "3e38 * 9", id="melts"),
        rule("heat", "1 / count", id="splits", composition="additive_delta"),
    ]
    room = Room(backend, rules, checked=True)
    assert room.fault() == "tick 1: rule 'melts' computes inf for 'heat' (world 0)"


def test_the_rule_to_blame_is_the_one_that_left_the_finite(backend: str) -> None:
    rules = [
        rule("heat", "3e38", id="warms", composition="additive_delta"),
        rule("heat", "3e38", id="melts", composition="additive_delta"),
        rule("heat", "1.0", id="adds", composition="additive_delta"),
    ]
    assert Room(backend, rules).fault() == "tick 1: rule 'melts' computes inf for 'heat' (world 0)"


def test_what_a_later_write_puts_right_is_no_fault(backend: str) -> None:
    rules = [
        rule("heat", "3e38 * 9", id="melts"),
        rule("heat", "2.0", id="mends", priority=1),
        rule("level", "3e38 * 9", clamp=(0, 7)),
    ]
    room = Room(backend, rules)
    room.step()
    assert (room["heat"], room["level"]) == ([2.0], [7.0])


def test_a_fault_where_no_rule_applies_is_none(backend: str) -> None:
    rules = [rule("energy", "energy * 3e38", when="open")]
    room = Room(backend, rules, shape=(1, 3))
    room["energy"], room["open"] = 9.0, [[False, False, True]]
    room.step(live=[[True, True, False]])
    assert room["energy"] == [[9.0, 9.0, 9.0]]


CHECKED = [
    ("heat", "1 / count", None, True),
    ("heat", "1.0", "1 / count > 0", True),
    ("heat", "1.0 + 0 * (1 / (1 / count))", None, True),
    ("heat", "where(count == 0, 1, 2 / count)", None, False),
    ("heat", "where(count != 0, 1, 2 / count)", None, True),
    ("flag", "count != 0 and 1 / count > 2", None, False),
    ("flag", "1 / count > 2 and count != 0", None, True),
    ("flag", "count == 0 or 1 / count > 2", None, False),
    ("flag", "count != 0 or 1 / count > 2", None, True),
    ("flag", "any(1 / coins > 2)", None, True),
    ("heat", "1 / count", "count > 0", False),
]


@pytest.mark.parametrize(("target", "value", "when", "is_fault"), CHECKED)
def test_checked_mode_stops_a_division_by_zero_that_counts(
    backend: str, target: str, value: str, when: str | None, is_fault: bool
) -> None:
    rules = [rule(target, value, when=when, id="split")]
    room = Room(backend, rules, checked=True)
    if is_fault:
        assert room.fault() == f"tick 1: rule 'split' divides by zero for '{target}' (world 0)"
    else:
        room.step()
    Room(backend, rules).step()


def test_checked_mode_names_the_agent(backend: str) -> None:
    room = Room(backend, [rule("energy", "1 / coins", id="split")], shape=(2, 2), checked=True)
    room["coins"] = [[1, 2], [3, 0]]
    expected = "tick 1: rule 'split' divides by zero for 'energy' (world 1, agent 1)"
    assert room.fault() == expected
    assert room["energy"] == [[1.0, 0.5], [0.0, 0.0]]


@pytest.mark.parametrize("live", [np.ones((1, 1)), np.ones(1, bool), np.ones((2, 1), bool)])
def test_live_must_have_the_shape_of_the_batch(backend: str, live: Any) -> None:
    with pytest.raises(ValueError, match=r"live takes bool \[1, 1\]"):
        Room(backend, []).bound.step(1, live)
