"""Outcomes: what a registry answers or refuses, in a form that two of them can be compared in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tests.property.registry_model import Refused

REFUSALS = (PermissionError, LookupError, ValueError)


def outcome(ask: Callable[[], Any]) -> Any:
    """Gives an answer, or the error that stands for it."""
    try:
        return ask()
    except REFUSALS as refusal:
        return refusal


def both(
    ask: Callable[[], Any],
    expect: Callable[[], Any],
    note: Callable[[str | None], None] = lambda text: None,
) -> tuple[Any, Any]:
    """Asks the registry and the model, which answer both or refuse both; then both are None.

    Args:
        note: Is told in which words it was refused, or None.
    """
    told = outcome(ask)
    try:
        expected = expect()
    except Refused as refusal:
        expected = refusal
    if isinstance(expected, Refused):
        assert isinstance(told, expected.error), f"expected {expected}, found {told!r}"
        assert all(word in str(told) for word in expected.words), f"{expected}, found {told}"
        note(str(told))
        return None, None
    assert not isinstance(told, Exception), f"refused without need: {told!r}"
    note(None)
    return told, expected


def is_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(PermissionError):
        ask()


def seen(values: Any) -> Any:
    """Gives the shape of a tensor or array, and its numbers in C order."""
    array = np.asarray(values)
    return array.shape, array.ravel().tolist()


def scribble(given: Any) -> None:
    """Overwrites what was handed over, where that can be done."""
    if isinstance(given, np.ndarray):
        given[...] = 0
    elif isinstance(given, torch.Tensor):
        given.zero_()
