"""Bits: sets as words and as ints say the same, below and above one word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creatura.bits import has_all, indices_of, mask_of, masks_of, pack, words_of


@given(st.integers(1, 130), st.data())
def test_words_and_ints_say_the_same(num_bits, data):
    masks = data.draw(st.lists(st.integers(0, 2**num_bits - 1), min_size=1, max_size=6))
    flags = np.array([[mask >> bit & 1 for bit in range(num_bits)] for mask in masks], dtype=bool)
    assert masks_of(words_of(masks, num_bits)) == masks
    assert masks_of(pack(flags)) == masks


@given(st.integers(1, 130), st.data())
def test_containment_is_that_of_sets(num_bits, data):
    sets = st.sets(st.integers(0, num_bits - 1))
    held = data.draw(st.lists(sets, min_size=1, max_size=4))
    needed = data.draw(st.lists(sets, min_size=1, max_size=4))
    found = has_all(
        words_of([mask_of(s) for s in held], num_bits),
        words_of([mask_of(s) for s in needed], num_bits),
    )
    assert found.tolist() == [[need <= have for need in needed] for have in held]


@pytest.mark.parametrize("indices", [[], [0], [3, 70, 128]])
def test_a_mask_gives_its_indices_back(indices):
    assert list(indices_of(mask_of(indices))) == indices
