"""Vocabulary: every kind of event in every design's own words, side by side with the others'.

The file is read by people: the same thing happens to each design, and each tells it as its idea of
itself demands. To keep what a design says now, print it: `python -m tests.golden.vocabulary.told`.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from tests.golden.vocabulary.told import told

KEPT = Path(__file__).parent / "vocabulary.txt"


def test_every_design_tells_every_event_as_it_did() -> None:
    kept = KEPT.read_text(encoding="utf-8").splitlines()
    moved = difflib.unified_diff(kept, told(), "kept", "now", lineterm="")
    difference = "\n".join(moved)
    assert not difference, f"read it, and keep it only if it is right:\n{difference}"
