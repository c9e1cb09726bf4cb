"""Path lengths against networkx and against the closed forms."""

import math

import networkx
import pytest

from paths import (
    attention_edges,
    attention_hops,
    cnn_edges,
    cnn_hops,
    dilated_cnn_edges,
    dilated_cnn_hops,
    path_length,
    rnn_edges,
    rnn_hops,
    sequential_steps,
    shortest_path,
)

WIDTHS = range(2, 8)
ARCHITECTURES = [
    pytest.param(rnn_edges, rnn_hops, (), id="rnn"),
    *[pytest.param(cnn_edges, cnn_hops, (k,), id=f"cnn-{k}") for k in WIDTHS],
    *[
        pytest.param(dilated_cnn_edges, dilated_cnn_hops, (k,), id=f"dilated-{k}")
        for k in WIDTHS
    ],
    pytest.param(attention_edges, attention_hops, (), id="attention"),
]


def oracle(edges, source):
    """Fewest edges from (0, source) to each position above layer 0, by networkx."""
    graph = networkx.DiGraph(edges)
    fewest = {}
    for (layer, position), hops in networkx.single_source_shortest_path_length(
        graph, (0, source)
    ).items():
        if layer >= 1:
            fewest[position] = min(hops, fewest.get(position, hops))
    return fewest


@pytest.mark.claim("prp-path-length")
@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_first_to_last_is_the_closed_form_and_what_networkx_finds(edges, hops, width):
    for n in range(1, 65):
        graph = edges(n, *width)
        assert path_length(graph, 0, n - 1) == hops(n, *width), n
        assert oracle(graph, 0)[n - 1] == hops(n, *width), n


@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
@pytest.mark.parametrize("n", [1, 2, 9, 16])
def test_every_pair_of_positions_is_as_far_apart_as_networkx_finds(
    edges, hops, width, n
):
    graph = edges(n, *width)
    for source in range(n):
        fewest = oracle(graph, source)
        assert fewest[source] == 1
        for target in range(n):
            assert path_length(graph, source, target) == fewest.get(target)


@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_no_position_sees_a_later_one(edges, hops, width):
    graph = edges(16, *width)
    assert len(set(graph)) == len(graph)
    assert all(tail[1] <= head[1] for tail, head in graph)
    assert path_length(graph, 5, 4) is None


@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_layers_are_counted_from_the_inputs_without_a_gap(edges, hops, width):
    layers = {layer for edge in edges(16, *width) for layer, _ in edge}
    assert layers == set(range(len(layers)))


@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_the_shortest_path_is_made_of_edges(edges, hops, width):
    graph = edges(16, *width)
    path = shortest_path(graph, 0, 15)
    assert path[0] == (0, 0)
    assert path[-1][1] == 15
    assert set(zip(path, path[1:])) <= set(graph)


@pytest.mark.parametrize(("edges", "hops", "k"), [(cnn_edges, cnn_hops, 3)])
def test_one_layer_fewer_does_not_connect(edges, hops, k):
    for n in range(4, 30):
        shallow = [edge for edge in edges(n, k) if edge[1][0] < hops(n, k)]
        assert path_length(shallow, 0, n - 1) is None


@pytest.mark.claim("clm-sequential-steps")
@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_sequential_steps_are_the_longest_path_that_networkx_finds(edges, hops, width):
    for n in (1, 2, 9, 30):
        graph = edges(n, *width)
        longest = networkx.dag_longest_path_length(networkx.DiGraph(graph))
        assert sequential_steps(graph) == longest == hops(n, *width)


def test_hops_at_1024_tokens_and_width_3():
    n, k = 1024, 3
    assert (
        rnn_hops(n),
        cnn_hops(n, k),
        dilated_cnn_hops(n, k),
        attention_hops(n),
    ) == (1024, 512, 7, 1)


@pytest.mark.claim("clm-integer-log")
@pytest.mark.parametrize(("n", "k", "hops"), [(125, 5, 3), (216, 6, 3)])
def test_powers_of_the_width_are_not_rounded_up_by_the_logarithm(n, k, hops):
    assert math.ceil(math.log(n, k)) == hops + 1
    assert dilated_cnn_hops(n, k) == hops
    assert dilated_cnn_hops(n + 1, k) == hops + 1


@pytest.mark.parametrize("hops", [cnn_hops, dilated_cnn_hops])
def test_width_one_is_refused(hops):
    with pytest.raises(ValueError, match="k = 1 connects no two positions"):
        hops(8, 1)


@pytest.mark.claim("clm-digits")
@pytest.mark.parametrize("k", WIDTHS)
def test_the_only_path_of_a_dilated_stack_spells_the_distance_in_base_k(k):
    for n in range(2, 40):
        edges = dilated_cnn_edges(n, k)
        path = shortest_path(edges, 0, n - 1)
        moves = [head[1] - tail[1] for tail, head in zip(path, path[1:])]
        digits = [(n - 1) // k**layer % k for layer in range(len(moves))]
        assert moves == [digit * k**layer for layer, digit in enumerate(digits)]
        graph = networkx.DiGraph(edges)
        assert len(list(networkx.all_simple_paths(graph, path[0], path[-1]))) == 1


def test_the_shortest_of_two_paths_is_found_in_any_order_of_the_edges():
    short = [((0, 0), (1, 1))]
    detour = [((0, 0), (1, 0)), ((1, 0), (2, 0)), ((2, 0), (3, 1))]
    for edges in (short + detour, detour + short):
        assert shortest_path(edges, 0, 1) == [(0, 0), (1, 1)]
        assert path_length(edges, 0, 1) == 1


@pytest.mark.parametrize(("edges", "hops", "width"), ARCHITECTURES)
def test_the_order_of_the_edges_changes_no_count(edges, hops, width):
    backward = edges(16, *width)[::-1]
    assert path_length(backward, 0, 15) == hops(16, *width)
    assert sequential_steps(backward) == hops(16, *width)
