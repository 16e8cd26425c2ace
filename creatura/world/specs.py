"""Specs: what a world was compiled to, as plain data that JSON can hold.

A reader of a stored run finds here every variable and every tool in full, whatever the world's
author left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from creatura.bits import indices_of
from creatura.protocols import Brief
from creatura.vfs import Roster
from creatura.vfs.tokens import PAYLOADS, TokenLayout

# What each hash of a world is taken over.
HASHED: Mapping[str, str] = {
    "variable_schema": "all that variables declare but initial values and notes",
    "initial_state": "what they start from",
    "token_type_schema": "the payload of every type of token",
    "layout": "what observers get, scaled how and where in a row",
    "action_schema": "what the tools need, leave and cost",
    "transition_graph": "what the rules do, whatever they are called",
    "vfs": "the world as a whole",
}


def variables_of(roster: Roster) -> list[dict[str, Any]]:
    """Lists every variable with all it declares, in the order of the roster."""
    return [spec.model_dump(mode="json", exclude={"place"}) for spec in roster]


def actions_of(brief: Brief) -> list[dict[str, Any]]:
    """Lists every tool by its id, with facts by their names."""

    def named(mask: int) -> list[str]:
        return [brief.facts[i] for i in indices_of(mask)]

    return [
        {
            "id": tool.id,
            "requires": named(tool.requires),
            "grants": named(tool.grants),
            "revokes": named(tool.revokes),
            "release": tool.release,
            "cost": tool.cost,
        }
        for tool in brief.tools
    ]


def tokens_of(layout: TokenLayout) -> dict[str, Any]:
    """Tells where everything stands in a row; lanes count from 0."""
    return {
        "hash": layout.hash,
        "role": layout.role,
        "agents": layout.num_agents,
        "width": layout.width,
        "types": [
            {
                "type": str(kind),
                "capacity": layout.capacities[kind],
                "first_lane": lane,
                "payload": list(PAYLOADS[kind]),
            }
            for kind, lane in layout.offsets.items()
        ],
        "bindings": [
            {
                "type": str(binding.type),
                "first_lane": lane,
                "tokens": binding.num_tokens,
                "variables": list(binding.variables),
                "own": binding.is_own,
            }
            for binding, lane in layout.placed()
        ],
    }
