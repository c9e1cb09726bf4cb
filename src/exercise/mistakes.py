"""The catalogue: what goes wrong in attention, each mistake a small function.

An exercise computes its result in named steps on a state `s` (`exercises.py`).
A mistake is a wrong version of one step, sometimes of two: it is put in the
step's place, and what comes out is the mistake's fingerprint. Two mistakes in
different steps combine by themselves. The function's name is the mistake's
name, its docstring tells the learner what happened, `change` what to change.
"""

import math
from dataclasses import dataclass

import numpy as np

MISTAKES = []


@dataclass(frozen=True)
class Mistake:
    """A wrong version of some steps, and what to say to whoever wrote it."""

    name: str
    steps: dict
    section: str
    what: str
    change: str


def mistake(step, section, change, drops=None):
    """Enter the decorated function into the catalogue as a wrong `step`.

    `drops` names a step that is left out as well: the wrong one does its work
    at the wrong time.
    """

    def enter(function):
        steps = {step: function}
        if drops:
            steps[drops] = _nothing
        what = " ".join(function.__doc__.split())
        MISTAKES.append(Mistake(function.__name__, steps, section, what, change))
        return function

    return enter


def _nothing(s):
    """Leave the state as it is."""


def _exp(scores, axis=-1):
    """Exponentials, the largest along the axis 1."""
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


def _softmax(scores, axis=-1):
    """The right softmax."""
    e = _exp(scores, axis)
    return e / e.sum(axis=axis, keepdims=True)


# Projections: X to queries, keys and values.


@mistake("project", "sec-core", "Write K = X @ W_k.")
def keys_projected_by_W_q(s):
    """The keys are made with W_q, so every token asks and answers alike and
    W_k is never learned."""
    s.Q, s.K, s.V = s.X @ s.W_q, s.X @ s.W_q, s.X @ s.W_v


@mistake("project", "sec-core", "Write Q = X @ W_q.")
def queries_projected_by_W_k(s):
    """The queries are made with W_k, so every token asks and answers alike and
    W_q is never learned."""
    s.Q, s.K, s.V = s.X @ s.W_k, s.X @ s.W_k, s.X @ s.W_v


@mistake("project", "sec-core", "Write V = X @ W_v before the values are blended.")
def values_not_projected(s):
    """The output blends the rows of X themselves: W_v has no part in it."""
    s.Q, s.K, s.V = s.X @ s.W_q, s.X @ s.W_k, s.X


@mistake("project", "sec-core", "Blend V = X @ W_v, not the keys: weights @ V.")
def keys_in_place_of_values(s):
    """The output blends the keys, so what a token offers is what it is found
    by."""
    s.Q, s.K, s.V = s.X @ s.W_q, s.X @ s.W_k, s.X @ s.W_k


@mistake("project", "sec-core", "Blend V = X @ W_v, not the queries: weights @ V.")
def queries_in_place_of_values(s):
    """The output blends the queries, so a token passes on what it asks for."""
    s.Q, s.K, s.V = s.X @ s.W_q, s.X @ s.W_k, s.X @ s.W_q


@mistake("project", "sec-core", "Multiply by the matrices: X @ W_q, X @ W_k, X @ W_v.")
def no_projections(s):
    """X itself serves as queries, keys and values, so the three matrices have
    no part in the result."""
    s.Q = s.K = s.V = s.X


@mistake("project", "sec-core", "Write X @ W_q, with no .T, and the same for K and V.")
def transposed_projections(s):
    """The matrices are transposed before use, as torch's Linear stores them;
    here W_q is (d_model, d_k) already."""
    s.Q, s.K, s.V = s.X @ s.W_q.T, s.X @ s.W_k.T, s.X @ s.W_v.T


# Scores: one for each query and key.


@mistake(
    "similarity",
    "sec-core",
    "Write scores = Q @ K.T, so that row i holds query i's scores.",
)
def scores_transposed(s):
    """Queries and keys have changed places, so row i holds what the others
    think of token i, and the softmax runs over the queries."""
    s.scores = s.K @ s.Q.swapaxes(-1, -2)


@mistake("similarity", "sec-core", "Transpose the keys: Q @ K.T, (n, d_k) by (d_k, n).")
def keys_not_transposed(s):
    """The product is Q @ K: it pairs features of the query with tokens, and
    runs at all only because n equals d_k."""
    s.scores = s.Q @ s.K


@mistake("similarity", "sec-core", "Transpose the keys, not the queries: Q @ K.T.")
def features_by_features(s):
    """The product is Q.T @ K: it compares features over all tokens, and gives
    (d_k, d_k) where (n, n) is wanted."""
    s.scores = s.Q.swapaxes(-1, -2) @ s.K


@mistake(
    "similarity", "sec-core", "Leave the lengths in: the score is the plain product."
)
def cosine_similarity(s):
    """The queries and keys are brought to length one, so the score is a cosine
    and no weight can become sharp."""
    Q = s.Q / np.linalg.norm(s.Q, axis=-1, keepdims=True)
    K = s.K / np.linalg.norm(s.K, axis=-1, keepdims=True)
    s.scores = Q @ K.swapaxes(-1, -2)


