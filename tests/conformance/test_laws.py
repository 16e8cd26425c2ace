"""Every registered design, seat and extension keeps every law of its kind."""

from __future__ import annotations

from functools import cache

import pytest

from bench.conformance import LAWS, Exam, Subject
from creatura import resolver
from creatura.resolver import Kind

PARTS = [
    *((Kind.DESIGN, e.name) for e in (*resolver.designs(), *resolver.presets())),
    *((Kind.SEAT, e.name) for e in resolver.seats() if ":" not in e.name),
    (Kind.SEAT, "script:read-logs,-,no-such-tool"),
    *((Kind.EXTENSION, e.name) for e in resolver.extensions() if e.name != "note"),
    (Kind.EXTENSION, "exploration(scaled=True)"),
    (Kind.EXTENSION, "note(text='the gate sticks')"),
]


@cache
def exam_of(kind: Kind, text: str) -> Exam:
    return Exam(Subject(kind, text))


@pytest.mark.parametrize(
    ("kind", "text", "law"),
    [pytest.param(k, t, law, id=f"{t}-{law.name}") for k, t in PARTS for law in LAWS[k]],
)
def test_a_registered_part_keeps_the_law(kind, text, law):
    breach = law.check(exam_of(kind, text))
    assert breach is None, f"{law.sentence} {breach}"
