"""The core: softmax, self_attention, attention_weights and attention."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention import attention, attention_weights, self_attention, softmax
from oracle import draw, torch_attention

LN3 = math.log(3)
FLOATS = [np.float16, np.float32, np.float64]


def phrase(seed=0):
    """X and three matrices with n, d_model, d_k and d_v all different."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in ((6, 5), (5, 4), (5, 4), (5, 3))]


# Against torch


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (2, 1, 3)])
def test_attention_equals_torch_with_four_different_sizes(lead, close):
    Q, K, V = draw(lead, 4, 6, 5, 3)
    close(attention(Q, K, V), torch_attention(Q, K, V))


def test_attention_equals_torch_on_large_scores(close):
    Q, K, V = draw((2, 3), 4, 6, 5, 3)
    close(attention(1e3 * Q, K, V), torch_attention(1e3 * Q, K, V))
    close(attention(-1e3 * Q, K, V), torch_attention(-1e3 * Q, K, V))


def test_attention_equals_torch_under_a_mask_that_empties_a_row(close):
    Q, K, V = draw((2, 3), 4, 6, 5, 3)
    mask = np.random.default_rng(1).random((2, 1, 4, 6)) < 0.5
    mask[0, 0, 2] = False
    close(attention(Q, K, V, mask), torch_attention(Q, K, V, mask))


@pytest.mark.parametrize("scale", [0.0, 0.3, -1.0, 7])
def test_a_scale_of_ones_own_takes_the_place_of_the_root(scale, close):
    Q, K, V = draw((2, 3), 4, 6, 5, 3)
    close(attention(Q, K, V, scale=scale), torch_attention(Q, K, V, scale=scale))


@given(
    lead=st.lists(st.integers(1, 3), max_size=2),
    sizes=st.tuples(*[st.integers(1, 6)] * 4),
    factor=st.sampled_from([0.0, 1e-3, 1.0, 30.0, 1e3]),
    masked=st.sampled_from([0.0, 0.3, 0.9]),
    seed=st.integers(0, 2**32 - 1),
)
def test_attention_equals_torch_on_any_input(lead, sizes, factor, masked, seed):
    Q, K, V = draw(lead, *sizes, seed=seed)
    mask = np.random.default_rng(seed).random((*lead, *sizes[:2])) >= masked
    expected = torch_attention(factor * Q, K, V, mask)
    actual = attention(factor * Q, K, V, mask)
    np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", FLOATS)
def test_each_type_is_within_its_own_roundoff_of_torch(dtype, close):
    Q, K, V = draw((2, 3), 96, 128, 64, 32, dtype=dtype)
    roundoff = np.finfo(dtype).eps / 2
    close(attention(Q, K, V), torch_attention(Q, K, V), rtol=0, atol=8 * roundoff)


@pytest.mark.parametrize("factor", [1, 1e3, -1e3])
def test_self_attention_equals_torch_given_its_projections(factor, close):
    X, W_q, W_k, W_v = phrase()
    W_q = factor * W_q
    expected = torch_attention(X @ W_q, X @ W_k, X @ W_v)
    close(self_attention(X, W_q, W_k, W_v), expected)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("factor", [1, 1e3, -1e3])
def test_softmax_equals_torch_along_every_axis(axis, factor, close):
    x = factor * draw((2,), 3, 1, 4, 1)[0]
    close(softmax(x, axis), torch.softmax(torch.from_numpy(x), dim=axis).numpy())


# By another road: the definition, pair by pair


def by_pairs(Q, K, V):
    output = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        e = [math.exp(sum(q * k) / math.sqrt(len(k))) for k in K]
        for share, v in zip(e, V):
            output[i] += share / sum(e) * v
    return output


def test_three_lines_equal_the_loop_over_pairs(close):
    X, W_q, W_k, W_v = phrase()
    expected = by_pairs(X @ W_q, X @ W_k, X @ W_v)
    close(self_attention(X, W_q, W_k, W_v), expected)


def test_a_batch_equals_its_sequences_one_by_one(close):
    Q, K, V = draw((2, 3), 4, 6, 5, 3)
    batch = attention(Q, K, V)
    for index in np.ndindex(2, 3):
        close(batch[index], by_pairs(Q[index], K[index], V[index]))