@mistake("similarity", "sec-core", "Use the product Q @ K.T, large where they agree.")
def distances_as_scores(s):
    """The scores are distances, so the most similar key gets the least
    weight."""
    s.scores = np.linalg.norm(s.Q[..., :, None, :] - s.K[..., None, :, :], axis=-1)


@mistake("similarity", "sec-core", "Take the minus sign away: softmax(scores).")
def scores_negated(s):
    """The scores have the wrong sign, so each query attends most to what fits
    it least."""
    s.scores = -(s.Q @ s.K.swapaxes(-1, -2))


# The scale.

SCALE = "Divide Q @ K.T by math.sqrt(d_k) once, d_k being the last size of K."


@mistake("scale", "sec-why", SCALE)
def unscaled(s):
    """The scores are not divided by sqrt(d_k), so they spread with d_k and push
    the softmax to where its gradient is small."""


@mistake("scale", "sec-why", SCALE)
def scaled_by_d_model(s):
    """The scores are divided by sqrt(d_model) instead of sqrt(d_k), which makes
    the weights too flat."""
    s.scores = s.scores / math.sqrt(s.X.shape[-1])


@mistake("scale", "sec-why", SCALE)
def scaled_by_d_k_itself(s):
    """The scores are divided by d_k: the square root is missing, or the scale
    is applied twice."""
    s.scores = s.scores / s.K.shape[-1]


@mistake("scale", "sec-why", SCALE)
def scaled_up(s):
    """The scores are multiplied by sqrt(d_k), which makes the weights nearly
    one-hot."""
    s.scores = s.scores * math.sqrt(s.K.shape[-1])


@mistake("scale", "sec-why", SCALE)
def scaled_by_n(s):
    """The scores are divided by the root of the number of tokens, so the same
    pair weighs differently in a longer sequence."""
    s.scores = s.scores / math.sqrt(s.K.shape[-2])


@mistake("scale", "sec-why", SCALE)
def scaled_by_d_v(s):
    """The scores are divided by sqrt(d_v), the size of the values; what spreads
    the scores is the size of the keys."""
    s.scores = s.scores / math.sqrt(s.V.shape[-1])


@mistake("softmax", "sec-why", "Divide the scores, before the softmax.", drops="scale")
def scaled_after_the_softmax(s):
    """The weights are divided by sqrt(d_k) instead of the scores, so no row
    sums to one."""
    s.weights = _softmax(s.scores) / math.sqrt(s.K.shape[-1])


# The softmax.


@mistake("softmax", "sec-why", "Use axis=-1 with keepdims=True in both max and sum.")
def softmax_over_columns(s):
    """The softmax runs down the columns, so each key hands out its weight among
    the queries, and the rows do not sum to one."""
    s.weights = _softmax(s.scores, axis=-2)


@mistake("softmax", "sec-why", "Sum over axis=-1 with keepdims=True.")
def softmax_over_everything(s):
    """The sum goes over the whole matrix: all the weights together sum to one,
    and not those of each query."""
    s.weights = _exp(s.scores) / _exp(s.scores).sum()


@mistake(
    "softmax", "sec-why", "Subtract scores.max(axis=-1, keepdims=True) before np.exp."
)
def maximum_not_subtracted(s):
    """np.exp is taken of the raw scores: right on small ones, but above 709 it
    overflows, and the result is NaN."""
    e = np.exp(s.scores)
    s.weights = e / e.sum(axis=-1, keepdims=True)


@mistake("softmax", "sec-why", "Take each row's own: max(axis=-1, keepdims=True).")
def global_maximum_subtracted(s):
    """The maximum of the whole matrix is subtracted from every row, so a row far
    below it becomes 0 / 0, which is NaN."""
    e = np.exp(s.scores - s.scores.max())
    s.weights = e / e.sum(axis=-1, keepdims=True)


@mistake("softmax", "sec-core", "Write weights = softmax(scores, axis=-1).")
def no_softmax(s):
    """The scores are used as the weights: they can be negative, and no row sums
    to one."""
    s.weights = s.scores


@mistake("softmax", "sec-why", "Divide by e.sum(axis=-1, keepdims=True).")
def not_normalized(s):
    """The exponentials are not divided by their sum, so the rows do not sum to
    one."""
    s.weights = _exp(s.scores)


@mistake("softmax", "sec-why", "Divide by e.sum(axis=-1, keepdims=True).")
def neither_shifted_nor_normalized(s):
    """The weights are np.exp(scores) and nothing more: they do not sum to one,
    and large scores overflow."""
    s.weights = np.exp(s.scores)


@mistake("softmax", "sec-why", "Take np.exp of the scores before dividing by the sum.")
def no_exponential(s):
    """The scores are divided by their sum without np.exp, so weights can be
    negative, and a sum near zero blows them up."""
    s.weights = s.scores / s.scores.sum(axis=-1, keepdims=True)


@mistake("softmax", "sec-why", "Write e.sum(axis=-1, keepdims=True).")
def sum_without_keepdims(s):
    """The sums are (n,), not (n, 1), so broadcasting divides column j by the
    sum of row j, without an error."""
    e = _exp(s.scores)
    s.weights = e / e.sum(axis=-1)


