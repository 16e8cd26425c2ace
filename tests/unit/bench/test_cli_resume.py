"""The command line of frozen runs: `run --freeze-at`, `resume`, and the forks of it."""

import json
from pathlib import Path

from tests.unit.bench.bundles import POND, edited, frozen, pond


def test_a_run_is_put_aside_and_goes_on(creatura, tmp_path: Path):
    words = ["run", "restore-service", "--lie", "apply-patch", "--backend", "interpreter"]
    file = tmp_path / "my run"
    status, out, err = creatura(*words, "--freeze-at", 3, "--freeze-to", file)
    assert (status, err) == (0, "")
    assert out == f"frozen at tick 3; go on with: creatura resume '{file}'\n"
    assert creatura("resume", file) == creatura(*words)
    assert creatura("resume", file, "--json") == creatura(*words, "--json")


def test_a_run_that_closed_early_says_so(creatura, tmp_path: Path):
    status, out, _ = creatura(
        "run", "restore-service", "--freeze-at", 39, "--freeze-to", tmp_path / "x"
    )
    assert status == 0
    assert ", where it closed before tick 39; go on with: " in out


def test_a_fork_shows_its_parent_and_what_moved(creatura, tmp_path: Path):
    file = frozen(tmp_path)
    _, whole, _ = creatura("resume", file, "--json")
    pond(tmp_path, edited("0.125", "0.25"))
    status, out, err = creatura("resume", file, "--fork", "--world", tmp_path / "pond.yaml")
    assert (status, err) == (0, "")
    parent, moved = out.splitlines()[-2:]
    run = json.loads(whole)["hashes"]["run"]
    assert parent.startswith(f"parent: run {run} at tick 2, bundle ")
    assert moved == (
        "moved: transition_graph (what the rules do, whatever they are called), "
        "vfs (the world as a whole), run (all that the rows follow from)"
    )
    status, out, _ = creatura("resume", file, "--fork", "--design", "plain", "--json")
    told = json.loads(out)
    assert (told["parent"]["run"], told["parent"]["tick"]) == (run, 2)
    assert (told["moved"], told["ancestors"]) == (["cast", "run"], [])
    assert told.keys() - json.loads(whole).keys() == {"parent", "moved", "ancestors"}
    assert creatura("resume", file, "--fork")[1].endswith("\nmoved: nothing\n")


def test_a_fork_is_kept_where_it_stands_or_later(creatura, tmp_path: Path):
    file, kept, later = frozen(tmp_path), tmp_path / "kept", tmp_path / "later"
    told = "frozen at tick {}; go on with: creatura resume {}\n"
    assert creatura("resume", file, "--fork", "--to", kept) == (0, told.format(2, kept), "")
    words = ("resume", kept, "--freeze-at", 4, "--freeze-to", later)
    assert creatura(*words) == (0, told.format(4, later), "")
    forked, kept_on, later_on = (
        json.loads(creatura("resume", *words, "--json")[1])
        for words in ((file, "--fork"), (kept,), (later,))
    )
    assert forked == kept_on == later_on
    assert creatura("resume", later, "--freeze-at", 3) == (
        2,
        "",
        f"{later}: stands at tick 4 and cannot stop at tick 3\n",
    )


def test_another_world_or_design_without_a_fork_is_refused(creatura, tmp_path: Path):
    file = frozen(tmp_path)
    for words, sentence in (
        (["--world", "permit"], "--world makes a new run of it; add --fork"),
        (["--design", "plain"], "--design makes a new run of it; add --fork"),
        (
            ["--design", "plain", "--world", "permit"],
            "--world and --design make a new run of it; add --fork",
        ),
    ):
        assert creatura("resume", file, *words) == (2, "", f"command line: {sentence}\n")


def test_a_live_world_that_differs_is_noted_on_one_line(creatura, tmp_path: Path):
    file, world = frozen(tmp_path), tmp_path / "pond.yaml"
    before = creatura("resume", file, "--json")
    world.write_text(edited("0.125", "0.25"), encoding="utf-8")
    note = f"note: the world '{world}' has changed since; {file} goes on as it was\n"
    assert creatura("resume", file, "--json") == (0, before[1], note)
    world.unlink()
    assert creatura("resume", file, "--json") == before


def test_what_has_moved_ends_with_status_2(creatura, tmp_path: Path, monkeypatch):
    file = frozen(tmp_path)
    monkeypatch.setattr("creatura.__version__", "99.0")
    status, out, err = creatura("resume", file)
    assert (status, out) == (2, "")
    version, run, last = err.splitlines()
    assert version.startswith(f"{file}: version (the version of creatura-bench) is not what it was")
    assert run.startswith(f"{file}: run (all that the rows follow from) is not what it was")
    assert last == (
        f"{file}: it cannot go on as the same run; add --fork to start a new run from here"
    )


def test_a_bad_file_ends_with_status_2_and_leaves_nothing(creatura, tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("hello", encoding="utf-8")
    sentence = f"{file}: is no frozen run; `creatura run ... --freeze-at N` writes one\n"
    for words in ((), ("--fork",), ("--fork", "--to", tmp_path / "new")):
        assert creatura("resume", file, *words) == (2, "", sentence)
    assert list(tmp_path.iterdir()) == [file]


def test_a_fork_that_cannot_be_leaves_no_file(creatura, tmp_path: Path):
    file = frozen(tmp_path)
    pond(tmp_path, POND.replace("  dig: {", "  pump: {}\n  dig: {"), "other")
    words = ("--fork", "--world", tmp_path / "other.yaml", "--to", tmp_path / "new")
    status, out, err = creatura("resume", file, *words)
    assert (status, out) == (2, "")
    assert "other.yaml: tool 'pump' is new; " in err
    assert not (tmp_path / "new").exists()
