"""Attention in parts: partial results, their merging, and tiles of scores."""

import tracemalloc
from functools import reduce
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention as chapter
from attention import (
    Partial,
    attention,
    causal_mask,
    flash_attention,
    merge_partials,
    partial_attention,
)
from oracle import torch_attention

NOTHING = Partial(0.0, 0.0, -np.inf)
AWKWARD = [1, 2, 63, 64, 65, 127]


def draw(*shapes, seed=0, size=1.0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return [(size * rng.normal(size=shape)).astype(dtype) for shape in shapes]


def scores_as_queries(scores):
    """Q and K of feature size 1 whose scores for one query are these."""
    return np.ones((1, 1)), np.array(scores, float)[:, None]


def same(a, b):
    """Whether two partial results agree to float64's precision."""
    return all(np.allclose(x, y, rtol=1e-12, atol=1e-12) for x, y in zip(a, b))


@st.composite
def pieces(draw_from):
    """Q, and three blocks (K, V, mask) of 0 to 4 keys; rows may see nothing."""
    seed = draw_from(st.integers(0, 2**32 - 1))
    sizes = draw_from(st.tuples(*[st.integers(0, 4)] * 3))
    visible = draw_from(st.sampled_from([0.0, 0.3, 1.0]))
    size = draw_from(st.sampled_from([0.1, 1.0, 1e3]))
    rng = np.random.default_rng(seed)
    Q = size * rng.normal(size=(2, 3, 2))
    return Q, [
        (
            rng.normal(size=(2, n, 2)),
            rng.normal(size=(2, n, 5)),
            rng.random((2, 3, n)) < visible,
        )
        for n in sizes
    ]


@pytest.mark.claim("prp-merge")
@settings(deadline=None, max_examples=60)
@given(pieces())
def test_partial_results_merge_in_any_order_and_grouping(drawn):
    Q, blocks = drawn
    a, b, c = (partial_attention(Q, *block) for block in blocks)
    left = merge_partials(merge_partials(a, b), c)
    assert same(left, merge_partials(a, merge_partials(b, c)))
    for x, y in permutations((a, b, c), 2):
        for left, right in zip(merge_partials(x, y), merge_partials(y, x)):
            np.testing.assert_array_equal(left, right)
    for x in (a, b, c):
        for left, right in zip(merge_partials(x, NOTHING), x):
            np.testing.assert_array_equal(left, right)


@pytest.mark.claim("prp-merge")
@settings(deadline=None, max_examples=60)
@given(pieces())
def test_merged_parts_give_attention_to_all_their_keys(drawn):
    Q, blocks = drawn
    merged = reduce(merge_partials, (partial_attention(Q, *b) for b in blocks))
    K, V, mask = (
        np.concatenate(parts, axis=axis)
        for parts, axis in zip(zip(*blocks), (-2, -2, -1))
    )
    expected = torch_attention(Q, K, V, mask)
    np.testing.assert_allclose(merged.output, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.claim("clm-rescale")
def test_sum_and_output_are_both_rescaled_when_the_maximum_rises(close):
    V = np.array([[10.0], [20.0], [30.0], [40.0]])
    parts = [
        partial_attention(*scores_as_queries(scores), V[rows])
        for scores, rows in (([1, 2], slice(0, 2)), ([5, 0], slice(2, 4)))
    ]
    merged = merge_partials(*parts)
    close(merged.output, [[29.258677]], rtol=0, atol=5e-7)
    close(merged.maximum, [[5.0]])
    close(merged.total, [[np.exp(-4) + np.exp(-3) + 1 + np.exp(-5)]])
    wrong = merged.numerator / sum(part.total for part in parts)
    assert abs(wrong - merged.output).max() > 1


@pytest.mark.claim("prp-merge")
def test_nothing_merged_with_nothing_is_nothing(close):
    Q, K, V = draw((3, 4), (2, 4), (2, 5))
    empty = partial_attention(Q, K, V, np.zeros((3, 2), bool))
    merged = merge_partials(empty, merge_partials(NOTHING, empty))
    close(merged.output, np.zeros((3, 5)))
    close(merged.total, np.zeros((3, 1)))
    assert np.isneginf(merged.maximum).all()


@pytest.mark.claim("prp-flash")
@pytest.mark.parametrize("n", AWKWARD)
@pytest.mark.parametrize("m", AWKWARD)
def test_flash_equals_torch_at_awkward_sizes(m, n, close):
    Q, K, V = draw((2, m, 8), (2, n, 8), (2, n, 5), seed=m * n)
    plain = torch_attention(Q, K, V)
    causal = torch_attention(Q, K, V, causal_mask(m, n))
    for block_size in (7, 64, 256):
        close(flash_attention(Q, K, V, block_size=block_size), plain)
        close(flash_attention(Q, K, V, True, block_size), causal)
    if m == n:
        close(causal, torch_attention(Q, K, V, is_causal=True))


@pytest.mark.claim("prp-flash")
@pytest.mark.parametrize("size", [1e-3, 10.0, 1e3])
def test_flash_stays_exact_when_scores_are_small_or_huge(size, close):
    Q, K, V = draw((70, 8), (70, 8), (70, 5))
    K[-1] *= 3  # the largest scores come last, so every reference rises
    for sign, causal in product((1, -1), (False, True)):
        expected = torch_attention(
            Q * size * sign, K, V, causal_mask(70) if causal else None
        )
        result = flash_attention(Q * size * sign, K, V, causal, 4)
        close(result, expected, rtol=1e-12, atol=1e-13 * max(size, 1))


@pytest.mark.claim("prp-flash")
@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-6), (np.float16, 2e-3)])
def test_flash_computes_in_its_input_type(dtype, tolerance, close):
    Q, K, V = draw((3, 300, 16), (1, 300, 16), (3, 300, 8), dtype=dtype)
    result = flash_attention(Q, K, V, causal=True, block_size=32)
    assert result.dtype == dtype
    wide = [array.astype(np.float64) for array in (Q, K, V)]
    exact = attention(*wide, causal_mask(300))
    close(result.astype(float), exact, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "given, computed",
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
    ],
)
def test_partial_attention_computes_in_float32_at_least(given, computed):
    part = partial_attention(*draw((2, 3), (4, 3), (4, 5), dtype=given))
    assert {array.dtype for array in part} == {np.dtype(computed)}


