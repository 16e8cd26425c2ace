from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from bench.matrix import Case, Player
from bench.runner import run_cases
from bench.store import RunStore, load_run, writer
from bench.store.columns import TABLES
from bench.store.writer import spans
from creatura.errors import AuthorError
from creatura.world import parse_world
from tests.unit.bench.sample_runs import (
    CAUGHT,
    FOOLED,
    GAVE_UP,
    HONEST,
    SAIL_LIES,
    SCENARIOS,
    Sample,
    batch,
    in_another_world,
    line,
    stored,
)

PAIR = Sample(
    (line(1, "handed-off", "hand off", "no route"), line(1, "lie", "load", "lie", agent=1)),
    goal_reached=False,
    done=(False, False),
    handed_off=("no route", "stuck"),
    lies=((1, 1, 0, True),),
    hidden=((1, 1, 0, 4),),
)


def trace_of(folder: Path, case: str) -> list[tuple[object, ...]]:
    frame = load_run(folder).traces([case]).drop(columns=["case", "seq"])
    names = ["agent", "tick", "kind", "level", "stress", "freedom", "action", "detail"]
    return list(frame[names].itertuples(index=False, name=None))


def test_every_row_comes_back_as_it_was_told(tmp_path: Path) -> None:
    told = batch(HONEST, CAUGHT, GAVE_UP)
    folder = stored(tmp_path, told)
    for case, sample in zip(told.cases, (HONEST, CAUGHT, GAVE_UP), strict=True):
        assert trace_of(folder, case.id) == list(sample.lines)


def test_rows_of_a_run_are_numbered_in_the_order_they_were_told(tmp_path: Path) -> None:
    told = batch(CAUGHT, HONEST)
    traces = load_run(stored(tmp_path, told)).traces()
    for case, sample in zip(told.cases, (CAUGHT, HONEST), strict=True):
        mine = traces[traces["case"] == case.id]
        assert mine["seq"].tolist() == list(range(len(sample.lines)))


def test_a_run_says_what_it_came_to(tmp_path: Path) -> None:
    (run,) = load_run(stored(tmp_path, batch(CAUGHT, faults=SAIL_LIES))).runs.to_dict("records")
    expected = {
        "group": "plan:quick", "world": "ferry", "world_hash": "cc", "design": "plain",
        "trouble": "sail lies once", "seat": "bfs", "seed": 0, "agents": 1, "max_ticks": 40,
        "goal_reached": True, "ticks": 5, "declared_done": True, "false_completion": False,
        "acts": 3, "landed": 2, "lies_told": 1, "lies_caught": 1, "lies_believed": 0, "waited": 2,
        "quarantines": 1, "claims": 5, "judgements": 5, "flags": 1,
    }  # fmt: skip
    assert {name: run[name] for name in expected} == expected
    assert pd.isna(run["handed_off"])


def test_a_believed_lie_and_a_false_completion_are_stored_as_such(tmp_path: Path) -> None:
    run = load_run(stored(tmp_path, batch(FOOLED)))
    assert run.runs["false_completion"].tolist() == [True]
    assert run.runs["lies_believed"].tolist() == [1]
    assert run.lies()[["tick", "tool", "caught"]].to_numpy().tolist() == [[2, "sail", False]]


def test_counts_and_reasons_of_several_agents_are_joined(tmp_path: Path) -> None:
    run = load_run(stored(tmp_path, batch(PAIR, designs=["plain", "hybrid"])))
    (row,) = run.runs.to_dict("records")
    assert (row["design"], row["agents"], row["lies_told"]) == ("plain + hybrid", 2, 1)
    assert row["handed_off"] == "no route; stuck"
    hidden = run.quarantines()[["agent", "tick", "tool", "until"]]
    assert hidden.to_numpy().tolist() == [[1, 1, "load", 4]]


def test_without_a_critic_its_counts_are_null_and_not_zero(tmp_path: Path) -> None:
    runs = load_run(stored(tmp_path, batch(HONEST, critic=False))).runs
    assert runs[["claims", "judgements", "flags"]].isna().all(axis=None)


def test_a_case_is_stored_once_for_each_group_and_its_trace_once(tmp_path: Path) -> None:
    told, again = batch(CAUGHT), batch(CAUGHT, group="features/ferry.feature:4 The ramp lies")
    run = load_run(stored(tmp_path, told, told, again))
    assert run.runs["group"].tolist() == [told.group, again.group]
    assert len(run.traces()) == len(CAUGHT.lines)
    assert (len(run.lies()), len(run.quarantines())) == (1, 1)


