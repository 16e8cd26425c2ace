"""Declarations: what the fields of a variable say of one another, and of who holds it.

Each check yields what is wrong in words that go after `variable 'x'`; `CHECKS` is the list of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from creatura.errors import character, cut, did_you_mean, nearest, shown
from creatura.vfs.elements import ELEMENTS, MAX_ELEMENTS, element_shape, misfit_of, start_of
from creatura.vfs.exposure import exposure_problems
from creatura.vfs.holders import MAX_HOLDERS, OF_AGENTS, Axis, Holders
from creatura.vfs.schema import PRIVATE_READERS, RESERVED_WORDS, Scope, VariableSpec, VarType

MAX_ID_LENGTH = 64

_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_LETTERS = "a-z, then a-z, 0-9 and '_'"
# Cyrillic and Greek letters that look like Latin ones.
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u03bf\u03b1", "aeopcyxioa"
)
_PAIR = re.compile(r"([0-9]{1,9}) to ([0-9]{1,9})", re.ASCII)
# Which key of a world file says how many there are along an axis.
EXTENT_KEYS = {
    Axis.GROUP: "groups",
    Axis.ZONE: "zones",
    Axis.AFFORDANCE: "affordances",
    Axis.ITEM: "items",
    Axis.SLOT: "message_slots",
}

Check = Callable[[VariableSpec, Holders, Sequence[str]], Iterator[str]]


def holder_of(spec: VariableSpec, holders: Holders, text: str) -> tuple[int, ...]:
    """Reads the holder that a key of `initial_at` names, as positions.

    Agents of a run are not counted yet, so any number that a world may have is taken.

    Raises:
        LookupError: There is no such holder, or the text names none.
    """
    pair = _PAIR.fullmatch(text)
    key = (int(pair[1]), int(pair[2])) if pair else text
    return holders.index_of(spec, key, num_agents=MAX_HOLDERS)


def problems_of_roles(roles: Sequence[str]) -> Iterator[str]:
    """Yields what is wrong with the names of a world's own roles."""
    yield from _misnamed("'roles' has", roles)


def problems_of_holders(holders: Holders) -> Iterator[str]:
    """Yields what is wrong with a world's holders."""
    named = {
        "groups": holders.groups,
        "zones": holders.zones,
        "affordances": holders.affordances,
        "items": tuple(holders.items),
        "profiles": holders.profiles,
    }
    for key, names in named.items():
        if len(names) > MAX_HOLDERS:
            yield f"'{key}' has {len(names):,} names; at most {MAX_HOLDERS:,} are held"
        else:
            yield from _misnamed(f"'{key}' has", names)
    if holders.num_slots > MAX_HOLDERS:
        yield f"'message_slots' is {holders.num_slots:,}; at most {MAX_HOLDERS:,} are held"
    yield from _misplaced(holders.edges or ())


