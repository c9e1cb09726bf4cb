"""Random queries, keys and values, and torch's answers: NumPy arrays in and out."""

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention


def draw(lead, m, n, d_k, d_v, seed=0, dtype=float):
    """Normal Q, K and V; the leading axes, then queries, keys and widths."""
    rng = np.random.default_rng(seed)
    shapes = (*lead, m, d_k), (*lead, n, d_k), (*lead, n, d_v)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def torch_attention(Q, K, V, mask=None, **options):
    """What torch's own attention makes of the same arrays."""
    Q, K, V = (torch.from_numpy(array) for array in (Q, K, V))
    if mask is not None:
        mask = torch.from_numpy(mask)
    result = scaled_dot_product_attention(Q, K, V, attn_mask=mask, **options)
    return result.numpy()
