"""Forks: new runs from a frozen one, which remember it, and what they may take instead."""

from pathlib import Path

import pytest

from bench.bundle import Fork, freeze_again, freeze_run, resume_run
from bench.bundle.record import read_bundle
from bench.matrix import Case, Player
from bench.runner import cast_of
from creatura import loop, resolver
from creatura.world import Fault, Mode
from tests.unit.bench.bundles import (
    POND,
    edited,
    frozen,
    parts,
    played,
    pond,
    refusal,
    rewrite,
    rows,
)

SAME = "; the values go on only where variables, facts and tools are the same"


def other(folder: Path, *edits: tuple[str, str]) -> Fork:
    text = POND
    for old, new in edits:
        text = edited(old, new, text)
    return Fork(str(pond(folder, text, "other")))


def test_a_fork_that_changes_nothing_has_the_same_rows_and_is_another_run(tmp_path: Path):
    file = frozen(tmp_path)
    run, fork = resume_run(file, "test"), resume_run(file, "test", Fork())
    assert rows(fork.batch) == rows(run.batch)
    assert fork.batch.results.findings == run.batch.results.findings
    assert fork.batch.hashes == run.batch.hashes
    assert fork.batch.run_hashes != run.batch.run_hashes
    (parent,) = fork.ancestors
    bundle = read_bundle(file)
    assert (parent.bundle, parent.run, parent.tick) == (bundle.digest, bundle.hashes["run"], 2)
    assert parent.run == run.batch.run_hashes[0]
    assert parent.moved == ()


WORLDS = {
    "rules": (("expression: 0.125", "expression: 0.25"), "transition_graph vfs run"),
    "a tool's needs": (
        ("fill: {requires: [dug]", "fill: {requires: [wet]"),
        "action_schema vfs run",
    ),
    "initial values": (("initial: 0.0", "initial: 0.25"), "initial_state vfs run"),
    "faults": (("mode: lie", "mode: fail"), "faults run"),
    "nothing": (("name: pond", "name: puddle"), ""),
}


@pytest.mark.parametrize("what", WORLDS)
def test_a_fork_into_another_world_names_what_it_moved(tmp_path: Path, what: str):
    edit, names = WORLDS[what]
    file = frozen(tmp_path)
    fork = resume_run(file, "test", other(tmp_path, edit))
    assert " ".join(fork.ancestors[0].moved) == names
    assert fork.batch.cases[0].world == str(tmp_path / "other.yaml")
    assert rows(fork.batch)[0] == rows(resume_run(file, "test").batch)[0]


def test_a_fork_follows_its_new_rules_from_the_frozen_values(tmp_path: Path):
    # It rains 0.125 a tick for two ticks, then 0.25: the pond is wet at tick 3, not 4.
    case = Case(str(pond(tmp_path)), (Player("plain", "script:dig,-,-,-,-,-"),), max_ticks=6)
    file = tmp_path / "run.frozen"
    freeze_run(case, 2, file, "interpreter", "test")
    faster = other(
        tmp_path,
        ("expression: 0.125", "expression: 0.25"),
        ("initial: 0.0", "initial: 1.0"),
    )
    for fork, wet_at in ((Fork(), 4), (faster, 3)):
        for tick in (3, 4):
            later = tmp_path / "later"
            freeze_again(file, tick, later, "test", fork)
            wet = held(later, "level") >= 0.5
            assert wet == (tick >= wet_at), (tick, wet_at)


def held(file: Path, variable: str) -> float:
    """Reads a value from the state of a bundle."""
    bundle = read_bundle(file)
    world = bundle.snapshot.build_world(file)
    critic = (resolver.observer("critic"),)
    batch = loop.thaw(bundle.state, world, cast_of(bundle.snapshot.case), critic)
    return float(batch.stage._stage._registry.get(variable, "engine")[0])


def test_a_tool_does_in_a_fork_what_it_does_there(tmp_path: Path):
    # In the other world `fill` needs nothing and digs as well, and the seat is shown so.
    case = Case(str(pond(tmp_path)), (Player("plain", "script:-,fill,fill,-"),), max_ticks=4)
    file = tmp_path / "run.frozen"
    freeze_run(case, 1, file, "interpreter", "test")
    kinder = other(
        tmp_path,
        ("fill: {requires: [dug], grants: [filled]}", "fill: {grants: [dug, filled]}"),
        ("mode: lie", "mode: deliver"),
    )
    told = [row.kind for row in rows(resume_run(file, "test").batch)]
    assert told[:3] == ["passed", "refused", "refused"]
    fork = resume_run(file, "test", kinder).batch
    assert [row.kind for row in rows(fork)][:3] == ["passed", "landed", "vacuous"]
    assert fork.results.findings[0].flags == 0


