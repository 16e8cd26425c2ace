"""Lanes: where every box and line of a world's picture goes.

Facts and tools fill the left lane, downwards; other variables stand to the right of them, and the
rules at the far right, phase by phase. Each variable and rule stands at the height of what it has
to do with, and a line from a fact to a rule keeps a gap of its own between the variables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.world_graph.boxes import LINE, SMALL, Box, Edge, Graph, Kind
from bench.world_graph.layers import Key, Layered, lay_out, spread

ACROSS, DOWN, ASIDE = 20.0, 24.0, 70.0  # gaps between boxes, ranks and lanes
CAPTION = SMALL * LINE + 8.0  # what the name of a phase takes above its first rule
TOOL_PHASE = "apply_action_effects"  # what tools leave lands here
PORT = 9.0  # distance of two lines that meet one side of a box
SHORTEST = 0.5  # of a step that still shows a direction
ROUNDS = 10

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """The way of one edge: its bends in order, and how it comes to each from the one before.

    Attributes:
        ways: `straight`, `down` (leaves and arrives upright), `across` (level) or `corner`.
    """

    edge: Edge
    points: tuple[Point, ...]
    ways: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A picture, ready to draw; y grows downwards.

    Attributes:
        middles: Of each box. captions: Phases, with the left end and the foot of their text.
    """

    middles: Mapping[str, Point]
    lines: tuple[Line, ...]
    captions: tuple[tuple[str, Point], ...]


def layout_of(graph: Graph) -> Layout:
    """Gives every box and line its place."""
    layered = lay_out(
        graph.ranks,
        {key: graph.boxes[key].width for key in graph.ranks},
        [(edge.start, edge.end) for edge in graph.flow],
        ACROSS,
    )
    bands = _bands(graph, layered)
    flow = _flow_middles(layered, bands)
    right = max((x + graph.boxes[key].width / 2 for key, (x, _) in flow.items()), default=0.0)
    lanes = _Lanes(graph, flow, right)
    router = _Router(graph, layered, bands, lanes)
    captions = [
        (graph.boxes[key].phase, (lanes.middles[key][0] - graph.boxes[key].width / 2, top - 5.0))
        for key, top in lanes.phase_tops()
    ]
    left = min((box_at(graph.boxes[key], flow[key])[0] for key in flow), default=0.0)
    captions.append((TOOL_PHASE, (left, -SMALL)))
    return Layout(lanes.middles, tuple(router.lines()), tuple(captions))


def _bands(graph: Graph, layered: Layered) -> list[Point]:
    """Returns the upper and the lower end of each rank."""
    bands, top = [], 0.0
    for layer in layered.layers:
        height = max((graph.boxes[k].height for k in layer if isinstance(k, str)), default=0.0)
        bands.append((top, top + height))
        top += height + DOWN
    return bands


def _flow_middles(layered: Layered, bands: Sequence[Point]) -> dict[str, Point]:
    return {
        key: (layered.middles[key], (top + bottom) / 2)
        for layer, (top, bottom) in zip(layered.layers, bands, strict=True)
        for key in layer
        if isinstance(key, str)
    }


