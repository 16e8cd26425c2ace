"""Generate: random worlds have the shape that was asked for, and packs are held out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from creatura.errors import AuthorError
from creatura.hashing import digest
from creatura.world import (
    Mode,
    Shape,
    World,
    check_split,
    generate_pack,
    generate_world,
    pack_texts,
    parse_world,
    signature_of,
)
from creatura.world import blueprint as blueprints
from creatura.world.blueprint import draw_blueprint
from creatura.world.chances import Chances
from creatura.world.packs import names_of
from creatura.world.vocabulary import Names

RICH = Shape(
    num_facts=10, num_tools=18, branching=3, depth=6, revoking=0.5, costing=0.5,
    num_releases=2, num_meters=3, num_faults=2, names="words",
)  # fmt: skip
SEEDS = range(10)


def world(seed: int, shape: Shape, episode: int = 0) -> World:
    return parse_world(generate_world(seed, shape, episode), "drawn.yaml")


def body(text: str) -> str:
    """A world's text without the lines that say where it comes from."""
    return text[text.index("facts:") :]


GOLDEN = """\
# A random world: seed 7, episode 0.
# Shape(num_facts=2, num_tools=3, depth=2, num_meters=1, num_faults=1)
name: world-7-0
facts:
  - {fact_1: "meter_1 >= 0.7"}
  - fact_2
variables:
  meter_1: {type: scalar, range: [0, 1], initial: 0.3}
tools:
  tool-1:
    grants: [fact_1]
    revokes: [fact_2]
    writes: [{target: meter_1, expression: 0.9, composition: additive_delta}]
  tool-2:
    grants: [fact_1]
    writes: [{target: meter_1, expression: 0.9, composition: additive_delta}]
  tool-3: {requires: [fact_1], grants: [fact_2], cost: 0.9}
rules:
  - id: meter_1-falls
    phase: apply_passive_depletion
    writes: [{target: meter_1, expression: -0.013, composition: additive_delta}]
task:
  goal: fact_2
  obligations: [fact_1, fact_2]
faults:
  - {tool: tool-2, mode: fail, times: 2}
"""


def test_a_small_world_reads_as_it_always_did():
    shape = Shape(num_facts=2, num_tools=3, depth=2, num_meters=1, num_faults=1)
    assert generate_world(7, shape) == GOLDEN
    assert digest(generate_world(7, RICH)) == "b1fe3b71c3167690"


