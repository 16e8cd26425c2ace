"""Schema: what an author may say about one variable.

The enums are the closed sets of the language. A `VariableSpec` checks only the kinds of its fields;
what the fields say of one another is checked for a whole roster at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    StrictStr,
    field_validator,
)

from creatura.errors import Place
from creatura.vfs.fields import Dims, Ends, Source
from creatura.vfs.normalise import Normalization


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


class TokenType(StrEnum):
    """What a token is about; the order is that of a row."""

    SELF = "self"
    METER = "meter"
    AFFORDANCE = "affordance"
    AGENT = "agent"
    ITEM = "item"
    EFFECT = "effect"
    VARIABLE_ELEMENT = "variable_element"
    FACT = "fact"
    TOOL = "tool"


RULES_ROLE = "vtc"
# Who may ask for a value. The names are open: a world declares its own beside these.
ROLES = (
    "agent", "other_agents", "engine", RULES_ROLE, "effect_check", "seat", "critic", "report",
    "renderer", "world_model", "social_model", "perception_model", "auditor",
)  # fmt: skip

# The least that a variable needs to be part of a world: the rules move it, the engine sees it.
DEFAULT_READERS = ("engine", RULES_ROLE)
PRIVATE_READERS = ("agent", RULES_ROLE)  # all that an agent_private variable may list
DEFAULT_WRITERS = (RULES_ROLE,)

# Every word of the rule language, those of later operators included, so that a world written today
# still means the same when they come.
RESERVED_WORDS = frozenset(
    "and or not true false tick if else is in lambda inf nan abs min max clamp all any where "
    "masked_add masked_set gather scatter one_hot argmin argmax distance manhattan_distance "
    "within_radius nearest "
    "time_in_window phase_sin phase_cos elapsed_ticks visible_to observed_by pair_value "
    "group_value claim_if_free capacity_remaining".split()
)


def _default_readers(fields: Mapping[str, Any]) -> tuple[str, ...]:
    return PRIVATE_READERS if fields.get("scope") is Scope.AGENT_PRIVATE else DEFAULT_READERS


class VariableSpec(BaseModel):
    """One variable as its author declares it.

    Attributes:
        dims: Length of a vecNf, one_hot, mask or message_token; rows and columns of a matrix.
        labels: Names of the values of a categorical, or of the places of a one_hot or mask.
        profile: Of item scope, which items have it.
        range: Lowest and highest value, both included, of each number; None for no bounds.
        initial: The value it starts from: one for every element, or a list in its shape; labels
            where it has them. A derived variable has none.
        initial_at: Other starts for single holders, by name or number; of pairs `"0 to 1"`.
        readable_by, writable_by: Roles. Of a derived variable only the rules write the value.
        exposed_to: Roles that get it as tokens.
        token: Of which type these are, where the scope leaves a choice.
        normalization: How its tokens scale it.
        metadata: Notes for people; nothing reads them, and no hash holds them.
        expression: The rule-language text a derived variable is computed from.
        place: Where it is declared; no part of what it means.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: StrictStr
    scope: Scope = Scope.GLOBAL
    type: VarType = VarType.BOOL
    dims: Dims | None = None
    labels: tuple[StrictStr, ...] = ()
    profile: StrictStr | None = None
    lifetime: Lifetime = Lifetime.EPISODE
    range: Ends | None = None
    initial: Any = None
    initial_at: Mapping[StrictStr, Any] = {}
    readable_by: tuple[StrictStr, ...] = Field(default_factory=_default_readers)
    writable_by: tuple[StrictStr, ...] = DEFAULT_WRITERS
    exposed_to: tuple[StrictStr, ...] = ()
    token: TokenType | None = None
    normalization: Normalization | None = None
    metadata: Mapping[str, Any] | None = None
    expression: Source | None = None
    place: InstanceOf[Place] = Place("a variable")

    @field_validator("initial", "initial_at", mode="after")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        """Makes lists tuples, so that a spec is immutable, compares and hashes by value."""
        return _frozen(value)

    @property
    def is_derived(self) -> bool:
        """Whether the value is computed from others and never written by an author's rule."""
        return self.expression is not None


def _frozen(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    if isinstance(value, Mapping):
        return {key: _frozen(held) for key, held in value.items()}
    return value
