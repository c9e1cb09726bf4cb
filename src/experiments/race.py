"""The race: recall the first of n tokens after n - 1 distractors."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

SYMBOLS = 8
PARAMETERS = 2500  # at most, for every racer
STEPS, BATCH, RATE = 300, 16, 3e-3
TRIALS = 1000


def recall(names, lengths, n_seeds):
    """Share of fresh sequences whose first token is named after training.

    Maps each name in RACERS to a list over lengths of lists over seeds. Every
    racer gets the same sequences, in the same order.
    """
    return {
        name: [
            [train_and_test(name, n, seed) for seed in range(n_seeds)] for n in lengths
        ]
        for name in names
    }


def train_and_test(name, n, seed):
    """Train one racer for STEPS batches of new sequences, return its accuracy."""
    torch.manual_seed(seed)
    racer = Racer(name, width(name), n)
    torch.manual_seed(seed)
    optimizer = torch.optim.Adam(racer.parameters(), lr=RATE)
    for _ in range(STEPS):
        tokens = torch.randint(SYMBOLS, (BATCH, n))
        loss = cross_entropy(racer(tokens), tokens[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        tokens = torch.randint(SYMBOLS, (TRIALS, n))
        named = racer(tokens).argmax(-1)
    return (named == tokens[:, 0]).double().mean().item()


def width(name):
    """The most features with which a racer has at most PARAMETERS parameters."""
    d = 1
    while parameters(name, d + 1) <= PARAMETERS:
        d += 1
    return d


def parameters(name, d):
    """How many numbers a racer of d features learns."""
    return sum(p.numel() for p in Racer(name, d, 1).parameters())


class Racer(nn.Module):
    """Embedding, one layer, and a linear map from its last output to the symbols."""

    def __init__(self, name, d, n):
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, d)
        self.layer = RACERS[name](d, n)
        self.name_symbol = nn.Linear(d, SYMBOLS)

    def forward(self, tokens):
        """Logits (batch, SYMBOLS) for tokens (batch, n)."""
        return self.name_symbol(self.layer(self.embed(tokens)))


class Recurrent(nn.Module):
    """The last output of a recurrent layer of torch."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, X):
        """(batch, n, d) to (batch, d)."""
        return self.layer(X)[0][:, -1]


def rnn(d, n):
    """A tanh RNN, its recurrence orthogonal at the start."""
    layer = nn.RNN(d, d, batch_first=True)
    nn.init.orthogonal_(layer.weight_hh_l0)
    return Recurrent(layer)


def lstm(d, n):
    """An LSTM, its forget gates' bias 1 at the start."""
    layer = nn.LSTM(d, d, batch_first=True)
    layer.bias_ih_l0.data[d : 2 * d] = 1
    layer.bias_hh_l0.data[d : 2 * d] = 0
    return Recurrent(layer)


class Attention(nn.Module):
    """One head's output at the last token; a fixed random vector marks each position.

    The vectors are not learned; `mark` 0 takes them away.
    """

    def __init__(self, d, n, mark=1.0):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.positions = mark * torch.randn(n, d)

    def forward(self, X):
        """(batch, n, d) to (batch, d)."""
        X = X + self.positions
        Q, K, V = self.W_q(X[:, -1:]), self.W_k(X), self.W_v(X)
        return scaled_dot_product_attention(Q, K, V)[:, 0]


def unmarked(d, n):
    """Attention that is not told the positions."""
    return Attention(d, n, mark=0.0)


RACERS = {
    "RNN": rnn,
    "LSTM": lstm,
    "attention": Attention,
    "attention, no positions": unmarked,
}
