"""Access: which role may read or write which variable.

Roles are open names: whoever asks says in which role, and a variable lists the roles it knows. A
derived variable is written by the rules alone, whatever it lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from creatura.errors import AccessError, did_you_mean
from creatura.vfs.schema import VariableSpec

RULES_ROLE = "vtc"


class UnknownVariableError(LookupError):
    """Somebody asked for a variable that no roster of this world declares."""

    def __init__(self, variable: str, known: Iterable[str]) -> None:
        super().__init__(f"no variable '{variable}'{did_you_mean(variable, known)}")


@final
class AccessTable:
    """Role by variable, settled once for a roster."""

    def __init__(self, variables: Iterable[VariableSpec]) -> None:
        self._readers: dict[str, tuple[str, ...]] = {}
        self._writers: dict[str, tuple[str, ...]] = {}
        for spec in variables:
            self._readers[spec.id] = spec.readable_by
            self._writers[spec.id] = (RULES_ROLE,) if spec.is_derived else spec.writable_by

    def can_read(self, role: str, variable: str) -> bool:
        """Whether the role may read it."""
        return role in self._roles(self._readers, variable)

    def can_write(self, role: str, variable: str) -> bool:
        """Whether the role may write it."""
        return role in self._roles(self._writers, variable)

    def check_read(self, role: str, variable: str) -> None:
        """Raises AccessError, naming who may, unless the role may read it."""
        if not self.can_read(role, variable):
            raise AccessError("read", variable, role, self._readers[variable])

    def check_write(self, role: str, variable: str) -> None:
        """Raises AccessError, naming who may, unless the role may write it."""
        if not self.can_write(role, variable):
            raise AccessError("write", variable, role, self._writers[variable])

    def _roles(self, table: dict[str, tuple[str, ...]], variable: str) -> tuple[str, ...]:
        roles = table.get(variable)
        if roles is None:
            raise UnknownVariableError(variable, table)
        return roles
