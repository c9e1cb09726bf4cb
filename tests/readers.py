"""Functions as a learner writes them, and the lines that go wrong in them.

Not the catalogue's own functions, and not the solutions: another style, so
that the checker has to recognize a mistake by what comes out.
"""

import ast

from exercise.answers import answer_all
from exercise.check import check_file
from exercise.exercises import EXERCISES
from exercise.judge import judge

HEAD = "import math\nimport numpy as np\n"

RIGHT = """def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / math.sqrt(K.shape[-1])
    weights = softmax(scores)
    return weights @ V
"""

CORE = """
def softmax(x):
    top = x.max(axis=-1, keepdims=True)
    e = np.exp(x - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / total

def self_attention(X, W_q, W_k, W_v):
    n, d_model = X.shape
    Q = np.dot(X, W_q)
    K = np.dot(X, W_k)
    V = np.dot(X, W_v)
    d_k = W_k.shape[1]
    similarity = np.einsum("ik,jk->ij", Q, K)
    scaled = similarity / math.sqrt(d_k)
    weights = softmax(scaled)
    return np.einsum("ij,jd->id", weights, V)
"""

CAUSAL = CORE.replace("def self_attention", "def causal_self_attention").replace(
    "    weights = softmax(scaled)\n",
    "    past = np.tril(np.ones((n, n), dtype=bool))\n"
    "    hidden = np.where(past, scaled, -np.inf)\n"
    "    weights = softmax(hidden)\n",
)

HEADS = """
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

def split_heads(X, n_heads):
    *rest, n, d = X.shape
    size = d // n_heads
    return np.moveaxis(X.reshape(*rest, n, n_heads, size), -2, -3)

def merge_heads(X):
    *rest, h, n, size = X.shape
    return np.moveaxis(X, -3, -2).reshape(*rest, n, h * size)

def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads):
    Q = split_heads(X @ W_q, n_heads)
    K = split_heads(X @ W_k, n_heads)
    V = split_heads(X @ W_v, n_heads)
    scores = Q @ np.swapaxes(K, 1, 2) / math.sqrt(Q.shape[-1])
    heads = softmax(scores) @ V
    joined = merge_heads(heads)
    return joined @ W_o
"""

