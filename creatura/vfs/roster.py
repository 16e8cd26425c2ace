"""Roster: every variable of a world, in declaration order, checked as a whole.

`build_roster` reports all that is wrong with all the variables in one error. Two hashes sum a
roster up: one for what the variables are, one for what they start from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from creatura.errors import AuthorError, Problem, did_you_mean
from creatura.hashing import digest
from creatura.vfs.schema import (
    RESERVED_WORDS,
    RUNS_SCOPES,
    RUNS_TYPES,
    Number,
    VariableSpec,
    VarType,
)

MAX_ID_LENGTH = 64
INT_RANGE = (-(2**63), 2**63 - 1)
LARGEST_SCALAR = 3.4028234663852886e38  # the largest finite 32-bit float

_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*", re.ASCII)
_ROLE = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_NOT_HASHED = frozenset({"place", "metadata"})


@dataclass(frozen=True)
class Roster:
    """The variables of a world.

    Attributes:
        variables: In declaration order; no two share an id.
    """

    variables: tuple[VariableSpec, ...]
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

    @cached_property
    def schema_hash(self) -> str:
        """Digest of what the variables are: all they declare but initial values and notes."""
        skipped = _NOT_HASHED | {"initial"}
        return digest([spec.model_dump(exclude=set(skipped)) for spec in self.variables])

    @cached_property
    def initial_hash(self) -> str:
        """Digest of what the variables start from."""
        return digest([(spec.id, spec.start) for spec in self.variables if not spec.is_derived])


def build_roster(specs: Iterable[VariableSpec]) -> Roster:
    """Gathers variables into a roster.

    Raises:
        AuthorError: With every problem of every variable.
    """
    variables = tuple(specs)
    problems = list(_repeated(variables))
    for spec in variables:
        messages = [message for check in _CHECKS for message in check(spec)]
        problems += [Problem(spec.place, f"variable '{spec.id}' {text}") for text in messages]
    if problems:
        raise AuthorError(problems)
    return Roster(variables)


def _repeated(variables: Sequence[VariableSpec]) -> Iterator[Problem]:
    first: dict[str, VariableSpec] = {}
    for spec in variables:
        earlier = first.setdefault(spec.id, spec)
        if earlier is not spec:
            message = f"variable '{spec.id}' is declared already, at {earlier.place}"
            yield Problem(spec.place, f"{message}; rename one or drop it")


def _check_id(spec: VariableSpec) -> Iterator[str]:
    if not _ID.fullmatch(spec.id):
        guess = re.sub(r"[^a-z0-9_.]+", "_", spec.id.lower(), flags=re.ASCII).strip("_.")
        hint = f"; write '{guess}'" if _ID.fullmatch(guess) else ""
        yield f"has an id that is no name: a-z, then a-z, 0-9 and '_'{hint}"
    elif len(spec.id) > MAX_ID_LENGTH:
        yield f"has an id of {len(spec.id)} characters; {MAX_ID_LENGTH} at most"
    elif spec.id in RESERVED_WORDS:
        yield "has the id of a word of the rule language; choose another"


def _check_built(spec: VariableSpec) -> Iterator[str]:
    for kind, value, runs in (("scope", spec.scope, RUNS_SCOPES), ("type", spec.type, RUNS_TYPES)):
        if value not in runs:
            yield f"has {kind} '{value}', which this engine does not run; it runs {_listed(runs)}"


def _check_range(spec: VariableSpec) -> Iterator[str]:
    if spec.range is None:
        return
    low, high = spec.range
    if spec.type is VarType.BOOL:
        yield "is bool and has a range; drop the range"
    elif misfits := [f"{end!r} {why}" for end in spec.range if (why := misfit_of(spec, end))]:
        yield f"has range [{low!r}, {high!r}], of which {' and '.join(misfits)}"
    elif low > high:
        yield f"has range [{low!r}, {high!r}]; write the lower end first: [{high!r}, {low!r}]"


def _check_initial(spec: VariableSpec) -> Iterator[str]:
    if spec.is_derived:
        if spec.initial is not None:
            yield "is derived (it has an expression) and has an initial value; drop one of them"
        return
    if spec.initial is None:
        yield f"has neither initial nor expression; give one, such as initial: {_zero(spec)}"
    elif why := misfit_of(spec, spec.initial):
        yield f"has initial {_text(spec.initial)}, which {why}"
    elif spec.range is not None and spec.type is not VarType.BOOL:
        low, high = spec.range
        if low <= high and not low <= spec.initial <= high:
            yield f"has initial {spec.initial!r} outside its range [{low!r}, {high!r}]"


def _check_roles(spec: VariableSpec) -> Iterator[str]:
    for key in ("readable_by", "writable_by", "exposed_to"):
        roles: tuple[str, ...] = getattr(spec, key)
        for role in roles:
            if not _ROLE.fullmatch(role):
                yield f"has {role!r} in {key}, which is no role name: a-z, then a-z, 0-9 and '_'"
        for role in dict.fromkeys(role for role in roles if roles.count(role) > 1):
            yield f"names role '{role}' twice in {key}"
    for role in spec.exposed_to:
        if _ROLE.fullmatch(role) and role not in spec.readable_by:
            guess = did_you_mean(role, spec.readable_by)
            yield f"is exposed to '{role}', which is not in readable_by{guess}"


_CHECKS = (_check_id, _check_built, _check_range, _check_initial, _check_roles)


def misfit_of(spec: VariableSpec, value: Number | bool) -> str | None:
    """Says why a value cannot be one of this variable, or None if it can."""
    if spec.type is VarType.BOOL:
        return None if isinstance(value, bool) else "is no bool; write true or false"
    if isinstance(value, bool):
        return f"is a bool; a value of type {spec.type} is a number"
    if spec.type is VarType.INT:
        if not isinstance(value, int):
            return "is no int; drop the fraction or declare type: scalar"
        return None if INT_RANGE[0] <= value <= INT_RANGE[1] else "does not fit in 64 bits"
    if spec.type is VarType.SCALAR and not (math.isfinite(value) and abs(value) <= LARGEST_SCALAR):
        return "is not finite in 32 bits"
    return None


def _zero(spec: VariableSpec) -> str:
    return {VarType.BOOL: "false", VarType.INT: "0"}.get(spec.type, "0.0")


def _text(value: Number | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _listed(names: Sequence[str]) -> str:
    *rest, last = map(str, names)
    return f"{', '.join(rest)} and {last}"