class _Lanes:
    """The places of variables and rules beside a flow that has its own."""

    def __init__(self, graph: Graph, flow: Mapping[str, Point], right: float) -> None:
        self._graph, self.right = graph, right
        self.middles: dict[str, Point] = dict(flow)
        self._variables = self._of(Kind.VARIABLE)
        self._rules = self._of(Kind.RULE)
        self.passing = [e for e in graph.asides if Kind.VARIABLE not in self._kinds(e)]
        self.heights: dict[Edge, float] = {}
        self._partners: dict[str, list[str]] = {}
        for edge in graph.asides:
            self._partners.setdefault(edge.start, []).append(edge.end)
            self._partners.setdefault(edge.end, []).append(edge.start)
        self._set_across()
        self._stack_rules([0.0] * len(self._rules))
        for _ in range(ROUNDS):
            self._stack_variables()
            self._stack_rules([self._pull(key) for key in self._rules])

    def phase_tops(self) -> list[tuple[str, float]]:
        """Lists the first rule of each phase, with its upper end."""
        boxes = self._graph.boxes
        return [
            (key, self.middles[key][1] - boxes[key].height / 2)
            for i, key in enumerate(self._rules)
            if self._opens_phase(i)
        ]

    def edges_of(self, kind: Kind) -> Point:
        """Returns the left and the right end of a lane."""
        boxes = [(self.middles[key][0], self._graph.boxes[key].width) for key in self._of(kind)]
        if not boxes:
            return self.right + ASIDE / 2, self.right + ASIDE / 2
        return min(x - w / 2 for x, w in boxes), max(x + w / 2 for x, w in boxes)

    def _of(self, kind: Kind) -> list[str]:
        return [key for key, box in self._graph.boxes.items() if box.kind is kind]

    def _kinds(self, edge: Edge) -> set[Kind]:
        return {self._graph.boxes[edge.start].kind, self._graph.boxes[edge.end].kind}

    def _set_across(self) -> None:
        left = self.right
        for lane in (self._variables, self._rules):
            if lane:
                left += ASIDE
                widest = max(self._graph.boxes[key].width for key in lane)
                for key in lane:
                    # Rules stand flush left, so that the names of phases line up.
                    width = self._graph.boxes[key].width if lane is self._rules else widest
                    self.middles[key] = (left + width / 2, 0.0)
                left += widest

    def _stack_variables(self) -> None:
        lane: list[str | Edge] = [*self._variables, *self.passing]
        wanted = [self._pull(key) for key in lane]
        order = sorted(range(len(lane)), key=lambda i: (wanted[i], i))
        sizes = [self._graph.boxes[k].height if isinstance(k, str) else 0.0 for k in lane]
        rooms = [0.0, *((sizes[a] + sizes[b]) / 2 + DOWN / 2 for a, b in pairwise(order))]
        places = spread([wanted[i] for i in order], rooms[: len(order)])
        for i, place in zip(order, places, strict=True):
            key = lane[i]
            if isinstance(key, str):
                self.middles[key] = (self.middles[key][0], place)
            else:
                self.heights[key] = place

    def _stack_rules(self, wanted: Sequence[float]) -> None:
        rooms = [0.0] * len(self._rules)
        for i, (above, key) in enumerate(pairwise(self._rules), start=1):
            gap = CAPTION + DOWN / 2 if self._opens_phase(i) else DOWN / 2
            rooms[i] = (self._graph.boxes[above].height + self._graph.boxes[key].height) / 2 + gap
        for key, place in zip(self._rules, spread(wanted, rooms), strict=True):
            self.middles[key] = (self.middles[key][0], place)

    def _opens_phase(self, index: int) -> bool:
        boxes, rules = self._graph.boxes, self._rules
        return index == 0 or boxes[rules[index]].phase != boxes[rules[index - 1]].phase

    def _pull(self, key: str | Edge) -> float:
        """Says at what height a box, or a line's way past the variables, would like to be."""
        near = [key.start, key.end] if isinstance(key, Edge) else self._partners.get(key, [key])
        return sum(self.middles[name][1] for name in near) / len(near)


