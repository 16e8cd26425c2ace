"""`creatura check-design`, and parts from files on the command line."""

import json
import re
from pathlib import Path

import pytest

from creatura import resolver

README = Path(__file__).parents[3] / "README.md"
BROKEN = """
from creatura.protocols import Slots, Verbs

class Greedy(Slots):
    name = "greedy"
    def ceiling(self, context): return 0.05

class Quiet(Verbs):
    name = "quiet"
"""


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch, tmp_path):
    """Runs in an empty folder, so that files are named as their authors name them."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def few_worlds(monkeypatch):
    """Examines in two worlds, to be quick."""
    few = [resolver.world_file("permit"), resolver.world_file("restore-service")]
    monkeypatch.setattr(resolver, "worlds", lambda: few)


@pytest.fixture
def cautious(tmp_path) -> str:
    """Writes the README's own design into a file, as a reader would."""
    (text,) = re.findall(r"```python\n(.*?class Cautious.*?)```", README.read_text(), re.DOTALL)
    assert len([line for line in text.splitlines() if line.strip()]) <= 16
    (tmp_path / "my_design.py").write_text(text)
    return "my_design.py:Cautious"


def test_the_cautious_operator_of_the_readme_goes_round_the_lie(creatura, cautious):
    words = ["--design", cautious, "--lie", "apply-patch", "--json"]
    status, out, err = creatura("run", "restore-service", *words)
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found["outcome"]["goal_reached"]
    acts = [row for row in found["trace"] if row["action"] == "read-logs"]
    assert acts[0]["stress"] == 1.0
    assert max(row["freedom"] for row in found["trace"]) == 0.5


def test_the_cautious_operator_hands_off_past_tick_12_with_less_than_half_done(creatura, cautious):
    words = ["--design", cautious, "--lie", "diagnose:always", "--json"]
    outcome = json.loads(creatura("run", "restore-service", *words)[1])["outcome"]
    assert outcome["handed_off"] == "past tick 12 with less than half done"
    assert outcome["ticks"] == 13


def test_the_cautious_operator_keeps_every_law(creatura, cautious):
    status, out, err = creatura("check-design", "my_design.py")
    assert (status, err) == (0, "")
    assert "design my_design.py:Cautious" in out
    assert re.search(r"(\d+) of \1 laws kept", out)
    assert "FAILS" not in out


@pytest.mark.usefixtures("few_worlds")
def test_a_broken_law_is_told_with_its_replay_and_ends_with_status_1(creatura, tmp_path):
    (tmp_path / "greedy.py").write_text(BROKEN)
    status, out, _ = creatura("check-design", "greedy.py")
    assert status == 1
    assert re.search(r"ceiling +FAILS", out)
    assert "asked: 'freedom' at tick 1" in out
    assert "came: 0.1, and the ceiling is 0.05" in out
    assert "replay: creatura run permit --design greedy.py:Greedy --seat bfs --seed 0" in out
    assert "extension greedy.py:Quiet" in out


@pytest.mark.usefixtures("few_worlds")
def test_a_replay_is_a_command_that_runs(creatura, tmp_path):
    (tmp_path / "greedy.py").write_text(BROKEN)
    (part,) = json.loads(creatura("check-design", "greedy.py:Greedy", "--json")[1])
    (law,) = [law for law in part["laws"] if law["verdict"] == "fails"]
    program, *words = law["replay"].split()
    assert program == "creatura"
    assert creatura(*words)[0] == 0
    assert law["where"] == "permit, no trouble, seed 0"


@pytest.mark.usefixtures("few_worlds")
@pytest.mark.parametrize("name", ["levin", "bfs", "veto(times=2)", "script:a,-"])
def test_a_registered_part_can_be_checked_by_its_name(creatura, name):
    status, out, _ = creatura("check-design", name, "--json")
    (part,) = json.loads(out)
    assert (status, part["part"], part["kept"]) == (0, name, True)
    assert {law["verdict"] for law in part["laws"]} == {"ok"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colny", "unknown part 'colny'; did you mean 'colony'?"),
        ("grady.py", "there is no file 'grady.py'; did you mean 'greedy.py'?"),
        ("greedy.py:Gredy", "'greedy.py' has no class 'Gredy'; did you mean 'Greedy'?"),
        ("greedy.py:Greedy(x=1)", "design 'greedy.py:Greedy' has no option 'x'"),
        ("empty.py", "'empty.py' defines no design, seat or extension"),
        ("other.py:Thing", "'other.py:Thing' is no design: it lacks begin"),
        ("colony with memory", "one part is examined at a time"),
        ("torn.py", "torn.py:1: is no Python: "),
    ],
)
def test_what_cannot_be_read_ends_with_status_2_and_a_sentence(creatura, tmp_path, text, sentence):
    (tmp_path / "greedy.py").write_text(BROKEN)
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("class Thing:\n    pass\n")
    (tmp_path / "torn.py").write_text("def f(:\n")
    status, out, err = creatura("check-design", text)
    assert (status, out) == (2, "")
    assert sentence in err


def test_extensions_and_presets_are_listed_and_membrane_options_once(creatura):
    _, out, _ = creatura("extensions")
    for name in ("honest-failure", "exploration", "memory", "veto", "note"):
        assert name in out
    _, out, _ = creatura("designs")
    assert "levin" in out
    assert out.count("cooldown_ticks=3") == 1


def test_an_outfit_is_named_on_the_command_line(creatura):
    words = ["--design", "colony with honest-failure", "--fail", "apply-patch:times=2", "--json"]
    found = json.loads(creatura("run", "restore-service", *words)[1])
    details = [row["detail"] for row in found["trace"] if row["action"] == "apply-patch"]
    assert not [detail for detail in details if "quarantined" in detail]


def test_the_run_hash_of_a_file_moves_with_its_text_and_not_with_its_folder(creatura, tmp_path):
    hashes = []
    for folder, extra in (("a", ""), ("b", ""), ("b", "# a comment\n")):
        (tmp_path / folder).mkdir(exist_ok=True)
        file = tmp_path / folder / "greedy.py"
        file.write_text(BROKEN + extra)
        out = creatura("run", "permit", "--design", f"{file}:Greedy", "--json")[1]
        hashes.append(json.loads(out)["hashes"]["run"])
    assert hashes[0] == hashes[1] != hashes[2]


STOPS = """
from creatura.protocols import Slots

class Bad(Slots):
    name = "bad"
    def error(self, context):
        return 1 / (3 - context.tick)

class Over(Slots):
    name = "over"
    def error(self, context):
        return 2.0
"""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Bad", "stops.py:7: stops the run: ZeroDivisionError: division by zero\n"),
        ("Over", "design 'over' answered error 2 at tick 1; it is a share from 0 to 1\n"),
    ],
)
def test_a_design_that_breaks_in_mid_run_is_told_in_a_sentence(creatura, tmp_path, name, sentence):
    (tmp_path / "stops.py").write_text(STOPS)
    status, out, err = creatura("run", "permit", "--design", f"stops.py:{name}")
    assert (status, out) == (2, "")
    assert err.endswith(sentence)


@pytest.mark.usefixtures("few_worlds")
def test_what_a_part_did_not_get_far_enough_for_is_not_called_kept(creatura, tmp_path):
    (tmp_path / "stops.py").write_text(STOPS)
    status, out, _ = creatura("check-design", "stops.py:Bad")
    assert status == 1
    assert re.search(r"survives +FAILS", out)
    assert re.search(r"frozen +unseen", out)
    assert "7 of 13 laws kept" in out