def test_the_same_seed_gives_the_same_text_in_every_process():
    code = (
        "from creatura.world import *; from tests.unit.world.test_generate import RICH; "
        "print(generate_world(5, RICH, 3), end='')"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "17", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == generate_world(5, RICH, 3)


def test_other_seeds_and_episodes_give_other_worlds():
    texts = [body(generate_world(seed, RICH, episode)) for seed in (-1, 0, 1) for episode in (0, 1)]
    assert len(set(texts)) == len(texts)
    assert len({signature_of(world(seed, RICH)).hash for seed in SEEDS}) == len(SEEDS)


# --------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_has_what_its_shape_asks_for(seed):
    made = world(seed, RICH)
    tools = made.brief.tools
    granters = Counter(tool.grants for tool in tools)
    assert len(made.brief.facts) == RICH.num_facts
    assert len(tools) == RICH.num_tools
    assert len(granters) == RICH.num_facts
    assert max(granters.values()) <= RICH.branching
    assert sum(bool(tool.revokes) for tool in tools) == RICH.revoking * len(tools)
    assert sum(bool(tool.cost) for tool in tools) == RICH.costing * len(tools)
    assert sum(tool.release for tool in tools) == RICH.num_releases
    assert len(names_of(made)["variable"]) == RICH.num_meters
    assert len({fault.tool for fault in made.faults}) == RICH.num_faults
    assert {fault.mode for fault in made.faults} <= {Mode.LIE, Mode.FAIL}


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_fall_first_on_tools_with_another_way_to_their_fact(seed):
    made = world(seed, Shape(num_facts=6, num_tools=9, num_faults=1))
    (fault,) = made.faults
    (faulty,) = (tool for tool in made.brief.tools if tool.id == fault.tool)
    assert sum(tool.grants == faulty.grants for tool in made.brief.tools) == 2


def test_a_fault_has_a_schedule_that_ends():
    made = [world(seed, Shape(num_faults=4)) for seed in SEEDS]
    faults = [fault for one in made for fault in one.faults]
    assert all(fault.times or fault.ticks for fault in faults)
    assert {fault.times for fault in faults} == {None, 1, 2}


@pytest.mark.parametrize("seed", SEEDS)
def test_plain_names_count_and_words_are_made_up(seed):
    plain = names_of(world(seed, replace(RICH, names="plain")))
    assert set(plain["fact"]) == {f"fact_{n}" for n in range(1, 11)}
    assert set(plain["tool"]) == {f"tool-{n}" for n in range(1, 19)}
    assert set(plain["variable"]) == {"meter_1", "meter_2", "meter_3"}
    words = [name for names in names_of(world(seed, RICH)).values() for name in names]
    assert len(set(words)) == len(words)
    assert all(re.fullmatch(r"([bdfgklmnprstvz]r?t?r?[aeiou][lnrs]?){2,3}", word) for word in words)


def test_words_that_mean_something_already_are_passed_over(monkeypatch):
    drawn = iter(["not", "null", "bas", "bas", "dul"])
    monkeypatch.setattr(Names, "_word", lambda self: next(drawn))
    assert Names("words", Chances(0, 0, 0)).some(2, "fact") == ["bas", "dul"]


WRONG = {
    "num_facts": (1, "num_facts is 2 to 24, found 1"),
    "num_tools": (5, "num_tools is at least 6, one for each fact, found 5"),
    "branching": (0, "branching is 1 to 4 tools a fact, found 0"),
    "depth": (7, "depth is 1 to 6, the number of facts, found 7"),
    "revoking": (1.5, "revoking is a share from 0 to 1, found 1.5"),
    "costing": ("half", "costing is a share from 0 to 1, found 'half'"),
    "num_releases": (
        1,
        "num_releases is 0 to 0 at a depth of 3, found 1; "
        "a release waits for three landed effects, so raise depth",
    ),
    "num_meters": (7, "num_meters is 0 to 6, the facts, found 7"),
    "num_faults": (9, "num_faults is 0 to 8, one for each tool, found 9"),
    "names": ("word", "names is 'plain' or 'words', found 'word'; did you mean 'words'?"),
}


@pytest.mark.parametrize("option", WRONG)
def test_a_shape_that_keeps_no_promise_is_refused(option):
    value, message = WRONG[option]
    others = {"num_tools": 2, "depth": 1} if option == "num_facts" else {}
    with pytest.raises(AuthorError) as refused:
        Shape(**others, **{option: value})
    assert [str(problem) for problem in refused.value.problems] == [f"shape: {message}"]


def test_a_shape_says_all_that_is_wrong_with_it_at_once():
    with pytest.raises(AuthorError) as refused:
        Shape(num_tools=30, depth=0, num_faults=-1)
    assert [problem.message for problem in refused.value.problems] == [
        "num_tools is at most 12, 2 for each of 6 facts, found 30; raise branching",
        "depth is 1 to 6, the number of facts, found 0",
        "num_faults is 0 to 30, one for each tool, found -1",
    ]
    with pytest.raises(AuthorError, match=r"num_facts is a whole number, found 2\.5"):
        Shape(num_facts=2.5)
    with pytest.raises(AuthorError, match="num_faults is at most 2 where there are releases, fou"):
        Shape(depth=4, num_releases=1, num_faults=3)


def test_a_shape_too_wide_to_search_is_refused(monkeypatch):
    monkeypatch.setattr(blueprints, "steps_of", lambda blueprint: None)
    with pytest.raises(AuthorError, match="found no world in 10 drawings that a search over 20"):
        draw_blueprint(Chances(0, 0, 0), Shape())


@pytest.mark.parametrize(
    ("seed", "episode", "message"),
    [
        (2**64, 0, f"a seed fits in 64 bits, found {2**64}"),
        (-(2**63) - 1, 0, "a seed fits in 64 bits"),
        (0, -1, "an episode is 0 to 4,294,967,295, found -1"),
        (0, 2**32, "an episode is 0 to 4,294,967,295"),
    ],
)
def test_a_key_out_of_range_is_refused(seed, episode, message):
    with pytest.raises(AuthorError, match=message):
        generate_world(seed, episode=episode)


@pytest.mark.parametrize("seed", [2**64 - 1, -(2**63)])
def test_seeds_at_the_ends_of_their_range_make_worlds(seed):
    parse_world(generate_world(seed, episode=2**32 - 1))


# --------------------------------------------------------------------------- packs


@pytest.mark.parametrize("names", ["plain", "words"])
def test_test_worlds_have_names_of_their_own_and_structures_that_were_trained(names):
    pack = generate_pack(3, 4, 6, replace(RICH, names=names))
    assert (len(pack.train), len(pack.test)) == (4, 6)
    check_split(pack.train, pack.test)
    assert len({signature_of(one).text for one in pack.train}) == 4
    assert len({signature_of(one).text for one in pack.test}) > 1


def test_a_train_world_of_a_pack_is_the_random_world_of_its_number():
    (_, first), (_, second) = pack_texts(3, 2, 1, RICH)[0]
    assert [body(first), body(second)] == [body(generate_world(3, RICH, n)) for n in (0, 1)]


def test_a_pack_names_its_files():
    train, test = pack_texts(3, 2, 1)
    assert [name for name, _ in train + test] == [
        "pack-3/train-0.yaml",
        "pack-3/train-1.yaml",
        "pack-3/test-0.yaml",
    ]
    assert [one.file for one in generate_pack(3, 1, 1).test] == ["pack-3/test-0.yaml"]


def test_a_pack_has_worlds_on_both_sides():
    with pytest.raises(AuthorError) as refused:
        generate_pack(3, 0, -1)
    assert [problem.message for problem in refused.value.problems] == [
        "num_train is 1 or more, found 0",
        "num_test is 1 or more, found -1",
    ]
