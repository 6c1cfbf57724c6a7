"""The network in a forest's place says what the forest says, on rows it has not met."""

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier

from seepage.attacks.steps.generation.differentiable_model import (
    SurrogateSettings,
    dummy_units,
    forest_says,
    train_surrogate,
)
from seepage.trees.whole_tree import WholeTree


def grown(columns=4, classes=3, trees=8):
    """A forest of scikit-learn's over values between 0 and 1, with the same trees as ours."""
    rng = np.random.default_rng(0)
    features = rng.random((2000, columns)).astype(np.float32)
    labels = (classes * (features[:, 0] + features[:, 1]) / 2).astype(int).clip(0, classes - 1)
    forest = RandomForestClassifier(trees, max_depth=3, random_state=0).fit(features, labels)
    return forest, [whole(tree.tree_) for tree in forest.estimators_]


def whole(tree):
    leaf = tree.children_left < 0
    return WholeTree(
        column=np.where(leaf, -1, tree.feature),
        threshold=tree.threshold.astype(np.float32),
        missing_left=np.zeros(len(leaf), dtype=bool),
        left=tree.children_left,
        right=tree.children_right,
        values=tree.value[:, 0],
        grafted=np.zeros(len(leaf), dtype=bool),
    )


def test_a_forest_says_what_scikit_learn_says():
    forest, trees = grown()
    rows = np.random.default_rng(1).random((500, 4)).astype(np.float32)
    assert np.allclose(forest_says(trees, "ratios", rows), forest.predict_proba(rows))
    votes = np.mean([np.eye(3)[tree.predict(rows).astype(int)] for tree in forest.estimators_], axis=0)
    assert np.allclose(forest_says(trees, "votes", rows), votes)


@pytest.mark.parametrize("release", ["votes", "ratios"])
def test_the_network_says_nearly_what_the_forest_says_of_fresh_rows(release):
    _, trees = grown()
    rng = np.random.default_rng(2)

    def made_up(count):
        units = dummy_units(np.zeros((0, 0)), np.arange(0), 4, count, "whole-space", rng)
        return torch.as_tensor(units).float(), torch.as_tensor(forest_says(trees, release, units)).float()

    torch.manual_seed(0)
    network = train_surrogate(*made_up(20_000), SurrogateSettings(steps=400, hidden=(200, 100)))
    fresh, said = made_up(2000)
    found = network(fresh)
    assert not found.requires_grad
    assert (found - said).square().sum(dim=1).mean() < 0.06 * said.var(dim=0).sum()
    assert (found.argmax(dim=1) == said.argmax(dim=1)).float().mean() > 0.93


def test_made_up_rows_have_real_values_where_asked_and_uniform_ones_elsewhere():
    own, known = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]), np.array([3, 1])
    rng = np.random.default_rng(0)
    units = dummy_units(own, known, 4, 3000, "own-rows", rng)
    assert {tuple(row) for row in units[:, known]} == {tuple(row) for row in own}
    counts = np.unique(units[:, 3], return_counts=True)[1]
    assert counts.tolist() == [1000, 1000, 1000]
    for column in (units[:, 0], units[:, 2], *dummy_units(own, known, 4, 3000, "whole-space", rng).T):
        assert np.quantile(column, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.05)
        assert column.min() >= 0 and column.max() <= 1
