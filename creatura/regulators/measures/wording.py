"""Wording: what designs that speak of plans, facts and promises say alike."""

from __future__ import annotations

from creatura.bits import indices_of
from creatura.protocols import Brief, Decided, Tool


def plan_words(event: Decided) -> str:
    """Renders the plan behind a choice, or what the seat said where it has none."""
    if not event.plan:
        return event.why or "chosen without a plan"
    return "plan: " + " → ".join(event.plan) if len(event.plan) > 1 else "last step"


def fact_words(brief: Brief, facts: int) -> str:
    """Renders a mask of facts by their names, in declaration order."""
    return ", ".join(brief.facts[index] for index in indices_of(facts)) or "none"


def promise_words(brief: Brief, tool: Tool, facts: int) -> str:
    """Renders what a tool would newly bring over these facts, or take away if it grants none."""
    if tool.grants:
        return fact_words(brief, tool.grants & ~facts)
    return f"not {fact_words(brief, tool.revokes & facts)}"