@mistake("softmax", "sec-why", "Write scores.max(axis=-1, keepdims=True).")
def maximum_without_keepdims(s):
    """The maxima are (n,), not (n, 1), so broadcasting subtracts the maximum of
    row j from column j, which changes the weights."""
    e = np.exp(s.scores - s.scores.max(axis=-1))
    s.weights = e / e.sum(axis=-1, keepdims=True)


@mistake("softmax", "sec-core", "Apply the softmax once, to the scores.")
def softmax_twice(s):
    """The softmax is applied to its own result, which makes the weights nearly
    equal."""
    s.weights = _softmax(_softmax(s.scores))


@mistake("softmax", "sec-core", "Use the weights themselves: no logarithm after them.")
def logarithm_of_the_softmax(s):
    """The weights are the logarithms of the softmax, all negative."""
    s.weights = np.log(_softmax(s.scores))


@mistake("softmax", "sec-core", "Use softmax, which spreads the weight over the keys.")
def best_key_only(s):
    """Each query takes its best key alone: an argmax, through which no gradient
    flows to the scores."""
    s.weights = np.eye(s.scores.shape[-1])[s.scores.argmax(axis=-1)]


@mistake("softmax", "sec-core", "Use np.exp, to the base e.")
def base_two(s):
    """The powers are taken of 2 instead of e, which scales all scores by
    ln 2."""
    s.weights = _softmax(s.scores * math.log(2))


# The blend.


@mistake("blend", "sec-core", "Write weights @ V: row i of the weights blends for i.")
def weights_transposed(s):
    """The weights are transposed before the values are blended, so token i
    collects by how much the others attend to it."""
    s.output = s.weights.swapaxes(-1, -2) @ s.V


@mistake("blend", "sec-core", "Return weights @ V.")
def weights_returned(s):
    """The weights come back, (n, n): the values have not been blended."""
    s.output = s.weights


@mistake("blend", "sec-core", "Go on: softmax the scores, then return weights @ V.")
def scores_returned(s):
    """The scores come back, (n, n): the softmax and the values are missing."""
    s.output = s.scores


@mistake("blend", "sec-core", "Use the matrix product: weights @ V.")
def elementwise_blend(s):
    """The weights are multiplied with V element by element, where a product of
    matrices is wanted."""
    s.output = s.weights * s.V


@mistake("blend", "sec-core", "Return weights @ V alone; the block adds X later.")
def residual_added(s):
    """X is added to the output: that residual connection belongs to the block
    around attention, not to attention."""
    s.output = s.weights @ s.V + s.X


@mistake("blend", "sec-core", "Return weights @ V, a row for each token.")
def outputs_summed(s):
    """The outputs of all tokens are added up, where each token keeps its own
    row."""
    s.output = (s.weights @ s.V).sum(axis=-2)


@mistake("blend", "sec-core", "Return weights @ V, a row for each token.")
def outputs_averaged(s):
    """The outputs of all tokens are averaged, where each token keeps its own
    row."""
    s.output = (s.weights @ s.V).mean(axis=-2)


# The causal mask inside attention.

FILL = "Fill with -inf before the softmax: np.where(mask, scores, -np.inf)."


def _allowed(s, k=0):
    """Which keys each query may attend to, k positions ahead included."""
    return np.tri(s.scores.shape[-2], k=k, dtype=bool)


@mistake("mask", "sec-masks", FILL)
def mask_forgotten(s):
    """Nothing is masked: every token attends to those after it as well."""


@mistake("mask", "sec-masks", "True means may attend: keep the scores where it is.")
def mask_inverted(s):
    """The mask is the wrong way round: the past and the token itself are hidden,
    the future is seen."""
    s.scores = np.where(_allowed(s), -np.inf, s.scores)


@mistake("mask", "sec-masks", "Keep the lower triangle: key j with j <= i.")
def upper_triangle_kept(s):
    """The upper triangle is kept, so each token attends to itself and to those
    after it."""
    s.scores = np.where(_allowed(s).T, s.scores, -np.inf)


@mistake("mask", "sec-masks", "Keep the diagonal: key j with j <= i.")
def token_hidden_from_itself(s):
    """The mask leaves out the diagonal, so no token sees itself and the first
    has nothing to attend to."""
    s.scores = np.where(_allowed(s, -1), s.scores, -np.inf)


@mistake("mask", "sec-masks", "Stop at the diagonal: key j with j <= i.")
def one_token_ahead(s):
    """The mask is one off: each token sees the next one, which is what it has to
    predict."""
    s.scores = np.where(_allowed(s, 1), s.scores, -np.inf)


@mistake("mask", "sec-masks", FILL)
def masked_scores_zero(s):
    """The masked scores are zero (or close to it), and zero is a score like any
    other: e to the 0 is 1, so the future keeps weight."""
    s.scores = np.where(_allowed(s), s.scores, 0)


@mistake("mask", "sec-masks", FILL)
def mask_added(s):
    """The mask is added to the scores as 1 and 0, which makes the past a little
    likelier and hides nothing."""
    s.scores = s.scores + _allowed(s)


