"""Layers: where the boxes of a layered graph stand so that few of its lines cross.

Layers are ordered by the mean place of each box's neighbours, swept down and up, and the order
with the fewest crossings is kept (Sugiyama, Tagawa and Toda, 1981); then each layer is put as near
to its neighbours as its order and the room between boxes allow. The same graph always gives the
same layout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 12

# A box by its name, or the spot where the line of an edge (its index) passes through a layer.
Key = str | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Layered:
    """A layout.

    Attributes:
        layers: The keys of each layer, left to right.
        middles: Where the middle of each lies across its layer.
        chains: The keys that the line of each edge goes through, from the upper layer to the lower.
    """

    layers: tuple[tuple[Key, ...], ...]
    middles: Mapping[Key, float]
    chains: tuple[tuple[Key, ...], ...]


def lay_out(
    ranks: Mapping[str, int],
    widths: Mapping[str, float],
    edges: Sequence[tuple[str, str]],
    gap: float,
) -> Layered:
    """Lays boxes out in layers.

    Args:
        ranks: The layer of each box, from 0; the two ends of an edge lie in different ones.
        widths: The room that each box takes across its layer.
        gap: Least room between two boxes.

    >>> lay_out({"a": 0, "b": 1}, {"a": 10.0, "b": 10.0}, [("a", "b")], 4.0).layers
    (('a',), ('b',))
    """
    layers: list[list[Key]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for box, rank in ranks.items():
        layers[rank].append(box)
    chains = []
    for index, (a, b) in enumerate(edges):
        top, bottom = (a, b) if ranks[a] < ranks[b] else (b, a)
        between: list[Key] = [(index, rank) for rank in range(ranks[top] + 1, ranks[bottom])]
        for rank, spot in enumerate(between, start=ranks[top] + 1):
            layers[rank].append(spot)
        chains.append((top, *between, bottom))
    links = [link for chain in chains for link in pairwise(chain)]
    best = _ordered(layers, links)
    room = {key: widths[key] if isinstance(key, str) else 0.0 for layer in best for key in layer}
    middles = _placed(best, links, room, gap)
    for chain in chains:
        _straighten(chain[1:-1], best, middles, room, gap)
    return Layered(tuple(tuple(layer) for layer in best), middles, tuple(chains))


def spread(wanted: Sequence[float], rooms: Sequence[float]) -> list[float]:
    """Puts points as near as can be to where they want to be, in their order and with room between.

    Args:
        wanted: Where each wants to be.
        rooms: The least distance of each from the one before it; the first one's means nothing.

    >>> spread([0.0, 0.0], [0.0, 10.0])
    [-5.0, 5.0]
    """
    offsets, total = [], 0.0
    for index, room in enumerate(rooms):
        total += room if index else 0.0
        offsets.append(total)
    # Isotonic regression: neighbours that want to pass each other share their mean.
    pools: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=True):
        mean, size = place - offset, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean = (mean * size + before * count) / (size + count)
            size += count
        pools.append((mean, size))
    means = [mean for mean, size in pools for _ in range(size)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _ordered(layers: list[list[Key]], links: Sequence[tuple[Key, Key]]) -> list[list[Key]]:
    above, below = _neighbours(links)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, links)
    current = [list(layer) for layer in layers]
    for sweep in range(SWEEPS):
        goes_down = sweep % 2 == 0
        near = above if goes_down else below
        for layer in current if goes_down else reversed(current):
            place = {key: i for held in current for i, key in enumerate(held)}
            layer.sort(key=lambda key: _mean([place[n] for n in near.get(key, ())], place[key]))
        crossings = _crossings(current, links)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in current], crossings
    return best


def _crossings(layers: Sequence[Sequence[Key]], links: Sequence[tuple[Key, Key]]) -> int:
    place = {key: (rank, i) for rank, layer in enumerate(layers) for i, key in enumerate(layer)}
    spans: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        spans.setdefault(place[a][0], []).append((place[a][1], place[b][1]))
    return sum(
        (a - c) * (b - d) < 0
        for held in spans.values()
        for i, (a, b) in enumerate(held)
        for c, d in held[:i]
    )


def _placed(
    layers: Sequence[Sequence[Key]],
    links: Sequence[tuple[Key, Key]],
    room: Mapping[Key, float],
    gap: float,
) -> dict[Key, float]:
    above, below = _neighbours(links)
    middles: dict[Key, float] = {}
    for layer in layers:
        middles.update(
            zip(layer, spread([0.0] * len(layer), _rooms(layer, room, gap)), strict=True)
        )
    for sweep in range(SWEEPS):
        goes_down = sweep % 2 == 0
        for layer in layers if goes_down else reversed(layers):
            near = above if goes_down else below
            wanted = [_mean([middles[n] for n in near.get(key, ())], middles[key]) for key in layer]
            middles.update(zip(layer, spread(wanted, _rooms(layer, room, gap)), strict=True))
    return middles


def _straighten(
    spots: Sequence[Key],
    layers: Sequence[Sequence[Key]],
    middles: dict[Key, float],
    room: Mapping[Key, float],
    gap: float,
) -> None:
    """Puts the spots of one line above each other, if there is room for that in every layer."""
    lowest, highest = -math.inf, math.inf
    for spot in spots:
        layer = next(layer for layer in layers if spot in layer)
        at = layer.index(spot)
        if at > 0:
            left = layer[at - 1]
            lowest = max(lowest, middles[left] + (room[left] + room[spot]) / 2 + gap)
        if at + 1 < len(layer):
            right = layer[at + 1]
            highest = min(highest, middles[right] - (room[right] + room[spot]) / 2 - gap)
    if spots and lowest <= highest:
        mean = _mean([middles[spot] for spot in spots], 0.0)
        for spot in spots:
            middles[spot] = min(max(mean, lowest), highest)


def _rooms(layer: Sequence[Key], room: Mapping[Key, float], gap: float) -> list[float]:
    return [
        0.0 if i == 0 else (room[layer[i - 1]] + room[key]) / 2 + gap for i, key in enumerate(layer)
    ]


def _neighbours(
    links: Sequence[tuple[Key, Key]],
) -> tuple[dict[Key, list[Key]], dict[Key, list[Key]]]:
    above: dict[Key, list[Key]] = {}
    below: dict[Key, list[Key]] = {}
    for top, bottom in links:
        above.setdefault(bottom, []).append(top)
        below.setdefault(top, []).append(bottom)
    return above, below


def _mean(places: Sequence[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise
