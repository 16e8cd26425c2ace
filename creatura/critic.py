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

from creatura.bits import Words, masks_of, words_of
from creatura.protocols import Brief, Claims, Findings, Watch


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
        num_facts = len(brief.facts)
        self._grants = words_of([tool.grants for tool in brief.tools], num_facts)
        self._revokes = words_of([tool.revokes for tool in brief.tools], num_facts)
        self._counts = np.zeros((num_runs, 2), dtype=np.int64)
        self._acts: list[tuple[Claims, NDArray[np.bool_]]] = []
        self._done: list[tuple[int, NDArray[np.int64], NDArray[np.bool_]]] = []
        self._routes: list[list[str]] | None = None

    def saw(self, claims: Claims) -> None:
        """Judges the reports of one agent in one tick.

        A report of success is true when the promised facts hold; a report of failure is true when
        nothing that was promised has newly come to hold.
        """
        grants, revokes = self._grants[claims.tools], self._revokes[claims.tools]
        broken = ((grants & ~claims.after) | (revokes & claims.after)).any(axis=1)
        # What was promised of a tool that grants nothing is what it takes away.
        takes = np.where(grants.any(axis=1, keepdims=True), np.uint64(0), revokes)
        news = (grants & claims.after & ~claims.before) | (takes & claims.before & ~claims.after)
        gained = news.any(axis=1)
        verdicts = np.where(claims.success, ~broken, ~gained)
        self._acts.append((claims, verdicts))
        self._count(claims.runs, verdicts)

    def closed(self, tick: int, agent: int, runs: NDArray[np.int64], facts: Words) -> None:
        """Judges the claim that the task is done."""
        is_met = self._brief.goal.is_met
        verdicts = np.array([is_met(mask) for mask in masks_of(facts)], dtype=bool)
        self._done.append((tick, runs, verdicts))
        self._count(runs, verdicts)

    def findings(self, run: int) -> Findings:
        """Counts the claims of one run and reads its route: what was claimed, tick by tick."""
        if self._routes is None:
            self._routes = self._read_routes()
        total, flags = (int(count) for count in self._counts[run])
        route = tuple(self._routes[run])
        return Findings(claims=total, judgements=total, flags=flags, route=route)

    def go_on_from(self, earlier: _Notebook) -> None:
        """Takes over what was judged before, as it was judged then."""
        self._counts = earlier._counts
        self._acts, self._done = earlier._acts, earlier._done

    def _count(self, runs: NDArray[np.int64], verdicts: NDArray[np.bool_]) -> None:
        self._counts[runs, 0] += 1
        self._counts[runs, 1] += ~verdicts

    def _read_routes(self) -> list[list[str]]:
        # Claims come in tick by tick and are read once for all runs, acts before "done".
        claims: list[tuple[int, int, NDArray[np.int64], list[str]]] = []
        names = [tool.id for tool in self._brief.tools]
        for seen, verdicts in self._acts:
            columns = zip(
                seen.tools.tolist(), seen.success.tolist(), verdicts.tolist(), strict=True
            )
            told = [
                _told(names[tool] + ("" if ok else " failed"), true) for tool, ok, true in columns
            ]
            claims.append((seen.tick, 0, seen.runs, told))
        for tick, runs, verdicts in self._done:
            claims.append((tick, 1, runs, [_told("done", true) for true in verdicts.tolist()]))
        routes: list[list[str]] = [[] for _ in self._counts]
        for tick, _, runs, told in sorted(claims, key=lambda claim: claim[:2]):
            for run, said in zip(runs.tolist(), told, strict=True):
                routes[run].append(f"{tick}: {said}")
        return routes


def _told(said: str, is_true: bool) -> str:
    return said if is_true else f"{said} (false)"


def closing_line(findings: Findings) -> str:
    """Renders the critic's count over one run.

    >>> closing_line(Findings(claims=8, judgements=8, flags=1, route=()))
    '8 claims, 8 judgements, 1 flag'
    """
    counts = {"claim": findings.claims, "judgement": findings.judgements, "flag": findings.flags}
    return ", ".join(f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
