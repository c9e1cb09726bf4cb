"""src/paths.py, tangled from chapter.qmd: 8 cells, order 50752a33.

Edit the chapter and run `make tangle`, or edit here and run `make stitch`.
"""

# %% paths-imports 3ba93b86
from collections import defaultdict, deque


# %% rnn-edges 3dababe7
def rnn_edges(n):
    """Edges of a recurrent layer: input to state, state to next state.

    Nodes are (layer, position), counted from 0; layer 0 is the input.
    """
    read = [((0, i), (1, i)) for i in range(n)]
    carry = [((1, i), (1, i + 1)) for i in range(n - 1)]
    return read + carry


def rnn_hops(n):
    """Fewest edges from the first input to the last state."""
    return n


# %% cnn-edges 7523e3a2
def cnn_edges(n, k):
    """Edges of the causal convolutions that connect n positions.

    Each output reads k neighboring positions: its own, k - 1 before it.
    As many layers as it takes; nodes as in rnn_edges.
    """
    return [
        ((layer, i), (layer + 1, j))
        for layer in range(cnn_hops(n, k))
        for i in range(n)
        for j in range(i, min(i + k, n))
    ]


def cnn_hops(n, k):
    """Layers until the last output sees the first input.

    Raises ValueError for k < 2, which connects no two positions.
    """
    if k < 2:
        raise ValueError(f"k = {k} connects no two positions")
    return max(1, -(-(n - 1) // (k - 1)))  # division, rounded up


# %% dilated-cnn-edges e1b08782
def dilated_cnn_edges(n, k):
    """Edges as in cnn_edges, with gaps of 1, k, k * k, ... by layer.

    Source: van den Oord et al. 2016, 2.1, who double the gap.
    """
    return [
        ((layer, i), (layer + 1, j))
        for layer in range(dilated_cnn_hops(n, k))
        for i in range(n)
        for j in range(i, min(i + k ** (layer + 1), n), k**layer)
    ]


def dilated_cnn_hops(n, k):
    """Layers until the last output sees the first input: log_k n, up.

    In integers, because math.log(125, 5) exceeds 3. Raises ValueError
    for k < 2.
    """
    if k < 2:
        raise ValueError(f"k = {k} connects no two positions")
    hops = 1
    while k**hops < n:
        hops += 1
    return hops


# %% attention-edges 456af1c1
def attention_edges(n):
    """Edges of one causal attention layer; nodes as in rnn_edges."""
    return [((0, i), (1, j)) for j in range(n) for i in range(j + 1)]


def attention_hops(n):
    """Fewest edges from the first input to the last output."""
    return 1


# %% shortest-path 360fd6c8
def shortest_path(edges, source, target):
    """Nodes from (0, source) to the nearest (layer >= 1, target).

    Breadth first; None if no path leads there.
    """
    heads = defaultdict(list)
    for tail, head in edges:
        heads[tail].append(head)
    before, queue = {(0, source): None}, deque([(0, source)])
    while queue:
        node = queue.popleft()
        if node[0] >= 1 and node[1] == target:
            return _trace(before, node)
        for head in heads[node]:
            if head not in before:
                before[head] = node
                queue.append(head)
    return None


# %% path-length 725652ee
def _trace(before, node):
    """The path that ends at node; before names each predecessor."""
    path = []
    while node is not None:
        path.append(node)
        node = before[node]
    return path[::-1]


def path_length(edges, source, target):
    """Edges on a shortest path as in shortest_path, or None."""
    path = shortest_path(edges, source, target)
    return None if path is None else len(path) - 1


# %% sequential-steps 7a9d39eb
def sequential_steps(edges):
    """Edges on the longest path: steps that wait for one another."""
    steps = defaultdict(int)
    for tail, head in sorted(edges):  # each tail after its own tails
        steps[head] = max(steps[head], steps[tail] + 1)
    return max(steps.values())
