"""Malformed: what is wrong with text that is no YAML, in an author's words.

The YAML library says what it looked for and where it gave up, which is often a line or two after
the mistake. What it says of the usual mistakes is told here by what to write instead.
"""

from __future__ import annotations

import re

import yaml

from creatura.errors import Place, Problem, character

MAX_DEPTH = 40

TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"

# What YAML 1.2 takes for text; a lone surrogate is none.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\u0fff\u1000-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_NAME = re.compile(r"[^\s,\[\]{}]*")

# What the library says, its context and then its problem, and what is said instead.
_ANSWERS = {
    "nesting depth": TOO_DEEP,
    "tab character": "has a tab; indent with spaces",
    "cannot start any token": "has a value that begins with '{first}'; put it in quotes",
    "quoted scalar: found unexpected end": "has a quote on line {began} that nothing closes",
    "undefined alias": "has the alias '{name}' and no anchor of that name before it",
    "duplicate anchor": "has the anchor '{name}' twice; the first is on line {began}",
    "found another document": "holds a second document; write one a file",
    "<document start>": "holds more after the end of its document; write one a file",
    "incompatible": "asks for another version of YAML; drop the line that begins with %YAML",
    "unknown escape": "has '{escape}' between double quotes; write '\\\\' for '\\'",
    "mapping values": "is not well-formed YAML: a ':' where no key can stand; quote a text that "
    "has one, or check the indentation",
    "',' or ']'": "is not well-formed YAML: expected ',' or ']' for the '[' of line {began}",
    "',' or '}'": "is not well-formed YAML: expected ',' or '}}' for the '{{' of line {began}",
    "expected key": "is not well-formed YAML: this does not go on with what line {began} began; "
    "check indentation and quotes",
}


def unprintable(text: str, file: str) -> Problem | None:
    """Finds the first character that no text has, such as a NUL."""
    found = _UNPRINTABLE.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return Problem(Place(file, line), f"has {character(found[0])}, which is no text; delete it")


def malformed(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """Says what the YAML library found wrong with a text."""
    mark, start = error.problem_mark or error.context_mark, error.context_mark
    here = text[mark.index : mark.index + 64] if mark else ""
    said = ": ".join(part for part in (error.context, error.problem) if part)
    if here.startswith("\t") and "start any token" in said:
        said = "tab character"
    found = next((answer for key, answer in _ANSWERS.items() if key in said), None)
    name = _NAME.match(here)
    message = (found or "is not well-formed YAML: {said}").format(
        said=said, first=here[:1], escape=here[:2], name=name[0] if name else "",
        began=start.line + 1 if start else 1,
    )  # fmt: skip
    return Problem(Place(file, mark.line + 1 if mark else None), message)
