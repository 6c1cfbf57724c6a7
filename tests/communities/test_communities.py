"""Communities of cliques, against igraph, against all partitions and against a matrix written out."""

import random

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.communities import Cliques, chunked, louvain
from seepage.communities.louvain import Level, Moves
from seepage.communities.moving import move_each, same_cliques

SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def forests(draw, most_rows=40, most_trees=5):
    """Leaf numbers of a few trees over a few rows, and weights."""
    rows, trees = draw(st.integers(1, most_rows)), draw(st.integers(1, most_trees))
    rng = np.random.default_rng(draw(SEEDS))
    leaves = [rng.integers(-1, draw(st.integers(1, 8)), size=rows) for _ in range(trees)]
    return leaves, rng.uniform(0.1, 2.0, size=trees).tolist()


def adjacency(leaves, weights):
    matrix = np.zeros((len(leaves[0]), len(leaves[0])))
    for leaf, weight in zip(leaves, weights, strict=True):
        matrix += weight * ((leaf[:, None] == leaf) & (leaf >= 0))
    np.fill_diagonal(matrix, 0.0)
    return matrix


def edges_of(graph):
    """The matrix of a graph of cliques, clique by clique."""
    matrix = np.zeros((graph.rows, graph.rows))
    owner = np.repeat(np.arange(graph.rows), np.diff(graph.starts))
    for clique, weight in enumerate(graph.weights):
        rows = owner[graph.members == clique]
        matrix[np.ix_(rows, rows)] += weight
    np.fill_diagonal(matrix, 0.0)
    return matrix


def peer(matrix):
    first, second = np.nonzero(np.triu(matrix))
    return igraph.Graph(len(matrix), list(zip(first.tolist(), second.tolist(), strict=True))), matrix[first, second]


