"""The figures of the core show what they are given, within their size."""

import re

import numpy as np
import pytest

from drawn import assert_small_and_the_same_every_time, words
from figures import core, table

WORDS = ["a", "b", "c", "d", "e"]
FIGURES = {
    "one-step": lambda: core.one_step(
        "fig-a",
        WORDS,
        1,
        {"x": ([4], True, "4 steps"), "y": ([2, 3, 4], False, "1 layer")},
        "c",
        "a",
    ),
    "shapes": lambda: core.shapes("fig-a", 3, 5, 4, 2, "c", "a"),
    "matrices": lambda: core.matrices(
        "fig-a",
        [[("M", np.array([[1, -2.5]]), "query", ["r"], ["s", "t"])]],
        "c",
        "a",
        1,
    ),
    "scaling": lambda: core.scaling(
        "fig-a", [1, 4], {"u": [1, 4], "v": [1, 1]}, {"u": [0.8, 0.6]}, "c", "a"
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_small_and_the_same_every_time(name):
    assert_small_and_the_same_every_time(FIGURES[name])


def test_numbers_of_a_matrix_stay_text_with_a_true_minus():
    shown = words(FIGURES["matrices"]())
    assert {"1.0", "\N{MINUS SIGN}2.5", "M", "r", "s", "t"} <= set(shown)


def tints(rows, **options):
    """How opaque the cells with a number other than 0 are drawn."""
    svg = core.matrices("fig-a", rows, "c", "a", **options).svg
    return [float(alpha) for alpha in re.findall(r"fill: #\w+; opacity: ([\d.]+)", svg)]


def test_the_tint_of_a_weight_is_its_share_of_one_in_every_matrix():
    even, sharp = np.full((1, 4), 0.25), np.array([[1.0, 0, 0, 0]])
    rows = [
        [(name, w, "weights", ["r"], "abcd")] for name, w in (("e", even), ("s", sharp))
    ]
    *quarters, whole = tints(rows)
    np.testing.assert_allclose(quarters, [whole / 4] * 4)


def test_matrices_of_one_role_share_a_scale():
    full = np.array([[2.0, 4.0]])
    row = [
        (name, m, "scores", ["r"], "ab") for name, m in (("f", full), ("h", full / 2))
    ]
    np.testing.assert_allclose(tints([row]), np.array([2, 4, 1, 2]) * core.TINT / 4)


def test_a_forbidden_cell_is_empty():
    rows = [[("w", np.array([[1.0, np.nan]]), "weights", ["r"], "ab")]]
    assert len(tints(rows)) == 1
    assert "nan" not in core.matrices("fig-a", rows, "c", "a").svg.lower()


def test_each_row_of_weights_shows_its_sum():
    weights = np.array([[0.5, 0.5], [0.25, 0.5]])
    rows = [[("w", weights, "weights", "rs", "ab")]]
    shown = words(core.matrices("fig-a", rows, "c", "a", digits=2, sums=True))
    assert {"sum", "1", "0.75"} <= set(shown)


def test_every_token_every_design_and_every_way_is_named_once():
    names = [*WORDS, "x", "y", "4 steps", "1 layer"]
    assert sorted(words(FIGURES["one-step"]())) == sorted(names)


def test_shapes_are_drawn_to_one_scale():
    blocks = re.findall(
        r'<path d="M ([\d.]+) ([\d.]+) \nL ([\d.]+) [\d.]+ \nL [\d.]+ ([\d.]+) [^"]*"'
        r'[^>]*style="fill: #[^"]*opacity: 0.16',
        FIGURES["shapes"]().svg,
    )
    sizes = [
        (abs(float(bottom) - float(top)), float(right) - float(left))
        for left, bottom, right, top in blocks
    ]
    cell = sizes[0][0] / 3  # X has 3 rows
    expected = [(3, 5), (5, 4), (3, 4), (3, 4), (4, 3), (3, 3), (3, 3), (3, 2), (3, 2)]
    np.testing.assert_allclose(np.array(sizes) / cell, expected, atol=0.01)


def test_a_dot_product_is_written_out():
    tex = core.dot_product(np.array([2, -1]), np.array([3, 0]))
    assert tex == r"2 \cdot 3 + (-1) \cdot 0 = 6"


def test_a_table_aligns_numbers_to_the_right():
    made = table("tbl-a", ["n", "what"], [[1.5, "x"], ["\N{MINUS SIGN}2", "y"]], "Cap.")
    assert re.fullmatch(r"\| -+: \| :-+ \|", made.data.splitlines()[1])
