"""Tokens: what stands where in a row, what is shown to whom, and that nothing ever moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from creatura.errors import AuthorError
from creatura.protocols import Brief, Goal, Tool
from creatura.vfs import Extents, Holders, Registry, Roster, VariableSpec, build_roster
from creatura.vfs.encoder import Encoder
from creatura.vfs.schema import TokenType
from creatura.vfs.tokens import PAYLOADS, TokenLayout, compile_tokens

HOLDERS = Holders(
    groups=("north", "south"),
    zones=("harbour", "market", "mill"),
    affordances=("bed", "well"),
    items={"lantern": "lamp", "loaf": "food", "torch": "lamp"},
    num_slots=2,
)
FACTS = ("packed", "sailed")
BRIEF = Brief(
    world="pier",
    title="sail",
    facts=FACTS,
    tools=(Tool("pack", 0, 0, 0b01), Tool("sail", 1, 0b01, 0b10, release=True, cost=1.0)),
    goal=Goal("sailed", ((0b10, 0),), 0b11),
    obligations=(0, 1),
)
OPEN = ("agent", "other_agents", "engine", "vtc")


def shown(id: str, scope: str, **fields: Any) -> VariableSpec:
    base = {"id": id, "scope": scope, "type": "scalar", "initial": 0.25, "exposed_to": ("agent",)}
    readers = ("agent", "vtc") if scope == "agent_private" else OPEN
    if scope not in ("agent", "agent_private", "pair", "message"):
        readers = ("agent", "engine", "vtc")
    return VariableSpec(**{**base, "readable_by": readers, "writable_by": ("vtc",), **fields})


def masked(absent: float) -> dict[str, Any]:
    return {"kind": "masked_value", "absent": absent}


HOURS = {"kind": "cyclical_sin_cos", "period": 24}
LOG = {"kind": "log_scaled", "min": 0, "max": 9, "clip": True}
VARIABLES = [
    *(
        VariableSpec(id=fact, initial=False, readable_by=("seat", "vtc"), writable_by=("vtc",))
        for fact in FACTS
    ),
    shown("energy", "agent", range=(0, 1)),
    shown("mood", "agent_private", range=(-1, 1)),
    shown("fear", "agent", normalization={"kind": "zscore", "mean": 1, "std": 2}),
    shown("standing", "agent", normalization={"kind": "rank_scaled"}),
    shown("ills", "agent", type="mask", dims=3, initial=[True, False, True], token="effect"),
    shown("signal", "agent", exposed_to=("other_agents",)),
    shown("hour", "global", type="int", initial=6, normalization=HOURS),
    shown("sky", "global", type="categorical", labels=("dry", "wet", "snow"), initial="wet"),
    shown("trust", "pair", initial_at={"0 to 1": 1.0}),
    shown("norm", "group", normalization=LOG),
    shown("crowd", "zone", type="int", initial=-1, normalization=masked(-1)),
    shown("queue", "affordance", type="int", initial=3),
    shown("is_open", "affordance", type="bool", initial=True),
    shown("oil", "item", profile="lamp", range=(0, 1)),
    shown("fresh", "item", profile="food", type="vec2f", initial=[0.5, 1.5]),
    shown("word", "message", type="message_token", dims=2),
    shown("at", "agent", type="vec2i", initial=[3, 4]),
    shown("secret", "agent", exposed_to=()),
]  # fmt: skip


def roster_of(*specs: VariableSpec, holders: Holders = HOLDERS) -> Roster:
    return build_roster(specs, holders)


def layout_of(*specs: VariableSpec, agents: int = 3, holders: Holders = HOLDERS) -> TokenLayout:
    return compile_tokens(roster_of(*specs, holders=holders), BRIEF, agents)


def encoded(layout: TokenLayout, seed: int = 0, **changes: Any) -> tuple[Encoder, Registry]:
    registry = Registry(layout.roster, Extents(2, layout.num_agents))
    rng = np.random.default_rng(seed)
    for spec in layout.roster:
        held = registry.get(spec.id, "vtc").numpy()
        value = changes.get(spec.id, _drawn(rng, spec, held))
        value = np.broadcast_to(value, held.shape).astype(held.dtype)
        registry.set(spec.id, value, "vtc", tick=0, who="a test")
    return Encoder(layout, registry, **changes.get("encoder", {})), registry


def _drawn(rng: np.random.Generator, spec: VariableSpec, held: Any) -> Any:
    if spec.type == "one_hot":
        return held
    if held.dtype == np.bool_:
        return rng.random(held.shape) < 0.5
    low, high = spec.range or (-1, 5)
    if spec.type == "categorical":
        low, high = 0, len(spec.labels) - 1
    if held.dtype == np.int64:
        return rng.integers(int(low), int(high) + 1, held.shape)
    return rng.uniform(low, high, held.shape).astype(np.float32)


def tokens_of(layout: TokenLayout, rows: Any, kind: TokenType) -> Any:
    """Takes the tokens of one type out of rows, as `[W, A, capacity, payload]`."""
    at, stride = layout.offsets[kind], len(PAYLOADS[kind])
    part = rows[..., at : at + layout.capacities[kind] * stride]
    return part.reshape(*rows.shape[:2], layout.capacities[kind], stride)


@pytest.mark.parametrize("edges", [None, ((0, 1), (2, 1), (1, 0))])
@pytest.mark.parametrize("agents", [3, 5])
def test_the_kernel_fills_rows_as_the_reference_does(
    agents: int, edges: tuple[tuple[int, int], ...] | None
) -> None:
    holders = replace(HOLDERS, edges=edges)
    layout = layout_of(*VARIABLES, agents=agents, holders=holders)
    encoder, _ = encoded(layout, seed=agents)
    rows = encoder.encode()
    assert rows.shape == (2, agents, layout.width)
    assert rows.tobytes() == encoder.reference().tobytes()
    assert np.isfinite(rows).all()


def test_every_payload_begins_with_its_presence() -> None:
    assert set(PAYLOADS) == set(TokenType)
    assert all(payload[0] == "presence" for payload in PAYLOADS.values())
    layout = layout_of(*VARIABLES)
    assert {kind: layout.capacities[kind] for kind in PAYLOADS} == {
        "self": 1, "meter": 2, "affordance": 2, "agent": 2, "item": 3, "effect": 3,
        "variable_element": 1 + 1 + 1 + 3 + 3 + 2 + 3 + 4 + 2, "fact": 2, "tool": 2,
    }  # fmt: skip


def test_tokens_hold_what_is_true() -> None:
    layout = layout_of(*VARIABLES)
    energy = np.array([[0.0, 0.5, 1.0], [0.25, 0.5, 0.75]])
    encoder, _ = encoded(
        layout, energy=energy, mood=0.5, packed=True, sailed=False, ills=[True, False, True],
        queue=[3, 7], is_open=[True, False], crowd=[-1, 4, -1], sky=2, hour=6,
        signal=np.array([[10, 11, 12]]),
    )  # fmt: skip
    rows = encoder.encode()
    own = tokens_of(layout, rows, TokenType.SELF)
    assert own[0, :, 0].tolist() == [[1, 0, 0.5, 0], [1, 0.5, 0.5, 0], [1, 1, 0.5, 0]]
    meters = tokens_of(layout, rows, TokenType.METER)
    assert meters[0, :, 0].tolist() == [[1, 0, 1, 0], [1, 0.5, 0, 0], [1, 1, 0, 1]]
    assert meters[1, 2, 1].tolist() == [1, 0.75, 0, 0]  # a mood of 0.5 within [-1, 1]
    others = tokens_of(layout, rows, TokenType.AGENT)
    assert others[0, 1, :, :3].tolist() == [[1, 0, 10], [1, 1, 12]]
    effects = tokens_of(layout, rows, TokenType.EFFECT)
    assert effects[0, 0].tolist() == [[1, 1], [0, 0], [1, 1]]
    places = tokens_of(layout, rows, TokenType.AFFORDANCE)
    assert places[0, 0].tolist() == [[1, 0, 3, 1, 0, 0], [1, 1, 7, 0, 0, 0]]
    facts = tokens_of(layout, rows, TokenType.FACT)
    assert facts[0, 0].tolist() == [[1, 1, 1, 0], [1, 0, 1, 1]]
    tools = tokens_of(layout, rows, TokenType.TOOL)
    assert tools[0, 0].tolist() == [[1, 0, 0, 1, 1], [1, 1, 0.5, 1, 0]]
    elements = tokens_of(layout, rows, TokenType.VARIABLE_ELEMENT)[0, 0]
    hour, sky, crowd = elements[2], elements[3:6], elements[11:14]
    assert hour[:3] == pytest.approx([1, 1, 0])
    assert sky[:, 1].tolist() == [0, 0, 1]
    assert crowd.tolist() == [[0] * 5, [1, 4, 0, 0.5, 0], [0] * 5]


def test_what_is_not_visible_is_cleared_and_moves_nothing() -> None:
    layout = layout_of(*VARIABLES)
    kinds = (TokenType.TOOL, TokenType.AGENT)
    encoder, registry = encoded(layout, encoder={"masked": kinds})
    shape = (2, 3, 2)
    everything = {kind: np.ones(shape, np.bool_) for kind in kinds}
    whole = encoder.encode(everything)
    assert whole.tobytes() == Encoder(layout, registry).encode().tobytes()
    some = {kind: mask.copy() for kind, mask in everything.items()}
    some[TokenType.TOOL][0, 1, 0] = False
    some[TokenType.AGENT][1, 2, 1] = False
    rows = encoder.encode(some)
    assert rows.tobytes() == encoder.reference(some).tobytes()
    assert not tokens_of(layout, rows, TokenType.TOOL)[0, 1, 0].any()
    assert not tokens_of(layout, rows, TokenType.AGENT)[1, 2, 1].any()
    changed = np.argwhere(rows != whole)
    assert {(w, a) for w, a, _ in changed.tolist()} == {(0, 1), (1, 2)}
    with pytest.raises(ValueError, match="masks of agent, tool are expected, found none"):
        encoder.encode()
    with pytest.raises(
        ValueError, match=r"mask of tool takes bool \[2, 3, 2\], found bool \[2, 3\]"
    ):
        encoder.encode({**everything, TokenType.TOOL: np.ones((2, 3), np.bool_)})


def test_nobody_is_shown_what_another_keeps_to_itself() -> None:
    layout = layout_of(*VARIABLES)
    before, registry = encoded(layout, seed=1)
    rows = before.encode()
    for variable in ("mood", "energy", "secret"):
        held = registry.get(variable, "vtc").numpy().copy()
        held[:, 1] = 0.125
        registry.set(variable, held, "vtc", tick=1, who="a test")
    after = before.encode()
    assert np.array_equal(after[:, [0, 2]], rows[:, [0, 2]])
    assert not np.array_equal(after[:, 1], rows[:, 1])


def test_a_row_without_anybody_to_look_at_is_laid_out_all_the_same() -> None:
    layout = compile_tokens(
        roster_of(*VARIABLES), BRIEF, 2, capacities={TokenType.AGENT: 4, TokenType.ITEM: 5}
    )
    encoder, _ = encoded(layout)
    rows = encoder.encode()
    assert rows.tobytes() == encoder.reference().tobytes()
    others = tokens_of(layout, rows, TokenType.AGENT)
    assert others[0, 0, :, 0].tolist() == [1, 0, 0, 0]
    with pytest.raises(
        AuthorError, match="a row needs 3 item tokens and 'tokens' keeps 2; raise it"
    ):
        compile_tokens(roster_of(*VARIABLES), BRIEF, 2, capacities={TokenType.ITEM: 2})


def test_an_observer_that_is_no_agent_gets_one_row() -> None:
    weather = shown(
        "sky", "global", exposed_to=("world_model",), readable_by=("world_model", "vtc")
    )
    health = shown(
        "health", "agent", exposed_to=("world_model",), readable_by=("world_model", "vtc")
    )
    roster = build_roster([*VARIABLES[:2], weather, health])
    layout = compile_tokens(roster, BRIEF, 3, "world_model")
    encoder, _ = encoded(layout)
    rows = encoder.encode()
    assert rows.shape == (2, 1, layout.width)
    assert rows.tobytes() == encoder.reference().tobytes()
    assert layout.capacities[TokenType.VARIABLE_ELEMENT] == 4


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        (
            [shown(f"a{i}", "affordance") for i in range(5)],
            "variable 'a4' is one too many: tokens of affordances have 4 values, and "
            "a0, a1, a2, a3, a4 take 5",
        ),
        (
            [shown("m", "global", token="meter")],
            "variable 'm' asks for meter tokens, which show an agent's scalar with a range",
        ),
        (
            [shown("e", "agent", type="int", initial=0, token="effect", normalization=masked(0))],
            "variable 'e' is an effect token and has two lanes; scale it to one",
        ),
    ],
)
def test_what_no_token_can_show_is_refused(specs: list[VariableSpec], message: str) -> None:
    with pytest.raises(AuthorError) as caught:
        layout_of(*VARIABLES[:2], *specs)
    assert str(caught.value) == f"a variable: {message}"


def test_a_layout_is_hashed_by_what_stands_where() -> None:
    base = layout_of(*VARIABLES)
    assert base.hash == layout_of(*VARIABLES).hash
    moved = [
        layout_of(*VARIABLES, agents=4),
        layout_of(*VARIABLES[:-1]),
        layout_of(*VARIABLES, shown("x", "global")),
        compile_tokens(base.roster, BRIEF, 3, capacities={TokenType.ITEM: 9}),
    ]
    assert [layout.hash == base.hash for layout in moved] == [False, True, False, False]
