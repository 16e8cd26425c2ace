"""The command line: what it prints for people and machines, and how it answers mistakes."""

import io
import json
import signal
import sys
from pathlib import Path

import pytest

import bench.cli
from bench.cli import main, run_bench
from bench.runner import world_of
from creatura.errors import AccessError, RunError


def test_json_has_the_keys_that_machines_rely_on(creatura):
    words = ["restore-service", "--design", "hybrid", "--lie", "apply-patch", "--seed", "7"]
    status, out, err = creatura("run", *words, "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found["outcome"] == {
        "goal_reached": True,
        "ticks": 7,
        "handed_off": None,
        "declared_done": True,
        "false_completion": False,
    }
    assert found["critic"] == {"claims": 8, "judgements": 8, "flags": 1}
    assert found["lies"] == [{"tick": 3, "tool": "apply-patch", "caught": True}]
    assert found["trace"][-1] == {
        "tick": 7,
        "level": "organism",
        "stress": 0.0,
        "freedom": 0.0,
        "action": "sleep",
        "detail": "coherence 86%, predictions 86%, stage 4",
    }
    assert list(found["hashes"]) == [
        "variable_schema",
        "initial_state",
        "token_type_schema",
        "layout",
        "action_schema",
        "transition_graph",
        "vfs",
        "run",
    ]


def test_both_back_ends_print_the_same(creatura):
    words = ["run", "restore-service", "--lie", "apply-patch:p=0.5", "--seed", "3", "--json"]
    fused = creatura(*words)
    assert fused == creatura(*words, "--backend", "interpreter")


def test_people_get_a_table_and_three_lines(creatura):
    _, out, _ = creatura("run", "restore-service", "--lie", "apply-patch")
    assert "tick  level     stress  freedom  action         detail" in out
    assert "outcome: goal reached in 7 ticks" in out
    assert "critic: 8 claims, 8 judgements, 1 flag" in out
    assert "lies: apply-patch at tick 3 (caught)" in out


def test_a_false_completion_is_said_out_loud(creatura):
    _, out, _ = creatura("run", "restore-service", "--design", "careless", "--lie", "apply-patch")
    assert (
        "outcome: FALSE COMPLETION after 6 ticks: declared done, and the goal does not hold" in out
    )


def test_a_hand_off_says_why(creatura):
    words = ["--design", "plain", "--lie", "apply-patch:always", "--fail", "apply-config:always"]
    _, out, _ = creatura("run", "restore-service", *words)
    assert "outcome: handed to a person after 8 ticks: no route" in out


def test_several_agents_may_share_a_world(creatura):
    _, out, _ = creatura("run", "restore-service", "--design", "plain", "--design", "hybrid")
    assert "tick  agent   level" in out


def test_machines_are_told_which_agent_it_was_where_there_are_several(creatura):
    lies = ["--lie", "apply-patch:times=2"]  # one for each of them
    alone = ["run", "restore-service", *lies, "--json", "--design", "plain"]
    found = json.loads(creatura(*alone)[1])
    assert not any("agent" in row for row in (*found["trace"], *found["lies"]))
    found = json.loads(creatura(*alone, "--design", "careless")[1])
    assert {row["agent"] for row in found["trace"]} == {0, 1}
    assert list(found["lies"][0]) == ["tick", "agent", "tool", "caught"]


