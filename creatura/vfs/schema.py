"""Schema: what an author may say about one variable.

The three enums are the closed sets of the language; the `RUNS` tables name the members this engine
stores, and `build_roster` refuses the others. A `VariableSpec` checks only the kinds of its fields;
what the fields say of one another is checked for a whole roster at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr

from creatura.errors import Place

Number = StrictInt | StrictFloat


class Scope(StrEnum):
    """Who holds a value of the variable: one a world, one an agent, and so on."""

    GLOBAL = "global"
    AGENT = "agent"
    AGENT_PRIVATE = "agent_private"
    ITEM = "item"
    PAIR = "pair"
    GROUP = "group"
    AFFORDANCE = "affordance"
    ZONE = "zone"
    MESSAGE = "message"


class VarType(StrEnum):
    """What kind of value it is; `scalar` is a 32-bit float, `int` has 64 bits."""

    SCALAR = "scalar"
    BOOL = "bool"
    INT = "int"
    CATEGORICAL = "categorical"
    VEC2I = "vec2i"
    VEC2F = "vec2f"
    VECNF = "vecNf"
    ONE_HOT = "one_hot"
    MASK = "mask"
    MATRIX = "matrix"
    MESSAGE_TOKEN = "message_token"


class Lifetime(StrEnum):
    """When it returns to its initial value: each step, each reset, or never."""

    TICK = "tick"
    EPISODE = "episode"
    PERSISTENT = "persistent"


RUNS_SCOPES = (Scope.GLOBAL, Scope.AGENT)
RUNS_TYPES = (VarType.BOOL, VarType.INT, VarType.SCALAR)

DEFAULT_READERS = ("agent", "engine", "vtc", "effect_check", "seat", "critic")
DEFAULT_WRITERS = ("vtc", "engine")

# Every word of the rule language, those of later operators included, so that a world written today
# still means the same when they come.
RESERVED_WORDS = frozenset(
    "and or not true false tick if else is in lambda inf nan abs min max clamp all any where "
    "masked_add masked_set gather scatter one_hot argmin argmax distance manhattan_distance "
    "within_radius nearest "
    "time_in_window phase_sin phase_cos elapsed_ticks visible_to observed_by pair_value "
    "group_value claim_if_free capacity_remaining".split()
)


class VariableSpec(BaseModel):
    """One variable as its author declares it.

    Attributes:
        range: Lowest and highest value, both included; None for no bounds.
        initial: The value it starts from; a derived variable has none.
        readable_by, writable_by: Roles. Of a derived variable only the rules write the value.
        exposed_to: Roles that get it as a token.
        metadata: Notes for people; nothing reads them, and no hash holds them.
        expression: The rule-language text a derived variable is computed from.
        place: Where it is declared; no part of what it means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: StrictStr
    scope: Scope = Scope.GLOBAL
    type: VarType = VarType.BOOL
    lifetime: Lifetime = Lifetime.EPISODE
    range: tuple[Number, Number] | None = None
    initial: StrictBool | Number | None = None
    readable_by: tuple[StrictStr, ...] = DEFAULT_READERS
    writable_by: tuple[StrictStr, ...] = DEFAULT_WRITERS
    exposed_to: tuple[StrictStr, ...] = ()
    normalization: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    expression: StrictStr | StrictBool | Number | None = None
    place: Place = Place("a variable")

    @property
    def is_derived(self) -> bool:
        """Whether the value is computed from others and never written by an author's rule."""
        return self.expression is not None

    @property
    def start(self) -> bool | int | float:
        """The initial value in the variable's own type; zero or false where none is given."""
        if self.type is VarType.SCALAR:
            return float(self.initial or 0.0)
        if self.type is VarType.INT:
            return int(self.initial or 0)
        return bool(self.initial)
