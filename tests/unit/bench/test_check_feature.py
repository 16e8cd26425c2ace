"""Check feature: each way a feature file can be wrong, and the exact words it is refused with."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.catalogue import StepTemplate
from bench.gherkin import check_feature, inspect_feature
from bench.gherkin.reader import parse_feature
from creatura.errors import AuthorError, Problem
from tests.unit.bench.toy_pond import pond_steps

STEPS: tuple[StepTemplate, ...] = pond_steps()
ENDING = "    Then the pond has 2 frogs\n"


def problems(tmp_path: Path, text: str | bytes) -> str:
    """Checks a feature file; of a step's place only the file's name is kept."""
    path = tmp_path / "x.feature"
    path.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())
    found = "\n".join(map(str, check_feature(path, STEPS, "x.feature")))
    return re.sub(r"\([^() ]*toy_pond\.py:\d+\)", "(toy_pond.py)", found)


def scenario(*lines: str) -> str:
    """A feature whose one scenario starts on line 3."""
    return "\n".join(("Feature: Frogs", "  Scenario: One", *(f"    {line}" for line in lines)))


GOOD = """\
    @must-hold
    Feature: Frogs
      Frogs jump. When a tool lies, nobody hears: prose may say such things.
      Note: and it may have colons.

      Background:
        Given a pond with 2 frogs
        * a pause

      @quick
      Scenario: They jump
        When 1,000 frogs jump in
        And a pause
        Then the pond has 1002 frogs

      Rule: Rain
        Rain is good for frogs.
        Background:
          Given a letter
            \"\"\"
            rain, <soon>
            \"\"\"
        Scenario Outline: It rains <share>
          Given these frogs
            | name   | size   |
            | <name> | <size> |
          When it rains on <share> of the pond
          Then the pond has <left> frogs
          @nightly
          Examples:
            | share | left | name | size | soon |
            | 5%    | 2    | Bo   | 1    | now  |
            | 50 %  | 1    | Al   | 2    | no   |