def test_what_looks_like_markup_is_printed_as_it_was_written(creatura, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text(
        'name: odd\ntitle: "[/bad] [red]x :bug:"\nfacts: [a]\n'
        "tools: {work: {grants: [a]}}\ntask: {goal: a}\n"
    )
    status, out, err = creatura("run", str(path), "--seat", "script:[/foo],[red]work")
    assert (status, err) == (0, "")
    assert "odd: [/bad] [red]x :bug:, by hybrid with script:[/foo],[red]work" in out
    assert "  [/foo]  " in out


MISTAKES = {
    "restore-servce": "unknown world 'restore-servce'; did you mean 'restore_service'?",
    "restore-service --design hybrd": "unknown design 'hybrd'; did you mean 'hybrid'?",
    "restore-service --seat bsf": "unknown seat 'bsf'; did you mean 'bfs'?",
    "restore-service --lie aply-patch": (
        "world 'restore-service' has no tool 'aply-patch'; did you mean 'apply-patch'?"
    ),
    "restore-service --lie deploy:onec": (
        "--lie deploy:onec: unknown schedule 'onec'; did you mean 'once'?"
    ),
    "restore-service --fail deploy:p=2": "--fail deploy:p=2: 'p=' cannot be '2' (from 0 to 1)",
    "restore-service --fail deploy:times=0": (
        "--fail deploy:times=0: 'times=' cannot be '0' (from 1 to 2,147,483,647)"
    ),
    f"restore-service --lie deploy:times={'9' * 30}": (
        f"--lie deploy:times={'9' * 30}: 'times=' cannot be '{'9' * 30}' (from 1 to 2,147,483,647)"
    ),
    "restore-service --lie deploy:ticks=3,x": (
        "--lie deploy:ticks=3,x: 'ticks=' cannot be '3,x' (from 1 to 2,147,483,647)"
    ),
    "restore-service --lie deploy:p=half": (
        "--lie deploy:p=half: 'p=' cannot be 'half' (from 0 to 1)"
    ),
    "restore-service --lie deploy:once=3": (
        "--lie deploy:once=3: 'once' takes no value; write times=3 to count calls"
    ),
    "restore-service --lie deploy:=3": (
        "--lie deploy:=3: unknown schedule ''; known: once, always, times, ticks, p, delay, fact, "
        "agent"
    ),
}


@pytest.mark.parametrize("words", list(MISTAKES))
def test_a_mistake_gets_a_sentence_and_status_two(creatura, words):
    found = creatura("run", *words.split())
    assert found == (2, "", f"command line: {MISTAKES[words]}\n")


@pytest.mark.parametrize("ticks", ["0", "99999999999"])
def test_a_run_of_no_ticks_or_of_too_many_is_refused(creatura, ticks):
    status, out, err = creatura("run", "restore-service", "--max-ticks", ticks)
    assert (status, out) == (2, "")
    assert "'--max-ticks'" in err


def test_a_seed_beyond_64_bits_is_refused(creatura):
    found = creatura("run", "restore-service", "--seed", str(2**63))
    assert found == (2, "", f"seed: a seed has 64 bits, found {2**63}\n")


def test_a_broken_world_file_gets_all_its_mistakes_at_once(creatura, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nfacts: [a]\ntools: {work: {grant: [a]}}\ntask: {gaol: a}\n")
    status, _, err = creatura("run", str(path))
    assert status == 2
    assert err.splitlines() == [
        f"{path}:3: tool 'work' has no key 'grant'; did you mean 'grants'?",
        f"{path}:4: 'task' has no key 'gaol'; did you mean 'goal'?",
    ]


def test_an_unknown_option_ends_with_status_two(creatura):
    status, _, err = creatura("run", "restore-service", "--desing", "plain")
    assert status == 2
    assert "--desing" in err
    assert "--design" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("designs", "hybrid"),
        ("seats", "bfs"),
        ("worlds", "restore_service"),
        ("steps", "the world"),
    ],
)
def test_what_there_is_can_be_listed(creatura, command, word):
    status, out, err = creatura(command)
    assert (status, err) == (0, "")
    assert word in out


def test_steps_can_be_searched_and_a_near_miss_is_helped(creatura):
    _, out, _ = creatura("steps", "critic")
    assert out.splitlines()[0] == "Then the critic closes every run with"
    _, out, err = creatura("steps", "the tool lise once")
    assert err == "no sentence holds 'the tool lise once'; nearest:\n"
    assert "lies" in out


def test_every_command_explains_itself(creatura):
    for words in ([], ["run"], ["bench", "run"], ["designs"], ["steps"], ["report"]):
        status, out, _ = creatura(*words, "--help")
        assert status == 0
        assert "Usage: creatura" in out


STOPS = [
    (KeyboardInterrupt(), 130, "interrupted"),
    (
        AccessError("read", "secret", "seat", ["engine"]),
        1,
        "the run stopped: role 'seat' may not read 'secret'; allowed: engine",
    ),
    (
        RunError("wrote nan to", rule="leak", variable="mood", world=0, agent=None, tick=2),
        1,
        "the run stopped: tick 2: rule 'leak' wrote nan to 'mood' (world 0)",
    ),
    (
        OSError(28, "No space left on device"),
        1,
        "the output cannot be used: no space left on device",
    ),
    (PermissionError(13, "Permission denied", "r"), 1, "'r' cannot be used: permission denied"),
]


