"""Positions: what attention cannot see, sinusoids, and rotary embeddings."""

import math

import numpy as np
import pytest
import torch

from attention import (
    _rates,
    attention,
    attention_weights,
    causal_mask,
    rope,
    self_attention,
    sinusoidal_positions,
)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.claim("prp-equivariance")
def test_permuted_tokens_give_permuted_outputs(close):
    X, W = normal(6, 5), normal(3, 5, 4, seed=1)
    order = np.random.default_rng(2).permutation(6)
    close(self_attention(X[order], *W), self_attention(X, *W)[order])


@pytest.mark.claim("clm-mask-order")
def test_a_causal_mask_or_positions_make_the_order_matter():
    X, W = normal(6, 5), normal(3, 5, 4, seed=1)
    order = np.random.default_rng(2).permutation(6)
    Q, K, V = X @ W
    masked = attention(Q, K, V, causal_mask(6))
    again = attention(Q[order], K[order], V[order], causal_mask(6))
    assert not np.allclose(again, masked[order])
    placed = X + sinusoidal_positions(6, 5)
    again = X[order] + sinusoidal_positions(6, 5)
    assert not np.allclose(self_attention(again, *W), self_attention(placed, *W)[order])


def test_sinusoids_at_position_one(close):
    expected = [0.841471, 0.540302, 0.01, 0.99995]
    close(sinusoidal_positions(2, 4)[1], expected, atol=5e-7)
    close(sinusoidal_positions(2, 4)[0], [0, 1, 0, 1])


@pytest.mark.claim("clm-squared")
def test_the_feature_taken_for_the_pair_squares_the_rates_of_the_sines(close):
    i = np.arange(4)
    angles = 10000 ** (-2 * i / 4)  # at position 1
    wrong = np.where(i % 2, np.cos(angles), np.sin(angles))
    close(wrong, [0.841471, 0.99995, 0.0001, 1], atol=5e-7)
    close(wrong[::2], np.sin(_rates(4, 10000.0) ** 2))
    assert not np.allclose(np.arcsin(wrong[0]), np.arccos(wrong[1]))


@pytest.mark.parametrize(
    ("n", "d_model"), [(50, 16), (1, 6), (0, 4), (7, 5), (3, 1), (4, 0)]
)
def test_sinusoids_equal_the_papers_formula_entry_by_entry(n, d_model, close):
    expected = np.empty((n, d_model))
    for position in range(n):
        for i in range(d_model):
            wave = math.cos if i % 2 else math.sin
            expected[position, i] = wave(position / 10000 ** ((i - i % 2) / d_model))
    close(sinusoidal_positions(n, d_model), expected)


def rotations(steps, d, base=10000.0):
    """The block-diagonal matrix that moves row vectors `steps` positions on."""
    R = np.zeros((d, d))
    for i in range(0, d, 2):
        angle = steps / base ** (i / d)
        cos, sin = math.cos(angle), math.sin(angle)
        R[i : i + 2, i : i + 2] = [[cos, -sin], [sin, cos]]
    return R


@pytest.mark.claim("clm-rotation")
@pytest.mark.parametrize("steps", [1, 7, 30])
def test_a_shift_of_the_sinusoids_is_one_rotation_for_all_positions(steps, close):
    P = sinusoidal_positions(64, 12)
    R = rotations(steps, 12)
    close(P[:-steps] @ R, P[steps:])
    close(R @ R.T, np.eye(12))


