"""Plans: which cases a file stands for, and what is wrong with one, all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.matrix import Case
from bench.plan import load_plan
from creatura import resolver
from creatura.errors import AuthorError

WORLD = """\
name: pond
facts: [full]
tools: {fill: {grants: [full]}, pump: {grants: [full]}}
task: {goal: full}
"""
CHANCY = WORLD + "faults: [{tool: fill, mode: lie, probability: 0.5}]\n"


def cases(folder: Path, **keys: object) -> list[Case]:
    """Lists the cases of a plan of one design, but for what is said otherwise."""
    lines = {"name": "mine", "designs": ["plain"], **keys}
    path = folder / "plan.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return load_plan(str(path))


def pond(folder: Path, text: str) -> str:
    path = folder / "pond.yaml"
    path.write_text(text)
    return str(path)


def test_seeds_multiply_only_what_is_left_to_chance(tmp_path: Path) -> None:
    world = pond(tmp_path, WORLD)
    troubles = ["none", "one tool lies once", "every tool lies now and then"]
    found = cases(tmp_path, worlds=[world], seeds=3, troubles=troubles)
    assert [case.seed for case in found] == [0, 0, 0, 0, 1, 2]


def test_a_world_that_is_itself_chancy_is_played_with_every_seed(tmp_path: Path) -> None:
    found = cases(tmp_path, worlds=[pond(tmp_path, CHANCY)], seeds=3)
    assert [case.seed for case in found] == [0, 1, 2]


def test_all_stands_for_everything_there_is(tmp_path: Path) -> None:
    found = cases(tmp_path, worlds="all", designs="all")
    assert len(found) == len(resolver.worlds()) * len(resolver.designs())


def test_cases_in_a_row_know_those_before_them(tmp_path: Path) -> None:
    world = pond(tmp_path, WORLD)
    found = cases(tmp_path, worlds=[world], designs=["plain", "hybrid"], cases=3)
    assert [len(case.earlier) for case in found] == [0, 1, 2] * 2
    assert [case.episode for case in found] == [0, 1, 2] * 2
    assert len({case.id for case in found}) == 6


def test_a_world_that_is_spelt_twice_is_played_once(tmp_path: Path) -> None:
    (case,) = cases(tmp_path, worlds=["restore-service", "worlds/restore_service.yaml"])
    assert case.world == "restore_service"


def test_a_plan_gets_all_its_mistakes_at_once(tmp_path: Path) -> None:
    with pytest.raises(AuthorError) as error:
        cases(tmp_path, worlds=["restore-servce"], designs=["plane"], troubles=["non"])
    assert [str(problem).partition(": ")[2] for problem in error.value.problems] == [
        "unknown kind of trouble 'non'; did you mean 'none'?",
        "unknown world 'restore-servce'; did you mean 'restore_service'?",
        "unknown design 'plane'; did you mean 'plain'?",
    ]


@pytest.mark.parametrize("key", ["max_ticks", "seeds"])
@pytest.mark.parametrize("count", [0, 2**31, 99_999_999_999])
def test_a_count_out_of_range_is_refused(tmp_path: Path, key: str, count: int) -> None:
    with pytest.raises(AuthorError, match=rf"plan.yaml:\d: '{key}' should be .*, found {count}"):
        cases(tmp_path, worlds=["restore-service"], **{key: count})
