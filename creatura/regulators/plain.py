"""Plain: a name and nothing else.

It fills no slot, so what it shows is what every design stands on: only visible tools are offered,
every effect is checked against the facts, and a liar is hidden. Its error is always 0, which leaves
it a freedom of 0.1 and a single try of a tool that does not land.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from creatura.protocols import LayerOptions, Slots


@final
@dataclass(frozen=True, slots=True)
class Plain(Slots):
    """The floor: the membrane, the loop and a seat."""

    name: str = "plain"
    layer: LayerOptions = LayerOptions()
