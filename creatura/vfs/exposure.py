"""Exposure: how an observer gets a variable, scaled and in how many lanes.

Where an author leaves it open, bools are 0 or 1, categoricals one lane a label, numbers with a
range go from 0 to 1 within it, and everything else is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from creatura.vfs.elements import MAX_ELEMENTS, bounds_of, element_shape
from creatura.vfs.holders import OF_AGENTS, SCOPES
from creatura.vfs.normalise import Kind, Normalization, lanes_of
from creatura.vfs.schema import Scope, TokenType, VariableSpec, VarType

_BOOLS = (VarType.BOOL, VarType.ONE_HOT, VarType.MASK)


@dataclass(frozen=True, slots=True)
class Lanes:
    """How many places the value of one holder takes.

    Attributes:
        num_tokens: Tokens of their own; one an element, or one a label.
        has_second: Whether each has a second number beside its value.
        num_lanes: Numbers, where it shares a token with other variables.
    """

    num_tokens: int
    has_second: bool
    num_lanes: int


def normalization_of(spec: VariableSpec) -> Normalization:
    """Returns how a variable is scaled, as declared or as its type suggests."""
    declared = spec.normalization
    if declared is not None:
        if declared.kind is Kind.ONE_HOT and declared.size is None:
            return declared.model_copy(update={"size": len(spec.labels)})
        return declared
    if spec.type is VarType.CATEGORICAL:
        return Normalization(kind=Kind.ONE_HOT, size=len(spec.labels))
    if spec.type in _BOOLS:
        return Normalization(kind=Kind.BINARY)
    if spec.range is not None and spec.range[0] < spec.range[1]:
        return Normalization(kind=Kind.MINMAX, min=spec.range[0], max=spec.range[1], clip=True)
    return Normalization(kind=Kind.NONE)


def lanes_in(spec: VariableSpec) -> Lanes:
    """Counts the tokens and lanes of one holder's value.

    >>> lanes_in(VariableSpec(id="sky", type="categorical", labels=("dry", "wet"), initial=0))
    Lanes(num_tokens=2, has_second=False, num_lanes=2)
    """
    normalization = normalization_of(spec)
    lanes, elements = lanes_of(normalization), prod(element_shape(spec))
    spreads = normalization.kind is Kind.ONE_HOT
    return Lanes(elements * (lanes if spreads else 1), lanes == 2 and not spreads, elements * lanes)


def exposure_problems(spec: VariableSpec) -> Iterator[str]:
    """Yields what is wrong with how a variable is shown, in words that go after its name."""
    kind = None if spec.normalization is None else spec.normalization.kind
    if not spec.exposed_to:
        if kind is not None:
            yield "has a normalization and is exposed to nobody; add exposed_to or drop it"
        if spec.token is not None:
            yield "has a token type and is exposed to nobody; add exposed_to or drop it"
    if spec.token not in (None, TokenType.METER, TokenType.EFFECT, TokenType.VARIABLE_ELEMENT):
        yield (
            f"asks for '{spec.token}' tokens, which are made by scope; a variable chooses among "
            "meter, effect and variable_element"
        )
    if spec.normalization is not None:
        yield from _misused(spec, spec.normalization)
    if "other_agents" in spec.exposed_to and spec.scope is not Scope.AGENT:
        yield f"is exposed to 'other_agents' and has scope '{spec.scope}'; others see scope agent"


def _misused(spec: VariableSpec, normalization: Normalization) -> Iterator[str]:
    kind = normalization.kind
    if spec.type in _BOOLS:
        yield from _misused_for_bools(spec, normalization)
    elif kind is Kind.ONE_HOT:
        yield from _misused_one_hot(spec, normalization)
    elif spec.type is VarType.CATEGORICAL and kind not in (Kind.NONE, Kind.MASKED):
        yield f"is categorical and scaled as {kind}; labels have no size: use one_hot"
    elif kind is Kind.RANK:
        yield from _misused_rank(spec)
    elif kind is Kind.LOG:
        bounds = bounds_of(spec)
        if bounds is not None and normalization.min is not None and bounds[0] < normalization.min:
            yield (
                f"has range from {bounds[0]!r} and log_scaled from {normalization.min!r}; what "
                "lies below would be shown as the end: lower 'min'"
            )


def _misused_for_bools(spec: VariableSpec, normalization: Normalization) -> Iterator[str]:
    if normalization.kind not in (Kind.BINARY, Kind.NONE):
        yield f"is {spec.type} and scaled as {normalization.kind}; bools are shown as binary"
    elif normalization.threshold is not None:
        yield f"is {spec.type} and has a threshold; drop it"


def _misused_one_hot(spec: VariableSpec, normalization: Normalization) -> Iterator[str]:
    size, labels = normalization.size, len(spec.labels)
    if spec.type not in (VarType.CATEGORICAL, VarType.INT):
        yield f"is {spec.type} and scaled as one_hot; only categorical and int are"
    elif spec.type is VarType.INT and size is None:
        yield "is int and scaled as one_hot without a size; say how many values there are"
    elif labels and size not in (None, labels):
        yield f"has {labels} labels and one_hot of size {size}; drop size"
    elif size is not None and size > MAX_ELEMENTS:
        yield f"is scaled as one_hot of size {size:,}; at most {MAX_ELEMENTS:,}"


def _misused_rank(spec: VariableSpec) -> Iterator[str]:
    if not SCOPES[spec.scope]:
        yield "is global and scaled as rank_scaled; one value has no rank"
    elif spec.scope in OF_AGENTS and "other_agents" not in spec.readable_by:
        yield (
            "is scaled as rank_scaled, which tells how others stand; let 'other_agents' read it or "
            "scale it otherwise"
        )
