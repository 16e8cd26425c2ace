"""Draws: the published answers of the generator, and that a draw depends on its key alone."""

import numpy as np
import pytest

from creatura.draws import philox, uniform

ZEROS, ONES, PI = "zeros", "ones", "pi"
KNOWN = {
    # Answers published with the generator, for its 4x32 form with ten rounds.
    ZEROS: ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ONES: (
        (0xFFFFFFFF,) * 4,
        (0xFFFFFFFF,) * 2,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    PI: (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
}


@pytest.mark.parametrize("name", [ZEROS, ONES, PI])
def test_the_generator_gives_its_published_answers(name):
    counter, key, expected = KNOWN[name]
    words = [np.array([word], dtype=np.uint64) for word in (*counter, *key)]
    assert tuple(int(word[0]) for word in philox(tuple(words[:4]), tuple(words[4:]))) == expected


def test_a_draw_is_the_same_alone_and_in_any_batch():
    episodes = np.arange(500)
    batch = uniform(7, episodes, 0, 2, 3)
    backwards = uniform(7, episodes[::-1], 0, 2, 3)[::-1]
    alone = [float(uniform(7, episode, 0, 2, 3)) for episode in episodes]
    assert batch.tolist() == backwards.tolist() == alone


def test_every_part_of_the_key_moves_the_draw():
    key = {"seed": 1, "episode": 2, "agent": 3, "tool": 4, "tick": 5, "draw": 6}
    base = float(uniform(**key))
    moved = [float(uniform(**{**key, name: value + 1})) for name, value in key.items()]
    assert len({base, *moved}) == 7


def test_agent_and_tool_do_not_run_into_each_other():
    assert float(uniform(0, 0, 1, 0, 1)) != float(uniform(0, 0, 0, 1, 1))


def test_draws_are_uniform_in_the_unit_interval():
    numbers = uniform(11, np.arange(100_000), 0, 0, 1)
    counts, _ = np.histogram(numbers, bins=20, range=(0.0, 1.0))
    chi_square = float(((counts - 5_000) ** 2 / 5_000).sum())
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert chi_square < 43.8  # 99.9% of a chi-square with 19 degrees of freedom


def test_a_negative_seed_is_a_seed_like_any_other():
    assert 0.0 <= float(uniform(-1, 0, 0, 0, 1)) < 1.0
    assert float(uniform(-1, 0, 0, 0, 1)) != float(uniform(1, 0, 0, 0, 1))
