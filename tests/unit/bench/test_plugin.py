"""Plugin: feature files run without test modules, and nothing in them is green in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bench import steps as step_package

Run = Callable[..., pytest.RunResult]

CONFTEST = """
    import pytest
    from pytest_bdd import given, when, then
    from bench.arguments import Sentence
    from creatura.errors import AuthorError

    @given(Sentence("a pond with {frogs:Count} frogs"), target_fixture="pond")
    def a_pond(frogs):
        return [frogs]

    @given("a heron that waits")
    async def a_heron_waits():
        assert False

    @given("these frogs", target_fixture="pond")
    def these_frogs(datatable):
        return [len(datatable)]

    @when(Sentence("{frogs:Count} frogs jump in"))
    def they_jump(pond, frogs):
        pond[0] += frogs

    @then(Sentence("the pond has {frogs:Count} frogs"))
    def the_pond_has(pond, frogs):
        assert pond[0] == frogs, f"the pond has {pond[0]} frogs, not {frogs}"

    @then(Sentence("the pond holds {frogs:Count}"))
    def the_pond_holds(pond, frogs):
        assert pond[0] == frogs

    @then("the pond is deep")
    def the_pond_is_deep(pond):
        return {}["depth"]

    @then("the map is right")
    def the_map_is_right():
        raise AuthorError.at("map.yaml:3", "there is no pond")

    @then("it is too late")
    def it_is_too_late():
        pytest.skip("the frogs sleep")
"""
GOOD = """\
Feature: Frogs
  Scenario: They jump
    Given a pond with 2 frogs
    When 3 frogs jump in
    Then the pond has 5 frogs
"""
WRONG = GOOD.replace("has 5", "has 6").replace("They jump", "They jump, again")


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Writes feature files, given by their name, and runs pytest on them with the toy steps."""
    monkeypatch.setattr(step_package, "modules", lambda: ())
    pytester.makeconftest(CONFTEST)
    folder = pytester.mkdir("features")

    def run(*options: str, **features: str | bytes) -> pytest.RunResult:
        for name, text in features.items():
            data = text if isinstance(text, bytes) else text.encode()
            (folder / f"{name}.feature").write_bytes(data)
        quiet = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
        plugin = ("-p", "no:creatura_bench", "-p", "bench.plugin")
        paths = () if any("::" in option for option in options) else ("features",)
        return pytester.runpytest_inprocess(*plugin, *quiet, *options, *paths)

    return run


def shown(result: pytest.RunResult) -> str:
    """What the run printed, as one text."""
    return result.stdout.str()


def test_a_feature_file_runs_without_a_test_module(run: Run) -> None:
    result = run("-v", a=GOOD)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["features/a.feature::test_they_jump PASSED*"])


def test_a_single_scenario_runs_by_its_node_id(run: Run) -> None:
    run(a=GOOD + "  Scenario: Other\n    Then it is too late\n")
    run("features/a.feature::test_they_jump").assert_outcomes(passed=1)


def test_scenarios_whose_names_differ_only_in_signs_all_run(run: Run) -> None:
    text = "Feature: F\n" + "".join(
        f"  Scenario: {name}\n    Given a pond with 1 frogs\n    Then the pond has 1 frogs\n"
        for name in ("A lie", "A lie!", "A lie?", "???", "!!!")
    )
    result = run("-v", a=text)
    result.assert_outcomes(passed=5)
    for name in ("test_a_lie", "test_a_lie_2", "test_a_lie_3", "test_scenario", "test_scenario_2"):
        result.stdout.fnmatch_lines([f"features/a.feature::{name} PASSED*"])


def test_an_outline_runs_once_a_row_and_tags_select(run: Run) -> None:
    outline = (
        "Feature: F\n  @quick\n  Scenario Outline: Rows\n    Given a pond with <n> frogs\n"
        "    Then the pond has <n> frogs\n    Examples:\n      | n |\n      | 1 |\n"
        "    @must-hold\n    Examples:\n      | n |\n      | 2 |\n"
    )
    run("--strict-markers", "-W", "error", a=outline).assert_outcomes(passed=2)
    run("-m", "must-hold", a=outline).assert_outcomes(passed=1, deselected=1)
    run("-m", "quick", b=GOOD).assert_outcomes(passed=2, deselected=1)


def test_a_scenario_stands_where_its_file_says(pytester: pytest.Pytester, run: Run) -> None:
    run(a=GOOD)
    plugin = ("-p", "no:creatura_bench", "-p", "bench.plugin")
    (item,) = pytester.inline_genitems(*plugin, "features")[0]
    assert item.location == ("features/a.feature", 1, "test_they_jump")


def test_a_file_that_was_edited_between_two_runs_is_read_again(run: Run) -> None:
    run(a=GOOD).assert_outcomes(passed=1)
    run(a=WRONG).assert_outcomes(failed=1)