@mistake("mask", "sec-masks", FILL)
def zero_times_infinity(s):
    """The mask is multiplied with -inf, and 0 * -inf is NaN: so are the scores
    that should stay."""
    s.scores = s.scores + (1 - _allowed(s)) * -np.inf


@mistake("softmax", "sec-masks", FILL, drops="mask")
def masked_after_the_softmax(s):
    """The weights are masked after the softmax and not brought back to the sum
    one, so the early tokens lose most of theirs."""
    s.weights = _softmax(s.scores) * _allowed(s)


@mistake("mask", "sec-masks", "Fill with -np.inf.")
def filled_with_minus_one(s):
    """The masked scores are -1, which is a score like any other, so the future
    keeps weight."""
    s.scores = np.where(_allowed(s), s.scores, -1)


# causal_mask(m, n): `last` is the last key that each query may attend to.


@mistake("align", "sec-masks", "Let query i see the keys up to i + n - m.")
def aligned_top_left(s):
    """The mask starts in the top left corner, as torch's is_causal does, so with
    a cache the newest query sees the oldest key alone."""
    s.last = np.arange(s.m)[:, None]


@mistake("align", "sec-masks", "Let query i see the keys up to i + n - m.")
def aligned_the_wrong_way(s):
    """The shift has the wrong sign: with more keys than queries the queries see
    fewer keys, not more."""
    s.last = np.arange(s.m)[:, None] + s.m - s.n


@mistake("compare", "sec-masks", "True means may attend: j <= i + n - m.")
def true_where_hidden(s):
    """True marks what is hidden, as in torch's MultiheadAttention; here True
    means may attend."""
    s.output = np.arange(s.n) > s.last


@mistake("compare", "sec-masks", "Include the query's own key: <=, not <.")
def diagonal_left_out(s):
    """The mask leaves out the diagonal, so no token sees itself."""
    s.output = np.arange(s.n) < s.last


@mistake("compare", "sec-masks", "Stop at the query's own key: j <= i + n - m.")
def one_key_ahead(s):
    """The mask is one off: each query sees the key after its own."""
    s.output = np.arange(s.n) <= s.last + 1


@mistake("compare", "sec-masks", "Keep the lower triangle: j <= i + n - m.")
def upper_triangle(s):
    """The mask is an upper triangle: each query sees its own key and those after
    it."""
    s.output = np.arange(s.n) >= s.last


@mistake("type", "sec-masks", "Return booleans, True where the query may attend.")
def additive_mask(s):
    """The mask holds 0 and -inf, made to be added to the scores; here a mask is
    boolean."""
    s.output = np.where(s.output, 0.0, -np.inf)


@mistake("type", "sec-masks", "Make it boolean: dtype=bool.")
def numbers_for_booleans(s):
    """The mask holds the numbers 1 and 0, which a function that adds its mask
    misreads without an error."""
    s.output = s.output.astype(float)


@mistake("type", "sec-masks", "Give the mask a row for each query: shape (m, n).")
def mask_transposed(s):
    """The mask is (n, m): a row for each key instead of each query."""
    s.output = s.output.T


# Heads.


def _sizes(s, X):
    """Batch sizes, tokens, heads and features of a head."""
    *batch, n, d_model = X.shape
    return batch, n, s.n_heads, d_model // s.n_heads


@mistake(
    "split",
    "sec-heads",
    "Reshape to (n, n_heads, d_head), then swap the first two of these axes.",
)
def split_by_reshape_alone(s):
    """Reshape alone cuts the rows and not the features: a head gets all features
    of some tokens."""

    def split(X):
        batch, n, h, d = _sizes(s, X)
        return X.reshape(*batch, h, n, d)

    s.split = split


@mistake(
    "split", "sec-heads", "Give each head consecutive features: (n_heads, d_head)."
)
def every_other_feature(s):
    """A head gets every n_heads-th feature: the last axis is cut into (d_head,
    n_heads), the wrong way round."""

    def split(X):
        batch, n, h, d = _sizes(s, X)
        return np.moveaxis(X.reshape(*batch, n, d, h), -1, -3)

    s.split = split


@mistake("split", "sec-heads", "Swap the axes, so that (n, d_head) come last.")
def heads_not_moved(s):
    """The heads stay behind the tokens, (n, n_heads, d_head), so attention would
    compare the heads of one token."""

    def split(X):
        batch, n, h, d = _sizes(s, X)
        return X.reshape(*batch, n, h, d)

    s.split = split


@mistake("split", "sec-heads", "Make n_heads heads of d_model // n_heads features.")
def n_heads_for_d_head(s):
    """n_heads is taken for the size of a head, so there are d_model / n_heads
    heads of n_heads features."""

    def split(X):
        batch, n, h, d = _sizes(s, X)
        return np.swapaxes(X.reshape(*batch, n, d, h), -2, -3)

    s.split = split


