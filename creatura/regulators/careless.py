"""Careless: the control arm, which takes every report for a fact.

It runs the same loop with the membrane off: reports are believed, nothing is withheld, and the task
is done when the reports add up to it. It exists to be beaten; what it declares done over a missing
effect is counted as a false completion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import LayerOptions, Slots


@final
@dataclass(frozen=True, slots=True)
class Careless(Slots):
    """A loop without a membrane."""

    name: str = "careless"
    layer: LayerOptions = LayerOptions(membrane=False)
