"""Canonical: one order for the nodes of a labelled graph, whatever they are called.

Colour refinement (Weisfeiler and Leman 1968) tells nodes apart by their labels and by what they are
joined to. Nodes that stay alike fall into parts that do not touch, each ordered by itself; within
one part a node at a time is set apart, and the choice with the smallest digest is kept. How many
refinements that takes is a matter of the graph alone, so a bound on it is met, or not, under any
names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from creatura.hashing import digest

MAX_TRIES = 2_000  # refinements of one search; a ring of fifty facts that look alike takes fifty

Edge = tuple[int, str, int]  # from, label, to; never from a node to itself
_Colours = Mapping[int, int]
_Ordered = tuple[str, list[int]]  # a digest of the graph in that order, and the order


@dataclass(frozen=True, slots=True)
class Ordering:
    """What is known of the nodes without their names.

    Attributes:
        cells: The cell of each node after colour refinement, from 0.
        order: The nodes in canonical order; None where the search met its bound.
    """

    cells: tuple[int, ...]
    order: tuple[int, ...] | None


def ordering_of(
    labels: Sequence[str], edges: Iterable[Edge], max_tries: int = MAX_TRIES
) -> Ordering:
    """Orders the nodes so that graphs that differ only in numbering are equal in that order.

    Args:
        labels: What each node is, without its name.
        max_tries: Refinements spent on nodes that refinement cannot tell apart.

    >>> ordering_of(["b", "a", "b"], [(0, "to", 1)]).order
    (1, 2, 0)
    """
    rank = {label: position for position, label in enumerate(sorted(set(labels)))}
    search = _Search(len(labels), edges, max_tries)
    nodes = list(range(len(labels)))
    trace, cells = search.refine(nodes, {node: rank[label] for node, label in enumerate(labels)})
    every = tuple(cells[node] for node in nodes)
    try:
        _, order = search.ordered(nodes, trace, cells)
    except _BoundMetError:
        return Ordering(every, None)
    return Ordering(every, tuple(sorted(order, key=cells.__getitem__)))


class _BoundMetError(Exception):
    """The search has spent its tries."""


@final
class _Search:
    def __init__(self, num_nodes: int, edges: Iterable[Edge], max_tries: int) -> None:
        self._tries_left = max_tries
        self._edges = set(edges)
        self._around: list[list[tuple[str, bool, int]]] = [[] for _ in range(num_nodes)]
        for start, label, end in self._edges:
            self._around[start].append((label, True, end))
            self._around[end].append((label, False, start))

    def refine(self, nodes: Sequence[int], colours: _Colours) -> tuple[str, dict[int, int]]:
        """Splits colours until alike nodes are joined to alike nodes; edges to others are ignored.

        Returns:
            A digest of what came of it, and the cell of each node.
        """
        inside = set(nodes)
        around = {node: [e for e in self._around[node] if e[2] in inside] for node in nodes}
        cells, num_cells = dict(colours), len({colours[node] for node in nodes})
        while True:
            keys = {
                node: (
                    cells[node],
                    tuple(sorted((label, way, cells[other]) for label, way, other in around[node])),
                )
                for node in nodes
            }
            rank = {key: position for position, key in enumerate(sorted(set(keys.values())))}
            cells = {node: rank[keys[node]] for node in nodes}
            if len(rank) == num_cells:
                return digest(sorted((colours[node], keys[node]) for node in nodes)), cells
            num_cells = len(rank)

    def ordered(self, nodes: Sequence[int], trace: str, cells: _Colours) -> _Ordered:
        """Orders refined nodes.

        Args:
            trace: The digest that the refinement gave.
        """
        if len({cells[node] for node in nodes}) == len(nodes):
            return trace, sorted(nodes, key=cells.__getitem__)
        parts = list(self._parts(nodes, cells))
        if len(parts) == 1:
            return self._set_apart(nodes, trace, cells)
        done = sorted(self.ordered(part, *self.refine(part, cells)) for part in parts)
        joined = [node for _, order in done for node in order]
        return digest([trace, [found for found, _ in done]]), joined

    def _set_apart(self, nodes: Sequence[int], trace: str, cells: _Colours) -> _Ordered:
        members = defaultdict(list)
        for node in nodes:
            members[cells[node]].append(node)
        _, chosen = min((len(alike), cell) for cell, alike in members.items() if len(alike) > 1)
        tries = []
        for one in members[chosen]:
            if not self._tries_left:
                raise _BoundMetError
            self._tries_left -= 1
            marked = {node: 2 * cells[node] + (node == one) for node in nodes}
            tries.append(self.refine(nodes, marked))
        least = min(found for found, _ in tries)
        best = min(self.ordered(nodes, found, split) for found, split in tries if found == least)
        return digest([trace, best[0]]), best[1]

    def _parts(self, nodes: Sequence[int], cells: _Colours) -> Iterator[list[int]]:
        """Yields the parts that the cells alone do not join."""
        touching = self._touching(nodes, cells)
        unseen = dict.fromkeys(nodes)
        while unseen:
            part = [unseen.popitem()[0]]
            for node in part:
                found = [other for other in touching[node] if other in unseen]
                part += found
                for other in found:
                    del unseen[other]
            yield part

    def _touching(self, nodes: Sequence[int], cells: _Colours) -> Mapping[int, set[int]]:
        members = defaultdict(list)
        for node in nodes:
            members[cells[node]].append(node)
        sizes = Counter(cells[node] for node in nodes)
        joined: dict[tuple[int, str, int], set[tuple[int, int]]] = defaultdict(set)
        for start in nodes:
            for label, outward, end in self._around[start]:
                if outward and end in cells:
                    joined[cells[start], label, cells[end]].add((start, end))
        touching: dict[int, set[int]] = {node: set() for node in nodes}
        for (first, _, second), pairs in joined.items():
            if 2 * len(pairs) > sizes[first] * sizes[second]:
                # Where most are joined, the gaps say the same as the edges and hold together less.
                pairs = {(a, b) for a in members[first] for b in members[second] if a != b} - pairs
            for start, end in pairs:
                touching[start].add(end)
                touching[end].add(start)
        return touching
