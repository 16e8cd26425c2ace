"""Stages: authority that is earned by predicting well and lost by being contradicted.

Source: seed 001 for the caps of stages 3 and 4, and the stage table of the semantics for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from creatura.protocols import Tool

REVOKE_FROM, RELEASE_FROM = 2, 3  # first stages that may take facts away, and ship (semantics)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a design stands on the ladder.

    Attributes:
        stage: From 1 to 5.
        hits, predictions: Counts since the case began or a stage was lost.
        misses_in_row: Contradictions since the last hit.
    """

    stage: int
    hits: int = 0
    predictions: int = 0
    misses_in_row: int = 0

    @property
    def accuracy(self) -> float:
        """Share of predictions that came true, in [0, 1]; 1 before the first."""
        return self.hits / self.predictions if self.predictions else 1.0


@dataclass(frozen=True, slots=True)
class Ladder:
    """The five stages and how one is earned or lost.

    Attributes:
        caps: Highest freedom at each stage, in [0, 1].
        hits_needed: Correct predictions that lead from each stage to the next.
        min_accuracy: Accuracy that each step up asks for as well, in [0, 1].
        misses_to_fall: Contradictions in a row that cost a stage, 1 or more.
    """

    caps: tuple[float, ...] = (0.30, 0.50, 0.65, 0.80, 0.95)
    hits_needed: tuple[int, ...] = (2, 3, 5, 12)
    min_accuracy: float = 0.8
    misses_to_fall: int = 2

    def check_stage(self, stage: int) -> None:
        """Refuses a stage that is not on this ladder.

        Raises:
            ValueError: The stage is below the first or above the last.
        """
        if not 1 <= stage <= len(self.caps):
            raise ValueError(f"stage is from 1 to {len(self.caps)}, found {stage}")

    def cap(self, stage: int) -> float:
        """Returns the highest freedom that a stage allows."""
        return self.caps[stage - 1]

    def after(self, standing: Standing, hit: bool) -> Standing:
        """Returns where one more answered prediction leaves a design.

        >>> ladder = Ladder()
        >>> ladder.after(Standing(stage=3, hits=4, predictions=5), True).stage
        4
        >>> ladder.after(Standing(stage=3, misses_in_row=1), False).stage
        2
        """
        if hit:
            return self._after_hit(standing)
        misses = standing.misses_in_row + 1
        if misses >= self.misses_to_fall:
            return Standing(max(1, standing.stage - 1))
        return Standing(standing.stage, standing.hits, standing.predictions + 1, misses)

    def _after_hit(self, standing: Standing) -> Standing:
        stage, hits, predictions = standing.stage, standing.hits + 1, standing.predictions + 1
        is_last = stage == len(self.caps)
        if not is_last and hits >= self.hits_needed[stage - 1]:
            stage += hits / predictions >= self.min_accuracy
        return Standing(stage, hits, predictions)


def may_use(
    tool: Tool, stage: int, revoke_from: int = REVOKE_FROM, release_from: int = RELEASE_FROM
) -> bool:
    """Decides whether a stage allows what a tool does to the world.

    >>> ship = Tool("ship", 0, requires=0, grants=1, release=True)
    >>> may_use(ship, stage=3), may_use(ship, stage=2)
    (True, False)
    """
    if tool.release and stage < release_from:
        return False
    return not tool.revokes or stage >= revoke_from
