"""Ready-made: sets of variables that many worlds need, declared by one line under `use`.

`relations` is what agents think of each other, `messages` what they have been told, `needs` what
drives them. Needs have no names, only causal dimensions, so that whoever learns from them learns
what a need does. They come as one vector a dimension or as one token an element, with as many slots
as are declared, so that a need that comes or goes moves no layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from creatura.errors import Place, Problem, did_you_mean, shown
from creatura.source import Document, Path_
from creatura.vfs import Holders, Scope, VariableSpec, VarType
from creatura.vfs.elements import MAX_ELEMENTS
from creatura.vfs.fields import Number
from creatura.vfs.holders import MAX_HOLDERS

SHARE = (0.0, 1.0)
Share = Annotated[Number, Field(ge=0, le=1)]

# What a need does, each a share of the most it can be.
NEED_DIMENSIONS = {
    "intensity": "pressure now",
    "growth_rate": "how fast the pressure rises",
    "urgency": "how soon something has to be done",
    "recurrence": "whether it comes back once met",
    "substitutability": "whether several kinds of affordance meet it",
    "exclusivity": "whether one agent's meeting it keeps another from it",
    "visibility": "whether others see it met",
    "status_value": "whether meeting it raises rank",
    "social_mediation": "whether another agent is needed to meet it",
    "contagion": "whether seeing it met wakes it in others",
    "catastrophe_curve": "how bad it gets if it is not met",
    "dependency": "whether meeting it makes one rely on it",
}
TAGS = "satisfaction_tags"  # which kinds of affordance meet it


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RelationOptions(_Options):
    """What agents think of each other at the start."""

    trust: Share = 0.5
    fear: Share = 0.0
    obligation: Share = 0.0
    reputation: Share = 0.5
    legitimacy: Share = 0.5


class MessageOptions(_Options):
    """How long one message is: the size of a vocabulary, or of an embedding."""

    dims: Annotated[StrictInt, Field(ge=1, le=4_096)] = 20


class NeedForm(StrEnum):
    """How needs are stored: a vector for each dimension, or one matrix of tokens."""

    SLOTS = "slots"
    TOKENS = "tokens"


class NeedOptions(_Options):
    """How many needs an agent can have at once, and those it starts with.

    Attributes:
        tags: Kinds of affordance that can meet a need.
        start: A need a slot: its dimensions, 0 where left out, and the tags that meet it.
    """

    slots: Annotated[StrictInt, Field(ge=1, le=MAX_HOLDERS)]
    form: NeedForm = NeedForm.SLOTS
    tags: tuple[StrictStr, ...] = ()
    start: tuple[dict[StrictStr, Any], ...] = ()


class UseSpec(_Options):
    """Which ready-made sets a world has."""

    relations: RelationOptions | None = None
    messages: MessageOptions | None = None
    needs: NeedOptions | None = None


def ready_made(
    use: UseSpec, holders: Holders, document: Document, problems: list[Problem]
) -> Iterator[VariableSpec]:
    """Yields the variables of every set in use; what is wrong with a need goes to `problems`."""
    if use.relations is not None:
        yield from relations(use.relations, holders, document.place(("use", "relations")))
    if use.messages is not None:
        yield from messages(use.messages, document.place(("use", "messages")))
    if use.needs is not None:
        found = list(_mistaken_needs(use.needs))
        problems += [Problem(document.place(path), message) for path, message in found]
        if not found:
            yield from needs(use.needs, document.place(("use", "needs")))


def relations(options: RelationOptions, holders: Holders, place: Place) -> Iterator[VariableSpec]:
    """Yields trust, fear and obligation of each for each, reputation, and how groups see norms."""
    inner = ("agent", "engine", "vtc", "social_model")
    rows = [
        ("trust", Scope.PAIR, options.trust, inner),
        ("fear", Scope.PAIR, options.fear, inner),
        ("obligation", Scope.PAIR, options.obligation, inner),
        ("public_reputation", Scope.AGENT, options.reputation, (*inner, "other_agents")),
    ]
    if holders.groups:
        shown = ("engine", "vtc", "social_model")
        rows.append(("norm_legitimacy", Scope.GROUP, options.legitimacy, shown))
    for name, scope, start, readers in rows:
        exposed = tuple(role for role in ("agent", "other_agents") if role in readers)
        yield VariableSpec(
            id=name, scope=scope, type=VarType.SCALAR, range=SHARE, initial=start,
            readable_by=readers, exposed_to=exposed, place=place,
        )  # fmt: skip


def messages(options: MessageOptions, place: Place) -> Iterator[VariableSpec]:
    """Yields what was said to each agent, from whom, and how many ticks ago, by message slot."""
    readers = ("agent", "engine", "vtc", "social_model")
    rows: Sequence[tuple[str, VarType, Any, dict[str, Any]]] = (
        ("recent_message_tokens", VarType.MESSAGE_TOKEN, 0.0, {"dims": options.dims}),
        (
            "message_sender",
            VarType.INT,
            -1,
            {"normalization": {"kind": "masked_value", "absent": -1}},
        ),
        ("message_age", VarType.INT, -1, {"normalization": {"kind": "masked_value", "absent": -1}}),
    )
    for name, kind, start, more in rows:
        yield VariableSpec(
            id=name, scope=Scope.MESSAGE, type=kind, initial=start, readable_by=readers,
            exposed_to=("agent",), place=place, **more,
        )  # fmt: skip


def needs(options: NeedOptions, place: Place) -> Iterator[VariableSpec]:
    """Yields the needs of each agent in the declared form.

    Slots: a vecNf a dimension, `need.intensity` and so on, `[W, A, slots]`. Tokens: one matrix
    `need.tokens`, `[W, A, slots, dimensions]`. Both with a mask of the slots in use, and where
    there are tags a mask of slots by tags.
    """
    shared: dict[str, Any] = {
        "scope": Scope.AGENT,
        "readable_by": ("agent", "engine", "vtc"),
        "exposed_to": ("agent",),
        "place": place,
    }
    rows = [
        [float(need.get(dimension, 0.0)) for dimension in NEED_DIMENSIONS]
        for need in (*options.start, *({},) * (options.slots - len(options.start)))
    ]
    used = [i < len(options.start) for i in range(options.slots)]
    yield VariableSpec(
        id="need.in_use", type=VarType.MASK, dims=options.slots, initial=used, **shared
    )
    if options.form is NeedForm.SLOTS:
        for i, dimension in enumerate(NEED_DIMENSIONS):
            yield VariableSpec(
                id=f"need.{dimension}", type=VarType.VECNF, dims=options.slots, range=SHARE,
                initial=[row[i] for row in rows], metadata={"means": NEED_DIMENSIONS[dimension]},
                **shared,
            )  # fmt: skip
    else:
        yield VariableSpec(
            id="need.tokens", type=VarType.MATRIX, dims=(options.slots, len(NEED_DIMENSIONS)),
            range=SHARE, initial=rows, metadata={"columns": list(NEED_DIMENSIONS)}, **shared,
        )  # fmt: skip
    if options.tags:
        met = [tag in _tags_of(need) for need in _padded(options) for tag in options.tags]
        yield VariableSpec(
            id=f"need.{TAGS}", type=VarType.MASK, dims=len(met), initial=met,
            metadata={"columns": list(options.tags)}, **shared,
        )  # fmt: skip


def _padded(options: NeedOptions) -> list[dict[str, Any]]:
    return [*options.start, *({} for _ in range(options.slots - len(options.start)))]


def _tags_of(need: dict[str, Any]) -> list[Any]:
    tags = need.get(TAGS, [])
    return tags if isinstance(tags, list) else [tags]


def _mistaken_needs(options: NeedOptions) -> Iterator[tuple[Path_, str]]:
    if len(options.start) > options.slots:
        count = len(options.start)
        yield ("use", "needs", "start"), f"{count} needs to start with in {options.slots} slots"
    if (count := options.slots * len(options.tags)) > MAX_ELEMENTS:  # before they are laid out
        message = f"{options.slots:,} slots by {len(options.tags):,} tags are {count:,} elements"
        yield ("use", "needs", "tags"), f"{message}; at most {MAX_ELEMENTS:,}"
    for i, need in enumerate(options.start):
        path: Path_ = ("use", "needs", "start", i)
        for key, value in need.items():
            if key == TAGS:
                for tag in _tags_of(need):
                    if tag not in options.tags:
                        hint = did_you_mean(str(tag), options.tags)
                        yield (
                            (*path, key),
                            f"need {i + 1} has the tag {shown(tag)}, not in 'tags'{hint}",
                        )
            elif key not in NEED_DIMENSIONS:
                hint = did_you_mean(key, [*NEED_DIMENSIONS, TAGS])
                yield (*path, key), f"need {i + 1} has no dimension '{key}'{hint}"
            elif (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not 0 <= value <= 1
            ):
                yield (
                    (*path, key),
                    f"'{key}' of need {i + 1} is a share from 0 to 1, found {shown(value)}",
                )