@mistake("merge", "sec-heads", "Swap the heads back behind the tokens, then reshape.")
def merged_by_reshape_alone(s):
    """The heads are not swapped back before the reshape, so rows of different
    tokens are mixed."""

    def merge(X):
        *batch, h, n, d = X.shape
        return X.reshape(*batch, n, h * d)

    s.merge = merge


@mistake("merge", "sec-heads", "Put the heads' features side by side: (n, h * d_head).")
def features_interleaved(s):
    """The features of the heads alternate, where those of one head should stay
    together."""

    def merge(X):
        *batch, h, n, d = X.shape
        return np.moveaxis(X, -3, -1).reshape(*batch, n, h * d)

    s.merge = merge


@mistake("merge", "sec-heads", "Put the heads' features side by side: (n, h * d_head).")
def heads_averaged(s):
    """The heads are averaged, so they can no longer say different things."""
    s.merge = lambda X: X.mean(axis=-3)


@mistake("merge", "sec-heads", "Put the heads' features side by side: (n, h * d_head).")
def heads_added(s):
    """The heads are added up, so they can no longer say different things."""
    s.merge = lambda X: X.sum(axis=-3)


@mistake("merge", "sec-heads", "Join the heads on the last axis, the features.")
def heads_one_below_the_other(s):
    """The heads are joined on the axis of the tokens, which gives n_heads * n
    rows."""
    s.merge = lambda X: np.concatenate(list(np.moveaxis(X, -3, 0)), axis=-2)


@mistake("mix", "sec-heads", "Multiply the merged heads by W_o.")
def heads_not_mixed(s):
    """W_o is left out, so the heads' results stand side by side and never
    meet."""
    s.output = s.merged


@mistake("mix", "sec-heads", "Multiply by W_o as it is: merged @ W_o.")
def transposed_W_o(s):
    """W_o is transposed before use, as torch's Linear stores it."""
    s.output = s.merged @ s.W_o.T


@mistake("split", "sec-heads", "Cut the features into n_heads heads.", drops="merge")
def single_head(s):
    """There is one head with all the features: n_heads has no part in the
    result."""
    s.split = lambda X: X[..., None, :, :]
    s.merge = lambda X: X[..., 0, :, :]


@mistake("softmax", "sec-heads", "Normalize over the keys: axis=-1.")
def softmax_over_heads(s):
    """The softmax runs over the axis of the heads, so the heads compete and the
    keys do not."""
    s.weights = _softmax(s.scores, axis=-3)


# Query heads that share keys and values.


@mistake("share", "sec-decoding", "Use np.repeat on the axis of the heads.")
def heads_tiled(s):
    """The key and value heads are tiled, 0 1 0 1, where neighbors share: query
    head h reads h // (n_heads // n_kv_heads), 0 0 1 1."""
    groups = s.Q.shape[-3] // s.K.shape[-3]
    s.K, s.V = (np.concatenate([A] * groups, axis=-3) for A in (s.K, s.V))


@mistake("share", "sec-decoding", "Let query head h read h // (n_heads // n_kv_heads).")
def first_head_for_all(s):
    """All query heads read the first key and value head."""
    s.K, s.V = s.K[..., :1, :, :], s.V[..., :1, :, :]


@mistake("share", "sec-decoding", "Let query head h read h // (n_heads // n_kv_heads).")
def shared_heads_averaged(s):
    """All query heads read the mean of the key and value heads."""
    s.K, s.V = (A.mean(axis=-3, keepdims=True) for A in (s.K, s.V))


# RoPE: `rates` in radians a position, `angles` a row for each position.


@mistake("positions", "sec-positions", "Turn by positions as given; they start at 0.")
def positions_from_one(s):
    """Each position is counted one too high. Differences stay right, so
    attention would not notice, but a cache and its tests will."""
    s.angles = (s.positions[:, None] + 1) * s.rates


@mistake("positions", "sec-positions", "Use the argument: positions[:, None] * rates.")
def positions_ignored(s):
    """The rows are counted from 0 and the argument has no part in it, so a cache
    cannot start anywhere else."""
    s.angles = np.arange(len(s.positions))[:, None] * s.rates


