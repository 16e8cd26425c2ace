"""World graph: a world as a picture, from its portrait to an SVG file."""

from bench.world_graph.drawing import render_graph

__all__ = ["render_graph"]
