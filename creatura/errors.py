"""Errors: what went wrong, where, and what to write instead.

An author's mistake is a `Problem` with a place; a loader collects every problem of a file and
raises one `AuthorError` for all of them. A `RunError` is the engine's own refusal in mid-run.
Both carry sentences a person can act on, so no caller ever has to print a traceback.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

MAX_SHOWN = 60  # characters of a value in a message
MAX_NAMES = 40  # known names that a message lists
MAX_PROBLEMS = 100  # of one input that are told; checks may stop as soon as they have found more


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece of text stands.

    Attributes:
        file: The path as the author typed it, or a description such as `command line`.
        line: Line in the file, from 1; None where lines mean nothing.
    """

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake, in one sentence or two.

    Attributes:
        place: Where it stands.
        message: What was expected and found, without the place and without a final full stop.
    """

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class AuthorError(Exception):
    """Every problem of one input at once; nothing of that input was loaded."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        assert problems, "an AuthorError needs at least one problem"
        self.problems = tuple(problems[:MAX_PROBLEMS])
        lines = [str(problem) for problem in self.problems]
        more = ["and more; mend these first"] if len(problems) > MAX_PROBLEMS else []
        super().__init__("\n".join([*lines, *more]))

    def __reduce__(self) -> tuple[type[AuthorError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)

    @classmethod
    def at(cls, place: Place | str, message: str) -> AuthorError:
        """Builds the error of a single problem."""
        return cls((Problem(place if isinstance(place, Place) else Place(place), message),))


class AccessError(PermissionError):
    """A role asked for a variable it may not read or write."""

    def __init__(self, verb: str, variable: str, role: str, allowed: Iterable[str]) -> None:
        self.verb, self.variable, self.role, self.allowed = verb, variable, role, tuple(allowed)
        roles = ", ".join(self.allowed) or "nobody"
        super().__init__(f"role '{role}' may not {verb} '{variable}'; allowed: {roles}")

    def __reduce__(self) -> tuple[type[AccessError], tuple[str, str, str, tuple[str, ...]]]:
        return type(self), (self.verb, self.variable, self.role, self.allowed)


class RunError(Exception):
    """The engine refused to commit a value in mid-run.

    Attributes:
        rule, variable: Ids from the world file.
        world, agent: Indices in the batch; agent is None for a value of global scope.
        tick: The tick being computed, from 1.
    """

    def __init__(
        self, message: str, *, rule: str, variable: str, world: int, agent: int | None, tick: int
    ) -> None:
        self.message, self.rule, self.variable = message, rule, variable
        self.world, self.agent, self.tick = world, agent, tick
        where = f"world {world}" + ("" if agent is None else f", agent {agent}")
        super().__init__(f"tick {tick}: rule '{rule}' {message} '{variable}' ({where})")


class PartError(Exception):
    """A design or seat broke its protocol: a fault of the part, not of whoever runs it."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Finds the known name that a misspelt one most likely meant.

    >>> nearest("grant", ["requires", "grants", "revokes"])
    'grants'
    """
    by_key = {_key(name): name for name in known}
    found = difflib.get_close_matches(_key(word), by_key, n=1, cutoff=0.6)
    return by_key[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Renders the tail of an 'unknown name' message: the nearest name, or all there are.

    >>> did_you_mean("grant", ["requires", "grants"])
    "; did you mean 'grants'?"
    >>> did_you_mean("zzz", ["requires", "grants"])
    '; known: requires, grants'
    """
    names = list(known)
    guess = nearest(word, names)
    if guess is not None:
        return f"; did you mean '{guess}'?"
    more = ", ..." if len(names) > MAX_NAMES else ""
    return f"; known: {', '.join(islice(names, MAX_NAMES))}{more}" if names else ""


def shown(value: Any) -> str:
    """Renders a value as an author would write it, and the beginning of a long one.

    >>> shown([True, None, "dry", {"at": float("inf")}])
    "[true, nothing, 'dry', {at: .inf}]"
    """
    return cut(_written(value))


def cut(text: str) -> str:
    """Keeps the beginning of a text that is too long for a message."""
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def character(found: str) -> str:
    r"""Names a character that may look like another, or like nothing.

    >>> character("\u0435"), character("\x00")
    ("'\u0435' (U+0435, cyrillic small letter ie)", 'the character U+0000')
    """
    if found.isascii() and found.isprintable():
        return f"'{found}'"
    code, name = f"U+{ord(found):04X}", unicodedata.name(found, "").lower()
    if found.isprintable() and name and not unicodedata.combining(found):
        return f"'{found}' ({code}, {name})"
    return f"the character {code}" + (f" ({name})" if name else "")


def _written(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case float() if not math.isfinite(value):
            return ".nan" if math.isnan(value) else "-.inf" if value < 0 else ".inf"
        case list() | tuple():
            return f"[{', '.join(map(_written, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{key}: {_written(held)}' for key, held in value.items())}}}"
        case _:
            return repr(value)


def _key(name: str) -> str:
    # People mix up `restore_service`, `restore-service` and `Restore Service`, so spelling
    # distance is measured without those differences.
    return name.lower().replace("-", "_").replace(" ", "_")