@mistake("rates", "sec-positions", "Use base ** (-2 * i / d) for pair i of d / 2.")
def rates_too_close(s):
    """The exponent is i / d where 2 i / d is wanted, so the slowest pair turns
    far too fast."""
    d = s.X.shape[-1]
    s.rates = s.base ** (-np.arange(d // 2) / d)


@mistake("rates", "sec-positions", "Use base ** (-2 * i / d) for pair i of d / 2.")
def rates_too_far(s):
    """The exponent is 4 i / d where 2 i / d is wanted: the step of two is taken
    twice."""
    d = s.X.shape[-1]
    s.rates = s.base ** (-2 * np.arange(0, d, 2) / d)


@mistake("rates", "sec-positions", "Use base ** (-2 * i / d): a negative exponent.")
def rates_growing(s):
    """The exponent is positive, so the pairs turn faster and faster, up to
    thousands of radians a position."""
    d = s.X.shape[-1]
    s.rates = s.base ** (np.arange(0, d, 2) / d)


@mistake("rates", "sec-positions", "Give pair i its own rate, base ** (-2 * i / d).")
def one_rate_for_all(s):
    """All the pairs turn at the same rate, so far and near cannot be told
    apart."""
    s.rates = np.ones(s.X.shape[-1] // 2)


@mistake("pair", "sec-positions", "Pair neighbors: X[:, 0::2] with X[:, 1::2].")
def halves_paired(s):
    """Feature i is paired with feature i + d / 2, the other layout in use; the
    chapter pairs neighbors, as the paper does."""
    s.first, s.second = np.split(s.X, 2, axis=-1)
    s.join = lambda a, b: np.concatenate([a, b], axis=-1)


@mistake("pair", "sec-positions", "Interleave: np.stack([...], axis=-1), then reshape.")
def pairs_not_interleaved(s):
    """The turned features come back as two halves and not in the places that
    they came from."""
    s.first, s.second = s.X[:, 0::2], s.X[:, 1::2]
    s.join = lambda a, b: np.concatenate([a, b], axis=-1)


@mistake("turn", "sec-positions", "Take a cos - b sin and a sin + b cos.")
def turned_backwards(s):
    """The pairs turn the other way: the signs of the two sines are
    exchanged."""
    a, b, cos, sin = s.first, s.second, np.cos(s.angles), np.sin(s.angles)
    s.output = s.join(a * cos + b * sin, b * cos - a * sin)


@mistake("turn", "sec-positions", "Take a cos - b sin and a sin + b cos.")
def both_signs_plus(s):
    """Both sums have a plus sign, so the pairs are not turned and their length
    changes."""
    a, b, cos, sin = s.first, s.second, np.cos(s.angles), np.sin(s.angles)
    s.output = s.join(a * cos + b * sin, a * sin + b * cos)


@mistake("turn", "sec-positions", "Take a cos - b sin and a sin + b cos.")
def sine_and_cosine_exchanged(s):
    """Sine and cosine are exchanged, so position 0 is turned by a right angle
    and not left alone."""
    a, b, cos, sin = s.first, s.second, np.cos(s.angles), np.sin(s.angles)
    s.output = s.join(a * sin - b * cos, a * cos + b * sin)


@mistake("turn", "sec-positions", "Turn the features; nothing is added to them.")
def waves_added(s):
    """Sines and cosines are added to X, which is the older sinusoidal encoding;
    RoPE multiplies."""
    s.output = s.join(s.first + np.sin(s.angles), s.second + np.cos(s.angles))


# The cache.


class _Cache:
    """A right cache; the mistakes change one method each."""

    def __init__(self):
        self.parts = []

    def __len__(self):
        return sum(K.shape[-2] for K, _ in self.parts)

    def append(self, K, V):
        self.parts.append((K.copy(), V.copy()))
        return self.all()

    def all(self):
        return tuple(np.concatenate(side, axis=-2) for side in zip(*self.parts))


@mistake(
    "cache", "sec-decoding", "Return all keys and values so far, the new ones last."
)
def new_rows_only(s):
    """append gives back what it was given: the keys and values of earlier tokens
    are missing."""

    class Cache(_Cache):
        def all(self):
            return self.parts[-1]

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Return all rows, those of this call too.")
def old_rows_only(s):
    """append gives back the rows of the earlier calls without the new ones, so a
    token cannot attend to itself."""

    class Cache(_Cache):
        def all(self):
            *old, (K, V) = self.parts
            return tuple(
                np.concatenate(side, axis=-2)
                for side in zip((K[..., :0, :], V[..., :0, :]), *old)
            )

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Put the new rows last: concatenate([old, new]).")
def new_rows_first(s):
    """The new rows are put before the old ones, so the order of the positions is
    turned round."""

    class Cache(_Cache):
        def all(self):
            parts = self.parts[::-1]
            return tuple(np.concatenate(side, axis=-2) for side in zip(*parts))

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Join on axis=-2, the axis of the positions.")
def joined_on_axis_0(s):
    """The rows are joined on the first axis, which is that of the heads as soon
    as there are any."""

    class Cache(_Cache):
        def all(self):
            return tuple(np.concatenate(side, axis=0) for side in zip(*self.parts))

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Return the keys first: all keys, then all values.")
def values_before_keys(s):
    """append gives back the values first and the keys second."""

    class Cache(_Cache):
        def all(self):
            return super().all()[::-1]

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Let len() count rows: K.shape[-2] for each call.")
def calls_counted(s):
    """len() counts the calls of append and not the positions, which differ as
    soon as a prompt comes in at once."""

    class Cache(_Cache):
        def __len__(self):
            return len(self.parts)

    s.Cache = Cache


@mistake("cache", "sec-decoding", "Make the store in __init__ and assign it to self.")
def store_shared(s):
    """All the caches share one store (a class attribute or a mutable default),
    so one sequence sees the other's tokens."""
    shared = []

    class Cache(_Cache):
        def __init__(self):
            self.parts = shared

    s.Cache = Cache


# Merging two partial softmaxes.

RESCALE = "Multiply numerator and total by exp(own maximum - new maximum)."


@mistake("rescale", "sec-flash", RESCALE)
def nothing_rescaled(s):
    """The two sides are added as they are, but each is relative to a maximum of
    its own."""
    s.for_numerator = s.for_total = (1.0, 1.0)


@mistake("rescale", "sec-flash", RESCALE)
def only_the_total_rescaled(s):
    """The totals are brought to the new maximum, the numerators are not."""
    s.for_numerator, s.for_total = (1.0, 1.0), s.factors


@mistake("rescale", "sec-flash", RESCALE)
def only_the_numerator_rescaled(s):
    """The numerators are brought to the new maximum, the totals are not."""
    s.for_numerator, s.for_total = s.factors, (1.0, 1.0)


@mistake("rescale", "sec-flash", RESCALE)
def only_one_side_rescaled(s):
    """Only the first side is brought to the new maximum; that is enough only
    when the second holds it."""
    s.for_numerator = s.for_total = (s.factors[0], 1.0)


@mistake("rescale", "sec-flash", RESCALE)
def factors_exchanged(s):
    """Each side is multiplied by the other's factor."""
    s.for_numerator = s.for_total = s.factors[::-1]


@mistake("maximum", "sec-flash", "Take np.maximum of the two maxima.")
def maxima_added(s):
    """The maxima are added up, where the larger one is wanted."""
    s.maximum = s.a[2] + s.b[2]


@mistake("factors", "sec-flash", "Subtract 0 in place of a new maximum of -inf.")
def empty_side_gives_nan(s):
    """Two empty sides give NaN: both maxima are -inf, and (-inf) - (-inf) is
    NaN."""
    s.factors = tuple(np.exp(side[2] - s.maximum) for side in (s.a, s.b))


@mistake("factors", "sec-flash", "Take exp(own maximum - new maximum), at most 1.")
def factors_upside_down(s):
    """The exponent has the wrong sign: exp(new maximum - own maximum) grows
    where it should shrink."""
    s.factors = tuple(np.exp(s.maximum - side[2]) for side in (s.a, s.b))


# The gradient of the softmax.


@mistake("gather", "sec-why", "Subtract the row's sum of weights * upstream first.")
def diagonal_only(s):
    """Each weight is taken to depend on its own score alone, w (1 - w); but a
    score moves all the weights of its row."""
    s.gathered = s.weights * s.upstream


@mistake("gather", "sec-why", "Subtract the row's sum of weights * upstream.")
def coupling_forgotten(s):
    """The result is weights * upstream: the sum over the row that couples the
    weights is missing."""
    s.gathered = 0.0


@mistake("gather", "sec-why", "Sum over axis=-1 with keepdims=True.")
def summed_over_everything(s):
    """The sum goes over the whole matrix, but each row is a softmax of its
    own."""
    s.gathered = (s.weights * s.upstream).sum()


@mistake("gather", "sec-why", "Sum over axis=-1, the row of one query.")
def summed_over_columns(s):
    """The sum goes down the columns, but each row is a softmax of its own."""
    s.gathered = (s.weights * s.upstream).sum(axis=-2, keepdims=True)


@mistake("gather", "sec-why", "Sum with keepdims=True.")
def gathered_without_keepdims(s):
    """The sums are (n,), not (n, 1), so broadcasting subtracts the sum of row j
    from column j."""
    s.gathered = (s.weights * s.upstream).sum(axis=-1)


@mistake("gather", "sec-why", "Weigh the upstream gradient: (weights * upstream).sum.")
def upstream_not_weighted(s):
    """The plain sum of the upstream gradient is subtracted, where each entry
    counts by its weight."""
    s.gathered = s.upstream.sum(axis=-1, keepdims=True)


@mistake("chain", "sec-why", "Multiply by the weights in front: w * (g - sum).")
def weights_missing_in_front(s):
    """The factor weights in front of the bracket is missing."""
    s.output = s.upstream - s.gathered


@mistake("chain", "sec-why", "Write weights * (upstream - sum), not the reverse.")
def gradient_negated(s):
    """The gradient has the wrong sign, so a step along it goes the wrong
    way."""
    s.output = s.weights * (s.gathered - s.upstream)


# Path length.

CEIL = "Round up: -(-a // b), or math.ceil of a whole-number division."


@mistake("contiguous", "sec-paths", CEIL)
def layers_rounded_down(s):
    """The division rounds down, so the last layer, needed for the rest, is
    missing."""
    s.output = max(1, (s.n - 1) // (s.k - 1))


@mistake(
    "contiguous", "sec-paths", "A layer reaches k - 1 back, not k: divide by k - 1."
)
def k_positions_a_layer(s):
    """A layer is taken to reach k positions back; a window of k reaches k - 1,
    since it holds the token itself."""
    s.output = max(1, -(-s.n // s.k))


@mistake("contiguous", "sec-paths", "The distance from first to last is n - 1.")
def fence_post(s):
    """The distance is taken as n; from the first of n tokens to the last it is
    n - 1."""
    s.output = max(1, -(-s.n // (s.k - 1)))


@mistake("contiguous", "sec-paths", "Divide n - 1 by k - 1 and round up.")
def dilated_where_contiguous(s):
    """The logarithm holds for dilated kernels; contiguous ones grow by k - 1 a
    layer and no faster."""
    s.output = s.logarithm


@mistake(
    "contiguous", "sec-paths", "A causal window reaches k - 1 back: divide by that."
)
def centered_window(s):
    """The window is taken as centered on the token; a causal one lies wholly
    before it and reaches twice as far."""
    s.output = max(1, math.ceil((s.n - 1) / ((s.k - 1) / 2)))


@mistake("contiguous", "sec-paths", "Take max(1, ...): the output is one layer up.")
def no_layer_for_one_token(s):
    """With one token the answer is 0; but its own output is one layer up."""
    s.output = -(-(s.n - 1) // (s.k - 1))


@mistake(
    "dilated", "sec-paths", "Count whole numbers: multiply by k until n is reached."
)
def float_logarithm(s):
    """math.log rounds: log 125 to the base 5 comes out a little above 3, and
    ceil makes 4 of it."""
    s.output = max(1, math.ceil(math.log(s.n) / math.log(s.k)))


@mistake("dilated", "sec-paths", "Round up: the rest needs a layer as well.")
def logarithm_rounded_down(s):
    """The logarithm is rounded down, so the last layer, needed for the rest, is
    missing."""
    s.output = max(1, s.logarithm - (s.k**s.logarithm > s.n))


@mistake("dilated", "sec-paths", "Multiply by k a layer, the kernel's width.")
def doubled_whatever_k(s):
    """The reach doubles a layer whatever the kernel; with dilations 1, k, k²,
    ... it grows k times."""
    s.output = max(1, (s.n - 1).bit_length())


@mistake("dilated", "sec-paths", "Count how often k must multiply to reach n.")
def contiguous_where_dilated(s):
    """That is the count for contiguous kernels; dilated ones reach k times as
    far with each layer."""
    s.output = max(1, -(-(s.n - 1) // (s.k - 1)))


@mistake("dilated", "sec-paths", "Take max(1, ...): the output is one layer up.")
def no_dilated_layer_for_one_token(s):
    """With one token the answer is 0; but its own output is one layer up."""
    s.output = s.logarithm if s.n > 1 else 0


@mistake("dilated", "sec-paths", "Round up; do not add one to a power of k.")
def one_layer_too_many(s):
    """One is always added to the rounded-down logarithm, which is one layer too
    many when n is a power of k."""
    s.output = s.logarithm + (s.k**s.logarithm == s.n) if s.n > 1 else 1


# Permuting the rows.


@mistake("equivariant", "sec-paths", "Compare f(X[order]) with f(X)[order].")
def invariance_tested(s):
    """The test asks for f(X[order]) = f(X), which is invariance; the outputs of
    attention move along with the tokens."""
    s.output = np.allclose(s.f(s.X[s.order]), s.f(s.X))


@mistake("equivariant", "sec-paths", "Permute both sides the same way: [order].")
def order_applied_backwards(s):
    """One side is permuted by the order, the other by its inverse."""
    s.output = np.allclose(s.f(s.X[s.order])[s.order], s.f(s.X))


@mistake("equivariant", "sec-paths", "Compare with a tolerance: np.allclose.")
def exact_comparison(s):
    """The two sides are compared exactly, but a sum in another order rounds
    otherwise."""
    s.output = np.array_equal(s.f(s.X[s.order]), s.f(s.X)[s.order])


@mistake("equivariant", "sec-paths", "Compare the values: np.allclose.")
def shapes_compared(s):
    """Only the shapes are compared, and those agree whatever the values."""
    s.output = s.f(s.X[s.order]).shape == s.f(s.X)[s.order].shape


@mistake("equivariant", "sec-paths", "Return one boolean: np.allclose, not np.isclose.")
def one_boolean_an_element(s):
    """The result is an array of booleans, one for each element."""
    s.output = np.isclose(s.f(s.X[s.order]), s.f(s.X)[s.order])


# Comparing with torch.


@mistake("largest", "sec-core", "Take the largest: .max().")
def mean_difference(s):
    """The mean hides a single wrong element among many right ones."""
    s.output = s.difference.mean()


@mistake("largest", "sec-core", "Take the largest: .max().")
def summed_difference(s):
    """The sum grows with the number of elements, so it has no roundoff to be
    compared with."""
    s.output = s.difference.sum()


@mistake("difference", "sec-core", "Take the absolute value before the maximum.")
def sign_kept(s):
    """Without the absolute value a result that is too small everywhere seems to
    agree."""
    s.difference = s.mine - s.torch


@mistake("difference", "sec-core", "Compare attention(Q, K, V) with torch's result.")
def compared_with_itself(s):
    """The result is zero whatever attention does: a comparison that cannot
    fail."""
    s.difference = np.zeros(1)


@mistake("largest", "sec-core", "Return the number itself: how close is the question.")
def yes_or_no(s):
    """The result says whether they agree, but not how closely."""
    s.output = np.bool_(s.difference.max() < 1e-6)


@mistake("difference", "sec-core", "Take the difference itself, not its square.")
def squared_difference(s):
    """The differences are squared, so 1e-8 looks like 1e-16."""
    s.difference = (s.mine - s.torch) ** 2