def test_leading_axes_broadcast(close):
    Q, K, V = draw((2, 3), 4, 6, 5, 3)
    shared = attention(Q, K[:, :1], V[0, 0])
    close(shared[1, 2], by_pairs(Q[1, 2], K[1, 0], V[0, 0]))


# Exact fixtures: small inputs whose right values are known


def test_mask_polarity(close):
    Q, K, V = np.zeros((1, 2)), np.ones((3, 2)), np.array([[1.0], [2], [4]])
    close(attention(Q, K, V, np.array([True, False, False])), [[1.0]])


def test_masked_scores_get_no_weight(close):
    scores = np.array([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]])
    mask = np.array([True, True, True, False, False, False])
    weights = attention_weights(scores, np.eye(6), mask, scale=1)
    close(weights, [[0.3051, 0.1609, 0.5341, 0, 0, 0]], atol=5e-5)


def test_fully_masked_row_is_zero(close):
    Q, K, V = np.zeros((2, 3)), np.ones((2, 3)), np.array([[1.0], [3]])
    mask = np.array([[True, True], [False, False]])
    close(attention(Q, K, V, mask), [[2.0], [0]])
    close(attention_weights(Q, K, mask), [[0.5, 0.5], [0, 0]])


def test_softmax_runs_along_the_rows(close):
    scores, V = np.array([[0, LN3], [LN3, 2 * LN3]]), np.array([[0.0], [4]])
    close(softmax(scores, axis=-1) @ V, [[3.0], [3]])
    close(attention(scores, np.eye(2), V, scale=1), [[3.0], [3]])


def test_scale_and_values_wider_than_keys(close):
    Q, K = np.array([[2.0, 0, 0, 0]]), np.array([[2.0, 0, 0, 0], [0, 0, 0, 0]])
    close(attention(Q, K, np.array([[1.0], [0]])), [[0.880797]], atol=5e-7)
    wide = np.array([[1.0, 5], [0, 1]])
    close(attention(Q, K, wide), [[0.880797, 4.523188]], atol=5e-7)


def test_padding_is_one_mask_for_each_sequence(close):
    Q, K = np.zeros((2, 1, 2, 3)), np.ones((2, 1, 2, 3))
    V = np.broadcast_to(np.array([[1.0], [3]]), (2, 1, 2, 1))
    pad = np.array([[True, False], [True, True]])[:, None, None, :]
    close(attention(Q, K, V, pad)[:, 0, :, 0], [[1.0, 1], [2, 2]])


def test_softmax_of_large_scores(close):
    expected = [0.731059, 0.268941]
    close(softmax(np.array([1000.0, 999]), 0), expected, atol=5e-7)
    close(softmax(np.array([-1000.0, -1001]), 0), expected, atol=5e-7)


def test_scores_that_are_logs_of_integers_give_fractions(close):
    scores = np.log([[1.0, 2, 5]])
    close(attention_weights(scores, np.eye(3), scale=1), [[1 / 8, 2 / 8, 5 / 8]])


# Edges


def test_a_single_key_takes_all_the_weight(close):
    Q, K, V = draw((2,), 3, 1, 4, 5)
    close(attention(Q, K, V), np.broadcast_to(V, (2, 3, 5)))
    X, W_q, W_k, W_v = phrase()
    close(self_attention(X[:1], W_q, W_k, W_v), X[:1] @ W_v)


def test_without_keys_the_output_is_zeros(close):
    Q, K, V = draw((2,), 3, 0, 4, 5)
    close(attention(Q, K, V), np.zeros((2, 3, 5)))
    close(attention(Q, K, V, np.ones((3, 0), bool)), np.zeros((2, 3, 5)))


def test_without_queries_the_output_is_empty(close):
    close(attention(*draw((2,), 0, 3, 4, 5)), np.zeros((2, 0, 5)))


def test_without_features_the_output_is_the_mean(close):
    Q, K, V = draw((2,), 3, 4, 0, 5)
    mean = V.mean(axis=1, keepdims=True)
    close(attention(Q, K, V), np.broadcast_to(mean, (2, 3, 5)))


