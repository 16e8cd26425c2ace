"""Compiler: an author's rules to a transition, pass by pass.

`PASSES` is the whole pipeline: lower, parse, check, plan. Each takes the draft and returns it one
stage further with what it found wrong; all problems are raised together at the end. The hash of a
transition is that of its plan, so what rules are called does not count and what they do does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, final

import numpy as np
from numpy.typing import NDArray

from creatura.errors import AuthorError, Problem, RunError
from creatura.vfs.fields import Source
from creatura.vfs.registry import Attempt, Registry
from creatura.vfs.roster import Roster
from creatura.vfs.schema import RULES_ROLE, Lifetime
from creatura.vtc.checker import check_rules
from creatura.vtc.interpreter import Interpreter
from creatura.vtc.ir import Fault, Plan, Write
from creatura.vtc.lowering import lower_rules
from creatura.vtc.parser import parse_expression
from creatura.vtc.planner import plan_writes, resets
from creatura.vtc.syntax import (
    ExpressionError,
    RuleSpec,
    Tree,
    label_of,
    render_fault,
    text_of,
)

BackendName = Literal["fused", "interpreter"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What the passes hand on: the input, what each stage made of it, and what is wrong."""

    roster: Roster
    rules: tuple[RuleSpec, ...]
    trees: dict[str, Tree] = field(default_factory=dict)
    writes: tuple[Write, ...] = ()
    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()

    def found(self, problems: Iterable[Problem]) -> Draft:
        """Returns the draft with more problems."""
        return replace(self, problems=(*self.problems, *problems))


def lower(draft: Draft) -> Draft:
    """Turns rules of every kind into plain ones and adds those the roster asks for."""
    rules, problems = lower_rules(draft.roster, draft.rules)
    return replace(draft, rules=rules).found(problems)


def parse(draft: Draft) -> Draft:
    """Parses every expression, each text once."""
    trees: dict[str, Tree] = {}
    problems = []
    for rule in draft.rules:
        for label, source in _expressions(rule):
            text = text_of(source)
            try:
                trees[text] = trees.get(text) or parse_expression(text)
            except ExpressionError as error:
                message = render_fault(f"{label}: {error.message}", text, error.at)
                problems.append(Problem(rule.place, message))
    return replace(draft, trees=trees).found(problems)


def check(draft: Draft) -> Draft:
    """Settles names, types, scopes and permissions."""
    writes, problems = check_rules(draft.roster, draft.rules, draft.trees)
    return replace(draft, writes=tuple(writes)).found(problems)


def plan(draft: Draft) -> Draft:
    """Puts the writes in order."""
    planned, problems = plan_writes(draft.roster, draft.writes)
    return replace(draft, plan=planned).found(problems)


PASSES: tuple[Callable[[Draft], Draft], ...] = (lower, parse, check, plan)


@final
@dataclass(frozen=True, slots=True)
class Transition:
    """Compiled rules, not yet bound to any values."""

    roster: Roster
    plan: Plan

    @property
    def hash(self) -> str:
        """Digest of what a step does."""
        return self.plan.hash

    def bind(
        self, registry: Registry, backend: BackendName = "fused", checked: bool = False
    ) -> Bound:
        """Binds the transition to a registry's values, in place.

        Args:
            registry: Made from the same roster.
            backend: `fused` compiles (seconds for rules never seen on this machine, a fraction of
                one after that); `interpreter` is the reference.
            checked: Whether a division by zero is an error instead of 0.
        """
        if registry.roster != self.roster:
            raise ValueError("the registry holds another roster than the rules were compiled for")
        return Bound(self, registry, backend, checked)


class Backend(Protocol):
    """What carries a plan out."""

    def step(self, tick: int, live: NDArray[np.bool_]) -> Fault | None:
        """Takes one step; returns the first fault, if there is one."""


