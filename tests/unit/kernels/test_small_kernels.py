"""Bits, keys and the heap, each against what the standard library says."""

import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.bits import BITS, common_ones, ones
from shoal.kernels.heap import heapify, sift_down
from shoal.kernels.keys import sort_keys

words = st.integers(0, 2**BITS - 1)
keys = st.lists(st.integers(-(2**62), 2**62), max_size=300)


@given(words)
def test_ones_are_counted(word):
    assert ones(np.int64(word)) == word.bit_count()


def test_every_single_bit_and_every_full_mask_is_counted():
    for bit in range(BITS):
        assert ones(np.int64(1 << bit)) == 1
        assert ones(np.int64((1 << (bit + 1)) - 1)) == bit + 1


@given(st.integers(1, 3).flatmap(lambda w: st.tuples(st.just(w), st.lists(words, min_size=4 * w, max_size=4 * w))))
def test_common_ones_are_those_of_the_intersection(case):
    width, masks = case
    array = np.array(masks, np.int64)
    for i in range(4):
        for j in range(4):
            expected = sum((masks[i * width + w] & masks[j * width + w]).bit_count() for w in range(width))
            assert common_ones(array, i, array, j, width) == expected


@given(keys, st.data())
def test_the_first_keys_are_sorted_and_the_rest_is_left_alone(values, data):
    size = data.draw(st.integers(0, len(values)))
    array = np.array(values, np.int64)
    sort_keys(array, size)
    assert array.tolist() == sorted(values[:size]) + values[size:]


@given(keys.filter(bool))
def test_the_heap_gives_the_keys_from_the_largest_down(values):
    heap = np.array(values, np.int64)
    heapify(heap, len(heap))
    drawn = []
    for size in range(len(heap), 0, -1):
        drawn.append(int(heap[0]))
        heap[0] = heap[size - 1]
        sift_down(heap, size - 1, 0)
    assert drawn == heapq.nlargest(len(values), values)
