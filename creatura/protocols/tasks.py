"""Tasks: what anyone may know of a world, its tools and when its task is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """What anyone may know of a tool: its declaration, not its honesty.

    Attributes:
        index: Position in the world's order of declaration.
        requires, grants, revokes: Masks of facts.
        release: Whether it ships something and so needs an earned record.
        cost: What one call costs, 0 or more, in the world's own unit.
    """

    id: str
    index: int
    requires: int
    grants: int
    revokes: int = 0
    release: bool = False
    cost: float = 0.0

    def after(self, facts: int) -> int:
        """Returns the facts that its declaration promises to leave."""
        return (facts | self.grants) & ~self.revokes


@dataclass(frozen=True, slots=True)
class Goal:
    """When a task is done: any clause holds and every obligation is closed.

    Attributes:
        text: The predicate as the world's author wrote it.
        clauses: Disjunctive normal form: (facts that must hold, facts that must not).
        obligations: Mask of the facts that must close.
    """

    text: str
    clauses: tuple[tuple[int, int], ...]
    obligations: int

    def is_met(self, facts: int) -> bool:
        """Reads the predicate over a mask of facts."""
        if facts & self.obligations != self.obligations:
            return False
        return any(facts & needs == needs and not facts & bars for needs, bars in self.clauses)


@dataclass(frozen=True, slots=True)
class Brief:
    """What every part may know of the world it is in.

    Attributes:
        world: The world's name. title: What the task is called in prose.
        facts: Fact names, in declaration order.
        obligations: Indices of the facts that must close, in their order.
    """

    world: str
    title: str
    facts: tuple[str, ...]
    tools: tuple[Tool, ...]
    goal: Goal
    obligations: tuple[int, ...]

    def num_open(self, facts: int) -> int:
        """Counts the obligations that do not hold now."""
        return (self.goal.obligations & ~facts).bit_count()

    def progress(self, facts: int) -> float:
        """Closed share of the obligations, in [0, 1]; 1 where a world has none."""
        total = len(self.obligations)
        return 1.0 - self.num_open(facts) / total if total else 1.0
