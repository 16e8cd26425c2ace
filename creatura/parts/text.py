"""Text: how a player and its parts are written on one line.

`colony(leak=0.25) with honest-failure, exploration(scaled=True)` is a design and two extensions; a
part is a name or, from a user's own file, `path/to/my_design.py:Cautious`, with options if any.
"""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from typing import Any

WITH = "with"

_CALL = re.compile(r"(?P<name>[^()]+?)\s*(\((?P<options>.*)\))?", re.DOTALL)
_FILE = re.compile(r"(?P<path>.+?\.py)(:(?P<chosen>[^():]*))?\s*(\((?P<options>.*)\))?", re.DOTALL)
_FILE_FIRST = re.compile(r"\s*(.+?\.py)(?=[:(\s]|$)")
_SEPARATOR = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_WITH = re.compile(rf"(?:^|\s){WITH}(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Written:
    """One part as its author wrote it.

    Attributes:
        name: Without the options.
        options: What stands between the brackets.
        path: The Python file it comes from, or None for a registered name.
        chosen: The class in that file, or None where it is left to the file.
    """

    name: str
    options: str = ""
    path: str | None = None
    chosen: str | None = None


def parse_part(text: str) -> Written:
    """Reads one part.

    >>> parse_part("colony(leak=0.25)")
    Written(name='colony', options='leak=0.25', path=None, chosen=None)
    >>> parse_part("my_design.py:Cautious").chosen
    'Cautious'
    """
    text = text.strip()
    in_file = _FILE.fullmatch(text)
    if in_file:
        path, chosen = in_file["path"], in_file["chosen"]
        name = path if chosen is None else f"{path}:{chosen}"
        return Written(name, in_file["options"] or "", path, chosen)
    call = _CALL.fullmatch(text)
    return Written(call["name"].strip(), call["options"] or "") if call else Written(text)


def parse_options(text: str) -> dict[str, Any]:
    """Reads `name=value, name=value`; the values are Python's plain ones.

    Raises:
        ValueError: It is written otherwise.

    >>> parse_options("leak=0.25, judge_rule='report-first'")
    {'leak': 0.25, 'judge_rule': 'report-first'}
    """
    if not text.strip():
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.args:
            raise ValueError(text)
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        # The last two are how Python's parser answers text that is nested too deeply.
        raise ValueError(f"options are written name=value, found '({text})'") from None


def split_player(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Parts a design from its extensions; None where the word `with` is not there.

    >>> split_player("colony with note(text='wait, and see'), memory and veto")
    ('colony', ("note(text='wait, and see')", 'memory', 'veto'))
    >>> split_player("colony(leak=0.25)")
    ('colony(leak=0.25)', None)
    """
    shown = _outside_brackets(text)
    file = _FILE_FIRST.match(text)
    # A folder's name may hold the word, too.
    start = file.end() if file and os.path.isfile(file[1]) else 0
    found = _WITH.search(shown, start)
    if found is None:
        return text, None
    cuts = [found.end()]
    for separator in _SEPARATOR.finditer(shown, found.end()):
        cuts += separator.span()
    cuts.append(len(text))
    pieces = [text[a:b].strip() for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    return text[: found.start()].strip(), () if pieces == [""] else tuple(pieces)


def _outside_brackets(text: str) -> str:
    """Blanks what stands in brackets or, in them, in quotes; every other sign keeps its place."""
    depth, quote, escaped = 0, "", False
    shown = []
    for sign in text:
        if quote:
            quote = "" if sign == quote and not escaped else quote
            escaped = sign == "\\" and not escaped
        elif depth and sign in "'\"":
            quote = sign
        elif sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        shown.append("\0" if depth else sign)
    return "".join(shown)
