"""The suite can fail: for each law there is a part that breaks it, and the law catches it."""

from __future__ import annotations

import pytest

from bench.conformance import LAWS, Exam, Subject
from bench.conformance.design_laws import DESIGN_LAWS
from bench.conformance.extension_laws import EXTENSION_LAWS, untrue
from bench.conformance.seat_laws import SEAT_LAWS
from creatura import resolver
from creatura.resolver import Kind
from tests.worlds import LIE, play, restore_service

HEAD = """
import itertools, random
from creatura.protocols import *
COUNT = itertools.count()

def break_goal(context):
    object.__setattr__(context.brief.goal, "obligations", 0)

def break_tools(context):
    for tool in context.brief.tools:
        object.__setattr__(tool, "grants", 0)

class Part({base}):
    name = "part"
    carries = (Carried.OWN,)
    layer = LayerOptions()
    def __init__(self):
        self.seen = []
"""
BROKEN_DESIGNS = {
    "survives": "def record(self, context, event): return 1 / (3 - context.tick)",
    "answers": "def error(self, context): return 1.5",
    "pure": "def error(self, context): return random.random()",
    "ceiling": "def ceiling(self, context): return 0.05",
    "shown": "def shape(self, context, offered): return context.brief.tools",
    "goal": "def stop(self, context): break_goal(context)",
    "sleep": "def sleep(self, context): return 'a new goal'",
    "same again": """
    def __init__(self): self.share = (next(COUNT) % 7) / 7
    def error(self, context): return self.share""",
    "same alone": """
    def record(self, context, event): self.seen.append(context.facts)
    def error(self, context): return min(1.0, len(self.seen) / 1000)""",
    "apart": """
    def record(self, context, event):
        if context.brief.world not in self.seen: self.seen.append(context.brief.world)
    def error(self, context): return len(self.seen) / 2""",
    "wakes": "def wake(self, brief, memory): return 1 / 0",
    "frozen": "def record(self, context, event): return lambda: None",
    "options": "def sit(self): pass",
}
BROKEN_SEATS = {
    "survives": """
    def decide(self, batch):
        return [Answer(None, passes=9 // (3 - batch.tick) > 0)] * len(batch)""",
    "answers": "def decide(self, batch): return [Answer(None)]",
    "shown": """
    def decide(self, batch): return [Answer(batch.brief.tools[-1].id)] * len(batch)""",
    "nothing": """
    def decide(self, batch): return [Answer(None) if shown else None for shown in batch.offered]""",
    "alone": """
    def decide(self, batch):
        return [Answer(None, passes=len(batch) > 1) for _ in batch.facts]""",
    "order": """
    def decide(self, batch):
        return [Answer(None, passes=i % 2 == 0) for i in range(len(batch))]""",
    "goal": """
    def decide(self, batch):
        break_goal(batch)
        return [Answer(None) for _ in batch.facts]""",
    "same again": """
    def __init__(self): self.until = next(COUNT)
    def decide(self, batch):
        return [Answer(None, passes=batch.tick < self.until) for _ in batch.facts]""",
    "same alone": """
    def decide(self, batch): return [Answer(None, passes=len(batch) > 1) for _ in batch.facts]""",
    "apart": """
    def decide(self, batch):
        if batch.brief.world not in self.seen: self.seen.append(batch.brief.world)
        return [Answer(None, passes=len(self.seen) > 1) for _ in batch.facts]""",
    "frozen": """
    def decide(self, batch):
        self.seen.append(batch.tick)
        return [Answer(None, passes=len(self.seen) < 7) for _ in batch.facts]""",
}
BROKEN_EXTENSIONS = {
    "survives": "def record(self, context, event): return 1 / (3 - context.tick)",
    "answers": "def rejudge(self, context, event): return 'perhaps'",
    "pure": """
    def begin(self, brief): return []
    def record(self, context, event):
        context.memory.append(event)
        return context.memory""",
    "shown": "def propose(self, context): return context.brief.tools[-1]",
    "goal": "def record(self, context, event): break_tools(context)",
    "facts": "",  # see below: the loop lets no extension say what is done
    "quiet": "def record(self, context, event): break_tools(context)",
    "same again": """
    def __init__(self): self.until = next(COUNT)
    def rejudge(self, context, event): return context.tick < self.until""",
    "same alone": """
    def rejudge(self, context, event): return len(self.seen) % 3 == 0
    def record(self, context, event): self.seen.append(context.facts)""",
    "apart": """
    def record(self, context, event):
        if context.brief.world not in self.seen: self.seen.append(context.brief.world)
    def rejudge(self, context, event): return len(self.seen) > 1""",
    "wakes": "def wake(self, brief, memory): return 1 / 0",
    "frozen": "def record(self, context, event): return lambda: None",
}
BASES = {Kind.DESIGN: "Slots", Kind.SEAT: "", Kind.EXTENSION: "Verbs"}
CASES = [
    (kind, name, body)
    for kind, table in (
        (Kind.DESIGN, BROKEN_DESIGNS),
        (Kind.SEAT, BROKEN_SEATS),
        (Kind.EXTENSION, BROKEN_EXTENSIONS),
    )
    for name, body in table.items()
    if body
]


@pytest.fixture
def two_worlds(monkeypatch):
    """Examines in two worlds, which is as few as every law needs."""
    few = [resolver.world_file("permit"), resolver.world_file("restore-service")]
    monkeypatch.setattr(resolver, "worlds", lambda: few)


def exam_of(kind: Kind, body: str, tmp_path) -> Exam:
    file = tmp_path / "broken.py"
    file.write_text(f"{HEAD.format(base=BASES[kind])}\n    {body}\n")
    return Exam(Subject(kind, f"{file}:Part"))


@pytest.mark.usefixtures("two_worlds")
@pytest.mark.parametrize(("kind", "name", "body"), CASES, ids=[f"{k}-{n}" for k, n, _ in CASES])
def test_a_law_catches_the_part_that_breaks_it(kind, name, body, tmp_path):
    (law,) = [law for law in LAWS[kind] if law.name == name]
    breach = law.check(exam_of(kind, body, tmp_path))
    assert breach is not None
    assert breach.asked
    assert breach.came


@pytest.mark.parametrize(
    ("laws", "broken"),
    [
        (DESIGN_LAWS, BROKEN_DESIGNS),
        (SEAT_LAWS, BROKEN_SEATS),
        (EXTENSION_LAWS, BROKEN_EXTENSIONS),
    ],
)
def test_every_law_has_a_part_that_breaks_it(laws, broken):
    assert {law.name for law in laws} == set(broken)


@pytest.mark.usefixtures("two_worlds")
def test_a_breach_says_where_it_is_and_how_to_see_it_again(tmp_path):
    body = "def record(self, context, event): return 1 / (isinstance(event, HandOff) - 1)"
    breach = exam_of(Kind.DESIGN, body, tmp_path).seen["survives"]
    assert breach.came == "ZeroDivisionError: division by zero"
    assert breach.asked.startswith("'record' at tick ")
    assert breach.where.startswith("permit, ")
    assert breach.replay.startswith("creatura run permit --design ")
    assert "broken.py:Part --seat bfs --" in breach.replay


def test_facts_that_do_not_bear_out_what_a_run_says_are_told():
    trusting = play(restore_service(), "careless", LIE)
    assert untrue(trusting, 0, False).startswith("declared done, and the facts at the close are")
    honest = play(restore_service(), "plain", LIE)
    assert untrue(honest, 0, True) is None
    assert untrue(honest, 0, False).startswith("'True', and the facts")
