"""Run laws: what is asked of any part, whatever its kind, by playing it again in another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bench.conformance.exam import SETTINGS, Exam, Ground
from bench.conformance.law import Breach, Law, Weight
from bench.conformance.notebook import StoppedError
from bench.conformance.trials import MAX_TICKS, Account, Trial, account
from creatura import loop, resolver
from creatura.errors import PartError
from creatura.parts.files import in_words

FROZEN_AT = 3
CARRIER = "memory"  # the extension that has records carried to the next case


def seen(law: str) -> Callable[[Exam], Breach | None]:
    """Makes the check of a law that the witness watches over."""
    return lambda exam: exam.seen.get(law)


def where_it_stands(check: Callable[[Exam], Breach | None]) -> Callable[[Exam], Breach | None]:
    """Makes a check of runs say so where a part gets through no world, and nothing is seen."""

    def checked(exam: Exam) -> Breach | None:
        if exam.standing():
            return check(exam)
        return Breach("to play its trials again", "it gets through no world", weight=Weight.UNSEEN)

    return checked


def _same_again(exam: Exam) -> Breach | None:
    for ground, first in exam.standing():
        second = ground.play(exam.subject.player(), ground.trials)
        for trial, one, other in zip(ground.trials, first, second, strict=True):
            difference = one.difference(other)
            if difference:
                return exam.breach("the same case again, by a new object", difference, trial)
    return None


def _same_alone(exam: Exam) -> Breach | None:
    for ground, together in exam.standing():
        for i in ground.sample:
            trial = ground.trials[i]
            (alone,) = ground.play(exam.subject.player(), [trial])
            difference = together[i].difference(alone)
            if difference:
                asked = f"one of {len(together)} runs at once, and then that run alone"
                return exam.breach(asked, difference, trial)
    return None


def _apart(exam: Exam) -> Breach | None:
    standing = exam.standing()
    for (one, _), (other, _) in zip(standing, standing[1:] + standing[:1], strict=True):
        grounds = (one, other)
        shared = exam.subject.player()
        mixed = _in_turns(grounds, (shared, shared))
        separate = _in_turns(grounds, (exam.subject.player(), exam.subject.player()))
        for ground, left, right in zip(grounds, mixed, separate, strict=True):
            for i, a, b in zip(ground.sample, left, right, strict=True):
                difference = b.difference(a)
                if difference:
                    asked = f"{one.name} and {other.name} tick by tick in turns, by one object"
                    return exam.breach(asked, difference, ground.trials[i])
    return None


def _in_turns(
    grounds: tuple[Ground, Ground], players: tuple[loop.Player, loop.Player]
) -> list[list[Account]]:
    batches = [
        ground.open(player, [ground.trials[i] for i in ground.sample])
        for ground, player in zip(grounds, players, strict=True)
    ]
    for tick in range(1, MAX_TICKS + 1):
        for batch in batches:
            batch.advance(tick)
    results = [batch.results() for batch in batches]
    return [[account(found, run) for run in range(len(found))] for found in results]


def _frozen(exam: Exam) -> Breach | None:
    asked = f"to be frozen at tick {FROZEN_AT} and to go on by a new object"
    for ground, straight in exam.standing():
        trials = [ground.trials[i] for i in ground.sample]
        player = exam.subject.player()
        batch = ground.open(player, trials)
        batch.advance(FROZEN_AT)
        try:
            state = loop.freeze(batch, ground.world, [player])
            resumed = loop.thaw(state, ground.world, [exam.subject.player()])
        except PartError as error:
            return exam.breach(asked, str(error), trials[0])
        except Exception as error:
            return exam.breach(asked, f"its memory is not read back: {in_words(error)}", trials[0])
        resumed.advance(MAX_TICKS)
        results = resumed.results()
        for run, (i, trial) in enumerate(zip(ground.sample, trials, strict=True)):
            difference = straight[i].difference(account(results, run))
            if difference:
                return exam.breach(asked, difference, trial)
    return None


def _wakes(exam: Exam) -> Breach | None:
    for ground, _ in exam.standing():
        trials = [ground.trials[i] for i in ground.sample]
        rows: list[list[Account]] = []
        for _ in range(2):
            player, notebook = exam.subject.watched()
            player = replace(player, extensions=(*player.extensions, resolver.extension(CARRIER)))
            pairs = [[trial.episode] * 2 for trial in trials]
            try:
                *_, last = loop.run_sequences(ground.world, [player], pairs, SETTINGS)
            except StoppedError:
                return _woken(exam, trials[0], *next(iter(notebook.seen.values())))
            for law in set(notebook.seen) - set(exam.seen):
                return _woken(exam, trials[0], *notebook.seen[law])
            rows.append([account(last, run) for run in range(len(last))])
        for trial, one, other in zip(trials, *rows, strict=True):
            difference = one.difference(other)
            if difference:
                return _woken(exam, trial, "the same two cases again, by a new object", difference)
    return None


def _woken(exam: Exam, trial: Trial, asked: str, came: str) -> Breach:
    breach = exam.breach(asked, came, trial)
    is_carrier = exam.subject.text.partition("(")[0] == CARRIER
    words = exam.subject.replay(trial, "" if is_carrier else f" with {CARRIER}", cases=2)
    return replace(breach, asked=f"{asked}, in the second case of two", replay=words)


def _brief(exam: Exam) -> Breach | None:
    asked = "to leave the task and the tools as the world declares them"
    assert exam.seen is not None  # the runs that could have changed them are played by now
    for ground in exam.grounds:
        if ground.world.brief != ground.brief:
            return Breach(asked, _what_changed(ground), ground.name)
    return None


def _what_changed(ground: Ground) -> str:
    is_goal = ground.world.brief.goal != ground.brief.goal
    if is_goal:
        return f"the goal was '{ground.brief.goal.text}', and its record was written over"
    return "a tool, a fact or an obligation was written over"


WAKES: Law[Exam] = Law(
    "wakes",
    "It goes from case to case as it goes through one, with what is carried.",
    where_it_stands(_wakes),
)
SAME_AGAIN: Law[Exam] = Law(
    "same again", "The same case gives the same rows each time.", where_it_stands(_same_again)
)
SAME_ALONE: Law[Exam] = Law(
    "same alone", "A run gives the same rows alone and among others.", where_it_stands(_same_alone)
)
APART: Law[Exam] = Law("apart", "No run learns anything from another one.", where_it_stands(_apart))
FROZEN: Law[Exam] = Law(
    "frozen",
    "A run can be frozen, and a new process goes on with the same rows.",
    where_it_stands(_frozen),
)
BRIEF: Law[Exam] = Law("goal", "The goal, the task and the tools stay what they are.", _brief)
