"""Drawing: a laid-out world as an SVG file.

Text is drawn as outlines of the font that comes with matplotlib, so that a picture needs no font of
the reader's; the same world gives the same text.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from bench.plots import FAINT, INK, SOFT, VERMILLION
from bench.world_graph.boxes import FONT, LINE, PAD, SIZE, SMALL, Box, Kind, graph_of, text_width
from bench.world_graph.lanes import Layout, Line, Point, box_at, layout_of
from creatura.world.portrait import Portrait

TITLE = 13.0
MARGIN = 20.0
KEY_GAP = 34.0  # from the text of one entry of the legend to that of the next
PAPER = "#ffffff"
_FILLS = {
    Kind.FACT: "#dcebf7",
    Kind.VARIABLE: "#e2f2e8",
    Kind.TOOL: "#fdeec6",
    Kind.RULE: "#f5e4ee",
}
_ROUND = (Kind.FACT, Kind.VARIABLE)
_UNITS = 72.0  # points an inch
_KEY = (
    (Kind.FACT, "fact; bold where the task asks for it"),
    (Kind.TOOL, "tool"),
    (Kind.VARIABLE, "variable"),
    (Kind.RULE, "rule"),
)


def render_graph(portrait: Portrait) -> str:
    """Draws a world as the text of an SVG file."""
    with warnings.catch_warnings():
        # A sign that the font lacks is drawn as an empty box, which says enough.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        return _rendered(portrait)


def _rendered(portrait: Portrait) -> str:
    graph = graph_of(portrait)
    figure = _figure(portrait, graph.boxes, layout_of(graph))
    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": portrait.world}):
        metadata = {"Date": None, "Creator": None}
        figure.savefig(text, format="svg", metadata=metadata, facecolor=PAPER)
    return text.getvalue()


def _figure(portrait: Portrait, boxes: Mapping[str, Box], layout: Layout) -> Figure:
    title = portrait.headline
    legend = _legend_width(boxes)
    corners = [box_at(boxes[key], middle) for key, middle in layout.middles.items()]
    points = [point for line in layout.lines for point in line.points]
    left = min([c[0] for c in corners] + [x for x, _ in points]) - MARGIN
    top = min([c[1] for c in corners] + [y for _, (_, y) in layout.captions]) - MARGIN - 2 * TITLE
    needed = max(text_width(title, TITLE, True), legend) + 2 * MARGIN
    captions = [x + text_width(text, SMALL) for text, (x, _) in layout.captions]
    right = max([c[2] for c in corners] + captions + [x for x, _ in points]) + MARGIN
    right = max(right, left + needed)
    bottom = max(c[3] for c in corners) + 2 * MARGIN + 2 * SIZE
    with matplotlib.rc_context({"font.family": FONT, "text.parse_math": False}):
        figure = Figure(figsize=((right - left) / _UNITS, (bottom - top) / _UNITS))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(left, right)
        axes.set_ylim(bottom, top)
        axes.set_axis_off()
        axes.text(
            left + MARGIN, top + MARGIN, title, size=TITLE, weight="bold", color=INK, va="center"
        )
        for line in layout.lines:
            _draw_line(axes, line)
        for key, middle in layout.middles.items():
            _draw_box(axes, boxes[key], middle)
        for text, (x, y) in layout.captions:
            axes.text(x, y, text, size=SMALL, style="italic", color=SOFT, va="bottom")
        revokes = any(line.edge.revokes for line in layout.lines)
        _draw_legend(axes, boxes, (left + MARGIN, bottom - MARGIN), revokes=revokes)
    return figure


def _draw_box(axes: Axes, box: Box, middle: Point) -> None:
    left, top, _, _ = box_at(box, middle)
    corner = min(box.height, LINE * SIZE + PAD) / 2 if box.kind in _ROUND else 1.5
    axes.add_patch(
        FancyBboxPatch(
            (left, top), box.width, box.height, boxstyle=f"round,pad=0,rounding_size={corner}",
            facecolor=_FILLS[box.kind], edgecolor=INK if box.is_wanted else SOFT,
            linewidth=1.6 if box.is_wanted else 0.8, zorder=3,
        )
    )  # fmt: skip
    y = top + PAD / 2 + LINE * SIZE / 2
    style: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "zorder": 4}
    weight = "bold" if box.is_wanted else "normal"
    axes.text(middle[0], y, box.title, size=SIZE, weight=weight, **style)
    y += LINE * (SIZE + SMALL) / 2
    for note in box.notes:
        axes.text(middle[0], y, note, size=SMALL, **(style | {"color": SOFT}))
        y += LINE * SMALL


def _draw_line(axes: Axes, line: Line) -> None:
    revokes = line.edge.revokes
    axes.add_patch(
        FancyArrowPatch(
            path=_path(line), arrowstyle="-|>", mutation_scale=8, shrinkA=0, shrinkB=0,
            linewidth=1.0, color=VERMILLION if revokes else SOFT,
            linestyle=(0, (4, 2)) if revokes else "-", zorder=2,
        )
    )  # fmt: skip


def _path(line: Line) -> Path:
    vertices, codes = [line.points[0]], [Path.MOVETO]
    for (x0, y0), (x1, y1), way in zip(line.points, line.points[1:], line.ways, strict=False):
        if way == "down":
            middle = (y0 + y1) / 2
            vertices += [(x0, middle), (x1, middle), (x1, y1)]
            codes += [Path.CURVE4] * 3
        elif way == "across":
            middle = (x0 + x1) / 2
            vertices += [(middle, y0), (middle, y1), (x1, y1)]
            codes += [Path.CURVE4] * 3
        elif way == "corner":
            # One of its ends is under a box and leaves upright, whichever way the line goes.
            vertices += [(x0, y1) if y1 > y0 else (x1, y0), (x1, y1)]
            codes += [Path.CURVE3] * 2
        else:
            vertices.append((x1, y1))
            codes.append(Path.LINETO)
    return Path(vertices, codes)


# ------------------------------------------------------------------ legend


def _legend(boxes: Mapping[str, Box]) -> Iterable[tuple[Kind, str]]:
    used = {box.kind for box in boxes.values()}
    return [(kind, text) for kind, text in _KEY if kind in used]


def _legend_width(boxes: Mapping[str, Box]) -> float:
    texts = [*(text for _, text in _legend(boxes)), "takes away"]
    return sum(text_width(text, SMALL) + KEY_GAP for text in texts)


def _draw_legend(axes: Axes, boxes: Mapping[str, Box], at: Point, *, revokes: bool) -> None:
    x, y = at
    for kind, text in _legend(boxes):
        corner = 4.5 if kind in _ROUND else 1.0
        axes.add_patch(
            FancyBboxPatch(
                (x, y - 4.5), 16, 9, boxstyle=f"round,pad=0,rounding_size={corner}",
                facecolor=_FILLS[kind], edgecolor=SOFT, linewidth=0.8,
            )
        )  # fmt: skip
        axes.text(x + 20, y, text, size=SMALL, color=SOFT, va="center")
        x += text_width(text, SMALL) + KEY_GAP
    axes.axhline(y - 14, color=FAINT, linewidth=0.6)
    if not revokes:
        return
    axes.add_line(
        Line2D([x, x + 16], [y, y], color=VERMILLION, linewidth=1.0, linestyle=(0, (4, 2)))
    )
    axes.text(x + 20, y, "takes away", size=SMALL, color=SOFT, va="center")
