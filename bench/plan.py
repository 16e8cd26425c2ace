"""Plan: a YAML file that says which cases a bench plays.

`worlds × troubles × designs × seats × seeds`; the word `all` stands for everything there is. Seeds
only multiply trouble that is left to chance: anything else gives the same run for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr

from bench.limits import MAX_CASES, MAX_COUNT
from bench.matrix import TROUBLES, Case, Player, Trouble, cross, sequence
from bench.runner import world_of
from creatura import resolver
from creatura.errors import AuthorError, Place, Problem, did_you_mean
from creatura.loop import DEFAULT_MAX_TICKS
from creatura.source import Document, load_yaml, validated

ALL = "all"


def _names_or_all(value: object) -> object:
    if value == ALL:
        return (ALL,)
    if not isinstance(value, list) or not value:
        raise ValueError(
            f"is `{ALL}`, or a list such as [{value if isinstance(value, str) else 'a'}]"
        )
    return value


Names = Annotated[tuple[StrictStr, ...], BeforeValidator(_names_or_all)]
Count = Annotated[StrictInt, Field(ge=1, le=MAX_COUNT)]


class Plan(BaseModel):
    """What a plan file holds.

    Attributes:
        worlds, designs: Names or paths, or `all`.
        troubles: Kinds of trouble, each with its variants in each world.
        seeds: How many seeds, from 0, trouble by chance is played with.
        cases: How many cases each cast goes through in a row, learning if it can.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: StrictStr
    worlds: Names = (ALL,)
    designs: Names = (ALL,)
    seats: Annotated[tuple[StrictStr, ...], Field(min_length=1)] = ("bfs",)
    troubles: Annotated[tuple[StrictStr, ...], Field(min_length=1)] = ("none",)
    seeds: Count = 1
    cases: Annotated[StrictInt, Field(ge=1, le=MAX_CASES)] = 1
    max_ticks: Count = DEFAULT_MAX_TICKS


def plans_folder() -> Path:
    """Finds the packaged plans."""
    return Path(str(files("bench"))) / "plans"


def load_plan(text: str) -> list[Case]:
    """Reads a plan by name or path and lists its cases.

    Raises:
        AuthorError: Everything that is wrong with it; no case is made.
    """
    document = load_yaml(_plan_file(text))
    plan = validated(Plan, document, "the plan")
    _check_names(plan, document)
    worlds = _worlds(plan.worlds)
    designs = _names(plan.designs, [entry.name for entry in resolver.designs()])
    casts = [(Player(design, seat),) for design in designs for seat in plan.seats]
    cases: list[Case] = []
    for name in worlds:
        world = world_of(name, document.place(("worlds",)))
        for trouble in plan.troubles:
            for variant in TROUBLES[trouble](world.brief):
                is_chancy = _is_chancy((*variant, *world.faults))
                seeds = range(plan.seeds if is_chancy else 1)
                for case in cross(name, [variant], casts, seeds, plan.max_ticks):
                    cases += sequence(case, plan.cases)
    return cases


def plan_text(text: str) -> str:
    """Reads the text of a plan by name or path."""
    return load_yaml(_plan_file(text)).text


def _is_chancy(faults: Trouble) -> bool:
    return any(fault.probability is not None for fault in faults)


def _worlds(given: Names) -> list[str]:
    """Names each world once, however it was spelt, so that each of its cases has one id."""
    paths = resolver.worlds() if given == (ALL,) else map(resolver.world_file, given)
    return list(dict.fromkeys(map(resolver.world_name, paths)))


def _names(given: Names, known: list[str]) -> list[str]:
    return known if given == (ALL,) else list(given)


_BUILDERS: Mapping[str, Callable[[str, Place], object]] = {
    "worlds": resolver.world_file,
    "designs": resolver.outfit,
    "seats": resolver.seat,
}


def _check_names(plan: Plan, document: Document) -> None:
    problems = []
    for i, trouble in enumerate(plan.troubles):
        if trouble not in TROUBLES:
            hint = did_you_mean(trouble, TROUBLES)
            place = document.place(("troubles", i))
            problems.append(Problem(place, f"unknown kind of trouble '{trouble}'{hint}"))
    for key, build in _BUILDERS.items():
        names = getattr(plan, key)
        for i, name in enumerate(() if names == (ALL,) else names):
            try:
                build(name, document.place((key, i)))
            except AuthorError as error:
                problems += error.problems
    if problems:
        raise AuthorError(problems)


def _plan_file(text: str) -> Path:
    path = Path(text)
    if path.suffix in (".yaml", ".yml"):
        return path
    known = {found.stem: found for found in sorted(plans_folder().glob("*.yaml"))}
    if text not in known:
        raise AuthorError.at("command line", f"unknown plan '{text}'{did_you_mean(text, known)}")
    return known[text]
