"""Generate: random worlds that can be solved, as the text of world files, and packs of them.

A world is drawn in two steps that share no draw: a blueprint, which is its structure, and a
surface, which is its names and the order it declares things in. A pack draws a structure once for
training and gives it a new surface for the test.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields

from creatura.errors import AuthorError, Place, Problem
from creatura.world.blueprint import Blueprint, FaultPlan, MeterPlan, ToolPlan, draw_blueprint
from creatura.world.chances import Chances
from creatura.world.packs import Pack
from creatura.world.shape import Shape
from creatura.world.vocabulary import Names
from creatura.world.world import parse_world

MAX_EPISODES = 2**32
DEFAULT_SHAPE = Shape()

_STRUCTURE, _SURFACE, _SPLIT = 0, 1, 2  # what draws are for


def generate_world(seed: int, shape: Shape = DEFAULT_SHAPE, episode: int = 0) -> str:
    """Generates the text of a world file.

    Doing nothing never reaches its goal, and no call of a tool puts the goal out of reach. The same
    arguments give the same text in every process.

    Raises:
        AuthorError: The seed or episode is out of range, or the shape is too wide to be searched.
    """
    _check_key(seed, episode)
    blueprint = draw_blueprint(Chances(seed, episode, _STRUCTURE), shape)
    head = f"# A random world: seed {seed}, episode {episode}.\n# {_shown(shape)}"
    return _text(blueprint, _surface(blueprint, seed, episode, shape), head)


def generate_pack(seed: int, num_train: int, num_test: int, shape: Shape = DEFAULT_SHAPE) -> Pack:
    """Generates train worlds, and test worlds of their structures under names not seen in them.

    Raises:
        AuthorError: As `generate_world`, or a number of worlds is below 1.
    """
    texts = pack_texts(seed, num_train, num_test, shape)
    train, test = (tuple(parse_world(text, file) for file, text in side) for side in texts)
    return Pack(train, test)


def pack_texts(
    seed: int, num_train: int, num_test: int, shape: Shape = DEFAULT_SHAPE
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Generates the files of a pack: name and text of each train world, then of each test world."""
    _check_counts(num_train, num_test)
    _check_key(seed, num_train + num_test)
    blueprints = [
        draw_blueprint(Chances(seed, episode, _STRUCTURE), shape) for episode in range(num_train)
    ]
    chances = Chances(seed, 0, _SPLIT)
    taken: set[str] = set()
    train, test = [], []
    for episode, blueprint in enumerate(blueprints):
        surface = _surface(blueprint, seed, episode, shape)
        taken |= {*surface.facts, *surface.meters, *surface.tools}
        train.append(_file("train", episode, seed, shape, blueprint, surface))
    for episode in range(num_test):
        blueprint = chances.pick(blueprints)
        surface = _surface(blueprint, seed, num_train + episode, shape, taken)
        test.append(_file("test", episode, seed, shape, blueprint, surface))
    return train, test


@dataclass(frozen=True, slots=True)
class _Surface:
    """What a blueprint's things are called, and the order they are declared in.

    Attributes:
        facts, meters, tools: Names by position in the blueprint.
        fact_order, tool_order: Positions in the order of declaration.
    """

    world: str
    facts: Sequence[str]
    meters: Sequence[str]
    tools: Sequence[str]
    fact_order: Sequence[int]
    tool_order: Sequence[int]


def _surface(
    blueprint: Blueprint, seed: int, episode: int, shape: Shape, taken: Collection[str] = ()
) -> _Surface:
    chances = Chances(seed, episode, _SURFACE)
    names = Names(shape.names, chances, taken)
    fact_order = chances.shuffled(range(len(blueprint.levels)))
    tool_order = chances.shuffled(range(len(blueprint.tools)))
    facts = dict(zip(fact_order, names.some(len(fact_order), "fact"), strict=True))
    tools = dict(zip(tool_order, names.some(len(tool_order), "tool", "-"), strict=True))
    meters = names.some(len(blueprint.meters), "meter")
    # A plain name tells worlds apart by where they come from, a word by what it is.
    plain = f"world-{seed % 2**64}-{episode}"
    world = plain if shape.names == "plain" else names.some(1, "world")[0]
    return _Surface(
        world,
        [facts[place] for place in range(len(facts))],
        meters,
        [tools[place] for place in range(len(tools))],
        fact_order,
        tool_order,
    )


