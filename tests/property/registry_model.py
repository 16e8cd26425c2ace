"""Registry model: a registry as plain dictionaries, written without looking at the real one.

A value is a flat tuple of Python numbers, kept by world and holder. Every question is answered from
these and from the declarations; a refusal is a `Refused` that says which error and which words.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from creatura.errors import AccessError
from creatura.vfs import Holders, VariableSpec

Element = tuple[float, ...]  # the numbers of one value, in C order
Place = tuple[int, ...]  # positions of a holder along the axes of its scope
Answer = tuple[tuple[int, ...], list[float]]  # a shape, and the numbers in C order

DTYPES = {
    "scalar": "float32", "bool": "bool", "int": "int64", "categorical": "int64",
    "vec2i": "int64", "vec2f": "float32", "vecNf": "float32", "one_hot": "bool", "mask": "bool",
    "matrix": "float32", "message_token": "float32",
}  # fmt: skip
SCOPES = ("global", "agent", "agent_private", "item", "pair", "group", "affordance", "zone",
          "message")  # fmt: skip
OF_AGENTS = ("agent", "agent_private", "pair", "message")


class Refused(Exception):  # noqa: N818 - an outcome that is looked for, not an error
    """What the registry has to refuse, with which error, and what its words must name."""

    def __init__(self, error: type[Exception], *words: str) -> None:
        super().__init__(error, words)
        self.error, self.words = error, words


@dataclass(frozen=True)
class Variable:
    """A declaration as the model knows it.

    Attributes:
        shape: Of one value.
        count: Labels, of a categorical or one_hot.
        start: Its first value; `start_at` those of single holders.
    """

    id: str
    scope: str
    type: str
    shape: tuple[int, ...]
    lifetime: str
    start: Element
    range: tuple[float, float] | None = None
    start_at: dict[Place, Element] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    count: int = 0
    profile: str | None = None
    is_derived: bool = False

    @property
    def dtype(self) -> str:
        return DTYPES[self.type]

    @property
    def bounds(self) -> tuple[float, float] | None:
        if self.type == "categorical":
            return (0, self.count - 1)
        if self.range is None or self.dtype != "float32":
            return self.range
        return (float32(self.range[0]), float32(self.range[1]))

    def spec(self) -> VariableSpec:
        """Declares it as an author would."""
        fields: dict[str, Any] = {
            "id": self.id, "scope": self.scope, "type": self.type, "lifetime": self.lifetime,
            "range": self.range, "profile": self.profile,
            "readable_by": self.readers, "writable_by": self.writers,
        }  # fmt: skip
        if self.type in ("categorical", "one_hot"):
            fields["labels"] = tuple(f"label_{i}" for i in range(self.count))
        elif self.type == "matrix":
            fields["dims"] = self.shape
        elif self.type in ("vecNf", "mask", "message_token"):
            fields["dims"] = self.shape[0]
        if self.is_derived:
            return VariableSpec(**fields, expression="anything")
        starts = {
            " to ".join(map(str, place)): self._written(value)
            for place, value in self.start_at.items()
        }
        return VariableSpec(**fields, initial=self._written(self.start), initial_at=starts)

    def _written(self, value: Element) -> Any:
        if self.type == "categorical":
            return f"label_{value[0]}"
        if self.type == "one_hot":
            return value.index(True)
        if self.range is not None:
            # What was rounded to the 32-bit float at a bound may lie outside of it in 64.
            low, high = self.range
            value = tuple(min(max(number, low), high) for number in value)
        if self.type == "matrix":
            columns = self.shape[1]
            return [list(value[i : i + columns]) for i in range(0, len(value), columns)]
        return list(value) if self.shape else value[0]


@dataclass(frozen=True)
class Cast:
    """Who is there: worlds and agents of the run, and the holders of the world file."""

    worlds: int
    agents: int
    holders: Holders

    def names(self, variable: Variable) -> tuple[str, ...]:
        """Names the holders of a variable that have names."""
        items = tuple(name for name, of in self.holders.items.items() if of == variable.profile)
        return {
            "item": items, "group": self.holders.groups, "zone": self.holders.zones,
            "affordance": self.holders.affordances,
        }.get(variable.scope, ())  # fmt: skip

    def sizes(self, variable: Variable) -> tuple[int, ...]:
        """Counts the holders along each axis of the scope, were every pair there."""
        match variable.scope:
            case "global":
                return ()
            case "agent" | "agent_private":
                return (self.agents,)
            case "pair":
                return (self.agents, self.agents)
            case "message":
                return (self.agents, self.holders.num_slots)
            case _:
                return (len(self.names(variable)),)

    def is_sparse(self, variable: Variable) -> bool:
        return variable.scope == "pair" and self.holders.edges is not None

    def places(self, variable: Variable) -> list[Place]:
        """Lists every holder in the order of storage."""
        if self.is_sparse(variable):
            return list(self.holders.edges or ())
        return list(itertools.product(*map(range, self.sizes(variable))))


class Model:
    """The values of a batch of worlds, as dictionaries."""

    def __init__(self, cast: Cast, variables: Sequence[Variable]) -> None:
        self.cast = cast
        self.variables: dict[str, Variable] = {}
        self.values: dict[str, dict[tuple[int, Place], Element]] = {}
        for variable in variables:
            self.add(variable)

    def add(self, variable: Variable) -> None:
        self.variables[variable.id] = variable
        self.values[variable.id] = {}
        self._restart(variable, lambda world, place: True)

    def remove(self, variable: str) -> None:
        del self.variables[variable], self.values[variable]

    # ------------------------------------------------------------------ reading and writing

    def read(self, name: str, role: str, holder: object = None, agent: int | None = None) -> Answer:
        """Answers `get`, or raises what it must refuse."""
        self.check_role("read", name, role)
        return self.answer(name, *self.whose("read", name, role, holder, agent))

    def write(
        self,
        name: str,
        role: str,
        value: tuple[str, tuple[int, ...], list[float]],
        holder: object = None,
        agent: int | None = None,
    ) -> None:
        """Does what `set` must do with numbers of a dtype and shape, or raises what it refuses."""
        self.check_role("write", name, role)
        places, axes = self.whose("write", name, role, holder, agent)
        self.check_fits(name, value, places, axes)
        self.put(name, places, value[2])

    def answer(
        self, name: str, places: list[Place] | None = None, axes: tuple[int, ...] | None = None
    ) -> Answer:
        """Gives the values of some holders, of all where none are named."""
        variable, held = self.variables[name], self.values[name]
        if places is None or axes is None:
            places, axes = self._everybody(variable)
        numbers = [
            number
            for world in range(self.cast.worlds)
            for place in places
            for number in held[world, place]
        ]
        return (self.cast.worlds, *axes, *variable.shape), numbers

    def put(self, name: str, places: Sequence[Place], numbers: Sequence[float]) -> None:
        """Sets the values of some holders, in every world."""
        length = math.prod(self.variables[name].shape)
        keys = itertools.product(range(self.cast.worlds), places)
        for i, key in enumerate(keys):
            self.values[name][key] = tuple(numbers[i * length : (i + 1) * length])

    def roles(self, verb: str, name: str) -> tuple[str, ...]:
        variable = self.variables[name]
        if verb == "read":
            return variable.readers
        return ("vtc",) if variable.is_derived else variable.writers

    def check_role(self, verb: str, name: str, role: str) -> None:
        if name not in self.variables:
            raise Refused(LookupError, f"no variable '{name}'")
        roles = self.roles(verb, name)
        if role not in roles:
            allowed = ", ".join(roles) or "nobody"
            text = f"role '{role}' may not {verb} '{name}'; allowed: {allowed}"
            raise Refused(AccessError, text)

    def check_everybody(self, verb: str, name: str, role: str) -> None:
        """Refuses an agent that asks for what all agents hold."""
        if role == "agent" and self.variables[name].scope in OF_AGENTS:
            self._check_whose(verb, name, None, None)

    def whose(
        self, verb: str, name: str, role: str, holder: object, agent: int | None
    ) -> tuple[list[Place], tuple[int, ...]]:
        """Finds the holders that are asked for, and the axes they come in."""
        variable = self.variables[name]
        is_own = role == "agent" and variable.scope in OF_AGENTS
        if holder is not None:
            place = self._place(variable, holder)
            if is_own:
                self._check_whose(verb, name, agent, place[0])
            return [place], ()
        if not is_own:
            return self._everybody(variable)
        if agent is not None and (type(agent) is not int or not 0 <= agent < self.cast.agents):
            raise Refused(LookupError, f"'{name}' has no agent {agent}")
        self._check_whose(verb, name, agent, agent)
        if agent is None:
            return self._everybody(variable)
        places = [place for place in self.cast.places(variable) if place[0] == agent]
        axes = (len(places),) if self.cast.is_sparse(variable) else self.cast.sizes(variable)[1:]
        return places, axes

    def _everybody(self, variable: Variable) -> tuple[list[Place], tuple[int, ...]]:
        places = self.cast.places(variable)
        axes = (len(places),) if self.cast.is_sparse(variable) else self.cast.sizes(variable)
        return places, axes

    def _check_whose(self, verb: str, name: str, agent: int | None, of: int | None) -> None:
        if (of is None or agent != of) and "other_agents" not in self.roles(verb, name):
            whose = "everybody's" if of is None else f"agent {of}'s"
            text = f"role 'agent' may not {verb} {whose} '{name}'; allowed: its own agent"
            raise Refused(AccessError, text)

    def _place(self, variable: Variable, holder: object) -> Place:
        parts = holder if isinstance(holder, tuple) else (holder,)
        names = self.cast.names(variable)
        place = tuple(names.index(part) if part in names else part for part in parts)
        is_plain = all(type(part) is int for part in place)
        if not is_plain or place not in self.cast.places(variable):
            raise Refused(LookupError, f"'{variable.id}'")
        return place

    def check_fits(
        self,
        name: str,
        value: tuple[str, tuple[int, ...], list[float]],
        places: list[Place],
        axes: tuple[int, ...],
    ) -> None:
        """Refuses numbers that are no values of the variable."""
        dtype, shape, numbers = value
        variable = self.variables[name]
        expected = (self.cast.worlds, *axes, *variable.shape)
        if dtype != variable.dtype or shape != expected:
            words = f"'{name}' takes {variable.dtype} {list(expected)}, found {dtype} {list(shape)}"
            raise Refused(ValueError, words)
        if not all(map(math.isfinite, numbers)):
            raise Refused(ValueError, f"'{name}' takes finite values, found ")
        low, high = variable.bounds or (-math.inf, math.inf)
        if not all(low <= number <= high for number in numbers):
            raise Refused(ValueError, f"'{name}' takes [", "found ")
        if variable.type == "one_hot":
            length = variable.count
            if any(sum(numbers[i : i + length]) != 1 for i in range(0, len(numbers), length)):
                raise Refused(ValueError, f"'{name}' is on in one place, found ")

    # ------------------------------------------------------------------ lifetimes

    def start_tick(self, live: list[list[bool]]) -> None:
        """Begins a tick: what lives for one starts anew, unless its holder or world has ended."""
        for variable in self.variables.values():
            if variable.lifetime != "tick" or variable.is_derived:
                continue
            if variable.scope in OF_AGENTS:
                self._restart(variable, lambda world, place: live[world][place[0]])
            else:
                self._restart(variable, lambda world, place: any(live[world]))

    def reset(self, worlds: Sequence[bool]) -> None:
        """Begins an episode in some worlds; what persists stays, as do derived values."""
        for variable in self.variables.values():
            if variable.lifetime != "persistent" and not variable.is_derived:
                self._restart(variable, lambda world, place: worlds[world])

    def _restart(self, variable: Variable, is_chosen: Callable[[int, Place], bool]) -> None:
        for world, place in self.keys(variable):
            if is_chosen(world, place):
                start = variable.start_at.get(place, variable.start)
                self.values[variable.id][world, place] = start

    def keys(self, variable: Variable) -> Iterator[tuple[int, Place]]:
        return itertools.product(range(self.cast.worlds), self.cast.places(variable))


def float32(number: float) -> float:
    """Rounds a number to a 32-bit float."""
    return float(struct.unpack("f", struct.pack("f", number))[0])
