"""Multiply-adds of one layer, counted by torch while the layer runs."""

import torch
from torch.nn import RNN
from torch.nn.functional import conv1d, pad
from torch.utils.flop_counter import FlopCounterMode


def multiply_adds(n, d, k, r):
    """Maps each layer's name to its count, for n tokens of d features.

    `k` is the width of a kernel, `r` the tokens that restricted attention reads.
    """
    X = torch.randn(n, d)
    W = torch.randn(d, 4 * d)  # to queries, keys, values, and from heads to output
    kernel = torch.randn(d, d, k)
    before = pad(X, (0, 0, r - 1, 0)).unfold(0, r, 1)  # (n, d, r): what each reads
    layers = {
        "attention": lambda: torch.softmax(X @ X.T, dim=-1) @ X,
        "projections": lambda: X @ W,
        "restricted": lambda: before @ torch.softmax(X[:, None] @ before, -1).mT,
        "recurrent": lambda: RNN(d, d)(X),
        "convolution": lambda: conv1d(pad(X.T, (k - 1, 0)), kernel),
    }
    return {name: _count(layer) for name, layer in layers.items()}


def _count(layer):
    with FlopCounterMode(display=False) as counter:
        layer()
    return counter.get_total_flops() // 2  # a multiplication and an addition each