def _misnamed(head: str, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if not _NAME.fullmatch(name) or len(name) > MAX_ID_LENGTH:
            what = "no name" if len(name) <= MAX_ID_LENGTH else f"too long for a name ({len(name)})"
            yield f"{head} '{cut(name)}', which is {what}: {_LETTERS}{_hint(name)}"
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{head} '{name}' {_times(times)}"


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _misplaced(edges: Sequence[tuple[int, int]]) -> Iterator[str]:
    if len(edges) > MAX_HOLDERS:
        yield f"'pairs' has {len(edges):,}; at most {MAX_HOLDERS:,} are held: leave it out for all"
        return
    for (i, j), times in Counter(edges).items():
        if times > 1:
            yield f"'pairs' has [{i}, {j}] {_times(times)}"
    for edge in edges:
        if not all(0 <= agent < MAX_HOLDERS for agent in edge):
            yield f"'pairs' has [{edge[0]}, {edge[1]}]; agents count from 0 to {MAX_HOLDERS - 1:,}"


def _check_id(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if why := misnamed(spec.id):
        yield why


def misnamed(text: str) -> str | None:
    """Says why a text is no id, or None if it is one.

    >>> misnamed("Fuel Level")
    "has an id that is no name: a-z, then a-z, 0-9 and '_'; write 'fuel_level'"
    """
    if not _ID.fullmatch(text):
        return f"has an id that is no name: {_LETTERS}{_hint(text)}"
    if len(text) > MAX_ID_LENGTH:
        return f"has an id of {len(text)} characters; {MAX_ID_LENGTH} at most"
    if text in RESERVED_WORDS:
        return "has the id of a word of the rule language; choose another"
    return None


def _hint(text: str) -> str:
    """Names the letter that only looks right, and the name that was meant."""
    foreign = next((letter for letter in text if not letter.isascii()), None)
    what = "" if foreign is None else f"; {character(foreign)} is none"
    plain = unicodedata.normalize("NFKD", text.lower()).translate(_LOOK_ALIKES)
    plain = "".join(c for c in plain if unicodedata.category(c) not in ("Mn", "Cf"))
    guess = re.sub(r"[^a-z0-9_.]+", "_", plain, flags=re.ASCII).strip("_.")
    is_guess = _ID.fullmatch(guess) and guess != text and len(guess) <= MAX_ID_LENGTH
    return what + (f"; write '{guess}'" if is_guess else "")


def _check_scope(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if spec.scope is Scope.ITEM:
        yield from _check_profile(spec, holders)
        return
    if spec.profile is not None:
        yield f"has a profile and scope '{spec.scope}'; only items have profiles"
    for axis in holders.axes_of(spec):
        if axis in EXTENT_KEYS and holders.count(axis, 1) == 0:
            yield (
                f"has scope '{spec.scope}', and the world has no {axis}s; "
                f"say under 'extents' which: {EXTENT_KEYS[axis]}"
            )
        elif axis is Axis.EDGE and not holders.edges:
            yield "has scope 'pair', and 'pairs' under 'extents' is empty; leave it out for all"


def _check_profile(spec: VariableSpec, holders: Holders) -> Iterator[str]:
    if spec.profile is None:
        known = ", ".join(holders.profiles) or "none are declared"
        yield f"has scope 'item' and no profile; say which items have it (profiles: {known})"
    elif not holders.items:
        yield "has scope 'item', and the world has no items; say under 'extents' which: items"
    elif spec.profile not in holders.profiles:
        guess = did_you_mean(spec.profile, holders.profiles)
        yield f"has the profile '{spec.profile}', which no item has{guess}"


def _check_length(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    row, dims = ELEMENTS[spec.type], spec.dims
    if spec.labels and not row.takes_labels:
        yield f"has labels and type '{spec.type}'; only categorical, one_hot and mask have them"
    if dims is not None and not row.takes_dims:
        fixed = f", which is {row.length} long" if row.length else ""
        yield f"has dims and type '{spec.type}'{fixed}; drop dims"
        return
    if spec.labels and row.takes_labels:
        yield from _check_labels(spec)
        return
    if not row.takes_dims:
        if row.takes_labels:
            yield f"has type '{spec.type}' and no labels; name its values: labels: [low, high]"
        return
    if dims is None:
        example = "[2, 3]" if spec.type is VarType.MATRIX else "4"
        instead = " or labels" if row.takes_labels else ""
        yield f"has type '{spec.type}' and no dims{instead}; say how long it is: dims: {example}"
        return
    lengths = dims if isinstance(dims, tuple) else (dims,)
    if len(lengths) != row.rank:
        wanted = "rows and columns, [2, 3]" if row.rank == 2 else "one number, such as 4"
        yield f"has dims {shown(dims)}; a {spec.type} takes {wanted}"
    elif min(lengths) < 1:
        yield f"has dims {shown(dims)}; each is at least 1"
    elif _product(lengths) > MAX_ELEMENTS:
        yield f"has dims {shown(dims)}: {_product(lengths):,} elements; at most {MAX_ELEMENTS:,}"


def _check_labels(spec: VariableSpec) -> Iterator[str]:
    labels = spec.labels
    if spec.dims is not None and spec.dims != len(labels):
        yield f"has {len(labels)} labels and dims {shown(spec.dims)}; drop dims"
    if len(labels) > MAX_ELEMENTS:
        yield f"has {len(labels):,} labels; at most {MAX_ELEMENTS:,}"
        return
    yield from _misnamed("has the label", labels)


def _check_range(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if spec.range is None:
        return
    low, high = spec.range
    if not ELEMENTS[spec.type].is_number:
        yield f"is {spec.type} and has a range; drop the range"
    elif misfits := [f"{end!r} {why}" for end in spec.range if (why := misfit_of(spec, end))]:
        yield f"has range [{low!r}, {high!r}], of which {' and '.join(misfits)}"
    elif low > high:
        yield f"has range [{low!r}, {high!r}]; write the lower end first: [{high!r}, {low!r}]"


def _check_initial(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if spec.is_derived:
        if spec.initial is not None or spec.initial_at:
            yield "is derived (it has an expression) and has an initial value; drop one of them"
        return
    if any(True for _ in _check_length(spec, holders, roles)):
        return  # without a length there is nothing to compare a value with
    if spec.initial is None:
        hint = f"initial: {spec.labels[0] if spec.labels else ELEMENTS[spec.type].zero}"
        yield f"has neither initial nor expression; give one, such as {hint}"
    elif why := _misfit(spec, spec.initial):
        yield f"has initial {shown(spec.initial)}, which {why}"
    yield from _mistaken_starts(spec, holders)


def _mistaken_starts(spec: VariableSpec, holders: Holders) -> Iterator[str]:
    first: dict[tuple[int, ...], str] = {}
    for holder, value in spec.initial_at.items():
        try:
            earlier = first.setdefault(holder_of(spec, holders, holder), holder)
        except LookupError as error:
            yield f"has initial_at for '{cut(holder)}': {error.args[0]}"
        else:
            if earlier != holder:
                yield f"has initial_at for '{earlier}' and for '{holder}', who are the same"
        if why := _misfit(spec, value):
            yield f"has initial_at {shown(value)} for '{holder}', which {why}"


def _misfit(spec: VariableSpec, value: Any) -> str | None:
    try:
        start_of(spec, value)
    except ValueError as error:
        return str(error)
    return None


def _check_roles(spec: VariableSpec, holders: Holders, known: Sequence[str]) -> Iterator[str]:
    for key in ("readable_by", "writable_by", "exposed_to"):
        roles: tuple[str, ...] = getattr(spec, key)
        for role in roles:
            if not _NAME.fullmatch(role):
                yield f"has {role!r} in {key}, which is no role name: a-z, then a-z, 0-9 and '_'"
            elif role not in known and (key != "exposed_to" or role not in spec.readable_by):
                guess = nearest(role, known)
                fix = f"did you mean '{guess}'?" if guess else "declare it under 'roles'"
                yield f"has '{role}' in {key}, which is no role of this world; {fix}"
        for role in dict.fromkeys(role for role in roles if roles.count(role) > 1):
            yield f"names role '{role}' twice in {key}"
    for role in spec.exposed_to:
        if role in known and role not in spec.readable_by:
            guess = did_you_mean(role, spec.readable_by)
            yield f"is exposed to '{role}', which is not in readable_by{guess}"


def _check_private(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if spec.scope is not Scope.AGENT_PRIVATE:
        if "other_agents" in spec.readable_by and spec.scope not in OF_AGENTS:
            yield f"lists 'other_agents' and has scope '{spec.scope}', which no agent holds"
        return
    for role in spec.readable_by:
        if role not in PRIVATE_READERS and _NAME.fullmatch(role):
            yield (
                f"is agent_private and lists '{role}' in readable_by; its own agent reads it "
                "('agent') and the rules may ('vtc'), nobody else"
            )


def _check_exposure(spec: VariableSpec, holders: Holders, roles: Sequence[str]) -> Iterator[str]:
    if not any(True for _ in _check_length(spec, holders, roles)):
        yield from exposure_problems(spec)


CHECKS: tuple[Check, ...] = (
    _check_id, _check_scope, _check_length, _check_range, _check_initial, _check_roles,
    _check_private, _check_exposure,
)  # fmt: skip


def _product(lengths: Sequence[int]) -> int:
    product = 1
    for length in lengths:
        product *= length
    return product


def num_elements(spec: VariableSpec) -> int:
    """Counts the elements of one value."""
    return _product(element_shape(spec))
