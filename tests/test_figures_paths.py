"""The figures of path length and of the four kinds of input, within their size."""

import re

import numpy as np
import pytest

from attention import self_attention
from drawn import assert_small_and_the_same_every_time, words
from experiments import modalities
from figures import modalities as pictures
from figures import paths as figures
from paths import (
    attention_edges,
    cnn_edges,
    dilated_cnn_edges,
    rnn_edges,
    shortest_path,
)

GRAPHS = {
    "RNN": rnn_edges(16),
    "CNN": cnn_edges(16, 3),
    "dilated CNN": dilated_cnn_edges(16, 3),
    "attention": attention_edges(16),
}
PANELS = [(name, edges, shortest_path(edges, 0, 15)) for name, edges in GRAPHS.items()]


def weights(X):
    return modalities.read_weights(self_attention, X, sharpness=3)


def of_photograph():
    image, X = modalities.photograph()
    return pictures.patches("fig-a", image, weights(X)[15], 15, "c", "a")


def of_melody():
    notes, spectra, X = modalities.melody()
    return pictures.frames("fig-a", notes, spectra, weights(X), "c", "a")


def of_words():
    names, X = modalities.sentence()
    return pictures.words("fig-a", names, weights(X), "c", "a")


def of_protein():
    classes, X = modalities.ubiquitin()
    return pictures.residues("fig-a", classes, weights(X), "c", "a")


FIGURES = {
    "architectures": lambda: figures.architectures("fig-a", PANELS, "c", "a"),
    "growth": lambda: figures.growth("fig-a", [10, 100], {"RNN": [10, 100]}, "c", "a"),
    "decay": lambda: figures.decay(
        "fig-a", [1, 2], {"LSTM": np.array([[1.0, 0.1], [1.0, 0.2]])}, 1e-3, "c", "a"
    ),
    "race": lambda: figures.race(
        "fig-a", {"RNN": {4: [1, 1], 8: [0, 1]}}, 0.5, "c", "a"
    ),
    "parallel": lambda: figures.parallel("fig-a", {16: 2.0, 64: 3.0}, "c", "a"),
    "words": of_words,
    "patches": of_photograph,
    "frames": of_melody,
    "residues": of_protein,
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_small_and_the_same_every_time(name):
    assert_small_and_the_same_every_time(FIGURES[name])


@pytest.mark.parametrize("name", GRAPHS)
def test_joined_lines_cover_the_same_edges(name):
    edges = GRAPHS[name]
    drawn = []
    for start, end in figures._straight_runs(edges):
        run = [edge for edge in edges if _lies_on(edge, start, end)]
        drawn += run
    assert sorted(drawn) == sorted(edges)


def _lies_on(edge, start, end):
    """Whether an edge of the run's direction lies between its ends."""
    rise, run = np.subtract(end, start)
    (tail_layer, tail), (head_layer, head) = edge
    same = (head_layer - tail_layer) * run == (head - tail) * rise
    on = (tail_layer - start[0]) * run == (tail - start[1]) * rise
    inside = start <= edge[0] and edge[1] <= end
    return same and on and inside


def test_the_drawing_has_a_dot_for_every_node_and_the_path_on_top():
    figure = FIGURES["architectures"]()
    lines = [
        len(re.findall(r"M ", path))
        for path in re.findall(r' d="([^"]*)" clip-path', figure.svg)
    ]
    nodes = [
        len({node for edge in edges for node in edge}) for edges in GRAPHS.values()
    ]
    hops = [len(path) - 1 for _, _, path in PANELS]
    assert lines[1::4] == nodes
    assert lines[2::4] == hops == [16, 8, 3, 1]


def test_where_no_gradient_is_left_nothing_is_drawn_below_the_floor():
    figure = figures.decay(
        "fig-a", [1, 2], {"CNN": np.array([[1.0, 0.0]])}, 1e-3, "c", "a"
    )
    assert "nan" not in figure.svg.lower()


def test_a_curve_that_falls_through_the_floor_is_named_where_it_does():
    x = figures._falls_to(1e-3, [1, 10, 100], np.array([1.0, 1e-2, 1e-4]))
    assert x == pytest.approx(10**1.5)
    assert figures._falls_to(1e-3, [1, 10], np.array([1.0, 0.0])) < 10


def test_every_seed_has_a_mark_and_every_line_its_name():
    names = ("RNN", "LSTM", "attention", "attention, no positions")

    def race(seeds):
        runs = dict.fromkeys(names, {4: [1.0] * seeds, 8: [0.5] * seeds})
        return figures.race("fig-a", runs, 0.5, "c", "a")

    one, three = (race(seeds).svg.count("<use ") for seeds in (1, 3))
    assert three - one == 2 * 2 * len(names)
    assert {"RNN", "LSTM", "attention", "attention,", "no positions"} <= set(
        words(race(3))
    )
