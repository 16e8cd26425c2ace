"""World: a YAML file as a compiled world, and the stage its runs are played on."""

from creatura.world.faults import MODES, TAKES_DELAY, TAKES_FACT, Fault, Mode
from creatura.world.generate import generate_pack, generate_world, pack_texts
from creatura.world.grammar import grammar_of
from creatura.world.landing import Reports
from creatura.world.packs import Pack, check_split
from creatura.world.shape import Shape
from creatura.world.signature import Signature, signature_of
from creatura.world.specs import HASHED, tokens_of
from creatura.world.watched import Playable, Staging, WatchedStage, WatchedWorld
from creatura.world.world import Episode, Stage, World, load_world, parse_world

__all__ = [
    "HASHED",
    "MODES",
    "TAKES_DELAY",
    "TAKES_FACT",
    "Episode",
    "Fault",
    "Mode",
    "Pack",
    "Playable",
    "Reports",
    "Shape",
    "Signature",
    "Stage",
    "Staging",
    "WatchedStage",
    "WatchedWorld",
    "World",
    "check_split",
    "generate_pack",
    "generate_world",
    "grammar_of",
    "load_world",
    "pack_texts",
    "parse_world",
    "signature_of",
    "tokens_of",
]
