"""Parallel over positions: n steps, each waiting for the last, against one product."""

import numpy as np

from .measure import side_by_side

D = 256
SIZES = (16, 32, 64, 128, 256, 512, 1024)


def steps(X, W):
    """The last state of a linear recurrence: n products of one row with W."""
    state = np.zeros_like(X[0])
    for x in X:
        state = state @ W + x
    return state


def rows():
    """One row for each n; `ratio` is the steps' shortest time over the product's.

    Both multiply n rows of D numbers with the same matrix, in float32. The calls
    are so short that the shortest of many is free of other work on the machine.
    """
    scale = np.float32(0.5 / D**0.5)  # the state neither grows nor vanishes
    W = scale * np.random.default_rng(0).standard_normal((D, D), np.float32)
    found = []
    for n in SIZES:
        X = np.random.default_rng(1).standard_normal((n, D), np.float32)
        calls = {"steps": lambda X=X: steps(X, W), "product": lambda X=X: X @ W}
        seconds = {name: min(t) for name, t in side_by_side(calls, rounds=100).items()}
        ratio = seconds["steps"] / seconds["product"]
        found.append({"n": n} | seconds | {"ratio": ratio})
    return found
