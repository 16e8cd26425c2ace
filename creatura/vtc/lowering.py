"""Lowering: rules of every kind, and what the roster asks for, to plain rules.

A rule kind is one row of `KINDS`. Two sorts of rule are written here and by nobody else: one that
computes each derived variable, and one that holds a variable in its declared range wherever it is
written after the phase that holds them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from creatura.errors import Problem, did_you_mean
from creatura.vfs.elements import bounds_of
from creatura.vfs.roster import Roster
from creatura.vfs.schema import VariableSpec
from creatura.vtc.phases import CLAMP_PHASE, DERIVE_PHASE, POSITION
from creatura.vtc.syntax import DERIVED, RANGE, RuleSpec, WriteSpec


def as_written(rule: RuleSpec) -> RuleSpec:
    """Lowers a plain rule: it is one already."""
    return rule


KINDS: dict[str, Callable[[RuleSpec], RuleSpec]] = {"rule": as_written}


def lower_rules(
    roster: Roster, rules: Iterable[RuleSpec]
) -> tuple[tuple[RuleSpec, ...], list[Problem]]:
    """Lowers an author's rules and adds the generated ones, last.

    >>> from creatura.vfs import VariableSpec, build_roster
    >>> goal = VariableSpec(id="warm", expression="heat > 3")
    >>> rules, _ = lower_rules(build_roster([goal]), [])
    >>> [(rule.id, rule.phase, rule.writes[0].expression) for rule in rules]
    [('derived.warm', 'emit_observation_features', 'heat > 3')]
    """
    plain, problems = [], []
    for rule in rules:
        lowering = KINDS.get(rule.kind)
        if lowering is None:
            message = f"rule '{rule.id}' is of no known kind: '{rule.kind}'"
            problems.append(Problem(rule.place, f"{message}{did_you_mean(rule.kind, KINDS)}"))
        else:
            plain.append(lowering(rule))
    derived = (_derives(spec) for spec in roster if spec.is_derived)
    return (*plain, *_ranges(roster, plain), *derived), problems


def _derives(spec: VariableSpec) -> RuleSpec:
    write = WriteSpec(target=spec.id, expression=spec.expression)
    return RuleSpec(
        id=f"derived.{spec.id}", phase=DERIVE_PHASE, writes=(write,), place=spec.place, kind=DERIVED
    )


def _ranges(roster: Roster, rules: Sequence[RuleSpec]) -> Iterator[RuleSpec]:
    for spec in roster:
        if bounds_of(spec) is None or spec.is_derived:
            continue
        written = {
            rule.phase for rule in rules for write in rule.writes if write.target == spec.id
        } & POSITION.keys()
        late = {phase for phase in written if POSITION[phase] > POSITION[CLAMP_PHASE]}
        if written:
            for phase in sorted({CLAMP_PHASE, *late}, key=POSITION.__getitem__):
                yield _holds(spec, phase)


def _holds(spec: VariableSpec, phase: str) -> RuleSpec:
    write = WriteSpec(target=spec.id, composition="clamp", clamp=bounds_of(spec))
    return RuleSpec(
        id=f"range.{spec.id}", phase=phase, writes=(write,), place=spec.place, kind=RANGE
    )