def test_faults_that_stand_where_they_stood_keep_the_calls_they_have_left(tmp_path: Path):
    # `fill` lies once by the world's own fault and once by the run's; one is used up at tick 2.
    lie = Fault("fill", Mode.LIE, times=1)
    player = Player("careless", "script:dig,fill,fill,fill,-")
    case = Case(str(pond(tmp_path)), (player,), (lie,), max_ticks=5)
    file = tmp_path / "run.frozen"
    freeze_run(case, 2, file, "interpreter", "test")
    lies = list(resume_run(file, "test").batch.results.lies.of(0))
    assert [tick for _, tick, _, _ in lies] == [2, 3]
    same = resume_run(file, "test", other(tmp_path, ("name: pond", "name: puddle"))).batch
    assert list(same.results.lies.of(0)) == lies
    honest = other(tmp_path, ("\nfaults: [{tool: fill, mode: lie, once: true}]", ""))
    assert [t for _, t, _, _ in resume_run(file, "test", honest).batch.results.lies.of(0)] == [2]


def test_what_is_on_its_way_arrives_in_the_fork(tmp_path: Path):
    late = Fault("dig", Mode.LATE, times=1, delay=3)
    case = Case(str(pond(tmp_path)), (Player("hybrid"),), (late,), max_ticks=20)
    file = tmp_path / "run.frozen"
    freeze_run(case, 1, file, "interpreter", "test")
    fork = resume_run(file, "test", Fork()).batch
    assert rows(fork) == rows(played(case))
    assert any(row.kind == "arrived" and row.tick == 4 for row in rows(fork))


@pytest.mark.parametrize(
    ("edits", "differences"),
    [
        (
            [("variables: {", "variables: {mood: {type: scalar, initial: 0.5}, ")],
            ["variable 'mood' is new"],
        ),
        ([("range: [0, 1]", "range: [0, 2]")], ["variable 'level' has another range"]),
        (
            [("level >= 0.5", "level >= 0.25")],
            ["variable 'wet' has another expression"],
        ),
        (
            [("  fill: {", "  pump: {requires: [dug], grants: [filled]}\n  fill: {")],
            ["tool 'pump' is new"],
        ),
        (
            [("  stock: {", "  feed: {")],
            ["tool 'stock' is gone", "tool 'feed' is new"],
        ),
        (
            [
                ("  dig: {grants: [dug]}\n", ""),
                ("release: true}\n", "release: true}\n  dig: {grants: [dug]}\n"),
            ],
            ["the tools stand in another order"],
        ),
        (
            [("filled, stocked]}\nfaults", "stocked]}\nfaults")],
            ["variable 'task.goal' has another expression"],
        ),
        (
            [("filled, stocked]\nvar", "filled, stocked, sold]\nvar")],
            ["fact 'sold' is new", "variable 'sold' is new"],
        ),
        ([("dig: {", "dig: {cost: 2, ")], ["variable 'call.spent' is new"]),
    ],
)
def test_a_world_in_which_the_values_mean_something_else_is_refused(
    tmp_path: Path, edits, differences
):
    file = frozen(tmp_path)
    told = refusal(file, other(tmp_path, *edits))
    assert told.splitlines() == [f"{tmp_path / 'other.yaml'}: {d}{SAME}" for d in differences]


# ------------------------------------------------------------------ designs


def test_a_fork_with_another_design_goes_on_with_what_the_membrane_knows(tmp_path: Path):
    file = frozen(tmp_path, "plain", tick=3)
    fork = resume_run(file, "test", Fork(designs=("hybrid with memory",)))
    assert fork.batch.cases[0].cast == (Player("hybrid with memory", "bfs"),)
    assert fork.ancestors[0].moved == ("cast", "run")
    run = rows(resume_run(file, "test").batch)
    past = [row for row in run if row.tick <= 3]
    assert rows(fork.batch)[: len(past)] == past
    assert {row.level for row in run} == {"agent"}
    assert "agent" not in {row.level for row in rows(fork.batch)[len(past) :]}
    # `fill` lied at tick 2 and is hidden for both.
    hidden = [list(r.batch.results.quarantines.of(0)) for r in (fork, resume_run(file, "test"))]
    assert hidden[0][0] == hidden[1][0]


