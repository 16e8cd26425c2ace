"""Registry machine: any sequence of reads, writes and lifetimes, against plain dictionaries.

After every step the registry holds what the model holds, in the declared shapes, types and ranges;
it has noted every attempt; and nobody gets at what an agent keeps to itself.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from creatura.vfs import Attempt, Extents, Registry, UnknownVariableError, build_roster
from creatura.vfs.dynamic import DynamicError, DynamicVariables, Effect
from creatura.vfs.schema import ROLES
from tests.property import registry_draws as draws
from tests.property.outcomes import both, is_refused, scribble, seen
from tests.property.registry_model import Model, Refused, Variable

FORMS = st.sampled_from(["array", "tensor", "fortran", "list"])
MAX_VARIABLES = 5


class RegistryMachine(RuleBasedStateMachine):
    """One registry, opened for change, and the model of it."""

    @initialize(data=st.data(), audit=st.booleans())
    def open(self, data: st.DataObject, audit: bool) -> None:
        self.cast = data.draw(draws.casts())
        count = data.draw(st.integers(1, MAX_VARIABLES))
        variables = [data.draw(draws.variables(self.cast, f"v{i}")) for i in range(count)]
        self.model = Model(self.cast, variables)
        roster = build_roster([v.spec() for v in variables], self.cast.holders)
        extents = Extents(self.cast.worlds, self.cast.agents)
        self.registry = Registry(roster, extents, audit=audit, dynamic=True)
        self.dynamic = DynamicVariables(self.registry)
        self.audit, self.tick, self.num_joined = audit, 0, 0
        self.attempts: list[Attempt] = []
        self.lent: set[str] = set()
        self.live: list[tuple[str, np.ndarray]] = []
        self.saved: tuple[Model, dict[str, Any]] | None = None

    def any_of(self, data: st.DataObject) -> Variable:
        return self.model.variables[data.draw(st.sampled_from(list(self.model.variables)))]

    # ------------------------------------------------------------------ reading

    @rule(data=st.data())
    def get(self, data: st.DataObject) -> None:
        name, role, holder, agent = self.asked(data, "read")
        told, expected = both(
            lambda: self.registry.get(name, role, holder=holder, agent=agent),
            lambda: self.model.read(name, role, holder, agent),
        )
        if expected is not None:
            assert seen(told) == expected

    def asked(self, data: st.DataObject, verb: str) -> tuple[str, str, Any, Any]:
        """Draws in which role somebody asks for whose values of which variable."""
        variable = self.any_of(data)
        role = data.draw(draws.roles(self.model.roles(verb, variable.id)))
        holder = data.draw(st.none() | draws.holders(self.cast, variable))
        agent = data.draw(draws.agents(self.cast))
        return variable.id, role, holder, agent

    @rule(role=draws.roles(), verb=st.sampled_from(["read", "write"]))
    def ask_for_what_nobody_declared(self, role: str, verb: str) -> None:
        self.tick += 1
        value = np.zeros(1)
        with pytest.raises(UnknownVariableError, match="no variable 'v'; did you mean") as caught:
            (
                self.registry.get("v", role)
                if verb == "read"
                else self.registry.set("v", value, role, tick=self.tick, who="a test")
            )
        if verb == "write":
            self.note("a test", role, "v", str(caught.value), None)

    @rule(data=st.data(), role=draws.roles())
    def read_on(self, data: st.DataObject, role: str) -> None:
        """Has the check done once; what is handed out is looked at after every later step."""
        names = data.draw(st.lists(st.sampled_from(list(self.model.variables)), max_size=2))

        def check() -> bool:
            for name in names:
                self.model.check_role("read", name, role)
                self.model.check_everybody("read", name, role)
            return True

        arrays, _ = both(lambda: self.registry.reader(role, names), check)
        if arrays is not None:
            assert list(arrays) == list(dict.fromkeys(names))
            self.live += arrays.items()

    @rule(data=st.data())
    def own_rows(self, data: st.DataObject) -> None:
        name = self.any_of(data).id
        rows, expected = both(
            lambda: self.registry.own_rows([name]),
            lambda: self.model.check_role("read", name, "agent") or True,
        )
        if expected:
            self.live += rows.items()

    # ------------------------------------------------------------------ writing

    @rule(data=st.data(), form=FORMS, is_flawed=st.booleans())
    def set(self, data: st.DataObject, form: str, is_flawed: bool) -> None:
        name, role, holder, agent = self.asked(data, "write")
        variable = self.model.variables[name]
        try:
            places = self.model.whose("write", name, role, holder, agent)
        except Refused:
            places = None, None
        shape, _ = self.model.answer(name, *places)
        value = data.draw(draws.numbers(variable, shape))
        if is_flawed:
            value = data.draw(draws.flawed(variable, value))
        given = draws.presented(value, form)
        self.tick += 1
        who = f"rule {self.tick}"
        try:
            both(
                lambda: self.registry.set(
                    name, given, role, tick=self.tick, who=who, holder=holder, agent=agent
                ),
                lambda: self.model.write(name, role, value, holder, agent),
                lambda text: self.note(who, role, name, text, holder),
            )
        finally:
            scribble(given)  # what was handed over stays the caller's

    def note(self, who: str, role: str, name: str, text: str | None, holder: Any) -> None:
        if text is not None or self.audit:
            self.attempts.append(Attempt(self.tick, who, role, name, text, holder))

    @rule(data=st.data(), role=draws.roles())
    def lend(self, data: st.DataObject, role: str) -> None:
        """Lends tensors, and writes through them as compiled rules do."""
        names = st.lists(st.sampled_from(list(self.model.variables)), max_size=2)
        reads, writes = data.draw(names), data.draw(names)

        def check() -> bool:
            for verb, asked in (("read", reads), ("write", writes)):
                for name in asked:
                    self.model.check_role(verb, name, role)
            return True

        tensors, expected = both(lambda: self.registry.lend(role, reads, writes), check)
        if not expected:
            return
        of_tick = {v.id for v in self.model.variables.values() if v.lifetime == "tick"}
        lent = {*reads, *writes, *of_tick}
        assert list(tensors) == [name for name in self.model.variables if name in lent]
        self.lent |= lent
        for name in writes:
            variable = self.model.variables[name]
            shape, _ = self.model.answer(name)
            value = data.draw(draws.numbers(variable, shape))
            tensors[name].numpy()[...] = draws.presented(value, "array")
            self.model.put(name, self.cast.places(variable), value[2])

    # ------------------------------------------------------------------ lifetimes

    @rule(data=st.data())
    def start_tick(self, data: st.DataObject) -> None:
        row = st.lists(st.booleans(), min_size=self.cast.agents, max_size=self.cast.agents)
        live = data.draw(st.lists(row, min_size=self.cast.worlds, max_size=self.cast.worlds))
        names = [
            v.id for v in self.model.variables.values() if v.lifetime == "tick" and not v.is_derived
        ]
        self.registry.start_tick(names, np.array(live))
        self.model.start_tick(live)

    @rule(data=st.data(), is_for_all=st.booleans())
    def reset(self, data: st.DataObject, is_for_all: bool) -> None:
        count = self.cast.worlds
        worlds = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
        self.registry.reset(None if is_for_all else np.array(worlds))
        self.model.reset([True] * count if is_for_all else worlds)

    # ------------------------------------------------------------------ whole states

    @rule()
    def save(self) -> None:
        self.saved = (copy.deepcopy(self.model), self.registry.snapshot())

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self) -> None:
        assert self.saved is not None
        model, values = self.saved
        if model.variables == self.model.variables:
            self.registry.restore(values)
            self.model.values = copy.deepcopy(model.values)
        elif list(model.variables) != list(self.model.variables):
            with pytest.raises(ValueError, match="the snapshot is of another roster"):
                self.registry.restore(values)

    # ------------------------------------------------------------------ who is there

    @rule(data=st.data())
    def join(self, data: st.DataObject) -> None:
        self.num_joined += 1
        variable = data.draw(draws.variables(self.cast, f"joined{self.num_joined}"))
        if variable.is_derived:
            with pytest.raises(DynamicError, match="is derived"):
                self.dynamic.add(variable.spec(), Effect.INTERNAL, tick=1, who="a test")
            return
        self.dynamic.add(variable.spec(), Effect.INTERNAL, tick=1, who="a test")
        self.model.add(variable)

    @precondition(lambda self: len(self.model.variables) > 1)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        name = self.any_of(data).id
        if name in self.lent:
            with pytest.raises(DynamicError, match="what compiled rules work on; it stays"):
                self.dynamic.remove(name, Effect.INTERNAL, tick=1, who="a test")
            return
        self.dynamic.remove(name, Effect.INTERNAL, tick=1, who="a test")
        self.model.remove(name)
        self.live = [(held, array) for held, array in self.live if held != name]

    # ------------------------------------------------------------------ what always holds

    @invariant()
    def values_are_the_models(self) -> None:
        held = self.registry.snapshot()
        assert list(held) == list(self.registry.roster.ids) == list(self.model.variables)
        for name, variable in self.model.variables.items():
            assert held[name].dtype == variable.dtype
            assert seen(held[name]) == self.model.answer(name)
            assert np.isfinite(held[name]).all()
            if variable.bounds is not None and not variable.is_derived:
                low, high = variable.bounds
                assert (held[name] >= low).all()
                assert (held[name] <= high).all()

    @invariant()
    def what_was_handed_out_is_live_and_cannot_be_written(self) -> None:
        for name, array in self.live:
            assert seen(array) == self.model.answer(name)
            assert not array.flags.writeable

    @invariant()
    def attempts_are_on_the_record(self) -> None:
        assert list(self.registry.attempts) == self.attempts

    @invariant()
    def nobody_reaches_what_is_private(self) -> None:
        for variable in self.model.variables.values():
            if variable.scope == "agent_private":
                self.check_private(variable)

    def check_private(self, variable: Variable) -> None:
        name, agents = variable.id, range(self.cast.agents)
        for role in ROLES:
            if role not in ("agent", "vtc"):
                is_refused(lambda role=role: self.registry.get(name, role))
                is_refused(lambda role=role: self.registry.get(name, role, holder=0, agent=0))
                is_refused(lambda role=role: self.registry.reader(role, [name]))
        is_refused(lambda: self.registry.get(name, "agent"))
        is_refused(lambda: self.registry.reader("agent", [name]))
        for agent in agents:
            for other in agents:
                if other != agent:
                    is_refused(
                        lambda a=agent, o=other: self.registry.get(name, "agent", holder=o, agent=a)
                    )


TestRegistryMachine = RegistryMachine.TestCase
TestRegistryMachine.settings = settings(max_examples=100, stateful_step_count=25)
