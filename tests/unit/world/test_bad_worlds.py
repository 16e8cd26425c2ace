"""Bad worlds: every mistake an author can make in a world file, and the exact words that answer it.

`tests/golden/bad_worlds` holds a small file a mistake and the whole text of its refusal. What git
does not keep as text, and what is too large to keep, is made here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bench.plan import load_plan
from bench.runner import world_of
from creatura import resolver, source
from creatura.errors import MAX_PROBLEMS, AuthorError
from creatura.world import load_world

BAD_WORLDS = Path(__file__).parents[2] / "golden" / "bad_worlds"
CASES = sorted(path.stem for path in BAD_WORLDS.glob("*.yaml"))

GOOD = """\
name: ferry
facts: [docked]
tools: {sail: {grants: [docked]}}
task: {goal: docked}
"""
# What no author wrote: names of Python's own, and where in memory something lies.
PYTHON = re.compile(r"NoneType|\b(dict|tuple|object at)\b|\bNone\b|\bTrue\b|\bFalse\b|Node\b|0x")

BYTES = {
    "a nul": (b"name: fer\x00ry\n", ":1: has the character U+0000, which is no text; delete it"),
    "an escape": (b"a: 1\n\x1b[31m\n", ":2: has the character U+001B, which is no text; delete it"),
    "noise": (b"\x93\xfa\x10", ": is not UTF-8 text (byte 0); save it as UTF-8"),
    "latin 1": (b"title: caf\xe9\n", ": is not UTF-8 text (byte 10); save it as UTF-8"),
    "a surrogate": (b"title: \xed\xa0\x80\n", ": is not UTF-8 text (byte 7); save it as UTF-8"),
    "utf-16": (GOOD.encode("utf-16"), ": is not UTF-8 text (byte 0); save it as UTF-8"),
    "utf-16 without a mark": (
        GOOD.encode("utf-16-le"),
        ":1: has the character U+0000, which is no text; delete it",
    ),
    "a mark and a list": (
        b"\xef\xbb\xbf- 1\n",
        ":1: the world must be `key: value` lines, found a list",
    ),
}


def refusal_of(path: Path) -> str:
    with pytest.raises(AuthorError) as caught:
        load_world(path)
    return str(caught.value)


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_gets_its_answer(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD_WORLDS)  # so that the answer names the file and not where it lies
    expected = (BAD_WORLDS / f"{case}.txt").read_text(encoding="utf-8").rstrip("\n")
    assert refusal_of(Path(f"{case}.yaml")) == expected


def test_every_answer_has_its_mistake_and_speaks_of_the_file_and_not_of_python() -> None:
    answers = sorted(BAD_WORLDS.glob("*.txt"))
    assert [path.stem for path in answers] == CASES
    for path in answers:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"{path.stem}.yaml:")
        assert not PYTHON.search(text), path.stem


@pytest.fixture
def ferry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that answers name as its author would, yet to be written."""
    monkeypatch.chdir(tmp_path)
    return Path("ferry.yaml")


