"""Mutated worlds: whatever becomes of a world file's text, it is a world or an author's mistake."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from creatura import resolver
from creatura.errors import AuthorError
from creatura.world import World, parse_world

# The packaged worlds, and one that has something of everything that a world can have.
VILLAGE = Path(__file__).parents[1] / "golden" / "world" / "village.yaml"
WORLDS = {path.stem: path.read_text(encoding="utf-8") for path in (*resolver.worlds(), VILLAGE)}
PYTHON = re.compile(r"NoneType|\bNone\b|\bTrue\b|\bFalse\b|Pydantic|object at|0x|ScalarNode")

NASTY = (
    "~", "null", "true", ".nan", "-.inf", "1e999", "-1", "0", "1.5", "9223372036854775807",
    "9" * 400, "[]", "{}", "[[]]", "[~]", "{a: ~}", "{~: 1}", "*x", "&x 1", "&x [*x]", "!!int x",
    "<<", "'", '"', "|", ">", "%", "@", "`", "- -", "? :", "---", "...", "#", "\t", "\\",
    '"\\0"', '"\\ud800"', "\u0430", "\u200d", "\ufeff", "\u2028", "\x85", "agent_private",
    "call.tool", "task.goal", "push.", "tick", "where", "fuel +", "1 / 0", "not not", "a" * 2_001,
    "((((((((((", "item", "pair", "matrix", "vecNf", "range", "derived", "place", "id",
)  # fmt: skip
SCALAR = re.compile(r"[A-Za-z0-9_.\"'-]+")


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """Draws a world whose text went wrong in one to four places."""
    text = WORLDS[draw(st.sampled_from(sorted(WORLDS)))]
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from(MUTATIONS))(draw, text)
    return text


def _line(draw: st.DrawFn, text: str) -> tuple[list[str], int]:
    lines = text.split("\n")
    return lines, draw(st.integers(0, len(lines) - 1))


def without_a_line(draw: st.DrawFn, text: str) -> str:
    lines, at = _line(draw, text)
    return "\n".join([*lines[:at], *lines[at + 1 :]])


def with_a_line_twice(draw: st.DrawFn, text: str) -> str:
    lines, at = _line(draw, text)
    return "\n".join([*lines[:at], lines[at], *lines[at:]])


def with_lines_swapped(draw: st.DrawFn, text: str) -> str:
    lines, at = _line(draw, text)
    other = draw(st.integers(0, len(lines) - 1))
    lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


def with_a_line_moved(draw: st.DrawFn, text: str) -> str:
    lines, at = _line(draw, text)
    indent = draw(st.sampled_from(["", " ", "  ", "    ", "\t"]))
    lines[at] = indent + lines[at].lstrip()
    return "\n".join(lines)


def with_a_nasty_scalar(draw: st.DrawFn, text: str) -> str:
    found = list(SCALAR.finditer(text))
    if not found:
        return text
    at = found[draw(st.integers(0, len(found) - 1))]
    return text[: at.start()] + draw(st.sampled_from(NASTY)) + text[at.end() :]


def with_a_scalar_of_elsewhere(draw: st.DrawFn, text: str) -> str:
    found = list(SCALAR.finditer(text))
    if not found:
        return text
    at, other = (found[draw(st.integers(0, len(found) - 1))] for _ in range(2))
    return text[: at.start()] + other[0] + text[at.end() :]


def with_characters_inserted(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    noise = st.text(st.characters() | st.sampled_from("{}[]:,-#&*!|>'\"%@`\n "), max_size=4)
    return text[:at] + draw(noise) + text[at:]


def cut_short(draw: st.DrawFn, text: str) -> str:
    return text[: draw(st.integers(0, len(text)))]


MUTATIONS = (
    without_a_line, with_a_line_twice, with_lines_swapped, with_a_line_moved, with_a_nasty_scalar,
    with_a_nasty_scalar, with_a_scalar_of_elsewhere, with_characters_inserted, cut_short,
)  # fmt: skip


@given(mutants())
@settings(max_examples=250)
def test_a_mutated_file_is_a_world_or_a_mistake_of_its_author(text: str) -> None:
    loaded = load(text)
    if isinstance(loaded, World):
        assert loaded.hashes["vfs"]
        return
    assert all(problem.place.file == "mutant.yaml" for problem in loaded.problems)
    found = PYTHON.search(str(loaded))
    # What the author wrote may be quoted.
    assert found is None or found[0] in text, str(loaded)


def load(text: str) -> World | AuthorError:
    try:
        return parse_world(text, "mutant.yaml")
    except AuthorError as error:
        return error
