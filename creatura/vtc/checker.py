"""Checker: rules with parsed expressions to typed writes.

Every name, type, scope, bound, composition and permission is settled here, so that a step checks
nothing. Each refusal goes to `problems` with its place, and the rest of the input is still checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import final

from creatura.errors import MAX_NAMES, MAX_PROBLEMS, Problem, did_you_mean
from creatura.vfs.elements import ELEMENTS, misfit_of
from creatura.vfs.fields import Number, Source
from creatura.vfs.roster import Roster
from creatura.vfs.schema import RULES_ROLE, Scope, VariableSpec, VarType
from creatura.vtc.composition import COMPOSITIONS, Composition
from creatura.vtc.expressions import Typer, clamped, fitted, joined, literal_of
from creatura.vtc.ir import Node, Value, Write
from creatura.vtc.phases import POSITION
from creatura.vtc.reach import RULED_SCOPES, RULED_TYPES, beyond_rules
from creatura.vtc.syntax import (
    DERIVED,
    RANGE,
    ExpressionError,
    Name,
    Operation,
    RuleSpec,
    Tree,
    WriteSpec,
    label_of,
    render_fault,
    text_of,
)

Trees = Mapping[str, Tree]

_MAX_CYCLES = 12  # that are told; the search for each looks at every derived variable again


def check_rules(
    roster: Roster, rules: Sequence[RuleSpec], trees: Trees
) -> tuple[list[Write], list[Problem]]:
    """Checks lowered rules against a roster.

    Args:
        trees: What each expression's text parsed to; texts that did not parse are missing, and
            were refused already.

    >>> from creatura.vfs import VariableSpec, build_roster
    >>> from creatura.vtc.parser import parse_expression
    >>> fuel = VariableSpec(id="fuel", type="scalar", initial=1.0)
    >>> burn = WriteSpec(target="fuel", expression="-1", composition="additive_delta")
    >>> rule = RuleSpec(id="burn", phase="apply_passive_depletion", writes=[burn])
    >>> writes, _ = check_rules(build_roster([fuel]), [rule], {"-1": parse_expression("-1")})
    >>> writes[0].value
    Literal(value=-1.0, type=<VarType.SCALAR: 'scalar'>, scope=<Scope.GLOBAL: 'global'>, \
size=1, depth=1)
    """
    checker = _Checker(roster, trees)
    checker.check_ids(rules)
    ordered = {rule.writes[0].target: rule for rule in rules if rule.kind == DERIVED}
    for variable in checker.in_order(ordered):
        checker.check(ordered[variable], 0)
    for index, rule in enumerate(rules):
        if rule.kind != DERIVED:
            checker.check(rule, index)
    return checker.writes, checker.problems


@final
class _Checker:
    def __init__(self, roster: Roster, trees: Trees) -> None:
        self.writes: list[Write] = []
        self.problems: list[Problem] = []
        self._roster, self._trees = roster, trees
        self._typer = Typer(roster)

    def check_ids(self, rules: Sequence[RuleSpec]) -> None:
        """Refuses rules without a name of their own."""
        first: dict[str, RuleSpec] = {}
        for rule in rules:
            if rule.kind in (DERIVED, RANGE):
                continue
            if not rule.id.strip():
                self._refuse(rule, "a rule has no id; name it for what it does")
                continue
            earlier = first.setdefault(rule.id, rule)
            if earlier is not rule:
                message = f"rule '{rule.id}' is declared already, at {earlier.place}"
                self._refuse(rule, f"{message}; rename one or drop it")

    def in_order(self, derived: Mapping[str, RuleSpec]) -> Iterator[str]:
        """Yields derived variables after those they read; cycles are refused and left out."""
        reads: dict[str, list[str]] = {}
        for variable, rule in derived.items():
            tree = self._tree(rule.writes[0].expression)
            names = _names(tree) if tree is not None else ()
            reads[variable] = [name for name in dict.fromkeys(names) if name in derived]
        while True:
            try:
                yield from list(TopologicalSorter(reads).static_order())
                return
            except CycleError as error:
                cycle = _from_first(error.args[1][::-1], list(derived))
                rule = derived[cycle[0]]
                self._refuse(rule, f"derived variables form a cycle: {_walk(cycle)}")
                if len(self.problems) >= _MAX_CYCLES:
                    return
                reads = {
                    variable: [name for name in names if name not in cycle]
                    for variable, names in reads.items()
                    if variable not in cycle
                }

    def check(self, rule: RuleSpec, index: int) -> None:
        """Checks one rule and keeps the writes that stand."""
        if self._is_enough():
            return
        stands = self._check_rule(rule)
        condition = self._condition(rule, rule.condition, label_of(rule))
        for write in rule.writes:
            if self._is_enough():
                return
            order = (rule.kind == RANGE, write.priority, index)
            checked = self._write(rule, write, condition, order)
            if checked is not None and stands:
                self.writes.append(checked)

    def _check_rule(self, rule: RuleSpec) -> bool:
        if not rule.writes:
            self._refuse(rule, f"rule '{rule.id}' writes nothing; give it a write or drop it")
        if rule.phase not in POSITION:
            guess = did_you_mean(rule.phase, POSITION)
            self._refuse(rule, f"rule '{rule.id}' names no phase by '{rule.phase}'{guess}")
            return False
        return True

    def _write(
        self, rule: RuleSpec, write: WriteSpec, outer: Node | None, order: tuple[bool, int, int]
    ) -> Write | None:
        label = label_of(rule, write)
        inner_label = label_of(rule, write, is_condition=True)
        inner = self._condition(rule, write.condition, inner_label)
        messages = list(_misfits(self._roster, rule, write))
        for message in messages:
            self._refuse(rule, f"{label}: {message}")
        if messages:
            return None
        spec, row = self._roster[write.target], COMPOSITIONS[write.composition]
        value = self._value(rule, write, spec)
        if value is None and row.needs_value:
            return None
        condition = joined(outer, inner)
        folds = spec.scope is Scope.GLOBAL and _is_of_agents(value, condition)
        if folds and not row.folds:
            self._refuse(rule, f"{label}: {_cannot_fold(spec, row)}")
            return None
        clamp = None if write.clamp is None else _bounds(spec, write.clamp)
        return Write(
            rule.phase, spec.id, RULED_TYPES[spec.type], RULED_SCOPES[spec.scope], row.name, value,
            condition, clamp, folds, order, rule.id, rule.place,
        )  # fmt: skip

    def _value(self, rule: RuleSpec, write: WriteSpec, spec: VariableSpec) -> Node | None:
        tree = self._tree(write.expression)
        if tree is None:
            return None
        is_derived = rule.kind == DERIVED
        try:
            value = fitted(self._typer.type(tree), RULED_TYPES[spec.type], tree.at, spec.id)
            if is_derived and spec.scope is Scope.GLOBAL and value.scope is Scope.AGENT:
                message = f"'{spec.id}' is global and this has a value for each agent"
                raise ExpressionError(f"{message}; reduce it with any() or all()", tree.at)
        except ExpressionError as error:
            self._refuse_expression(rule, label_of(rule, write), write.expression, error)
            return None
        if is_derived:
            if spec.range is not None:
                low, high = (literal_of(end, RULED_TYPES[spec.type]) for end in spec.range)
                value = clamped(value, low, high)
            self._typer.define(spec.id, value)
        return value

    def _condition(self, rule: RuleSpec, source: Source | None, label: str) -> Node | None:
        tree = self._tree(source)
        if tree is None:
            return None
        try:
            node = self._typer.type(tree)
            if node.type is not VarType.BOOL:
                raise ExpressionError(f"expected a bool, found {node.type}; compare it", tree.at)
        except ExpressionError as error:
            self._refuse_expression(rule, label, source, error)
            return None
        return node

    def _tree(self, source: Source | None) -> Tree | None:
        return None if source is None else self._trees.get(text_of(source))

    def _refuse_expression(
        self, rule: RuleSpec, label: str, source: Source | None, error: ExpressionError
    ) -> None:
        text = "" if source is None else text_of(source)
        self._refuse(rule, render_fault(f"{label}: {error.message}", text, error.at))

    def _is_enough(self) -> bool:
        return len(self.problems) > MAX_PROBLEMS

    def _refuse(self, rule: RuleSpec, message: str) -> None:
        self.problems.append(Problem(rule.place, message))


def _names(tree: Tree) -> Iterator[str]:
    if isinstance(tree, Name):
        yield tree.id
    elif isinstance(tree, Operation):
        for operand in tree.operands:
            yield from _names(operand)


def _walk(cycle: Sequence[str]) -> str:
    if len(cycle) <= MAX_NAMES:
        return " -> ".join(cycle)
    head, tail = " -> ".join(cycle[: MAX_NAMES // 2]), " -> ".join(cycle[-2:])
    return f"{head} -> ... -> {tail} ({len(cycle) - 1:,} variables)"


def _from_first(cycle: list[str], declared: list[str]) -> list[str]:
    """Turns a closed walk so that it starts at the member declared first."""
    ring = cycle[:-1]
    start = ring.index(min(ring, key=declared.index))
    return [*ring[start:], *ring[:start], ring[start]]


def _misfits(roster: Roster, rule: RuleSpec, write: WriteSpec) -> Iterator[str]:
    row = COMPOSITIONS.get(write.composition)
    if row is None:
        guess = did_you_mean(write.composition, COMPOSITIONS)
        yield f"no composition '{write.composition}'{guess}"
    if write.target not in roster:
        yield f"no variable '{write.target}'{did_you_mean(write.target, roster.ids)}"
        return
    spec = roster[write.target]
    if why := beyond_rules(spec):
        yield why
        return
    if rule.kind != DERIVED and spec.is_derived:
        yield f"'{spec.id}' is derived, at {spec.place}; write what it is computed from"
    elif RULES_ROLE not in spec.writable_by and not spec.is_derived:
        writers = ", ".join(spec.writable_by) or "nobody"
        yield f"role '{RULES_ROLE}' may not write '{spec.id}'; allowed: {writers}"
    if row is not None:
        yield from _misuses(row, spec, rule, write)
    if write.clamp is not None:
        yield from _clamp_misfits(spec, write.clamp)


def _misuses(
    row: Composition, spec: VariableSpec, rule: RuleSpec, write: WriteSpec
) -> Iterator[str]:
    if row.numbers_only and spec.type is VarType.BOOL:
        yield f"composition '{row.name}' takes a number, and '{spec.id}' is bool; use max or min"
    elif row.numbers_only and not ELEMENTS[spec.type].is_number and rule.kind != RANGE:
        yield f"composition '{row.name}' takes a number, and '{spec.id}' is {spec.type}"
    if row.needs_value and write.expression is None:
        yield f"composition '{row.name}' needs an expression"
    if not row.needs_value and write.expression is not None:
        yield f"composition '{row.name}' takes no expression, only clamp: [low, high]"
    if not row.needs_value and write.clamp is None:
        yield f"composition '{row.name}' needs clamp: [low, high]"
    if row.needs_priority and write.priority == 0:
        yield f"composition '{row.name}' needs a priority other than 0"


def _clamp_misfits(spec: VariableSpec, clamp: tuple[Number, Number]) -> Iterator[str]:
    low, high = clamp
    shown = f"clamp [{low!r}, {high!r}]"
    if spec.type is VarType.BOOL:
        yield f"{shown} on '{spec.id}', which is bool; drop it"
    elif misfits := [f"{end!r} {why}" for end in clamp if (why := misfit_of(spec, end))]:
        yield f"{shown} on '{spec.id}', of which {' and '.join(misfits)}"
    elif low > high:
        yield f"{shown} has its ends the wrong way round; write [{high!r}, {low!r}]"


def _bounds(spec: VariableSpec, clamp: tuple[Number, Number]) -> tuple[Value, Value]:
    low, high = (literal_of(end, RULED_TYPES[spec.type]).value for end in clamp)
    return low, high


def _is_of_agents(*nodes: Node | None) -> bool:
    return any(node is not None and node.scope is Scope.AGENT for node in nodes)


def _cannot_fold(spec: VariableSpec, row: Composition) -> str:
    folds = [name for name, row in COMPOSITIONS.items() if row.folds]
    if spec.type is VarType.BOOL:
        folds = [name for name in folds if not COMPOSITIONS[name].numbers_only]
    choice = f"{', '.join(folds[:-1])} or {folds[-1]}"
    message = f"'{spec.id}' is global and each agent would {row.name} it"
    return f"{message}; use {choice}, which take the agents in order"
