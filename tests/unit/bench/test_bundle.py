"""Bundles: they go on where they stood, from what they hold alone, and name what has moved."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

import creatura
from bench.bundle import Fork, changes_since, freeze_again, freeze_run, resume_run
from bench.matrix import Case, Player, sequence
from creatura.errors import AuthorError
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

CASE = Case(
    "restore-service",
    (Player("hybrid"), Player("orienting")),
    (
        Fault("apply-patch", Mode.LIE, times=1),
        Fault("run-tests", Mode.LATE, ticks=(4, 5), delay=3),
        Fault("diagnose", Mode.DAMAGE, probability=0.5, fact="logs_read"),
    ),
    seed=11,
    max_ticks=30,
)


@pytest.mark.parametrize("at", [0, 1, 3, 5, 99])
def test_a_frozen_run_goes_on_where_it_stood(tmp_path: Path, at: int):
    file = tmp_path / "run.frozen"
    whole = played(CASE)
    stands_at = freeze_run(CASE, at, file, "fused", "test")
    assert stands_at == min(at, int(whole.results.ticks[0]))
    resumed = resume_run(file, "test")
    assert rows(resumed.batch) == rows(whole)
    assert resumed.batch.run_hashes == whole.run_hashes
    assert resumed.batch.cases == (CASE,)
    assert resumed.batch.results.findings == whole.results.findings
    assert resumed.ancestors == ()


def test_a_case_of_a_sequence_goes_on_with_what_it_had_learned(tmp_path: Path):
    _, _, third = sequence(Case("restore-service", (Player("hybrid"),), CASE.faults[:1]), 3)
    freeze_run(third, 2, tmp_path / "third", "fused", "test")
    assert rows(resume_run(tmp_path / "third", "test").batch) == rows(played(third))


def test_a_run_is_frozen_again_at_a_later_tick(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    freeze_run(CASE, 2, first, "interpreter", "test")
    assert freeze_again(first, 4, second, "test") == 4
    assert rows(resume_run(second, "test").batch) == rows(played(CASE))
    with pytest.raises(AuthorError) as refused:
        freeze_again(second, 3, tmp_path / "third", "test")
    assert str(refused.value) == f"{second}: stands at tick 4 and cannot stop at tick 3"
    assert not (tmp_path / "third").exists()


def test_nothing_is_left_beside_the_file(tmp_path: Path):
    freeze_run(CASE, 2, tmp_path / "run.frozen", "fused", "test")
    assert [path.name for path in tmp_path.iterdir()] == ["run.frozen"]


def test_equal_runs_are_equal_bytes(tmp_path: Path):
    files = [tmp_path / "one", tmp_path / "other"]
    for file in files:
        freeze_run(CASE, 4, file, "interpreter", "test")
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_bundle_holds_its_sources_and_what_they_came_to(tmp_path: Path):
    file = frozen(tmp_path, parts(tmp_path / "mine"))
    with zipfile.ZipFile(file) as archive:
        assert archive.namelist() == [
            "bundle.json",
            "compiled/actions.json",
            "compiled/tokens.json",
            "compiled/transition.txt",
            "compiled/variables.json",
            "config/case.json",
            "config/parts/0/my.py",
            "config/parts/0/neighbour.py",
            "config/world.yaml",
            "hashes.json",
            "state",
        ]
        assert archive.read("config/world.yaml").decode() == POND
        variables = json.loads(archive.read("compiled/variables.json"))
        assert [v["initial"] for v in variables if v["id"] == "level"] == [0.0]
        actions = json.loads(archive.read("compiled/actions.json"))
        assert actions[1]["requires"] == ["dug"]
        assert b"[rain]" in archive.read("compiled/transition.txt")


# ------------------------------------------------------------------ the snapshot alone


@pytest.mark.parametrize("fate", ["deleted", "edited", "broken"])
def test_a_run_goes_on_whatever_became_of_its_world_and_its_cast(tmp_path: Path, fate: str):
    mine, world = tmp_path / "mine", tmp_path / "pond.yaml"
    design = parts(mine)
    (mine / "lines.txt").write_text("dig\n-\nfill\nfill\n-\n-\n", encoding="utf-8")
    seat = f"scripted:{mine / 'lines.txt'}"
    file = frozen(tmp_path, design, seat)
    whole = played(Case(str(world), (Player(design, seat),), max_ticks=20))
    assert whole.results.reason(0) == "five ticks are enough"
    if fate == "deleted":
        shutil.rmtree(mine)
        world.unlink()
    elif fate == "edited":
        world.write_text(edited("0.125", "0.25"), encoding="utf-8")
        (mine / "neighbour.py").write_text("class Count: pass\n", encoding="utf-8")
        (mine / "lines.txt").write_text("fill\n", encoding="utf-8")
    else:
        world.write_text("{", encoding="utf-8")
        (mine / "my.py").write_text("(", encoding="utf-8")
    resumed = resume_run(file, "test").batch
    assert rows(resumed) == rows(whole)
    assert resumed.run_hashes == whole.run_hashes
    note = f"has changed since; {file} goes on as it was"
    expected = [f"the world '{world}' {note}", f"a file of the cast {note}"]
    assert changes_since(file) == ([] if fate == "deleted" else expected)


def test_a_run_whose_files_are_as_they_were_tells_of_no_change(tmp_path: Path):
    assert changes_since(frozen(tmp_path, parts(tmp_path / "mine"))) == []


def test_extensions_and_seats_of_files_in_several_folders_go_along(tmp_path: Path):
    one, other = tmp_path / "one", tmp_path / "with two"
    for folder in (one, other):
        folder.mkdir()
    (one / "notes.py").write_text(
        "from creatura.protocols import Verbs\n\n"
        "class Seen(Verbs):\n    name = 'seen'\n\n"
        "    def begin(self, brief):\n        return ()\n\n"
        "    def record(self, context, event):\n"
        "        return (*context.memory, type(event).__name__)\n"
    )
    (other / "sitting.py").write_text(
        "from creatura.protocols import Answer\n\n"
        "class First:\n    name = 'first'\n\n"
        "    def decide(self, batch):\n"
        "        return [Answer(batch.brief.tools[batch.tick % 2].id) for _ in range(len(batch))]\n"
    )
    player = Player(f"hybrid with memory, {one / 'notes.py'}:Seen", f"{other / 'sitting.py'}")
    case = Case("restore-service", (player, Player("plain")))
    file = tmp_path / "run.frozen"
    freeze_run(case, 2, file, "interpreter", "test")
    whole = played(case)
    shutil.rmtree(one)
    shutil.rmtree(other)
    resumed = resume_run(file, "test").batch
    assert rows(resumed) == rows(whole)
    assert resumed.run_hashes == whole.run_hashes


def test_a_part_that_stops_the_run_is_named_in_its_bundle(tmp_path: Path):
    file = frozen(tmp_path, parts(tmp_path / "mine"))
    rewrite(file, part=lambda text: text.replace(b'HandOff("five', b'missing("five'))
    told = refusal(file, Fork())
    assert told.startswith(f"{file}/config/parts/0/my.py:17: stops the run: NameError: ")


# ------------------------------------------------------------------ what has moved

WORLDS = {
    "what a rule does": ("expression: 0.125", "expression: 0.25", "transition_graph vfs run"),
    "what a rule is called": ("id: rain", "id: shower", ""),
    "a variable's bounds": (
        "range: [0, 1]",
        "range: [0, 2]",
        "variable_schema transition_graph vfs run",
    ),
    "where a variable starts": ("initial: 0.0", "initial: 0.25", "initial_state vfs run"),
    "what a tool needs": (
        "fill: {requires: [dug]",
        "fill: {requires: [dug, wet]",
        "action_schema vfs run",
    ),
    "what a tool ships": (", release: true", "", "action_schema vfs run"),
    "a fault": ("mode: lie", "mode: fail", "faults run"),
    "a barrier": ("faults: [", "barriers: {b: [{tool: dig, mode: fail}]}\nfaults: [", ""),
    "the task's name": ("task: {", "task: {title: a pond, ", ""),
}


def moved_in(told: str) -> list[str]:
    """Lists the hashes that a refusal names, and checks its last line."""
    *lines, last = told.splitlines()
    assert last.endswith(
        ": it cannot go on as the same run; add --fork to start a new run from here"
    )
    assert all("is not what it was when the run was frozen (" in line for line in lines)
    return [line.split(": ")[1].split()[0] for line in lines]


@pytest.mark.parametrize("what", WORLDS)
def test_a_change_of_the_world_moves_these_hashes_and_no_others(tmp_path: Path, what: str):
    old, new, names = WORLDS[what]
    file = frozen(tmp_path)
    rewrite(file, world=lambda text: edited(old, new, text.decode()).encode())
    if names:
        assert moved_in(refusal(file)) == names.split()
    else:
        assert resume_run(file, "test").batch.results.ticks[0]


def test_a_change_of_the_code_or_the_cast_moves_these_hashes_and_no_others(
    tmp_path: Path, monkeypatch
):
    file = frozen(tmp_path, parts(tmp_path / "mine"))
    with monkeypatch.context() as patch:
        patch.setattr(creatura, "__version__", "99.0")
        told = refusal(file)
        assert moved_in(told) == ["version", "run"]
        assert (
            f"{file}: version (the version of creatura-bench) is not what it was when the run was "
            f"frozen ({creatura.__version__.replace('99.0', '0.1.0')}, now 99.0)\n" in told
        )
    rewrite(file, part=lambda text: text + b"# a remark\n")
    assert moved_in(refusal(file)) == ["cast", "run"]


def test_a_change_of_the_case_moves_the_runs_hash_alone(tmp_path: Path):
    file = frozen(tmp_path)
    rewrite(file, case=lambda case: case.update(seed=5))
    assert moved_in(refusal(file)) == ["run"]


def test_a_hash_that_only_one_version_knows_is_named(tmp_path: Path):
    file = frozen(tmp_path)
    rewrite(file, hashes=lambda hashes: hashes.update(weather="abc"))
    told = refusal(file)
    assert moved_in(told) == ["weather"]
    assert "(abc, now none)" in told


def test_a_world_that_is_no_longer_read_is_named_in_its_bundle(tmp_path: Path):
    file = frozen(tmp_path)
    rewrite(file, world=lambda text: text.replace(b"grants: [dug]", b"grant: [dug]"))
    assert refusal(file).startswith(f"{file}/config/world.yaml:6: ")


def test_a_scripts_place_is_no_part_of_the_run(tmp_path: Path):
    hashes = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        (folder / "lines.txt").write_text("dig\nfill\n", encoding="utf-8")
        seat = f"scripted:{folder / 'lines.txt'}"
        hashes += played(Case(str(pond(tmp_path)), (Player("plain", seat),))).run_hashes
    assert hashes[0] == hashes[1]
