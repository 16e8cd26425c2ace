"""Exam: one part in every packaged world, played as often as its laws need.

What several laws read is played once: each world's trials under a witness, and the same trials
without one. An exam has worlds of its own, so that a part that tampers with one harms nobody else.
"""

from __future__ import annotations

import contextlib
import copy
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from bench.conformance.law import Breach
from bench.conformance.notebook import Notebook, StoppedError
from bench.conformance.trials import MAX_TICKS, Account, Trial, account, trials_of
from bench.conformance.witnesses import DesignWitness, ExtensionWitness
from bench.trouble import render_faults
from creatura import loop, resolver
from creatura.parts.files import in_words
from creatura.protocols import Brief
from creatura.resolver import Kind
from creatura.world import load_world

PLANNER, HOST = "bfs", "plain"  # who decides for a design; what an extension hangs on
SETTINGS = loop.Settings(MAX_TICKS, backend="interpreter")
SAMPLE = 13  # one in so many trials is played alone, frozen and so on


@dataclass(frozen=True, slots=True)
class Subject:
    """A part as a command line names it."""

    kind: Kind
    text: str

    @property
    def design(self) -> str:
        """What is written after `--design`."""
        match self.kind:
            case Kind.DESIGN:
                return self.text
            case Kind.EXTENSION:
                return f"{HOST} with {self.text}"
        return HOST

    @property
    def seat(self) -> str:
        """What is written after `--seat`."""
        return self.text if self.kind is Kind.SEAT else PLANNER

    def player(self) -> loop.Player:
        """Makes a new player with the part in it."""
        outfit = resolver.outfit(self.design)
        return loop.Player(outfit.design, resolver.seat(self.seat), extensions=outfit.extensions)

    def watched(self) -> tuple[loop.Player, Notebook]:
        """Makes a player with a witness in the part's place; a seat has its own laws."""
        player = self.player()
        if self.kind is Kind.DESIGN:
            witness = DesignWitness(player.design)
            return replace(player, design=witness), witness.notebook
        if self.kind is Kind.EXTENSION:
            hung = ExtensionWitness(player.extensions[0])
            return replace(player, extensions=(hung,)), hung.notebook
        return player, Notebook()

    def replay(self, trial: Trial, extras: str = "", cases: int = 1) -> str:
        """Writes the command that plays one trial again, so many times in a row."""
        if extras and self.kind is Kind.EXTENSION:
            extras = extras.replace(" with ", ", ", 1)
        design = self.design + extras
        words = ["creatura", "run", trial.world, "--design", design, "--seat", self.seat]
        words += ["--cases", str(cases)] if cases > 1 else []
        words += [*render_faults(trial.faults), "--seed", str(trial.seed)]
        return shlex.join([*words, "--max-ticks", str(MAX_TICKS)])


class Ground:
    """One world of an exam, and what was played in it.

    Attributes:
        brief: What the world's brief was before any part saw it.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name, self.world = path, path.stem, load_world(path)
        self.brief: Brief = copy.deepcopy(self.world.brief)
        self.trials = trials_of(self.name, self.world)
        self.sample = tuple(range(0, len(self.trials), SAMPLE))

    def play(self, player: loop.Player, trials: Sequence[Trial]) -> list[Account]:
        """Plays some trials as one batch."""
        episodes = [trial.episode for trial in trials]
        (results,) = loop.run_sequences(self.world, [player], [[e] for e in episodes], SETTINGS)
        return [account(results, run) for run in range(len(trials))]

    def open(self, player: loop.Player, trials: Sequence[Trial]) -> loop.Batch:
        """Sets up a batch that is played tick by tick."""
        return loop.Batch(self.world, [player], [trial.episode for trial in trials], SETTINGS)


class Exam:
    """What the laws of one part read.

    Attributes:
        grounds: The worlds that it is examined in.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.grounds = [Ground(path) for path in resolver.worlds()]

    def breach(self, asked: str, came: str, trial: Trial | None = None) -> Breach:
        """Writes down what broke a law, and how to see it again."""
        if trial is None:
            return Breach(asked, came)
        return Breach(asked, came, str(trial), self.subject.replay(trial))

    @cached_property
    def seen(self) -> dict[str, Breach]:
        """The first breach of each law that a witness saw, over all worlds."""
        found: dict[str, Breach] = {}
        for ground in self.grounds:
            notebook, failure = self._watch(ground, ground.trials)
            new = {law: words for law, words in notebook.seen.items() if law not in found}
            if failure and not notebook.seen and "survives" not in found:
                new["survives"] = ("a run", failure)
            for law, words in new.items():
                found[law] = self._located(ground, law, words)
        return found

    def _watch(self, ground: Ground, trials: Sequence[Trial]) -> tuple[Notebook, str]:
        player, notebook = self.subject.watched()
        try:
            ground.play(player, trials)
        except StoppedError:
            return notebook, ""
        except Exception as error:
            return notebook, in_words(error)
        return notebook, ""

    def _located(self, ground: Ground, law: str, words: tuple[str, str]) -> Breach:
        for trial in ground.trials:
            notebook, failure = self._watch(ground, [trial])
            if law in notebook.seen:
                return self.breach(*notebook.seen[law], trial)
            if failure and law == "survives":
                return self.breach("a run", failure, trial)
        return Breach(*words, f"{ground.name}, {len(ground.trials)} runs at once")

    @cached_property
    def accounts(self) -> dict[str, list[Account]]:
        """What the trials of each world leave, by the world's name; without those that fail."""
        played = {}
        assert self.seen is not None  # a part that fails is told of by its first witness
        for ground in self.grounds:
            with contextlib.suppress(Exception):
                played[ground.name] = ground.play(self.subject.player(), ground.trials)
        return played

    def standing(self) -> list[tuple[Ground, list[Account]]]:
        """Lists the worlds that the part gets through, with what it left there."""
        by_name = self.accounts
        return [(ground, by_name[ground.name]) for ground in self.grounds if ground.name in by_name]
