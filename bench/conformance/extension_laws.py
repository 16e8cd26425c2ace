"""Extension laws: what a behaviour on the loop's verbs may do, and what it may not."""

from __future__ import annotations

from dataclasses import replace

from bench.conformance.exam import HOST, PLANNER, SETTINGS, Exam, Ground
from bench.conformance.law import Breach, Law
from bench.conformance.notebook import PURE, RANGES, SHOWN, SURVIVES
from bench.conformance.run_laws import (
    APART,
    BRIEF,
    FROZEN,
    SAME_AGAIN,
    SAME_ALONE,
    WAKES,
    seen,
    where_it_stands,
)
from bench.conformance.witnesses import ExtensionWitness
from creatura import loop, resolver
from creatura.bits import indices_of
from creatura.results import Results


def _facts(exam: Exam) -> Breach | None:
    for ground, _ in exam.standing():
        episodes = [[trial.episode] for trial in ground.trials]
        (results,) = loop.run_sequences(ground.world, [exam.subject.player()], episodes, SETTINGS)
        for run, trial in enumerate(ground.trials):
            came = untrue(results, run, ground.brief.goal.is_met(results.final_facts[run]))
            if came:
                return exam.breach("whether the task is done", came, trial)
    return None


def untrue(results: Results, run: int, is_met: bool) -> str | None:
    """Says what one run claims of its task that its facts do not bear out.

    Args:
        is_met: Whether the goal, as the world declares it, holds in the closing facts.
    """
    facts = [results.brief.facts[i] for i in indices_of(results.final_facts[run])]
    held = f"the facts at the close are {', '.join(facts) or 'none'}"
    if bool(results.goal_reached[run]) != is_met:
        return f"'{bool(results.goal_reached[run])}', and {held}"
    if results.declared_done[run].any() and not is_met:
        return f"declared done, and {held}"
    return None


def _quiet(exam: Exam) -> Breach | None:
    for played, _ in exam.standing():
        ground = Ground(played.path)  # untouched by what was played before
        bare = loop.Player(resolver.design(HOST), resolver.seat(PLANNER))
        without = ground.play(bare, [ground.trials[i] for i in ground.sample])
        for i, account in zip(ground.sample, without, strict=True):
            trial, player = ground.trials[i], exam.subject.player()
            witness = ExtensionWitness(player.extensions[0])
            (alone,) = ground.play(replace(player, extensions=(witness,)), [trial])
            difference = account.difference(alone)
            if difference and not witness.has_acted:
                asked = "a run in which none of its verbs had anything to say, with and without it"
                return exam.breach(asked, difference, trial)
    return None


EXTENSION_LAWS: tuple[Law[Exam], ...] = (
    Law("survives", "It gets through every world under every kind of fault.", seen(SURVIVES)),
    Law("answers", "Each verb answers with what it promises.", seen(RANGES)),
    Law("pure", "A verb asked twice answers the same and leaves its memory alone.", seen(PURE)),
    Law("shown", "It proposes only tools that are offered.", seen(SHOWN)),
    BRIEF,
    Law("facts", "Done is what the facts say, whatever it re-judges.", where_it_stands(_facts)),
    Law(
        "quiet",
        "Where its verbs say nothing, the run is the one without it.",
        where_it_stands(_quiet),
    ),
    SAME_AGAIN,
    SAME_ALONE,
    APART,
    WAKES,
    FROZEN,
)
