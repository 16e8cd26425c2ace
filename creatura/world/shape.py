"""Shape: how large and how troublesome a random world is to be.

Every bound here keeps a promise of the generator: each fact has a tool, each release can be earned,
each fault passes. All that is wrong with a shape is said at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal, get_args

from creatura.errors import AuthorError, Place, Problem, did_you_mean

Vocabulary = Literal["plain", "words"]

FEWEST_FACTS, MOST_FACTS = 2, 24
MOST_BRANCHING = 4
# A release waits for three landed effects, so only what stands on three facts can be one.
RELEASE_DEPTH = 4
# Three landed effects and two that failed are a landed share of 0.6, which a release asks for.
MOST_FAULTS_BEFORE_RELEASE = 2


@dataclass(frozen=True, slots=True)
class Shape:
    """What random worlds have in common.

    Attributes:
        num_facts: Facts in all, 2 to 24.
        num_tools: Tools in all: at least one a fact, at most `branching` a fact.
        branching: The most tools that grant one fact, 1 to 4.
        depth: Tool calls on the shortest way to the goal, or more; 1 to `num_facts`.
        revoking: Share of the tools that take a fact away; fewer where none may be taken, or where
            that would make the world too wide to search.
        costing: Share of the tools that cost something.
        num_releases: Tools that ship something; at most `depth` - 3.
        num_meters: Facts that are read off a scalar which falls each tick; at most `num_facts`.
        num_faults: Tools that lie or fail for a while; at most `num_tools`, and at most 2 where
            there are releases.
        names: `plain` counts (`fact_1`, `tool-1`), `words` makes words up.
    """

    num_facts: int = 6
    num_tools: int = 8
    branching: int = 2
    depth: int = 3
    revoking: float = 0.2
    costing: float = 0.2
    num_releases: int = 0
    num_meters: int = 0
    num_faults: int = 0
    names: Vocabulary = "plain"

    def __post_init__(self) -> None:
        problems = [*_kinds(self)]
        if not problems:
            problems = [*_sizes(self), *_troubles(self)]
        if problems:
            raise AuthorError([Problem(Place("shape"), message) for message in problems])


def _kinds(shape: Shape) -> Iterator[str]:
    for field in fields(shape):
        value = getattr(shape, field.name)
        if field.name == "names":
            if value not in get_args(Vocabulary):
                yield f"names is 'plain' or 'words', found {value!r}{_guess(value)}"
        elif field.name in ("revoking", "costing"):
            if isinstance(value, bool) or not isinstance(value, int | float):
                yield f"{field.name} is a share from 0 to 1, found {value!r}"
        elif isinstance(value, bool) or not isinstance(value, int):
            yield f"{field.name} is a whole number, found {value!r}"


def _guess(value: object) -> str:
    return did_you_mean(value, get_args(Vocabulary)) if isinstance(value, str) else ""


def _sizes(shape: Shape) -> Iterator[str]:
    if not FEWEST_FACTS <= shape.num_facts <= MOST_FACTS:
        yield f"num_facts is {FEWEST_FACTS} to {MOST_FACTS}, found {shape.num_facts}"
    if not 1 <= shape.branching <= MOST_BRANCHING:
        yield f"branching is 1 to {MOST_BRANCHING} tools a fact, found {shape.branching}"
    elif shape.num_tools > shape.num_facts * shape.branching:
        most = shape.num_facts * shape.branching
        yield (
            f"num_tools is at most {most}, {shape.branching} for each of {shape.num_facts} facts, "
            f"found {shape.num_tools}; raise branching"
        )
    if shape.num_tools < shape.num_facts:
        yield (
            f"num_tools is at least {shape.num_facts}, one for each fact, found {shape.num_tools}"
        )
    if not 1 <= shape.depth <= shape.num_facts:
        yield f"depth is 1 to {shape.num_facts}, the number of facts, found {shape.depth}"


def _troubles(shape: Shape) -> Iterator[str]:
    for name in ("revoking", "costing"):
        if not 0 <= getattr(shape, name) <= 1:
            yield f"{name} is a share from 0 to 1, found {getattr(shape, name)!r}"
    most = max(0, shape.depth - RELEASE_DEPTH + 1)
    if not 0 <= shape.num_releases <= most:
        yield (
            f"num_releases is 0 to {most} at a depth of {shape.depth}, found {shape.num_releases}; "
            "a release waits for three landed effects, so raise depth"
        )
    if not 0 <= shape.num_meters <= shape.num_facts:
        yield f"num_meters is 0 to {shape.num_facts}, the facts, found {shape.num_meters}"
    if not 0 <= shape.num_faults <= shape.num_tools:
        yield f"num_faults is 0 to {shape.num_tools}, one for each tool, found {shape.num_faults}"
    elif shape.num_releases and shape.num_faults > MOST_FAULTS_BEFORE_RELEASE:
        yield (
            f"num_faults is at most {MOST_FAULTS_BEFORE_RELEASE} where there are releases, found "
            f"{shape.num_faults}; with more, no record may be good enough to ship"
        )
