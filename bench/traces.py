"""Traces: what the runner hands to the store, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.matrix import Case
from creatura.results import Results
from creatura.world import World


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases that ran in lockstep, and what they left behind; case i is run i of the results.

    Attributes:
        group: Where the cases come from: `plan:quick`, or `features/x.feature:12 its name`.
        hashes: Digests of the world, the same for all cases: `variable_schema`, `initial_state`,
            `action_schema`, `transition_graph` and `vfs`, which sums up the others.
        run_hashes: A digest for each case of everything that determines its rows.
        world: What they ran in, where it is to be kept with them.
    """

    group: str
    cases: tuple[Case, ...]
    results: Results
    hashes: Mapping[str, str]
    run_hashes: tuple[str, ...]
    world: World | None = None

    def __post_init__(self) -> None:
        assert len(self.cases) == len(self.results) == len(self.run_hashes), "case i is run i"
