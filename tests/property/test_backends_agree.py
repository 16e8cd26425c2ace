"""Backends agree: random typed programs, run by the reference and by the generated kernel.

Most examples run the kernel's source as plain Python, which is the same text Numba compiles (NumPy
scalars keep 32 bits, as machine code does); a few large programs go through Numba itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from creatura.errors import RunError
from creatura.vfs import Extents, Registry, VariableSpec, build_roster
from creatura.vtc import PHASES, RuleSpec, Transition, WriteSpec, compile_transition
from creatura.vtc.kernels import parameters_of, source_of

STORED = {
    "flag": ("global", "bool"),
    "door": ("global", "bool"),
    "count": ("global", "int"),
    "level": ("global", "scalar"),
    "heat": ("global", "scalar"),
    "is_open": ("agent", "bool"),
    "coins": ("agent", "int"),
    "energy": ("agent", "scalar"),
    "mood": ("agent", "scalar"),
}
DERIVED = {
    "calm": ("global", "bool", "heat < 1 and not any(is_open)"),
    "ratio": ("agent", "scalar", "energy / coins"),
}
RANGES = {"heat": (-5.0, 5.0), "coins": (-3, 900)}
INITIAL = {"bool": False, "int": 2, "scalar": 0.5}

ROSTER = build_roster(
    [
        VariableSpec(
            id=name,
            scope=scope,
            type=kind,
            initial=INITIAL[kind],
            range=RANGES.get(name),
            lifetime="tick" if name in ("door", "mood") else "episode",
        )
        for name, (scope, kind) in STORED.items()
    ]
    + [
        VariableSpec(id=name, scope=scope, type=kind, expression=text)
        for name, (scope, kind, text) in DERIVED.items()
    ]
)
KINDS = {name: (scope, kind) for name, (scope, kind, *_) in {**STORED, **DERIVED}.items()}

_NAN = "(3e38 * 9 - 3e38 * 9)"  # no state holds one, so programs have to make it
LITERALS = {
    "bool": st.sampled_from(["true", "false"]),
    "int": st.sampled_from(["0", "1", "-3", "7", "1000000007", "9223372036854775807"]),
    "scalar": st.sampled_from(
        ["0.0", "-0.0", "0.1", "-1.5", "3e38", "1e-40", "16777217.0", "(3e38 * 9)", _NAN]
    ),
}
VALUES = {
    "bool": st.booleans(),
    "int": st.sampled_from([0, 1, -1, 3, -7, 2**24 + 1, 2**53 + 1, 2**62, -(2**63)]),
    "scalar": st.sampled_from([0.0, -0.0, 1.0, -2.5, 0.1, 3e38, -3e38, 1e-45, 7.0]),
}


@st.composite
def expressions(draw: st.DrawFn, kind: str, of_agents: bool, depth: int = 3) -> str:
    """Draws a well-typed expression; `of_agents` lets it read agents' variables."""
    leaf = depth == 0 or draw(st.integers(0, 3)) == 0
    if leaf:
        fitting = [
            name
            for name, (scope, found) in KINDS.items()
            if found == kind and (of_agents or scope == "global")
        ] + (["tick"] if kind == "int" else [])
        return draw(LITERALS[kind] | st.sampled_from(fitting))

    def part(of: str, agents: bool = of_agents) -> str:
        return draw(expressions(of, agents, depth - 1))

    if kind == "bool":
        return draw(st.sampled_from(_BOOL_FORMS))(part, draw)
    number = draw(st.sampled_from(["int", "scalar"])) if kind == "scalar" else kind
    return draw(st.sampled_from(_SCALAR_FORMS if kind == "scalar" else _NUMBER_FORMS))(
        part, kind, number
    )


