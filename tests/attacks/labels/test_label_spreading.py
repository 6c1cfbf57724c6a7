"""Labels that spread over groups, against the matrix that nobody writes down."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.labels.leaf_labels import PERSISTENCE, spread_labels


def written_down(groups, known, labels, classes):
    """Zhou et al., letter by letter: every edge in a matrix, and the limit in closed form."""
    rows = len(groups[0])
    weights = np.zeros((rows, rows))
    for group in groups:
        for name in set(group.tolist()) - {-1}:
            inside = group == name
            weights += np.outer(inside, inside) / inside.sum()
    degree = weights.sum(axis=1)
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1))
    given = np.zeros((rows, classes))
    given[known, labels] = 1
    belief = (1 - PERSISTENCE) * np.linalg.solve(np.eye(rows) - PERSISTENCE * scale[:, None] * weights * scale, given)
    belief /= belief.sum(axis=0)
    reached = belief.sum(axis=1, keepdims=True)
    return np.where(reached > 0, belief / np.where(reached > 0, reached, 1), 1 / classes)


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(4, 15), trees=st.integers(1, 4))
def test_labels_spread_as_over_the_graph_with_every_edge(seed, rows, trees):
    rng = np.random.default_rng(seed)
    groups = [rng.integers(-1, 4, size=rows) for _ in range(trees)]
    known, labels = rng.choice(rows, 3, replace=False), np.array([0, 1, 1])
    found = spread_labels(groups, known, labels, 2)
    assert np.allclose(found, written_down(groups, known, labels, 2), atol=1e-3)


def test_a_class_without_labels_gets_nothing_and_unreached_rows_are_undecided():
    found = spread_labels([np.array([0, 0, 1, 1, -1])], np.array([0, 2]), np.array([0, 2]), 3)
    assert found.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0.5, 0, 0.5]]