@pytest.mark.parametrize("lead", [(0,), (2, 0)])
def test_an_empty_batch_stays_empty(lead, close):
    close(attention(*draw(lead, 3, 4, 2, 5)), np.zeros((*lead, 3, 5)))


def test_softmax_of_nothing_but_minus_infinity_is_nan_as_in_torch():
    x = np.full((1, 2), -np.inf)
    with np.errstate(invalid="ignore"):
        ours = softmax(x, axis=-1)
    assert np.isnan(ours).all() and torch.softmax(torch.tensor(x), -1).isnan().all()


def test_a_nan_is_not_hidden():
    Q, K, V = draw((), 3, 4, 2, 5)
    Q[1, 0] = np.nan
    assert np.isnan(attention(Q, K, V)).any(axis=1).tolist() == [False, True, False]


# Types


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_type_of_the_inputs_is_the_type_of_the_output(dtype):
    Q, K, V = draw((2,), 3, 4, 2, 5, dtype=dtype)
    assert attention(Q, K, V).dtype == attention_weights(Q, K).dtype == dtype
    masked = attention(Q, K, V, np.ones((3, 4), bool), scale=np.float64(0.5))
    assert masked.dtype == dtype


def test_the_core_keeps_float32():
    arrays = [array.astype(np.float32) for array in phrase()]
    assert self_attention(*arrays).dtype == np.float32


def test_mixed_types_give_the_wider():
    Q, K, V = draw((), 3, 4, 2, 5)
    assert attention(Q.astype(np.float16), K.astype(np.float32), V).dtype == float
    half = attention(Q.astype(np.float16), K.astype(np.float16), V.astype(np.float32))
    assert half.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, bool])
def test_integers_are_computed_in_float64(dtype, close):
    rng = np.random.default_rng(0)
    shapes = (3, 2), (4, 2), (4, 5)
    Q, K, V = [rng.integers(0, 2, shape).astype(dtype) for shape in shapes]
    result = attention(100 * Q, K, V)
    assert result.dtype == np.float64
    close(result, attention(*(array.astype(float) for array in (100 * Q, K, V))))


def test_float16_is_computed_in_float32(close):
    Q, K, V = draw((), 3, 4, 64, 5, dtype=np.float16)
    Q *= 100  # products up to thousands, exponentials far above 65,504
    expected = attention(*(array.astype(np.float32) for array in (Q, K, V)))
    close(attention(Q, K, V), expected.astype(np.float16), rtol=0, atol=0)
    wide = np.full((1, 64), 100, np.float16)  # a dot product of 640,000
    close(attention(wide, wide, V[:1]), V[:1], rtol=0, atol=0)


