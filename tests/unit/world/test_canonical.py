"""Canonical: graphs that differ only in numbering meet in one order, and others do not."""

from __future__ import annotations

import itertools
import random
from bisect import bisect

import pytest

from creatura.world.canonical import Ordering, ordering_of

Graph = tuple[list[str], list[tuple[int, str, int]]]


def renumbered(graph: Graph, rng: random.Random) -> Graph:
    labels, edges = graph
    to = list(range(len(labels)))
    rng.shuffle(to)
    moved = [(to[a], role, to[b]) for a, role, b in edges]
    rng.shuffle(moved)
    return [labels[to.index(i)] for i in range(len(labels))], moved


def as_ordered(graph: Graph, ordering: Ordering) -> object:
    """The graph as it reads in an order: all there is to it."""
    labels, edges = graph
    assert ordering.order is not None
    place = {node: i for i, node in enumerate(ordering.order)}
    return [labels[node] for node in ordering.order], sorted(
        (place[a], role, place[b]) for a, role, b in edges
    )


def drawn(rng: random.Random) -> Graph:
    size, density = rng.randint(1, 9), rng.choice([0.1, 0.3, 0.6])
    pairs = itertools.permutations(range(size), 2)
    edges = [(a, rng.choice("xy"), b) for a, b in pairs if rng.random() < density]
    return [rng.choice("ab") for _ in range(size)], edges


def grid(steps: list[tuple[int, int]]) -> Graph:
    """Sixteen nodes that look alike, each joined to those some steps away on a torus."""
    cells = list(itertools.product(range(4), repeat=2))
    edges = [
        (cells.index((a, b)), "x", cells.index(((a + i) % 4, (b + j) % 4)))
        for a, b in cells
        for i, j in steps
    ]
    return ["f"] * 16, edges


ROOK = grid([(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)])
SHRIKHANDE = grid([(0, 1), (1, 0), (0, 3), (3, 0), (1, 1), (3, 3)])
RING = (["f"] * 24, [(i, "x", (i + 1) % 24) for i in range(24)])
TWO_RINGS = (["f"] * 24, [(i, "x", i // 12 * 12 + (i + 1) % 12) for i in range(24)])
MATCHING = (["f"] * 20 + ["t"] * 20, [(i, "x", 20 + i) for i in range(20)])
GAPS = (
    ["f"] * 20 + ["t"] * 20,
    [(i, "x", 20 + j) for i in range(20) for j in range(20) if i != j],
)
ALL_TO_ALL = (["f"] * 20 + ["t"] * 20, [(i, "x", 20 + j) for i in range(20) for j in range(20)])


def test_renumbered_graphs_read_the_same():
    rng = random.Random(1)
    for _ in range(400):
        graph = drawn(rng)
        other = renumbered(graph, rng)
        assert as_ordered(graph, ordering_of(*graph)) == as_ordered(other, ordering_of(*other))


@pytest.mark.parametrize("graph", [ROOK, SHRIKHANDE, RING, TWO_RINGS, MATCHING, GAPS, ALL_TO_ALL])
def test_graphs_full_of_likeness_are_ordered_within_the_bound(graph):
    other = renumbered(graph, random.Random(2))
    assert as_ordered(graph, ordering_of(*graph)) == as_ordered(other, ordering_of(*other))


@pytest.mark.parametrize(("one", "other"), [(ROOK, SHRIKHANDE), (RING, TWO_RINGS)])
def test_graphs_that_refinement_cannot_tell_apart_read_differently(one, other):
    assert ordering_of(*one).cells == ordering_of(*other).cells
    assert as_ordered(one, ordering_of(*one)) != as_ordered(other, ordering_of(*other))


@pytest.mark.parametrize("graph", [ROOK, RING])
def test_the_bound_is_met_under_every_numbering_or_under_none(graph):
    rng = random.Random(3)
    enough = bisect(range(2_000), False, key=lambda n: bool(ordering_of(*graph, max_tries=n).order))
    for _ in range(5):
        other = renumbered(graph, rng)
        assert ordering_of(*other, max_tries=enough).order is not None
        assert ordering_of(*other, max_tries=enough - 1).order is None


def test_parts_that_do_not_touch_need_no_tries():
    assert ordering_of(*MATCHING, max_tries=0).order is not None
