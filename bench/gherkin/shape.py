"""Shape: what is wrong with a feature file whatever the steps mean.

Each rule here answers a way in which a file can look tested and be green in silence: a scenario
that another of the same name replaces, a step that became prose, an outline that never ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.gherkin.model import PLACEHOLDER, Background, Examples, Feature, Line, Scenario, Step
from bench.gherkin.tags import TAGS
from bench.gherkin.wording import guess_heading, guess_step, listed, problem
from creatura.errors import Problem, did_you_mean


def check_shape(feature: Feature) -> Iterator[Problem]:
    """Finds every problem that needs no knowledge of steps."""
    for check in CHECKS:
        yield from check(feature)


def _headings(feature: Feature) -> Iterator[Problem]:
    for line in (line for prose in feature.prose for line in prose):
        guess = guess_heading(line.text, feature.headings)
        if guess is None:
            continue
        wrong = f"'{line.text}' was read as prose, so nothing under it would run"
        fix = f"did you mean '{guess}'?"
        if line.text.partition(":")[0] == feature.headings[0]:
            fix = "one file holds one feature; move it to a file of its own"
        yield problem(feature.file, line.number, wrong, fix)


def _stray_lines(feature: Feature) -> Iterator[Problem]:
    holders: tuple[Background | Scenario, ...] = (*feature.backgrounds, *feature.scenarios)
    for line in (line for holder in holders for line in holder.prose):
        guess = guess_step(line.text, feature.step_words)
        known = f"a step begins with {listed(feature.step_words)}."
        hint = f"did you mean '{guess}'?" if guess else known
        wrong = f"'{line.text}' is no step, so it would not run"
        fix = f"{hint} Prose goes under '{feature.headings[0]}:' or after a '#'"
        yield problem(feature.file, line.number, wrong, fix)


def _no_scenarios(feature: Feature) -> Iterator[Problem]:
    if not feature.scenarios and not any(_headings(feature)):
        fix = "write 'Scenario: <what happens>' and its steps under it"
        yield problem(feature.file, feature.line, "this feature holds no scenario", fix)


def _names(feature: Feature) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for scenario in feature.scenarios:
        if not scenario.name:
            fix = "say after 'Scenario:' what happens in it"
            yield problem(feature.file, scenario.line, "this scenario has no name", fix)
        elif scenario.name in first:
            line = first[scenario.name]
            wrong = f"scenario '{scenario.name}' has the same name as the one on line {line}"
            fix = "give it a name of its own; only one of them would run"
            yield problem(feature.file, scenario.line, wrong, fix)
        first.setdefault(scenario.name, scenario.line)


def _steps(feature: Feature) -> Iterator[Problem]:
    for scenario in feature.scenarios:
        if scenario.prose:
            continue  # A stray line is most likely the step that is missing.
        if not scenario.steps:
            wrong = f"scenario '{scenario.name}' has no steps, so it would pass"
            fix = "write its steps under it, or remove it"
            yield problem(feature.file, scenario.line, wrong, fix)
        elif all(step.kind != "Then" for step in scenario.steps):
            wrong = f"scenario '{scenario.name}' has no Then, so it would pass whatever happens"
            fix = "end it with 'Then <what must hold>'"
            yield problem(feature.file, scenario.line, wrong, fix)


def _first_words(feature: Feature) -> Iterator[Problem]:
    holders: tuple[Background | Scenario, ...] = (*feature.backgrounds, *feature.scenarios)
    for holder in holders:
        for step in holder.steps[:1]:
            if not step.kind:
                wrong = f"'{step}' is the first step here, so '{step.keyword}' repeats nothing"
                fix = f"begin with {listed(feature.step_words[:3])}"
                yield problem(feature.file, step.line, wrong, fix)


def _outlines(feature: Feature) -> Iterator[Problem]:
    for scenario in feature.scenarios:
        columns = {column for table in scenario.examples for column in table.columns}
        if scenario.is_outline and not scenario.examples:
            wrong = f"outline '{scenario.name}' has no Examples, so no row of it would run"
            fix = "put 'Examples:' and a table under its steps"
            yield problem(feature.file, scenario.line, wrong, fix)
            continue
        for table in scenario.examples:
            yield from _examples(feature, table)
        if not scenario.is_outline or columns:
            yield from _placeholders(feature, scenario, columns)


def _examples(feature: Feature, table: Examples) -> Iterator[Problem]:
    if not table.rows:
        fix = "put a row of column names and a row of values under it"
        yield problem(feature.file, table.line, "these Examples have no rows", fix)
    twice = next((c for i, c in enumerate(table.columns) if c in table.columns[:i]), None)
    if twice is not None:
        wrong = f"these Examples have two columns named '{twice}'"
        yield problem(feature.file, table.line, wrong, "give each column a name of its own")


def _placeholders(feature: Feature, scenario: Scenario, columns: set[str]) -> Iterator[Problem]:
    for line, name in _blanks(scenario):
        if name in columns:
            continue
        wrong = f"'<{name}>' has no column in Examples{did_you_mean(name, sorted(columns))}"
        fix = "add the column, or write the value here"
        if not columns:
            wrong = f"'<{name}>' is a placeholder, and '{scenario.name}' has no Examples"
            fix = "write the value here, or add 'Examples:' with such a column"
        yield problem(feature.file, line, wrong, fix)


def _blanks(scenario: Scenario) -> Iterator[tuple[int, str]]:
    steps: tuple[Step, ...] = (*scenario.before, *scenario.steps)
    yield from ((scenario.line, name) for name in PLACEHOLDER.findall(scenario.name))
    yield from ((step.line, name) for step in steps for name in step.placeholders())


def _tags(feature: Feature) -> Iterator[Problem]:
    unknown: list[Line] = [tag for tag in feature.tags if tag.text not in TAGS]
    for tag in unknown:
        wrong = f"there is no tag '@{tag.text}'{did_you_mean(tag.text, TAGS)}"
        fix = "use a known tag, or add a row to bench/gherkin/tags.py"
        yield problem(feature.file, tag.number, wrong, fix)


CHECKS: tuple[Callable[[Feature], Iterator[Problem]], ...] = (
    _headings,
    _stray_lines,
    _no_scenarios,
    _names,
    _steps,
    _first_words,
    _outlines,
    _tags,
)
