"""Guessed values are also sent down the trees that were released."""

import numpy as np
import pytest

from samples import small_data
from seepage.audit.scoring.scoring import score_guess
from seepage.audit.scoring.truth import truth_of
from seepage.guesses import FeatureGuess
from seepage.views.joint_columns import joint_columns, lacked_columns
from trained_runs import released, seen

RATES = ("branching_rate", "branching_rate_half", "branching_rate_uniform")


def scored(federation: str, units=None, *, model: bool = True) -> dict[str, float]:
    data = small_data("wine", parties=3)
    view = seen(released(federation, data), data, model=model)
    truth = truth_of(data, ("active",), columns=True)
    lacked = lacked_columns(view)
    true = lacked.units(truth.values(lacked.columns, data.test))
    guess = FeatureGuess(data.test, lacked.columns, true if units is None else np.full(true.shape, units))
    if model:
        assert joint_columns(view).targets == lacked.columns
    return dict(score_guess(guess, truth, view, "new", 0).other)


@pytest.mark.parametrize("federation", ["forest", "decision-tree"])
def test_true_values_go_the_true_way_and_a_constant_does_not(federation):
    exact, half = scored(federation), scored(federation, 0.5)
    assert exact["branching_rate"] > 0.99  # values go to units and back, which may move one across its threshold
    assert half["branching_rate"] == half["branching_rate_half"] == exact["branching_rate_half"] < 0.9
    assert half["branching_rate_uniform"] == exact["branching_rate_uniform"] < 0.9


def test_without_trees_there_is_nothing_to_go_down():
    assert not set(RATES) & set(scored("logistic-regression", 0.5))
    assert not set(RATES) & set(scored("forest", 0.5, model=False))
