"""World: a compiled world, and a stage on which a batch of its runs is played.

A world is immutable and is compiled once. A stage holds the values of W runs of A agents and moves
them all by one transition a tick; a tool's fault decides whether its call lands before the
transition sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, pack
from creatura.errors import AuthorError, Place, Problem, did_you_mean
from creatura.hashing import digest
from creatura.protocols import Brief
from creatura.source import Document, load_yaml, parse_yaml, validated
from creatura.vfs import Extents, Registry, Roster, Scope, build_roster
from creatura.vfs.access import SELF
from creatura.vfs.schema import TokenType
from creatura.vfs.tokens import TokenLayout, compile_tokens, token_type_schema_hash
from creatura.vtc import BackendName, Transition, compile_transition
from creatura.world.expand import expand, lands_of
from creatura.world.faults import Fault, FaultTable
from creatura.world.landing import Landings, Reports
from creatura.world.naming import CALLED, PUSH
from creatura.world.spec import WorldSpec
from creatura.world.specs import actions_of, tokens_of, variables_of
from creatura.world.task import GOAL_VARIABLE

_ENGINE = "engine"

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Episode:
    """What sets one run of a world apart.

    Attributes:
        seed, episode: Keys of the counter-based draws.
        faults: Faults that come before those the world starts with.
    """

    seed: int = 0
    episode: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, repr=False)
class World:
    """A compiled world.

    Attributes:
        file: Where it was read from, as errors call it.
        faults: What every run starts with. barriers: Faults by name that a run may switch on.
        capacities: Tokens that a row keeps for a type, where the author says.
        text: What it was compiled from.
    """

    file: str
    brief: Brief
    roster: Roster
    transition: Transition
    faults: tuple[Fault, ...] = ()
    barriers: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)
    capacities: Mapping[TokenType, int] = field(default_factory=dict)
    text: str = field(default="", repr=False, compare=False)

    def __repr__(self) -> str:
        return f"World({self.brief.world!r}, vfs={self.hashes['vfs']!r})"

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """Digests of what the world is made of; `vfs` sums up the others."""
        parts = {
            "variable_schema": self.roster.schema_hash,
            "initial_state": self.roster.initial_hash,
            "token_type_schema": token_type_schema_hash(),
            "layout": self.layout(self.roster.min_agents).hash,
            "action_schema": digest(self.brief.tools),
            "transition_graph": self.transition.hash,
        }
        return {**parts, "vfs": digest(parts)}

    def layout(self, num_agents: int, role: str = SELF) -> TokenLayout:
        """Returns the layout of the rows that an observer gets in runs of so many agents.

        Raises:
            AuthorError: A variable cannot be shown as its declaration asks.
        """
        return compile_tokens(self.roster, self.brief, num_agents, role, self.capacities)

    @cached_property
    def specs(self) -> Mapping[str, Any]:
        """What its text was compiled to, as plain data."""
        return {
            "variables": variables_of(self.roster),
            "actions": actions_of(self.brief),
            "tokens": tokens_of(self.layout(self.roster.min_agents)),
            "transition": {"hash": self.transition.hash, "steps": self.transition.plan.describe()},
        }

    def check_faults(self, faults: Sequence[Fault], place: Place | str) -> None:
        """Refuses faults of tools, or with facts, that this world does not have.

        Raises:
            AuthorError: Each unknown name, with the nearest one.
        """
        at = place if isinstance(place, Place) else Place(place)
        tools = [tool.id for tool in self.brief.tools]
        facts = [fact for fact in self.brief.facts if PUSH + fact in self.roster]
        named = [("tool", fault.tool, tools) for fault in faults]
        named += [("stored fact", f.fact, facts) for f in faults if f.fact is not None]
        problems = [
            Problem(
                at, f"world '{self.brief.world}' has no {kind} '{name}'{did_you_mean(name, known)}"
            )
            for kind, name, known in named
            if name not in known
        ]
        if problems:
            raise AuthorError(problems)

    def check_cast(self, num_agents: int, place: Place | str) -> None:
        """Refuses a run in which somebody is missing whom this world names by number.

        Raises:
            AuthorError: How many it takes, and how many there are.
        """
        fewest = self.roster.min_agents
        if num_agents < fewest:
            message = (
                f"world '{self.brief.world}' names agent {fewest - 1}, so it takes at least "
                f"{fewest} agents, found {num_agents}; give as many designs"
            )
            raise AuthorError.at(place, message)

    def barrier(self, name: str, place: Place | str) -> tuple[Fault, ...]:
        """Returns the faults of one barrier.

        Raises:
            AuthorError: There is none of that name.
        """
        if name not in self.barriers:
            hint = did_you_mean(name, self.barriers) or "; it has none"
            raise AuthorError.at(place, f"world '{self.brief.world}' has no barrier '{name}'{hint}")
        return self.barriers[name]

    def stage(self, episodes: Sequence[Episode], num_agents: int, backend: BackendName) -> Stage:
        """Sets up a batch of runs at their first tick."""
        return Stage(self, episodes, num_agents, backend)


class Stage:
    """W runs of one world with A agents each.

    Attributes:
        seeds, episodes: Keys of the draws `[W]`.
    """

    def __init__(
        self, world: World, episodes: Sequence[Episode], num_agents: int, backend: BackendName
    ) -> None:
        self.seeds = np.array([episode.seed for episode in episodes], dtype=np.int64)
        self.episodes = np.array([episode.episode for episode in episodes], dtype=np.int64)
        self._world, self._backend = world, backend
        self._shape = (len(episodes), num_agents)
        index = {tool.id: tool.index for tool in world.brief.tools}
        facts = {fact: i for i, fact in enumerate(world.brief.facts)}
        faults = [(*episode.faults, *world.faults) for episode in episodes]
        table = FaultTable(faults, index, facts, self.seeds, self.episodes)
        self._landings = Landings(table, world.brief.tools, len(facts), self._shape)
        self._raised: set[str] = set()
        self._bind()
        self._bound.refresh()

    def _bind(self) -> None:
        """Makes what a stage works with and no snapshot keeps: tensors, code and views of them."""
        world = self._world
        self._registry = Registry(world.roster, Extents(*self._shape))
        self._bound = world.transition.bind(self._registry, backend=self._backend)
        # Only stored facts can be pushed; a predicate follows from what it reads.
        self._pushed = {
            PUSH + fact: i
            for i, fact in enumerate(world.brief.facts)
            if PUSH + fact in world.roster
        }
        self._readers: dict[str, dict[str, NDArray[np.bool_]]] = {}
        self._words: Words | None = None

    def __getstate__(self) -> dict[str, Any]:
        made = ("_registry", "_bound", "_pushed", "_readers", "_words")
        kept = {name: value for name, value in vars(self).items() if name not in made}
        # In order, so that equal runs are equal bytes in any process.
        return {**kept, "_raised": sorted(self._raised), "_values": self._registry.snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values, raised = state.pop("_values"), set(state.pop("_raised"))
        vars(self).update(state, _raised=raised)
        self._bind()
        self._registry.restore(values)

    def go_on_from(self, earlier: Stage) -> None:
        """Takes over the values of a stage whose world has the same variables, tools and facts."""
        self._registry.restore(earlier._registry.snapshot())
        self._landings.go_on_from(earlier._landings)
        self._raised, self._words = set(earlier._raised), None

    def facts(self, role: str) -> Words:
        """Reads all facts in a role, as words `[W, A, K]`.

        Raises:
            AccessError: The role may not read one of them.
        """
        reader = self._reader(role)
        if self._words is None:
            self._words = self._packed(reader)
        return self._words

    def goal_met(self, role: str) -> Flags:
        """Reads the task's predicate in a role `[W, A]`."""
        held = self._reader(role)[GOAL_VARIABLE]
        return np.broadcast_to(held.reshape(self._shape[0], -1), self._shape)

    def step(self, actions: NDArray[np.int64], live: Flags, tick: int) -> Reports:
        """Moves every run by one tick.

        Args:
            actions: The tool each agent calls, -1 for none `[W, A]`.
            live: Agents that are still in their run `[W, A]`.

        Returns:
            What came back from the calls.
        """
        landings = self._landings
        reports = landings.settle(actions, live, self.facts(_ENGINE), tick)
        # A call is paid for when it is made, so a busy agent's is not called again.
        made = np.where(landings.continued, -1, actions)
        self._registry.set(CALLED, made, _ENGINE, tick=tick, who="loop")
        for tool, flags in enumerate(landings.lands):
            self._set(lands_of(tool), flags, tick)
        for variable, fact in self._pushed.items():
            self._set(variable, landings.push[fact], tick)
        self._bound.step(tick, live)
        self._words = None
        return reports

    def declared_done(self, tick: int, agent: int, runs: NDArray[np.int64]) -> None:
        """Hears that an agent declares the task done; the facts are not moved by claims."""

    def _set(self, variable: str, values: NDArray[Any], tick: int) -> None:
        """Writes an engine variable, unless it is at rest and stays there."""
        is_raised = bool(values.any())
        if not is_raised and variable not in self._raised:
            return
        if self._world.roster[variable].scope is Scope.GLOBAL:
            # Of two agents that move one fact in one tick, taking away wins, as it does for tools.
            values = np.where((values < 0).any(axis=1), -1, values.max(axis=1))
        self._registry.set(variable, values, _ENGINE, tick=tick, who="faults")
        (self._raised.add if is_raised else self._raised.discard)(variable)

    def _reader(self, role: str) -> dict[str, NDArray[np.bool_]]:
        if role not in self._readers:
            ids = (*self._world.brief.facts, GOAL_VARIABLE)
            self._readers[role] = self._registry.reader(role, ids)
        return self._readers[role]

    def _packed(self, reader: Mapping[str, NDArray[np.bool_]]) -> Words:
        facts, roster = self._world.brief.facts, self._world.roster
        per_agent = any(roster[fact].scope is Scope.AGENT for fact in facts)
        num_runs, num_agents = self._shape
        held = np.empty((num_runs, num_agents if per_agent else 1, len(facts)), dtype=bool)
        for i, fact in enumerate(facts):
            held[:, :, i] = reader[fact].reshape(num_runs, -1)
        words = pack(held)
        return np.broadcast_to(words, (num_runs, num_agents, words.shape[2]))


def load_world(path: Path) -> World:
    """Reads and compiles a world file.

    Raises:
        AuthorError: Everything that is wrong with it, each with its line.
    """
    return _compiled(load_yaml(path))


def parse_world(text: str, file: str = "a world") -> World:
    """Compiles a world from its text; `file` is what errors call it."""
    return _compiled(parse_yaml(text, file))


def _compiled(document: Document) -> World:
    spec = validated(WorldSpec, document, "the world")
    expanded = expand(spec, document)
    roster = build_roster(
        expanded.variables, expanded.holders, spec.roles, document.place(("extents",)),
        document.place(("roles",)),
    )  # fmt: skip
    transition = compile_transition(roster, expanded.rules)
    world = World(
        document.file, expanded.brief, roster, transition, expanded.faults, expanded.barriers,
        spec.tokens, document.text,
    )  # fmt: skip
    # What cannot be shown is an error of the file, not of a run.
    compile_tokens(
        roster, world.brief, roster.min_agents, SELF, spec.tokens, document.place(("tokens",))
    )
    return world
