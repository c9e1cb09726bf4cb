"""src/ring.py, tangled from chapter.qmd: 5 cells, order a599b73b.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""

# %% ring-imports f887ebe5
import numpy as np
import torch
import torch.distributed as dist

from attention import _as_floats, merge_partials, partial_attention


# %% ring-attention d65c67fe
def ring_attention(Q, K, V, causal=False, group=None):
    """This process's rows of attention to the keys of all processes.

    Each process passes its own rows, consecutive by rank, any number.
    Shapes: Q (..., m, d_k); K (..., n, d_k); V (..., n, d_v); result
    (..., m, d_v). causal: as for all rows at once. Liu et al. 2023.
    """
    Q, K, V, dtype = _as_floats(Q, K, V)
    rows = _rows_of_all(Q, K, group)
    rank = dist.get_rank(group)
    merged = partial_attention(Q, K[..., :0, :], V[..., :0, :])
    for owner, block in _blocks(K, V, rows, group):
        mask = _visible(rows, rank, owner) if causal else None
        if mask is None or mask.any():
            part = partial_attention(Q, *block, mask)
            merged = merge_partials(merged, part)
    return merged.output.astype(dtype, copy=False)


# %% ring-blocks dc673591
def _blocks(K, V, rows, group):
    """Whose keys and values, and these: first our own, then the rest.

    While the caller works on a block, the next one travels.
    """
    rank, size = dist.get_rank(group), len(rows)
    block = [torch.tensor(K), torch.tensor(V)]
    for step in range(size - 1):
        owner = (rank - step) % size
        n_next = rows[(owner - 1) % size, 1]  # keys of the next owner
        arriving, transfers = _pass_on(block, n_next, group)
        yield owner, block
        for transfer in transfers:
            transfer.wait()
        block = arriving
    yield (rank + 1) % size, block


# %% pass-on 0b57ed3d
def _pass_on(block, n, group):
    """Send the block on; receive n rows from the process before.

    Returns the tensors they arrive in, and the transfers to wait for.
    """
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    new = [A.new_empty(*A.shape[:-2], n, A.shape[-1]) for A in block]
    to = {"group": group, "group_dst": (rank + 1) % size}
    source = {"group": group, "group_src": (rank - 1) % size}
    sent = [dist.isend(A, **to, tag=t) for t, A in enumerate(block)]
    due = [dist.irecv(A, **source, tag=t) for t, A in enumerate(new)]
    return new, sent + due


# %% ring-rows 8c7f2e08
def _rows_of_all(Q, K, group):
    """How many queries and keys each process has: (processes, 2)."""
    own = torch.tensor([Q.shape[-2], K.shape[-2]])
    size = dist.get_world_size(group)
    rows = [torch.empty_like(own) for _ in range(size)]
    dist.all_gather(rows, own, group=group)
    return torch.stack(rows).numpy()


def _visible(rows, rank, owner):
    """The causal mask between one's queries and the owner's keys."""
    (m, n), first_query = rows.sum(axis=0), rows[:rank, 0].sum()
    first_key = rows[:owner, 1].sum()
    last = first_query + n - m - first_key  # key that query 0 sees last
    return np.tri(rows[rank, 0], rows[owner, 1], last, dtype=bool)