def test_collection_does_not_depend_on_how_test_functions_are_named(run: Run) -> None:
    run("-o", "python_functions=check_*", a=GOOD).assert_outcomes(passed=1)


def test_a_byte_order_mark_and_windows_line_ends_run_as_well(run: Run) -> None:
    data = GOOD.replace("\n", "\r\n").encode("utf-8-sig")
    run(a=data).assert_outcomes(passed=1)


SILENT_GREENS = {
    "a duplicate name": (
        WRONG + GOOD.partition("\n")[2].replace("They jump", "They jump, again"),
        [
            "features/a.feature:6: scenario 'They jump, again' has the same name as the one"
            " on line 2",
            "    give it a name of its own; only one of them would run",
        ],
    ),
    "a misspelt first keyword": (
        "Feature: F\n  Scenario: S\n    Thn the pond has 9 frogs\n",
        [
            "features/a.feature:3: 'Thn the pond has 9 frogs' is no step, so it would not run",
            "    did you mean 'Then the pond has 9 frogs'?"
            " Prose goes under 'Feature:' or after a '#'",
        ],
    ),
    "an async step": (
        GOOD.replace("    When", "    And a heron that waits\n    When"),
        [
            "features/a.feature:4: 'Given a heron that waits' is an async step,"
            " which nothing awaits",
            "    make it plain def (conftest.py:10)",
        ],
    ),
    "an ignored table": (
        GOOD.replace("    When", "      | Bo |\n    When"),
        [
            "features/a.feature:3: 'Given a pond with 2 frogs' takes no table,"
            " so it would be ignored",
            "    remove it (conftest.py:6)",
        ],
    ),
    "no steps": (
        "Feature: F\n  Scenario: S\n",
        [
            "features/a.feature:2: scenario 'S' has no steps, so it would pass",
            "    write its steps under it, or remove it",
        ],
    ),
}


@pytest.mark.parametrize(("text", "lines"), SILENT_GREENS.values(), ids=SILENT_GREENS)
def test_what_pytest_bdd_lets_pass_in_silence_fails_the_run(
    run: Run, text: str, lines: Sequence[str]
) -> None:
    result = run(a=text)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.outlines[_after_heading(result) :][:2] == lines


def _after_heading(result: pytest.RunResult) -> int:
    return _line_with(result, "ERROR collecting features/a")


def _line_with(result: pytest.RunResult, text: str) -> int:
    return next(i for i, line in enumerate(result.outlines, 1) if text in line)


def test_of_two_steps_that_read_one_sentence_both_are_named(
    run: Run, pytester: pytest.Pytester
) -> None:
    more = """
    @given(Sentence("a {thing:Name} pond"))
    def by_thing(thing): pass

    @given(Sentence("a {other:Name} pond"))
    def by_other(other): pass
    """
    pytester.makeconftest(CONFTEST + more)
    result = run(a=GOOD.replace("    When", '    And a "blue" pond\n    When'))
    assert result.outlines[_after_heading(result) :][:2] == [
        "features/a.feature:4: two steps read 'Given a \"blue\" pond'",
        "    'Given a \"<thing>\" pond' (conftest.py:42) and 'Given a \"<other>\" pond'"
        " (conftest.py:45); reword one of them",
    ]


def test_a_bad_file_fails_the_run_and_keeps_no_other_from_running(run: Run) -> None:
    result = run(a=GOOD, b="Feature: F\n", c=WRONG)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_bad_file_fails_the_run_whatever_was_selected(run: Run) -> None:
    result = run("-k", "jump", a=GOOD, b="Feature: F\n")
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_broken_test_module_still_stops_the_run(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "features" / "test_broken.py").write_text("import no_such_module_at_all\n")
    result = run(a=GOOD, b="Feature: F\n")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "PASSED" not in shown(result)


def test_a_failed_step_is_shown_as_its_line_its_sentence_and_its_message(run: Run) -> None:
    result = run(a=WRONG)
    start = _line_with(result, "test_they_jump_again ___")
    assert result.outlines[start : start + 3] == [
        "features/a.feature:5: Then the pond has 6 frogs",
        "    the pond has 5 frogs, not 6",
        "=========================== short test summary info ============================",
    ]
    result.stdout.fnmatch_lines(["FAILED *::test_they_jump_again - the pond has 5 frogs*"])


@pytest.mark.parametrize("option", ["--tb=long", "--full-trace", "--tb=native"])
def test_the_python_side_of_a_failure_is_there_for_the_asking(run: Run, option: str) -> None:
    assert "conftest.py" in shown(run(option, a=WRONG))


