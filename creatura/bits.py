"""Bits: sets of facts or tools, as machine words for arrays and as ints for plain Python.

Inside the membrane a batch of sets is an array of 64-bit words `[N, K]`; designs and seats get one
Python int per agent, in which bit i stands for the i-th fact or tool in declaration order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]  # [..., K]
WORD_BITS = 64


def mask_of(indices: Iterable[int]) -> int:
    """Builds the int that has exactly these bits.

    >>> mask_of([0, 3])
    9
    """
    mask = 0
    for index in indices:
        mask |= 1 << index
    return mask


def indices_of(mask: int) -> Iterator[int]:
    """Yields the positions of the set bits, lowest first.

    >>> list(indices_of(9))
    [0, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def words_for(num_bits: int) -> int:
    """Counts the words that hold this many bits; at least one."""
    return max(1, -(-num_bits // WORD_BITS))


def words_of(masks: Sequence[int], num_bits: int) -> Words:
    """Converts ints to words `[N, K]`."""
    size = words_for(num_bits) * 8
    joined = b"".join(mask.to_bytes(size, "little") for mask in masks)
    return np.frombuffer(joined, dtype="<u8").reshape(len(masks), -1).astype(np.uint64)


def masks_of(words: Words) -> list[int]:
    """Converts words `[N, K]` to ints."""
    masks: list[int] = words[:, 0].tolist()
    for column in range(1, words.shape[1]):
        high = words[:, column].tolist()
        masks = [low | (top << (WORD_BITS * column)) for low, top in zip(masks, high, strict=True)]
    return masks


def pack(flags: NDArray[np.bool_]) -> Words:
    """Packs booleans `[..., B]` into words `[..., K]`."""
    *lead, num_bits = flags.shape
    octets = np.zeros((*lead, words_for(num_bits) * 8), dtype=np.uint8)
    octets[..., : -(-num_bits // 8)] = np.packbits(flags, axis=-1, bitorder="little")
    return octets.view("<u8").astype(np.uint64, copy=False)


def has_all(words: Words, required: Words) -> NDArray[np.bool_]:
    """Asks which of T required sets `[T, K]` each of N sets `[N, K]` contains: `[N, T]`."""
    if words.shape[1] == 1:  # the usual case, without a reduction over one word
        needs = required[:, 0]
        return np.asarray((words & needs) == needs)
    return np.asarray(((words[:, None, :] & required) == required).all(axis=-1))
