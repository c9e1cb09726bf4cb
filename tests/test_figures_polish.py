"""The figures of the polish show what they are given, within their size."""

import re

import numpy as np
import pytest

from drawn import assert_small_and_the_same_every_time, words
from figures import polish
from figures.palette import LIGHT

X = np.arange(8.0).reshape(2, 4)
WAYS = {"split": X.reshape(2, 2, 2).swapaxes(0, 1), "mixed": X.reshape(2, 2, 2)}
FIGURES = {
    "regrouped": lambda: polish.regrouped("fig-a", X, WAYS, "c", "a"),
    "shifted": lambda: polish.shifted(
        "fig-a", range(9), {"u": np.arange(9), "v": np.ones(9)}, "c", "a"
    ),
    "decoding": lambda: polish.decoding(
        "fig-a", *[{"u": ([32, 64], [9, 99]), "v": ([32, 64], [1, 2])}] * 2, "c", "a"
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_small_and_the_same_every_time(name):
    assert_small_and_the_same_every_time(FIGURES[name])


def test_every_entry_is_drawn_in_the_matrix_and_in_each_way():
    shown = words(FIGURES["regrouped"]())
    assert all(shown.count(f"{entry:g}") == 3 for entry in X.flat)


def test_an_entry_keeps_its_tokens_color():
    svg = FIGURES["regrouped"]().svg
    fills = re.findall(r'style="fill: (#\w+); opacity: 0.2', svg)
    colors = [LIGHT[role] for role, _ in polish.TOKENS]
    places = (X, *WAYS["split"], *WAYS["mixed"])
    entries = [int(entry) for block in places for entry in block.flat]
    assert fills == [colors[entry // 4] for entry in entries]


def test_each_curve_is_named_once_in_each_panel():
    for name, panels in (("shifted", 1), ("decoding", 2)):
        shown = words(FIGURES[name]())
        assert shown.count("u") == shown.count("v") == panels


def test_the_factor_stands_where_the_lines_end():
    assert words(FIGURES["decoding"]()).count("50 times") == 2  # 99 / 2
