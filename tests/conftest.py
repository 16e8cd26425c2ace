"""Conftest: the Hypothesis profiles, and nothing that a single test folder could hold.

`ci`, the default, draws the same examples every time, so a red gate is red for everyone.
`HYPOTHESIS_PROFILE=nightly` draws new ones and remembers what failed.
"""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

# No deadlines: the first example of a test may pay for a compiler.
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.register_profile(
    "nightly",
    deadline=None,
    derandomize=False,
    max_examples=1000,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
