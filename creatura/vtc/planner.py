"""Planner: typed writes to the order of a step.

Phases come in their order; within one, variables in roster order and the writes of each in
(priority, declaration) order. Writes that do not meet have no order between them, so how an author
arranges them moves no hash. Two outright writes that nothing ranks are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from creatura.errors import Problem
from creatura.vfs.elements import start_of
from creatura.vfs.roster import Roster
from creatura.vfs.schema import Lifetime, VariableSpec
from creatura.vtc.composition import COMPOSITIONS
from creatura.vtc.ir import Block, Plan, Slot, Write, loads_of
from creatura.vtc.phases import DERIVE_PHASE, PHASES, POSITION
from creatura.vtc.reach import RULED_SCOPES, RULED_TYPES, beyond_rules


def plan_writes(roster: Roster, writes: Iterable[Write]) -> tuple[Plan, list[Problem]]:
    """Orders checked writes.

    >>> from creatura.vfs import VariableSpec, build_roster
    >>> plan, _ = plan_writes(build_roster([VariableSpec(id="lit", initial=False)]), [])
    >>> plan.blocks
    ()
    """
    rank = {variable: position for position, variable in enumerate(roster.ids)}
    ordered = sorted(writes, key=lambda w: (POSITION[w.phase], rank[w.target], w.order))
    blocks = [
        Block(phase, tuple(write for write in ordered if write.phase == phase)) for phase in PHASES
    ]
    derives = [write for write in ordered if roster[write.target].is_derived]
    again = _overtaken(derives, ordered)
    if again:
        # Rules that write late have changed what some derived variables are computed from.
        blocks.append(Block(DERIVE_PHASE, again))
    held = tuple(block for block in blocks if block.writes)
    plan = Plan(_slots(roster, held), held, Block(DERIVE_PHASE, tuple(derives)))
    return plan, list(_ties(ordered))


def _overtaken(derives: Sequence[Write], ordered: Sequence[Write]) -> tuple[Write, ...]:
    late = {
        write.target for write in ordered if POSITION[write.phase] >= POSITION[DERIVE_PHASE]
    } - {write.target for write in derives}
    return tuple(
        write
        for write in derives
        if any(load.variable in late for node in write.nodes for load in loads_of(node))
    )


def _slots(roster: Roster, blocks: Sequence[Block]) -> tuple[Slot, ...]:
    touched = {write.target for block in blocks for write in block.writes}
    for block in blocks:
        for write in block.writes:
            touched |= {load.variable for node in write.nodes for load in loads_of(node)}
    return tuple(
        Slot(
            spec.id,
            RULED_TYPES[spec.type],
            RULED_SCOPES[spec.scope],
            start_of(spec, spec.initial).item() if is_reset else None,
        )
        for spec in roster
        if (is_reset := resets(spec)) or spec.id in touched
    )


def resets(spec: VariableSpec) -> bool:
    """Whether a step itself returns a variable to its start, which must be one number."""
    is_of_tick = spec.lifetime is Lifetime.TICK and not spec.is_derived
    return is_of_tick and not spec.initial_at and beyond_rules(spec) is None


def _ties(ordered: Sequence[Write]) -> Iterator[Problem]:
    outright = (write for write in ordered if COMPOSITIONS[write.composition].decides)
    for _, tied in groupby(outright, key=lambda w: (w.phase, w.target, w.order[:2])):
        first, *others = tied
        for other in others:
            is_same = other.rule == first.rule
            who = f"rule '{other.rule}'" if is_same else f"{_named(first)} and rule '{other.rule}'"
            what = f"'{other.target}' outright {'twice ' if is_same else ''}in phase {other.phase}"
            verb = "writes" if is_same else "both write"
            yield Problem(other.place, f"{who} {verb} {what}; give them different priorities")


def _named(write: Write) -> str:
    return f"rule '{write.rule}' ({write.place})"