_BOOL_FORMS = [
    lambda part, draw: f"({part('bool')} and {part('bool')})",
    lambda part, draw: f"({part('bool')} or not {part('bool')})",
    lambda part, draw: f"({part('bool')} & ~({part('bool')}) | {part('bool')})",
    lambda part, draw: f"({part('bool')} != {part('bool')})",
    lambda part, draw: f"where({part('bool')}, {part('bool')}, {part('bool')})",
    lambda part, draw: f"any({part('bool', True)} and is_open)",
    lambda part, draw: f"all({part('bool', True)} or is_open)",
    lambda part, draw: f"({part(draw(_NUMBERS))} {draw(_COMPARISONS)} {part(draw(_NUMBERS))})",
]
_NUMBERS = st.sampled_from(["int", "scalar"])
_COMPARISONS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
_NUMBER_FORMS = [
    lambda part, kind, other: f"({part(kind)} + {part(other)})",
    lambda part, kind, other: f"({part(other)} - {part(kind)})",
    lambda part, kind, other: f"({part(kind)} * {part(other)})",
    lambda part, kind, other: f"min({part(kind)}, {part(other)})",
    lambda part, kind, other: f"max({part(other)}, {part(kind)})",
    lambda part, kind, other: f"clamp({part(kind)}, {part(other)}, {part(other)})",
    lambda part, kind, other: f"where({part('bool')}, {part(kind)}, {part(other)})",
    lambda part, kind, other: f"-abs({part(kind)})",
]
_SCALAR_FORMS = [
    *_NUMBER_FORMS,
    lambda part, kind, other: f"({part(other)} / {part(kind)})",
    lambda part, kind, other: f"({part('int')} / {part('int')})",
]


@st.composite
def rules(draw: st.DrawFn, phases: tuple[str, ...] = PHASES[12:17:2]) -> RuleSpec:
    """Draws a rule of one or two writes that compiles whatever it is joined with."""
    index = draw(st.integers(0, 2**40))
    count = draw(st.integers(1, 2))
    condition = draw(st.none() | expressions("bool", False))
    return RuleSpec(
        id=f"rule-{index}",
        phase=draw(st.sampled_from(phases)),
        condition=condition,
        writes=[draw(writes(2 * index + here + 1)) for here in range(count)],
    )


@st.composite
def writes(draw: st.DrawFn, priority: int) -> WriteSpec:
    target = draw(st.sampled_from(sorted(STORED)))
    scope, kind = STORED[target]
    folding = ["min", "max"] if kind == "bool" else ["min", "max", *_DELTAS]
    composition = draw(st.sampled_from([*folding, "overwrite", "last_write_wins", "clamp"]))
    if composition == "clamp" and kind == "bool":
        composition = "priority_write"
    reads_agents = scope == "agent" or composition in folding
    bounds = (-2, 40) if kind == "int" else (-2.5, 1e30)
    needs_clamp = composition == "clamp"
    return WriteSpec(
        target=target,
        expression=None if needs_clamp else draw(expressions(kind, reads_agents)),
        composition=composition,
        condition=draw(st.none() | expressions("bool", reads_agents)),
        clamp=bounds if needs_clamp or (kind != "bool" and draw(st.booleans())) else None,
        priority=priority,
    )


_DELTAS = ["additive_delta", "multiplicative_modifier"]


def programs(smallest: int, largest: int, phases: tuple[str, ...]) -> st.SearchStrategy[Any]:
    return st.lists(rules(phases), min_size=smallest, max_size=largest, unique_by=lambda r: r.id)


@st.composite
def states(draw: st.DrawFn, shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
    state = {}
    for name, (scope, kind) in STORED.items():
        size = shape[:1] if scope == "global" else shape
        dtype = {"bool": np.bool_, "int": np.int64, "scalar": np.float32}[kind]
        drawn = [draw(VALUES[kind]) for _ in range(int(np.prod(size)))]
        state[name] = np.array(drawn, dtype=dtype).reshape(size)
    return state


SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 3))


