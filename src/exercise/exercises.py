"""The exercises: what each function gets, what is right, in which steps.

A catalogue in the chapter's order: each section can be read without the others,
but for the steps of attention, which come first. Nothing here imports torch
before it is asked for the right answers: the process that runs the learner's file
reads this module too.
"""

import contextlib
import copy
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np


class Misused(Exception):
    """The learner's function did not give what the next step needs."""


def _call(function, *arguments):
    """Call the function: what most exercises ask for."""
    return function(*arguments)


@dataclass(frozen=True)
class Exercise:
    """One function to write, and how to tell what went wrong in it.

    `cases` are the telling inputs by name, each a tuple of arguments; `right`
    gives the answer to one of them by means independent of `steps`. The steps
    do the same work on a state that starts with the arguments; mistakes take
    their place. `call` is for what isn't called directly (a class, say).
    """

    name: str
    label: str
    arguments: tuple
    cases: dict
    right: Callable
    oracle: str
    steps: dict
    call: Callable = _call
    torch_allowed: bool = False
    sizes: dict = field(default_factory=dict)  # of the first case, by name
    parts: tuple = ("result",)


def run(exercise, case, wrong=None):
    """The states after each step, those in `wrong` in place of the right ones."""
    state = SimpleNamespace(**dict(zip(exercise.arguments, exercise.cases[case])))
    states = []
    for step in (exercise.steps | (wrong or {})).values():
        step(state)
        states.append(SimpleNamespace(**vars(state)))
    return states


def _normal(seed, *shapes, dtype=float):
    """Arrays of normal numbers."""
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


