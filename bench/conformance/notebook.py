"""Notebook: what a witness asked a part, and the first breach of each law that it saw.

Each question is asked twice, so that a part that answers otherwise the second time, or that changes
the memory it was given, shows on the spot.
"""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

from creatura.parts.files import in_words

SURVIVES, RANGES, PURE = "survives", "answers", "pure"
CEILING, SHOWN, SLEEP = "ceiling", "shown", "sleep"


class StoppedError(Exception):
    """A part raised an exception; what it was is in the notebook."""


class Notebook:
    """The first breach of each law that a witness saw.

    Attributes:
        seen: What was asked and what came, by the law's name.
        asked: How many questions were put.
    """

    def __init__(self) -> None:
        self.seen: dict[str, tuple[str, str]] = {}
        self.asked = 0

    def note(self, law: str, asked: str, came: str) -> None:
        """Keeps the first breach of a law."""
        self.seen.setdefault(law, (asked, came))

    def ask(self, part: object, verb: str, tick: int, memory: object, *words: Any) -> Any:
        """Puts one question twice and returns the first answer."""
        asked, ask = f"'{verb}' at tick {tick}", getattr(part, verb)
        self.asked += 1
        before = snapshot(memory)
        try:
            answer, again = ask(*words), ask(*words)
        except Exception as error:
            self.note(SURVIVES, asked, in_words(error))
            raise StoppedError from error
        if not is_same(answer, again):
            self.note(PURE, f"{asked}, twice", f"{short(answer)} and then {short(again)}")
        if snapshot(memory) != before:
            self.note(PURE, asked, "the memory it was given is not what it was before")
        return answer

    def wants(self, holds: bool, asked: str, came: object, law: str = RANGES) -> None:
        """Notes an answer that is not what was promised."""
        if not holds:
            self.note(law, asked, came if isinstance(came, str) else short(came))


def snapshot(memory: object) -> object:
    """Returns something that differs as soon as a memory is not what it was."""
    if memory is None or isinstance(memory, (int, float, str)):
        return memory
    with contextlib.suppress(Exception):
        return pickle.dumps(memory)
    return repr(memory)


def is_same(one: object, other: object) -> bool:
    """Compares two answers by value, and by what they are made of where they have no other."""
    with contextlib.suppress(Exception):
        if bool(one == other):
            return True
    return type(one) is type(other) and snapshot(one) == snapshot(other)


def short(value: object) -> str:
    """Shows any value in a line."""
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        text = f"a {type(value).__name__} that cannot be shown: {in_words(error)}"
    return text if len(text) <= 120 else f"{text[:117]}..."
