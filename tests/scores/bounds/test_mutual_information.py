"""Theorem 2 against mutual information itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from seepage.scores.bounds import mutual_information_bound


@given(rows=st.integers(1, 80), classes=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_mutual_information_is_never_above_its_bound(rows, classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=rows)
    inside = rng.random((5, rows)) < rng.random((5, 1))
    overall = np.bincount(labels, minlength=classes)
    counts = np.stack([np.bincount(labels[member], minlength=classes) for member in inside])
    bounds = mutual_information_bound(counts, overall)
    for member, bound in zip(inside, bounds, strict=True):
        assert mutual_info_score(labels, member) <= bound + 1e-9


@given(rows=st.integers(2, 60), classes=st.integers(2, 5), answers=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_whatever_mechanism_reads_one_node_alone_shares_no_more_with_labels(rows, classes, answers, seed):
    """Corollary 1, with the mutual information of the joint distribution worked out exactly."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=rows)
    inside = rng.random(rows) < rng.random()
    mechanism = rng.dirichlet(np.ones(answers), size=2)  # what is answered outside, and inside
    answered = np.stack([mechanism[inside[labels == one].astype(int)].sum(axis=0) for one in range(classes)]) / rows
    alone = answered.sum(axis=1, keepdims=True) * answered.sum(axis=0)
    shared = np.sum(answered[answered > 0] * np.log(answered[answered > 0] / alone[answered > 0]))
    overall = np.bincount(labels, minlength=classes)
    bound = mutual_information_bound(np.bincount(labels[inside], minlength=classes)[None], overall)[0]
    assert shared <= mutual_info_score(labels, inside) + 1e-9 <= bound + 2e-9


def test_two_nodes_or_a_node_and_a_column_can_tell_what_no_bound_says():
    labels = np.repeat([0, 1], 4)
    one, other = np.array([1, 1, 0, 0, 1, 1, 0, 0]), np.array([1, 1, 0, 0, 0, 0, 1, 1])
    counts = np.stack([np.bincount(labels[seen == 1], minlength=2) for seen in (one, other)])
    assert mutual_information_bound(counts, np.array([4, 4])).tolist() == [0.0, 0.0]
    assert mutual_info_score(labels, 2 * one + other) == pytest.approx(np.log(2))


@given(seed=st.integers(0, 2**32 - 1))
def test_it_is_the_larger_of_two_sums(seed):
    rng = np.random.default_rng(seed)
    overall = rng.integers(1, 9, size=3)
    counts = rng.integers(0, overall + 1)
    sums = [0.0]
    for side in (counts, overall - counts):
        if side.sum():
            parts = [part / side.sum() for part in side]
            shares = overall / overall.sum()
            sums.append(sum(part * np.log(part / share) for part, share in zip(parts, shares, strict=True) if part))
    assert mutual_information_bound(counts[None], overall)[0] == pytest.approx(max(sums), abs=1e-12)


def test_all_rows_or_none_tell_nothing():
    assert mutual_information_bound(np.array([[3, 4, 0], [0, 0, 0]]), np.array([3, 4, 0])).tolist() == [0.0, 0.0]


def test_more_rows_than_there_are_is_refused():
    with pytest.raises(ValueError, match="a node cannot hold more rows"):
        mutual_information_bound(np.array([[3, 1]]), np.array([2, 2]))