@pytest.mark.parametrize(
    ("step", "lines"),
    [
        ("the map is right", ["    map.yaml:3: there is no pond"]),
        ("the pond holds 7", ["    assert 2 == 7"]),
        ("the pond is deep", ["    KeyError: 'depth'", "    at conftest.py:32; --full-trace *"]),
    ],
)
def test_a_failure_says_what_its_kind_of_error_can(
    run: Run, step: str, lines: Sequence[str]
) -> None:
    result = run(a=f"Feature: F\n  Scenario: S\n    Given a pond with 2 frogs\n    Then {step}\n")
    result.stdout.fnmatch_lines([f"features/a.feature:4: Then {step}", *lines], consecutive=True)


def test_a_step_out_of_order_says_which_step_is_missing_above_it(run: Run) -> None:
    result = run(a="Feature: F\n  Scenario: S\n    Then the pond has 2 frogs\n")
    wanted = [
        "features/a.feature:3: Then the pond has 2 frogs",
        "    this step needs 'pond', which no step above it has made",
        "    made by: Given a pond with <frogs> frogs | Given these frogs",
    ]
    assert "\n".join(wanted) in shown(result)


def test_a_new_file_in_the_step_folder_is_all_a_step_needs(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = pytester.mkdir("more_steps")
    (folder / "toads.py").write_text(
        "from pytest_bdd import then\n@then('toads sing')\ndef sing(): pass\n"
    )
    monkeypatch.setattr(step_package, "__path__", [str(folder)])
    monkeypatch.setattr(step_package, "__name__", "more_steps")
    assert step_package.modules() == ("more_steps.toads",)
    pytester.syspathinsert()
    feature = pytester.mkdir("features") / "a.feature"
    feature.write_text("Feature: F\n  Scenario: S\n    Then toads sing\n")
    plugin = ("-p", "no:creatura_bench", "-p", "bench.plugin", "-p", "no:cacheprovider")
    pytester.runpytest_inprocess(*plugin, "features").assert_outcomes(passed=1)


def results(run: Run, pytester: pytest.Pytester, **features: str) -> list[dict[str, Any]]:
    """Runs features and reads the results file back."""
    run("--scenario-results", "out/results.json", **features)
    found: list[dict[str, Any]] = json.loads((pytester.path / "out/results.json").read_text())
    assert [path.name for path in (pytester.path / "out").iterdir()] == ["results.json"]
    return found


def test_the_results_file_says_what_each_scenario_came_to(
    run: Run, pytester: pytest.Pytester
) -> None:
    late = "  @nightly @quick\n  Scenario: Late\n    Then it is too late\n"
    found = results(run, pytester, a=GOOD + late, b=WRONG)
    assert all(row.pop("seconds") > 0 for row in found)
    assert found == [
        {
            "feature": "features/a.feature", "line": 2, "name": "They jump", "tags": [],
            "outcome": "passed", "message": "",
        },
        {
            "feature": "features/a.feature", "line": 7, "name": "Late",
            "tags": ["nightly", "quick"], "outcome": "skipped", "message": "the frogs sleep",
        },
        {
            "feature": "features/b.feature", "line": 2, "name": "They jump, again", "tags": [],
            "outcome": "failed", "message": "features/b.feature:5: Then the pond has 6 frogs\n"
            "    the pond has 5 frogs, not 6",
        },
    ]  # fmt: skip


def test_the_results_file_names_an_outlines_rows(run: Run, pytester: pytest.Pytester) -> None:
    outline = (
        "Feature: F\n  Scenario Outline: {}\n    Given a pond with <n> frogs\n"
        "    Then the pond has <n> frogs\n    Examples:\n      | n |\n      | 1 |\n      | 2 |\n"
    )
    found = results(run, pytester, a=outline.format("Rows"), b=outline.format("Row <n>"))
    assert [row["name"] for row in found] == ["Rows [1]", "Rows [2]", "Row 1", "Row 2"]


def test_the_results_file_holds_each_problem_of_a_refused_file(
    run: Run, pytester: pytest.Pytester
) -> None:
    found = results(run, pytester, a="@oops\nFeature: F\n", b=GOOD)
    assert [(row["line"], row["outcome"], row["name"]) for row in found] == [
        (1, "error", ""),
        (2, "error", ""),
        (2, "passed", "They jump"),
    ]
    assert found[1]["message"].startswith("this feature holds no scenario\n")


def test_a_scenario_that_cannot_be_set_up_is_an_error(run: Run, pytester: pytest.Pytester) -> None:
    broken = """
    @pytest.fixture(autouse=True)
    def broken():
        raise OSError("the pond is dry")
    """
    pytester.makeconftest(CONFTEST + broken)
    (row,) = results(run, pytester, a=GOOD)
    assert row["outcome"] == "error"
    assert "the pond is dry" in row["message"]
