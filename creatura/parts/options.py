"""Options: what may be given to a part, and whether a value fits.

The options of a part are the fields of its dataclass, or the keywords of a plain class, that hold
plain values. A design takes those of its membrane as well: `colony(cooldown_ticks=5)`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from creatura.errors import did_you_mean
from creatura.protocols import JudgeRule, LayerOptions

_PLAIN = (bool, int, float, str, type(None))


class Required:
    """Stands where an option has no default."""

    def __repr__(self) -> str:
        return "..."


REQUIRED = Required()
Build = Callable[..., Any]


def part_of(build: Build) -> Build:
    """Returns the class behind a row of a table; a preset is one with some options set."""
    return build.func if isinstance(build, partial) else build


def options_of(build: Build) -> Iterator[tuple[str, object]]:
    """Yields option names with their defaults, in the order of declaration."""
    kind = part_of(build)
    if not isinstance(kind, type):
        return
    preset = build.keywords if isinstance(build, partial) else {}
    declared = _fields(kind) if dataclasses.is_dataclass(kind) else _keywords(kind)
    for name, default in declared:
        value = preset.get(name, default)
        if name != "name" and isinstance(value, (*_PLAIN, Required)):
            yield name, value


def layer_options() -> dict[str, object]:
    """Returns the membrane's options that any design takes, with their defaults."""
    defaults = dataclasses.asdict(LayerOptions())
    return {name: value for name, value in defaults.items() if name != "membrane"}


def check_options(given: Mapping[str, Any], known: Mapping[str, object]) -> None:
    """Refuses an unknown option, or a value of another type than the default's.

    Raises:
        ValueError: A sentence about the first, to follow the part's name.
    """
    for option, value in given.items():
        if option not in known:
            raise ValueError(f"has no option '{option}'{did_you_mean(option, known)}")
        default = known[option]
        if default is None or isinstance(default, Required):
            continue
        wanted, expected = _wanted(default)
        if type(value) not in wanted:
            raise ValueError(f"option '{option}' is {expected}, found {value!r}")


def layer_with(layer: LayerOptions, given: Mapping[str, Any]) -> LayerOptions:
    """Returns a layer with some options set.

    Raises:
        ValueError: A value is out of its range.
    """
    if given and not layer.membrane:
        raise ValueError(f"runs with the membrane off, so '{next(iter(given))}' changes nothing")
    options = dict(given)
    if "judge_rule" in options:
        options["judge_rule"] = _judge_rule(options["judge_rule"])
    for name in ("cooldown_ticks", "release_min_landed"):
        if options.get(name, 0) < 0:
            raise ValueError(f"option '{name}' is 0 or more, found {options[name]}")
    share = options.get("release_min_share", 0.0)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"option 'release_min_share' is from 0 to 1, found {share:g}")
    return dataclasses.replace(layer, **options)


def _judge_rule(word: str) -> JudgeRule:
    rules = [rule.value for rule in JudgeRule]
    if word not in rules:
        hint = did_you_mean(word, rules)
        raise ValueError(f"option 'judge_rule' is one of two words, found '{word}'{hint}")
    return JudgeRule(word)


def _wanted(default: object) -> tuple[tuple[type, ...], str]:
    if isinstance(default, float):
        return (int, float), "a number"
    if isinstance(default, JudgeRule):
        return (str,), "a word"
    return (type(default),), type(default).__name__


def _fields(kind: Any) -> Iterator[tuple[str, object]]:
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        is_made = field.default_factory is not dataclasses.MISSING
        if not is_made:
            yield field.name, REQUIRED if field.default is dataclasses.MISSING else field.default


def _keywords(kind: type) -> Iterator[tuple[str, object]]:
    by_keyword = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError):  # a class written in C may say nothing of its keywords
        return
    for parameter in parameters:
        if parameter.kind in by_keyword:
            is_bare = parameter.default is inspect.Parameter.empty
            yield parameter.name, REQUIRED if is_bare else parameter.default
