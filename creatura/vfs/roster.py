"""Roster: every variable of a world, in declaration order, checked as a whole.

`build_roster` reports all that is wrong with all the variables in one error. Two hashes sum a
roster up: one for what the variables are, one for what they start from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice

from creatura.errors import MAX_PROBLEMS, AuthorError, Place, Problem, cut
from creatura.hashing import digest
from creatura.vfs.declarations import CHECKS, holder_of, problems_of_holders, problems_of_roles
from creatura.vfs.elements import start_of
from creatura.vfs.holders import Axis, Holders
from creatura.vfs.schema import ROLES, VariableSpec

__all__ = ["Roster", "build_roster", "holder_of"]

# What a variable is to whoever looks on is the token layout's, what it starts from is apart.
_NOT_SCHEMA = frozenset(
    {"place", "metadata", "initial", "initial_at", "exposed_to", "token", "normalization"}
)


@dataclass(frozen=True)
class Roster:
    """The variables of a world.

    Attributes:
        variables: In declaration order; no two share an id.
        holders: Who holds values besides worlds and agents.
    """

    variables: tuple[VariableSpec, ...]
    holders: Holders = Holders()
    _by_id: dict[str, VariableSpec] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {spec.id: spec for spec in self.variables})

    def __getitem__(self, variable: str) -> VariableSpec:
        return self._by_id[variable]

    def __contains__(self, variable: object) -> bool:
        return variable in self._by_id

    def __iter__(self) -> Iterator[VariableSpec]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id, in declaration order."""
        return tuple(self._by_id)

    @property
    def own_roles(self) -> tuple[str, ...]:
        """The roles besides `ROLES` that its variables name."""
        named = dict.fromkeys(
            role
            for spec in self
            for role in (*spec.readable_by, *spec.writable_by, *spec.exposed_to)
        )
        return tuple(role for role in named if role not in ROLES)

    @cached_property
    def min_agents(self) -> int:
        """How many agents a run needs, so that everybody the roster names by number is there."""
        named = [agent for edge in self.holders.edges or () for agent in edge]
        for spec in self.variables:
            # A sparse pair's place is that of an edge, and the agents of edges are counted above.
            if self.holders.axes_of(spec)[:1] == (Axis.AGENT,):
                for holder in spec.initial_at:
                    named += holder_of(spec, self.holders, holder)[: len(_agents(spec))]
        return max(named, default=0) + 1

    @cached_property
    def schema_hash(self) -> str:
        """Digest of what the variables are and who holds them, whatever they start from."""
        specs = [spec.model_dump(exclude=set(_NOT_SCHEMA)) for spec in self.variables]
        return digest([specs, self.holders])

    @cached_property
    def initial_hash(self) -> str:
        """Digest of what the variables start from."""
        return digest(
            [
                (spec.id, _start(spec, spec.initial), _starts(self, spec))
                for spec in self.variables
                if not spec.is_derived
            ]
        )


def build_roster(
    specs: Iterable[VariableSpec],
    holders: Holders | None = None,
    roles: Iterable[str] = (),
    place: Place | None = None,
    roles_place: Place | None = None,
) -> Roster:
    """Gathers variables into a roster.

    Args:
        holders: Who holds values besides worlds and agents.
        roles: Roles of the world's own, besides `ROLES`.
        place: Where holders are declared. roles_place: Where roles are.

    Raises:
        AuthorError: With every problem of every variable.
    """
    variables, held = tuple(specs), holders or Holders()
    at = place or Place("the holders")
    own = tuple(roles)
    known = (*ROLES, *own)
    found = chain(
        (Problem(at, message) for message in problems_of_holders(held)),
        (Problem(roles_place or at, message) for message in problems_of_roles(own)),
        _repeated(variables),
        (
            Problem(spec.place, f"variable '{cut(spec.id)}' {message}")
            for spec in variables
            for check in CHECKS
            for message in check(spec, held, known)
        ),
    )
    if problems := list(islice(found, MAX_PROBLEMS + 1)):
        raise AuthorError(problems)
    return Roster(variables, held)


def _repeated(variables: Sequence[VariableSpec]) -> Iterator[Problem]:
    first: dict[str, VariableSpec] = {}
    for spec in variables:
        earlier = first.setdefault(spec.id, spec)
        if earlier is not spec:
            message = f"variable '{spec.id}' is declared already, at {earlier.place}"
            yield Problem(spec.place, f"{message}; rename one or drop it")


def _agents(spec: VariableSpec) -> Sequence[int]:
    """Gives a place for each of its leading axes that counts agents."""
    return (0, 0) if spec.scope.value == "pair" else (0,)


def _start(spec: VariableSpec, value: object) -> object:
    return start_of(spec, value).tolist()


def _starts(roster: Roster, spec: VariableSpec) -> object:
    starts = {
        holder_of(spec, roster.holders, holder): _start(spec, value)
        for holder, value in spec.initial_at.items()
    }
    return sorted(starts.items())
