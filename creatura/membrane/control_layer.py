"""ControlLayer: asks the membrane's four parts in turn, for one agent over a batch of runs.

`Bypass` answers the same questions with the membrane off. It is the control arm: whatever a tool
reports is taken for a fact, nothing is withheld, and nothing is checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, masks_of, words_of
from creatura.membrane import gatekeeper
from creatura.membrane.aftermath import Aftermath, Notices
from creatura.membrane.effect_check import BELIEVED, MISSING
from creatura.membrane.ledger import Acts, Flags, Ledger, Runs
from creatura.membrane.visibility import visible
from creatura.protocols import Brief, JudgeRule, LayerOptions

Tools = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Offer:
    """What the layer shows N seats in one tick.

    Attributes:
        offered: Tools that may be answered `[N, T]`.
        withheld: Tools hidden or exhausted, which no map may show `[N, T]`.
        hidden: Of those, tools in quarantine `[N, T]`.
    """

    offered: Flags
    withheld: Flags
    hidden: Flags


@dataclass(frozen=True, slots=True)
class Judgement:
    """How the layer judged N acts.

    Attributes:
        verdicts: As this agent may believe them: positions in `VERDICTS` `[N]`.
        lies: Success reported, effect missing. quarantined: The tool is to be hidden for it.
    """

    verdicts: NDArray[np.int64]
    lies: Flags
    quarantined: Flags


class Layer(Protocol):
    """The questions a station asks its membrane in the course of a tick."""

    options: LayerOptions
    ledger: Ledger

    def believes(self, runs: Runs, facts: Words) -> Words:
        """Returns the facts `[N, K]` that the agent may take to hold."""

    def offer(self, runs: Runs, facts: Words, budget: NDArray[np.int64], tick: int) -> Offer:
        """Shows what may be answered this tick."""

    def admit(self, runs: Runs, tools: Tools, offered: Flags) -> NDArray[np.int64]:
        """Rules on one answer a run: see `gatekeeper.rulings`."""

    def admit_probe(self, run: int, tool: int, facts: Words, tick: int) -> bool:
        """Admits a quarantined tool once for each of its lies; facts `[1, K]` as believed."""

    def judge(self, acts: Acts) -> Judgement:
        """Judges N acts by their reports and by what the effect check read."""

    def distrust(self, acts: Acts, judgement: Judgement) -> None:
        """Hides the tools that a judgement, as it finally stands, says to hide."""

    def follow(
        self, runs: Runs, tools: Tools, success: Flags, before: Words, after: Words
    ) -> Notices | None:
        """Reads what changed by no act of these runs: see `Aftermath.follow`; None for nothing."""

    def is_done(self, runs: Runs, goal_met: Flags, facts: Words) -> Flags:
        """Decides whether the task may be declared done `[N]`."""

    def go_on_from(self, earlier: Layer) -> None:
        """Takes over the ledger of another layer, and what else it keeps if it is of one kind."""


class ControlLayer:
    """The membrane whole."""

    def __init__(self, brief: Brief, options: LayerOptions, num_runs: int) -> None:
        self.options = options
        self.ledger = Ledger(num_runs, len(brief.tools))
        self._requires = words_of([tool.requires for tool in brief.tools], len(brief.facts))
        self._release = np.array([tool.release for tool in brief.tools], dtype=bool)
        self._aftermath = Aftermath(brief.tools, num_runs, len(brief.facts))

    def believes(self, runs: Runs, facts: Words) -> Words:
        """The facts themselves, and nothing else."""
        return facts

    def offer(self, runs: Runs, facts: Words, budget: NDArray[np.int64], tick: int) -> Offer:
        """Shows the visible tools that are neither quarantined nor exhausted."""
        hidden = self.ledger.hidden(runs, tick)
        withheld = hidden
        if self.options.retry_budget:
            withheld = hidden | self.ledger.exhausted(runs, budget)
        return Offer(visible(facts, self._requires, withheld), withheld, hidden)

    def admit(self, runs: Runs, tools: Tools, offered: Flags) -> NDArray[np.int64]:
        """Asks the gatekeeper."""
        landed, judged = self.ledger.record(runs)
        return gatekeeper.rulings(tools, offered, self._release, landed, judged, self.options)

    def admit_probe(self, run: int, tool: int, facts: Words, tick: int) -> bool:
        """Uses up the probe that the tool's last lie allows, if it could run at all."""
        runs, tools = np.array([run]), np.array([tool])
        ready = visible(facts, self._requires, np.zeros((1, len(self._requires)), dtype=bool))
        ruling = self.admit(runs, tools, ready)[0]
        return bool(ruling == gatekeeper.ADMITTED) and self.ledger.take_probe(run, tool, tick)

    def judge(self, acts: Acts) -> Judgement:
        """Takes trust for a missing effect, as the judge rule says."""
        missing = acts.verdicts == MISSING
        lies, failures = missing & acts.success, missing & ~acts.success
        effect_first = self.options.judge_rule is JudgeRule.EFFECT_FIRST
        distrusted = missing if effect_first else lies
        self.ledger.enter(acts, lies, failures)
        return Judgement(acts.verdicts, lies, distrusted)

    def distrust(self, acts: Acts, judgement: Judgement) -> None:
        """Hides the tools in quarantine for as long as the cooldown says."""
        hidden = judgement.quarantined
        if hidden.any():
            runs, tools, lies = acts.runs[hidden], acts.tools[hidden], judgement.lies[hidden]
            self.ledger.hide(runs, tools, lies, acts.tick, self.options.cooldown_ticks)

    def follow(
        self, runs: Runs, tools: Tools, success: Flags, before: Words, after: Words
    ) -> Notices | None:
        """Asks the aftermath of earlier acts."""
        return self._aftermath.follow(runs, tools, success, before, after)

    def is_done(self, runs: Runs, goal_met: Flags, facts: Words) -> Flags:
        """Done is what the registry says."""
        return goal_met

    def go_on_from(self, earlier: Layer) -> None:
        """Takes over the ledger, and the aftermath where there is one."""
        self.ledger = earlier.ledger
        if isinstance(earlier, ControlLayer):
            self._aftermath.go_on_from(earlier._aftermath)


