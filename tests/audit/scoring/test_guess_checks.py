"""A guess that cannot be scored is refused in one sentence that names the attack and the fault."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import agreed
from seepage.attacks import ATTACKS
from seepage.audit.scoring.guess_checks import check_guess
from seepage.errors import BadGuess
from seepage.guesses import Branches, BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, LabelGuess
from seepage.partition import PublicColumns
from seepage.views import Knowledge, ThreatModel, View

ROWS = np.array([1, 3, 8])
VIEW = View(
    agreed("summed-network", top_model=False),
    Knowledge(
        threat=ThreatModel(adversaries=("bank",)),
        train=np.array([3, 1, 2]),
        new=np.array([8]),
        others={"shop": PublicColumns(("age", "job"), np.zeros((0, 2)))},
    ),
)
LABELS = LabelGuess(ROWS, np.ones((3, 2)))
CLUSTERS = ClusterGuess(ROWS, np.zeros(3, dtype=np.int64))
VALUES = FeatureGuess(ROWS, (("shop", "job"),), np.ones((3, 1)))
BRANCHES = Branches((("shop", "age"),), np.ones(1), np.ones(1), np.zeros(1, bool), np.array([[1], [-1]], np.int8))
PATHS = BranchGuess(ROWS, BRANCHES, np.array([0, 1, 1]), np.ones((3, 2), bool), np.ones((3, 2), bool))
FRACTION = FractionGuess(0.5, {"other": 0.25})
STEALING = {"labels": "gradient-sign", "features": "path-restriction", "properties": "adjusted-count"}


def checked(guess, steals="labels"):
    return check_guess(guess, ATTACKS[STEALING[steals]](), VIEW)


@pytest.mark.parametrize(
    ("guess", "steals"),
    [(LABELS, "labels"), (CLUSTERS, "labels"), (VALUES, "features"), (PATHS, "features"), (FRACTION, "properties")],
)
def test_a_guess_of_the_right_kind_passes(guess, steals):
    assert checked(guess, steals) is guess


@pytest.mark.parametrize(
    ("guess", "steals", "fault"),
    [
        (None, "labels", "a NoneType, where one that steals labels must return a LabelGuess or a ClusterGuess"),
        (FRACTION, "labels", "a FractionGuess, where"),
        (LABELS, "features", "must return a FeatureGuess or a BranchGuess"),
        (VALUES, "properties", "must return a FractionGuess"),
        (replace(LABELS, scores=np.full((3, 2), np.nan)), "labels", "the scores hold values that are no numbers"),
        (replace(LABELS, scores=np.full((3, 2), np.inf)), "labels", "the scores hold values that are no numbers"),
        (replace(LABELS, scores=np.ones((3, 5))), "labels", r"the scores have the shape \(3, 5\), where \(3, 2\)"),
        (replace(LABELS, scores=np.ones((3, 2), dtype=object)), "labels", "of type object, not numbers"),
        (replace(LABELS, scores=[[1, 2]] * 3), "labels", "the scores are a list, not an array"),
        (replace(LABELS, rows=np.array([1, 3, 3])), "labels", "row 3 is named more than once"),
        (replace(LABELS, rows=np.array([1, 3, 99])), "labels", "row 99 does not exist"),
        (replace(LABELS, rows=np.array([1, 3, -1])), "labels", "row -1 does not exist"),
        (replace(LABELS, rows=np.array([1.0, 3.0, 8.0])), "labels", "its rows are no row numbers"),
        (replace(LABELS, rows=[1, 3, 8]), "labels", "its rows are no row numbers"),
        (replace(LABELS, steps={"first": np.array([0, 1, 2])}), "labels", "step first names a class too many"),
        (replace(LABELS, notes={"sure": "very"}), "labels", "a note is 'very', which is no number"),
        (replace(CLUSTERS, clusters=np.ones(3)), "labels", "the clusters are of type float64, not whole numbers"),
        (replace(VALUES, columns=(("shop", "height"),)), "features", "no other party has a column .*height"),
        (
            FeatureGuess(ROWS, (("shop", "job"),) * 2, np.ones((3, 2))),
            "features",
            r"column \('shop', 'job'\) is named more than once",
        ),
        (replace(PATHS, leaf=np.array([0, 1, 2])), "features", "a leaf does not exist"),
        (
            replace(PATHS, branches=replace(BRANCHES, thresholds=np.array([np.nan]))),
            "features",
            "a threshold is no number",
        ),
        (replace(PATHS, branches=replace(BRANCHES, columns=())), "features", "0 columns are named for 1 nodes"),
    ],
)
def test_anything_else_is_refused_by_name(guess, steals, fault):
    with pytest.raises(BadGuess, match=rf"{STEALING[steals]} guessed .* cannot be scored: .*{fault}"):
        checked(guess, steals)
