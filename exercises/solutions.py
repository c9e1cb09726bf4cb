"""exercises/solutions.py, tangled from chapter.qmd: 13 cells, order 4d838456.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""

# %% solution-imports 41048068
import math

import numpy as np
import torch


# %% solution-self-attention 1ebd7e3d
def softmax(x, axis):
    """Exponentials of x, scaled to sum to one along axis."""
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def self_attention(X, W_q, W_k, W_v):
    """Each token's blend of all tokens' values."""
    Q, K, V = X @ W_q, X @ W_k, X @ W_v  # (n, d_k), (n, d_k), (n, d_v)
    scores = Q @ K.T / math.sqrt(K.shape[-1])  # (n, n)
    weights = softmax(scores, axis=-1)  # (n, n)
    return weights @ V  # (n, d_v)


# %% solution-parity d22f5238
def difference_from_torch(attention, Q, K, V):
    """The largest absolute difference from torch's result, a number."""
    tensors = (torch.from_numpy(A) for A in (Q, K, V))
    right = torch.nn.functional.scaled_dot_product_attention(*tensors)
    return np.abs(attention(Q, K, V) - right.numpy()).max()


# %% solution-permutation e0218ec0
def is_equivariant(f, X, order):
    """Whether permuting the rows of X permutes those of f(X) alike."""
    return np.allclose(f(X[order]), f(X)[order])


# %% solution-by-hand cc989de7
def by_hand():
    """The three weights and the two features of the output."""
    weights = [1 / 8, 2 / 8, 5 / 8]
    output = [(1 * 8 + 2 * 4 + 5 * 0) / 8, (1 * 0 + 2 * 4 + 5 * 8) / 8]
    return weights, output


# %% solution-paths 98b30fe0
def contiguous_path(n, k):
    """The fewest layers from first to last, contiguous; at least 1."""
    return max(1, -(-(n - 1) // (k - 1)))


def dilated_path(n, k):
    """The fewest layers from first to last, dilated; at least 1."""
    layers = 1
    while k**layers < n:
        layers += 1
    return layers


# %% solution-gradient a8d806a5
def softmax_gradient(weights, upstream):
    """The gradient with respect to the scores."""
    mean = (weights * upstream).sum(axis=-1, keepdims=True)
    return weights * (upstream - mean)


# %% solution-causal-mask 386a13be
def causal_mask(m, n):
    """True where query i may attend: to the keys up to i + n - m."""
    return np.arange(n) <= np.arange(m)[:, None] + n - m


def causal_self_attention(X, W_q, W_k, W_v):
    """As self_attention, but no token sees those after it."""
    Q, K, V = X @ W_q, X @ W_k, X @ W_v  # (n, d_k), (n, d_k), (n, d_v)
    scores = Q @ K.T / math.sqrt(K.shape[-1])  # (n, n)
    mask = causal_mask(len(X), len(X))
    weights = softmax(np.where(mask, scores, -np.inf), axis=-1)
    return weights @ V  # (n, d_v)


# %% solution-heads 037a393f
def split_heads(X, n_heads):
    """Consecutive features to each head."""
    *batch, n, d_model = X.shape
    X = X.reshape(*batch, n, n_heads, d_model // n_heads)
    return X.swapaxes(-3, -2)  # (..., n_heads, n, d_head)


def merge_heads(X):
    """The heads' features side by side again: undoes split_heads."""
    *batch, n_heads, n, d_head = X.shape
    X = X.swapaxes(-3, -2)  # (..., n, n_heads, d_head)
    return X.reshape(*batch, n, n_heads * d_head)


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    """Attention within each head, the heads' outputs mixed by W_o."""
    projections = (X @ W_q, X @ W_k, X @ W_v)  # (n, d) each
    Q, K, V = (split_heads(P, n_heads) for P in projections)
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    weights = softmax(scores, axis=-1)  # (n_heads, n, n)
    return merge_heads(weights @ V) @ W_o  # (n, d_out)


# %% solution-rope 754a1d66
def rope(X, positions, base=10000.0):
    """Pair i of features turned by position * base ** (-2 i / d_k)."""
    d_k = X.shape[-1]
    rates = base ** (-np.arange(0, d_k, 2) / d_k)
    angles = positions[:, None] * rates  # (n, d_k / 2)
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.empty_like(X)
    turned[:, 0::2] = X[:, 0::2] * cos - X[:, 1::2] * sin
    turned[:, 1::2] = X[:, 0::2] * sin + X[:, 1::2] * cos
    return turned


# %% solution-cache 23ee7887
class KVCache:
    """Keys and values of all positions so far."""

    def __init__(self):
        self._keys, self._values = [], []

    def __len__(self):
        return sum(K.shape[-2] for K in self._keys)

    def append(self, K, V):
        """Add rows on axis -2; return all keys and values so far."""
        self._keys.append(K)
        self._values.append(V)
        all_keys = np.concatenate(self._keys, axis=-2)
        return all_keys, np.concatenate(self._values, axis=-2)


# %% solution-grouped 51159318
def grouped_query_attention(Q, K, V):
    """Query head h reads K, V head h // (n_heads // n_kv_heads)."""
    group = len(Q) // len(K)
    K, V = (np.repeat(A, group, axis=0) for A in (K, V))
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    return softmax(scores, axis=-1) @ V  # (n_heads, m, d_v)


# %% solution-merge 34a8d73d
def merge_partials(a, b):
    """The triple (numerator, total, maximum) of both together."""
    maximum = np.maximum(a[2], b[2])
    level = np.where(np.isneginf(maximum), 0, maximum)
    by_a, by_b = np.exp(a[2] - level), np.exp(b[2] - level)
    numerator = a[0] * by_a + b[0] * by_b
    return numerator, a[1] * by_a + b[1] * by_b, maximum
