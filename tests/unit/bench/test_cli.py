"""The command line: what it prints for people and machines, and how it answers mistakes."""

import json
import sys

import pytest

from bench.cli import main


@pytest.fixture
def creatura(monkeypatch, capsys):
    """Runs a command and returns (exit status, standard output, standard error)."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["creatura", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return run


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
        "--fail deploy:times=0: 'times=' cannot be '0' (1 or more)"
    ),
}


@pytest.mark.parametrize("words", list(MISTAKES))
def test_a_mistake_gets_a_sentence_and_status_two(creatura, words):
    found = creatura("run", *words.split())
    assert found == (2, "", f"command line: {MISTAKES[words]}\n")


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
    assert out.splitlines()[1].startswith("Then  the critic")
    _, out, err = creatura("steps", "the tool lise once")
    assert err == "no sentence holds 'the tool lise once'; nearest:\n"
    assert "lies" in out


def test_every_command_explains_itself(creatura):
    for words in ([], ["run"], ["bench", "run"], ["designs"], ["steps"], ["report"]):
        status, out, _ = creatura(*words, "--help")
        assert status == 0
        assert "Usage: creatura" in out
