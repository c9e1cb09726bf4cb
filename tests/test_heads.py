"""Several heads: the split, parity with torch's module, what one head cannot do."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention import (
    attention,
    causal_mask,
    merge_heads,
    multi_head_attention,
    self_attention,
    split_heads,
)


def torch_module(W_q, W_k, W_v, W_o, n_heads):
    """torch's multi-head attention with the chapter's weights copied in."""
    module = torch.nn.MultiheadAttention(
        len(W_q), n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        stacked = np.concatenate([W_q.T, W_k.T, W_v.T])
        module.in_proj_weight.copy_(torch.from_numpy(stacked))
        module.out_proj.weight.copy_(torch.from_numpy(W_o.T))
    return module


def draw(lead, n, d_model, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(*lead, n, d_model))
    return X, rng.normal(size=(4, d_model, d_model)) / d_model**0.5


@pytest.mark.claim("clm-heads-parity")
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    ("batch", "n", "d_model", "n_heads"),
    [(2, 5, 12, 3), (3, 1, 8, 2), (1, 7, 6, 1), (2, 4, 6, 6), (0, 3, 4, 2)],
)
def test_multi_head_attention_equals_the_module_of_torch(
    batch, n, d_model, n_heads, masked, close
):
    X, W = draw((batch,), n, d_model)
    mask = causal_mask(n) if masked else None
    x = torch.from_numpy(X)
    ignore = None if mask is None else torch.from_numpy(~mask)  # True: ignore
    module = torch_module(*W, n_heads)
    expected = module(x, x, x, attn_mask=ignore, need_weights=False)[0]
    close(multi_head_attention(X, *W, n_heads, mask), expected.detach().numpy())


@pytest.mark.claim("clm-polarity")
def test_the_module_of_torch_given_the_same_mask_attends_to_the_opposite(close):
    X, W = draw((2,), 5, 12)
    mask = np.random.default_rng(1).random((5, 5)) < 0.5
    mask |= np.eye(5, dtype=bool)
    mask[0, 1:] = False  # so that neither polarity leaves a row empty
    mask[1:, 0] = False
    x = torch.from_numpy(X)
    same = torch_module(*W, 3)(
        x, x, x, attn_mask=torch.from_numpy(mask), need_weights=False
    )[0].detach()
    close(multi_head_attention(X, *W, 3, ~mask), same.numpy())
    assert not np.allclose(multi_head_attention(X, *W, 3, mask), same)


def test_no_tokens_give_no_outputs():
    X, W = draw((2,), 0, 6)
    assert multi_head_attention(X, *W, 2).shape == (2, 0, 6)


def test_one_head_is_the_three_lines(close):
    X, (W_q, W_k, W_v, W_o) = draw((), 5, 8)
    expected = self_attention(X, W_q, W_k, W_v) @ W_o
    close(multi_head_attention(X, W_q, W_k, W_v, W_o, 1), expected)


def test_heads_in_a_batch_axis_equal_a_loop_over_the_three_lines(close):
    X, (W_q, W_k, W_v, W_o) = draw((), 5, 12)
    slices = [slice(4 * h, 4 * h + 4) for h in range(3)]
    heads = [self_attention(X, W_q[:, s], W_k[:, s], W_v[:, s]) for s in slices]
    expected = np.concatenate(heads, axis=-1) @ W_o
    close(multi_head_attention(X, W_q, W_k, W_v, W_o, 3), expected)


def test_values_may_be_wider_than_keys_and_the_output_than_the_input(close):
    rng = np.random.default_rng(2)
    shapes = (5, 7), (7, 6), (7, 6), (7, 8), (8, 3)
    X, W_q, W_k, W_v, W_o = (rng.normal(size=shape) for shape in shapes)
    heads = [
        attention(X @ W_q[:, :3], X @ W_k[:, :3], X @ W_v[:, :4]),
        attention(X @ W_q[:, 3:], X @ W_k[:, 3:], X @ W_v[:, 4:]),
    ]
    expected = np.concatenate(heads, axis=-1) @ W_o
    close(multi_head_attention(X, W_q, W_k, W_v, W_o, 2), expected)


def test_a_mask_may_differ_from_head_to_head(close):
    X, (W_q, W_k, W_v, W_o) = draw((2,), 4, 6)
    mask = np.random.default_rng(1).random((2, 2, 4, 4)) < 0.6
    output = multi_head_attention(X, W_q, W_k, W_v, np.eye(6), 2, mask)
    for h, part in enumerate([slice(0, 3), slice(3, 6)]):
        Q, K, V = (X @ W[:, part] for W in (W_q, W_k, W_v))
        close(output[..., part], attention(Q, K, V, mask[:, h]))


@pytest.mark.claim("clm-reshape")
def test_split_gives_each_head_its_features_of_every_token(close):
    X = np.array([[0.0, 1, 2, 3], [4, 5, 6, 7]])
    close(split_heads(X, 2), [[[0, 1], [4, 5]], [[2, 3], [6, 7]]])
    close(X.reshape(2, 2, 2), [[[0, 1], [2, 3]], [[4, 5], [6, 7]]])  # mixes tokens


@pytest.mark.parametrize("shape", [(5, 12), (2, 3, 5, 12), (0, 12), (1, 12), (5, 0)])
def test_merging_undoes_splitting(shape, close):
    X = np.random.default_rng(0).normal(size=shape)
    for n_heads in (1, 3, 4):
        heads = split_heads(X, n_heads)
        assert heads.shape == (*shape[:-2], n_heads, shape[-2], shape[-1] // n_heads)
        close(merge_heads(heads), X)


@pytest.mark.parametrize("n_heads", [0, 5, -2])
def test_heads_that_do_not_divide_the_features_are_refused(n_heads):
    with pytest.raises(ValueError, match=r"(0|5|-2) equal heads .*\(3, 12\)"):
        split_heads(np.zeros((3, 12)), n_heads)


def test_shapes_that_do_not_fit_are_refused_with_both(close):
    X, W = draw((2,), 5, 12)
    with pytest.raises(ValueError, match=r"\(2, 5, 12\), \(11, 12\)"):
        multi_head_attention(X, W[0][1:], *W[1:], 3)
    with pytest.raises(ValueError, match=r"\(2, 5, 12\), \(8, 12\)"):
        multi_head_attention(X, *W[:3], W[3][:8], 3)
    with pytest.raises(ValueError, match=r"\(2, 3, 5, 4\), \(2, 3, 5, 2\)"):
        multi_head_attention(X, W[0], W[1][:, :6], *W[2:], 3)
    with pytest.raises(ValueError, match=r"\(4, 4\).*\(2, 3, 5, 5\)"):
        multi_head_attention(X, *W, 3, causal_mask(4))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_the_type_of_the_input_is_the_type_of_the_output(dtype):
    X, W = draw((), 4, 6)
    X, W = (10 * X).astype(dtype), W.astype(dtype)
    expected = np.float64 if dtype == np.int64 else dtype
    assert multi_head_attention(X, *W, 2).dtype == expected


@pytest.mark.claim("clm-same-size")
def test_parameters_and_operations_are_the_same_however_many_heads():
    X, W = draw((1,), 10, 64)
    x = torch.from_numpy(X)
    counts = set()
    for n_heads in (1, 2, 8, 64):
        module = torch_module(*W, n_heads)
        with FlopCounterMode(display=False) as counter:
            module(x, x, x)
        parameters = sum(p.numel() for p in module.parameters())
        counts.add((parameters, counter.get_total_flops()))
    projections, products = 4 * 2 * 10 * 64 * 64, 2 * 2 * 10 * 10 * 64
    assert counts == {(4 * 64 * 64, projections + products)}


@pytest.mark.claim("prp-heads")
def test_one_head_cannot_read_two_tokens_apart_and_two_heads_can():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 20_000, 2))  # two tokens of two features
    wanted = np.stack([first[:, 0], second[:, 1]], axis=-1)

    def lost(*p):  # the weights of the two features on the first token
        blends = np.array(p) * first + (1 - np.array(p)) * second
        map_, *_ = np.linalg.lstsq(blends, wanted, rcond=None)
        return np.square(blends @ map_ - wanted).sum(axis=-1).mean()

    assert np.allclose([lost(p, p) for p in np.linspace(0, 1, 11)], 1, atol=0.05)
    assert lost(1, 0) < 1e-20