BASES = {
    "self_attention": CORE,
    "causal_self_attention": CAUSAL,
    "split_heads": HEADS,
    "merge_heads": HEADS,
    "multi_head_attention": HEADS,
    "difference_from_torch": """
def difference_from_torch(attention, Q, K, V):
    import torch
    from torch.nn.functional import scaled_dot_product_attention as sdpa
    mine = attention(Q, K, V)
    theirs = sdpa(torch.tensor(Q), torch.tensor(K), torch.tensor(V))
    gap = abs(mine - theirs.numpy())
    return float(np.max(gap))
""",
    "is_equivariant": """
def is_equivariant(f, X, order):
    permuted_first = f(X[order])
    permuted_last = f(X)[order]
    return bool(np.abs(permuted_first - permuted_last).max() < 1e-8)
""",
    "by_hand": """
def by_hand():
    scores = np.array([0, 2 * np.log(2), 2 * np.log(5)]) / 2
    e = np.exp(scores)
    weights = e / e.sum()
    return weights, [8 * weights[0] + 4 * weights[1], 4 * weights[1] + 8 * weights[2]]
""",
    "contiguous_path": """
def contiguous_path(n, k):
    layers = math.ceil((n - 1) / (k - 1))
    return max(layers, 1)
""",
    "dilated_path": """
def dilated_path(n, k):
    layers, reach = 0, 1
    while reach < n:
        reach = reach * k
        layers += 1
    return max(layers, 1)
""",
    "softmax_gradient": """
def softmax_gradient(weights, upstream):
    weighted = weights * upstream
    row = np.sum(weighted, axis=1, keepdims=True)
    return weighted - weights * row
""",
    "causal_mask": """
def causal_mask(m, n):
    mask = np.zeros((m, n), dtype=bool)
    for i in range(m):
        mask[i, : i + n - m + 1] = True
    return mask
""",
    "rope": """
def rope(X, positions, base=10000.0):
    n, d = X.shape
    out = np.zeros((n, d))
    for row, position in enumerate(positions):
        for i in range(d // 2):
            angle = position / base ** (2 * i / d)
            x, y = X[row, 2 * i], X[row, 2 * i + 1]
            out[row, 2 * i] = x * math.cos(angle) - y * math.sin(angle)
            out[row, 2 * i + 1] = x * math.sin(angle) + y * math.cos(angle)
    return out
""",
    "KVCache": """
class KVCache:
    def __init__(self):
        self.K = None

    def __len__(self):
        return self.K.shape[-2]

    def append(self, K, V):
        if self.K is None:
            self.K, self.V = K, V
        else:
            self.K = np.concatenate([self.K, K], axis=-2)
            self.V = np.concatenate([self.V, V], axis=-2)
        return self.K, self.V
""",
    "grouped_query_attention": """
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def grouped_query_attention(Q, K, V):
    group = Q.shape[0] // K.shape[0]
    heads = []
    for h in range(Q.shape[0]):
        k, v = K[h // group], V[h // group]
        heads.append(softmax(Q[h] @ k.T / math.sqrt(k.shape[-1])) @ v)
    return np.stack(heads)
""",
    "merge_partials": """
def merge_partials(a, b):
    (num_a, tot_a, max_a), (num_b, tot_b, max_b) = a, b
    top = np.maximum(max_a, max_b)
    safe = np.where(top == -np.inf, 0, top)
    scale_a = np.exp(max_a - safe)
    scale_b = np.exp(max_b - safe)
    num = num_a * scale_a + num_b * scale_b
    tot = tot_a * scale_a + tot_b * scale_b
    return num, tot, top
""",
}

GAP = "np.abs(permuted_first - permuted_last).max() < 1e-8"
LEFT = "def __init__(self):\n        self.K = None"
ROWS = "return self.K.shape[-2]"
EXP = "    e = np.exp(x - top)\n"
BLEND = 'return np.einsum("ij,jd->id", weights, V)'
MASK = "hidden = np.where(past, scaled, -np.inf)"
SPLIT = "return np.moveaxis(X.reshape(*rest, n, n_heads, size), -2, -3)"
MERGE = "return np.moveaxis(X, -3, -2).reshape(*rest, n, h * size)"
RETURN_CACHE = "return self.K, self.V"
SUM = "row = np.sum(weighted, axis=1, keepdims=True)"
GRADIENT = "return weighted - weights * row"
FILL = "mask[i, : i + n - m + 1] = True"
COS = "out[row, 2 * i] = x * math.cos(angle) - y * math.sin(angle)"
SIN = "out[row, 2 * i + 1] = x * math.sin(angle) + y * math.cos(angle)"
PAIR = "x, y = X[row, 2 * i], X[row, 2 * i + 1]"
ANGLE = "angle = position / base ** (2 * i / d)"
NUM = "num = num_a * scale_a + num_b * scale_b"
TOT = "tot = tot_a * scale_a + tot_b * scale_b"

