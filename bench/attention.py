"""Attention: time and peak memory of the three lines, against torch's own kernel."""

import math
from functools import partial
from statistics import median

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention import flash_attention, softmax

from .measure import peak_bytes, ratio, side_by_side

D = 64
SIZES = (512, 1024, 2048, 4096, 8192, 16384)
PEAK = """
from bench.attention import KERNELS, inputs
arrays = inputs({n})
KERNELS[{name!r}][0](*inputs(64))  # what the libraries set up once is not counted
call = lambda: KERNELS[{name!r}][0](*arrays)
"""


def three_lines(Q, K, V):
    """The core, with every score stored."""
    weights = softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), axis=-1)
    return weights @ V


def torch_kernel(Q, K, V):
    """torch's fused kernel for the CPU, on the same memory."""
    return scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V))).numpy()


def torch_causal(Q, K, V):
    """The same, each token seeing itself and those before it."""
    arrays = map(torch.from_numpy, (Q, K, V))
    return scaled_dot_product_attention(*arrays, is_causal=True).numpy()


def flash_causal(Q, K, V):
    """The chapter's kernel, causal."""
    return flash_attention(Q, K, V, causal=True)


def products(Q, K, V, block_size=256):
    """The two products of the chapter's kernel alone, tile by tile: its bound."""
    Q, K, V = (A[0, 0] for A in (Q, K, V))
    output = np.zeros_like(Q)
    for j in range(0, len(K), block_size):
        k, v = K[j : j + block_size], V[j : j + block_size]
        for i in range(0, len(Q), 8 * block_size):
            output[i : i + 8 * block_size] += (Q[i : i + 8 * block_size] @ k.T) @ v
    return output


# name: (function, what its time is divided by)
KERNELS = {
    "torch": (torch_kernel, "torch"),
    "flash": (flash_attention, "torch"),
    "products": (products, "torch"),
    "three lines": (three_lines, "torch"),
    "torch causal": (torch_causal, "torch causal"),
    "flash causal": (flash_causal, "torch causal"),
}


def inputs(n):
    """Q, K, V of n tokens: float32 of shape (1, 1, n, D) for torch's fused kernel."""
    return np.random.default_rng(0).standard_normal((3, 1, 1, n, D), np.float32)


def rows():
    """One row for each size and kernel.

    `seconds`: the median; `ratio`: time over torch's; `..._slope`: exponent of n
    since half the size.
    """
    found = []
    for n in SIZES:
        arrays = inputs(n)
        calls = {name: partial(f, *arrays) for name, (f, _) in KERNELS.items()}
        seconds = side_by_side(calls, rounds=7 if n > 2048 else 15)
        for name, (_, oracle) in KERNELS.items():
            row = {
                "n": n,
                "kernel": name,
                "seconds": median(seconds[name]),
                "ratio": ratio(seconds[name], seconds[oracle]),
                "peak_bytes": peak_bytes(PEAK.format(n=n, name=name)),
            }
            half = [r for r in found if r["n"] == n // 2 and r["kernel"] == name]
            for field in ("seconds", "peak_bytes") if half else ():
                row[f"{field}_slope"] = math.log2(row[field] / half[0][field])
            found.append(row)
    return found
