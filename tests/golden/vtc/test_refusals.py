"""Refusals: every mistake an author can make in a rule, and the exact words that answer it.

`refusals.yaml` holds rules over the roster below; each case is one rule, or several, and the whole
text of the error. The good rule of each family stands in `accepted`, so that no check refuses all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from creatura.errors import AuthorError, Place
from creatura.vfs import VariableSpec, build_roster
from creatura.vtc import RuleSpec, compile_transition

CASES = yaml.safe_load((Path(__file__).parent / "refusals.yaml").read_text())
ROSTER = [
    VariableSpec(id="energy", scope="agent", type="scalar", initial=1.0, range=(0.0, 1.0)),
    VariableSpec(id="coins", scope="agent", type="int", initial=0),
    VariableSpec(id="open", scope="agent", type="bool", initial=False),
    VariableSpec(id="fixed", initial=False),
    VariableSpec(id="alarm", initial=False),
    VariableSpec(id="count", type="int", initial=0),
    VariableSpec(id="heat", type="scalar", initial=0.0),
    VariableSpec(id="secret", type="int", initial=0, readable_by=("engine",)),
    VariableSpec(id="action", scope="agent", type="int", initial=-1, writable_by=("engine",)),
    VariableSpec(id="warm", expression="heat > 3", place=Place("worlds/village.yaml", 9)),
]


def compile_case(case: dict[str, Any]) -> None:
    """Compiles the rules of a case; a rule stands at line 30 and each further one a line on."""
    extra = [
        VariableSpec(**fields, place=Place("worlds/village.yaml", 20 + index))
        for index, fields in enumerate(case.get("variables", []))
    ]
    rules = []
    for index, fields in enumerate(case.get("rules", [])):
        rule = {"id": "leak", "phase": "apply_modulations"} | fields
        rules.append(RuleSpec(**rule, place=Place("worlds/village.yaml", 31 + index)))
    compile_transition(build_roster([*ROSTER, *extra]), rules)


@pytest.mark.parametrize("name", CASES["refused"])
def test_a_mistake_gets_its_answer(name: str) -> None:
    case = CASES["refused"][name]
    with pytest.raises(AuthorError) as caught:
        compile_case(case)
    assert str(caught.value) == case["error"].rstrip("\n")


@pytest.mark.parametrize("name", CASES["accepted"])
def test_its_right_neighbour_compiles(name: str) -> None:
    compile_case(CASES["accepted"][name])
