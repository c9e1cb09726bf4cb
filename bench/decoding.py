"""Decoding: all tokens one by one, with the cache and from the start each time."""

from statistics import median

import numpy as np

from attention import KVCache, attention, causal_mask

from .measure import ratio, side_by_side

D = 64
SIZES = (32, 64, 128, 256, 512)


def recompute(Q, K, V):
    """For each token, one causal pass over all tokens so far."""
    for t in range(1, len(Q) + 1):
        attention(Q[:t], K[:t], V[:t], causal_mask(t))


def with_cache(Q, K, V):
    """For each token, its own query over the cached keys and values."""
    cache = KVCache()
    for t in range(len(Q)):
        keys, values = cache.append(K[t : t + 1], V[t : t + 1])
        attention(Q[t : t + 1], keys, values)


WAYS = {"from the start": recompute, "with the cache": with_cache}


def rows():
    """One row for each number of tokens and way; `ratio` is time over the cache's."""
    found = []
    for n in SIZES:
        arrays = np.random.default_rng(0).standard_normal((3, n, D), np.float32)
        calls = {name: lambda way=way: way(*arrays) for name, way in WAYS.items()}  # noqa: B023
        seconds = side_by_side(calls)
        for name, times in seconds.items():
            row = {"n": n, "way": name, "seconds": median(times)}
            row["ratio"] = ratio(times, seconds["with the cache"])
            found.append(row)
    return found
