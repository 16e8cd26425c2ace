"""Trouble: a fault as the words of a command line, and back.

`apply-patch:times=2` after `--lie`, or `apply-patch:late:once:delay=3` after `--fault`, which names
the mode first. A failing scenario prints its faults this way, so that what it prints can be run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from bench.limits import COUNT_RANGE, is_count
from creatura.errors import AuthorError, did_you_mean
from creatura.world import TAKES_DELAY, TAKES_FACT, Fault, Mode

PLACE = "command line"
MODE_OPTIONS = {"lie": Mode.LIE, "fail": Mode.FAIL}
ANY_MODE = "fault"

_PLAIN = {"once": 1, "always": None}
_VALUED = ("times", "ticks", "p", "delay", "fact", "agent")


def parse_faults(option: str, texts: Sequence[str]) -> list[Fault]:
    """Reads the values of `--lie`, `--fail` or `--fault`.

    Raises:
        AuthorError: What is none of the known parts, with the nearest one.
    """
    return [_parsed(option, text) for text in texts]


def render_faults(faults: Sequence[Fault]) -> list[str]:
    """Writes faults as options and values that are read back in the same order.

    Of the faults of a tool the first that is due decides, and a command line is read option by
    option; where that would change the order, every fault is written after `--fault`.

    >>> render_faults([Fault("sail", Mode.FAIL, times=1), Fault("sail", Mode.LIE, times=1)])
    ['--fault', 'sail:fail:once', '--fault', 'sail:lie:once']
    """
    options = [_option_of(fault) for fault in faults]
    in_order = options == sorted(options, key=[*MODE_OPTIONS, ANY_MODE].index)
    pairs = zip(faults, options, strict=True)
    return [w for f, option in pairs for w in render_fault(f, option if in_order else ANY_MODE)]


def render_fault(fault: Fault, option: str | None = None) -> list[str]:
    """Writes a fault as an option, the shortest by default, and its value.

    >>> render_fault(Fault("sail", Mode.LIE, times=2))
    ['--lie', 'sail:times=2']
    >>> render_fault(Fault("sail", Mode.LATE, delay=3))
    ['--fault', 'sail:late:always:delay=3']
    """
    parts = [fault.tool]
    option = option or _option_of(fault)
    if option == ANY_MODE:
        parts.append(fault.mode.value)
    if fault.times is not None:
        parts.append("once" if fault.times == 1 else f"times={fault.times}")
    elif fault.ticks is not None:
        parts.append(f"ticks={','.join(map(str, fault.ticks))}")
    else:
        chance = fault.probability
        parts.append("always" if chance is None else f"p={chance!r}")
    if fault.mode in TAKES_DELAY:
        parts.append(f"delay={fault.delay}")
    if fault.mode in TAKES_FACT:
        parts.append(f"fact={fault.fact}")
    if fault.agent is not None:
        parts.append(f"agent={fault.agent}")
    return [f"--{option}", ":".join(parts)]


def _option_of(fault: Fault) -> str:
    return next((name for name, mode in MODE_OPTIONS.items() if mode is fault.mode), ANY_MODE)


def _parsed(option: str, text: str) -> Fault:
    tool, *parts = text.split(":")
    mode = MODE_OPTIONS.get(option)
    if mode is None:
        name = parts.pop(0) if parts else ""
        modes = [known.value for known in Mode]
        if name not in modes:
            hint = did_you_mean(name, modes)
            raise AuthorError.at(PLACE, f"--{option} {text}: unknown mode '{name}'{hint}")
        mode = Mode(name)
    given: dict[str, Any] = {}
    for part in parts or ["once"]:
        given |= _part(option, text, part)
    if not {"times", "ticks", "probability"} & set(given):
        given["times"] = 1
    if mode in TAKES_FACT and "fact" not in given:
        raise AuthorError.at(PLACE, f"--{option} {text}: mode '{mode}' needs fact=NAME")
    return Fault(tool, mode, **given)


def _part(option: str, text: str, part: str) -> dict[str, Any]:
    word, equals, value = part.partition("=")
    if word in _PLAIN:
        if not equals:
            return {"times": _PLAIN[word]}
        message = f"--{option} {text}: '{word}' takes no value; write times={value} to count calls"
        raise AuthorError.at(PLACE, message)
    try:
        match word:
            case "times" | "delay":
                return {word: _count(value)}
            case "ticks":
                return {"ticks": tuple(map(_count, value.split(",")))}
            case "p":
                return {"probability": _share(value)}
            case "agent":
                return {"agent": _count(value, low=0)}
            case "fact":
                return {"fact": value}
    except ValueError as error:
        message = f"--{option} {text}: '{word}=' cannot be '{value}' ({error})"
        raise AuthorError.at(PLACE, message) from None
    hint = did_you_mean(word, [*_PLAIN, *_VALUED])
    raise AuthorError.at(PLACE, f"--{option} {text}: unknown schedule '{word}'{hint}")


def _count(text: str, low: int = 1) -> int:
    # int() itself refuses what has thousands of digits.
    with contextlib.suppress(ValueError):
        number = int(text)
        if is_count(number) or number == low:
            return number
    raise ValueError(COUNT_RANGE if low else "0 or more")


def _share(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0.0 <= float(text) <= 1.0:
            return float(text)
    raise ValueError("from 0 to 1")