class _Router:
    """The ways of all lines, with the spots where they meet the sides of boxes."""

    def __init__(
        self, graph: Graph, layered: Layered, bands: Sequence[Point], lanes: _Lanes
    ) -> None:
        self._graph, self._layered, self._bands, self._lanes = graph, layered, bands, lanes
        self._rank = {key: i for i, layer in enumerate(layered.layers) for key in layer}
        self._last = {
            [key for key in layer if isinstance(key, str)][-1]
            for layer in layered.layers
            if any(isinstance(key, str) for key in layer)
        }
        # Lines by the box and side they meet, each with what decides its order there.
        self._ports: dict[tuple[str, str], list[tuple[float, Edge]]] = {}
        for edge, chain in zip(graph.flow, layered.chains, strict=True):
            self._meets(str(chain[0]), "bottom", layered.middles[chain[1]], edge)
            self._meets(str(chain[-1]), "top", layered.middles[chain[-2]], edge)
        for edge in graph.asides:
            for key, other in ((edge.start, edge.end), (edge.end, edge.start)):
                side = self._side(key, other)
                order = math.inf if side == "bottom" else self._seen_at(edge, other)
                self._meets(key, side, order, edge)
        for held in self._ports.values():
            held.sort(key=lambda port: port[0])

    def lines(self) -> list[Line]:
        """Routes every edge."""
        flow = zip(self._graph.flow, self._layered.chains, strict=True)
        return [
            *(self._down(edge, chain) for edge, chain in flow),
            *(self._aside(edge) for edge in self._graph.asides),
        ]

    def _meets(self, key: str, side: str, order: float, edge: Edge) -> None:
        self._ports.setdefault((key, side), []).append((order, edge))

    def _side(self, key: str, other: str) -> str:
        kind = self._graph.boxes[key].kind
        if kind is Kind.RULE:
            return "left"
        if kind is Kind.VARIABLE:
            return "right" if self._graph.boxes[other].kind is Kind.RULE else "left"
        return "right" if key in self._last else "bottom"

    def _seen_at(self, edge: Edge, other: str) -> float:
        return self._lanes.heights.get(edge, self._lanes.middles[other][1])

    def _port(self, key: str, side: str, edge: Edge) -> Point:
        x, y = self._lanes.middles[key]
        box = self._graph.boxes[key]
        held = [port for _, port in self._ports[key, side]]
        along = box.height if side in ("left", "right") else box.width
        step = min(PORT, along / (len(held) + 1))
        off = (held.index(edge) - (len(held) - 1) / 2) * step
        match side:
            case "left":
                return x - box.width / 2, y + off
            case "right":
                return x + box.width / 2, y + off
            case "top":
                return x + off, y - box.height / 2
        return x + off, y + box.height / 2

    def _gap(self, key: str, edge: Edge) -> float:
        """Returns the height at which a line leaves below a rank, apart from the others there."""
        rank = self._rank[key]
        leaving = [
            port
            for (box, side), held in self._ports.items()
            if side == "bottom" and self._rank[box] == rank
            for order, port in held
            if order == math.inf
        ]
        step = DOWN / (len(leaving) + 1)
        return self._bands[rank][1] + step * (leaving.index(edge) + 1)

    def _down(self, edge: Edge, chain: Sequence[Key]) -> Line:
        start = self._port(str(chain[0]), "bottom", edge)
        points: list[Point] = [start, (start[0], self._bands[self._rank[chain[0]]][1])]
        ways = ["straight"]
        for key in chain[1:-1]:
            x = self._layered.middles[key]
            top, bottom = self._bands[self._rank[key]]
            points += [(x, top), (x, bottom)]
            ways += ["down", "straight"]
        end = self._port(str(chain[-1]), "top", edge)
        points += [(end[0], self._bands[self._rank[chain[-1]]][0]), end]
        ways += ["down", "straight"]
        return _drawn(edge, points, ways, is_backwards=edge.start != chain[0])

    def _aside(self, edge: Edge) -> Line:
        lane = {Kind.FACT: 0, Kind.TOOL: 0, Kind.VARIABLE: 1, Kind.RULE: 2}
        near, far = sorted(
            (edge.start, edge.end), key=lambda key: lane[self._graph.boxes[key].kind]
        )
        points = [self._port(near, self._side(near, far), edge)]
        ways: list[str] = []
        if self._side(near, far) == "bottom":
            # The gap under its rank is free of boxes all the way to the right.
            gap = self._gap(near, edge)
            points += [(points[0][0] + DOWN / 3, gap), (self._lanes.right, gap)]
            ways += ["corner", "straight"]
        elif self._side(near, far) == "right" and near in self._last:
            # So is the rest of its rank, beside the last box of it.
            points.append((self._lanes.right, points[0][1]))
            ways.append("straight")
        if edge in self._lanes.heights:
            left, right = self._lanes.edges_of(Kind.VARIABLE)
            height = self._lanes.heights[edge]
            points += [(left, height), (right, height)]
            ways += ["across", "straight"]
        points.append(self._port(far, self._side(far, near), edge))
        ways.append("across")
        return _drawn(edge, points, ways, is_backwards=edge.start != near)


def _drawn(edge: Edge, points: Sequence[Point], ways: Sequence[str], *, is_backwards: bool) -> Line:
    # A step of no length has no direction, and its arrow would have none.
    steps = [
        (way, point)
        for way, (before, point) in zip(ways, pairwise(points), strict=True)
        if math.dist(before, point) > SHORTEST
    ]
    bends = [points[0], *(point for _, point in steps)]
    kept = [way for way, _ in steps]
    return Line(edge, tuple(bends[::-1 if is_backwards else 1]),
                tuple(kept[::-1 if is_backwards else 1]))  # fmt: skip


def box_at(box: Box, middle: Point) -> tuple[float, float, float, float]:
    """Returns the left, upper, right and lower end of a box."""
    x, y = middle
    return x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2