# exercise -> mistake -> lines as they should be, each with the line as written.
WRONG = {
    "self_attention": {
        "keys_projected_by_W_q": {"np.dot(X, W_k)": "np.dot(X, W_q)"},
        "queries_projected_by_W_k": {"np.dot(X, W_q)": "np.dot(X, W_k)"},
        "values_not_projected": {"np.dot(X, W_v)": "X"},
        "keys_in_place_of_values": {BLEND: "return weights @ K"},
        "queries_in_place_of_values": {BLEND: "return weights @ Q"},
        "no_projections": {
            "np.dot(X, W_q)": "X.copy()",
            "np.dot(X, W_k)": "X.copy()",
            "np.dot(X, W_v)": "X.copy()",
            "W_k.shape[1]": "K.shape[1]",
        },
        "transposed_projections": {
            "np.dot(X, W_q)": "np.dot(X, W_q.T)",
            "np.dot(X, W_k)": "np.dot(X, W_k.T)",
            "np.dot(X, W_v)": "np.dot(X, W_v.T)",
        },
        "scores_transposed": {"ik,jk->ij": "ik,jk->ji"},
        "keys_not_transposed": {'np.einsum("ik,jk->ij", Q, K)': "Q.dot(K)"},
        "features_by_features": {'np.einsum("ik,jk->ij", Q, K)': "Q.T.dot(K)"},
        "cosine_similarity": {
            'np.einsum("ik,jk->ij", Q, K)': "Q @ K.T / np.outer("
            "np.sqrt((Q**2).sum(1)), np.sqrt((K**2).sum(1)))"
        },
        "distances_as_scores": {
            'np.einsum("ik,jk->ij", Q, K)': "np.sqrt(((Q[:, None] - K) ** 2).sum(-1))"
        },
        "scores_negated": {"softmax(scaled)": "softmax(-scaled)"},
        "unscaled": {"similarity / math.sqrt(d_k)": "similarity"},
        "scaled_by_d_model": {"math.sqrt(d_k)": "math.sqrt(d_model)"},
        "scaled_by_d_k_itself": {"math.sqrt(d_k)": "d_k"},
        "scaled_up": {"/ math.sqrt(d_k)": "* math.sqrt(d_k)"},
        "scaled_by_n": {"math.sqrt(d_k)": "math.sqrt(len(X))"},
        "scaled_by_d_v": {"math.sqrt(d_k)": "math.sqrt(V.shape[1])"},
        "scaled_after_the_softmax": {
            "softmax(scaled)": "softmax(similarity) / math.sqrt(d_k)"
        },
        "softmax_over_columns": {
            "x.max(axis=-1, keepdims=True)": "x.max(axis=0)",
            "e.sum(axis=-1, keepdims=True)": "e.sum(axis=0)",
        },
        "softmax_over_everything": {
            "e.sum(axis=-1, keepdims=True)": "e.sum()",
        },
        "maximum_not_subtracted": {"np.exp(x - top)": "np.exp(x)"},
        "global_maximum_subtracted": {"x.max(axis=-1, keepdims=True)": "np.max(x)"},
        "no_softmax": {"softmax(scaled)": "scaled"},
        "not_normalized": {"return e / total": "return e"},
        "neither_shifted_nor_normalized": {"softmax(scaled)": "np.exp(scaled)"},
        "no_exponential": {EXP: "    e = x\n"},
        "sum_without_keepdims": {"e.sum(axis=-1, keepdims=True)": "np.sum(e, axis=1)"},
        "maximum_without_keepdims": {
            "x.max(axis=-1, keepdims=True)": "np.max(x, axis=1)"
        },
        "softmax_twice": {"weights, V)": "softmax(weights), V)"},
        "logarithm_of_the_softmax": {"return e / total": "return np.log(e / total)"},
        "best_key_only": {
            "softmax(scaled)": "1.0 * (scaled == np.max(scaled, axis=1)[:, None])"
        },
        "base_two": {"np.exp(x - top)": "2 ** (x - top)"},
        "weights_transposed": {"ij,jd->id": "ji,jd->id"},
        "weights_returned": {BLEND: "return weights"},
        "scores_returned": {BLEND: "return scaled"},
        "elementwise_blend": {BLEND: "return weights * V"},
        "residual_added": {BLEND: "return X + weights @ V"},
        "outputs_summed": {"ij,jd->id": "ij,jd->d"},
        "outputs_averaged": {BLEND: "return np.mean(weights @ V, axis=0)"},
    },
    "causal_self_attention": {
        "mask_forgotten": {"softmax(hidden)": "softmax(scaled)"},
        "mask_inverted": {MASK: "hidden = np.where(past, -np.inf, scaled)"},
        "upper_triangle_kept": {"np.tril": "np.triu"},
        "token_hidden_from_itself": {"dtype=bool))": "dtype=bool), k=-1)"},
        "one_token_ahead": {"dtype=bool))": "dtype=bool), k=1)"},
        "masked_scores_zero": {MASK: "hidden = scaled * past"},
        "mask_added": {MASK: "hidden = scaled + past.astype(float)"},
        "zero_times_infinity": {MASK: "hidden = scaled + -np.inf * ~past"},
        "masked_after_the_softmax": {
            "softmax(hidden)": "np.tril(softmax(scaled))",
        },
        "filled_with_minus_one": {"-np.inf": "-1"},
    },
    "causal_mask": {
        "aligned_top_left": {FILL: "mask[i, : i + 1] = True"},
        "aligned_the_wrong_way": {FILL: "mask[i, : max(0, i + m - n + 1)] = True"},
        "true_where_hidden": {"return mask": "return ~mask"},
        "diagonal_left_out": {FILL: "mask[i, : i + n - m] = True"},
        "one_key_ahead": {FILL: "mask[i, : i + n - m + 2] = True"},
        "upper_triangle": {FILL: "mask[i, i + n - m :] = True"},
        "additive_mask": {"return mask": "return np.log(mask)"},
        "numbers_for_booleans": {"dtype=bool": "dtype=int"},
        "mask_transposed": {"return mask": "return mask.transpose()"},
    },
    "split_heads": {
        "split_by_reshape_alone": {SPLIT: "return X.reshape(*rest, n_heads, n, size)"},
        "every_other_feature": {
            SPLIT: "return np.stack([X[..., h::n_heads] for h in range(n_heads)], -3)"
        },
        "heads_not_moved": {SPLIT: "return X.reshape(*rest, n, n_heads, size)"},
        "n_heads_for_d_head": {
            "size = d // n_heads": "size, n_heads = n_heads, d // n_heads"
        },
    },
    "merge_heads": {
        "merged_by_reshape_alone": {MERGE: "return X.reshape(*rest, n, -1)"},
        "features_interleaved": {
            MERGE: "return np.moveaxis(X, -3, -1).reshape(*rest, n, -1)"
        },
        "heads_averaged": {MERGE: "return np.mean(X, axis=-3)"},
        "heads_added": {MERGE: "return sum(X[..., i, :, :] for i in range(h))"},
        "heads_one_below_the_other": {MERGE: "return X.reshape(*rest, h * n, size)"},
    },
    "multi_head_attention": {
        "heads_not_mixed": {"joined @ W_o": "joined"},
        "transposed_W_o": {"joined @ W_o": "joined @ W_o.T"},
        "single_head": {
            "joined @ W_o": "multi_head_attention(X, W_q, W_k, W_v, W_o, 1)"
            " if n_heads > 1 else joined @ W_o"
        },
        "softmax_over_heads": {"softmax(scores)": "softmax(scores, axis=0)"},
        "unscaled": {" / math.sqrt(Q.shape[-1])": ""},
        "scaled_by_d_model": {"math.sqrt(Q.shape[-1])": "X.shape[1] ** 0.5"},
        "merged_by_reshape_alone": {"merge_heads(heads)": "heads.reshape(len(X), -1)"},
        "split_by_reshape_alone": {SPLIT: "return X.reshape(n_heads, n, size)"},
    },
    "difference_from_torch": {
        "mean_difference": {"np.max(gap)": "np.mean(gap)"},
        "summed_difference": {"np.max(gap)": "np.sum(gap)"},
        "sign_kept": {"abs(mine - theirs.numpy())": "mine - theirs.numpy()"},
        "compared_with_itself": {"theirs.numpy()": "mine"},
        "yes_or_no": {"float(np.max(gap))": "np.allclose(mine, theirs)"},
        "squared_difference": {
            "abs(mine - theirs.numpy())": "np.square(mine - theirs.numpy())"
        },
    },
    "is_equivariant": {
        "invariance_tested": {"f(X)[order]": "f(X)"},
        "order_applied_backwards": {"f(X)[order]": "f(X)[np.argsort(order)]"},
        "exact_comparison": {GAP: "(permuted_first == permuted_last).all()"},
        "shapes_compared": {GAP: "len(permuted_first) == len(permuted_last)"},
        "one_boolean_an_element": {
            f"bool({GAP})": "np.isclose(permuted_first, permuted_last, atol=1e-8)"
        },
    },
    "by_hand": {
        "unscaled": {"np.log(5)]) / 2": "np.log(5)])"},
        "neither_shifted_nor_normalized": {"e / e.sum()": "e"},
    },
    "contiguous_path": {
        "layers_rounded_down": {"math.ceil((n - 1) / (k - 1))": "(n - 1) // (k - 1)"},
        "k_positions_a_layer": {"math.ceil((n - 1) / (k - 1))": "math.ceil(n / k)"},
        "fence_post": {"(n - 1) / (k - 1)": "n / (k - 1)"},
        "dilated_where_contiguous": {
            "math.ceil((n - 1) / (k - 1))": "next(i for i in range(99) if k**i >= n)"
        },
        "centered_window": {"(n - 1) / (k - 1)": "2 * (n - 1) / (k - 1)"},
        "no_layer_for_one_token": {"max(layers, 1)": "layers"},
    },
    "dilated_path": {
        "float_logarithm": {"max(layers, 1)": "max(1, math.ceil(math.log(n, k)))"},
        "logarithm_rounded_down": {"reach < n:": "reach * k <= n:"},
        "doubled_whatever_k": {"reach * k": "reach * 2"},
        "contiguous_where_dilated": {"reach * k": "reach + k - 1"},
        "no_dilated_layer_for_one_token": {"max(layers, 1)": "layers"},
        "one_layer_too_many": {"reach < n:": "reach <= n and n > 1:"},
    },
    "softmax_gradient": {
        "diagonal_only": {GRADIENT: "return weights * (1 - weights) * upstream"},
        "coupling_forgotten": {GRADIENT: "return weighted"},
        "summed_over_everything": {SUM: "row = weighted.sum()"},
        "summed_over_columns": {SUM: "row = np.sum(weighted, axis=0)"},
        "gathered_without_keepdims": {SUM: "row = np.sum(weighted, axis=1)"},
        "upstream_not_weighted": {SUM: "row = np.sum(upstream, axis=1, keepdims=True)"},
        "weights_missing_in_front": {GRADIENT: "return upstream - row"},
        "gradient_negated": {GRADIENT: "return weights * row - weighted"},
    },
    "rope": {
        "positions_from_one": {ANGLE: "angle = (1 + position) / base ** (2 * i / d)"},
        "positions_ignored": {ANGLE: "angle = row / base ** (2 * i / d)"},
        "rates_too_close": {ANGLE: "angle = position / base ** (i / d)"},
        "rates_too_far": {ANGLE: "angle = position / base ** (2 * (2 * i) / d)"},
        "rates_growing": {ANGLE: "angle = position * base ** (2 * i / d)"},
        "one_rate_for_all": {ANGLE: "angle = position"},
        "halves_paired": {
            PAIR: "x, y = X[row, i], X[row, i + d // 2]",
            "out[row, 2 * i] =": "out[row, i] =",
            "out[row, 2 * i + 1] =": "out[row, i + d // 2] =",
        },
        "pairs_not_interleaved": {
            "out[row, 2 * i] =": "out[row, i] =",
            "out[row, 2 * i + 1] =": "out[row, i + d // 2] =",
        },
        "turned_backwards": {ANGLE: "angle = -position / base ** (2 * i / d)"},
        "both_signs_plus": {COS: COS.replace("-", "+")},
        "sine_and_cosine_exchanged": {
            ANGLE: ANGLE + "\n            cos, sin = math.sin, math.cos",
            COS: COS.replace("math.", ""),
            SIN: SIN.replace("math.", ""),
        },
        "waves_added": {
            COS: "out[row, 2 * i] = x + math.sin(angle)",
            SIN: "out[row, 2 * i + 1] = y + math.cos(angle)",
        },
    },
    "KVCache": {
        "new_rows_only": {RETURN_CACHE: "return K, V"},
        "old_rows_only": {
            RETURN_CACHE: "t = -K.shape[-2]\n"
            "        return self.K[..., :t, :], self.V[..., :t, :]"
        },
        "new_rows_first": {"[self.K, K]": "[K, self.K]", "[self.V, V]": "[V, self.V]"},
        "joined_on_axis_0": {
            "[self.K, K], axis=-2": "[self.K, K]",
            "[self.V, V], axis=-2": "[self.V, V]",
            ROWS: "return self.n",
            RETURN_CACHE: "self.n = getattr(self, 'n', 0) + K.shape[-2]\n"
            "        return self.K, self.V",
        },
        "values_before_keys": {RETURN_CACHE: "return self.V, self.K"},
        "calls_counted": {
            ROWS: "return self.n",
            RETURN_CACHE: "self.n = getattr(self, 'n', 0) + 1\n"
            "        return self.K, self.V",
        },
        "store_shared": {  # a default argument is made once
            LEFT: "def __init__(self, parts=[]):\n        self.parts = parts",
            ROWS: "return sum(K.shape[-2] for K, V in self.parts)",
            "if self.K is None:\n": "self.parts.append((K, V))\n        if 1:\n",
            "self.K, self.V = K, V": "self.K, self.V = (np.concatenate(p, axis=-2)"
            " for p in zip(*self.parts))",
        },
        "store_shared, in the class": {
            LEFT: "K = None",
            "self.K": "KVCache.K",
            "self.V": "KVCache.V",
        },
    },
    "grouped_query_attention": {
        "heads_tiled": {"h // group": "h % K.shape[0]"},
        "first_head_for_all": {"h // group": "0"},
        "shared_heads_averaged": {
            "K[h // group], V[h // group]": "K.mean(axis=0), V.mean(axis=0)"
        },
    },
    "merge_partials": {
        "nothing_rescaled": {
            NUM: "num = num_a + num_b",
            TOT: "tot = tot_a + tot_b",
        },
        "only_the_total_rescaled": {NUM: "num = num_a + num_b"},
        "only_the_numerator_rescaled": {TOT: "tot = tot_a + tot_b"},
        "only_one_side_rescaled": {"np.exp(max_b - safe)": "1"},
        "factors_exchanged": {
            NUM: "num = num_a * scale_b + num_b * scale_a",
            TOT: "tot = tot_a * scale_b + tot_b * scale_a",
        },
        "maxima_added": {"np.maximum(max_a, max_b)": "max_a + max_b"},
        "empty_side_gives_nan": {"np.where(top == -np.inf, 0, top)": "top"},
        "factors_upside_down": {
            "max_a - safe": "safe - max_a",
            "max_b - safe": "safe - max_b",
        },
    },
}


def written(exercise, edits):
    """The source of the learner's file with some lines written otherwise."""
    source = HEAD + BASES[exercise].lstrip()
    for right, wrong in edits.items():
        assert right in source, f"{exercise}: no {right!r}"
        source = source.replace(right, wrong)
    ast.parse(source)
    return source


def defined(name, source):
    """The function of this name that `source` defines."""
    names = {"__name__": "my_attention"}
    exec(compile(source, "my_attention.py", "exec"), names)
    return names[name]


def verdict_on(name, source):
    """The checker's verdict on a function in `source`, in this process."""
    exercise = EXERCISES[name]
    return judge(exercise, answer_all(exercise, defined(name, source)))


def check_text(tmp_path, source, seconds=20.0):
    """What the checker says of a file with this source, and whether all is right."""
    file = tmp_path / "my_attention.py"
    file.write_text(source, encoding="utf-8", errors="surrogateescape")
    return check_file(file, seconds=seconds)