@pytest.mark.parametrize("case", BYTES)
def test_bytes_that_are_no_text_get_a_sentence(case: str, ferry: Path) -> None:
    data, message = BYTES[case]
    ferry.write_bytes(data)
    assert refusal_of(ferry) == f"ferry.yaml{message}"


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf" + GOOD.encode(), GOOD.replace("\n", "\r\n").encode()]
)
def test_a_byte_order_mark_and_the_line_ends_of_another_system_are_no_mistakes(
    data: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "ferry.yaml"
    path.write_bytes(data)
    assert load_world(path).brief.facts == ("docked",)


# ------------------------------------------------------------------------------ size


def test_a_file_that_is_too_large_is_refused_by_its_size_alone(
    ferry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ferry.touch()
    os.truncate(ferry, 10_000_000_000)  # sparse: it takes no room, and none may be made for it
    monkeypatch.setattr(Path, "open", lambda *_, **__: pytest.fail("the file was opened"))
    assert refusal_of(ferry) == (
        "ferry.yaml: 10,000,000,000 bytes is too large; at most 4,000,000 are read"
    )


def test_a_file_that_grows_while_it_is_read_is_read_no_further_than_the_limit(
    ferry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ferry.write_text(GOOD)
    size = ferry.stat()
    ferry.write_text(GOOD + "#" * source.MAX_BYTES)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: size)
    assert refusal_of(ferry) == (
        "ferry.yaml: 4,000,001 bytes is too large; at most 4,000,000 are read"
    )


def test_a_pipe_is_refused_before_anything_waits_for_it(ferry: Path) -> None:
    os.mkfifo(ferry)
    assert refusal_of(ferry) == ("ferry.yaml: is no file; a device or a pipe may never end")


def test_a_section_of_too_many_entries_is_refused_before_they_are_compiled(ferry: Path) -> None:
    many = ", ".join(f"f{i}" for i in range(10_001))
    ferry.write_text(GOOD.replace("[docked]\n", f"[docked, {many}]\n", 1))
    assert refusal_of(ferry) == ("ferry.yaml:2: 'facts' has too many items; at most 10,000")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([f"fact_{i}: 1" for i in range(300)], id="of shape"),
        pytest.param(
            [f"tool_{i}: {{requires: [fact_{i}]}}" for i in range(300)], id="of reference"
        ),
        pytest.param([f"Meter {i}: {{initial: 7}}" for i in range(300)], id="of variables"),
        pytest.param([f"c{i}: {{expression: no_{i}}}" for i in range(300)], id="of expressions"),
    ],
)
def test_who_makes_hundreds_of_mistakes_is_told_the_first(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "ferry.yaml"
    key = {"f": "", "t": "tools:\n", "M": "variables:\n", "c": "variables:\n"}[lines[0][0]]
    indented = "".join(f"{'  ' if key else ''}{line}\n" for line in lines)
    text = GOOD.replace("tools: {sail: {grants: [docked]}}\n", "") if key == "tools:\n" else GOOD
    path.write_text(f"{text}{key}{indented}")
    found = refusal_of(path).splitlines()
    assert found[-1] == "and more; mend these first"
    assert sum(line.startswith(str(path)) for line in found) == MAX_PROBLEMS


# ------------------------------------------------------------------------------ nothing stays


def test_after_a_refusal_the_mended_file_is_the_world(tmp_path: Path) -> None:
    path, other = tmp_path / "ferry.yaml", tmp_path / "other.yaml"
    other.write_text(GOOD)
    for case in CASES:
        path.write_bytes((BAD_WORLDS / f"{case}.yaml").read_bytes())
        refusal_of(path)
    path.write_text(GOOD)
    world = load_world(path)
    assert world.file == str(path)
    assert (world.brief, world.hashes) == (load_world(other).brief, load_world(other).hashes)


def test_the_bench_keeps_no_world_that_was_refused_nor_one_that_is_no_longer_there(
    tmp_path: Path,
) -> None:
    path, bad = tmp_path / "ferry.yaml", GOOD.replace("goal: docked", "goal: dock")
    for _ in range(2):
        path.write_text(bad)
        with pytest.raises(AuthorError, match="unknown fact 'dock'"):
            world_of(str(path))
        path.write_text(GOOD)
        assert world_of(str(path)).brief.facts == ("docked",)
        assert world_of(str(path)) is world_of(str(path))


def test_one_bad_file_among_all_worlds_is_named_and_the_next_load_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aground", "broken", "crossing"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.replace("ferry", name))
    broken = tmp_path / "broken.yaml"
    broken.write_text(GOOD.replace("grants", "grant"))
    monkeypatch.setattr(resolver, "worlds_folder", lambda: tmp_path)
    plan = tmp_path / "plans" / "plan.yaml"
    plan.parent.mkdir()
    plan.write_text("name: mine\nworlds: all\ndesigns: [plain]\n")
    with pytest.raises(AuthorError) as caught:
        load_plan(str(plan))
    message = "tool 'sail' has no key 'grant'; did you mean 'grants'?"
    assert str(caught.value) == f"{broken}:3: {message}"
    broken.write_text(GOOD)
    assert {case.world for case in load_plan(str(plan))} == {"aground", "broken", "crossing"}
