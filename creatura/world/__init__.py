"""World: a YAML file as a compiled world, and the stage its runs are played on."""

from creatura.world.faults import MODES, TAKES_DELAY, TAKES_FACT, Fault, Mode
from creatura.world.landing import Reports
from creatura.world.watched import Playable, Staging, WatchedStage, WatchedWorld
from creatura.world.world import Episode, Stage, World, load_world, parse_world

__all__ = [
    "MODES",
    "TAKES_DELAY",
    "TAKES_FACT",
    "Episode",
    "Fault",
    "Mode",
    "Playable",
    "Reports",
    "Stage",
    "Staging",
    "WatchedStage",
    "WatchedWorld",
    "World",
    "load_world",
    "parse_world",
]