def halves_and_endpoint(n, d):
    """The layout of tensor2tensor and Whisper: halves, the last rate 1/10000."""
    rates = np.exp(-np.log(10000) * np.arange(d // 2) / (d // 2 - 1))
    angles = np.arange(n)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


@pytest.mark.claim("clm-layouts")
def test_popular_sinusoids_differ_from_the_papers_in_order_and_in_rates():
    paper, popular = sinusoidal_positions(32, 8), halves_and_endpoint(32, 8)
    reordered = popular.reshape(32, 2, 4).swapaxes(1, 2).reshape(32, 8)
    assert np.allclose(reordered[:, :2], paper[:, :2])  # the first rate is one
    assert not np.allclose(reordered[:, 2:], paper[:, 2:], atol=0.1)


def torch_rope(X, positions, base=10000.0):
    """RoPE by multiplication of complex numbers, in torch."""
    X = torch.from_numpy(X)
    d = X.shape[-1]
    rates = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.as_tensor(positions, dtype=torch.float64)[..., None] * rates
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(X.unflatten(-1, (d // 2, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).numpy()


@pytest.mark.parametrize(
    "shape", [(5, 8), (2, 3, 7, 4), (1, 2), (2, 1, 6), (0, 4), (0, 3, 4)], ids=str
)
@pytest.mark.parametrize("start", [0, 17, 4096])
def test_rope_equals_complex_multiplication_in_torch(shape, start, close):
    X, positions = normal(*shape), np.arange(start, start + shape[-2])
    expected = torch_rope(X, positions)
    close(rope(X, positions), expected, rtol=1e-10, atol=1e-11)


def test_rope_at_position_one(close):
    X = np.array([[1.0, 2, 3, 4]])
    expected = [[-1.14264, 1.922076, 2.959851, 4.0298]]
    close(rope(X, [1]), expected, atol=5e-7)
    close(rope(X, [0]), X)


def half_split_rope(X, positions, base=10000.0):
    """The other layout: feature i is paired with feature i + d / 2."""
    half = X.shape[-1] // 2
    rates = base ** (-np.arange(half) / half)
    angles = np.asarray(positions)[..., None] * rates
    a, b = X[..., :half], X[..., half:]
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


@pytest.mark.claim("clm-permutation")
def test_the_half_split_layout_is_the_same_up_to_a_permutation(close):
    X = np.array([[1.0, 2, 3, 4]])
    expected = [[-1.984111, 1.959901, 2.462378, 4.0198]]
    close(half_split_rope(X, [1]), expected, atol=5e-7)
    X, positions = normal(9, 16), np.arange(9)
    order = np.r_[0:16:2, 1:16:2]
    close(half_split_rope(X[:, order], positions), rope(X, positions)[:, order])


@pytest.mark.claim("clm-mixed")
def test_layouts_agree_on_scores_when_weights_move_along_and_not_when_mixed(close):
    X, W_q, W_k = normal(9, 6), normal(6, 16, seed=1), normal(6, 16, seed=2)
    at = np.arange(9)
    pairs = rope(X @ W_q, at) @ rope(X @ W_k, at).T
    order = np.r_[0:16:2, 1:16:2]
    moved = (X @ W_q[:, order], X @ W_k[:, order])
    close(half_split_rope(moved[0], at) @ half_split_rope(moved[1], at).T, pairs)
    loaded_as_is = half_split_rope(X @ W_q, at) @ half_split_rope(X @ W_k, at).T
    assert not np.allclose(loaded_as_is, pairs, atol=0.1)


@pytest.mark.claim("prp-rope")
@pytest.mark.parametrize(("offset", "atol"), [(1, 1e-13), (4096, 1e-11), (10**6, 1e-8)])
def test_rope_weights_depend_on_differences_of_positions_alone(offset, atol, close):
    Q, K = normal(2, 5, 8), normal(2, 5, 8, seed=1)
    at = np.arange(5)
    here = attention_weights(rope(Q, at), rope(K, at))
    there = attention_weights(rope(Q, at + offset), rope(K, at + offset))
    close(there, here, rtol=1e-12, atol=atol)
    further = attention_weights(rope(Q, at + offset), rope(K, at))
    assert not np.allclose(further, here, atol=1e-3)


def test_a_rotation_keeps_every_length(close):
    X = normal(3, 6, 8)
    turned = rope(X, np.arange(6))
    close(np.linalg.norm(turned, axis=-1), np.linalg.norm(X, axis=-1))


def test_each_sequence_of_a_batch_may_have_its_own_positions(close):
    X, positions = normal(2, 3, 5, 4), np.array([[0, 1, 2, 3, 4], [9, 8, 2, 5, 7]])
    turned = rope(X, positions[:, None])
    for i in range(2):
        close(turned[i], rope(X[i], positions[i]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_the_type_of_the_input_is_the_type_of_the_output(dtype):
    expected = np.float64 if dtype == np.int64 else dtype
    X = np.ones((3, 4), dtype)
    assert rope(X, range(3)).dtype == expected
    np.testing.assert_array_equal(X, np.ones((3, 4)))


def test_float32_angles_stay_exact_at_large_positions(close):
    X, at = normal(3, 8), np.array([10**6, 10**6 + 1, 10**6 + 2])
    close(rope(X.astype(np.float32), at), rope(X, at), rtol=1e-6, atol=1e-6)


def test_shapes_that_do_not_fit_are_refused_with_both():
    with pytest.raises(ValueError, match=r"\(4, 6\), \(5,\)"):
        rope(np.zeros((4, 6)), range(5))
    with pytest.raises(ValueError, match=r"\(4, 5\), \(4,\)"):
        rope(np.zeros((4, 5)), range(4))
    with pytest.raises(ValueError, match=r"\(1, 6\), \(\)"):
        rope(np.zeros((1, 6)), 3)
