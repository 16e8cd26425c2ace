"""Wording: the two-line messages about a feature file, and a parser's complaints put as such.

The first line says what is wrong, the second what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from gherkin.errors import AstBuilderException, ParserException, UnexpectedEOFException

from creatura.errors import Place, Problem, nearest

_ROW = re.compile(r"\s*\|")
_BAR = re.compile(r"(?<!\\)\|")


def problem(file: str, line: int | None, wrong: str, fix: str) -> Problem:
    """Puts what is wrong and what to do on two lines."""
    return Problem(Place(file, line), f"{wrong}\n    {fix}")


def listed(words: Iterable[str], last: str = "or") -> str:
    """Lists words as prose does.

    >>> listed(["Given", "When", "Then"])
    'Given, When or Then'
    """
    *most, final = words
    return f"{', '.join(most)} {last} {final}" if most else final


def guess_step(text: str, words: Sequence[str]) -> str | None:
    """Writes a line with the step keyword that its first word most likely meant.

    >>> guess_step("Gievn an empty pond", ["Given", "When", "Then"])
    'Given an empty pond'
    """
    first, _, rest = text.partition(" ")
    word = nearest(first.rstrip(":"), words)
    return f"{word} {rest}".strip() if word else None


def guess_heading(text: str, headings: Sequence[str]) -> str | None:
    """Writes a line with the heading that it most likely meant.

    >>> guess_heading("Scenaro: a frog", ["Feature", "Scenario"])
    'Scenario: a frog'
    """
    first, colon, rest = text.partition(":")
    # A word before a colon is common in prose (`Result: ...`), so it must be very near.
    near = difflib.get_close_matches(first, headings, n=1, cutoff=0.75) if colon else []
    return f"{near[0]}: {rest.strip()}".strip() if near else None


def reworded(
    error: ParserException,
    lines: Sequence[str],
    file: str,
    words: Sequence[str],
    headings: Sequence[str],
) -> Problem:
    """Says what a parser's complaint is about, from the line it points at."""
    number = error.location["line"]
    text = lines[number - 1].strip() if number <= len(lines) else ""
    if isinstance(error, AstBuilderException):
        return problem(file, number, *_ragged(lines, number))
    if isinstance(error, UnexpectedEOFException):
        return _unfinished(error, lines, file)
    if text.startswith("@"):
        fix = "write tags as words that begin with '@', such as '@must-hold @quick'"
        return problem(file, number, f"'{text}' is no line of tags", fix)
    wrong, fix = _misplaced(str(error), text, words, headings)
    return problem(file, number, wrong, fix)


def _ragged(lines: Sequence[str], number: int) -> tuple[str, str]:
    first = number - 1
    while first > 0 and _ROW.match(lines[first - 1]):
        first -= 1
    here, there = _width(lines[number - 1]), _width(lines[first])
    cells = f"{here} cell{'' if here == 1 else 's'}"
    fix = "give every row the same cells; '\\|' is a bar inside one"
    return f"this table row has {cells}, the table's first row has {there}", fix


def _width(row: str) -> int:
    return len(_BAR.findall(row.strip())) - 1


def _unfinished(error: ParserException, lines: Sequence[str], file: str) -> Problem:
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    if "DocStringSeparator" in str(error):
        marks = ('"""', "```")
        opened = [n for n in filled if lines[n - 1].strip().startswith(marks)]
        mark = lines[opened[-1] - 1].strip()[:3]
        wrong, fix = "this text block is never closed", f"put {mark} on a line under its last"
        return problem(file, opened[-1], wrong, fix)
    fix = "put the scenario they belong to under them, or remove them"
    return problem(file, filled[-1], "these tags stand above nothing", fix)


def _misplaced(
    complaint: str, text: str, words: Sequence[str], headings: Sequence[str]
) -> tuple[str, str]:
    heading = text.partition(":")[0]
    if "#FeatureLine" in complaint:
        guess = guess_heading(text, headings[:1])
        fix = f"did you mean '{guess}'?" if guess else f"put '{headings[0]}: <one behaviour>' first"
        return f"'{text}' stands where the file should begin", fix
    if text.startswith("|"):
        return "this table row belongs to no step", "put it right under its step or 'Examples:'"
    if text.startswith(('"""', "```")):
        return "this text block belongs to no step", "put it right under its step"
    if heading in headings:
        return f"'{heading}:' cannot stand here", _order(heading, headings)
    if text.split(" ")[0] in words:
        if "#StepLine" not in complaint:
            return f"'{text}' stands under no scenario", "move it above the table, under a scenario"
        return f"'{text}' says nothing", "write a sentence after the keyword"
    guess = guess_heading(text, headings) or guess_step(text, words)
    fix = f"did you mean '{guess}'?" if guess else f"begin it with {listed(words)}, or with '#'"
    return f"'{text}' is no step", fix


def _order(heading: str, headings: Sequence[str]) -> str:
    if heading == headings[0]:
        return "one file holds one feature; move it to a file of its own"
    return "the order is Feature, Background, then scenarios and rules; Examples end an outline"
