"""Pair machine: pairs stored for every two agents and only where there is one, side by side.

Whatever is done to both, they answer, refuse and hold the same where there is a pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from creatura.vfs import Extents, Registry, build_roster
from creatura.vfs.storage import dense_pairs
from tests.property import registry_draws as draws
from tests.property.outcomes import outcome, seen


class PairMachine(RuleBasedStateMachine):
    """The same pairs, once stored for every two agents and once only where there is one."""

    @initialize(data=st.data())
    def open(self, data: st.DataObject) -> None:
        self.cast = data.draw(draws.casts(is_sparse=True))
        self.edges = self.cast.holders.edges or ()
        self.variable = data.draw(draws.variables(self.cast, "v", "pair"))
        extents = Extents(self.cast.worlds, self.cast.agents)
        spec = self.variable.spec()
        self.sparse = Registry(build_roster([spec], self.cast.holders), extents)
        self.dense = Registry(build_roster([spec]), extents)
        self.tick = 0

    def of(self, agent: int | None) -> list[tuple[int, int]]:
        """Lists the pairs of one agent, or of all."""
        return [edge for edge in self.edges if agent in (None, edge[0])]

    @rule(data=st.data(), verb=st.sampled_from(["read", "write"]))
    def one_pair(self, data: st.DataObject, verb: str) -> None:
        role = self.role(data, verb)
        agent = data.draw(draws.agents(self.cast))
        known, unknown = st.sampled_from(self.edges), st.sampled_from([(0, 9), "0", (True, False)])
        holder = data.draw(known | known | known | unknown)
        if verb == "read":
            dense, sparse = (
                outcome(lambda r=r: seen(r.get("v", role, holder=holder, agent=agent)))
                for r in (self.dense, self.sparse)
            )
        else:
            value = self.value(data, (self.cast.worlds, *self.variable.shape))
            dense, sparse = self.written(role, value, value, holder=holder, agent=agent)
        self.agree(dense, sparse)

    @rule(data=st.data())
    def read_many(self, data: st.DataObject) -> None:
        role = self.role(data, "read")
        agent = data.draw(draws.agents(self.cast))
        dense, sparse = (
            outcome(lambda r=r: np.asarray(r.get("v", role, agent=agent)))
            for r in (self.dense, self.sparse)
        )
        self.agree(type(dense), type(sparse))
        if isinstance(dense, Exception):
            self.agree(dense, sparse)
        else:
            is_own = role == "agent" and agent is not None
            assert seen(self.shared(dense, agent if is_own else None)) == seen(sparse)

    @rule(data=st.data())
    def write_many(self, data: st.DataObject) -> None:
        role = self.role(data, "write")
        agent = data.draw(draws.agents(self.cast))
        is_own = role == "agent" and agent in range(self.cast.agents)
        axes = (self.cast.agents,) if is_own else (self.cast.agents,) * 2
        value = self.value(data, (self.cast.worlds, *axes, *self.variable.shape))
        shared = self.shared(value, agent if is_own else None)
        self.agree(*self.written(role, value, shared, agent=agent))

    @rule(data=st.data())
    def start_tick(self, data: st.DataObject) -> None:
        live = np.array(data.draw(st.lists(self.flags(self.cast.agents), **self.each_world())))
        if not self.variable.is_derived:
            for registry in (self.dense, self.sparse):
                registry.start_tick(["v"], live)

    @rule(data=st.data())
    def reset(self, data: st.DataObject) -> None:
        worlds = np.array(data.draw(self.flags(self.cast.worlds)))
        for registry in (self.dense, self.sparse):
            registry.reset(worlds)

    @invariant()
    def they_hold_the_same_where_there_is_a_pair(self) -> None:
        dense, sparse = (r.snapshot()["v"] for r in (self.dense, self.sparse))
        assert seen(self.shared(dense, None)) == seen(sparse)
        spread, exist = dense_pairs(
            self.sparse.roster, self.sparse.roster["v"], sparse, self.cast.agents
        )
        assert set(zip(*map(np.ndarray.tolist, exist.nonzero()), strict=True)) == {*self.edges}
        assert np.array_equal(spread[:, exist], dense[:, exist])
        assert not spread[:, ~exist].any()

    # ------------------------------------------------------------------ what the rules need

    def role(self, data: st.DataObject, verb: str) -> str:
        listed = self.variable.readers if verb == "read" else self.variable.writers
        return data.draw(draws.roles(listed))

    def flags(self, count: int) -> st.SearchStrategy[list[bool]]:
        return st.lists(st.booleans(), min_size=count, max_size=count)

    def each_world(self) -> dict[str, int]:
        return {"min_size": self.cast.worlds, "max_size": self.cast.worlds}

    def value(self, data: st.DataObject, shape: tuple[int, ...]) -> np.ndarray:
        """Draws a value, with one and the same flaw everywhere if it has any."""
        value = data.draw(draws.numbers(self.variable, shape))
        flaw = data.draw(st.sampled_from(["", "", "dtype", "nan"]))
        array = draws.presented(value, "array")
        if flaw == "dtype":
            return array.astype("float64")
        if flaw == "nan" and array.dtype == np.float32:
            array[...] = np.nan
        return array

    def written(self, role: str, dense: Any, sparse: Any, **whose: Any) -> list[Any]:
        self.tick += 1
        return [
            outcome(lambda r=r, v=v: r.set("v", v, role, tick=self.tick, who="a test", **whose))
            for r, v in ((self.dense, dense), (self.sparse, sparse))
        ]

    def shared(self, dense: np.ndarray, agent: int | None) -> np.ndarray:
        """Takes from all pairs those that there are, `[W, E, ...]`."""
        pairs = self.of(agent)
        there = [j for _, j in pairs]
        return dense[:, [i for i, _ in pairs], there] if agent is None else dense[:, there]

    def agree(self, dense: Any, sparse: Any) -> None:
        assert type(dense) is type(sparse)
        if isinstance(dense, PermissionError):
            assert str(dense) == str(sparse)
        elif not isinstance(dense, Exception):
            assert dense == sparse
        assert [(a.tick, a.role, a.variable, a.holder) for a in self.dense.attempts] == [
            (a.tick, a.role, a.variable, a.holder) for a in self.sparse.attempts
        ]


TestPairMachine = PairMachine.TestCase
TestPairMachine.settings = settings(max_examples=60, stateful_step_count=25)
