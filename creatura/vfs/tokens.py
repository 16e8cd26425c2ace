"""Tokens: what an observer gets of a world, as rows of a fixed layout.

A row is a sequence of tokens, each of a closed type with a fixed payload that begins with its
presence. The layout is settled at compile time: which variable, holder and element stands where.
What is not visible has its presence and payload cleared and never moves anything else. No payload
holds a name, so what learns from rows learns structure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from creatura.errors import AuthorError, Place, Problem
from creatura.hashing import digest
from creatura.protocols import Brief
from creatura.vfs.access import OTHERS, SELF, AccessTable
from creatura.vfs.exposure import lanes_in, normalization_of
from creatura.vfs.holders import OF_AGENTS, Axis
from creatura.vfs.roster import Roster
from creatura.vfs.schema import Scope, TokenType, VariableSpec, VarType

VALUE_LANES = 4  # of tokens that show several variables of one holder
_VALUES = tuple(f"value_{i}" for i in range(VALUE_LANES))

# The payload of every type. Shares and positions lie in [0, 1], flags are 0 or 1.
PAYLOADS: Mapping[TokenType, tuple[str, ...]] = {
    TokenType.SELF: ("presence", "position", "progress", "goal_met"),
    TokenType.METER: ("presence", "value", "at_low_end", "at_high_end"),
    TokenType.AFFORDANCE: ("presence", "position", *_VALUES),
    TokenType.AGENT: ("presence", "position", *_VALUES),
    TokenType.ITEM: ("presence", "position", "profile", *_VALUES),
    TokenType.EFFECT: ("presence", "strength"),
    TokenType.VARIABLE_ELEMENT: ("presence", "value", "second", "holder", "element"),
    TokenType.FACT: ("presence", "holds", "is_obligation", "is_wanted"),
    TokenType.TOOL: ("presence", "is_release", "cost", "requires_held", "grants_held"),
}
SEAT = "seat"  # in whose role facts and tools are read
MAX_TOKENS = 100_000  # of a row

_MANY = {  # tokens of one holder that show several variables
    Scope.AFFORDANCE: TokenType.AFFORDANCE,
    Scope.ITEM: TokenType.ITEM,
}


def token_type_schema_hash() -> str:
    """Digest of the token types and their payloads, the same for every world of this version."""
    return digest([(kind, payload) for kind, payload in PAYLOADS.items()])


@dataclass(frozen=True, slots=True)
class Binding:
    """A run of neighbouring tokens of one type, and what they show.

    Attributes:
        num_tokens: How many it fills.
        variables: Whose values they show; the holders and elements of a single one, or several
            variables of one holder a token. Empty where the brief says all.
        is_own: Whether they show what the observer itself holds.
    """

    type: TokenType
    num_tokens: int
    variables: tuple[str, ...] = ()
    is_own: bool = False


@dataclass(frozen=True)
class TokenLayout:
    """Where everything stands in a row.

    Attributes:
        role: Who observes.
        num_agents: Of the runs it is for.
        bindings: In the order of a row.
        capacities: Tokens given to each type, at least as many as its bindings fill; what is left
            stays absent.
    """

    roster: Roster
    brief: Brief
    role: str
    num_agents: int
    bindings: tuple[Binding, ...]
    capacities: Mapping[TokenType, int]

    @cached_property
    def offsets(self) -> Mapping[TokenType, int]:
        """The lane at which the tokens of each type begin."""
        found, at = {}, 0
        for kind, payload in PAYLOADS.items():
            found[kind] = at
            at += self.capacities[kind] * len(payload)
        return found

    @property
    def width(self) -> int:
        """Lanes of a row."""
        return sum(count * len(PAYLOADS[kind]) for kind, count in self.capacities.items())

    @property
    def num_tokens(self) -> int:
        """Tokens of a row, absent ones too."""
        return sum(self.capacities.values())

    def placed(self) -> Iterator[tuple[Binding, int]]:
        """Yields every binding with the lane at which it begins."""
        at = dict(self.offsets)
        for binding in self.bindings:
            yield binding, at[binding.type]
            at[binding.type] += binding.num_tokens * len(PAYLOADS[binding.type])

    @cached_property
    def hash(self) -> str:
        """Digest of the capacities, what is bound where, and how it is scaled."""
        scaled = [
            (variable, normalization_of(self.roster[variable]).model_dump())
            for binding in self.bindings
            for variable in binding.variables
        ]
        return digest([self.role, self.num_agents, dict(self.capacities), self.bindings, scaled])


def compile_tokens(
    roster: Roster,
    brief: Brief,
    num_agents: int,
    role: str = SELF,
    capacities: Mapping[TokenType, int] | None = None,
    place: Place | None = None,
) -> TokenLayout:
    """Settles the row of an observer.

    Args:
        role: Who observes; in the role `agent` each agent gets a row of its own.
        capacities: Tokens to keep for a type, so that worlds of several sizes share one layout;
            as many as are needed where left out.
        place: Where they are declared.

    Raises:
        AuthorError: A variable cannot be shown as its declaration asks, or a capacity is too small.
    """
    binder = _Binder(roster, brief, num_agents, role)
    bindings = tuple(sorted(binder.bindings(), key=lambda b: _ORDER[b.type]))
    needed = dict.fromkeys(PAYLOADS, 0)
    for binding in bindings:
        needed[binding.type] += binding.num_tokens
    given = {kind: (capacities or {}).get(kind, count) for kind, count in needed.items()}
    messages = [
        f"a row needs {count} {kind} tokens and 'tokens' keeps {given[kind]}; raise it"
        for kind, count in needed.items()
        if given[kind] < count
    ]
    if (total := sum(given.values())) > MAX_TOKENS:
        messages.append(f"a row has {total:,} tokens; at most {MAX_TOKENS:,} are laid out")
    at = place or Place(f"world '{brief.world}'")
    problems = [*binder.problems, *(Problem(at, message) for message in messages)]
    if problems:
        raise AuthorError(problems)
    return TokenLayout(roster, brief, role, num_agents, bindings, given)


_ORDER = {kind: position for position, kind in enumerate(PAYLOADS)}


class _Binder:
    """Finds what a row shows; what cannot be shown goes to `problems`."""

    def __init__(self, roster: Roster, brief: Brief, num_agents: int, role: str) -> None:
        self.problems: list[Problem] = []
        self._roster, self._brief, self._num_agents, self._role = roster, brief, num_agents, role
        self._access = AccessTable(roster)

    def bindings(self) -> Iterator[Binding]:
        """Yields the bindings, those of one type in the order of its tokens."""
        if self._role == SELF:
            yield Binding(TokenType.SELF, 1, is_own=True)
            yield from self._of_others()
        for kind in (Scope.AFFORDANCE, Scope.ITEM):
            yield from self._of_holders(kind)
        for spec in self._roster:
            if self._role in spec.exposed_to and spec.scope not in _MANY:
                yield self._single(spec)
        if all(self._access.can_read(SEAT, fact) for fact in self._brief.facts):
            yield Binding(TokenType.FACT, len(self._brief.facts))
            yield Binding(TokenType.TOOL, len(self._brief.tools))

    def _single(self, spec: VariableSpec) -> Binding:
        kind = self._type_of(spec)
        holders = self._roster.holders
        counts = [
            holders.count(axis, self._num_agents, spec.profile) for axis in holders.axes_of(spec)
        ]
        is_own = self._role == SELF and spec.scope in OF_AGENTS
        if is_own and holders.axes_of(spec) != (Axis.EDGE,):
            counts = counts[1:]
        lanes = lanes_in(spec)
        if spec.token is TokenType.METER and not self._is_meter(spec):
            self._refuse(spec, "asks for meter tokens, which show an agent's scalar with a range")
        tokens = prod(counts) * lanes.num_tokens
        if kind is TokenType.EFFECT and lanes.has_second:
            self._refuse(spec, "is an effect token and has two lanes; scale it to one")
        return Binding(kind, tokens, (spec.id,), is_own)

    def _type_of(self, spec: VariableSpec) -> TokenType:
        if spec.token is not None:
            return spec.token
        return TokenType.METER if self._is_meter(spec) else TokenType.VARIABLE_ELEMENT

    def _is_meter(self, spec: VariableSpec) -> bool:
        return (
            self._role == SELF
            and spec.scope in (Scope.AGENT, Scope.AGENT_PRIVATE)
            and spec.type is VarType.SCALAR
            and spec.range is not None
            and not lanes_in(spec).has_second
            and lanes_in(spec).num_tokens == 1
        )

    def _of_others(self) -> Iterator[Binding]:
        shown = [
            spec for spec in self._roster if OTHERS in spec.exposed_to and spec.scope is Scope.AGENT
        ]
        if shown and self._num_agents > 1:
            self._check_fits(shown, "other agents")
            ids = tuple(spec.id for spec in shown)
            yield Binding(TokenType.AGENT, self._num_agents - 1, ids)

    def _of_holders(self, scope: Scope) -> Iterator[Binding]:
        shown = [s for s in self._roster if s.scope is scope and self._role in s.exposed_to]
        profiles = dict.fromkeys(spec.profile for spec in shown)
        for profile in profiles:
            specs = [spec for spec in shown if spec.profile == profile]
            self._check_fits(specs, f"{scope}s" if profile is None else f"items of '{profile}'")
            axis = self._roster.holders.axes_of(specs[0])[0]
            count = self._roster.holders.count(axis, self._num_agents, profile)
            yield Binding(_MANY[scope], count, tuple(spec.id for spec in specs))

    def _check_fits(self, specs: Sequence[VariableSpec], whose: str) -> None:
        lanes = sum(lanes_in(spec).num_lanes for spec in specs)
        if lanes > VALUE_LANES:
            self._refuse(
                specs[-1],
                f"is one too many: tokens of {whose} have {VALUE_LANES} values, and "
                f"{', '.join(spec.id for spec in specs)} take {lanes}",
            )

    def _refuse(self, spec: VariableSpec, message: str) -> None:
        self.problems.append(Problem(spec.place, f"variable '{spec.id}' {message}"))
