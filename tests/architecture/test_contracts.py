"""Contracts: what holds of the whole tree, whatever anyone adds to it."""

from __future__ import annotations

import ast
import doctest
import importlib
import io
import re
from collections import Counter
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from bench.catalogue import StepTemplate, matching, steps
from bench.gherkin import check_feature, read_feature

ROOT = Path(__file__).parents[2]
MODULES = sorted(path for room in ("creatura", "bench") for path in (ROOT / room).rglob("*.py"))
FEATURES = sorted((ROOT / "features").rglob("*.feature"))
TEXTS = {".py", ".md", ".toml", ".yaml", ".yml", ".feature", ".txt", ".cfg", ".html", ".jinja", ""}
MAX_LINES = 400


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_import_contracts_hold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    status = lint_imports(no_cache=True)
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_says_what_it_is(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert doc, f"{name(path)} has no docstring"
    title, *rest = doc.splitlines()
    assert re.match(r"[A-Z][\w .-]*: ", title), f"{name(path)}: '{title}' is not 'Name: what it is'"
    assert len(rest) <= 9, f"{name(path)}: its docstring has {len(rest) + 1} lines"


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_is_short_enough_to_be_read_at_once(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_LINES, f"{name(path)} has {lines} lines"


def with_examples() -> list[str]:
    """Names the modules that have doctests."""
    found = [path for path in MODULES if ">>> " in path.read_text(encoding="utf-8")]
    return [name(path).removesuffix(".py").replace("/", ".") for path in found]


@pytest.mark.parametrize("module", with_examples())
def test_the_examples_in_docstrings_are_true(module: str) -> None:
    out = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.REPORT_NDIFF)
    for test in doctest.DocTestFinder().find(importlib.import_module(module)):
        runner.run(test, out=out.write)
    assert runner.summarize(verbose=False).failed == 0, out.getvalue()
    assert runner.tries > 0, f"{module} holds '>>>' where no doctest finds it"


def test_no_file_names_a_machine() -> None:
    folders = "|".join(("home", "root", "Users", "work", "tmp"))
    machine = re.compile(rf"(?:/(?:{folders})/|[A-Z]:\\Users)[\w.-]+")
    kept = [*ROOT.glob("*"), *(p for room in ROOMS for p in (ROOT / room).rglob("*"))]
    bad = [
        f"{name(path)}:{number}: {found[0]}"
        for path in kept
        if path.is_file() and path.suffix in TEXTS and path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := machine.search(line))
    ]
    assert not bad, "\n".join(bad)


ROOMS = ("creatura", "bench", "features", "worlds", "tests", ".ci", ".github")


# --------------------------------------------------------------------------- steps


def test_every_step_is_defined_once() -> None:
    # What a blank is called makes no difference to the sentences that it reads.
    written = Counter(re.sub(r"<[^>]*>", "<>", step.sentence.lower()) for step in steps())
    assert [sentence for sentence, count in written.items() if count > 1] == []


@pytest.mark.parametrize("step", steps(), ids=lambda step: step.sentence)
def test_a_step_has_a_meaning_and_an_example_that_no_other_step_reads(step: StepTemplate) -> None:
    assert step.meaning, f"{step.place}: '{step.sentence}' has no docstring"
    assert step.example, f"{step.place}: '{step.sentence}' has no 'Example:' line"
    keyword, _, text = step.example.partition(" ")
    here, _ = matching(keyword, text, steps())
    assert here == (step,), f"{step.place}: its example is read by {[s.sentence for s in here]}"


def test_every_step_is_used_by_a_feature() -> None:
    written = {
        (step.kind, step.text)
        for path in FEATURES
        for scenario in read_feature(path).scenarios
        for run in scenario.runs()
        for step in run
    }
    unused = [
        f"{step.place}: {step.sentence}"
        for step in steps()
        if not any(step.is_for(kind) and step.matches(text) for kind, text in written)
    ]
    assert not unused, "\n".join(unused)


@pytest.mark.parametrize("path", FEATURES, ids=name)
def test_a_feature_has_no_problem(path: Path) -> None:
    assert [str(problem) for problem in check_feature(path)] == []
