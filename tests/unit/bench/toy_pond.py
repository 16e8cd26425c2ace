"""Toy pond: a small catalogue of steps about frogs, apart from the real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pytest_bdd.parsers import get_parser
from pytest_bdd.steps import StepFunctionContext

from bench.arguments import Sentence
from bench.catalogue import StepTemplate, templates

Kind = Literal["given", "when", "then"]


def a_pond(frogs: int) -> list[int]:
    """Digs a pond.

    Example: Given a pond with 3 frogs
    """
    return [frogs]


def named(name: str) -> str:
    """Names the pond."""
    return name


def these_frogs(datatable: list[list[str]]) -> None: ...
def a_letter(docstring: str) -> None: ...
def maybe_guests(datatable: list[list[str]] | None = None) -> None: ...
async def a_heron_waits() -> None: ...
def they_jump(pond: list[int], frogs: int) -> None: ...
def rains(share: float) -> None: ...
def they_are(pond: list[int], frogs: int) -> None: ...
def by_tick(tick: int) -> None: ...
def colour(colour: str) -> None: ...
def taste(taste: str) -> None: ...
def anywhere() -> None: ...


def _context(
    kind: Kind | None, text: str, function: Callable[..., Any], makes: str | None = None
) -> StepFunctionContext:
    parser = Sentence(text) if "{" in text else get_parser(text)
    return StepFunctionContext(kind, function, parser, target_fixture=makes)


CONTEXTS = (
    _context("given", "a pond with {frogs:Count} frogs", a_pond, "pond"),
    _context("given", "a pond named {name:Name}", named),
    _context("given", "these frogs", these_frogs),
    _context("given", "a letter", a_letter),
    _context("given", "guests", maybe_guests),
    _context("given", "a heron that waits", a_heron_waits),
    _context("when", "{frogs:Count} frogs jump in", they_jump),
    _context("when", "it rains on {share:Percent} of the pond", rains),
    _context("when", "the colour is {colour:Name}", colour),
    _context("when", "the colour is {taste:Name}", taste),
    _context("then", "the pond has {frogs:Count} frogs", they_are),
    _context("then", "they are gone by tick {tick:Tick}", by_tick),
    _context(None, "a pause", anywhere),
)


def pond_steps() -> tuple[StepTemplate, ...]:
    """Describes them; the files in their places are cut to the last part."""
    return templates(CONTEXTS)