@st.composite
def cases(draw: st.DrawFn, smallest: int = 1, largest: int = 4) -> Any:
    shape = draw(SHAPES)
    flags = st.lists(st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    live = np.array([draw(flags) for _ in range(2)]).reshape(2, *shape)
    return draw(programs(smallest, largest, PHASES[11:18])), draw(states(shape)), live


def fresh(state: dict[str, NDArray[Any]], shape: tuple[int, int]) -> Registry:
    """Puts a state into a registry as it is, out-of-range values included."""
    registry = Registry(ROSTER, Extents(*shape))
    for variable, tensor in registry.lend("vtc", STORED, STORED).items():
        if variable in state:
            tensor.numpy()[...] = state[variable]
    return registry


def outcome(registry: Registry, error: str) -> dict[str, Any]:
    """Everything a step leaves behind, to the bit."""
    held = registry.reader("vtc", ROSTER.ids)
    return {"error": error} | {name: (a.tobytes(), a.tolist()) for name, a in held.items()}


def run(
    transition: Transition, state: dict[str, Any], live: NDArray[Any], backend: str, checked: bool
) -> list[dict[str, Any]]:
    """Steps once a row of `live` and returns what each step left."""
    registry = fresh(state, live.shape[1:])
    left = []
    bound = transition.bind(registry, "interpreter" if backend == "plain" else backend, checked)
    if backend == "plain":
        bound._backend = Plain(transition, registry, checked)
    for tick, alive in enumerate(live, 1):
        error = ""
        try:
            bound.step(tick, alive)
        except RunError as raised:
            error = str(raised)
        left.append(outcome(registry, error))
    return left


class Plain:
    """Runs a kernel's source without Numba."""

    def __init__(self, transition: Transition, registry: Registry, checked: bool) -> None:
        plan, names = transition.plan, {}
        exec(compile(source_of(plan, checked), "kernel", "exec"), names)
        self._step = names["step"]
        tensors = registry.lend("vtc", plan.reads, plan.writes)
        dtypes = {"bool": np.bool_, "int": np.int64, "scalar": np.float32}
        self._arrays = [
            np.empty(registry.extents.num_agents, dtypes[parameter.type])
            if parameter.variable is None
            else tensors[parameter.variable].numpy()
            for parameter in parameters_of(plan)
        ]

    def step(self, tick: int, live: NDArray[Any]) -> Any:
        from creatura.vtc.ir import Fault

        fault = np.zeros(4)
        with np.errstate(all="ignore"):
            self._step(np.int64(tick), live, fault, *self._arrays)
        site, world, agent, value = fault.tolist()
        return None if site < 0 else Fault(int(site), int(world), int(agent), value)


@given(case=cases(), checked=st.booleans())
@settings(max_examples=250)
def test_the_kernel_does_what_the_interpreter_does(case: Any, checked: bool) -> None:
    program, state, live = case
    transition = compile_transition(ROSTER, program)
    expected = run(transition, state, live, "interpreter", checked)
    assert run(transition, state, live, "plain", checked) == expected, source_of(
        transition.plan, checked
    )


@given(case=cases(smallest=3, largest=5), checked=st.booleans())
@settings(max_examples=4)
def test_machine_code_does_what_the_interpreter_does(case: Any, checked: bool) -> None:
    program, state, live = case
    transition = compile_transition(ROSTER, program)
    expected = run(transition, state, live, "interpreter", checked)
    assert run(transition, state, live, "fused", checked) == expected


@pytest.mark.parametrize("backend", ["interpreter", "plain"])
@given(case=cases(), checked=st.booleans())
@settings(max_examples=50)
def test_a_world_in_a_batch_does_what_it_does_alone(backend: str, case: Any, checked: bool) -> None:
    program, state, live = case
    transition = compile_transition(ROSTER, program)
    together = run(transition, state, live, backend, checked)[-1]
    for world in range(live.shape[1]):
        one = {name: values[world : world + 1] for name, values in state.items()}
        alone = run(transition, one, live[:, world : world + 1], backend, checked)[-1]
        for name in ROSTER.ids:
            assert alone[name][1] == [together[name][1][world]], name


@pytest.mark.parametrize("backend", ["interpreter", "plain"])
@given(case=cases(), checked=st.booleans())
@settings(max_examples=50)
def test_what_is_not_live_does_not_change(backend: str, case: Any, checked: bool) -> None:
    program, state, live = case
    transition = compile_transition(ROSTER, program)
    left = run(transition, state, live[:1], backend, checked)[0]
    for name, (scope, _) in STORED.items():
        before, after = state[name].tolist(), left[name][1]
        for world, alive in enumerate(live[0]):
            if scope == "global" and not alive.any():
                assert before[world] == after[world], name
            for agent, is_live in enumerate(alive):
                if scope == "agent" and not is_live:
                    assert before[world][agent] == after[world][agent], name