"""


def test_a_feature_without_a_problem_is_let_through(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == ""


@pytest.mark.parametrize(
    "written", ["When 3 frogs jump in.", "When 3  frogs   jump in", "When 3 Frogs Jump In"]
)
def test_case_spaces_and_a_final_dot_do_not_count_in_a_sentence(
    tmp_path: Path, written: str
) -> None:
    assert problems(tmp_path, scenario("Given a pond with 2 frogs", written, ENDING.strip())) == ""


def test_a_byte_order_mark_and_windows_line_ends_are_no_problem(tmp_path: Path) -> None:
    text = dedent(GOOD).replace("\n", "\r\n").encode("utf-8-sig")
    assert problems(tmp_path, text) == ""


def test_lines_are_counted_right_after_windows_line_ends(tmp_path: Path) -> None:
    text = scenario("Gievn a pond", "Then the pond has 2 frogs").replace("\n", "\r\n")
    assert problems(tmp_path, text.encode("utf-8-sig")).startswith("x.feature:3: 'Gievn a pond'")


def test_a_feature_in_another_language_is_read_by_its_keywords(tmp_path: Path) -> None:
    german = """\
        # language: de
        Funktion: Frösche
          Szenario: Eins
            Angenommen a pond with 2 frogs
            Dann the pond has 2 frogs
    """
    assert problems(tmp_path, german) == ""
    misspelt = german.replace("Angenommen a", "Angenomen a")
    assert problems(tmp_path, misspelt) == (
        "x.feature:4: 'Angenomen a pond with 2 frogs' is no step, so it would not run\n"
        "    did you mean 'Angenommen a pond with 2 frogs'?"
        " Prose goes under 'Funktionalität:' or after a '#'"
    )


# What could not be read at all.
UNREADABLE = {
    "empty": (
        b"",
        "x.feature:1: this file holds no feature\n    begin with 'Feature: <one behaviour>'",
    ),
    "only a comment": (
        "# frogs\n",
        "x.feature:1: this file holds no feature\n    begin with 'Feature: <one behaviour>'",
    ),
    "not UTF-8": (
        "Feature: Frösche".encode("latin-1"),
        "x.feature:1: this is not UTF-8 text\n    save the file as UTF-8",
    ),
    "an unknown language": (
        "# language: dee\nFeature: Frogs\n",
        "x.feature:1: there is no language 'dee'\n"
        "    write a language code such as 'en' or 'de'; did you mean 'de'?",
    ),
    "no language at all": (
        "# language: klingon\nFeature: Frogs\n",
        "x.feature:1: there is no language 'klingon'\n"
        "    write a language code such as 'en' or 'de'",
    ),
    "a misspelt title": (
        "Fature: Frogs\n  Scenario: One\n    Given a pond with 2 frogs\n" + ENDING,
        "x.feature:1: 'Fature: Frogs' stands where the file should begin\n"
        "    did you mean 'Feature: Frogs'?",
    ),
    "no title": (
        "Given a pond with 2 frogs\n",
        "x.feature:1: 'Given a pond with 2 frogs' stands where the file should begin\n"
        "    put 'Feature: <one behaviour>' first",
    ),
    "a misspelt later keyword": (
        scenario("Given a pond with 2 frogs", "Thn the pond has 2 frogs"),
        "x.feature:4: 'Thn the pond has 2 frogs' is no step\n"
        "    did you mean 'Then the pond has 2 frogs'?",
    ),
    "a lower-case keyword": (
        scenario("Given a pond with 2 frogs", "then the pond has 2 frogs"),
        "x.feature:4: 'then the pond has 2 frogs' is no step\n"
        "    did you mean 'Then the pond has 2 frogs'?",
    ),
    "a misspelt later heading": (
        scenario("Given a pond with 2 frogs", "Scenaro: Two"),
        "x.feature:4: 'Scenaro: Two' is no step\n    did you mean 'Scenario: Two'?",
    ),
    "prose between steps": (
        scenario("Given a pond with 2 frogs", "which is blue"),
        "x.feature:4: 'which is blue' is no step\n"
        "    begin it with Given, When, Then, And or But, or with '#'",
    ),
    "a bare keyword": (
        scenario("Given a pond with 2 frogs", "Then"),
        "x.feature:4: 'Then' says nothing\n    write a sentence after the keyword",
    ),
    "a late background": (
        scenario("Given a pond with 2 frogs", "Background:"),
        "x.feature:4: 'Background:' cannot stand here\n    the order is Feature, Background,"
        " then scenarios and rules; Examples end an outline",
    ),
    "a second feature": (
        scenario("Given a pond with 2 frogs", "Feature: Toads"),
        "x.feature:4: 'Feature:' cannot stand here\n"
        "    one file holds one feature; move it to a file of its own",
    ),
    "a ragged table": (
        scenario("Given these frogs", "| Bo | 1 |", "| Al |"),
        "x.feature:5: this table row has 1 cell, the table's first row has 2\n"
        "    give every row the same cells; '\\|' is a bar inside one",
    ),
    "a ragged row of examples": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n"
        "    Examples:\n      | n |\n      | 1 | 2 |\n",
        "x.feature:6: this table row has 2 cells, the table's first row has 1\n"
        "    give every row the same cells; '\\|' is a bar inside one",
    ),
    "an open text block": (
        scenario("Given a letter", '"""', "hello"),
        'x.feature:4: this text block is never closed\n    put """ on a line under its last',
    ),
    "tags above nothing": (
        scenario("Then the pond has 2 frogs") + "\n  @quick\n",
        "x.feature:4: these tags stand above nothing\n"
        "    put the scenario they belong to under them, or remove them",
    ),
    "a tag with a space": (
        "Feature: Frogs\n  @must hold\n  Scenario: One\n" + ENDING,
        "x.feature:2: '@must hold' is no line of tags\n"
        "    write tags as words that begin with '@', such as '@must-hold @quick'",
    ),
    "two errors": (
        scenario("Thn a", "Given a pond with 2 frogs", "Thn b", "Wen c"),
        "x.feature:5: 'Thn b' is no step\n    did you mean 'Then b'?\n"
        "x.feature:6: 'Wen c' is no step\n    did you mean 'When c'?",
    ),
}

