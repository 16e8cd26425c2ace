"""Plots: pictures of stored rows, drawn on matplotlib figures that no global state knows of.

Colours are those of Okabe and Ito ("Color universal design", 2008), which the common forms of
colour blindness keep apart; lines differ in dash and marker as well. Ink and paper are written as
CSS variables, so that a picture set into a page follows the page's theme.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

# Replaced by variables in an SVG, and so used for nothing else.
INK, SOFT, FAINT, PAPER = "#1b1b1f", "#5a5a64", "#c9c9cf", "#fffffe"
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
SKY, VERMILLION, GREY = "#56B4E9", "#D55E00", "#8c8c94"
WHITE, BLACK = "#ffffff", "#111111"
DARK_FROM = 0.68  # share from which white reads better on the grid's colour than black
SERIES = (
    (BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, "-.", "^"),
    (PURPLE, ":", "D"), (SKY, "-", "v"), (VERMILLION, "--", "P"),
)  # fmt: skip
WIDTH = 7.6  # inches; with 72 units an inch in SVG, what fits a page of text
DPI = 144
CLOSING = "sleep"  # kind of a row told after the last tick

_VARIABLES = {"--ink": INK, "--soft": SOFT, "--rule": FAINT, "--paper": PAPER}
_RATES = LinearSegmentedColormap.from_list("rates", ["#f4efe6", SKY, "#004a75"])
_STYLE: Any = {
    "font.family": "sans-serif", "font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": "none",
    "grid.color": FAINT, "grid.linewidth": 0.6, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False, "legend.fontsize": 9,
    "svg.fonttype": "none", "text.parse_math": False, "savefig.facecolor": PAPER,
}  # fmt: skip


def run_plot(
    title: str, traces: pd.DataFrame, lies: pd.DataFrame, quarantines: pd.DataFrame, last_tick: int
) -> Figure:
    """Draws stress and freedom of one run over its ticks, with its lies and hidden tools.

    A marker is a row that was told; between rows a line holds what the level last said.

    Args:
        traces, lies, quarantines: The run's rows of these tables.
        last_tick: The tick in which the run closed.
    """
    tools = list(dict.fromkeys([*lies["tool"].astype(str), *quarantines["tool"].astype(str)]))
    heights = ([0.32 * len(tools) + 0.12] if tools else []) + [1.7, 1.25]
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, sum(heights) + 1.35), layout="constrained")
        axes = list(
            np.atleast_1d(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
        )
        if tools:
            _draw_tools(axes[0], tools, lies, quarantines, last_tick)
        told = traces[traces["kind"].astype(str) != CLOSING]
        _draw_series(axes[-2], "stress", _series(told, "stress", merge=False))
        _draw_series(axes[-1], "freedom", _series(told, "freedom", merge=True))
        for panel in axes[-2:]:
            _mark_ticks(panel, lies, quarantines, last_tick)
        axes[-1].set_xlabel("tick")
        axes[-1].set_xlim(0.5, max(last_tick, 1) + 0.5)
        axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes[0].set_title("\n".join(textwrap.wrap(title, 70)), loc="left")
    return figure


def goal_plot(outcomes: pd.DataFrame, names: Sequence[str]) -> Figure:
    """Draws the share of runs that reached the goal, a row a world and a column a design.

    Args:
        outcomes: Cells as from `tables.outcomes`.
        names: The row of the grid that each cell belongs to.
    """
    named = list(dict.fromkeys(names))
    designs = list(dict.fromkeys(outcomes["design"].astype(str)))
    rates = np.full((len(named), len(designs)), np.nan)
    labels = [["not run"] * len(designs) for _ in named]
    cells = _rows(outcomes, "design", "reached", "runs")
    for name, (design, reached, runs) in zip(names, cells, strict=True):
        row, column = named.index(name), designs.index(design)
        rates[row, column] = reached / runs
        labels[row][column] = f"{reached}/{runs}"
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, 0.3 * len(named) + 0.7), layout="constrained")
        axis = figure.subplots()
        _draw_grid(axis, rates, labels)
        axis.set_xticks(_middles(designs), [textwrap.fill(name, 18) for name in designs])
        axis.set_yticks(_middles(named), named)
    return figure


def render_svg(figure: Figure, key: str) -> str:
    """Writes a figure as an SVG element to set into a page, the same text each time.

    Args:
        key: Prefix of the element's ids, so that no two pictures of a page share one.
    """
    text = io.StringIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": key}):
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    svg = text.getvalue()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r"font: ([^;\"]*?)(\d[\d.]*px)[^;\"]*", r"font: \1\2 var(--sans, sans-serif)", svg)
    for name, colour in _VARIABLES.items():
        svg = svg.replace(colour, f"var({name}, {colour})")
    return svg


def render_png(figure: Figure) -> bytes:
    """Writes a figure as a PNG on paper, the same bytes each time."""
    content = io.BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(content, format="png", dpi=DPI, metadata={"Software": None})
    return content.getvalue()


# ------------------------------------------------------------------ parts of the run plot


def _series(traces: pd.DataFrame, column: str, *, merge: bool) -> dict[str, pd.Series[float]]:
    """Reads each level's last value of each tick, level by level as they first speak."""
    is_several = traces["agent"].nunique() > 1
    found: dict[str, pd.Series[float]] = {}
    for agent, told in traces.groupby("agent"):
        last = told.drop_duplicates(["level", "tick"], keep="last")
        levels = last.groupby(last["level"].astype(str), sort=False)
        series = {str(level): rows.set_index("tick")[column] for level, rows in levels}
        for level, values in (_merged(series) if merge else series).items():
            found[f"agent {agent}: {level}" if is_several else level] = values
    return found