def _projected(n, d_model, d_k, d_v, seed, scale=1.0, dtype=float):
    """X and three projections; `scale` multiplies the scores."""
    X, W_q, W_k, W_v = _normal(
        seed, (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    )
    arrays = X, W_q * scale, W_k, W_v
    return tuple(array.astype(dtype) for array in arrays)


# Attention, in the steps that its exercises share.


def _project(s):
    s.Q, s.K, s.V = s.X @ s.W_q, s.X @ s.W_k, s.X @ s.W_v


def _similarity(s):
    s.scores = s.Q @ s.K.swapaxes(-1, -2)


def _scale(s):
    s.scores = s.scores / math.sqrt(s.K.shape[-1])


def _mask(s):
    allowed = np.tri(s.scores.shape[-1], dtype=bool)
    s.scores = np.where(allowed, s.scores, -np.inf)


def _softmax(s):
    e = np.exp(s.scores - s.scores.max(axis=-1, keepdims=True))
    s.weights = e / e.sum(axis=-1, keepdims=True)


def _blend(s):
    s.output = s.weights @ s.V


CORE = {
    "similarity": _similarity,
    "scale": _scale,
    "softmax": _softmax,
    "blend": _blend,
}


def _torch_attention(Q, K, V, causal=False):
    """torch's own answer, as a NumPy array."""
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    attention = torch.nn.functional.scaled_dot_product_attention
    return attention(Q, K, V, is_causal=causal).numpy()


def _self_attention_right(X, W_q, W_k, W_v):
    return _torch_attention(X @ W_q, X @ W_k, X @ W_v)


def _causal_right(X, W_q, W_k, W_v):
    return _torch_attention(X @ W_q, X @ W_k, X @ W_v, causal=True)


SIZES = {"n": 6, "d_model": 5, "d_k": 3, "d_v": 2}
PROJECTED = ("X", "W_q", "W_k", "W_v")
PROJECTED_CASES = {
    "four sizes": _projected(*SIZES.values(), seed=1),
    "square": _projected(4, 4, 4, 4, seed=2),
    "large": _projected(6, 4, 4, 4, seed=3, scale=400.0),
    "float32": _projected(*SIZES.values(), seed=4, dtype=np.float32),
}
SDPA = "torch's scaled_dot_product_attention"

self_attention = Exercise(
    name="self_attention",
    label="exr-self-attention",
    arguments=PROJECTED,
    cases=PROJECTED_CASES,
    right=_self_attention_right,
    oracle=SDPA,
    steps={"project": _project} | CORE,
    sizes=SIZES,
)

causal_self_attention = Exercise(
    name="causal_self_attention",
    label="exr-causal-mask",
    arguments=PROJECTED,
    cases=PROJECTED_CASES,
    right=_causal_right,
    oracle=SDPA,
    steps={
        "project": _project,
        "similarity": _similarity,
        "scale": _scale,
        "mask": _mask,
        "softmax": _softmax,
        "blend": _blend,
    },
    sizes=SIZES,
)


# Comparing with torch: the learner's function gets an attention to test.


def scaled(Q, K, V):
    """Attention, right."""
    e = np.exp(Q @ K.T / math.sqrt(K.shape[-1]))
    return e / e.sum(axis=-1, keepdims=True) @ V


def unscaled(Q, K, V):
    """Attention without its scale: wrong."""
    return scaled(Q * math.sqrt(K.shape[-1]), K, V)


def low(Q, K, V):
    """Attention minus a half: wrong, and below the right result everywhere."""
    return scaled(Q, K, V) - 0.5


def _both(s):
    s.mine = s.attention(s.Q, s.K, s.V)
    s.torch = _torch_attention(s.Q, s.K, s.V)


def _difference(s):
    s.difference = np.abs(s.mine - s.torch)


def _largest(s):
    s.output = s.difference.max()


def _difference_right(attention, Q, K, V):
    return np.max(np.abs(attention(Q, K, V) - _torch_attention(Q, K, V)))


QKV = _normal(5, (4, 3), (5, 3), (5, 2))

difference_from_torch = Exercise(
    name="difference_from_torch",
    label="exr-parity",
    arguments=("attention", "Q", "K", "V"),
    cases={f.__name__: (f, *QKV) for f in (scaled, unscaled, low)},
    right=_difference_right,
    oracle="the largest difference",
    steps={"both": _both, "difference": _difference, "largest": _largest},
    torch_allowed=True,
)


# Permuting the rows.


def _attention(X):
    return scaled(X, X, X)


def _causal_mean(X):
    return np.cumsum(X, axis=0) / np.arange(1, len(X) + 1)[:, None]


def _sorted_rows(X):
    return np.sort(X, axis=0)


def _plus_the_sum(X):
    """Equivariant, but a sum in another order rounds otherwise."""
    return X + np.cumsum(X, axis=0)[-1]


def _squares(X):
    return X**2


def _equivariant(s):
    s.output = np.allclose(s.f(s.X[s.order]), s.f(s.X)[s.order])


def _equivariant_right(f, X, order):
    return np.abs(f(X[order]) - f(X)[order]).max() < 1e-9


is_equivariant = Exercise(
    name="is_equivariant",
    label="exr-permutation",
    arguments=("f", "X", "order"),
    cases={
        f.__name__.strip("_"): (f, *_normal(6, (5, 3)), np.array([2, 0, 3, 4, 1]))
        for f in (_attention, _causal_mean, _sorted_rows, _plus_the_sum, _squares)
    },
    right=_equivariant_right,
    oracle="the definition",
    steps={"equivariant": _equivariant},
)


# With pencil and paper: scores 0, ln 2, ln 5 after the scale.


def _given(s):
    s.Q = np.array([[2.0, 0.0, 0.0, 0.0]])
    s.K = np.array([[0.0], [math.log(2)], [math.log(5)]]) * [[1.0, 0.0, 0.0, 0.0]]
    s.V = np.array([[8.0, 0.0], [4.0, 4.0], [0.0, 8.0]])


def _one_row(s):
    s.output = s.weights[0], (s.weights @ s.V)[0]


by_hand = Exercise(
    name="by_hand",
    label="exr-by-hand",
    arguments=(),
    cases={"numbers": ()},
    right=lambda: (np.array([1, 2, 5]) / 8, np.array([2.0, 6.0])),
    oracle="the fractions",
    steps={
        "given": _given,
        "similarity": _similarity,
        "scale": _scale,
        "softmax": _softmax,
        "one row": _one_row,
    },
    parts=("weights", "output"),
)


# Path length.


def _layers(n, reach):
    """Layers until the last of n tokens has heard of the first.

    `reach(layer)` are the distances that layer looks back; counted by going
    there, not by a formula.
    """
    known, layer = {0}, 0
    while layer == 0 or n - 1 not in known:
        known = {i + step for i in known for step in reach(layer) if i + step < n}
        layer += 1
    return layer


def _whole_logarithm(s):
    """The fewest layers, at least one, with k ** layers >= n."""
    s.logarithm = 1
    while s.k**s.logarithm < s.n:
        s.logarithm += 1


def _contiguous(s):
    s.output = max(1, -(-(s.n - 1) // (s.k - 1)))


def _dilated(s):
    s.output = s.logarithm


PAIRS = [(n, k) for k in (2, 3, 4, 5) for n in (1, 2, 3, 4, 5, 6, 8, 9, 16, 64, 100)]
PATHS = {
    f"n = {n}, k = {k}": (n, k) for n, k in [*PAIRS, (125, 5), (216, 6), (1024, 3)]
}

contiguous_path = Exercise(
    name="contiguous_path",
    label="exr-paths",
    arguments=("n", "k"),
    cases=PATHS,
    right=lambda n, k: _layers(n, lambda layer: range(k)),
    oracle="a walk along the edges",
    steps={"logarithm": _whole_logarithm, "contiguous": _contiguous},
)

dilated_path = Exercise(
    name="dilated_path",
    label="exr-paths",
    arguments=("n", "k"),
    cases=PATHS,
    right=lambda n, k: _layers(n, lambda layer: range(0, k ** (layer + 1), k**layer)),
    oracle="a walk along the edges",
    steps={"logarithm": _whole_logarithm, "dilated": _dilated},
)


# The gradient of the softmax.


def _gather(s):
    s.gathered = (s.weights * s.upstream).sum(axis=-1, keepdims=True)


def _chain(s):
    s.output = s.weights * (s.upstream - s.gathered)


def _gradient_right(weights, upstream):
    import torch

    scores = torch.from_numpy(weights).log().requires_grad_()
    torch.softmax(scores, dim=-1).backward(torch.from_numpy(upstream))
    return scores.grad.numpy()


def _weights_and_upstream(seed, m, n):
    scores, upstream = _normal(seed, (m, n), (m, n))
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True), upstream


softmax_gradient = Exercise(
    name="softmax_gradient",
    label="exr-gradient",
    arguments=("weights", "upstream"),
    cases={
        "two sizes": _weights_and_upstream(7, 4, 5),
        "square": _weights_and_upstream(8, 4, 4),
    },
    right=_gradient_right,
    oracle="torch's autograd",
    steps={"gather": _gather, "chain": _chain},
    sizes={"m": 4, "n": 5},
)


# The causal mask itself.


def _align(s):
    s.last = np.arange(s.m)[:, None] + s.n - s.m


def _compare_positions(s):
    s.output = np.arange(s.n) <= s.last


def _keep_type(s):
    """The mask is boolean already."""


causal_mask = Exercise(
    name="causal_mask",
    label="exr-causal-mask",
    arguments=("m", "n"),
    cases={"two of five": (2, 5), "square": (4, 4), "one of three": (1, 3)},
    right=lambda m, n: np.array([[j <= i + n - m for j in range(n)] for i in range(m)]),
    oracle="the definition",
    steps={"align": _align, "compare": _compare_positions, "type": _keep_type},
    sizes={"m": 2, "n": 5},
)


# Heads.


def _split(s):
    def split(X):
        *batch, n, d_model = X.shape
        X = X.reshape(*batch, n, s.n_heads, d_model // s.n_heads)
        return X.swapaxes(-3, -2)

    s.split = split


def _merge(s):
    def merge(X):
        *batch, h, n, d = X.shape
        return X.swapaxes(-3, -2).reshape(*batch, n, h * d)

    s.merge = merge


def _split_right(X, n_heads):
    import torch

    heads = torch.from_numpy(X).chunk(n_heads, dim=-1)
    return torch.stack(heads, dim=-3).numpy()


def _merge_right(X):
    import torch

    return torch.cat(torch.from_numpy(X).unbind(dim=-3), dim=-1).numpy()


def _split_output(s):
    s.output = s.split(s.X)


def _merge_output(s):
    s.output = s.merge(s.X)


split_heads = Exercise(
    name="split_heads",
    label="exr-heads",
    arguments=("X", "n_heads"),
    cases={
        "two heads": (*_normal(9, (5, 6)), 2),
        "six features": (*_normal(10, (6, 6)), 3),
        "batched": (*_normal(11, (3, 4, 8)), 2),
    },
    right=_split_right,
    oracle="torch.chunk",
    steps={"split": _split, "output": _split_output},
    sizes={"n": 5, "d_model": 6, "n_heads": 2, "d_head": 3},
)

merge_heads = Exercise(
    name="merge_heads",
    label="exr-heads",
    arguments=("X",),
    cases={
        "two heads": _normal(12, (2, 5, 3)),
        "square": _normal(13, (3, 3, 3)),
        "batched": _normal(14, (4, 2, 5, 3)),
    },
    right=_merge_right,
    oracle="torch.cat",
    steps={"merge": _merge, "output": _merge_output},
    sizes={"n": 5, "d_model": 6, "n_heads": 2, "d_head": 3},
)


def _apply_split(s):
    s.Q, s.K, s.V = s.split(s.Q), s.split(s.K), s.split(s.V)


def _apply_merge(s):
    s.merged = s.merge(s.output)


def _mix(s):
    s.output = s.merged @ s.W_o


def _multi_head_right(X, W_q, W_k, W_v, W_o, n_heads):
    Q, K, V = (_split_right(X @ W, n_heads) for W in (W_q, W_k, W_v))
    return _merge_right(_torch_attention(Q, K, V)) @ W_o


def _mixed(seed, n, d_model, d, d_out, n_heads, scale=1.0, dtype=float):
    arrays = _projected(n, d_model, d, d, seed, scale, dtype)
    return *arrays, *_normal(seed + 1, (d, d_out), dtype=dtype), n_heads


multi_head_attention = Exercise(
    name="multi_head_attention",
    label="exr-heads",
    arguments=("X", "W_q", "W_k", "W_v", "W_o", "n_heads"),
    cases={
        "all sizes": _mixed(15, 5, 8, 6, 7, 2),
        "square": _mixed(17, 3, 9, 9, 9, 3),
        "large": _mixed(40, 6, 4, 4, 4, 2, scale=400.0),
        "float32": _mixed(21, 5, 8, 6, 7, 2, dtype=np.float32),
    },
    right=_multi_head_right,
    oracle=SDPA,
    steps={
        "project": _project,
        "split": _split,
        "apply split": _apply_split,
        **CORE,
        "merge": _merge,
        "apply merge": _apply_merge,
        "mix": _mix,
    },
    sizes={"n": 5, "d_model": 8, "n_heads": 2, "d_head": 3, "d_out": 7},
)


# RoPE.


def _turning(s):
    s.base = 10000.0


def _rates(s):
    d = s.X.shape[-1]
    s.rates = s.base ** (-np.arange(0, d, 2) / d)


def _angles(s):
    s.angles = s.positions[:, None] * s.rates


def _pair(s):
    s.first, s.second = s.X[:, 0::2], s.X[:, 1::2]
    s.join = lambda a, b: np.stack([a, b], axis=-1).reshape(len(a), -1)


def _turn(s):
    a, b, cos, sin = s.first, s.second, np.cos(s.angles), np.sin(s.angles)
    s.output = s.join(a * cos - b * sin, a * sin + b * cos)


def _rope_right(X, positions):
    """By complex numbers: a pair is one, and turning it a multiplication."""
    pairs = X.view(complex)
    rates = 10000.0 ** -np.linspace(0, 1, pairs.shape[-1], endpoint=False)
    return (pairs * np.exp(1j * np.outer(positions, rates))).view(float)


rope = Exercise(
    name="rope",
    label="exr-rope",
    arguments=("X", "positions"),
    cases={
        "from 3": (*_normal(23, (5, 6)), np.arange(3, 8)),
        "four rows": (*_normal(24, (4, 8)), np.array([0, 1, 2, 9])),
    },
    right=_rope_right,
    oracle="multiplying complex numbers",
    steps={
        "base": _turning,
        "rates": _rates,
        "positions": _angles,
        "pair": _pair,
        "turn": _turn,
    },
    sizes={"n": 5, "d_k": 6},
)


# The cache.


def use_cache(KVCache, *parts):
    """Append keys and values in turn; all that comes back, and the lengths."""
    with _left_alone(KVCache):
        return _use_cache(KVCache, *parts)


@contextlib.contextmanager
def _left_alone(cls):
    """Undo, afterwards, what happens to data that the instances share."""
    methods = {n: f for n, f in vars(cls).items() if inspect.isfunction(f)}
    defaults = {n: copy.deepcopy(f.__defaults__) for n, f in methods.items()}
    data = {n: copy.deepcopy(v) for n, v in vars(cls).items() if _is_data(n, v)}
    yield
    for name, value in defaults.items():
        methods[name].__defaults__ = value
    for name in [n for n, v in vars(cls).items() if _is_data(n, v)]:
        delattr(cls, name)
    for name, value in data.items():
        setattr(cls, name, value)


def _is_data(name, value):
    """Whether an attribute of a class is data that the learner put there."""
    return not name.startswith("__") and not hasattr(value, "__get__")


def _use_cache(KVCache, *parts):
    cache, other = KVCache(), KVCache()
    seen, lengths = [], []
    for K, V in zip(parts[0::2], parts[1::2]):
        got = cache.append(K, V)
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise Misused("append must return two arrays, all keys and all values")
        seen += [np.array(array) for array in got]
        lengths.append(len(cache))
    other.append(parts[0], parts[1])
    return *seen, np.array([*lengths, len(other)])


def _cached(seed, *lengths, heads=()):
    shapes = [(*heads, t, d) for t in lengths for d in (3, 2)]
    return _normal(seed, *shapes)


def _cache_right(*parts):
    import torch

    keys, values = ([torch.from_numpy(part) for part in parts[i::2]] for i in (0, 1))
    seen = []
    for used in range(1, len(keys) + 1):
        seen += [torch.cat(keys[:used], -2).numpy()]
        seen += [torch.cat(values[:used], -2).numpy()]
    lengths = np.cumsum([len(K.movedim(-2, 0)) for K in keys])
    return *seen, np.array([*lengths, lengths[0]])


def _cache(s):
    class Cache:
        def __init__(self):
            self.K = self.V = None

        def __len__(self):
            return self.K.shape[-2]

        def append(self, K, V):
            new = self.K is None
            self.K = K if new else np.concatenate([self.K, K], axis=-2)
            self.V = V if new else np.concatenate([self.V, V], axis=-2)
            return self.K, self.V

    s.Cache = Cache


def _use(s):
    s.output = use_cache(s.Cache, *(getattr(s, name) for name in _PARTS))


_PARTS = ("K_1", "V_1", "K_2", "V_2", "K_3", "V_3")

KVCache = Exercise(
    name="KVCache",
    label="exr-cache",
    arguments=_PARTS,
    cases={
        "three, then one by one": _cached(25, 3, 1, 1),
        "two heads": _cached(26, 1, 1, 1, heads=(2,)),
    },
    right=_cache_right,
    oracle="torch.cat",
    steps={"cache": _cache, "use": _use},
    call=use_cache,
    parts=(
        *(f"{side} after call {i}" for i in (1, 2, 3) for side in ("keys", "values")),
        "lengths after each call, and of a second cache after one",
    ),
)


# Query heads that share keys and values.


def _share(s):
    group = s.Q.shape[-3] // s.K.shape[-3]
    s.K, s.V = np.repeat(s.K, group, axis=-3), np.repeat(s.V, group, axis=-3)


def _grouped_right(Q, K, V):
    import torch

    Q, K, V = (torch.from_numpy(array)[None] for array in (Q, K, V))
    attention = torch.nn.functional.scaled_dot_product_attention
    return attention(Q, K, V, enable_gqa=True)[0].numpy()


grouped_query_attention = Exercise(
    name="grouped_query_attention",
    label="exr-grouped",
    arguments=("Q", "K", "V"),
    cases={
        "four on two": _normal(27, (4, 3, 6), (2, 5, 6), (2, 5, 2)),
        "square": _normal(28, (4, 4, 4), (2, 4, 4), (2, 4, 4)),
        "large": tuple(
            array * scale
            for array, scale in zip(
                _normal(29, (4, 4, 4), (2, 6, 4), (2, 6, 4)), (1000.0, 1.0, 1.0)
            )
        ),
    },
    right=_grouped_right,
    oracle="torch's scaled_dot_product_attention with enable_gqa",
    steps={"share": _share} | CORE,
    sizes={"n_heads": 4, "n_kv_heads": 2, "m": 3, "n": 5, "d_k": 6, "d_v": 2},
)


# Merging two partial softmaxes.


def _triple(s):
    names = ("numerator", "total", "maximum")
    s.a = tuple(getattr(s, f"{name}_a") for name in names)
    s.b = tuple(getattr(s, f"{name}_b") for name in names)


def _maximum(s):
    s.maximum = np.maximum(s.a[2], s.b[2])


def _factors(s):
    level = np.where(np.isneginf(s.maximum), 0.0, s.maximum)
    s.factors = tuple(np.exp(side[2] - level) for side in (s.a, s.b))


def _rescale(s):
    s.for_numerator = s.for_total = s.factors


def _add(s):
    by_a, by_b = s.for_numerator
    numerator = s.a[0] * by_a + s.b[0] * by_b
    by_a, by_b = s.for_total
    s.output = numerator, s.a[1] * by_a + s.b[1] * by_b, s.maximum


def use_merge(merge_partials, *arrays):
    """Call with two triples; the case holds their six arrays."""
    got = merge_partials(arrays[:3], arrays[3:])
    if not isinstance(got, tuple | list) or len(got) != 3:
        raise Misused("the result must be a triple (numerator, total, maximum)")
    return tuple(got)


def _partial(scores, V):
    """The numerator, total and maximum of one block, in plain NumPy."""
    maximum = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(scores - np.where(np.isneginf(maximum), 0.0, maximum))
    return e @ V, e.sum(axis=-1, keepdims=True), maximum


def _blocks(seed, n_a, n_b, spread=3.0):
    """Partials of two blocks of keys."""
    scores, V = _normal(seed, (4, n_a + n_b), (n_a + n_b, 2))
    scores = scores * spread
    halves = (scores[:, :n_a], V[:n_a]), (scores[:, n_a:], V[n_a:])
    return tuple(array for half in halves for array in _partial(*half))


def _merge_partials_right(*arrays):
    """In logarithms, by torch: another way to the same sums."""
    import torch

    a, b = arrays[:3], arrays[3:]
    log_a, log_b = (torch.from_numpy(m + np.log(t)) for _, t, m in (a, b))
    log_total = torch.logaddexp(log_a, log_b)
    maximum = torch.maximum(*(torch.from_numpy(side[2]) for side in (a, b)))
    total = (log_total - maximum).exp().nan_to_num(0.0)
    shares = [(log - log_total).exp().nan_to_num(0.0) for log in (log_a, log_b)]
    means = [n / np.where(t == 0, 1, t) for n, t, _ in (a, b)]
    blended = sum(share.numpy() * mean for share, mean in zip(shares, means))
    return blended * total.numpy(), total.numpy(), maximum.numpy()


merge_partials = Exercise(
    name="merge_partials",
    label="exr-merge",
    arguments=tuple(
        f"{name}_{side}" for side in "ab" for name in ("numerator", "total", "maximum")
    ),
    cases={
        "two blocks": _blocks(30, 3, 4),
        "large": _blocks(31, 3, 4, spread=1000.0),
        "one empty": _blocks(32, 3, 0),
        "both empty": _blocks(33, 0, 0),
    },
    right=_merge_partials_right,
    oracle="torch.logaddexp",
    steps={
        "triple": _triple,
        "maximum": _maximum,
        "factors": _factors,
        "rescale": _rescale,
        "add": _add,
    },
    call=use_merge,
    parts=("numerator", "total", "maximum"),
)


EXERCISES = {
    exercise.name: exercise
    for exercise in (
        self_attention,
        difference_from_torch,
        is_equivariant,
        by_hand,
        contiguous_path,
        dilated_path,
        softmax_gradient,
        causal_mask,
        causal_self_attention,
        split_heads,
        merge_heads,
        multi_head_attention,
        rope,
        KVCache,
        grouped_query_attention,
        merge_partials,
    )
}
