"""Dynamic: variables that join or leave while a world runs, each time on the record.

Off unless the registry was opened for it. Whoever changes the roster says what that does to
observers; a change that claims less than it does is refused, and every one is written down with
the schema hash it led to. Compiled rules keep what they are bound to.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import final

from creatura.vfs.registry import Registry
from creatura.vfs.roster import build_roster
from creatura.vfs.schema import ROLES, VariableSpec


class Effect(StrEnum):
    """What a change of the roster does to those who look on."""

    INTERNAL = "shape_stable_internal"  # every row stays as it was laid out
    OBSERVED = "observation_schema_changed"  # rows are laid out anew: a new layout hash


class DynamicError(Exception):
    """A variable cannot join or leave; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of a roster.

    Attributes:
        generation: Which change it is, from 1.
        schema_hash: Of the roster it led to.
    """

    generation: int
    tick: int
    who: str
    added: bool
    variable: str
    effect: Effect
    schema_hash: str


@final
class DynamicVariables:
    """The right to change one registry's roster.

    Attributes:
        mutations: Every change so far.
    """

    def __init__(self, registry: Registry) -> None:
        if not registry.is_dynamic:
            raise DynamicError(
                "variables of this registry are fixed; open it with Registry(..., dynamic=True)"
            )
        self.mutations: list[Mutation] = []
        self._registry = registry

    def add(self, spec: VariableSpec, effect: Effect, *, tick: int, who: str) -> Mutation:
        """Adds a variable, at its initial value in every world.

        Raises:
            AuthorError: Its declaration is mistaken.
            DynamicError: It is derived, or does more than the stated effect.
        """
        registry = self._registry
        if spec.is_derived:
            raise DynamicError(f"'{spec.id}' is derived; the rules that compute it are compiled")
        roles = {
            role for known in registry.roster for role in (*known.readable_by, *known.writable_by)
        }
        roster = build_roster([*registry.roster, spec], registry.roster.holders, roles - {*ROLES})
        if roster.min_agents > registry.extents.num_agents:
            raise DynamicError(f"'{spec.id}' names agent {roster.min_agents - 1}, who is not there")
        self._check(spec, effect)
        registry.admit(spec, roster)
        return self._noted(True, spec.id, effect, tick, who)

    def remove(self, variable: str, effect: Effect, *, tick: int, who: str) -> Mutation:
        """Removes a variable that no rule is bound to.

        Raises:
            LookupError: There is no such variable.
            DynamicError: Rules work on it, or its removal does more than the stated effect.
        """
        registry = self._registry
        registry.access.check_known(variable)
        if variable in registry.lent:
            raise DynamicError(f"'{variable}' is what compiled rules work on; it stays")
        self._check(registry.roster[variable], effect)
        registry.dismiss(variable)
        return self._noted(False, variable, effect, tick, who)

    def _check(self, spec: VariableSpec, effect: Effect) -> None:
        wanted = Effect.OBSERVED if spec.exposed_to else Effect.INTERNAL
        if effect is not wanted:
            how = (
                f"is exposed to {', '.join(spec.exposed_to)}"
                if spec.exposed_to
                else "is not exposed"
            )
            raise DynamicError(f"'{spec.id}' {how}; its effect is '{wanted}', not '{effect}'")

    def _noted(self, added: bool, variable: str, effect: Effect, tick: int, who: str) -> Mutation:
        mutation = Mutation(
            len(self.mutations) + 1, tick, who, added, variable, effect,
            self._registry.roster.schema_hash,
        )  # fmt: skip
        self.mutations.append(mutation)
        return mutation
