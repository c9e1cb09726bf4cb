"""Masks: the causal one, its alignment, and masking that is not masking."""

import math

import numpy as np
import pytest

from attention import attention, attention_weights, causal_mask, softmax
from oracle import draw, torch_attention

# leading axes, queries, keys, d_k, d_v
SIZES = [
    ((), 4, 4, 3, 2),
    ((2, 3), 4, 7, 5, 6),
    ((2,), 7, 4, 3, 5),
    ((3,), 1, 1, 2, 4),
    ((), 1, 9, 4, 3),
    ((2,), 0, 5, 3, 2),
    ((2,), 3, 0, 4, 5),
    ((0,), 3, 4, 2, 5),
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_causal_attention_equals_torch_given_the_same_mask(sizes, close):
    Q, K, V = draw(*sizes)
    mask = causal_mask(Q.shape[-2], K.shape[-2])
    close(attention(Q, K, V, mask), torch_attention(Q, K, V, mask))


@pytest.mark.parametrize("n", [1, 2, 9])
def test_the_causal_mask_equals_that_of_torch_when_queries_and_keys_are_as_many(
    n, close
):
    Q, K, V = draw((2,), n, n, 3, 4)
    close(attention(Q, K, V, causal_mask(n)), torch_attention(Q, K, V, is_causal=True))


@pytest.mark.claim("prp-causal")
def test_an_output_does_not_change_with_later_tokens():
    Q, K, V = draw((2,), 6, 6, 3, 4)
    before = attention(Q, K, V, causal_mask(6))
    for t in range(6):
        later = [array.copy() for array in (K, V)]
        for array in later:
            array[:, t:] = 1e3 * np.random.default_rng(t).normal(
                size=array[:, t:].shape
            )
        after = attention(Q, *later, causal_mask(6))
        np.testing.assert_array_equal(after[:, :t], before[:, :t])
        assert not np.allclose(after[:, t:], before[:, t:])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_mask_of_the_last_queries_is_the_last_rows_of_the_square_mask(n):
    for m in range(n + 1):
        np.testing.assert_array_equal(causal_mask(m, n), causal_mask(n)[n - m :])


def test_more_queries_than_keys_leaves_the_first_queries_nothing(close):
    mask = causal_mask(5, 2)
    assert mask.tolist() == [[False, False]] * 3 + [[True, False], [True, True]]
    Q, K, V = draw((), 5, 2, 3, 4)
    output = attention(Q, K, V, mask)
    close(output[:3], np.zeros((3, 4)))
    close(output, torch_attention(Q, K, V, mask))


@pytest.mark.claim("clm-alignment")
def test_alignment_torch_is_top_left_the_chapter_bottom_right(close):
    Q, K, V = np.zeros((2, 1)), np.zeros((5, 1)), np.arange(5.0)[:, None]
    close(attention(Q, K, V, causal_mask(2, 5)), [[1.5], [2]])
    close(torch_attention(Q, K, V, is_causal=True), [[0], [0.5]])


def test_mask_polarity_true_may_attend(close):
    Q, K, V = np.zeros((1, 2)), np.ones((3, 2)), np.array([[1.0], [2.0], [4.0]])
    mask = np.array([[True, False, False]])
    close(attention(Q, K, V, mask), [[1]])
    close(attention(Q, K, V, ~mask), [[3]])


SCORES = np.array([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]])
KEEP = np.array([[True, True, True, False, False, False]])


@pytest.mark.claim("clm-multiply")
def test_a_score_multiplied_by_zero_still_has_weight(close):
    masked = softmax(np.where(KEEP, SCORES, -np.inf), axis=-1)
    close(masked, [[0.3051, 0.1609, 0.5341, 0, 0, 0]], atol=5e-5)
    multiplied = softmax(SCORES * KEEP, axis=-1)
    expected = [[0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244]]
    close(multiplied, expected, atol=5e-5)
    # the same through the public function: q = 1, the scores as keys
    close(attention_weights(np.ones((1, 1)), SCORES.T, KEEP), masked)


@pytest.mark.claim("clm-renormalize")
def test_masking_after_the_softmax_needs_renormalizing(close):
    masked = softmax(np.where(KEEP, SCORES, -np.inf), axis=-1)
    late = softmax(SCORES, axis=-1) * KEEP
    assert late.sum() < 0.7
    close(late / late.sum(), masked)


def test_a_row_with_nothing_to_attend_to_is_zeros(close):
    Q, K, V = np.zeros((2, 1)), np.zeros((2, 1)), np.array([[1.0], [3.0]])
    mask = np.array([[True, True], [False, False]])
    close(attention(Q, K, V, mask), [[2], [0]])
    close(torch_attention(Q, K, V, mask), [[2], [0]])


def test_a_padding_mask_needs_axes_for_heads_and_queries(close):
    Q = np.zeros((2, 1, 2, 1))
    V = np.broadcast_to(np.array([[1.0], [3.0]]), (2, 1, 2, 1))
    pad = np.array([[True, False], [True, True]])
    right = attention(Q, Q, V, pad[:, None, None, :])
    close(right[..., 0], [[[1, 1]], [[2, 2]]])
    wrong = attention(Q, Q, V, pad)
    close(wrong[..., 0], [[[1, 2]], [[1, 2]]])


@pytest.mark.claim("clm-leak")
def test_a_leaked_next_token_makes_the_loss_vanish_and_the_mask_brings_it_back():
    n, vocabulary = 12, 5
    tokens = np.random.default_rng(0).integers(vocabulary, size=n)
    Q, K = 40 * np.eye(n, k=1), np.eye(n)  # query i looks for position i + 1
    V = 40 * np.eye(vocabulary)[tokens]
    loss = []
    for mask in (None, causal_mask(n)):
        guess = softmax(attention(Q, K, V, mask, scale=1)[:-1], axis=-1)
        loss.append(-np.log(guess[np.arange(n - 1), tokens[1:]]).mean())
    assert loss[0] < 1e-10 < math.log(vocabulary) < loss[1]


def test_a_mask_that_does_not_fit_is_refused_with_both_shapes():
    Q, K, V = draw((2,), 4, 7, 3, 5)
    with pytest.raises(ValueError, match=r"\(4, 6\).*\(2, 4, 7\)"):
        attention(Q, K, V, causal_mask(4, 6))