def test_a_fork_with_an_equal_design_keeps_its_memory(tmp_path: Path):
    mine = parts(tmp_path / "mine")
    file = frozen(tmp_path, mine)
    fork = resume_run(file, "test", Fork(designs=(mine,)))
    assert fork.ancestors[0].moved == ()
    assert rows(fork.batch) == rows(resume_run(file, "test").batch)


def test_a_fork_with_a_changed_design_begins_its_memory_anew(tmp_path: Path):
    mine = parts(tmp_path / "mine")
    file = frozen(tmp_path, mine)
    source = tmp_path / "mine" / "my.py"
    source.write_text(source.read_text("utf-8") + "# a remark\n", encoding="utf-8")
    fork = resume_run(file, "test", Fork(designs=(mine,)))
    assert fork.ancestors[0].moved == ("cast", "run")
    run = resume_run(file, "test")
    assert (int(run.batch.results.ticks[0]), int(fork.batch.results.ticks[0])) == (6, 8)


def test_designs_are_given_one_an_agent(tmp_path: Path):
    file = frozen(tmp_path)
    assert refusal(file, Fork(designs=("plain", "plain"))) == (
        "test: this run has 1 agent, found 2 designs; give one for each"
    )
    assert refusal(file, Fork(designs=("plian",))) == (
        "test: unknown design 'plian'; did you mean 'plain'?"
    )


def test_of_two_agents_the_one_whose_design_stays_goes_on(tmp_path: Path):
    mine = parts(tmp_path / "mine")
    case = Case("restore-service", (Player(mine), Player("plain")))
    file = tmp_path / "run.frozen"
    freeze_run(case, 2, file, "interpreter", "test")
    fork = resume_run(file, "test", Fork(designs=(mine, "hybrid"))).batch
    assert fork.results.reason(0) == "five ticks are enough"
    assert max(row.tick for row in rows(fork) if row.agent == 0) == 6


# ------------------------------------------------------------------ forks of forks


def test_a_fork_is_kept_in_a_file_and_remembers_where_it_comes_from(tmp_path: Path):
    first, second, third = (tmp_path / name for name in ("run.frozen", "second", "third"))
    frozen(tmp_path, parts(tmp_path / "mine"))
    wetter = other(tmp_path, ("expression: 0.125", "expression: 0.25"))
    assert freeze_again(first, None, second, "test", wetter) == 2
    assert freeze_again(second, 3, third, "test", Fork(designs=("hybrid",))) == 3
    (tmp_path / "other.yaml").unlink()
    run = resume_run(third, "test")
    one, two = read_bundle(first), read_bundle(second)
    assert [(a.bundle, a.run, a.tick, a.moved) for a in run.ancestors] == [
        (two.digest, two.hashes["run"], 2, ("cast", "run")),
        (one.digest, one.hashes["run"], 2, ("transition_graph", "vfs", "run")),
    ]
    assert run.batch.run_hashes[0] == read_bundle(third).hashes["run"]
    assert not read_bundle(third).snapshot.parts
    assert read_bundle(second).snapshot.parts.keys() == {
        "config/parts/0/my.py",
        "config/parts/0/neighbour.py",
    }


def test_a_chain_that_was_tampered_with_is_another_run(tmp_path: Path):
    file, later = frozen(tmp_path), tmp_path / "later"
    freeze_again(file, None, later, "test", Fork())
    rewrite(later, parent=lambda told: told["runs"][0].update(tick=1))
    assert "run (all that the rows follow from) is not what it was" in refusal(later)


def test_a_fork_goes_on_whatever_has_moved(tmp_path: Path, monkeypatch):
    file = frozen(tmp_path)
    expected = rows(resume_run(file, "test").batch)
    monkeypatch.setattr("creatura.__version__", "99.0")
    fork = resume_run(file, "test", Fork())
    assert fork.ancestors[0].moved == ("version", "run")
    assert rows(fork.batch) == expected
