"""Gates: the ladder of stages for the levels below the organism.

The cell stands somewhere with each tool: its claim is that the tool's effect will be there. The
tissue has one standing: its claim is that the act brings it nearer to its set points. Freedom is
asked before a tool is chosen, so the room it gives has to be safe for whichever is: of the cell's
standings the worst visible one counts. Source: semantics, stage gating at every level; the claims
are an own choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from creatura.protocols import Tool
from creatura.regulators.measures.stages import RELEASE_FROM, Ladder, Standing, may_use


@dataclass(frozen=True, slots=True)
class Gates:
    """Where the levels below the organism stand.

    Attributes:
        cell: The cell's standing with each tool.
        tissue: The tissue's own.
    """

    cell: tuple[Standing, ...]
    tissue: Standing

    @classmethod
    def at(cls, stage: int, num_tools: int) -> Gates:
        """Opens the gates at a stage; the cell trusts every tool as declared until it falls."""
        return cls((Standing(max(stage, RELEASE_FROM)),) * num_tools, Standing(stage))

    def after(self, ladder: Ladder, tool: int, held: bool, is_nearer: bool) -> Gates:
        """Returns the gates after an act: whether its effect held, and whether it led nearer."""
        stands = ladder.after(self.cell[tool], held)
        cell = (*self.cell[:tool], stands, *self.cell[tool + 1 :])
        return Gates(cell, ladder.after(self.tissue, is_nearer))

    def may_use(self, tool: Tool) -> bool:
        """Decides whether the cell's standing with a tool still allows what it does."""
        return may_use(tool, self.cell[tool.index].stage)

    def cap(self, ladder: Ladder, visible: Iterable[Tool]) -> float:
        """Returns the lower of the tissue's cap and the cell's with its worst usable tool."""
        stages = [self.cell[tool.index].stage for tool in visible if self.may_use(tool)]
        return ladder.cap(min([self.tissue.stage, *stages]))

    def rested(self, stage: int) -> Gates:
        """Returns the gates of a new case.

        A tool that is held back could never earn its standing again, so a night gives each one that
        has fallen another chance.
        """
        fresh = Standing(max(stage, RELEASE_FROM))
        cell = tuple(fresh if stands.stage < RELEASE_FROM else stands for stands in self.cell)
        return Gates(cell, self.tissue)
