"""Vocabulary: names for the facts, meters and tools of random worlds.

`plain` names count. `words` are made of drawn syllables, so that a name says nothing about what it
names; none is a word of the rule language or stands for anything else nearby.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import final

from creatura.vfs.schema import RESERVED_WORDS
from creatura.world.chances import Chances
from creatura.world.shape import Vocabulary

_STARTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st", "tr")
_MIDDLES = ("a", "e", "i", "o", "u")
_ENDS = ("", "", "l", "n", "r", "s")
# YAML reads these as something else than text.
_AVOIDED = RESERVED_WORDS | {"null"}


@final
class Names:
    """Gives out names, never one twice.

    Attributes:
        given: All names so far, and those that were taken before.
    """

    def __init__(
        self, vocabulary: Vocabulary, chances: Chances, taken: Collection[str] = ()
    ) -> None:
        self.given = set(taken)
        self._chances = chances
        self._is_words = vocabulary == "words"

    def some(self, count: int, stem: str, joint: str = "_") -> list[str]:
        """Gives out names of one kind, in their counting order or as they are drawn.

        Args:
            stem, joint: What comes before the number of a plain name.
        """
        source = self._words() if self._is_words else self._numbered(f"{stem}{joint}")
        return [next(source) for _ in range(count)]

    def _numbered(self, stem: str) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            if f"{stem}{number}" not in self.given:
                self.given.add(f"{stem}{number}")
                yield f"{stem}{number}"

    def _words(self) -> Iterator[str]:
        while True:
            word = self._word()
            if word not in self.given and word not in _AVOIDED:
                self.given.add(word)
                yield word

    def _word(self) -> str:
        return "".join(self._syllable() for _ in range(2 + self._chances.below(2)))

    def _syllable(self) -> str:
        return "".join(self._chances.pick(part) for part in (_STARTS, _MIDDLES, _ENDS))
