"""Source: YAML text as plain values that still know their line, and their check against a model.

Scalars follow the YAML 1.2 core schema, so `no` and `on` are words. Duplicate keys, tags, aliases
that multiply and nesting without end are refused. `validated` turns what pydantic finds into one
sentence a mistake, each with file, line and the nearest known key.
"""

from __future__ import annotations

import re
import types
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pydantic
import yaml

from creatura.errors import AuthorError, Place, Problem, did_you_mean

MAX_BYTES = 4_000_000
MAX_DEPTH = 40
MAX_VALUES = 200_000  # counted after aliases are followed, which stops alias bombs

_TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"
_MAX_DIGITS = 100  # of a whole number, leading zeros included

QUOTED = ("'", '"', "|", ">")  # styles in which a scalar is text whatever it says

Path_ = tuple[str | int, ...]

_YAML = "tag:yaml.org,2002:"
_PLAIN_TAGS = {
    _YAML + kind
    for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge", "value")
}
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
    shown = str(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise AuthorError.at(
                shown, f"{size:,} bytes is too large; at most {MAX_BYTES:,} are read"
            )
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise AuthorError.at(
            shown, f"is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise AuthorError.at(
            shown, f"cannot be read: {(error.strerror or str(error)).lower()}"
        ) from None
    return parse_yaml(text, shown)


def parse_yaml(text: str, file: str) -> Document:
    """Reads YAML text; `file` is what errors call it."""
    try:
        _check_depth(text, file)
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        if "\\t" in str(error.problem):
            raise AuthorError.at(Place(file, line), "has a tab; indent with spaces") from None
        context = f" {error.context}," if error.context else ""
        message = f"is not well-formed YAML:{context} {error.problem}"
        raise AuthorError.at(Place(file, line), message) from None
    except yaml.YAMLError as error:
        raise AuthorError.at(file, f"is not YAML: {str(error).splitlines()[0]}") from None
    if node is None:
        raise AuthorError.at(file, "is empty")
    reader = _Reader(file)
    value = reader.value(node, ())
    if reader.problems:
        raise AuthorError(reader.problems)
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
            raise AuthorError.at(self._at(node), f"holds more than {MAX_VALUES:,} values")
        self.lines.setdefault(path, node.start_mark.line + 1)
        if node.tag not in _PLAIN_TAGS:
            tag = node.tag.replace(_YAML, "!!")
            self._note(node, f"tags such as {tag} are not read; write the plain value")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        assert isinstance(node, yaml.CollectionNode)
        return self._collection(node, path)

    def _collection(self, node: yaml.CollectionNode, path: Path_) -> Any:
        if id(node) in self._open:
            self._note(node, "contains itself, by an alias; write its values out")
            return None
        if len(path) >= MAX_DEPTH:  # the event stream does not show what aliases add
            raise AuthorError.at(self._at(node), _TOO_DEEP)
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
        self._note(node, f"{_cut(text)} is beyond 64 bits; quote it if it is text")
        return 0

    def _note(self, node: yaml.Node, message: str) -> None:
        self.problems.append(Problem(self._at(node), message))

    def _at(self, node: yaml.Node) -> Place:
        return Place(self.file, node.start_mark.line + 1)


def _check_depth(text: str, file: str) -> None:
    # The composer recurses, so depth is counted on the flat event stream before it runs.
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            place = Place(file, event.start_mark.line + 1 if event.start_mark else None)
            raise AuthorError.at(place, _TOO_DEEP)


Model = TypeVar("Model", bound=pydantic.BaseModel)


def validated(model: type[Model], document: Document, whole: str) -> Model:
    """Checks a document against a pydantic model and reports every mistake at once.

    Args:
        whole: What to call the top level in a message, such as `the world`.
    """
    if not isinstance(document.value, dict):
        found = type(document.value).__name__
        raise AuthorError.at(
            document.place(), f"{whole} must be `key: value` lines, found a {found}"
        )
    try:
        return model.model_validate(document.value, context=document)
    except pydantic.ValidationError as error:
        problems = [_problem(model, document, whole, dict(e)) for e in error.errors()]
        raise AuthorError(list(dict.fromkeys(problems))) from None


# What pydantic calls by the names of Python's types, in words that a world's author knows.
_EXPECTED = {
    "bool_type": "should be true or false",
    "string_type": "should be text",
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    "dict_type": "should be `key: value` lines",
    "model_type": "should be `key: value` lines",
    "model_attributes_type": "should be `key: value` lines",
    "too_short": "should not be empty",
}


def _problem(
    model: type[pydantic.BaseModel], document: Document, whole: str, error: dict[str, Any]
) -> Problem:
    # Pydantic adds the names of its own validators to a location; the author never wrote those.
    loc: Path_ = tuple(part for part in error["loc"] if not str(part).startswith("function-"))
    owner, key = loc[:-1], loc[-1] if loc else ""
    place = document.place(loc)
    match error["type"]:
        case "extra_forbidden":
            hint = did_you_mean(str(key), _keys_at(model, owner))
            message = f"{_subject(owner, whole)} has no key '{key}'{hint}"
        case "missing":
            message = f"{_subject(owner, whole)} needs the key '{key}'"
            place = document.place(owner)
        case "value_error":
            message = f"{_subject(loc, whole)} {error['ctx']['error']}"
        case kind:
            said = _EXPECTED.get(kind) or error["msg"].removeprefix("Input ").replace("valid ", "")
            message = f"{_subject(loc, whole)} {said}, found {_shown(error['input'])}"
    return Problem(place, message)


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
        kind = str(owner[-1]).removesuffix("s") if owner else "item"
        outer = _subject(tuple(owner[:-1]), "")
        return f"{kind} {last + 1}" + (f" of {outer}" if outer else "")
    if len(path) == 2 and str(path[0]).endswith("s"):  # an entry of `tools`, of `variables`
        return f"{str(path[0]).removesuffix('s')} '{last}'"
    outer = _subject(tuple(owner), "")
    return f"'{last}'" + (f" of {outer}" if outer else "")


def _shown(value: Any) -> str:
    return _cut(repr(value) if isinstance(value, str) else str(value))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


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
        return [field.alias or name for name, field in model.model_fields.items()]
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
