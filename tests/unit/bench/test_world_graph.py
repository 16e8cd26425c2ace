"""World graphs: nothing in a picture covers anything else, and it is the same each time."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from bench.world_graph import render_graph
from bench.world_graph.boxes import Kind, graph_of
from bench.world_graph.lanes import box_at, layout_of
from bench.world_graph.layers import lay_out, spread
from creatura import resolver
from creatura.world import load_world
from creatura.world.portrait import Portrait
from creatura.world.portray import portrait_of

VILLAGE = Path(__file__).parents[2] / "golden" / "world" / "village.yaml"
NEAR = 1e-6
WORLDS = [*resolver.worlds(), VILLAGE]

every_world = pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)


def drawn(path: Path) -> Portrait:
    return portrait_of(load_world(path))


@every_world
def test_no_two_boxes_overlap(path: Path) -> None:
    graph = graph_of(drawn(path))
    middles = layout_of(graph).middles
    assert middles.keys() == graph.boxes.keys()
    corners = {key: box_at(box, middles[key]) for key, box in graph.boxes.items()}
    for a, b in combinations(corners, 2):
        (l1, t1, r1, b1), (l2, t2, r2, b2) = corners[a], corners[b]
        assert r1 <= l2 or r2 <= l1 or b1 <= t2 or b2 <= t1, f"{a} overlaps {b}"


@every_world
def test_no_line_runs_through_the_boxes_of_facts_and_tools(path: Path) -> None:
    graph = graph_of(drawn(path))
    layout = layout_of(graph)
    for line in layout.lines:
        for key, box in graph.boxes.items():
            if key in (line.edge.start, line.edge.end) or box.kind not in (Kind.FACT, Kind.TOOL):
                continue
            left, top, right, bottom = box_at(box, layout.middles[key])
            for (x0, y0), (x1, y1) in pairwise(line.points):
                is_aside = max(x0, x1) <= left + NEAR or min(x0, x1) >= right - NEAR
                is_above = max(y0, y1) <= top + NEAR
                assert is_aside or is_above or min(y0, y1) >= bottom - NEAR, (line, key)


@every_world
def test_every_line_ends_with_a_step_that_shows_a_direction(path: Path) -> None:
    for line in layout_of(graph_of(drawn(path))).lines:
        assert len(line.points) == len(line.ways) + 1 >= 2
        assert all(before != after for before, after in pairwise(line.points))


@every_world
def test_facts_and_tools_take_turns_from_top_to_bottom(path: Path) -> None:
    portrait = drawn(path)
    graph = graph_of(portrait)
    middles = layout_of(graph).middles
    for tool in portrait.tools:
        for fact in tool.requires:
            assert middles[fact][1] < middles[f"tool {tool.id}"][1]


def test_rules_stand_in_the_order_of_their_phases() -> None:
    layout = layout_of(graph_of(drawn(VILLAGE)))
    captions = sorted(
        (y, text) for text, (_, y) in layout.captions if text != "apply_action_effects"
    )
    assert [text for _, text in captions] == [
        "advance_global_time",
        "apply_passive_depletion",
        "apply_modulations",
        "apply_threshold_cascades",
        "emit_observation_features",
    ]


def test_a_revoked_fact_is_shown_as_taken_away() -> None:
    (edge,) = [edge for edge in graph_of(drawn(VILLAGE)).flow if edge.revokes]
    assert (edge.start, edge.end) == ("tool light-fire", "wood_cut")


def test_a_picture_is_the_same_each_time_and_needs_no_font() -> None:
    portrait = drawn(resolver.world_file("water-board"))
    svg = render_graph(portrait)
    assert svg == render_graph(portrait)
    assert "<text" not in svg
    assert re.search(r'viewBox="0 0 [\d.]+ [\d.]+"', svg)


@pytest.mark.parametrize("title", ["$x_{2$ & <b> %", "水を引く", " "])
def test_a_title_of_any_signs_is_drawn(title: str) -> None:
    portrait = drawn(resolver.world_file("water-board"))
    task = replace(portrait.task, title=title)
    assert "<svg" in render_graph(replace(portrait, task=task))


# --------------------------------------------------------------------------- layers


def test_boxes_of_one_layer_change_places_where_that_saves_a_crossing() -> None:
    ranks = {"a": 0, "b": 0, "c": 1, "d": 1}
    layered = lay_out(ranks, dict.fromkeys(ranks, 10.0), [("a", "d"), ("b", "c")], 4.0)
    place = {key: i for layer in layered.layers for i, key in enumerate(layer)}
    assert (place["a"] < place["b"]) == (place["d"] < place["c"])


def test_a_line_past_several_layers_is_straight_where_there_is_room() -> None:
    ranks = {"a": 0, "b": 1, "c": 2, "d": 3}
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    layered = lay_out(ranks, dict.fromkeys(ranks, 30.0), edges, 4.0)
    first, second = layered.chains[3][1:-1]
    assert layered.middles[first] == layered.middles[second]


def test_no_line_of_a_packaged_world_sways_on_its_way_down() -> None:
    graph = graph_of(drawn(resolver.world_file("livestock")))
    (line,) = [
        line
        for line in layout_of(graph).lines
        if (line.edge.start, line.edge.end) == ("tagged", "tool apply-for-permit")
    ]
    assert len({x for x, _ in line.points[1:-1]}) == 1


def test_points_that_want_the_same_spot_share_the_way_to_it() -> None:
    assert spread([5.0, 5.0, 50.0], [0.0, 10.0, 10.0]) == [0.0, 10.0, 50.0]
    assert spread([], []) == []
