"""src/attention.py, tangled from chapter.qmd: 31 cells, order 0ce42602.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""

# %% attention-imports b0d93299
import math
from typing import NamedTuple

import numpy as np


# %% softmax 982ba0d4
def softmax(x, axis):
    """Exponentials of x, scaled to sum to one along axis.

    Shapes: x any, result as x. A slice that is all -inf gives NaN.
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


# %% self-attention 509bbfe3
def self_attention(X, W_q, W_k, W_v):
    """Each token's blend of all tokens' values.

    Shapes: X (n, d_model); W_q, W_k (d_model, d_k);
    W_v (d_model, d_v); result (n, d_v). Vaswani et al. 2017, 3.2.1.
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v  # (n, d_k), (n, d_k), (n, d_v)
    scores = Q @ K.T / math.sqrt(K.shape[-1])  # (n, n)
    weights = softmax(scores, axis=-1)  # (n, n), rows sum to one
    return weights @ V  # (n, d_v)


# %% as-floats 5bc3bc8d
def _as_floats(*arrays):
    """The arrays in the type to compute in, and the type to return.

    Integers become float64; float16 is computed in float32.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.result_type(*arrays)
    if not np.issubdtype(dtype, np.floating):
        dtype = np.result_type(dtype, np.float64)
    working = np.result_type(dtype, np.float32)  # at least float32
    return *[np.asarray(array, working) for array in arrays], dtype


# %% check-fit d1febd32
def _check_fit(names, A, B, axis):
    """Raise ValueError, with both shapes, unless A and B fit.

    They agree on axis, and the axes before the last two broadcast.
    """
    refusal = ValueError(f"{names} do not fit: {A.shape}, {B.shape}")
    if min(A.ndim, B.ndim) < 2 or A.shape[axis] != B.shape[axis]:
        raise refusal
    try:
        np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    except ValueError:
        raise refusal from None


# %% apply-mask 7ec6ae85
def _apply_mask(scores, mask):
    """The scores, -inf where the boolean mask is False."""
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"mask must be bool, not {mask.dtype}")
    try:
        mask = np.broadcast_to(mask, scores.shape)
    except ValueError:
        shapes = f"{mask.shape}, {scores.shape}"
        what = f"mask and scores do not fit: {shapes}"
        raise ValueError(what) from None
    return np.where(mask, scores, -np.inf)


# %% softmax-or-zeros 4f7cd47e
def _softmax_or_zeros(scores):
    """The softmax of each row; zeros where all scores are -inf."""
    if scores.size == 0:  # no keys or no queries
        return scores
    empty = np.isneginf(scores).all(axis=-1, keepdims=True)
    weights = softmax(np.where(empty, 0, scores), axis=-1)
    return np.where(empty, 0, weights)


# %% attention-weights d1968328
def attention_weights(Q, K, mask=None, scale=None):
    """For each query, its weight on every key: rows that sum to one.

    Shapes: Q (..., m, d_k); K (..., n, d_k); mask (..., m, n), boolean,
    True = may attend; result (..., m, n). The scores are Q K^T * scale,
    by default 1 / sqrt(d_k). A row with no key to attend to is zeros.
    Raises ValueError for shapes that do not fit, TypeError for a mask
    that is not boolean. Vaswani et al. 2017, 3.2.1.
    """
    Q, K, dtype = _as_floats(Q, K)
    _check_fit("Q and K", Q, K, axis=-1)
    if scale is None:
        scale = 1 / math.sqrt(max(K.shape[-1], 1))
    scores = Q @ K.mT * scale  # (..., m, n)
    if mask is not None:
        scores = _apply_mask(scores, mask)
    weights = _softmax_or_zeros(scores)  # (..., m, n)
    return weights.astype(dtype, copy=False)


# %% attention a1fb8df3
def attention(Q, K, V, mask=None, scale=None):
    """For each query, the values blended by its weights on the keys.

    Shapes: as for attention_weights, and V (..., n, d_v); result
    (..., m, d_v), zeros in rows with nothing to attend to.
    """
    Q, K, V, dtype = _as_floats(Q, K, V)
    _check_fit("K and V", K, V, axis=-2)
    weights = attention_weights(Q, K, mask, scale)  # (..., m, n)
    return (weights @ V).astype(dtype, copy=False)  # (..., m, d_v)


# %% causal-mask cda315e5
def causal_mask(m, n=None):
    """Which of n keys each of m queries may attend to: none after it.

    Shapes: result (m, n), boolean; n is m when left out. The last query
    is level with the last key: query i sees the keys up to i + n - m.
    """
    n = m if n is None else n
    return np.tri(m, n, n - m, dtype=bool)


