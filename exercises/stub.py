"""exercises/stub.py, tangled from chapter.qmd: 13 cells, order 02485416.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""

# %% stub-imports ff692158
# Write your answers here and run `make check-exercise`. What still
# raises NotImplementedError is left out of the report.
import math

import numpy as np


# %% stub-self-attention a3462563
# First part: self-attention.
def self_attention(X, W_q, W_k, W_v):
    """Each token's blend of all tokens' values.

    Shapes: X (n, d_model); W_q, W_k (d_model, d_k);
    W_v (d_model, d_v); result (n, d_v).
    """
    # Q, K, V = ...  (?, ?), (?, ?), (?, ?)
    # scores = ...  (?, ?)
    # weights = ...  (?, ?)
    raise NotImplementedError


# %% stub-parity 52ec37c1
def difference_from_torch(attention, Q, K, V):
    """The largest absolute difference from torch's result, a number.

    Shapes: Q (m, d_k); K (n, d_k); V (n, d_v).
    """
    raise NotImplementedError


# %% stub-permutation ce124a8d
def is_equivariant(f, X, order):
    """Whether permuting the rows of X permutes those of f(X) alike.

    Shapes: X and f(X) (n, d); order (n,), a permutation of 0 to n - 1.
    """
    raise NotImplementedError


# %% stub-by-hand 0cbd7e2f
def by_hand():
    """The three weights and the two output features, as two lists."""
    raise NotImplementedError


# %% stub-paths 3c2dd2cf
def contiguous_path(n, k):
    """The fewest layers from first to last, contiguous; at least 1."""
    raise NotImplementedError


def dilated_path(n, k):
    """The fewest layers from first to last, dilated; at least 1."""
    raise NotImplementedError


# %% stub-gradient f9e41676
def softmax_gradient(weights, upstream):
    """The gradient with respect to the scores.

    Shapes: weights, upstream and result (m, n), a softmax in each row.
    """
    raise NotImplementedError


# %% stub-causal-mask 40dc5ea5
# Second part: the causal mask.
def causal_mask(m, n):
    """True where query i may attend: to the keys up to i + n - m.

    Shapes: result (m, n), boolean; m <= n.
    """
    raise NotImplementedError


def causal_self_attention(X, W_q, W_k, W_v):
    """As self_attention, but no token sees those after it.

    Shapes: X (n, d_model); W_q, W_k (d_model, d_k);
    W_v (d_model, d_v); result (n, d_v).
    """
    # Q, K, V = ...  (?, ?), (?, ?), (?, ?)
    # scores = ...  (?, ?)
    # weights = ...  (?, ?)
    raise NotImplementedError


# %% stub-heads f1f0c4a9
# Third part: heads.
def split_heads(X, n_heads):
    """Consecutive features to each head.

    Shapes: X (..., n, d_model); result (..., n_heads, n, d_head).
    """
    raise NotImplementedError


def merge_heads(X):
    """The heads' features side by side again: undoes split_heads.

    Shapes: X (..., n_heads, n, d_head); result (..., n, d_model).
    """
    raise NotImplementedError


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    """Attention within each head, the heads' outputs mixed by W_o.

    Shapes: X (n, d_model); W_q, W_k, W_v (d_model, d), d divisible by
    n_heads; W_o (d, d_out); result (n, d_out).
    """
    # Q, K, V = ...  (?, ?, ?), (?, ?, ?), (?, ?, ?)
    # scores = ...  (?, ?, ?)
    # weights = ...  (?, ?, ?)
    raise NotImplementedError


# %% stub-rope 86c01539
# Third part, continued: positions, decoding, blocks.
def rope(X, positions, base=10000.0):
    """Pair i of features turned by position * base ** (-2 i / d_k).

    Shapes: X (n, d_k), d_k even; positions (n,); result (n, d_k).
    """
    raise NotImplementedError


# %% stub-cache 6d794f87
class KVCache:
    """Keys and values of all positions so far."""

    def __len__(self):
        """The number of positions."""
        raise NotImplementedError

    def append(self, K, V):
        """Add rows on axis -2; return all keys and values so far."""
        raise NotImplementedError


# %% stub-grouped 85db709d
def grouped_query_attention(Q, K, V):
    """Query head h reads head h // (n_heads // n_kv_heads) of K and V.

    Shapes: Q (n_heads, m, d_k); K (n_kv_heads, n, d_k);
    V (n_kv_heads, n, d_v); result (n_heads, m, d_v).
    """
    raise NotImplementedError


# %% stub-merge 8b19fca4
def merge_partials(a, b):
    """The triple (numerator, total, maximum) of both blocks together.

    Shapes: numerator (m, d_v); total and maximum (m, 1). An empty block
    is (0, 0, -inf).
    """
    raise NotImplementedError
