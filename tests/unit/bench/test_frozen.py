"""Frozen runs as files: they go on where they stood, and are refused when something has moved."""

import json
from pathlib import Path

import pytest

import creatura
from bench.frozen import freeze_run, resume_run
from bench.matrix import Case, Player, sequence
from bench.runner import run_cases
from creatura.errors import AuthorError
from creatura.world import Fault, Mode

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


def played(case: Case):
    (batch,) = run_cases([case], group="test")
    return batch


def rows(batch):
    return list(batch.results.trace.rows(0))


@pytest.mark.parametrize("at", [0, 1, 3, 5, 99])
def test_a_frozen_run_goes_on_where_it_stood(tmp_path: Path, at: int):
    file = tmp_path / "run.frozen"
    whole = played(CASE)
    stands_at = freeze_run(CASE, at, file, "fused", "test")
    assert stands_at == min(at, int(whole.results.ticks[0]))
    resumed = resume_run(file, "test")
    assert rows(resumed) == rows(whole)
    assert resumed.run_hashes == whole.run_hashes
    assert resumed.cases == (CASE,)
    assert resumed.results.findings == whole.results.findings


def test_a_case_of_a_sequence_goes_on_with_what_it_had_learned(tmp_path: Path):
    _, _, third = sequence(Case("restore-service", (Player("hybrid"),), CASE.faults[:1]), 3)
    freeze_run(third, 2, tmp_path / "third", "fused", "test")
    assert rows(resume_run(tmp_path / "third", "test")) == rows(played(third))


def test_nothing_is_left_beside_the_file(tmp_path: Path):
    freeze_run(CASE, 2, tmp_path / "run.frozen", "fused", "test")
    assert [path.name for path in tmp_path.iterdir()] == ["run.frozen"]


def refusal(file: Path) -> str:
    with pytest.raises(AuthorError) as refused:
        resume_run(file, "test")
    return str(refused.value)


def test_a_file_that_is_no_frozen_run_is_refused(tmp_path: Path):
    for i, content in enumerate([b"", b"hello\n", b'{"a": 1}\n', b"\x80\x81\n\x00"]):
        file = tmp_path / str(i)
        file.write_bytes(content)
        assert "is no frozen run; `creatura run ... --freeze-at N` writes one" in refusal(file)


def test_a_file_that_was_cut_short_or_changed_is_refused(tmp_path: Path):
    file = tmp_path / "run.frozen"
    freeze_run(CASE, 2, file, "fused", "test")
    whole = file.read_bytes()
    for changed in (whole[:-1], whole.replace(b'"seed": 11', b'"seed": 12')):
        assert changed != whole
        file.write_bytes(changed)
        assert "is damaged" in refusal(file)


def test_another_format_is_refused(tmp_path: Path):
    file = tmp_path / "run.frozen"
    freeze_run(CASE, 2, file, "fused", "test")
    line, _, rest = file.read_bytes().partition(b"\n")
    mark = {name: 9 if value == 1 else value for name, value in json.loads(line).items()}
    file.write_bytes(json.dumps(mark).encode() + b"\n" + rest)
    assert "was written in format 9, and this version reads format 1" in refusal(file)


def test_what_has_moved_since_is_named(tmp_path: Path, monkeypatch):
    world = tmp_path / "pond.yaml"
    text = """
name: pond
facts: [dug, filled]
tools: {dig: {grants: [dug]}, fill: {requires: [dug], grants: [filled]}}
task: {goal: filled, obligations: [dug, filled]}
"""
    world.write_text(text)
    file = tmp_path / "run.frozen"
    freeze_run(Case(str(world), (Player("plain"),)), 1, file, "interpreter", "test")
    assert rows(resume_run(file, "test"))
    world.write_text(text.replace("dig: {grants: [dug]}", "dig: {grants: [dug], cost: 2}"))
    told = refusal(file)
    assert "the world has changed since this run was frozen" in told
    assert "a design" not in told
    assert "version" not in told
    world.write_text(text)
    monkeypatch.setattr(creatura, "__version__", "99.0")
    assert "the version of creatura-bench has changed" in refusal(file)


def test_a_users_design_goes_on_with_a_memory_of_a_class_beside_it(tmp_path: Path):
    (tmp_path / "counting.py").write_text(
        "from dataclasses import dataclass\n\n"
        "@dataclass(frozen=True)\nclass Count:\n    ticks: int = 0\n"
    )
    (tmp_path / "counter.py").write_text(
        "from counting import Count\n"
        "from creatura.protocols import HandOff, Slots\n\n"
        "class Counter(Slots):\n"
        "    name = 'counter'\n\n"
        "    def begin(self, brief):\n        return Count()\n\n"
        "    def record(self, context, event):\n"
        "        return Count(context.memory.ticks + 1)\n\n"
        "    def stop(self, context):\n"
        "        late = context.memory.ticks > 3\n"
        "        return HandOff('four ticks are enough') if late else None\n"
    )
    case = Case("restore-service", (Player(f"{tmp_path / 'counter.py'}:Counter"),))
    freeze_run(case, 2, tmp_path / "run.frozen", "interpreter", "test")
    resumed = resume_run(tmp_path / "run.frozen", "test")
    assert resumed.results.reason(0) == "four ticks are enough"
    assert rows(resumed) == rows(played(case))
