"""Access: which role may read or write which variable, and whose values of it.

Roles are open names: whoever asks says in which role, and a variable lists the roles it knows. The
role `agent` sees what the asking agent itself holds; what other agents hold of the same variable is
read as `other_agents`, and of a private one by nobody. A derived variable is written by the rules
alone, whatever it lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from creatura.errors import AccessError, did_you_mean
from creatura.vfs.holders import OF_AGENTS
from creatura.vfs.schema import RULES_ROLE, VariableSpec

SELF, OTHERS = "agent", "other_agents"


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
        self._of_agents: set[str] = set()
        for spec in variables:
            self.add(spec)

    def add(self, spec: VariableSpec) -> None:
        """Takes in a variable that joins a running world."""
        self._readers[spec.id] = spec.readable_by
        self._writers[spec.id] = (RULES_ROLE,) if spec.is_derived else spec.writable_by
        if spec.scope in OF_AGENTS:
            self._of_agents.add(spec.id)

    def remove(self, variable: str) -> None:
        """Forgets a variable that leaves."""
        del self._readers[variable], self._writers[variable]
        self._of_agents.discard(variable)

    def can_read(self, role: str, variable: str) -> bool:
        """Whether the role may read it, of whoever the role may see."""
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

    def check_whose(
        self, verb: str, role: str, variable: str, agent: int | None, of: int | None
    ) -> None:
        """Raises AccessError unless the role may touch these holders' values.

        Args:
            agent: The agent that asks; None where no agent does.
            of: The agent whose values are asked for; None for everybody's.
        """
        if role != SELF or variable not in self._of_agents:
            return
        if of is not None and of == agent:
            return
        allowed = self._readers if verb == "read" else self._writers
        if OTHERS not in self._roles(allowed, variable):
            whose = "everybody's" if of is None else f"agent {of}'s"
            raise AccessError(f"{verb} {whose}", variable, role, ("its own agent",))

    def check_known(self, variable: str) -> None:
        """Raises UnknownVariableError, with the nearest name, unless there is such a variable."""
        self._roles(self._readers, variable)

    def _roles(self, table: dict[str, tuple[str, ...]], variable: str) -> tuple[str, ...]:
        roles = table.get(variable)
        if roles is None:
            raise UnknownVariableError(variable, table)
        return roles