def _text(blueprint: Blueprint, surface: _Surface, head: str) -> str:
    meters = dict(zip([m.fact for m in blueprint.meters], surface.meters, strict=True))
    lines = [head, f"name: {surface.world}", "facts:"]
    read_off = {m.fact: f'{{{surface.facts[m.fact]}: "{meters[m.fact]} >= {m.threshold}"}}'
                for m in blueprint.meters}  # fmt: skip
    lines += [f"  - {read_off.get(f, surface.facts[f])}" for f in surface.fact_order]
    if blueprint.meters:
        lines += ["variables:", *(_meter_line(meters[m.fact], m) for m in blueprint.meters)]
    lines.append("tools:")
    for place in surface.tool_order:
        tool = blueprint.tools[place]
        keys = list(_tool_keys(tool, surface.facts))
        if tool.grants in meters:
            keys.append(f"writes: [{_delta(meters[tool.grants], tool.fill)}]")
            lines += [f"  {surface.tools[place]}:", *(f"    {key}" for key in keys)]
        else:
            lines.append(f"  {surface.tools[place]}: {{{', '.join(keys)}}}")
    if blueprint.meters:
        lines.append("rules:")
        lines += [line for m in blueprint.meters for line in _decay_lines(meters[m.fact], m)]
    lines += ["task:", f"  goal: {' and '.join(surface.facts[f] for f in blueprint.goal)}"]
    if blueprint.obligations:
        lines.append(f"  obligations: {_listed(blueprint.obligations, surface.facts)}")
    if blueprint.faults:
        lines += ["faults:", *(_fault_line(fault, surface) for fault in blueprint.faults)]
    return "\n".join(lines) + "\n"


def _tool_keys(tool: ToolPlan, facts: Sequence[str]) -> Iterator[str]:
    if tool.requires:
        yield f"requires: {_listed(tool.requires, facts)}"
    yield f"grants: [{facts[tool.grants]}]"
    if tool.revokes is not None:
        yield f"revokes: [{facts[tool.revokes]}]"
    if tool.release:
        yield "release: true"
    if tool.cost:
        yield f"cost: {tool.cost}"


def _meter_line(meter: str, plan: MeterPlan) -> str:
    return f"  {meter}: {{type: scalar, range: [0, 1], initial: {plan.initial}}}"


def _decay_lines(meter: str, plan: MeterPlan) -> Iterator[str]:
    yield f"  - id: {meter}-falls"
    yield "    phase: apply_passive_depletion"
    yield f"    writes: [{_delta(meter, -plan.decay)}]"


def _delta(meter: str, amount: float) -> str:
    return f"{{target: {meter}, expression: {amount}, composition: additive_delta}}"


def _fault_line(fault: FaultPlan, surface: _Surface) -> str:
    return f"  - {{tool: {surface.tools[fault.tool]}, mode: {fault.mode}, {fault.schedule}}}"


def _listed(places: Sequence[int], names: Sequence[str]) -> str:
    return f"[{', '.join(names[place] for place in places)}]"


# ------------------------------------------------------------------------------ packs, checks


def _file(
    side: str, number: int, seed: int, shape: Shape, blueprint: Blueprint, surface: _Surface
) -> tuple[str, str]:
    head = f"# A random world of a pack: seed {seed}, {side} {number}.\n# {_shown(shape)}"
    return f"pack-{seed}/{side}-{number}.yaml", _text(blueprint, surface, head)


def _shown(shape: Shape) -> str:
    """Writes a shape as the call that makes it, without what is so by default."""
    set_ = [
        f"{field.name}={value!r}"
        for field in fields(shape)
        if (value := getattr(shape, field.name)) != getattr(DEFAULT_SHAPE, field.name)
    ]
    return f"Shape({', '.join(set_)})"


def _check_key(seed: int, episode: int) -> None:
    problems = []
    if not -(2**63) <= seed < 2**64:
        problems.append(f"a seed fits in 64 bits, found {seed}")
    if not 0 <= episode < MAX_EPISODES:
        problems.append(f"an episode is 0 to {MAX_EPISODES - 1:,}, found {episode}")
    _raise(problems)


def _check_counts(num_train: int, num_test: int) -> None:
    counts = (("num_train", num_train), ("num_test", num_test))
    _raise([f"{name} is 1 or more, found {count}" for name, count in counts if count < 1])


def _raise(messages: Sequence[str]) -> None:
    if messages:
        raise AuthorError([Problem(Place("random worlds"), message) for message in messages])
