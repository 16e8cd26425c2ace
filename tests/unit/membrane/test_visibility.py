"""Visibility: the map shows what offered tools lead to, and never a withheld tool."""

import pytest

from creatura.membrane.visibility import Horizon
from creatura.protocols import Tool

A, B, C, D = 1, 2, 4, 8
TOOLS = (
    Tool("start", 0, 0, A),
    Tool("middle", 1, A, B),
    Tool("detour", 2, A, B),
    Tool("end", 3, B, C),
    Tool("elsewhere", 4, D, C),
)


@pytest.mark.parametrize(
    ("facts", "offered", "withheld", "ahead"),
    [
        (0, 0b00001, 0, 0b01110),
        (0, 0b00001, 0b00010, 0b01100),
        (0, 0b00001, 0b00110, 0),
        (0, 0, 0, 0),
        (A, 0b00111, 0, 0b01000),
        (D, 0b00001, 0, 0b11110),
    ],
)
def test_the_horizon_is_what_offered_tools_lead_to(facts, offered, withheld, ahead):
    assert Horizon(TOOLS).ahead(facts, offered, withheld) == ahead