# %% split-heads 3597f915
def split_heads(X, n_heads):
    """Consecutive features to each head, heads as a batch axis.

    Shapes: X (..., n, d_model); result (..., n_heads, n, d_head), where
    d_head is d_model / n_heads; ValueError if that is no whole number.
    """
    if X.ndim < 2 or n_heads < 1 or X.shape[-1] % n_heads:
        raise ValueError(f"no {n_heads} equal heads in shape {X.shape}")
    *batch, n, d_model = X.shape
    X = X.reshape(*batch, n, n_heads, d_model // n_heads)
    return X.swapaxes(-3, -2)  # (..., n_heads, n, d_head)


# %% merge-heads dbee0c17
def merge_heads(X):
    """The heads' features side by side again: undoes split_heads.

    Shapes: X (..., n_heads, n, d_head); result (..., n, d_model), where
    d_model is n_heads * d_head.
    """
    X = X.swapaxes(-3, -2)  # (..., n, n_heads, d_head)
    return X.reshape(*X.shape[:-2], X.shape[-2] * X.shape[-1])


# %% project 4227788b
def _project(X, W):
    """X @ W, or ValueError with both shapes where they do not fit."""
    if X.shape[-1:] != W.shape[:1] or W.ndim != 2:
        raise ValueError(f"X and W do not fit: {X.shape}, {W.shape}")
    return X @ W


# %% multi-head-attention 8eec8101
def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Attention within each head, the heads' outputs mixed by W_o.

    Shapes: X (..., n, d_model); W_q, W_k, W_v (d_model, d), d divisible
    by n_heads; W_o (d, d_out); mask broadcasts to (..., n_heads, n, n);
    result (..., n, d_out). Raises ValueError where shapes do not fit.
    Vaswani et al. 2017, 3.2.2.
    """
    X, W_q, W_k, W_v, W_o, dtype = _as_floats(X, W_q, W_k, W_v, W_o)
    projections = (_project(X, W) for W in (W_q, W_k, W_v))
    Q, K, V = (split_heads(P, n_heads) for P in projections)
    heads = attention(Q, K, V, mask)  # (..., n_heads, n, d_head)
    return _project(merge_heads(heads), W_o).astype(dtype)


# %% rates d0297036
def _rates(d, base):
    """Radians that each pair of d features turns by per position."""
    return base ** (-np.arange(0, d, 2) / d)


# %% sinusoidal-positions 7dc1f7b5
def sinusoidal_positions(n, d_model, base=10000.0):
    """The vectors to add to tokens at positions 0 to n - 1.

    Shapes: result (n, d_model): sines in the even features, cosines in
    the odd ones. Vaswani et al. 2017, 3.5.
    """
    angles = np.outer(np.arange(n), _rates(d_model, base))
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return waves.reshape(n, 2 * angles.shape[1])[:, :d_model]


# %% rope 3c2aa7ec
def rope(X, positions, base=10000.0):
    """Each pair of neighboring features turned by its token's position.

    Shapes: X (..., n, d_k), d_k even; positions (..., n); result as X.
    Raises ValueError for shapes that do not fit. Su et al. 2021, 3.4.2.
    """
    (X, dtype), positions = _as_floats(X), np.asarray(positions)
    if X.shape[-1] % 2 or positions.shape[-1:] != X.shape[-2:-1]:
        what = f"{X.shape}, {positions.shape}"
        raise ValueError(f"X and positions do not fit: {what}")
    angles = positions[..., None] * _rates(X.shape[-1], base)
    cos, sin = np.cos(angles), np.sin(angles)  # (..., n, d_k / 2)
    even, odd = X[..., 0::2], X[..., 1::2]
    pairs = [even * cos - odd * sin, even * sin + odd * cos]
    return np.stack(pairs, axis=-1).reshape(X.shape).astype(dtype)


# %% write-rows 78d44732
def _write_rows(store, at, rows):
    """The store with rows written from `at` on; a larger one when full.

    Shapes: store (..., capacity, d) or None; rows (..., t, d). Capacity
    at least doubles, so that n appends copy fewer than 2 n rows.
    """
    if store is None:
        store = np.empty_like(rows[..., :0, :])
    *batch, t, d = rows.shape
    old, dtype = store[..., :at, :], np.result_type(store, rows)
    if old.shape != (*batch, at, d):
        raise ValueError(f"rows do not fit: {old.shape}, {rows.shape}")
    if at + t > store.shape[-2] or dtype != store.dtype:
        store = np.empty((*batch, max(at + t, 2 * at), d), dtype)
        store[..., :at, :] = old
    store[..., at : at + t, :] = rows
    return store


# %% kv-cache 5976196a
class KVCache:
    """Keys and values of all positions so far; len() counts them."""

    def __init__(self):
        self._n, self._K, self._V = 0, None, None

    def __len__(self):
        return self._n

    def append(self, K, V):
        """Add rows on axis -2; return all keys and all values so far.

        Shapes: K (..., t, d_k); V (..., t, d_v); results (..., n, d_k),
        (..., n, d_v), views that later calls leave as they are. Raises
        ValueError, and adds nothing, for shapes that do not fit.
        """
        _check_fit("K and V", K, V, axis=-2)
        all_K = _write_rows(self._K, self._n, K)
        all_V = _write_rows(self._V, self._n, V)
        n = self._n + K.shape[-2]
        self._n, self._K, self._V = n, all_K, all_V
        return all_K[..., :n, :], all_V[..., :n, :]


# %% count-heads f2a8fe97
def _count_heads(Q, K, V):
    """n_heads and n_kv_heads, or ValueError where they do not fit."""
    heads = [A.shape[-3] if A.ndim > 2 else 0 for A in (Q, K, V)]
    if 0 in heads or heads[1] != heads[2] or heads[0] % heads[1]:
        shapes = f"{Q.shape}, {K.shape}, {V.shape}"
        raise ValueError(f"heads of Q, K, V do not fit: {shapes}")
    return heads[:2]


# %% group-heads cca52803
def _group_heads(X, n_groups):
    """(..., n_heads, m, d) as (..., n_groups, heads of one, m, d)."""
    *batch, n_heads, m, d = X.shape
    return X.reshape(*batch, n_groups, n_heads // n_groups, m, d)


# %% grouped-query-attention 87907625
def grouped_query_attention(Q, K, V, mask=None):
    """Attention in which several query heads read one key/value head.

    Shapes: Q (..., n_heads, m, d_k); K, V (..., n_kv_heads, n, d_k or
    d_v); mask broadcasts to (..., n_heads, m, n); result (..., n_heads,
    m, d_v). Raises ValueError where shapes do not fit and for n_heads
    no multiple of n_kv_heads. Shazeer 2019; Ainslie et al. 2023.
    """
    n_heads, n_kv_heads = _count_heads(Q, K, V)
    if mask is not None and mask.ndim > 2:
        *batch, _, rows, columns = mask.shape  # the axis of heads: _
        mask = np.broadcast_to(mask, (*batch, n_heads, rows, columns))
        mask = _group_heads(mask, n_kv_heads)
    K, V = K[..., None, :, :], V[..., None, :, :]  # one for each group
    output = attention(_group_heads(Q, n_kv_heads), K, V, mask)
    *batch, _, _, m, d_v = output.shape
    return output.reshape(*batch, n_heads, m, d_v)


# %% partial c64cd0ac
class Partial(NamedTuple):
    """Attention to some of the keys, before the division.

    Shapes: numerator (..., m, d_v): exponentials times values; total
    (..., m, 1): sum of the exponentials; maximum (..., m, 1): largest
    score, whose exponential is 1. No keys: (0, 0, -inf).
    """

    numerator: np.ndarray
    total: np.ndarray
    maximum: np.ndarray

    @property
    def output(self):
        """The values blended, zeros where there were none."""
        return self.numerator / np.where(self.total == 0, 1, self.total)


# %% partial-attention 5647c879
def partial_attention(Q, K, V, mask=None):
    """Attention to these keys alone, as a Partial to be merged.

    Shapes, mask and errors: as for attention; float16 gives float32.
    Milakov & Gimelshein 2018, 3.
    """
    Q, K, V, _ = _as_floats(Q, K, V)
    _check_fit("Q and K", Q, K, axis=-1)
    _check_fit("K and V", K, V, axis=-2)
    scale = 1 / math.sqrt(max(K.shape[-1], 1))
    scores = Q @ K.mT * scale  # (..., m, n)
    if mask is not None:
        scores = _apply_mask(scores, mask)
    maximum = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(scores - np.where(np.isneginf(maximum), 0, maximum))
    return Partial(e @ V, e.sum(axis=-1, keepdims=True), maximum)


# %% merge-partials a8972751
def merge_partials(a, b):
    """Attention to the keys of both: a Partial like a and b."""
    maximum = np.maximum(a.maximum, b.maximum)
    finite = np.where(np.isneginf(maximum), 0, maximum)
    a_factor, b_factor = (np.exp(p.maximum - finite) for p in (a, b))
    return Partial(
        a_factor * a.numerator + b_factor * b.numerator,
        a_factor * a.total + b_factor * b.total,
        maximum,
    )


# %% tiles 2708cc30
def _tiles(m, n, causal, block_size):
    """Slices of the queries and keys of each tile to be computed.

    With causal, none lies above the diagonal; the third value is True
    for tiles on it, where only the last query sees all of the keys.
    """
    height = 8 * block_size  # a call of NumPy pays for many queries
    for start in range(0, n, block_size):
        keys = slice(start, min(start + block_size, n))
        sees_some = max(0, keys.start + m - n) if causal else 0
        sees_all = max(0, keys.stop + m - n) if causal else 0
        if sees_some < sees_all:
            yield slice(sees_some, sees_all), keys, True
        for i in range(sees_all, m, height):
            yield slice(i, i + height), keys, False


# %% flash-matrix bf387a8b
def _flash_matrix(Q, K, V, causal, block_size):
    """flash_attention without leading axes: tile after tile."""
    m, n = len(Q), len(K)
    Q = _scaled_queries(Q, K)  # (m, d_k + 1)
    sums = np.zeros((m, V.shape[-1] + 1), Q.dtype)
    for i, j, diagonal in _tiles(m, n, causal, block_size):
        seen = i.start + n - m - j.start if diagonal else None
        _add_tile(sums[i], Q[i], K[j], V[j], seen)
    total = sums[:, -1:]
    return sums[:, :-1] / np.where(total == 0, 1, total)


# %% flash-columns 3e8d2db7
def _with_ones(A):
    """A with a column of ones on the right."""
    return np.column_stack([A, np.ones(len(A), A.dtype)])


def _scaled_queries(Q, K):
    """Queries whose product with _with_ones(K) is what exp2 needs.

    Scaled, and in the last column minus a reference: the score of the
    first key, for a start.
    """
    Q = Q * (math.log2(math.e) / math.sqrt(max(Q.shape[-1], 1)))
    first_key = K[:1].sum(axis=0)  # zeros if there is none
    return np.column_stack([Q, -(Q @ first_key)])


# %% add-tile 22426442
def _add_tile(sums, Q, K, V, seen):
    """Add to sums, in place: exponentials times V, and exponentials.

    seen, on the diagonal: the last key that the first query sees.
    """
    scores = Q @ _with_ones(K).T  # less the reference, for exp2
    if seen is not None:
        scores[~np.tri(*scores.shape, seen, dtype=bool)] = -np.inf
    if scores.max() > 64:  # float32 ends at 2**128, and sums add up
        _raise_reference(sums, Q, scores)
    if scores.min() < -126:  # subnormal in float32: exp2 is slow
        scores *= math.log(2)
        np.exp(scores, out=scores)
    else:
        np.exp2(scores, out=scores)
    sums += scores @ _with_ones(V)


# %% raise-reference a0457c6c
def _raise_reference(sums, Q, scores):
    """Raise each row's reference to its largest score, in place."""
    rise = np.maximum(scores.max(axis=1, keepdims=True), 0)
    scores -= rise
    Q[:, -1:] -= rise  # Q is a view: for the tiles to come as well
    sums *= np.exp2(-rise)


# %% flash-attention 1058a99b
def flash_attention(Q, K, V, causal=False, block_size=256):
    """What attention gives, with one tile of scores at a time.

    Shapes: Q (..., m, d_k); K (..., n, d_k); V (..., n, d_v); result
    (..., m, d_v). causal: as with causal_mask(m, n). Extra memory:
    O(m (d_k + d_v)), and one tile of scores. Raises ValueError for
    shapes that do not fit. Rabe & Staats 2021; Dao et al. 2022.
    """
    Q, K, V, dtype = _as_floats(Q, K, V)
    _check_fit("Q and K", Q, K, axis=-1)
    _check_fit("K and V", K, V, axis=-2)
    if block_size < 1:
        raise ValueError(f"block_size {block_size} is less than 1")
    QKV = (Q, K, V)
    batch = np.broadcast_shapes(*(A.shape[:-2] for A in QKV))
    QKV = [np.broadcast_to(A, batch + A.shape[-2:]) for A in QKV]
    output = np.empty((*batch, Q.shape[-2], V.shape[-1]), dtype)
    for index in np.ndindex(batch):
        matrices = (A[index] for A in QKV)
        output[index] = _flash_matrix(*matrices, causal, block_size)
    return output
