"""Layers: the membrane's words and switches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class JudgeRule(StrEnum):
    """What a missing effect means when the tool itself reported failure."""

    EFFECT_FIRST = "effect-first"
    REPORT_FIRST = "report-first"


class Verdict(StrEnum):
    """What the effect check read in the facts after an act.

    `BELIEVED` stands where nobody checked: the membrane is off and success was reported.
    """

    LANDED = "landed"
    VACUOUS = "vacuous"
    PARTIAL = "partial"
    MISSING = "missing"
    BELIEVED = "believed"


@dataclass(frozen=True, slots=True)
class LayerOptions:
    """Switches on the one membrane (source: the seed's layer options and quarantine rule).

    Attributes:
        membrane: Off for the control arm: reports are believed and nothing is withheld.
        judge_rule: Whether a reported failure costs trust.
        cooldown_ticks: Ticks a distrusted tool stays hidden, 0 or more.
        clear_quarantine_on_no_route: Trust every tool again as soon as the seat sees no route.
        release_min_landed: Landed effects a release tool waits for.
        release_min_share: Landed share of judged acts it waits for, in [0, 1].
        retry_budget: Whether freedom limits how often a tool may be tried in a row.
    """

    membrane: bool = True
    judge_rule: JudgeRule = JudgeRule.EFFECT_FIRST
    cooldown_ticks: int = 3
    clear_quarantine_on_no_route: bool = False
    release_min_landed: int = 3
    release_min_share: float = 0.6
    retry_budget: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """What a tool said of its own call; never evidence."""

    success: bool
    message: str
