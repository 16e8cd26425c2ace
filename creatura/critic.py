"""Critic: a watcher without hands, who belongs to a person.

Every tool report and the closing "done" is a claim. The critic judges each by its own reading of
the facts, flags the false ones, and reads the route when the run is over. It is told what happened
and has no way to act, so a run is the same with and without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from creatura.bits import Words, masks_of
from creatura.protocols import Brief, Claims, Findings, Watch


@dataclass(frozen=True, slots=True)
class _Claim:
    tick: int
    agent: int
    said: str
    is_true: bool


@final
@dataclass(frozen=True, slots=True)
class Critic:
    """Judges what is said by what holds."""

    name: str = "critic"

    def watch(self, brief: Brief, num_runs: int) -> Watch:
        """Opens an empty notebook."""
        return _Notebook(brief, num_runs)


class _Notebook:
    def __init__(self, brief: Brief, num_runs: int) -> None:
        self._brief = brief
        self._acts: list[tuple[Claims, NDArray[np.bool_]]] = []
        self._done: list[tuple[int, int, NDArray[np.int64], NDArray[np.bool_]]] = []
        self._counts = np.zeros((num_runs, 2), dtype=np.int64)

    def saw(self, claims: Claims) -> None:
        """Judges the reports of one agent in one tick."""
        columns = (claims.tools.tolist(), claims.success.tolist())
        facts = (masks_of(claims.before), masks_of(claims.after))
        judged = [self._is_true(*claim) for claim in zip(*columns, *facts, strict=True)]
        verdicts = np.array(judged, dtype=bool)
        self._acts.append((claims, verdicts))
        self._count(claims.runs, verdicts)

    def closed(self, tick: int, agent: int, runs: NDArray[np.int64], facts: Words) -> None:
        """Judges the claim that the task is done."""
        is_met = self._brief.goal.is_met
        verdicts = np.array([is_met(mask) for mask in masks_of(facts)], dtype=bool)
        self._done.append((tick, agent, runs, verdicts))
        self._count(runs, verdicts)

    def findings(self, run: int) -> Findings:
        """Counts the claims of one run and reads its route: what was claimed, tick by tick."""
        claims = self._claims_of(run)
        route = tuple(
            f"{claim.tick}: {claim.said}" + ("" if claim.is_true else " (false)")
            for claim in claims
        )
        total, flags = (int(count) for count in self._counts[run])
        return Findings(claims=total, judgements=total, flags=flags, route=route)

    def _is_true(self, tool: int, success: bool, before: int, after: int) -> bool:
        # A report of success is true when the promised facts hold; a report of failure is true
        # when nothing that was promised has newly come to hold.
        promised = self._brief.tools[tool]
        if success:
            return promised.after(after) == after
        return promised.grants & after & ~before == 0

    def _count(self, runs: NDArray[np.int64], verdicts: NDArray[np.bool_]) -> None:
        self._counts[runs, 0] += 1
        self._counts[runs, 1] += ~verdicts

    def _claims_of(self, run: int) -> list[_Claim]:
        claims = []
        for seen, verdicts in self._acts:
            position = _position(seen.runs, run)
            if position is not None:
                said = self._brief.tools[int(seen.tools[position])].id
                said += "" if seen.success[position] else " failed"
                claims.append(_Claim(seen.tick, seen.agent, said, bool(verdicts[position])))
        for tick, agent, runs, verdicts in self._done:
            position = _position(runs, run)
            if position is not None:
                claims.append(_Claim(tick, agent, "done", bool(verdicts[position])))
        return sorted(claims, key=lambda claim: (claim.tick, claim.said == "done", claim.agent))


def _position(runs: NDArray[np.int64], run: int) -> int | None:
    found = int(np.searchsorted(runs, run))
    return found if found < len(runs) and runs[found] == run else None


def closing_line(findings: Findings) -> str:
    """Renders the critic's count over one run.

    >>> closing_line(Findings(claims=8, judgements=8, flags=1, route=()))
    '8 claims, 8 judgements, 1 flag'
    """
    counts = {"claim": findings.claims, "judgement": findings.judgements, "flag": findings.flags}
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
