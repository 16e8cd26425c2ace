"""Reader: a feature file's text to the model, and a parser's complaints to sentences.

The file may start with a byte order mark and end its lines as Windows does. gherkin-official
parses; its complaints list the token kinds it hoped for, so each is worded anew from the line it
points at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gherkin.dialect import DIALECTS
from gherkin.errors import CompositeParserException, ParserException
from gherkin.parser import Parser

from bench.gherkin.model import Background, Examples, Feature, Line, Scenario, Step
from bench.gherkin.wording import problem, reworded
from creatura.errors import AuthorError, Problem, did_you_mean

_KINDS = {"Context": "Given", "Action": "When", "Outcome": "Then"}
_STEP_WORDS = ("given", "when", "then", "and", "but")
_HEADINGS = ("feature", "rule", "background", "scenario", "scenarioOutline", "examples")


def read_feature(path: Path, shown: str | None = None) -> Feature:
    """Reads a feature file; `shown` is what messages call it, its path unless said otherwise.

    Raises:
        AuthorError: It cannot be read, or is no Gherkin.
    """
    file = shown or path.as_posix()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(file, 1, "this is not UTF-8 text", "save the file as UTF-8") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise _refused(file, None, f"cannot be read: {why}", "check the path") from None
    return parse_feature(text, file)


def parse_feature(text: str, file: str) -> Feature:
    """Reads a feature file's text; `file` is what messages call it."""
    lines = text.split("\n")
    try:
        tree: Any = Parser().parse(text)
    except CompositeParserException as error:
        raise AuthorError(_complaints(error, lines, file)) from None
    feature = tree.get("feature")
    if not feature:
        fix = "begin with 'Feature: <one behaviour>'"
        raise _refused(file, 1, "this file holds no feature", fix)
    return _Builder(lines, file).feature(feature)


class _Builder:
    """Walks the parser's tree; keeps nothing but the source lines and the tags met."""

    def __init__(self, lines: Sequence[str], file: str) -> None:
        self._lines, self._file = lines, file
        self._tags: list[Line] = []
        self._prose: list[tuple[Line, ...]] = []
        self._backgrounds: list[Background] = []

    def feature(self, tree: dict[str, Any]) -> Feature:
        dialect = DIALECTS[tree["language"]]
        outlines = tuple(dialect["scenarioOutline"])
        tags = self._tagged(tree)
        self._prose.append(self._prose_of(tree))
        scenarios = tuple(self._scenarios(tree["children"], tags, (), outlines))
        return Feature(
            file=self._file,
            line=tree["location"]["line"],
            name=tree["name"],
            tags=tuple(self._tags),
            prose=tuple(self._prose),
            backgrounds=tuple(self._backgrounds),
            scenarios=scenarios,
            step_words=tuple(_words(dialect, _STEP_WORDS)),
            headings=tuple(_words(dialect, _HEADINGS)),
        )

    def _scenarios(
        self,
        children: Sequence[dict[str, Any]],
        tags: tuple[str, ...],
        before: tuple[Step, ...],
        outlines: tuple[str, ...],
    ) -> Iterator[Scenario]:
        for child in children:
            if tree := child.get("background"):
                found = Background(tree["location"]["line"], _steps(tree), self._prose_of(tree))
                self._backgrounds.append(found)
                before = (*before, *found.steps)
            elif tree := child.get("rule"):
                self._prose.append(self._prose_of(tree))
                inner = (*tags, *self._tagged(tree))
                yield from self._scenarios(tree["children"], inner, before, outlines)
            else:
                yield self._scenario(child["scenario"], tags, before, outlines)

    def _scenario(
        self,
        tree: dict[str, Any],
        tags: tuple[str, ...],
        before: tuple[Step, ...],
        outlines: tuple[str, ...],
    ) -> Scenario:
        own = self._tagged(tree)
        for table in tree["examples"]:
            self._tagged(table)
        return Scenario(
            line=tree["location"]["line"],
            name=tree["name"],
            tags=tuple(dict.fromkeys((*tags, *own))),
            before=before,
            steps=_steps(tree),
            prose=self._prose_of(tree),
            examples=tuple(_examples(table) for table in tree["examples"]),
            is_outline=bool(tree["examples"]) or tree["keyword"] in outlines,
        )

    def _tagged(self, tree: dict[str, Any]) -> tuple[str, ...]:
        found = [Line(t["location"]["line"], t["name"].removeprefix("@")) for t in tree["tags"]]
        self._tags += found
        return tuple(tag.text for tag in found)

    def _prose_of(self, tree: dict[str, Any]) -> tuple[Line, ...]:
        # The parser gives prose as one text without lines, comments left out.
        number = tree["location"]["line"]
        found = []
        for text in filter(None, map(str.strip, tree["description"].split("\n"))):
            while self._lines[number].strip() != text:
                number += 1
            number += 1
            found.append(Line(number, text))
        return tuple(found)


def _steps(tree: dict[str, Any]) -> tuple[Step, ...]:
    steps, kind = [], ""
    for found in tree["steps"]:
        kind = _KINDS.get(found["keywordType"], kind)
        table, block = found.get("dataTable"), found.get("docString")
        step = Step(
            line=found["location"]["line"],
            keyword=found["keyword"].strip(),
            kind=kind,
            text=found["text"],
            table=tuple(_cells(row) for row in table["rows"]) if table else None,
            text_block=block["content"] if block else None,
        )
        steps.append(step)
    return tuple(steps)


def _examples(tree: dict[str, Any]) -> Examples:
    header = tree.get("tableHeader")
    return Examples(
        line=tree["location"]["line"],
        columns=_cells(header) if header else (),
        rows=tuple(_cells(row) for row in tree.get("tableBody") or ()),
    )


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(cell["value"] for cell in row["cells"])


def _words(dialect: Any, kinds: Sequence[str]) -> list[str]:
    words = (word.strip() for kind in kinds for word in dialect[kind])
    return [word for word in dict.fromkeys(words) if word != "*"]


def _complaints(
    error: CompositeParserException, lines: Sequence[str], file: str
) -> tuple[Problem, ...]:
    language = _language(lines)
    if language not in DIALECTS:
        number = next(i for i, line in enumerate(lines, 1) if _LANGUAGE.match(line))
        hint = did_you_mean(language, DIALECTS) if language[:2] in DIALECTS else ""
        fix = f"write a language code such as 'en' or 'de'{hint}"
        return (problem(file, number, f"there is no language '{language}'", fix),)
    dialect = DIALECTS[language]
    words, headings = _words(dialect, _STEP_WORDS), _words(dialect, _HEADINGS)
    found: list[ParserException] = error.errors
    if str(found[0]).count("#FeatureLine"):
        # Nothing under a heading that was not understood can be judged.
        found = found[:1]
    told = [reworded(e, lines, file, words, headings) for e in found]
    return tuple({p.place: p for p in reversed(told)}.values())[::-1]


_LANGUAGE = re.compile(r"\s*#\s*language\s*:\s*([\w-]+)\s*$")


def _language(lines: Sequence[str]) -> str:
    for line in lines:
        if found := _LANGUAGE.match(line):
            return found[1]
        if line.strip() and not line.lstrip().startswith("#"):
            break
    return "en"


def _refused(file: str, line: int | None, wrong: str, fix: str) -> AuthorError:
    return AuthorError((problem(file, line, wrong, fix),))