def _merged(series: dict[str, pd.Series[float]]) -> dict[str, pd.Series[float]]:
    """Joins levels into one line where they never disagree."""
    joined = pd.concat(list(series.values())) if series else pd.Series(dtype=float)
    if len(series) < 2 or joined.groupby(level=0).nunique().max() > 1:
        return series
    return {"all levels": joined.groupby(level=0).last()}


def _draw_series(axis: Axes, name: str, series: dict[str, pd.Series[float]]) -> None:
    for i, (level, values) in enumerate(series.items()):
        colour, dash, marker = SERIES[i % len(SERIES)]
        ticks = pd.RangeIndex(int(values.index.min()), int(values.index.max()) + 1)
        held = values.reindex(ticks).ffill()
        axis.plot(
            held.index, held, drawstyle="steps-mid", color=colour, linestyle=dash, linewidth=1.8,
            marker=marker, markersize=5, markevery=ticks.isin(values.index), label=level, zorder=3,
        )  # fmt: skip
    axis.set_ylabel(name)
    axis.set_ylim(-0.08, 1.08)
    axis.set_yticks([0, 0.5, 1])
    axis.grid(axis="y")
    axis.set_axisbelow(True)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.06))


def _mark_ticks(axis: Axes, lies: pd.DataFrame, quarantines: pd.DataFrame, last_tick: int) -> None:
    for tick, until in _rows(quarantines, "tick", "until"):
        if tick < last_tick:
            end = min(until, last_tick) + 0.5
            axis.axvspan(tick + 0.5, end, color=GREY, alpha=0.16, linewidth=0)
    for tick in sorted(set(lies["tick"].tolist())):
        axis.axvline(tick, color=VERMILLION, linewidth=1, linestyle=(0, (2, 2)), zorder=1)


def _draw_tools(
    axis: Axes,
    tools: Sequence[str],
    lies: pd.DataFrame,
    quarantines: pd.DataFrame,
    last_tick: int,
) -> None:
    """Draws a lane for each tool that lied or was hidden."""
    for tool, tick, until in _rows(quarantines, "tool", "tick", "until"):
        length = min(until, last_tick) - tick
        axis.barh(tools.index(tool), length, 0.62, tick + 0.5, color=GREY, alpha=0.45)
    for tool, tick, caught in _rows(lies, "tool", "tick", "caught"):
        axis.plot(tick, tools.index(tool), **_lie_mark(caught))
    axis.set_yticks(range(len(tools)), tools)
    axis.set_ylim(len(tools) - 0.5, -0.5)
    axis.tick_params(length=0, labelbottom=False)
    axis.spines["left"].set_visible(False)
    axis.spines["bottom"].set_visible(False)
    keys: list[Line2D | Patch] = [
        Line2D([], [], label=f"lie, {'caught' if caught else 'believed'}", **_lie_mark(caught))
        for caught in sorted(set(lies["caught"].tolist()), reverse=True)
    ]
    if len(quarantines):
        keys.append(Patch(color=GREY, alpha=0.45, label="hidden"))
    axis.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.0, 1.2))


def _lie_mark(caught: bool) -> dict[str, Any]:
    face = VERMILLION if caught else "none"
    return {
        "marker": "X", "markersize": 9, "linestyle": "", "color": VERMILLION,
        "markerfacecolor": face,
    }  # fmt: skip


def _rows(frame: pd.DataFrame, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(frame[name].tolist() for name in names), strict=True)


def _middles(names: Sequence[str]) -> list[float]:
    return [i + 0.5 for i in range(len(names))]


def _draw_grid(axis: Axes, rates: NDArray[np.float64], labels: list[list[str]]) -> None:
    axis.pcolormesh(
        np.ma.masked_invalid(rates), cmap=_RATES, vmin=0, vmax=1, edgecolor=PAPER, linewidth=2
    )
    for row, texts in enumerate(labels):
        for column, text in enumerate(texts):
            rate = rates[row, column]
            colour = SOFT if np.isnan(rate) else WHITE if rate > DARK_FROM else BLACK
            axis.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)
    axis.invert_yaxis()
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
