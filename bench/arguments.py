"""Arguments: the blanks of a step template, and how the sentence around them is read.

A template is plain text with typed blanks, `the goal is reached in {ticks:Span} ticks`. A sentence
matches it whatever its case, its spacing and its final dot; what stands in quotes is taken as it
is. A blank decides by its looks alone whether it matches, so a value out of range is an error with
a sentence of its own and not a missing step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import parse
from pytest_bdd.parsers import StepParser

from bench.limits import COUNT_RANGE, is_count
from creatura.errors import did_you_mean

_QUOTED = r'"[^"]*"|“[^”]*”|„[^“”]*[“”]'  # writing programs turn straight quotes into curly ones
_COUNT = r"\d{1,3}(?:,\d{3})+|\d+"
_TIMES = {"once": 1, "twice": 2}
_MAX_DIGITS = 40  # far beyond any count, and far below what int() refuses to read


@final
@dataclass(frozen=True, slots=True)
class Blank:
    """One type of blank.

    Attributes:
        pattern: What it looks like; no groups that capture.
        read: Turns the text into a value; raises ValueError with a sentence about it.
        shown: How a catalogue shows it, with `{}` for the blank's name.
    """

    pattern: str
    read: Callable[[str], object]
    shown: str = "<{}>"


def _name(text: str) -> str:
    """Takes the quotes off.

    >>> _name('"ferry crossing"'), _name('“ferry”')
    ('ferry crossing', 'ferry')
    """
    name = text[1:-1].strip()
    if not name:
        raise ValueError("a name in quotes is empty")
    return name


def _names(text: str) -> tuple[str, ...]:
    """Reads a list of names.

    >>> _names('"plain", "hybrid" and "careless"')
    ('plain', 'hybrid', 'careless')
    """
    return tuple(_name(found) for found in re.findall(_QUOTED, text))


def _count(text: str) -> int:
    digits = text.replace(",", "")
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number has at most {_MAX_DIGITS} digits, found {len(digits)}")
    return int(digits)


def _tick(text: str) -> int:
    tick = _count(text)
    if not tick:
        raise ValueError("ticks count from 1, found tick 0")
    if not is_count(tick):
        raise ValueError(f"ticks are {COUNT_RANGE}, found tick {tick}")
    return tick


def _ticks(text: str) -> tuple[int, ...]:
    """Reads a list of ticks.

    >>> _ticks("3, 5 and 8")
    (3, 5, 8)
    """
    return tuple(_tick(found) for found in re.findall(r"\d+", text))


def _percent(text: str) -> float:
    """Reads a percentage as a share.

    >>> _percent("12.5 %")
    0.125
    """
    number = float(text.removesuffix("%"))
    if number > 100:
        raise ValueError(f"a share is at most 100%, found {number:g}%")
    return number / 100


def _times(text: str) -> int:
    word = text.lower()
    times = _TIMES[word] if word in _TIMES else _count(word.removesuffix("times").strip())
    if not is_count(times):
        raise ValueError(f"times are {COUNT_RANGE}, found {times}")
    return times


def _span(text: str) -> tuple[int, int]:
    """Reads a count, or the two ends of a span.

    >>> _span("7"), _span("5 to 8")
    ((7, 7), (5, 8))
    """
    first, _, last = text.partition(" to ")
    low, high = _count(first), _count(last or first)
    if low > high:
        raise ValueError(f"a span runs from low to high, found {low} to {high}")
    return low, high


BLANKS: Mapping[str, Blank] = {
    "Name": Blank(_QUOTED, _name, '"<{}>"'),
    "Names": Blank(rf"(?:{_QUOTED})(?:(?:, | and )(?:{_QUOTED}))*", _names, '"<{}>", "<...>"'),
    "Count": Blank(_COUNT, _count),
    "Number": Blank(r"-?\d+(?:\.\d+)?", float),
    "Tick": Blank(r"\d+", _tick),
    "Ticks": Blank(r"\d+(?:(?:, | and )\d+)+", _ticks, "<{}>, <...>"),
    "Percent": Blank(r"\d+(?:\.\d+)? ?%", _percent, "<{}>%"),
    "Times": Blank(rf"once|twice|(?:{_COUNT}) times", _times, "<{}> times"),
    "Span": Blank(rf"(?:{_COUNT})(?: to (?:{_COUNT}))?", _span, "<{0}> to <{0}>"),
}

# Templates speak of many; after a 1, a person writes of one.
_SINGULAR = re.compile(r"((?<![\d.,])1 (?:tick|time|run))\b", re.IGNORECASE)
_BLANK = re.compile(r"\{([^{}:]*):?([^{}]*)\}")


class Sentence(StepParser):
    """A step template with typed blanks, for `@given`, `@when` and `@then`.

    >>> Sentence("the tool {tool:Name} lies {times:Times}").parse_arguments(
    ...     'The tool  "sail" lies twice.'
    ... )
    {'tool': 'sail', 'times': 2}
    """

    def __init__(self, template: str) -> None:
        super().__init__(template)
        for name, kind in _BLANK.findall(template):
            if not name.isidentifier() or kind not in BLANKS:
                hint = did_you_mean(kind, BLANKS)
                raise ValueError(f"'{template}': '{{{name}:{kind}}}' is no typed blank{hint}")
        self._parser = parse.compile(tidy(template), {k: _reader(b) for k, b in BLANKS.items()})

    @property
    def shown(self) -> str:
        """The template as a person reads it: `the tool "<tool>" lies <times> times`."""
        return _BLANK.sub(lambda found: BLANKS[found[2]].shown.format(found[1]), self.name)

    def is_matching(self, name: str) -> bool:
        """Tells whether a sentence has this form; its values may still be out of range."""
        return self._parser.parse(tidy(name), evaluate_result=False) is not None

    def parse_arguments(self, name: str) -> dict[str, Any] | None:
        """Reads the values; None for a sentence of another form.

        Raises:
            ValueError: A value is out of range.
        """
        found = self._parser.parse(tidy(name))
        return None if found is None else dict(found.named)


def tidy(sentence: str) -> str:
    """Drops what does not count in a sentence: doubled spaces, one final dot, a lone singular.

    >>> tidy('the  tool "raise  ramp" lies once.'), tidy("in 1 tick")
    ('the tool "raise  ramp" lies once', 'in 1 ticks')
    """
    pieces = re.split(f"({_QUOTED})", sentence.strip())
    spaced = (re.sub(r"\s+", " ", piece) for piece in pieces[::2])
    pieces[::2] = [_SINGULAR.sub(r"\1s", piece) for piece in spaced]
    text = "".join(pieces)
    return text if text.endswith("..") else text.removesuffix(".").rstrip()


def _reader(blank: Blank) -> Callable[[str], object]:
    # parse looks for the pattern on the function itself.
    def read(text: str) -> object:
        return blank.read(text)

    return parse.with_pattern(blank.pattern)(read)  # type: ignore[no-any-return]