@final
class Bound:
    """A transition at work on the values of one registry.

    An audited registry keeps every write of a rule that applies anywhere; the interpreter then does
    the work, which is slow and gives the same values.
    """

    def __init__(
        self, transition: Transition, registry: Registry, backend: BackendName, checked: bool
    ) -> None:
        self._plan = transition.plan
        extents = registry.extents
        self._registry = registry
        self._left = [
            spec.id
            for spec in registry.roster
            if spec.lifetime is Lifetime.TICK and not spec.is_derived and not resets(spec)
        ]
        self._shape = (extents.num_worlds, extents.num_agents)
        tensors = registry.lend(RULES_ROLE, self._plan.reads, self._plan.writes)
        self._tick = 0
        witness = self._heard if registry.is_audited else None
        self._reference = Interpreter(self._plan, tensors, self._shape, checked, witness)
        self._backend: Backend = self._reference
        if backend == "fused" and witness is None:
            from creatura.vtc.native import Fused  # numba takes half a second to import

            self._backend = Fused(self._plan, tensors, self._shape[1], checked)
        elif backend not in ("fused", "interpreter"):
            raise ValueError(f"no back-end '{backend}'; known: fused, interpreter")

    def step(self, tick: int, live: NDArray[np.bool_]) -> None:
        """Takes one step of every world that has a live agent.

        A world whose step cannot be completed keeps what its earlier phases committed; the others
        complete theirs before the error is raised.

        Args:
            tick: The number of this step, from 1.
            live: Which agents still change `[W, A]`.

        Raises:
            RunError: For the first fault by (phase, write, world, agent).
        """
        if live.shape != self._shape or live.dtype != np.bool_:
            expected = f"bool {list(self._shape)}"
            raise ValueError(f"live takes {expected}, found {live.dtype} {list(live.shape)}")
        if self._left:
            self._registry.start_tick(self._left, live)
        self._tick = tick
        fault = self._backend.step(tick, live)
        if fault is not None:
            raise _run_error(self._plan.sites[fault.site], fault, tick)

    def refresh(self) -> None:
        """Computes the derived variables of every world, as after a reset; at tick 0."""
        self._tick = 0
        fault = self._reference.derive()
        if fault is not None:
            raise _run_error(self._plan.derive.writes[fault.site], fault, 0)

    def _heard(self, write: Write) -> None:
        attempt = Attempt(self._tick, write.rule, RULES_ROLE, write.target, None)
        self._registry.attempts.append(attempt)


def compile_transition(roster: Roster, rules: Iterable[RuleSpec]) -> Transition:
    """Compiles rules over a roster.

    Raises:
        AuthorError: With every problem of every rule.

    >>> from creatura.vfs import VariableSpec, build_roster
    >>> from creatura.vtc import RuleSpec, WriteSpec
    >>> fuel = VariableSpec(id="fuel", type="scalar", initial=1.0)
    >>> burn = WriteSpec(target="fuel", expression="-0.25", composition="additive_delta")
    >>> rule = RuleSpec(id="burn", phase="apply_passive_depletion", writes=[burn])
    >>> print(compile_transition(build_roster([fuel]), [rule]).plan.describe(), end="")
    apply_passive_depletion
      fuel (global scalar)
        additive_delta -0.25  [burn]
    """
    draft = Draft(roster, tuple(rules))
    for advance in PASSES:
        draft = advance(draft)
    if draft.problems or draft.plan is None:
        raise AuthorError(draft.problems)
    return Transition(roster, draft.plan)


def _expressions(rule: RuleSpec) -> Iterator[tuple[str, Source]]:
    if rule.condition is not None:
        yield label_of(rule), rule.condition
    for write in rule.writes:
        if write.condition is not None:
            yield label_of(rule, write, is_condition=True), write.condition
        if write.expression is not None:
            yield label_of(rule, write), write.expression


def _run_error(write: Write, fault: Fault, tick: int) -> RunError:
    finite = math.isfinite(fault.value)
    return RunError(
        "divides by zero for" if finite else f"computes {fault.value} for",
        rule=write.rule,
        variable=write.target,
        world=fault.world,
        agent=None if fault.agent < 0 else fault.agent,
        tick=tick,
    )
