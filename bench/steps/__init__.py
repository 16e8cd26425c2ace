"""Steps: the sentences a feature file may use, one module a subject.

A module put into this folder is found by itself; its step functions and fixtures are then known to
every feature file, wherever that stands.
"""

from __future__ import annotations

import pkgutil


def modules() -> tuple[str, ...]:
    """Names the step modules, in alphabetical order, without importing them."""
    return tuple(sorted(f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__)))