def test_lists_are_arrays_too(close):
    close(attention([[0]], [[1], [2]], [[1], [3]], [[True, True]]), [[2.0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int64])
def test_inputs_are_never_changed(dtype):
    arrays = [(10 * a).astype(dtype) for a in draw((2,), 3, 4, 2, 5)]
    arrays.append(np.random.default_rng(0).random((3, 4)) < 0.5)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    output = attention(*arrays)
    for array, copy in zip(arrays, before):
        np.testing.assert_array_equal(array, copy)
        assert not np.shares_memory(output, array)


# Refusals


@pytest.mark.parametrize(
    ("Q", "K", "V", "shapes"),
    [
        ((3, 4), (5, 6), (5, 2), ["Q and K do not fit", "(3, 4)", "(5, 6)"]),
        ((3, 4), (5, 4), (6, 2), ["K and V do not fit", "(5, 4)", "(6, 2)"]),
        (
            (2, 3, 4),
            (3, 5, 4),
            (3, 5, 2),
            ["Q and K do not fit", "(2, 3, 4)", "(3, 5, 4)"],
        ),
        (
            (3, 4),
            (2, 5, 4),
            (3, 5, 2),
            ["K and V do not fit", "(2, 5, 4)", "(3, 5, 2)"],
        ),
        ((2, 3, 4), (5, 4), (3, 5, 2), ["(2,", "(3,"]),
        ((4,), (5, 4), (5, 2), ["Q and K do not fit", "(4,)", "(5, 4)"]),
        ((3, 4), (5, 4), (5,), ["K and V do not fit", "(5, 4)", "(5,)"]),
    ],
)
def test_shapes_that_do_not_fit_are_refused_with_both_shapes(Q, K, V, shapes):
    with pytest.raises(ValueError) as refusal:
        attention(np.ones(Q), np.ones(K), np.ones(V))
    assert all(shape in str(refusal.value) for shape in shapes)


@pytest.mark.parametrize("dtype", [int, float, np.uint8])
def test_a_mask_that_is_not_boolean_is_refused(dtype):
    Q, K, V = draw((), 3, 4, 2, 5)
    with pytest.raises(TypeError, match=np.dtype(dtype).name):
        attention(Q, K, V, np.ones((3, 4), dtype))


@pytest.mark.parametrize("shape", [(5, 4), (3, 5), (2, 3, 4)])
def test_a_mask_is_never_spread_over_more_than_the_scores(shape):
    Q, K, V = draw((), 1, 4, 2, 5)
    with pytest.raises(ValueError) as refusal:
        attention(Q, K, V, np.ones(shape, bool))
    assert str(shape) in str(refusal.value) and "(1, 4)" in str(refusal.value)


# Claims of the chapter


@pytest.mark.claim("prp-direct-access")
def test_every_position_reads_every_position_whatever_the_distance(close):
    n = 200
    Q, K, _ = draw((), n, n, 4, 1)
    weights = attention_weights(Q, K)
    assert weights.shape == (n, n) and (weights > 0).all()
    order = np.random.default_rng(1).permutation(n)  # every distance changes
    close(attention_weights(Q[order], K[order]), weights[np.ix_(order, order)])


@pytest.mark.claim("prp-direct-access")
def test_a_change_of_any_token_reaches_every_output():
    X, *matrices = phrase()
    before = self_attention(X, *matrices)
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += 1
        change = np.abs(self_attention(changed, *matrices) - before)
        assert (change.max(axis=1) > 1e-9).all()


@pytest.mark.claim("clm-lookup")
def test_a_very_sharp_softmax_is_a_lookup_of_the_best_key(close):
    Q, K, V = draw((2,), 3, 4, 5, 6)
    best = (Q @ K.swapaxes(-1, -2)).argmax(axis=-1)
    expected = np.take_along_axis(V, best[..., None], axis=1)
    close(attention(Q, K, V, scale=1e6), expected)
    tied = attention(np.zeros((1, 2)), np.ones((2, 2)), [[0.0], [4]], scale=1e6)
    close(tied, [[2.0]])  # hence "if one key is best"


@pytest.mark.claim("clm-one-role")
def test_one_role_makes_symmetric_scores_and_two_do_not(close):
    X, W_q, W_k, _ = phrase()
    close(X @ X.T, (X @ X.T).T)
    scores = X @ W_q @ (X @ W_k).T
    assert not np.allclose(scores, scores.T)


@pytest.mark.claim("clm-rows")
def test_rows_of_the_weights_are_positive_and_sum_to_one(close):
    Q, K, _ = draw((2, 3), 4, 6, 5, 3)
    weights = attention_weights(Q, K)
    assert (weights > 0).all()
    close(weights.sum(axis=-1), np.ones((2, 3, 4)))
    assert not np.allclose(weights.sum(axis=-2), 4 / 6)


@pytest.mark.claim("clm-blend")
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([0.1, 1.0, 100.0]))
def test_an_output_never_leaves_the_range_of_the_values(seed, factor):
    Q, K, V = draw((), 4, 6, 5, 3, seed=seed)
    output = attention(factor * Q, K, V)
    assert (output <= V.max(axis=0) + 1e-12).all()
    assert (output >= V.min(axis=0) - 1e-12).all()


@pytest.mark.claim("clm-shift")
def test_a_number_added_to_a_row_changes_no_weight(close):
    x = np.random.default_rng(0).standard_normal((4, 6))
    shift = np.array([[0.5], [-3], [100], [-700]])
    close(softmax(x + shift, axis=-1), softmax(x, axis=-1))
    assert not np.allclose(softmax(x + shift, axis=0), softmax(x, axis=0))