def test_flash_equals_torch_with_one_feature_and_with_one_key_at_a_time(close):
    Q, K, V = draw((2, 6, 1), (2, 9, 1), (2, 9, 3))
    close(flash_attention(Q, K, V), torch_attention(Q, K, V))
    close(flash_attention(Q, K, V, block_size=1), torch_attention(Q, K, V))


def test_flash_takes_any_leading_axes_and_leaves_its_inputs_alone(close):
    Q, K, V = draw((2, 3, 6, 4), (1, 3, 9, 4), (2, 1, 9, 5))
    before = [array.copy() for array in (Q, K, V)]
    close(flash_attention(Q, K, V, block_size=4), attention(Q, K, V))
    close(flash_attention(Q, K, V, True, 4), attention(Q, K, V, causal_mask(6, 9)))
    for array, copy in zip((Q, K, V), before):
        np.testing.assert_array_equal(array, copy)
        array.setflags(write=False)
    close(flash_attention(Q, K, V), attention(Q, K, V))


def test_flash_of_no_keys_is_zeros_and_of_no_queries_empty(close):
    Q, K, V = draw((4, 3), (0, 3), (0, 2))
    close(flash_attention(Q, K, V), np.zeros((4, 2)))
    close(flash_attention(Q, K, V, causal=True), np.zeros((4, 2)))
    close(flash_attention(K, Q, Q), np.zeros((0, 3)))


def test_flash_of_queries_without_features_is_the_mean(close):
    V = np.array([[1.0], [2.0], [6.0]])
    result = flash_attention(np.zeros((2, 0)), np.zeros((3, 0)), V)
    close(result, [[3.0], [3.0]])


@pytest.mark.parametrize("function", [flash_attention, partial_attention])
def test_shapes_that_do_not_fit_are_named(function):
    Q, K, V = draw((4, 3), (5, 2), (5, 2))
    with pytest.raises(ValueError, match=r"Q and K .*\(4, 3\), \(5, 2\)"):
        function(Q, K, V)
    with pytest.raises(ValueError, match=r"K and V .*\(5, 3\), \(6, 2\)"):
        function(Q, np.zeros((5, 3)), np.zeros((6, 2)))


def test_a_block_holds_at_least_one_key():
    with pytest.raises(ValueError, match="block_size"):
        flash_attention(*draw((4, 3), (4, 3), (4, 3)), block_size=0)


@pytest.mark.claim("clm-tiles")
@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 9), st.booleans())
def test_tiles_cover_what_may_be_seen_once_and_skip_the_rest(m, n, size, causal):
    allowed = causal_mask(m, n) if causal else np.ones((m, n), bool)
    covered = np.zeros((m, n), int)
    for i, j, diagonal in chapter._tiles(m, n, causal, size):
        covered[i, j] += 1
        assert j.stop - j.start <= size
        assert i.stop - i.start <= (size if diagonal else 8 * size)
        assert allowed[i, j].any()
        assert diagonal or allowed[i, j].all()
    assert (covered[allowed] == 1).all()
    assert covered.max(initial=0) <= 1
    assert (covered > allowed).sum() <= size * n  # only on the diagonal


@pytest.mark.claim("clm-flash-memory")
def test_extra_memory_of_flash_grows_with_n_and_not_with_its_square():
    d = 16

    def peak(function, n):
        arrays = draw((n, d), (n, d), (n, d))
        tracemalloc.start()
        function(*arrays)
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    def flash(Q, K, V):
        return flash_attention(Q, K, V, block_size=32)

    assert peak(flash, 2048) < 2.2 * peak(flash, 1024)
    assert peak(attention, 2048) > 3.8 * peak(attention, 1024)
    assert peak(attention, 2048) > 50 * peak(flash, 2048)
