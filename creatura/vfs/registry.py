"""Registry: the only door to a value.

Every read and write names a role and is checked. Callers that come back each tick have the check
done once: `reader` hands out live read-only arrays, `lend` the tensors a compiled transition works
on. Refused writes are kept; with `audit=True` the others are too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from creatura.errors import AccessError
from creatura.vfs.access import SELF, AccessTable, UnknownVariableError
from creatura.vfs.elements import bounds_of
from creatura.vfs.holders import OF_AGENTS, SCOPES, Axis, Extents
from creatura.vfs.roster import Roster
from creatura.vfs.schema import Lifetime, VariableSpec, VarType
from creatura.vfs.storage import allocate, start_values, views

Value = torch.Tensor | NDArray[Any]
Holder = str | int | tuple[int, int]
MAX_ATTEMPTS = 10_000  # kept; the oldest go first


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempted write.

    Attributes:
        who: The tool, rule or part that tried, in the caller's words.
        refusal: Why nothing was written; None where it was.
        holder: Whose value; None for everybody's.
    """

    tick: int
    who: str
    role: str
    variable: str
    refusal: str | None
    holder: Holder | None = None


@final
class Registry:
    """The values of a batch of worlds.

    Attributes:
        attempts: Attempted writes, the latest `MAX_ATTEMPTS`: those refused and, with `audit`, all.
        lent: Variables that compiled rules work on.
        is_dynamic: Whether variables may join or leave (see `dynamic`).
        is_audited: Whether writes that were made are kept too, those of compiled rules among them.
    """

    def __init__(
        self, roster: Roster, extents: Extents, *, audit: bool = False, dynamic: bool = False
    ) -> None:
        if extents.num_agents < roster.min_agents:
            raise ValueError(
                f"the world names agent {roster.min_agents - 1}, so it needs at least "
                f"{roster.min_agents} agents, found {extents.num_agents}"
            )
        self.roster = roster
        self.extents = extents
        self.access = AccessTable(roster)
        self.attempts: deque[Attempt] = deque(maxlen=MAX_ATTEMPTS)
        self.lent: set[str] = set()
        self.is_dynamic = dynamic
        self.is_audited = audit
        self._tensors = allocate(roster, extents)
        self._arrays = views(self._tensors)
        self._starts = {
            spec.id: start_values(roster, spec, extents.num_agents)
            for spec in roster
            if not spec.is_derived
        }

    # ------------------------------------------------------------------ reading

    def get(
        self, variable: str, role: str, *, holder: Holder | None = None, agent: int | None = None
    ) -> torch.Tensor:
        """Returns the live tensor of a variable; by contract nobody writes through it.

        Torch has no read-only tensors and a copy would cost more than the check; `reader` gives
        arrays that do refuse a write.

        Args:
            holder: Whose value: a name or a number, of pairs two numbers; None for everybody's.
            agent: The agent that asks, in the role `agent`; it then gets its own value, without
                the agent axis, unless a holder is named.

        Raises:
            AccessError: The role may not read it, or not of this holder.
            LookupError: There is no such variable or holder.
        """
        self.access.check_read(role, variable)
        if role == SELF or holder is not None:
            place = self._place("read", variable, role, holder, agent)
            return self._tensors[variable][place]
        return self._tensors[variable]

    def reader(self, role: str, variables: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Resolves the role's permission once and returns live, read-only arrays of all holders."""
        return {variable: self._read_only(role, variable) for variable in variables}

    def own_rows(self, variables: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Resolves what agents may read of themselves; live, read-only arrays of all of them.

        Whoever takes these promises to show each agent its own row, as the token encoder does.

        Raises:
            AccessError: Agents may not read one of them.
        """
        for variable in variables:
            self.access.check_read(SELF, variable)
        return {variable: self._view(variable) for variable in variables}

    # ------------------------------------------------------------------ writing

    def set(
        self,
        variable: str,
        value: Value,
        role: str,
        *,
        tick: int,
        who: str,
        holder: Holder | None = None,
        agent: int | None = None,
    ) -> None:
        """Writes a variable, or one holder's value of it: same shape and dtype, and what it may be.

        A number is finite and within its range, a categorical one of its labels, a one_hot on in
        one place.

        Raises:
            AccessError: The role may not write it, or not of this holder.
            LookupError: There is no such variable or holder.
            ValueError: The value does not fit; nothing was written.
        """
        try:
            self.access.check_write(role, variable)
            place: tuple[Any, ...] = ()
            if role == SELF or holder is not None:
                place = self._place("write", variable, role, holder, agent)
            held = self._arrays[variable][place] if place else self._arrays[variable]
            spec = self.roster[variable]
            array = _array_of(spec, value)
            check_fits(spec, held, array, self._axes(variable, bool(place)))
        except (AccessError, LookupError, ValueError) as refusal:
            self.attempts.append(Attempt(tick, who, role, variable, _said(refusal), holder))
            raise
        self._arrays[variable][place or ...] = array
        if self.is_audited:
            self.attempts.append(Attempt(tick, who, role, variable, None, holder))

    def lend(
        self, role: str, reads: Iterable[str], writes: Iterable[str]
    ) -> dict[str, torch.Tensor]:
        """Resolves a transition's permissions once and returns the live tensors it works on.

        Variables that live for a tick are always among them: to clear them at the start of a step
        is part of what they are, not an act of any role.
        """
        lent = {spec.id for spec in self.roster if spec.lifetime is Lifetime.TICK}
        for variable in reads:
            self.access.check_read(role, variable)
            lent.add(variable)
        for variable in writes:
            self.access.check_write(role, variable)
            lent.add(variable)
        self.lent |= lent
        return {variable: tensor for variable, tensor in self._tensors.items() if variable in lent}

    # ------------------------------------------------------------------ who is there

    def admit(self, spec: VariableSpec, roster: Roster) -> None:
        """Takes in a variable; `dynamic` decides whether it may join."""
        assert self.is_dynamic, "only a registry opened for it changes its roster"
        made = allocate(Roster((spec,), roster.holders), self.extents)
        self._tensors |= made
        self._arrays |= views(made)
        self._starts[spec.id] = start_values(roster, spec, self.extents.num_agents)
        self.access.add(spec)
        self.roster = roster

    def dismiss(self, variable: str) -> None:
        """Lets a variable go; `dynamic` decides whether it may."""
        assert self.is_dynamic, "only a registry opened for it changes its roster"
        del self._tensors[variable], self._arrays[variable]
        self._starts.pop(variable, None)  # a derived one has none
        self.access.remove(variable)
        staying = tuple(spec for spec in self.roster if spec.id != variable)
        self.roster = Roster(staying, self.roster.holders)

    # ------------------------------------------------------------------ lifetimes

    def start_tick(self, variables: Iterable[str], live: NDArray[np.bool_]) -> None:
        """Returns variables to their start at the beginning of a tick.

        Args:
            live: Which agents still change `[W, A]`; what others hold stays, and so does everything
                of a world without any.
        """
        for variable in variables:
            array, begins = self._arrays[variable], self._begins(variable, live)
            array[begins] = np.broadcast_to(self._starts[variable], array.shape)[begins]

    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:
        """Starts a new episode: all but persistent variables return to their initial values.

        Derived variables keep their old values until the transition refreshes them.

        Args:
            worlds: Which worlds `[W]`; None for all of them.
        """
        chosen = slice(None) if worlds is None else np.asarray(worlds, dtype=bool)
        for spec in self.roster:
            if spec.lifetime is not Lifetime.PERSISTENT and not spec.is_derived:
                self._arrays[spec.id][chosen] = self._starts[spec.id]

    # ------------------------------------------------------------------ whole states

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies every value there is, for `restore`; a snapshot is no reading of any role."""
        return {variable: array.copy() for variable, array in self._arrays.items()}

    def restore(self, values: Mapping[str, NDArray[Any]]) -> None:
        """Puts a snapshot back, in place, so that what was lent goes on from it.

        Raises:
            ValueError: It is of another roster, or of other extents.
        """
        if values.keys() != self._arrays.keys():
            raise ValueError("the snapshot is of another roster")
        for variable, array in self._arrays.items():
            if (values[variable].shape, values[variable].dtype) != (array.shape, array.dtype):
                raise ValueError(f"the snapshot holds '{variable}' in another shape")
        for variable, array in self._arrays.items():
            array[...] = values[variable]

    def _read_only(self, role: str, variable: str) -> NDArray[Any]:
        self.access.check_read(role, variable)
        self.access.check_whose("read", role, variable, None, None)
        return self._view(variable)

    def _view(self, variable: str) -> NDArray[Any]:
        array = self._arrays[variable].view()
        array.flags.writeable = False
        return array

    def _place(
        self, verb: str, variable: str, role: str, holder: Holder | None, agent: int | None
    ) -> tuple[Any, ...]:
        """Finds where one holder's values lie, and refuses those the asker may not touch."""
        spec, holders = self.roster[variable], self.roster.holders
        if holder is not None:
            place: tuple[Any, ...] = holders.index_of(spec, holder, self.extents.num_agents)
            of = self._agent_of(spec, place)
        elif spec.scope not in OF_AGENTS:
            return (slice(None),)
        elif agent is None:
            place, of = (), None
        else:
            # An index of -1 or True would be taken, and be somebody else's row or everybody's.
            of = holders.position(spec, Axis.AGENT, agent, self.extents.num_agents)
            place = (of,)
            if holders.axes_of(spec) == (Axis.EDGE,):
                place = ([e for e, (i, _) in enumerate(holders.edges or ()) if i == of],)
        self.access.check_whose(verb, role, variable, agent, of)
        return (slice(None), *place)

    def _begins(self, variable: str, live: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Says whose values start a tick anew: by agent, by pair of an agent, or by world."""
        holders = self.roster.holders
        axes = holders.axes_of(self.roster[variable])
        if axes == (Axis.EDGE,):
            return live[:, [i for i, _ in holders.edges or ()]]
        return live if axes[:1] == (Axis.AGENT,) else np.asarray(live.any(axis=1))

    def _axes(self, variable: str, is_part: bool) -> tuple[str, ...]:
        """Names the axes of a value that is written, for messages."""
        axes = () if is_part else self.roster.holders.axes_of(self.roster[variable])
        return ("world", *axes)

    def _agent_of(self, spec: VariableSpec, place: tuple[int, ...]) -> int | None:
        """Says which agent holds the value at a place; None for what is no agent's."""
        if self.roster.holders.axes_of(spec) == (Axis.EDGE,):
            edges = self.roster.holders.edges
            return edges[place[0]][0] if edges else None
        return place[0] if SCOPES[spec.scope][:1] == (Axis.AGENT,) else None


def check_fits(
    spec: VariableSpec, held: NDArray[Any], value: NDArray[Any], axes: Sequence[str]
) -> None:
    """Refuses a value that is not one of this variable, in the shape of `held`.

    Args:
        axes: What the leading axes count.

    Raises:
        ValueError: What was expected and found, and of which world and holder.
    """
    if value.shape != held.shape or value.dtype != held.dtype:
        expected, found = (f"{a.dtype} {list(a.shape)}" for a in (held, value))
        raise ValueError(f"'{spec.id}' takes {expected}, found {found}")
    if value.dtype == np.float32 and not np.isfinite(value).all():
        found = _first(~np.isfinite(value), value, axes)
        raise ValueError(f"'{spec.id}' takes finite values, found {found}")
    bounds = bounds_of(spec)
    if bounds is not None:
        # Bounds are rounded as values are: 0.1 in the file is the float32 nearest to 0.1.
        low, high = np.asarray(bounds, dtype=held.dtype)
        outside = (value < low) | (value > high)
        if outside.any():
            shown = f"[{bounds[0]!r}, {bounds[1]!r}]"
            raise ValueError(f"'{spec.id}' takes {shown}, found {_first(outside, value, axes)}")
    if spec.type is VarType.ONE_HOT:
        wrong = value.sum(axis=-1) != 1
        if wrong.any():
            where = _where(np.argwhere(wrong)[0], axes)
            count = int(value.sum(axis=-1)[wrong][0])
            raise ValueError(f"'{spec.id}' is on in one place, found {count} ({where})")


def _array_of(spec: VariableSpec, value: Value) -> NDArray[Any]:
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    try:
        return value.detach().numpy()
    except (TypeError, RuntimeError):  # bfloat16, another device: what NumPy has no word for
        found = f"{value.dtype} {list(value.shape)} on {value.device}"
        raise ValueError(f"'{spec.id}' takes what NumPy can hold, found {found}") from None


def _first(wrong: NDArray[np.bool_], value: NDArray[Any], axes: Sequence[str]) -> str:
    index = np.argwhere(wrong)[0]
    return f"{value[tuple(index)]} ({_where(index, axes)})"


def _where(index: NDArray[np.intp], axes: Sequence[str]) -> str:
    names = (*axes, *("element",) * len(index))
    return ", ".join(f"{name} {i}" for name, i in zip(names, index.tolist(), strict=False))


def _said(refusal: Exception) -> str:
    return str(refusal.args[0]) if isinstance(refusal, KeyError) else str(refusal)


__all__ = ["Attempt", "Holder", "Registry", "UnknownVariableError", "check_fits"]
