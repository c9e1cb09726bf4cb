"""How much of the first input's gradient is left at the last output, before training.

Every layer starts as its users start it, so that signals keep their size where
they can: orthogonal recurrence, forget bias 1, He's weights for ReLU.
"""

import torch
from torch import nn
from torch.nn.functional import conv1d, pad, scaled_dot_product_attention

from paths import cnn_hops, dilated_cnn_hops

KERNEL = 3


def gradient_norms(distances, n_seeds, d):
    """Norms of d output_n / d input_1, where n - 1 is the distance.

    Maps the name of an architecture to an array (n_seeds, len(distances)). A
    norm is Frobenius' over sqrt(d): 1 is what the identity would give. Inputs
    are standard normal, everything is float64.
    """
    shape = (n_seeds, len(distances))
    norms = {name: torch.empty(shape, dtype=torch.float64) for name in LAYERS}
    for seed in range(n_seeds):
        for column, distance in enumerate(distances):
            for name, layer in LAYERS.items():
                torch.manual_seed(seed)
                X = torch.randn(distance + 1, d, dtype=torch.float64)
                norms[name][seed, column] = jacobian_norm(layer(*X.shape), X)
    return {name: norm.numpy() for name, norm in norms.items()}


def moved_nearer(name, distances, n_seeds, d):
    """Norms as in gradient_norms, all at the length of the largest distance.

    The first input is moved nearer to the last, past the others. An array
    (n_seeds, len(distances)).
    """
    n = max(distances) + 1
    norms = torch.empty(n_seeds, len(distances), dtype=torch.float64)
    for seed in range(n_seeds):
        torch.manual_seed(seed)
        first, *others = torch.randn(n, d, dtype=torch.float64)
        layer = LAYERS[name](n, d)
        for column, distance in enumerate(distances):
            place = n - 1 - distance
            X = torch.stack([*others[:place], first, *others[place:]])
            norms[seed, column] = jacobian_norm(layer, X, place)
    return norms.numpy()


def jacobian_norm(layer, X, source=0):
    """Norm over sqrt(d) of d layer(X)[n - 1] / d X[source]; X (n, d)."""
    n, d = X.shape
    copies = X.expand(d, n, d).clone().requires_grad_()  # one for each output feature
    outputs = layer(copies)  # (d, d)
    (gradient,) = torch.autograd.grad(outputs.diagonal().sum(), copies)
    return gradient[:, source].norm() / d**0.5


# Each makes a new layer for n tokens: a function from (batch, n, d) to the last
# output (batch, d).


def linear_rnn(n, d):
    """A recurrence without nonlinearity, its matrix orthogonal."""
    W_x, W_h = _orthogonal(d), _orthogonal(d)

    def last(X):
        state = torch.zeros_like(X[:, 0])
        for x in X.unbind(1):
            state = state @ W_h + x @ W_x
        return state

    return last


def tanh_rnn(n, d):
    """The same recurrence through tanh."""
    layer = nn.RNN(d, d, bias=False, batch_first=True, dtype=torch.float64)
    layer.weight_ih_l0.data = _orthogonal(d)
    layer.weight_hh_l0.data = _orthogonal(d)
    return lambda X: layer(X)[0][:, -1]


def lstm(n, d):
    """torch's LSTM with the forget gates' bias at 1 (gates: in, forget, cell, out)."""
    layer = nn.LSTM(d, d, batch_first=True, dtype=torch.float64)
    layer.bias_ih_l0.data[d : 2 * d] = 1
    layer.bias_hh_l0.data[d : 2 * d] = 0
    return lambda X: layer(X)[0][:, -1]


def cnn(n, d):
    """Contiguous convolutions with ReLU, as many as connect n tokens."""
    return _stack([1] * cnn_hops(n, KERNEL), d)


def dilated_cnn(n, d):
    """Dilated convolutions with ReLU, as many as connect n tokens."""
    return _stack([KERNEL**layer for layer in range(dilated_cnn_hops(n, KERNEL))], d)


def attention(n, d):
    """One head, its projections standard normal over sqrt(d)."""
    W_q, W_k, W_v = torch.randn(3, d, d, dtype=torch.float64) / d**0.5

    def last(X):
        Q, K, V = X[:, -1:] @ W_q, X @ W_k, X @ W_v
        return scaled_dot_product_attention(Q, K, V)[:, 0]

    return last


LAYERS = {
    "linear RNN": linear_rnn,
    "tanh RNN": tanh_rnn,
    "LSTM": lstm,
    "CNN": cnn,
    "dilated CNN": dilated_cnn,
    "attention": attention,
}


def _orthogonal(d):
    return nn.init.orthogonal_(torch.empty(d, d, dtype=torch.float64))


def _stack(dilations, d):
    """Causal convolutions; zeros before the first token."""
    fan_in = KERNEL * d
    kernels = [
        torch.randn(d, d, KERNEL, dtype=torch.float64) * (2 / fan_in) ** 0.5
        for _ in dilations
    ]
    reach = 1 + (KERNEL - 1) * sum(dilations)

    def last(X):
        X = pad(X.mT, (reach - X.shape[1], 0))  # (batch, d, reach)
        for kernel, dilation in zip(kernels, dilations):
            X = conv1d(X, kernel, dilation=dilation).relu()
        return X[:, :, -1]

    return last
