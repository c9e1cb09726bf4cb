"""The bill: what the scores weigh, and how often the three lines hold them."""

import tracemalloc

import numpy as np
import pytest

from attention import attention_weights, self_attention
from figures.cost import power


@pytest.mark.claim("clm-bill")
def test_one_head_of_scores_takes_1_gib_at_16384_tokens_and_4096_at_64_times_as_many():
    n = 64
    Q = np.ones((n, 8), np.float32)
    per_pair = attention_weights(Q, Q).nbytes // n**2
    assert per_pair * 16384**2 == 2**30
    assert per_pair * (64 * 16384) ** 2 == 4096 * 2**30


@pytest.mark.claim("clm-copies")
def test_the_three_lines_hold_three_matrices_of_scores_at_once():
    n, d = 1024, 4
    X, *W = np.random.default_rng(0).normal(size=(4, n, d))
    tracemalloc.start()
    self_attention(X, *(w[:d] for w in W))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 3.0 <= peak / X.itemsize / n**2 < 3.1


def test_the_exponent_of_a_power_law_is_found(close):
    sizes = np.array([512, 1024, 4096])
    close(power(sizes, 3e-7 * sizes**1.7), (1.7, 3e-7), rtol=1e-9)
