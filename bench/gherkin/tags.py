"""Tags: every tag a scenario may carry, and what it stands for."""

from __future__ import annotations

from collections.abc import Mapping

TAGS: Mapping[str, str] = {
    "quick": "part of the short run that a person waits for",
    "nightly": "too long to wait for; run overnight",
    "hypothesis": "draws many cases instead of stating one",
    "must-hold": "a promise of the product; a failure stops a release",
    "contention": "several agents want the same thing",
}