class Bypass:
    """The membrane off: reports are believed, and done is what was reported."""

    def __init__(self, brief: Brief, options: LayerOptions, num_runs: int) -> None:
        self.options = options
        self.ledger = Ledger(num_runs, len(brief.tools))
        self._goal = brief.goal
        num_facts = len(brief.facts)
        self._requires = words_of([tool.requires for tool in brief.tools], num_facts)
        self._grants = words_of([tool.grants for tool in brief.tools], num_facts)
        self._revokes = words_of([tool.revokes for tool in brief.tools], num_facts)
        self._claimed = np.zeros((num_runs, self._grants.shape[1]), dtype=np.uint64)
        self._denied = np.zeros_like(self._claimed)

    def believes(self, runs: Runs, facts: Words) -> Words:
        """The facts, and on top of them whatever was reported."""
        return np.asarray((facts | self._claimed[runs]) & ~self._denied[runs])

    def offer(self, runs: Runs, facts: Words, budget: NDArray[np.int64], tick: int) -> Offer:
        """Shows every tool whose requirements are believed to hold."""
        nothing = np.zeros((len(runs), len(self._requires)), dtype=bool)
        return Offer(visible(facts, self._requires, nothing), nothing, nothing)

    def admit(self, runs: Runs, tools: Tools, offered: Flags) -> NDArray[np.int64]:
        """Lets every tool run that exists."""
        return np.where(tools >= 0, gatekeeper.ADMITTED, gatekeeper.NOT_OFFERED)

    def admit_probe(self, run: int, tool: int, facts: Words, tick: int) -> bool:
        """Nothing is hidden, so nothing is probed."""
        return False

    def judge(self, acts: Acts) -> Judgement:
        """Takes a reported success for a landed effect and a reported failure for a missing one."""
        runs, tools = acts.runs[acts.success], acts.tools[acts.success]
        grants, revokes = self._grants[tools], self._revokes[tools]
        self._claimed[runs] = (self._claimed[runs] | grants) & ~revokes
        self._denied[runs] = (self._denied[runs] | revokes) & ~grants
        nothing = np.zeros(len(acts.runs), dtype=bool)
        return Judgement(np.where(acts.success, BELIEVED, MISSING), nothing, nothing)

    def distrust(self, acts: Acts, judgement: Judgement) -> None:
        """Hides nothing."""

    def follow(
        self, runs: Runs, tools: Tools, success: Flags, before: Words, after: Words
    ) -> Notices | None:
        """Reads no facts, so it notices nothing."""
        return None

    def is_done(self, runs: Runs, goal_met: Flags, facts: Words) -> Flags:
        """Done is what the reports add up to."""
        believed = masks_of(self.believes(runs, facts))
        return np.array([self._goal.is_met(mask) for mask in believed], dtype=bool)

    def go_on_from(self, earlier: Layer) -> None:
        """Takes over the ledger, and the reports that were believed."""
        self.ledger = earlier.ledger
        if isinstance(earlier, Bypass):
            self._claimed, self._denied = earlier._claimed, earlier._denied


def open_layer(brief: Brief, options: LayerOptions, num_runs: int) -> Layer:
    """Builds the layer that these options ask for."""
    kind = ControlLayer if options.membrane else Bypass
    return kind(brief, options, num_runs)