def grown(rows, trees, seed):
    """Leaves as trees have them: rows close together mostly fall into the same leaf."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rows, 3)) + 2 * rng.integers(4, size=(rows, 1))
    leaves = []
    for _ in range(trees):
        cuts = np.sort(rng.choice(points[:, 0], size=7, replace=False))
        leaves.append(np.searchsorted(cuts, points[:, 0] + rng.normal(scale=0.2, size=rows)))
    return leaves


@given(forest=forests())
def test_cliques_are_the_matrix_of_equation_1_without_its_diagonal(forest):
    graph = Cliques.of_leaves(*forest)
    matrix = adjacency(*forest)
    assert np.allclose(edges_of(graph), matrix)
    assert np.allclose(graph.degrees, matrix.sum(axis=1))
    assert graph.total == pytest.approx(matrix.sum())


@given(forest=forests(), seed=SEEDS)
def test_modularity_is_that_of_igraph(forest, seed):
    labels = np.random.default_rng(seed).integers(4, size=len(forest[0][0]))
    explicit, weights = peer(adjacency(*forest))
    if len(weights):
        expected = explicit.modularity(labels.tolist(), weights=weights)
        assert Cliques.of_leaves(*forest).modularity(labels) == pytest.approx(expected, abs=1e-12)


@given(rows=st.integers(20, 120), trees=st.integers(1, 5), eta=st.sampled_from([1.0, 0.6]), seed=SEEDS)
def test_communities_are_no_worse_than_those_of_igraph(rows, trees, eta, seed):
    leaves, weights = grown(rows, trees, seed), [eta**tree for tree in range(trees)]
    explicit, edge_weights = peer(adjacency(leaves, weights))
    random.seed(seed)
    found = explicit.community_multilevel(weights=edge_weights)
    expected = explicit.modularity(found.membership, weights=edge_weights)
    ours = louvain(Cliques.of_leaves(leaves, weights), np.random.default_rng(seed))
    assert ours.modularity >= expected - 1e-9
    assert ours.modularity == pytest.approx(explicit.modularity(ours.labels.tolist(), weights=edge_weights))


def test_a_medium_forest_is_clustered_no_worse_than_by_igraph():
    leaves, weights = grown(1500, 5, 7), [1.0] * 5
    explicit, edge_weights = peer(adjacency(leaves, weights))
    random.seed(0)
    found = explicit.community_multilevel(weights=edge_weights)
    ours = louvain(Cliques.of_leaves(leaves, weights), np.random.default_rng(0))
    assert ours.modularity >= explicit.modularity(found.membership, weights=edge_weights) - 1e-9


def partitions(rows):
    """All ways to put rows into communities."""
    if rows == 0:
        yield []
        return
    for smaller in partitions(rows - 1):
        for label in range(max(smaller, default=-1) + 2):
            yield [*smaller, label]


@given(forest=forests(most_rows=7, most_trees=3))
def test_no_partition_of_a_few_rows_is_better_by_much_and_none_is_worse_than_the_best(forest):
    graph = Cliques.of_leaves(*forest)
    best = max(graph.modularity(np.array(labels)) for labels in partitions(graph.rows))
    ours = louvain(graph, np.random.default_rng(0)).modularity
    assert best - 0.02 <= ours <= best + 1e-12


def test_the_best_partition_of_an_easy_graph_is_found():
    graph = Cliques.of_leaves([np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 2, 2])], [1.0, 0.2])
    best = max(partitions(7), key=lambda labels: graph.modularity(np.array(labels)))
    assert louvain(graph, np.random.default_rng(0)).labels.tolist() == best == [0, 0, 0, 1, 1, 1, 1]


@given(forest=forests(most_rows=7, most_trees=3))
def test_some_best_partition_keeps_twins_together(forest):
    graph = Cliques.of_leaves(*forest)
    alike = same_cliques(graph.starts, graph.members, len(graph.weights))
    quality = {tuple(labels): graph.modularity(np.array(labels)) for labels in partitions(graph.rows)}
    together = [
        value
        for labels, value in quality.items()
        if len(set(zip(labels, alike.tolist(), strict=True))) == len(set(alike.tolist()))
    ]
    assert max(together) == pytest.approx(max(quality.values()), abs=1e-12)


@given(forest=forests(), longest=st.integers(1, 6))
def test_rows_are_alike_when_their_first_cliques_are(forest, longest):
    graph = Cliques.of_leaves(*forest)
    labels = same_cliques(graph.starts, graph.members, longest)
    lists = [tuple(graph.members[start : start + longest]) for start in graph.starts[:-1]]
    ends = [tuple(part[: end - start]) for part, start, end in zip(lists, graph.starts, graph.starts[1:], strict=False)]
    for one in range(graph.rows):
        for other in range(one):
            assert (labels[one] == labels[other]) == (ends[one] == ends[other] != ())


@given(forest=forests(most_rows=25), seed=SEEDS)
def test_every_move_gains_what_the_matrix_says_and_none_is_better(forest, seed):
    graph, rng = Cliques.of_leaves(*forest), np.random.default_rng(seed)
    if graph.total == 0:
        return
    matrix, degrees, total = adjacency(*forest), graph.degrees, graph.total
    counts = np.ones(len(graph.members), dtype=np.int64)
    level = Level(graph.starts, graph.members, counts, degrees)
    moves = Moves.begin(level, rng.integers(min(4, graph.rows), size=graph.rows), len(graph.weights))
    for node in rng.permutation(graph.rows):
        before, home = moves.labels.copy(), moves.labels[node]
        others = np.arange(graph.rows) != node
        gains = {
            label: matrix[node, others & (before == label)].sum()
            - degrees[node] * degrees[others & (before == label)].sum() / total
            for label in range(graph.rows)
        }
        gain = move_each(
            np.array([node]), level.starts, level.cliques, level.counts, graph.weights, degrees, total, moves.labels,
            moves.totals, moves.occupants, moves.slots, moves.held, moves.amounts, moves.lengths,
        )  # fmt: skip
        assert gains[moves.labels[node]] == pytest.approx(max(gains.values()), abs=1e-9)
        assert gain == pytest.approx(2 * (gains[moves.labels[node]] - gains[home]) / total, abs=1e-9)
        assert gain == pytest.approx(graph.modularity(moves.labels) - graph.modularity(before), abs=1e-9)


def test_a_level_of_communities_has_the_same_modularity():
    leaves = grown(200, 4, 3)
    graph = Cliques.of_leaves(leaves, [1.0] * 4)
    level = Level(graph.starts, graph.members, np.ones(len(graph.members), dtype=np.int64), graph.degrees)
    labels = np.arange(200) % 7
    above, node = Moves.begin(level, labels, len(graph.weights)).aggregated()
    inside = sum(
        graph.weights[clique] * count * (count - 1) for clique, count in zip(above.cliques, above.counts, strict=True)
    )
    assert above.nodes == 7 and np.array_equal(node, labels)
    expected = inside / graph.total - np.sum((above.degrees / graph.total) ** 2)
    assert graph.modularity(labels) == pytest.approx(expected)


@given(rows=st.integers(8, 60), seed=SEEDS)
def test_the_order_of_rows_changes_numbers_but_not_quality(rows, seed):
    leaves, order = grown(rows, 3, seed), np.random.default_rng(seed).permutation(rows)
    one = louvain(Cliques.of_leaves(leaves, [1.0] * 3), np.random.default_rng(1))
    two = louvain(Cliques.of_leaves([leaf[order] for leaf in leaves], [1.0] * 3), np.random.default_rng(1))
    assert one.modularity == pytest.approx(two.modularity, abs=0.02)


def test_one_seed_gives_one_answer():
    graph = Cliques.of_leaves(grown(400, 5, 0), [1.0] * 5)
    one, two = (louvain(graph, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one.labels, two.labels) and one.modularity == two.modularity


def test_scaling_all_weights_changes_nothing():
    leaves = grown(300, 3, 1)
    plain, heavy = (
        louvain(Cliques.of_leaves(leaves, [scale, 0.5 * scale, 0.1 * scale]), np.random.default_rng(0))
        for scale in (1.0, 1024.0)
    )
    assert np.array_equal(plain.labels, heavy.labels)


def test_a_coarse_start_for_lack_of_budget_loses_little(monkeypatch):
    graph = Cliques.of_leaves(grown(2000, 5, 2), [1.0] * 5)
    fine = louvain(graph, np.random.default_rng(0)).modularity
    import importlib

    monkeypatch.setattr(importlib.import_module("seepage.communities.louvain"), "WORK", 2000)
    assert louvain(graph, np.random.default_rng(0)).modularity >= fine - 0.02


def test_rows_in_no_leaf_stand_alone():
    found = louvain(Cliques.of_leaves([np.array([-1, 0, 0, -1, 3])], [1.0]), np.random.default_rng(0))
    assert len(set(found.labels.tolist())) == 4 and found.labels[1] == found.labels[2]
    nothing = louvain(Cliques.of_leaves([np.full(3, -1)], [1.0]), np.random.default_rng(0))
    assert sorted(nothing.labels.tolist()) == [0, 1, 2] and nothing.modularity == 0.0


def test_chunks_are_linked_from_the_last_row_to_the_first_of_the_next():
    leaf = np.array([0, 0, 0, 0, 0, 1, 1, -1])
    matrix = edges_of(chunked([leaf], [1.0], 3, 100.0, np.random.default_rng(0)))
    assert sorted(matrix[np.triu_indices(8, 1)].tolist(), reverse=True) == [100.0] + [1.0] * 5 + [0.0] * 22
    assert matrix[5, 6] == 1.0 and not matrix[5:, :5].any() and not matrix[7].any()
    one, other = (int(end[0]) for end in np.nonzero(np.triu(matrix == 100.0)))
    sizes = sorted([np.count_nonzero(matrix[one] == 1.0), np.count_nonzero(matrix[other] == 1.0)])
    assert sizes == [1, 2]  # the link joins a chunk of three with a chunk of two


def test_chunks_of_another_tree_hold_other_rows():
    leaf = np.zeros(40, dtype=np.int64)
    matrix = edges_of(chunked([leaf, leaf], [1.0, 1.0], 4, 0.0, np.random.default_rng(0)))
    assert np.count_nonzero(matrix == 1.0) > np.count_nonzero(matrix == 2.0)


@given(forest=forests(), seed=SEEDS)
def test_a_chunk_as_large_as_the_table_changes_nothing(forest, seed):
    rows = len(forest[0][0])
    graph = chunked(*forest, max(2, rows), 100.0, np.random.default_rng(seed))
    assert np.allclose(edges_of(graph), adjacency(*forest))


@pytest.mark.parametrize("weights", [[-1.0], [np.inf], [np.nan], []])
def test_impossible_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weight"):
        Cliques.of_leaves([np.zeros(3, dtype=np.int64)], weights)


def test_a_chunk_of_one_row_is_refused():
    with pytest.raises(ValueError, match="chunk must be 2 or more, got 1"):
        chunked([np.zeros(3, dtype=np.int64)], [1.0], 1, 100.0, np.random.default_rng(0))
