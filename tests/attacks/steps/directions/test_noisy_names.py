"""Names that were replaced by chance: Bayes' rule by enumeration, and what can be known of how often they are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.steps.directions.noisy_names import NoisyNames, noisy_names


def channel(classes, kept):
    """Return the probability of each name (columns) under each label (rows)."""
    return np.full((classes, classes), (1 - kept) / (classes - 1)) + np.eye(classes) * (
        kept - (1 - kept) / (classes - 1)
    )


@given(classes=st.integers(2, 5), above=st.floats(0.05, 0.95), seed=st.integers(0, 2**32 - 1))
def test_columns_and_names_are_joined_as_by_enumeration(classes, above, seed):
    rng = np.random.default_rng(seed)
    kept = 1 / classes + above * (1 - 1 / classes)
    truth, names = rng.dirichlet(np.full(classes, 5.0), size=30), np.arange(30) % classes
    noise = channel(classes, kept)
    found = NoisyNames(np.eye(classes)[names], truth @ noise, kept)
    joined = np.zeros((30, classes))
    for row in range(30):
        for label in range(classes):
            joined[row, label] = truth[row, label] * noise[label, names[row]]
        joined[row] /= joined[row].sum()
    kept_well = (truth > 2e-3).all(axis=1)  # what columns leave to a class at least
    np.testing.assert_allclose(found.by_columns[kept_well], truth[kept_well], atol=1e-9)
    np.testing.assert_allclose(found.joined[kept_well], joined[kept_well], atol=1e-9)


def test_messages_that_say_nothing_leave_what_columns_say():
    said = np.array([[0.6, 0.4], [0.3, 0.7]])
    found = NoisyNames(np.full((2, 2), 0.5), said, kept=0.8)
    np.testing.assert_allclose(found.joined, found.by_columns)


@pytest.mark.parametrize("kept", [0.65, 0.9])
def test_how_often_names_are_right_is_never_said_much_too_high(kept):
    """Columns cannot foretell chance, so that names are right at least as often as they foretell them."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=1500)
    names = np.where(rng.random(1500) < kept, truth, 1 - truth)
    columns = truth[:, None] + rng.normal(scale=0.4, size=(1500, 2))
    found = noisy_names(np.eye(2)[names], np.ones(1500, dtype=bool), columns, rng)
    assert kept - 0.15 < found.kept < kept + 0.02


def test_names_that_columns_do_not_foretell_are_no_names():
    rng = np.random.default_rng(1)
    refused = [
        noisy_names(np.eye(3)[rng.integers(3, size=300)], np.ones(300, dtype=bool), rng.normal(size=(300, 4)), rng)
        for _ in range(5)
    ]
    assert sum(one is None for one in refused) >= 4


def test_groups_are_named_by_known_labels_though_some_names_are_wrong():
    rng = np.random.default_rng(2)
    truth = np.arange(900) % 3
    names = np.where(rng.random(900) < 0.6, truth, rng.integers(3, size=900))
    columns = np.eye(3)[truth] + rng.normal(scale=0.3, size=(900, 3))
    called = np.array([2, 0, 1])
    groups = noisy_names(np.eye(3)[called[names]], np.ones(900, dtype=bool), columns, rng)
    known = np.arange(12)
    assert np.mean(groups.named_by(known, truth[known]).joined.argmax(axis=1) == truth) > np.mean(names == truth) + 0.1