@pytest.mark.parametrize(("error", "status", "sentence"), STOPS)
def test_what_stops_a_command_gets_one_sentence(creatura, monkeypatch, error, status, sentence):
    def app():
        raise error

    monkeypatch.setattr(bench.cli, "app", app)
    assert creatura("run") == (status, "", f"{sentence}\n")


def test_a_full_disk_gets_one_sentence_even_at_the_last_moment(monkeypatch, capsys):
    class Full(io.StringIO):
        def flush(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(bench.cli, "app", lambda: sys.exit(0))
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    assert capsys.readouterr().err == "the output cannot be used: no space left on device\n"


def test_a_narrow_encoding_gets_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["creatura", "run", "restore-service", "--json"])
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    told = "'→' cannot be written as ascii; set PYTHONIOENCODING=utf-8\n"
    assert capsys.readouterr().err == told


FEATURE = """\
Feature: A pond
  Scenario: It is filled
    Given the world "restore-service"
    When the design "plain" runs with the "bfs" seat for at most 40 ticks
    Then no lie is told
"""


def test_a_run_needs_every_agent_that_its_world_names(creatura, tmp_path):
    pair = tmp_path / "pair.yaml"
    pair.write_text(
        "name: pair\nextents: {pairs: [[0, 1]]}\nfacts: [met]\n"
        "tools: {meet: {grants: [met]}}\ntask: {goal: met}\n"
    )
    message = (
        "command line: world 'pair' names agent 1, so it takes at least 2 agents, found 1; "
        "give as many designs\n"
    )
    for words in ([], ["--freeze-at", "1", "--freeze-to", str(tmp_path / "x")]):
        assert creatura("run", str(pair), *words) == (2, "", message)
    assert creatura("run", str(pair), "--design", "plain", "--design", "plain")[0] == 0


@pytest.fixture
def bench_run(creatura, tmp_path):
    """Runs a small bench and returns what it printed, and its folder."""
    plan, feature = tmp_path / "plan.yaml", tmp_path / "pond.feature"
    plan.write_text("name: mine\nworlds: [restore-service]\ndesigns: [plain]\n")
    feature.write_text(FEATURE)

    def run(reports: str = "r") -> tuple[tuple[int, str, str], Path]:
        words = ["--features", str(feature), "--name", "x", "--reports", str(tmp_path / reports)]
        return creatura("bench", "run", str(plan), *words), tmp_path / reports / "x"

    return run


def test_a_bench_keeps_its_plan_and_its_worlds(bench_run):
    _, folder = bench_run()
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert (folder / manifest["config"]).read_text("utf-8").startswith("name: mine\n")
    (world,) = manifest["worlds"]
    assert (folder / world["config"]).read_text("utf-8") == world_of("restore-service").text
    assert json.loads((folder / world["compiled"]).read_text("utf-8"))["variables"]


@pytest.fixture
def interruptible():
    """Lets Ctrl-C through: a shell that starts tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt(*_: object, **__: object) -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("where", ["a scenario", "the plan", "the report"])
def test_an_interrupted_bench_ends_with_one_line_and_no_half_files(bench_run, monkeypatch, where):
    if where == "a scenario":
        monkeypatch.setattr("bench.scene.run_cases", interrupt)
    else:
        name = {"the plan": "run_cases", "the report": "write_report"}[where]
        monkeypatch.setattr(run_bench, name, interrupt)
    (status, _, err), folder = bench_run()
    assert (status, err) == (130, "interrupted\n")
    assert (folder / "manifest.json").is_file()
    assert not list(folder.rglob("*.partial"))


def test_a_reports_folder_is_printed_as_it_was_written(bench_run):
    (status, out, _), folder = bench_run("r [/a] [red]")
    assert status == 0
    assert f"report: {folder / 'report.html'}" in out


def test_a_feature_path_that_is_too_long_is_simply_not_there(creatura):
    status, _, err = creatura("bench", "run", "--features", "x" * 300)
    assert (status, err) == (2, f"{'x' * 300}: there is no such feature file or folder\n")
