"""Conformance: what every design, seat and extension promises, a user's own included.

A law is a sentence with a check. `examine` holds a part to the laws of its kind in every packaged
world and under every mode of fault, and tells of each law that fails what was asked, what came, and
how to see it again.
"""

from collections.abc import Mapping

from bench.conformance.design_laws import DESIGN_LAWS
from bench.conformance.exam import Exam, Subject
from bench.conformance.extension_laws import EXTENSION_LAWS
from bench.conformance.law import Breach, Finding, Law, Weight
from bench.conformance.seat_laws import SEAT_LAWS
from creatura.parts.files import in_words
from creatura.resolver import Kind

LAWS: Mapping[Kind, tuple[Law[Exam], ...]] = {
    Kind.DESIGN: DESIGN_LAWS,
    Kind.SEAT: SEAT_LAWS,
    Kind.EXTENSION: EXTENSION_LAWS,
}


def examine(subject: Subject) -> list[Finding]:
    """Holds a part to every law of its kind, in the order of the table."""
    exam = Exam(subject)
    return [Finding(law.name, law.sentence, _held(law, exam)) for law in LAWS[subject.kind]]


def _held(law: Law[Exam], exam: Exam) -> Breach | None:
    try:
        return law.check(exam)
    except Exception as error:  # a part that does well once may still fail when it plays again
        return Breach("to play its trials once more", in_words(error))


__all__ = ["LAWS", "Breach", "Exam", "Finding", "Law", "Subject", "Weight", "examine"]
