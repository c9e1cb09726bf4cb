"""Attention: time and peak memory of the three lines, against torch's own kernel."""

import math

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention import softmax

from .measure import peak_bytes, ratio, side_by_side

D = 64
SIZES = (512, 1024, 2048, 4096, 8192, 16384)
PEAK = """
from bench.attention import KERNELS, inputs
arrays = inputs({n})
KERNELS[{name!r}](*inputs(64))  # what the libraries set up once is not counted
call = lambda: KERNELS[{name!r}](*arrays)
"""


def three_lines(Q, K, V):
    """The core, with every score stored."""
    weights = softmax(Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1]), axis=-1)
    return weights @ V


def torch_kernel(Q, K, V):
    """torch's fused kernel for the CPU, on the same memory."""
    return scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V))).numpy()


KERNELS = {"three lines": three_lines, "torch": torch_kernel}


def inputs(n):
    """Q, K, V of n tokens: float32 of shape (1, 1, n, D) for torch's fused kernel."""
    return np.random.default_rng(0).standard_normal((3, 1, 1, n, D), np.float32)


def rows():
    """One row for each size and kernel; `ratio` is time over torch's."""
    found = []
    for n in SIZES:
        arrays = inputs(n)
        calls = {name: lambda f=f: f(*arrays) for name, f in KERNELS.items()}  # noqa: B023
        seconds = side_by_side(calls, rounds=3 if n > 4096 else 7)
        for name, times in seconds.items():
            found.append(
                {
                    "n": n,
                    "kernel": name,
                    "seconds": min(times),
                    "ratio": ratio(times, seconds["torch"]),
                    "peak_bytes": peak_bytes(PEAK.format(n=n, name=name)),
                }
            )
    return found
