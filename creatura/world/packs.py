"""Packs: worlds to learn from, and worlds of the same structures under names never seen.

Who learns relations does as well in the second as in the first; who learns labels does not. The
split is what makes that a test, so it is checked: by names, and by the signatures of the worlds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from creatura.errors import AuthorError, Place, Problem
from creatura.world.signature import signature_of
from creatura.world.structure import engine_variables
from creatura.world.world import World


@dataclass(frozen=True, slots=True)
class Pack:
    """Worlds of one experiment.

    Attributes:
        train: Worlds to learn from. test: Held-out worlds, under names of their own.
    """

    train: tuple[World, ...]
    test: tuple[World, ...]

    def check(self) -> None:
        """Refuses a pack whose test worlds are not held out.

        Raises:
            AuthorError: Everything wrong with the split.
        """
        check_split(self.train, self.test)


def check_split(train: Sequence[World], test: Sequence[World]) -> None:
    """Refuses test worlds that share names with train worlds, or have a structure none of them has.

    A train world may have a structure that is not tested, and train worlds may share names.

    Raises:
        AuthorError: Every shared name and every unseen structure, with the worlds' files.
    """
    problems = [
        Problem(Place("the split"), f"has no {side} world; give it at least one")
        for side, worlds in (("train", train), ("test", test))
        if not worlds
    ]
    problems += [problem for pair in product(test, train) for problem in _shared(*pair)]
    if train:
        problems += _unseen(train, test)
    if problems:
        raise AuthorError(problems)


def names_of(world: World) -> Mapping[str, tuple[str, ...]]:
    """Lists the names that a world's author chose, by what they name; none of the engine's."""
    facts = world.brief.facts
    engine = engine_variables(world)
    others = (name for name in world.roster.ids if name not in engine and name not in facts)
    tools = (tool.id for tool in world.brief.tools)
    return {"fact": facts, "variable": tuple(others), "tool": tuple(tools)}


def _shared(held_out: World, seen: World) -> Iterator[Problem]:
    known = {name for names in names_of(seen).values() for name in names}
    shared = []
    for kind, names in names_of(held_out).items():
        # A fact called as a tool was called is no unseen name either.
        found = sorted(name for name in names if name in known)
        if found:
            shared.append(f"{kind}{'s' if len(found) > 1 else ''} {_listed(found)}")
    if shared:
        message = (
            f"test world '{held_out.brief.world}' shares names with train world "
            f"'{seen.brief.world}' ({seen.file}): {'; '.join(shared)}; rename them in one of them"
        )
        yield Problem(Place(held_out.file), message)


def _unseen(train: Sequence[World], test: Sequence[World]) -> Iterator[Problem]:
    known = {signature_of(world).text for world in train}
    files = ", ".join(dict.fromkeys(world.file for world in train))
    for world in test:
        signature = signature_of(world)
        if signature.text not in known:
            message = (
                f"test world '{world.brief.world}' has a structure ({signature.hash}) that no "
                f"train world has ({files}); train on a world of that structure, or leave this out"
            )
            yield Problem(Place(world.file), message)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
