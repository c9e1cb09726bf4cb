"""The diffs against the core: what they show, what they count, that they run."""

import ast
from pathlib import Path

import numpy as np
import pytest

import attention as module
from attention import (
    KVCache,
    attention,
    causal_mask,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    rope,
    self_attention,
    sinusoidal_positions,
    split_heads,
)
from figures.changes import change, n_statements, statements, untouched
from literate.cells import scan

CHAPTER = Path(__file__).parent.parent / "chapter.qmd"

SMALL = '''
```{python}
#| label: self-attention
def core(X):
    """Says what comes back."""
    scores = X @ X.T  # (n, n)
    weights = softmax(scores)
    return weights @ X
```

```{python}
#| label: changed
import math

def changed(X):
    scores = X @ X.T  # another comment
    # a line of its own
    weights = softmax(scores / 2)
    if math:
        weights = weights * 1
    return weights @ X

changed
```
'''


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.qmd"
    path.write_text(SMALL)
    return path


def test_a_change_shows_as_a_diff_of_statements_without_comments(small):
    assert change("changed", chapter=small)._repr_markdown_() == (
        "```diff\n"
        "  scores = X @ X.T\n"
        "- weights = softmax(scores)\n"
        "+ weights = softmax(scores / 2)\n"
        "+ if math:\n"
        "+     weights = weights * 1\n"
        "  return weights @ X\n"
        "```"
    )


def test_a_change_is_counted(small):
    assert change("changed", chapter=small).size == "+3 \N{MINUS SIGN}1"
    assert untouched("changed", chapter=small) == 2
    assert untouched("self-attention", chapter=small) == 3
    assert n_statements(["self-attention"], chapter=small) == 4
    assert n_statements(["self-attention", "changed"], chapter=small) == 12


def test_a_docstring_is_no_statement_and_an_expression_is_one():
    code = 'def f():\n    """Doc."""\n    print("x")\n'
    assert statements(code) == ['print("x")']


@pytest.mark.claim("clm-untouched")
def test_masks_positions_and_the_cache_leave_the_three_lines_as_they_stand():
    pieces = ("mask", "sinusoids", "rope", "cache", "heads", "groups")
    kept = {piece: untouched(f"with-{piece}", chapter=CHAPTER) for piece in pieces}
    assert kept == dict.fromkeys(pieces[:4], 3) | {"heads": 1, "groups": 1}


def diffed(label):
    """The function that the diff of a cell shows, in the module's own namespace."""
    cells = {cell.label: cell for cell in scan(CHAPTER.read_text("utf-8")).cells}
    tree = ast.parse(cells[f"with-{label}"].code)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    names = dict(vars(module))
    exec(compile(tree, label, "exec"), names)
    return names[tree.body[0].name]


def test_every_diff_runs_and_gives_what_the_tangled_functions_give(close):
    rng = np.random.default_rng(0)
    X, (W_q, W_k, W_v, W_o) = rng.normal(size=(6, 8)), rng.normal(size=(4, 8, 8))
    Q, K, V, at = X @ W_q, X @ W_k, X @ W_v, np.arange(6)
    three = W_q, W_k, W_v
    close(diffed("mask")(X, *three), attention(Q, K, V, causal_mask(6)))
    expected = self_attention(X + sinusoidal_positions(6, 8), *three)
    close(diffed("sinusoids")(X, *three), expected)
    close(diffed("rope")(X, *three, at), attention(rope(Q, at), rope(K, at), V))
    expected = multi_head_attention(X, *three, W_o, 4)
    close(diffed("heads")(X, *three, W_o, 4), expected)

    cache = KVCache()
    rows = [diffed("cache")(X[t : t + 1], *three, cache) for t in range(6)]
    close(np.concatenate(rows), attention(Q, K, V, causal_mask(6)))

    heads = split_heads(Q, 4), split_heads(K[:, :4], 2), split_heads(V[:, :4], 2)
    expected = merge_heads(grouped_query_attention(*heads)) @ W_o
    narrow = W_q, W_k[:, :4], W_v[:, :4], W_o
    close(diffed("groups")(X, *narrow, 4, 2), expected)
