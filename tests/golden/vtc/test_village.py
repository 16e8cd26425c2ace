"""Village: one small rule set, and the plan and the kernel it becomes, word for word."""

from __future__ import annotations

from pathlib import Path

from creatura.vfs import VariableSpec, build_roster
from creatura.vtc import RuleSpec, Transition, WriteSpec, compile_transition
from creatura.vtc.kernels import source_of

FOLDER = Path(__file__).parent


def village() -> Transition:
    roster = build_roster(
        [
            VariableSpec(id="alarm", initial=False),
            VariableSpec(id="noise", type="scalar", initial=0.0, lifetime="tick"),
            VariableSpec(id="energy", scope="agent", type="scalar", initial=1.0, range=(0.0, 1.0)),
            VariableSpec(id="action", scope="agent", type="int", initial=-1),
            VariableSpec(id="quiet", expression="noise < 0.5 and not any(energy < 0.1)"),
        ]
    )
    ring = RuleSpec(
        id="tool.ring",
        phase="apply_action_effects",
        condition="action == 2",
        writes=(
            WriteSpec(target="alarm", expression=True, composition="max"),
            WriteSpec(target="noise", expression="energy", composition="additive_delta"),
        ),
    )
    tire = RuleSpec(
        id="tire",
        phase="apply_passive_depletion",
        writes=(
            WriteSpec(
                target="energy",
                expression="-0.1 / max(energy, 0.2)",
                composition="additive_delta",
                condition="not quiet",
            ),
        ),
    )
    return compile_transition(roster, [ring, tire])


def test_the_plan_reads_as_people_expect() -> None:
    assert village().plan.describe() == (FOLDER / "village.plan.txt").read_text()


def test_the_kernel_is_the_text_it_was() -> None:
    assert source_of(village().plan) == (FOLDER / "village.kernel.txt").read_text()


def test_the_checked_kernel_also_looks_for_divisions_by_zero() -> None:
    plain, checked = (source_of(village().plan, checked) for checked in (False, True))
    extra = [line.strip() for line in checked.splitlines() if line not in plain.splitlines()]
    assert [line for line in extra if "== f4(0.0)" in line and line[0] == "t"]
