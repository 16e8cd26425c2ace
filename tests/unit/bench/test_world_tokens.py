"""World tokens: `creatura world tokens`, for people and machines."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from creatura import resolver
from creatura.world import load_world
from tests.unit.bench.conftest import Run


def test_a_layout_is_told_to_people_and_machines(creatura_world: Run) -> None:
    status, out, _ = creatura_world("tokens", "hidden_health", "--agents", "3")
    assert status == 0
    head, size, _, _, *rows = out.splitlines()
    assert head == "hidden_health: the row of each agent, with 3 agents in the run"
    assert size == "13 tokens, 60 lanes, 240 bytes"
    others = "12 to 23 2 agent distress_signal of the others minmax (min 0, max 1, clip)"
    assert rows[3].split() == others.split()
    layout = load_world(resolver.world_file("hidden_health")).layout(3)
    assert rows[-1] == f"hash {layout.hash}"
    status, out, _ = creatura_world("tokens", "hidden_health", "--agents", "3", "--json")
    told = json.loads(out)
    assert (status, told["hash"], told["width"]) == (0, layout.hash, 60)
    (others,) = [row for row in told["bindings"] if row["type"] == "agent"]
    assert others == {
        "type": "agent", "first_lane": 12, "tokens": 2, "variables": ["distress_signal"],
        "own": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--role", "docter"), "has no role 'docter'; did you mean 'doctor'?"),
        (("--agents", "0"), "has from 1 to 10,000"),
        (("--agents", "10001"), "has from 1 to 10,000"),
    ],
)
def test_an_observer_that_is_not_there_is_refused(
    creatura_world: Run, options: tuple[str, str], problem: str
) -> None:
    status, out, err = creatura_world("tokens", "hidden_health", *options)
    assert (status, out) == (2, "")
    assert problem in err
    assert "Traceback" not in err


def test_a_run_has_at_least_the_agents_that_a_world_names(
    creatura_world: Run, world_file: Callable[..., str]
) -> None:
    three = world_file("a.yaml", ("facts: [", "extents: {pairs: [[0, 2]]}\nfacts: ["))
    assert "3 agents in the run" in creatura_world("tokens", three)[1]
    assert "has from 3 to 10,000" in creatura_world("tokens", three, "--agents", "2")[2]