def test_a_case_that_stands_twice_in_one_batch_is_stored_once(tmp_path: Path) -> None:
    one = batch(CAUGHT, CAUGHT)
    first = (one.cases[0],) * 2
    run = load_run(stored(tmp_path, replace(one, cases=first, run_hashes=one.run_hashes[:1] * 2)))
    assert len(run.runs) == 1
    assert trace_of(run.folder, first[0].id) == list(CAUGHT.lines)


def test_only_the_new_cases_of_a_batch_are_added(tmp_path: Path) -> None:
    run = load_run(stored(tmp_path, batch(HONEST), batch(HONEST, CAUGHT)))
    assert run.runs["seed"].tolist() == [0, 1]
    assert len(run.traces()) == len(HONEST.lines) + len(CAUGHT.lines)


def test_how_cases_are_cut_into_batches_does_not_show(tmp_path: Path) -> None:
    whole = load_run(stored(tmp_path, batch(HONEST, CAUGHT, FOOLED), name="whole"))
    parts = [batch(HONEST), batch(CAUGHT, first_seed=1), batch(FOOLED, first_seed=2)]
    cut = load_run(stored(tmp_path, *parts, name="cut"))
    for mine, theirs in (
        (whole.runs, cut.runs),
        (whole.traces(), cut.traces()),
        (whole.lies(), cut.lies()),
        (whole.quarantines(), cut.quarantines()),
    ):
        pd.testing.assert_frame_equal(mine.astype(object), theirs.astype(object))


def test_rows_that_are_written_piece_by_piece_read_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [batch(HONEST), batch(CAUGHT, first_seed=1), batch(FOOLED, first_seed=2)]
    whole = load_run(stored(tmp_path, *parts, name="whole"))
    monkeypatch.setattr(writer, "ROWS_PER_GROUP", 3)
    pieces = load_run(stored(tmp_path, *parts, name="pieces"))
    assert pq.ParquetFile(pieces.folder / "traces.parquet").num_row_groups == 3
    pd.testing.assert_frame_equal(whole.traces(), pieces.traces())
    pd.testing.assert_frame_equal(whole.runs, pieces.runs)


def test_a_world_that_changes_in_mid_run_is_refused(tmp_path: Path) -> None:
    told = batch(HONEST)
    with RunStore.create(tmp_path, "sample", {}) as store:
        store.add(told)
        with pytest.raises(AuthorError) as error:
            store.add(replace(told, group="other", run_hashes=("changed",)))
    assert str(error.value) == (
        "worlds/ferry.yaml: it changed while the run went on, so one case would have two results; "
        "start the run again"
    )


def test_every_column_carries_its_unit_and_meaning(tmp_path: Path) -> None:
    folder = stored(tmp_path, batch(CAUGHT))
    for name, columns in TABLES.items():
        schema = pq.read_schema(folder / f"{name}.parquet")
        assert schema.names == [column.name for column in columns]
        for column in columns:
            noted = schema.field(column.name).metadata
            assert noted[b"meaning"].decode() == column.meaning != ""
            assert noted[b"unit"].decode() == column.unit


def test_words_are_kept_as_codes_beside_the_strings_that_occur(tmp_path: Path) -> None:
    traces = load_run(stored(tmp_path, batch(HONEST))).traces()
    assert set(traces["kind"].cat.categories) == {"landed", "done"}
    assert traces["stress"].dtype == np.float64


def test_the_manifest_says_how_the_run_was_made(tmp_path: Path) -> None:
    told = batch(HONEST, CAUGHT, first_seed=3)
    folder = stored(tmp_path, told, in_another_world(told, "dd"), scenarios=SCENARIOS)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert (manifest["run"], manifest["command"]) == ("sample", "creatura bench run quick")
    assert {"creatura-bench", "python", "platform", "torch", "numpy", "numba"} <= set(
        manifest["versions"]
    )
    assert manifest["seeds"] == [[3, 4]]
    assert [world["hashes"]["vfs"] for world in manifest["worlds"]] == ["cc", "dd"]
    assert manifest["started"] <= manifest["ended"]
    assert manifest["counts"] == {
        "cases": 4, "runs": 4, "traces": 24, "lies": 2, "quarantines": 2, "scenarios": 2
    }  # fmt: skip
    assert load_run(folder).scenarios == SCENARIOS


