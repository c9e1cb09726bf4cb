"""Decoding: the cache, its growth, and several query heads for one key head."""

import tracemalloc

import numpy as np
import pytest

import attention as module
from attention import (
    KVCache,
    attention,
    causal_mask,
    grouped_query_attention,
    rope,
)
from oracle import torch_attention


def draw(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def chunks(total, sizes):
    """Slices of the given sizes, in order; they cover `total`."""
    ends = np.cumsum(sizes)
    assert ends[-1] == total
    return [slice(end - size, end) for end, size in zip(ends, sizes)]


SPLITS = [[1] * 9, [9], [4, 1, 1, 3], [0, 2, 0, 7, 0]]


@pytest.mark.claim("prp-cache")
@pytest.mark.parametrize("sizes", SPLITS, ids=str)
@pytest.mark.parametrize("lead", [(), (2, 3)], ids=str)
def test_decoding_with_the_cache_equals_one_causal_pass(lead, sizes, close):
    Q, K, V = draw((*lead, 9, 4), (*lead, 9, 4), (*lead, 9, 5))
    cache, rows = KVCache(), []
    for part in chunks(9, sizes):
        keys, values = cache.append(K[..., part, :], V[..., part, :])
        mask = causal_mask(part.stop - part.start, len(cache))
        rows.append(attention(Q[..., part, :], keys, values, mask))
    close(np.concatenate(rows, axis=-2), attention(Q, K, V, causal_mask(9)))
    expected = torch_attention(Q, K, V, is_causal=True)
    close(np.concatenate(rows, axis=-2), expected)


@pytest.mark.claim("clm-rope-cache")
@pytest.mark.parametrize("sizes", SPLITS, ids=str)
def test_rope_continues_where_the_cache_ends(sizes, close):
    Q, K, V = draw((2, 9, 4), (2, 9, 4), (2, 9, 5))
    cache, rows = KVCache(), []
    for part in chunks(9, sizes):
        at = len(cache) + np.arange(part.stop - part.start)
        turned = rope(K[:, part], at)
        keys, values = cache.append(turned, V[:, part])
        mask = causal_mask(len(at), len(cache))
        rows.append(attention(rope(Q[:, part], at), keys, values, mask))
    at = np.arange(9)
    whole = attention(rope(Q, at), rope(K, at), V, causal_mask(9))
    close(np.concatenate(rows, axis=-2), whole)


def test_the_cache_returns_everything_appended_in_order():
    K, V = draw((2, 20, 3), (2, 20, 5))
    cache = KVCache()
    assert len(cache) == 0
    for part in chunks(20, [1, 1, 3, 0, 6, 9]):
        keys, values = cache.append(K[:, part], V[:, part])
        assert len(cache) == part.stop
        np.testing.assert_array_equal(keys, K[:, : part.stop])
        np.testing.assert_array_equal(values, V[:, : part.stop])


def test_what_was_returned_before_does_not_change():
    K, V = draw((12, 3), (12, 2))
    cache, seen = KVCache(), []
    for t in range(12):
        seen.append(cache.append(K[t : t + 1], V[t : t + 1]))
    for t, (keys, values) in enumerate(seen):
        np.testing.assert_array_equal(keys, K[: t + 1])
        np.testing.assert_array_equal(values, V[: t + 1])


def test_the_cache_keeps_its_own_copy():
    K, V = draw((1, 3), (1, 3))
    cache = KVCache()
    keys, _ = cache.append(K, V)
    K[:] = 0
    assert np.all(keys != 0)


@pytest.mark.claim("clm-amortized")
def test_appending_one_by_one_copies_fewer_than_two_rows_for_each():
    copied = 0
    cache, before = KVCache(), None
    for t in range(1000):
        keys, _ = cache.append(np.full((1, 2), t), np.full((1, 2), t))
        if before is not None and not np.shares_memory(keys, before):
            copied += t
        before = keys
    assert 0 < copied < 2 * 1000


@pytest.mark.claim("clm-work")
def test_the_cache_saves_a_power_of_n_in_scores(monkeypatch):
    computed = []
    weights_of = module.attention_weights

    def counting(*arguments):
        weights = weights_of(*arguments)
        computed.append(weights.size)
        return weights

    monkeypatch.setattr(module, "attention_weights", counting)
    Q, K, V = draw((20, 3), (20, 3), (20, 2))
    for t in range(1, 21):
        attention(Q[:t], K[:t], V[:t], causal_mask(t))
    assert sum(computed) == 20 * 21 * 41 / 6  # the sum of t squared
    computed.clear()
    cache = KVCache()
    for t in range(20):
        attention(Q[t : t + 1], *cache.append(K[t : t + 1], V[t : t + 1]))
    assert sum(computed) == 20 * 21 / 2  # the sum of t


@pytest.mark.claim("clm-cache-bytes")
def test_bytes_of_a_cache_are_heads_times_positions_times_features_times_width():
    rows = np.ones((32, 10, 128), np.float16)
    per_position = sum(array.nbytes for array in KVCache().append(rows, rows)) / 10
    assert 32 * per_position * 32_768 == 17_179_869_184
    rows = rows[:8]
    per_position = sum(array.nbytes for array in KVCache().append(rows, rows)) / 10
    assert 32 * per_position * 32_768 == 4_294_967_296


def test_a_wider_type_widens_the_cache_even_when_there_is_room():
    cache, whole = KVCache(), np.array([[1, 2]])
    for _ in range(3):  # the third append makes room for a fourth
        cache.append(whole, whole)
    keys, values = cache.append(np.array([[0.5, 0.25]]), np.array([[0.125, 4]]))
    np.testing.assert_array_equal(keys, [[1, 2]] * 3 + [[0.5, 0.25]])
    np.testing.assert_array_equal(values, [[1, 2]] * 3 + [[0.125, 4]])


def test_a_narrower_type_does_not_narrow_the_cache():
    cache, wide = KVCache(), np.full((2, 3), 1 / 3)
    cache.append(wide, wide)
    narrow = np.ones((1, 3), np.float32)
    for rows in cache.append(narrow, narrow):
        assert rows.dtype == np.float64 and np.array_equal(rows[:2], wide)


def test_the_cache_keeps_a_narrow_type():
    rows = np.ones((1, 2), np.float16)
    assert KVCache().append(rows, rows)[0].dtype == np.float16


def test_a_first_chunk_of_no_rows_may_be_read_only():
    rows = np.broadcast_to(np.ones(2), (3, 2))
    cache = KVCache()
    cache.append(rows[:0], rows[:0])
    np.testing.assert_array_equal(cache.append(rows, rows)[0], rows)


@pytest.mark.parametrize(
    ("K", "V", "shapes"),
    [
        ((2, 1, 4), (2, 1, 5), r"\(2, 3, 3\), \(2, 1, 4\)"),
        ((2, 1, 3), (2, 1, 4), r"\(2, 3, 5\), \(2, 1, 4\)"),
        ((2, 1, 3), (2, 2, 5), r"K and V .*\(2, 1, 3\), \(2, 2, 5\)"),
        ((1, 1, 3), (1, 1, 5), r"\(2, 3, 3\), \(1, 1, 3\)"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_is_added(K, V, shapes):
    cache = KVCache()
    first = draw((2, 3, 3), (2, 3, 5))
    cache.append(*first)
    with pytest.raises(ValueError, match=shapes):
        cache.append(np.zeros(K), np.zeros(V))
    assert len(cache) == 3
    keys, values = cache.append(np.zeros((2, 0, 3)), np.zeros((2, 0, 5)))
    np.testing.assert_array_equal(keys, first[0])
    np.testing.assert_array_equal(values, first[1])


@pytest.mark.claim("clm-gqa-parity")
@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize(("lead", "m", "n"), [((2,), 4, 7), ((), 1, 1), ((3,), 5, 2)])
@pytest.mark.parametrize("kind", ["none", "causal", "by head", "by sequence"])
def test_grouped_queries_equal_those_of_torch(lead, m, n, n_kv_heads, kind, close):
    Q, K, V = draw(
        (*lead, 6, m, 4), (*lead, n_kv_heads, n, 4), (*lead, n_kv_heads, n, 5)
    )
    keep = np.random.default_rng(1).random((*lead, 6, m, n)) < 0.6
    mask = {
        "none": None,
        "causal": causal_mask(m, n),
        "by head": keep,
        "by sequence": keep[..., :1, :, :],
    }[kind]
    expected = torch_attention(Q, K, V, mask, enable_gqa=True)
    close(grouped_query_attention(Q, K, V, mask), expected)


def test_neighboring_query_heads_share_a_key_value_head(close):
    Q, K = np.zeros((4, 1, 1)), np.zeros((2, 1, 1))
    V = np.array([10.0, 20.0]).reshape(2, 1, 1)
    output = grouped_query_attention(Q, K, V)
    close(output[:, 0, 0], [10, 10, 20, 20])
    close(torch_attention(Q[None], K[None], V[None], enable_gqa=True)[0], output)


def test_as_many_key_heads_as_query_heads_is_attention(close):
    Q, K, V = draw((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7))
    close(grouped_query_attention(Q, K, V), attention(Q, K, V))


def test_no_queries_and_no_keys(close):
    Q, K, V = draw((2, 4, 0, 3), (2, 2, 5, 3), (2, 2, 5, 6))
    assert grouped_query_attention(Q, K, V, causal_mask(0, 5)).shape == (2, 4, 0, 6)
    Q, K, V = draw((2, 4, 3, 3), (2, 2, 0, 3), (2, 2, 0, 6))
    close(grouped_query_attention(Q, K, V), np.zeros((2, 4, 3, 6)))


@pytest.mark.claim("clm-no-copy")
def test_keys_and_values_are_not_copied_for_each_query_head():
    Q, K, V = draw((32, 1, 64), (1, 4096, 64), (1, 4096, 64))
    tracemalloc.start()
    grouped_query_attention(Q, K, V)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 * K.nbytes / 4


@pytest.mark.parametrize(
    ("Q", "K", "V", "shapes"),
    [
        ((5, 3, 4), (2, 6, 4), (2, 6, 4), r"\(5, 3, 4\), \(2, 6, 4\), \(2, 6, 4\)"),
        ((4, 3, 4), (2, 6, 4), (1, 6, 4), r"\(4, 3, 4\), \(2, 6, 4\), \(1, 6, 4\)"),
        ((4, 3, 4), (0, 6, 4), (0, 6, 4), r"\(4, 3, 4\), \(0, 6, 4\), \(0, 6, 4\)"),
        ((3, 4), (2, 6, 4), (2, 6, 4), r"\(3, 4\), \(2, 6, 4\), \(2, 6, 4\)"),
        ((3, 4), (6, 4), (6, 4), r"\(3, 4\), \(6, 4\), \(6, 4\)"),
        ((4, 3, 5), (2, 6, 4), (2, 6, 4), r"\(2, 2, 3, 5\), \(2, 1, 6, 4\)"),
        ((4, 3, 4), (2, 6, 4), (2, 5, 4), r"\(2, 1, 6, 4\), \(2, 1, 5, 4\)"),
    ],
)
def test_heads_that_do_not_fit_are_refused_with_all_shapes(Q, K, V, shapes):
    with pytest.raises(ValueError, match=shapes):
        grouped_query_attention(np.zeros(Q), np.zeros(K), np.zeros(V))


def test_a_mask_for_another_number_of_heads_is_refused_with_both_shapes():
    Q, K, V = draw((4, 2, 3), (2, 2, 3), (2, 2, 3))
    with pytest.raises(ValueError, match=r"\(3,2,2\).*\(4,2,2\)"):
        grouped_query_attention(Q, K, V, np.ones((3, 2, 2), bool))
