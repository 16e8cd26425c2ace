"""Requirements: the table of what is asked of the VFS names tests that exist, in every section."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("vfs.md")
SECTIONS = (
    *("4.1", "4.2", "4.3", "4.4", "4.5"),
    *("5.1", "5.2", "5.3"),
    *("6.1", "6.2", "6.3", "6.4"),
    *("7.1", "7.2", "7.3", "7.4"),
    *("8.1", "8.2", "8.3", "8.4"),
    *("9.1", "9.2", "9.3"),
    *("15.1", "15.2", "15.3", "15.4"),
    *("16.1", "16.2", "16.3", "16.4"),
    *("18.1", "18.2", "18.3", "18.4"),
    *("20.1", "20.2", "20.3", "20.4", "20.5", "20.6", "20.7", "20.8", "20.9"),
)
NOT_YET = re.compile(r"not yet: with .*issue \d+")


def rows() -> list[tuple[str, str, str]]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    found = []
    for line in lines[2:]:
        section, asked, shown = (cell.strip() for cell in line.strip("|").split("|"))
        found.append((section, asked, shown))
    return found


@cache
def functions(name: str) -> frozenset[str]:
    """Lists the tests of the one file of that name."""
    files = list((ROOT / "tests").rglob(name))
    assert len(files) == 1, f"'{name}' names {len(files)} files"
    tree = ast.parse(files[0].read_text(encoding="utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return frozenset(name for name in functions | assigned if name.lower().startswith("test"))


@cache
def scenarios(name: str) -> frozenset[str]:
    text = (ROOT / "features" / name).read_text(encoding="utf-8")
    return frozenset(re.findall(r"^\s*Scenario(?: Outline)?: (.+)$", text, re.MULTILINE))


def exists(reference: str) -> bool:
    if ".feature: " in reference:
        feature, title = reference.split(": ", 1)
        return title in scenarios(feature)
    file, function = reference.split("::")
    return function in functions(file)


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]} {row[1][:60]}")
def test_what_is_asked_is_shown_by_tests_that_exist(row: tuple[str, str, str]) -> None:
    _, _, shown = row
    references = re.findall(r"`([^`]+)`", shown)
    assert references or NOT_YET.match(shown)
    assert [reference for reference in references if not exists(reference)] == []


def test_every_section_is_in_the_table_in_order() -> None:
    named = [section for section, _, _ in rows()]
    assert list(dict.fromkeys(named)) == list(SECTIONS)