def test_every_world_is_kept_with_what_it_came_to(tmp_path: Path) -> None:
    texts = {
        "ferry": "name: ferry\nfacts: [up]\ntools: {lift: {grants: [up]}}\ntask: {goal: up}\n",
        "pond": "name: pond\nfacts: [dug]\ntools: {dig: {grants: [dug]}}\ntask: {goal: dug}\n",
    }
    again = texts["ferry"] + "faults: [{tool: lift, mode: lie}]\n"
    told = []
    for i, text in enumerate([texts["ferry"], texts["pond"], again, texts["ferry"]]):
        (tmp_path / f"{i}.yaml").write_text(text, encoding="utf-8")
        cases = [Case(str(tmp_path / f"{i}.yaml"), (Player("plain"),))]
        told += run_cases(cases, group=f"plan:{i}", backend="interpreter")
    folder = stored(tmp_path, *told)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    kept = [(world["config"], world["compiled"]) for world in manifest["worlds"]]
    assert kept == [
        (f"config/worlds/{name}.yaml", f"compiled/{name}.json")
        for name in ("ferry", "pond", "ferry-2")
    ]
    for (config, compiled), text in zip(kept, (*texts.values(), again), strict=True):
        assert (folder / config).read_text("utf-8") == text
        world, plain = parse_world(text), json.loads((folder / compiled).read_text("utf-8"))
        assert plain["world"] == world.brief.world
        assert plain["hashes"] == world.hashes
        assert {name: plain[name] for name in world.specs} == world.specs


def test_a_made_name_is_the_time_and_a_short_hash(tmp_path: Path) -> None:
    folders = [RunStore.create(tmp_path, None, {}).folder for _ in range(2)]
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", folder.name) for folder in folders)
    assert folders[0] != folders[1]


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    folder = stored(tmp_path, batch(HONEST))
    before = sorted(folder.iterdir())
    with pytest.raises(AuthorError) as error:
        RunStore.create(tmp_path, "sample", {})
    assert str(error.value) == (
        f"{folder}: a run of this name is stored already; choose another name or remove it"
    )
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "two words"])
def test_a_name_that_is_no_folders_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(AuthorError) as error:
        RunStore.create(tmp_path / "reports", name, {})
    assert str(error.value) == (
        f"run name: expected letters, digits, `.`, `_` and `-`, found '{name}'"
    )
    assert not (tmp_path / "reports").exists()


def test_a_finished_run_leaves_nothing_half_written(tmp_path: Path) -> None:
    folder = stored(tmp_path, batch(HONEST))
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json", "scenarios.json", "runs.parquet", "traces.parquet", "lies.parquet",
        "quarantines.parquet",
    }  # fmt: skip


def test_a_run_without_cases_is_a_run(tmp_path: Path) -> None:
    run = load_run(stored(tmp_path, scenarios=SCENARIOS))
    assert (len(run.runs), len(run.traces()), len(run.scenarios)) == (0, 0, 2)


def test_a_run_that_was_cut_short_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROWS_PER_GROUP", 1)
    with RunStore.create(tmp_path, "cut", {}) as store:
        store.add(batch(HONEST))
        assert (store.folder / "traces.parquet.partial").exists()
    assert [path.name for path in store.folder.iterdir()] == ["manifest.json"]
    with pytest.raises(AuthorError) as error:
        load_run(store.folder)
    assert str(error.value) == (
        f"{store.folder}: lacks runs.parquet, traces.parquet, lies.parquet, quarantines.parquet, "
        "scenarios.json: the run did not finish; run it again"
    )


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    for folder, why in (
        (tmp_path / "nowhere", "there is no such folder"),
        (tmp_path, "holds no run: it has no manifest.json"),
    ):
        with pytest.raises(AuthorError) as error:
            load_run(folder)
        assert str(error.value) == f"{folder}: {why}"


def test_a_file_that_was_lost_or_damaged_is_named(tmp_path: Path) -> None:
    folder = stored(tmp_path, batch(HONEST))
    (folder / "runs.parquet").write_bytes(b"not parquet at all")
    with pytest.raises(AuthorError, match=r"runs\.parquet: cannot be read as parquet: "):
        load_run(folder)
    (folder / "runs.parquet").unlink()
    with pytest.raises(AuthorError) as error:
        load_run(folder)
    assert str(error.value) == f"{folder}: lacks runs.parquet: put it back or run again"


def test_a_manifest_that_is_no_json_is_named(tmp_path: Path) -> None:
    folder = stored(tmp_path, batch(HONEST))
    (folder / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(AuthorError, match=r"manifest\.json: is not well-formed JSON: "):
        load_run(folder)


def test_spans_hold_exactly_the_numbers_they_were_made_of() -> None:
    numbers = {5, -2, -1, 9, 6, 7}
    held = {n for low, high in spans(numbers) for n in range(low, high + 1)}
    assert held == numbers
    assert spans([]) == []