def random_scores(d_k, draws=4000, n=8):
    """One query against n keys in each draw: independent, mean 0, variance 1."""
    rng = np.random.default_rng(d_k)
    q, k = rng.standard_normal((draws, 1, d_k)), rng.standard_normal((draws, n, d_k))
    return (q @ k.swapaxes(-1, -2))[:, 0]


def slope(scores):
    w = softmax(scores, axis=-1)
    return (w * (1 - w)).sum(axis=-1).mean()


@pytest.mark.claim("prp-scale")
@pytest.mark.parametrize("d_k", [1, 16, 256])
def test_the_variance_of_a_score_is_d_k(d_k):
    scores = random_scores(d_k)
    assert scores.mean() == pytest.approx(0, abs=0.05 * math.sqrt(d_k))
    assert scores.var() == pytest.approx(d_k, rel=0.1)
    signs = np.sign(np.random.default_rng(0).standard_normal((2, 4000, d_k)))
    assert (signs[0] * signs[1]).sum(axis=-1).var() == pytest.approx(d_k, rel=0.1)


@pytest.mark.claim("prp-scale")
def test_the_variance_is_not_d_k_when_a_condition_fails():
    q = np.random.default_rng(0).standard_normal((4000, 64))
    k = np.random.default_rng(1).standard_normal((4000, 64))
    assert (q * q).sum(axis=-1).var() == pytest.approx(2 * 64, rel=0.1)  # dependent
    assert ((q + 1) * (k + 1)).sum(axis=-1).var() > 2.5 * 64  # mean 1


@pytest.mark.claim("clm-saturation")
def test_the_slope_of_the_softmax_is_lost_without_the_scale():
    expected = {1: 0.787, 16: 0.348, 64: 0.177, 256: 0.089}
    for d_k, value in expected.items():
        scores = random_scores(d_k)
        assert slope(scores) == pytest.approx(value, abs=0.012)
        assert slope(scores / math.sqrt(d_k)) == pytest.approx(0.775, abs=0.02)


@pytest.mark.claim("clm-d-model")
def test_dividing_by_the_root_of_d_model_makes_flatter_weights():
    scores = random_scores(64)
    wrong = scores / math.sqrt(512)
    assert wrong.std() == pytest.approx(math.sqrt(64 / 512), rel=0.05)
    peaks = [softmax(x, axis=-1).max(axis=-1).mean() for x in (scores / 8, wrong)]
    assert 1 / 8 < peaks[1] < 0.6 * peaks[0]


@pytest.mark.claim("clm-overflow")
@pytest.mark.parametrize(("dtype", "limit"), [*zip(FLOATS, [11.09, 88.72, 709.78])])
def test_the_exponential_overflows_where_the_chapter_says(dtype, limit):
    with np.errstate(over="ignore"):
        below, above = np.exp(np.array([limit - 0.02, limit + 0.02], dtype))
    assert np.isfinite(below) and np.isinf(above)


@pytest.mark.parametrize(("dtype", "limit"), [*zip(FLOATS, [17.33, 103.97, 745.13])])
def test_the_exponential_underflows_where_the_chapter_says(dtype, limit):
    above, below = np.exp(np.array([-limit + 0.03, -limit - 0.03], dtype))
    assert above > 0 and below == 0


@pytest.mark.claim("clm-shapes")
def test_six_mistakes_keep_the_shape_and_change_the_values():
    Q, K, V = draw((), 6, 6, 4, 4)
    right = attention(Q, K, V)
    scores = Q @ K.T / 2
    wrong = {
        "softmax over columns": softmax(scores, axis=0),
        "no scale": softmax(Q @ K.T, axis=-1),
        "scores transposed": softmax(scores.T, axis=-1),
        "V for K": softmax(Q @ V.T / 2, axis=-1),
        "scale after softmax": softmax(Q @ K.T, axis=-1) / 2,
    }
    for name, w in wrong.items():
        assert (w @ V).shape == right.shape, name
        assert np.abs(w @ V - right).max() > 0.1, name
    with np.errstate(all="ignore"):
        e = np.exp(1e3 * scores)
        no_maximum = e / e.sum(axis=-1, keepdims=True) @ V
    assert no_maximum.shape == right.shape and np.isnan(no_maximum).any()