# What reads well and would be green in silence, or fail late.
REFUSED = {
    "a misspelt first keyword": (
        scenario("Gievn a pond with 2 frogs", "Then the pond has 2 frogs"),
        "x.feature:3: 'Gievn a pond with 2 frogs' is no step, so it would not run\n"
        "    did you mean 'Given a pond with 2 frogs'? Prose goes under 'Feature:' or after a '#'",
    ),
    "a misspelt only keyword": (
        scenario("thn the pond has 2 frogs"),
        "x.feature:3: 'thn the pond has 2 frogs' is no step, so it would not run\n"
        "    did you mean 'Then the pond has 2 frogs'? Prose goes under 'Feature:' or after a '#'",
    ),
    "prose in a scenario": (
        scenario("It is a sunny day.", "", "Then the pond has 2 frogs"),
        "x.feature:3: 'It is a sunny day.' is no step, so it would not run\n"
        "    a step begins with Given, When, Then, And or But."
        " Prose goes under 'Feature:' or after a '#'",
    ),
    "a misspelt step in a background": (
        "Feature: Frogs\n  Background:\n    Gven a pond with 2 frogs\n  Scenario: One\n" + ENDING,
        "x.feature:3: 'Gven a pond with 2 frogs' is no step, so it would not run\n"
        "    did you mean 'Given a pond with 2 frogs'? Prose goes under 'Feature:' or after a '#'",
    ),
    "a misspelt heading": (
        "Feature: Frogs\n  Scenaro: Lost\n    Given a pond with 2 frogs\n  Scenario: One\n"
        + ENDING,
        "x.feature:2: 'Scenaro: Lost' was read as prose, so nothing under it would run\n"
        "    did you mean 'Scenario: Lost'?",
    ),
    "steps above any scenario": (
        "Feature: Frogs\n  Given a pond with 2 frogs\n  Scenario: One\n" + ENDING,
        "x.feature:2: 'Given a pond with 2 frogs' stands above any scenario,"
        " so it would not run\n    put 'Scenario: <what happens>' above it",
    ),
    "a second title": (
        "Feature: Frogs\nFeature: Toads\n  Scenario: One\n" + ENDING,
        "x.feature:2: 'Feature: Toads' was read as prose, so nothing under it would run\n"
        "    one file holds one feature; move it to a file of its own",
    ),
    "title only": (
        "\nFeature: Frogs\n",
        "x.feature:2: this feature holds no scenario\n"
        "    write 'Scenario: <what happens>' and its steps under it",
    ),
    "two scenarios of one name": (
        "Feature: Frogs\n  Scenario: One\n" + ENDING + "  Scenario: One\n" + ENDING,
        "x.feature:4: scenario 'One' has the same name as the one on line 2\n"
        "    give it a name of its own; only one of them would run",
    ),
    "two of one name in two rules": (
        "Feature: Frogs\n  Rule: A\n  Scenario: One\n"
        + ENDING
        + "  Rule: B\n  Scenario: One\n"
        + ENDING,
        "x.feature:6: scenario 'One' has the same name as the one on line 3\n"
        "    give it a name of its own; only one of them would run",
    ),
    "no name": (
        "Feature: Frogs\n  Scenario:\n" + ENDING,
        "x.feature:2: this scenario has no name\n    say after 'Scenario:' what happens in it",
    ),
    "no steps": (
        scenario(),
        "x.feature:2: scenario 'One' has no steps, so it would pass\n"
        "    write its steps under it, or remove it",
    ),
    "no Then": (
        scenario("Given a pond with 2 frogs", "When 1 frogs jump in"),
        "x.feature:2: scenario 'One' has no Then, so it would pass whatever happens\n"
        "    end it with 'Then <what must hold>'",
    ),
    "And first": (
        scenario("And a pond with 2 frogs", "Then the pond has 2 frogs"),
        "x.feature:3: 'And a pond with 2 frogs' is the first step here, so 'And' repeats nothing\n"
        "    begin with Given, When or Then",
    ),
    "an outline without Examples": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n",
        "x.feature:2: outline 'One' has no Examples, so no row of it would run\n"
        "    put 'Examples:' and a table under its steps",
    ),
    "Examples without a table": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has 2 frogs\n    Examples:\n",
        "x.feature:4: these Examples have no rows\n"
        "    put a row of column names and a row of values under it",
    ),
    "Examples without a row": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n"
        "    Examples:\n      | n |\n",
        "x.feature:4: these Examples have no rows\n"
        "    put a row of column names and a row of values under it",
    ),
    "a column twice": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n"
        "    Examples:\n      | n | n |\n      | 1 | 2 |\n",
        "x.feature:4: these Examples have two columns named 'n'\n"
        "    give each column a name of its own",
    ),
    "a placeholder without a column": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <frog> frogs\n"
        "    Examples:\n      | frogs |\n      | 1 |\n",
        "x.feature:3: '<frog>' has no column in Examples; did you mean 'frogs'?\n"
        "    add the column, or write the value here",
    ),
    "a placeholder without Examples": (
        scenario("Then the pond has <n> frogs"),
        "x.feature:3: '<n>' is a placeholder, and 'One' has no Examples\n"
        "    write the value here, or add 'Examples:' with such a column",
    ),
    "an unknown tag": (
        "@must-hld\nFeature: Frogs\n  @regulator:bach\n  Scenario: One\n" + ENDING,
        "x.feature:1: there is no tag '@must-hld'; did you mean 'must-hold'?\n"
        "    use a known tag, or add a row to bench/gherkin/tags.py\n"
        "x.feature:3: there is no tag '@regulator:bach';"
        " known: quick, nightly, hypothesis, must-hold, contention\n"
        "    use a known tag, or add a row to bench/gherkin/tags.py",
    ),
    "a tag that would switch a scenario off": (
        "Feature: Frogs\n  @skip\n  Scenario: One\n" + ENDING,
        "x.feature:2: there is no tag '@skip';"
        " known: quick, nightly, hypothesis, must-hold, contention\n"
        "    use a known tag, or add a row to bench/gherkin/tags.py",
    ),
    "an unknown tag on Examples": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n"
        "    @nightli\n    Examples:\n      | n |\n      | 1 |\n",
        "x.feature:4: there is no tag '@nightli'; did you mean 'nightly'?\n"
        "    use a known tag, or add a row to bench/gherkin/tags.py",
    ),
    "two steps that read one sentence": (
        scenario('When the colour is "blue"', "Then the pond has 2 frogs"),
        "x.feature:3: two steps read 'When the colour is \"blue\"'\n"
        "    'When the colour is \"<colour>\"' (toy_pond.py) and"
        " 'When the colour is \"<taste>\"' (toy_pond.py); reword one of them",
    ),
    "an async step": (
        scenario("Given a heron that waits", "Then the pond has 2 frogs"),
        "x.feature:3: 'Given a heron that waits' is an async step, which nothing awaits\n"
        "    make it plain def (toy_pond.py)",
    ),
    "a table nobody takes": (
        scenario("Given a pond with 2 frogs", "| Bo |", "Then the pond has 2 frogs"),
        "x.feature:3: 'Given a pond with 2 frogs' takes no table, so it would be ignored\n"
        "    remove it (toy_pond.py)",
    ),
    "a text block nobody takes": (
        scenario("Given a pond with 2 frogs", '"""', "x", '"""', "Then the pond has 2 frogs"),
        "x.feature:3: 'Given a pond with 2 frogs' takes no text block, so it would be ignored\n"
        "    remove it (toy_pond.py)",
    ),
    "a missing table": (
        scenario("Given these frogs", "Then the pond has 2 frogs"),
        "x.feature:3: 'Given these frogs' needs a table\n"
        "    write it under the step, as lines of '| cell | cell |'",
    ),
    "a missing text block": (
        scenario("Given a letter", "Then the pond has 2 frogs"),
        "x.feature:3: 'Given a letter' needs a text block\n"
        '    write it under the step, as lines between two \'"""\'',
    ),
    "a step under another keyword": (
        scenario("Given a pond with 2 frogs", "When the pond has 2 frogs", "Then a pause"),
        "x.feature:4: 'the pond has 2 frogs' is a Then step, and stands here as a When\n"
        "    write 'Then the pond has 2 frogs' (toy_pond.py)",
    ),
    "an And that carries the wrong keyword on": (
        scenario("Then the pond has 2 frogs", "And 2 frogs jump in"),
        "x.feature:4: '2 frogs jump in' is a When step, and stands here as a Then\n"
        "    write 'When 2 frogs jump in' (toy_pond.py)",
    ),
    "an unknown step": (
        scenario("Given a pond wiht 2 frogs", "Then the pond has 2 frogs"),
        "x.feature:3: no step reads 'Given a pond wiht 2 frogs'\n"
        "    nearest: Given a pond with <frogs> frogs | Then the pond has <frogs> frogs"
        ' | Given a pond named "<name>"',
    ),
    "a step like no other": (
        scenario("Given zzz", "Then the pond has 2 frogs"),
        "x.feature:3: no step reads 'Given zzz'\n"
        "    'creatura steps' lists the sentences there are",
    ),
    "a value out of range": (
        scenario("Then they are gone by tick 0"),
        "x.feature:3: 'Then they are gone by tick 0': ticks count from 1, found tick 0\n"
        "    its form is 'Then they are gone by tick <tick>'",
    ),
    "one bad row of an outline": (
        "Feature: Frogs\n  Scenario Outline: One\n    Then the pond has <n> frogs\n"
        "    Examples:\n      | n |\n      | 1 |\n      | two |\n",
        "x.feature:3: no step reads 'Then the pond has two frogs'\n"
        "    nearest: Then the pond has <frogs> frogs | Given a pond with <frogs> frogs"
        " | Given these frogs",
    ),
}


