"""The figures of the core show what they are given, within their size."""

import re

import numpy as np
import pytest

from drawn import assert_small_and_the_same_every_time, words
from figures import core, table

WORDS = ["a", "b", "c", "d", "e"]
FIGURES = {
    "one-step": lambda: core.one_step(
        "fig-a", WORDS, 1, {"x": ([4], True), "y": ([2, 3, 4], False)}, "c", "a"
    ),
    "shapes": lambda: core.shapes("fig-a", 3, 5, 4, 2, "c", "a"),
    "matrices": lambda: core.matrices(
        "fig-a", [("M", np.array([[1, -2.5]]), "query", ["r"], ["s", "t"])], "c", "a", 1
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


def test_every_token_and_every_design_is_named_once():
    assert sorted(words(FIGURES["one-step"]())) == sorted([*WORDS, "x", "y"])


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
    assert made.data.endswith(": Cap. {#tbl-a}\n")
