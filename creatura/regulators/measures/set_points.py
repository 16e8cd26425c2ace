"""Set points: how far each level of a body is from what it defends, and the bus between levels.

A level measures its stress in a space of its own: the tissue in obligations, the organism in
contracts met. The bus is leaky, so part of what a level feels is its neighbours' trouble:
`effective = min(1, own + leak * mean of the neighbours' own)`, every term in [0, 1].
Source: seed 000 for the levels and the leak.
"""

from __future__ import annotations

from collections.abc import Sequence

from creatura.protocols import Context


def tissue_stress(context: Context) -> float:
    """Open share of the obligations, in [0, 1]."""
    return 1.0 - context.progress


def contract_stress(context: Context) -> float:
    """1 while the contract is unmet, 0 once it is met."""
    return 0.0 if context.brief.goal.is_met(context.facts) else 1.0


def leaked(own: Sequence[float], leak: float) -> tuple[float, ...]:
    """Returns the effective stress of each level of a body, given its levels from inside out.

    >>> leaked((1.0, 0.5, 0.0), leak=0.5)
    (1.0, 0.75, 0.25)
    >>> leaked((1.0, 0.5, 0.0), leak=0.0)
    (1.0, 0.5, 0.0)
    """
    effective = []
    for level, stress in enumerate(own):
        neighbours = [*own[max(0, level - 1) : level], *own[level + 1 : level + 2]]
        heard = sum(neighbours) / len(neighbours) if neighbours else 0.0
        effective.append(min(1.0, stress + leak * heard))
    return tuple(effective)
