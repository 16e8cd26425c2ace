"""Sentences: what is wrong with the steps of a feature, held against a catalogue.

An outline is judged row by row, as it would run; of one line only the first problem is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.catalogue import StepTemplate, Takes, matching, nearest_steps
from bench.gherkin.model import Feature, Line, Step
from bench.gherkin.wording import guess_heading, problem
from creatura.errors import Problem


def check_sentences(feature: Feature, known: Sequence[StepTemplate]) -> Iterator[Problem]:
    """Finds every step that no template reads, that several do, or that one cannot run."""
    found: dict[int, Problem] = {}
    judged: set[Step] = set()
    for scenario in feature.scenarios:
        for step in (step for run in scenario.runs() for step in run):
            # A step without a kind, or with a placeholder left, is told by its shape.
            if step in judged or not step.kind or step.placeholders():
                continue
            judged.add(step)
            trouble = _trouble(step, known)
            if trouble:
                found.setdefault(step.line, problem(feature.file, step.line, *trouble))
    yield from found.values()
    yield from _lost_steps(feature, known)


def _trouble(step: Step, known: Sequence[StepTemplate]) -> tuple[str, str] | None:
    here, elsewhere = matching(step.kind, step.text, known)
    if not here:
        return _misplaced(step, elsewhere) if elsewhere else _unknown(step, known)
    if len(here) > 1:
        both = " and ".join(f"'{t.sentence}' ({t.place})" for t in here[:2])
        return f"two steps read '{step.full}'", f"{both}; reword one of them"
    return _unusable(step, here[0])


def _misplaced(step: Step, elsewhere: Sequence[StepTemplate]) -> tuple[str, str]:
    right = elsewhere[0]
    wrong = f"'{step.text}' is a {right.keyword} step, and stands here as a {step.kind}"
    return wrong, f"write '{right.keyword} {step.text}' ({right.place})"


def _unknown(step: Step, known: Sequence[StepTemplate]) -> tuple[str, str]:
    near = nearest_steps(step.kind, step.text, known)
    if not near:
        return f"no step reads '{step.full}'", "'creatura steps' lists the sentences there are"
    return f"no step reads '{step.full}'", "nearest: " + " | ".join(t.sentence for t in near)


def _unusable(step: Step, template: StepTemplate) -> tuple[str, str] | None:
    """Tells why the one step that reads a sentence cannot run it."""
    at = f"({template.place})"
    if template.is_async:
        return f"'{step.full}' is an async step, which nothing awaits", f"make it plain def {at}"
    fixes = (
        ("table", template.table, step.table, "lines of '| cell | cell |'"),
        ("text block", template.text_block, step.text_block, 'lines between two \'"""\''),
    )
    for what, takes, given, form in fixes:
        if given is None and takes is Takes.NEEDS:
            return f"'{step.full}' needs a {what}", f"write it under the step, as {form}"
        if given is not None and takes is Takes.NO:
            return f"'{step.full}' takes no {what}, so it would be ignored", f"remove it {at}"
    try:
        template.parser.parse_arguments(step.text)
    except ValueError as error:
        return f"'{step.full}': {error}", f"its form is '{template.sentence}'"
    return None


def _lost_steps(feature: Feature, known: Sequence[StepTemplate]) -> Iterator[Problem]:
    """Finds steps that stand in a feature's prose, where they look like a scenario's."""
    for prose in feature.prose:
        if any(guess_heading(line.text, feature.headings) for line in prose):
            continue  # A misspelt heading explains every line under it.
        for line in prose:
            if _is_step(line, feature, known):
                wrong = f"'{line.text}' stands above any scenario, so it would not run"
                fix = "put 'Scenario: <what happens>' above it"
                yield problem(feature.file, line.number, wrong, fix)


def _is_step(line: Line, feature: Feature, known: Sequence[StepTemplate]) -> bool:
    first, _, rest = line.text.partition(" ")
    return first in feature.step_words and any(template.matches(rest) for template in known)
