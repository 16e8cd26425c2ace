"""Source: YAML text as plain values that still know their line, and their check against a model.

Scalars follow the YAML 1.2 core schema, so `no` and `on` are words. Duplicate keys, tags, merge
keys, aliases that multiply and nesting without end are refused. `validated` turns what
pydantic finds into one sentence a mistake, each with file, line and the nearest known key.
"""

from __future__ import annotations

import re
import stat
import types
import typing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pydantic
import yaml

from creatura.errors import (
    MAX_PROBLEMS,
    AuthorError,
    Place,
    Problem,
    cut,
    did_you_mean,
    nearest,
    shown,
)
from creatura.malformed import MAX_DEPTH, TOO_DEEP, malformed, unprintable

MAX_BYTES = 4_000_000
MAX_VALUES = 200_000  # counted after aliases are followed, which stops alias bombs

_MAX_DIGITS = 100  # of a whole number, leading zeros included

QUOTED = ("'", '"', "|", ">")  # styles in which a scalar is text whatever it says

Path_ = tuple[str | int, ...]

_YAML = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file as plain data.

    Attributes:
        value: Nested dicts, lists and scalars.
        lines: The line on which the value, or the key, at each path begins.
        text: What it was read from.
    """

    file: str
    value: Any
    lines: dict[Path_, int]
    text: str = field(default="", repr=False, compare=False)

    def place(self, path: Path_ = ()) -> Place:
        """Finds the line of the deepest known part of a path."""
        while path and path not in self.lines:
            path = path[:-1]
        return Place(self.file, self.lines.get(path))


def load_yaml(path: Path) -> Document:
    """Reads a YAML file.

    Raises:
        AuthorError: It is missing, too large, not UTF-8 text, or not well-formed.
    """
    file = str(path)
    try:
        text = _bytes_of(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AuthorError.at(
            file, f"is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise AuthorError.at(
            file, f"cannot be read: {(error.strerror or str(error)).lower()}"
        ) from None
    except ValueError:  # a NUL in the path
        raise AuthorError.at(repr(file), "cannot be read: no such file or directory") from None
    return parse_yaml(text.replace("\r\n", "\n"), file)


def _bytes_of(path: Path) -> bytes:
    """Reads a file that is no larger than may be, and of any other its size alone."""
    status = path.stat()
    if stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode):
        raise AuthorError.at(str(path), "is no file; a device or a pipe may never end")
    size = status.st_size
    if size <= MAX_BYTES:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)  # it may have grown since
        size = max(size, len(data))
    if size > MAX_BYTES:
        message = f"{size:,} bytes is too large; at most {MAX_BYTES:,} are read"
        raise AuthorError.at(str(path), message)
    return data


def parse_yaml(text: str, file: str) -> Document:
    """Reads YAML text; `file` is what errors call it."""
    text = text.removeprefix("\ufeff")
    if problem := unprintable(text, file):
        raise AuthorError([problem])
    try:
        tags = _check_events(text, file)
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        raise AuthorError([malformed(error, text, file)]) from None
    if node is None:
        raise AuthorError.at(file, "is empty")
    reader = _Reader(file)
    value = reader.value(node, ())
    if problems := [*tags, *reader.problems]:
        raise AuthorError(problems)
    if value is None:
        raise AuthorError.at(file, "is empty")
    return Document(file, value, reader.lines, text)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path_, int] = {}
        self.problems: list[Problem] = []
        self._count = 0
        self._open: set[int] = set()  # collections being read, which an alias may lead back to

    def value(self, node: yaml.Node, path: Path_) -> Any:
        self._count += 1
        if self._count > MAX_VALUES:
            message = f"holds more than {MAX_VALUES:,} values, an alias counting as what it repeats"
            raise AuthorError.at(self._at(node), message)
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        assert isinstance(node, yaml.CollectionNode)
        return self._collection(node, path)

    def _collection(self, node: yaml.CollectionNode, path: Path_) -> Any:
        if id(node) in self._open:
            self._note(node, "contains itself, by an alias; write its values out")
            return None
        if len(path) >= MAX_DEPTH:  # the event stream does not show what aliases add
            raise AuthorError.at(self._at(node), TOO_DEEP)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, path)
            return [self.value(item, (*path, i)) for i, item in enumerate(node.value)]
        finally:
            self._open.remove(id(node))

    def _mapping(self, node: yaml.MappingNode, path: Path_) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key, str):
                self._note(key_node, "a key must be a single word or text")
                continue
            if key_node.tag == f"{_YAML}merge":
                self._note(key_node, "merge keys ('<<') are not read; write out what they bring in")
                continue
            self._check_text(key_node)
            here = (*path, key)
            if key in found:
                self._note(
                    key_node, f"key '{key}' stands twice; the first is on line {self.lines[here]}"
                )
                continue
            self.lines[here] = key_node.start_mark.line + 1
            found[key] = self.value(value_node, here)
        return found

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text: str = node.value
        if node.style in QUOTED:
            self._check_text(node)
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INT.fullmatch(text):
            return self._whole(node, text)
        return float(text) if _FLOAT.fullmatch(text) else text

    def _whole(self, node: yaml.Node, text: str) -> int:
        # int() refuses what has thousands of digits, so the length is looked at first.
        if len(text) <= _MAX_DIGITS:
            value = int(text, 0) if text[:2] in ("0x", "0o") else int(text)
            if -(2**63) <= value < 2**63:
                return value
        self._note(node, f"{cut(text)} is beyond 64 bits; quote it if it is text")
        return 0

    def _check_text(self, node: yaml.ScalarNode) -> None:
        # Between double quotes an escape can stand for what no text has.
        if problem := unprintable(node.value, self.file):
            self._note(node, problem.message)

    def _note(self, node: yaml.Node, message: str) -> None:
        self.problems.append(Problem(self._at(node), message))

    def _at(self, node: yaml.Node) -> Place:
        return Place(self.file, node.start_mark.line + 1)


def _check_events(text: str, file: str) -> list[Problem]:
    """Refuses what nests too deep, and returns what is wrong with tags."""
    # The composer recurses, so depth is counted on the flat event stream before it runs; only
    # events tell a tag that was written from one that follows from the value.
    depth = 0
    problems: list[Problem] = []
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if tag := getattr(event, "tag", None):
            said = cut(tag.replace(_YAML, "!!"))
            message = f"tags such as {said} are not read; write the plain value"
            line = event.start_mark.line + 1 if event.start_mark else None
            problems.append(Problem(Place(file, line), message))
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            place = Place(file, event.start_mark.line + 1 if event.start_mark else None)
            raise AuthorError.at(place, TOO_DEEP)
    return problems


Model = TypeVar("Model", bound=pydantic.BaseModel)


def validated(model: type[Model], document: Document, whole: str) -> Model:
    """Checks a document against a pydantic model and reports every mistake at once.

    Args:
        whole: What to call the top level in a message, such as `the world`.
    """
    if not isinstance(document.value, dict):
        found = "a list" if isinstance(document.value, list) else shown(document.value)
        raise AuthorError.at(document.place(), f"{whole} must be `key: value` lines, found {found}")
    try:
        return model.model_validate(document.value, context=document)
    except pydantic.ValidationError as error:
        errors = (dict(e) for e in error.errors() if not _follows(dict(e)))
        problems = [_problem(model, document, whole, e) for e in islice(errors, MAX_PROBLEMS + 1)]
        raise AuthorError(list(dict.fromkeys(problems))) from None


# What pydantic calls by the names of Python's types, in words that a world's author knows.
_EXPECTED = {
    "bool_type": "should be true or false",
    "string_type": "should be text",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    "dict_type": "should be `key: value` lines",
    "model_type": "should be `key: value` lines",
    "model_attributes_type": "should be `key: value` lines",
    "too_short": "should not be empty",
}


def _follows(error: dict[str, Any]) -> bool:
    """Whether pydantic says it only because of another mistake, which it says as well."""
    is_short = error["type"] == "too_short" and len(error["input"]) > 0
    return is_short or error["type"] == "default_factory_not_called"


def _problem(
    model: type[pydantic.BaseModel], document: Document, whole: str, error: dict[str, Any]
) -> Problem:
    # Pydantic adds the names of its own validators to a location; the author never wrote those.
    loc: Path_ = tuple(part for part in error["loc"] if not str(part).startswith("function-"))
    is_key = loc[-1:] == ("[key]",)
    loc = loc[:-1] if is_key else loc
    owner, key = loc[:-1], loc[-1] if loc else ""
    place = document.place(loc)
    subject = f"the name of {_subject(loc, whole)}" if is_key else _subject(loc, whole)
    match error["type"]:
        case "extra_forbidden" | "is_instance_of":  # what only code can give is no key either
            hint = did_you_mean(str(key), _keys_at(model, owner))
            message = f"{_subject(owner, whole)} has no key '{key}'{hint}"
        case "missing" if isinstance(key, int):
            message = f"{_subject(owner, whole)} has too few items"
        case "too_long":
            message = f"{subject} has too many items; at most {error['ctx']['max_length']:,}"
        case "missing":
            message = f"{_subject(owner, whole)} needs the key '{key}'"
            place = document.place(owner)
        case "value_error":
            message = f"{subject} {error['ctx']['error']}"
        case kind:
            said = _EXPECTED.get(kind) or error["msg"].removeprefix("Input ").replace("valid ", "")
            message = f"{subject} {said}, found {shown(error['input'])}{_meant(error)}"
    return Problem(place, message)


def _meant(error: dict[str, Any]) -> str:
    """Names the nearest of the words that an author may choose from."""
    if error["type"] != "enum" or not isinstance(error["input"], str):
        return ""
    guess = nearest(error["input"], re.findall("'([^']+)'", error["ctx"]["expected"]))
    return "" if guess is None else f"; did you mean '{guess}'?"


_NAMED_LISTS = ("barriers", "membership")  # whose lists an author names


def _subject(path: Path_, whole: str) -> str:
    """Names the thing at a path in the author's words.

    >>> _subject(("tools", "sail"), "the world"), _subject(("tools", "sail", "cost"), "the world")
    ("tool 'sail'", "'cost' of tool 'sail'")
    >>> _subject(("faults", 1), "the world")
    'fault 2'
    """
    if not path:
        return whole
    *owner, last = path
    if isinstance(last, int):
        *above, name = map(str, owner or ("items",))
        is_own = above and above[0] in _NAMED_LISTS  # a barrier called `storms` has no storms
        is_plural = name.endswith("s") and not is_own
        kind = name.removesuffix("s") if is_plural else "item"
        outer = _subject(tuple(owner[:-1] if is_plural else owner), "")
        return f"{kind} {last + 1}" + (f" of {outer}" if outer else "")
    if len(path) == 2 and str(path[0]).endswith("s"):  # an entry of `tools`, of `variables`
        return f"{str(path[0]).removesuffix('s')} '{cut(last)}'"
    outer = _subject(tuple(owner), "")
    return f"'{cut(last)}'" + (f" of {outer}" if outer else "")


def _keys_at(model: Any, path: Path_) -> list[str]:
    """Lists the keys that the model at a path knows."""
    for part in path:
        if isinstance(model, type) and issubclass(model, pydantic.BaseModel):
            field = model.model_fields.get(str(part))
            model = field.annotation if field else None
        else:
            model = next(reversed(typing.get_args(model)), None)
        model = _model_in(model)
    if isinstance(model, type) and issubclass(model, pydantic.BaseModel):
        return [
            field.alias or name
            for name, field in model.model_fields.items()
            if not any(isinstance(mark, pydantic.InstanceOf) for mark in field.metadata)
        ]
    return []


def _model_in(annotation: Any) -> Any:
    """Strips `None` and markers off an annotation: `Spec | None` is `Spec`."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _model_in(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        members = [m for m in typing.get_args(annotation) if m is not type(None)]
        models = [m for m in members if isinstance(m, type) and issubclass(m, pydantic.BaseModel)]
        return models[0] if models else members[0]
    if origin is tuple:
        return list[typing.get_args(annotation)[0]]  # type: ignore[misc]
    return annotation
