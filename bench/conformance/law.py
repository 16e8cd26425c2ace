"""Law: a promise in one sentence, its check, and what a broken one looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

On = TypeVar("On")


class Weight(StrEnum):
    """How much a breach counts."""

    FAILS = "fails"
    ADVICE = "advice"  # worth knowing, and no failure
    UNSEEN = "unseen"  # the part did not get far enough to be asked


@dataclass(frozen=True, slots=True)
class Breach:
    """One case of a law that failed.

    Attributes:
        asked: What the part was asked. came: What came instead of what it promises.
        where: The world, the trouble and the seed; empty where none is needed.
        replay: The command that plays it again; empty where nothing can be played.
        weight: How much it counts.
    """

    asked: str
    came: str
    where: str = ""
    replay: str = ""
    weight: Weight = Weight.FAILS


@dataclass(frozen=True, slots=True)
class Law(Generic[On]):
    """A promise that every part of a kind makes.

    Attributes:
        name: In a word or two, for tables.
        check: Returns the first breach that it finds, or None.
    """

    name: str
    sentence: str
    check: Callable[[On], Breach | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one law for one part."""

    law: str
    sentence: str
    breach: Breach | None

    @property
    def is_kept(self) -> bool:
        """Whether it was seen to be kept; advice does not stand against it."""
        return self.verdict in ("ok", Weight.ADVICE)

    @property
    def verdict(self) -> str:
        """What came of it, in a word: ok, fails, advice or unseen."""
        return self.breach.weight.value if self.breach else "ok"