@pytest.mark.parametrize(("text", "expected"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_that_is_no_gherkin_is_told_so_in_two_lines(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    assert problems(tmp_path, text) == expected


@pytest.mark.parametrize(("text", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_would_mislead_is_refused_in_two_lines(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert problems(tmp_path, text) == expected


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    (problem,) = check_feature(tmp_path / "gone.feature", STEPS, "gone.feature")
    assert str(problem) == (
        "gone.feature: cannot be read: no such file or directory\n    check the path"
    )


def test_every_problem_of_a_file_is_told_at_once_in_the_order_of_its_lines(tmp_path: Path) -> None:
    text = """\
        @oops
        Feature: Frogs
          Scenario: One
            Given a pond wiht 2 frogs
          Scenario: One
    """
    lines = [line for line in problems(tmp_path, text).split("\n") if line.startswith("x.")]
    assert [line.split(":")[1] for line in lines] == ["1", "3", "4", "5", "5"]


def test_a_step_in_a_background_is_judged_once_however_many_scenarios_it_precedes(
    tmp_path: Path,
) -> None:
    text = "Feature: Frogs\n  Background:\n    Given zzz\n"
    text += "".join(f"  Scenario: {name}\n{ENDING}" for name in ("One", "Two", "Three"))
    assert problems(tmp_path, text).count("no step reads") == 1


PIECES = st.sampled_from(
    "Feature: |Feature: F|Rule: R|Background:|Scenario: S|Scenario Outline: <n>|Examples:"
    "|Examples: E|Given a pond with 2 frogs|And a pause|* a pause|When <n> frogs jump in|Then"
    "|Then the pond has|Gievn x|# language: de|# language: xx|# note|@quick|@quick @no|@a b"
    '|"""|```|\\f|\\|Result: x|prose|'.split("|")
)
ROWS = st.sampled_from(["| n |", "| 1 |", "| n | m |", "| 1 | \\| |", "|", "||", "| <n> |"])


@given(st.lists(st.one_of(PIECES, ROWS, st.text(max_size=6)), max_size=14))
@settings(max_examples=200)
def test_whatever_the_text_the_answer_is_a_list_of_two_line_problems(lines: list[str]) -> None:
    for text in ("\n".join(lines), "\n".join(["Feature: F", *lines])):
        found: tuple[Problem, ...]
        try:
            found = inspect_feature(parse_feature(text, "x.feature"), STEPS)
        except AuthorError as error:
            found = error.problems
        assert all(str(problem).count("\n    ") == 1 for problem in found)
