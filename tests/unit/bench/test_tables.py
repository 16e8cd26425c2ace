from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import tables
from bench.store import load_run
from tests.unit.bench.sample_runs import (
    HONEST,
    batch,
    ferry_batches,
    in_another_world,
    stored,
)


@pytest.fixture
def runs(tmp_path: Path) -> pd.DataFrame:
    return tables.distinct(load_run(stored(tmp_path, *ferry_batches())).runs)


def frame(*rows: dict[str, object]) -> pd.DataFrame:
    blank: dict[str, object] = {
        "world": "ferry", "world_hash": "cc", "trouble": "none", "seat": "bfs", "design": "plain",
        "seed": 0, "episode": 0, "number": 1,
        "goal_reached": True, "ticks": 1, "handed_off": None, "false_completion": False,
        "lies_told": 0, "lies_caught": 0, "lies_believed": 0,
    }  # fmt: skip
    return pd.DataFrame([{**blank, "case": str(i), **row} for i, row in enumerate(rows)])


def test_each_cell_is_told_as_k_of_n_and_a_median_with_both_ends(runs: pd.DataFrame) -> None:
    shown = tables.designs_by_worlds(runs)
    assert shown.columns.tolist() == [
        "world", "trouble", "seat", "design", "goal reached", "ticks", "lies caught",
        "lies believed", "hand-offs", "false completions",
    ]  # fmt: skip
    assert [row[1:] for row in shown.itertuples(index=False, name=None)] == [
        ("no added faults", "bfs", "plain", "2/2", "2 [2-2]", "0/0", "0", "0/2", "0/2"),
        ("sail lies once", "bfs", "plain", "0/1", "1 [1-1]", "0/0", "0", "1/1", "0/1"),
        ("sail lies once", "bfs", "hybrid", "2/2", "5 [5-5]", "2/2", "0", "0/2", "0/2"),
        ("sail lies once", "bfs", "careless", "0/1", "2 [2-2]", "0/1", "1", "0/1", "1/1"),
    ]


def test_ticks_are_those_of_all_runs_also_of_those_that_missed_the_goal() -> None:
    rows = [{"ticks": 4}, {"ticks": 40, "goal_reached": False}, {"ticks": 7}, {"ticks": 6}]
    assert tables.designs_by_worlds(frame(*rows))["ticks"].tolist() == ["6.5 [4-40]"]


def test_a_case_that_two_groups_asked_for_counts_once(tmp_path: Path) -> None:
    twice = [batch(HONEST), batch(HONEST, group="features/ferry.feature:4 The ramp lies")]
    stored_runs = load_run(stored(tmp_path, *twice)).runs
    assert len(stored_runs) == 2
    assert tables.outcomes(tables.distinct(stored_runs))["runs"].tolist() == [1]


def test_two_worlds_of_one_name_are_told_apart(tmp_path: Path) -> None:
    told = batch(HONEST)
    folder = stored(tmp_path, told, in_another_world(told, "0123456789"))
    shown = tables.designs_by_worlds(tables.distinct(load_run(folder).runs))
    assert shown["world"].tolist() == ["ferry (cc)", "ferry (012345)"]


def test_cells_of_a_world_stand_together_in_the_order_they_were_first_run() -> None:
    rows = [
        {"world": "port", "design": "plain"},
        {"world": "ferry", "design": "plain"},
        {"world": "port", "design": "hybrid"},
        {"world": "port", "design": "plain", "trouble": "sail lies once"},
    ]
    cells = tables.outcomes(frame(*rows))
    assert cells[["world", "trouble", "design"]].to_numpy().tolist() == [
        ["port", "none", "plain"],
        ["port", "none", "hybrid"],
        ["port", "sail lies once", "plain"],
        ["ferry", "none", "plain"],
    ]


def test_where_a_plan_was_run_only_its_cases_are_compared(tmp_path: Path) -> None:
    scenario = "features/ferry.feature:4 The ramp lies"
    asked_for = [
        batch(HONEST, HONEST, HONEST, group=scenario),
        batch(HONEST, group="plan:quick"),
        batch(HONEST, group="plan:quick", first_seed=8),
    ]
    run = load_run(stored(tmp_path, *asked_for))
    assert tables.distinct(tables.planned(run.runs))["seed"].tolist() == [0, 8]
    without = run.runs[run.runs["group"] == scenario]
    assert tables.planned(without)["seed"].tolist() == [0, 1, 2]


def test_designs_are_shown_in_the_setting_with_a_lie_that_most_of_them_met() -> None:
    lie = {"lies_told": 1}
    rows = [
        {"design": "plain", "trouble": "load lies once", **lie},
        {"design": "plain", "trouble": "sail lies once", **lie},
        {"design": "hybrid", "trouble": "none"},
        {"design": "hybrid", "trouble": "sail lies once", "seed": 1, **lie},
        {"design": "hybrid", "trouble": "sail lies once", **lie},
        {"design": "careless", "trouble": "load lies once", "seed": 1, **lie},
    ]
    chosen = tables.shown_runs(frame(*rows))
    assert dict(zip(chosen["design"], chosen["case"], strict=True)) == {
        "plain": "1",
        "hybrid": "4",
        "careless": "5",
    }


def test_a_design_without_a_lie_shows_its_first_run() -> None:
    rows = [{"ticks": 9}, {"ticks": 3}, {"design": "hybrid"}, {"design": "hybrid", "lies_told": 2}]
    chosen = tables.shown_runs(frame(*rows))
    assert chosen["case"].tolist() == ["0", "3"]


def test_every_world_and_design_has_one_shown_run() -> None:
    rows = [{"world": w, "design": d} for w in "ab" for d in "xyz" for _ in range(2)]
    chosen = tables.shown_runs(frame(*rows))
    assert list(zip(chosen["world"], chosen["design"], strict=True)) == [
        (w, d) for w in "ab" for d in "xyz"
    ]


@pytest.mark.parametrize(
    ("design", "is_control"),
    [
        ("careless", True),
        ("careless + careless", True),
        ("careless(stage=1)", True),
        ("careless + hybrid", False),
        ("careless2", False),
    ],
)
def test_the_control_arm_is_a_cast_of_careless_alone(design: str, is_control: bool) -> None:
    assert tables.is_control(design) is is_control


_ROW = st.fixed_dictionaries(
    {
        "case": st.text("abcdef", min_size=1, max_size=2),
        "world": st.sampled_from(["ferry", "port"]),
        "trouble": st.sampled_from(["none", "sail lies once"]),
        "design": st.sampled_from(["plain", "hybrid"]),
        "goal_reached": st.booleans(),
        "handed_off": st.sampled_from([None, "no route"]),
    }
)


@settings(max_examples=60)
@given(rows=st.lists(_ROW, min_size=1, max_size=30))
def test_no_case_is_dropped_or_counted_twice(rows: list[dict[str, object]]) -> None:
    runs = tables.distinct(frame(*rows))
    for by in (tables.CELL, tables.POOLED, ("world", "design")):
        cells = tables.outcomes(runs, by)
        assert cells["runs"].sum() == len({row["case"] for row in rows})
        assert cells["reached"].sum() == runs["goal_reached"].sum()
        assert cells["handed_off"].sum() == runs["handed_off"].notna().sum()
        assert not cells[list(by)].duplicated().any()
