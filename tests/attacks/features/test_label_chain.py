"""Columns from labels: exact where they follow the label, worthless where they do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seepage
from hand_made import agreed, own_part
from seepage.attacks import ATTACKS
from seepage.attacks.features.label_chain import LabelChain
from seepage.attacks.steps.values.regression import regressed
from seepage.audit.scoring.scoring import score_guess
from seepage.audit.scoring.truth import TrueColumns, Truth
from seepage.audit.stages.chaining import threat_for
from seepage.errors import BadPlan, IncompatibleView, UnknownName
from seepage.guesses import ClusterGuess, FeatureGuess, LabelGuess
from seepage.partition import PublicColumns
from seepage.scores.features import mse_per_feature
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, observe

ROWS = 120


def view_of(guess, column, known=20, own=2, seed=0, **changes):
    """A bank with one column, a shop with a few of noise, and a guess of the labels of all rows."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(ROWS, own)).astype(np.float32)
    seen = np.sort(rng.choice(ROWS, known, replace=False))
    knowledge = {
        "threat": ThreatModel(adversaries=("shop",), known_values=known),
        "own": {"shop": own_part("shop", features)} if own else {},
        "train": np.arange(ROWS),
        "guess": guess,
        "others": {"bank": PublicColumns(("visits",), np.array([[0.0, 10.0]]))},
        "value_rows": seen,
        "values": {"bank": column[seen, None]},
    }
    terms = agreed(classes=3, top_model=False, outputs=3)
    return observe(Transcript(terms, ()), Knowledge(**{**knowledge, **changes}))


def scored(view, column, labels, known=20):
    guess = LabelChain(known=known).run(view, np.random.default_rng(0))
    return score_guess(guess, Truth(labels, {"bank": TrueColumns(("visits",), column[:, None])}), view, "train", 0)


def named(labels):
    return LabelGuess(np.arange(len(labels)), np.eye(3)[labels])


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), values=st.lists(st.floats(0, 10), min_size=3, max_size=3))
def test_a_column_that_follows_the_label_is_read_off_it(seed, values):
    labels = np.random.default_rng(seed).permutation(np.arange(ROWS) % 3)
    column = np.array(values)[labels]
    view = view_of(named(labels), column, known=60, seed=seed)
    score = scored(view, column, labels, known=60)
    assert score.value < 1e-8
    assert score.advantage is None or score.advantage > 0.99  # None: the three values are next to the same


@pytest.mark.parametrize("regression", ["ridge", "network"])
def test_labels_are_what_tells_a_column_that_own_columns_do_not(regression):
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    view = view_of(named(labels), column, known=40)
    settings = {"known": 40, "regression": regression}
    with_labels, without = (
        LabelChain(with_labels=used, **settings).run(view, np.random.default_rng(0)) for used in (True, False)
    )
    truth = column[with_labels.rows, None] / 10
    assert mse_per_feature(truth, with_labels.units) < 0.01  # a variance of 0.11
    assert mse_per_feature(truth, without.units) > 0.08


def test_without_labels_ridge_is_the_blind_twin_and_needs_no_earlier_attack():
    column = np.random.default_rng(5).uniform(0, 10, ROWS)
    view = view_of(None, column)
    guess = LabelChain(known=20, with_labels=False).run(view, np.random.default_rng(0))
    own, seen = view.knowledge.features.astype(np.float64), view.knowledge.value_rows
    told, _ = regressed(own[seen], column[seen, None] / 10, own[guess.rows])
    assert np.array_equal(guess.units, told)
    assert LabelChain(with_labels=False).needs.labels_from is None


def test_groups_serve_as_well_as_named_classes():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    groups = ClusterGuess(np.arange(ROWS), np.array([17, 3, 8])[labels])
    assert scored(view_of(groups, column), column, labels).value < 1e-8


def test_labels_that_were_known_stand_beside_guessed_ones():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    known, rest = np.arange(30), np.arange(30, ROWS)
    view = view_of(LabelGuess(rest, np.eye(3)[labels[rest]]), column, known_rows=known, known_labels=labels[known])
    assert scored(view, column, labels).value < 1e-8


def test_labels_that_the_earlier_attack_learns_from_are_granted():
    chain = LabelChain(labels="model-completion")
    assert threat_for(chain, ("shop",)).labels_per_class == ATTACKS["model-completion"]().labels_per_class
    assert threat_for(LabelChain(labels="model-completion", labels_per_class=20), ("shop",)).labels_per_class == 20
    assert threat_for(LabelChain(), ("shop",)).labels_per_class == 0
    with pytest.raises(ValueError, match="labels_per_class must be 0 or more, got -1"):
        LabelChain(labels_per_class=-1)


def test_a_column_that_has_nothing_to_do_with_the_label_is_not():
    reached = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels, column = rng.integers(3, size=ROWS), rng.uniform(0, 10, size=ROWS)
        reached.append(scored(view_of(named(labels), column, seed=seed), column, labels).advantage)
    assert np.mean(reached) < 0.02


def test_wrong_labels_are_no_better_than_none():
    reached = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.integers(3, size=ROWS)
        column = np.array([1.0, 4.0, 9.0])[labels]
        view = view_of(named(rng.permutation(labels)), column, seed=seed)
        reached.append(scored(view, column, labels).advantage)
    assert np.mean(reached) < 0.02


def test_the_blind_twin_is_the_same_regression_without_the_labels():
    rng = np.random.default_rng(3)
    labels = rng.integers(3, size=ROWS)
    view = view_of(named(labels), np.zeros(ROWS))
    own, seen = view.knowledge.features.astype(float), view.knowledge.value_rows
    column = 5 + own[:, 0] + 0.3 * rng.normal(size=ROWS) + labels
    view = view_of(named(labels), column)
    guess = LabelChain(known=20).run(view, rng)
    expected, error = regressed(own[seen], column[seen, None] / 10, own[guess.rows])
    truth = Truth(labels, {"bank": TrueColumns(("visits",), column[:, None])})
    other = score_guess(guess, truth, view, "train", 0).other  # blind is worked out by the audit, with the same learner
    off = mse_per_feature(column[guess.rows, None] / 10, expected)
    assert other["mse_own_columns_and_known_values"] == pytest.approx(off)
    assert guess.notes["leave_one_out_mse_without_labels"] == pytest.approx(error)
    assert guess.notes["leave_one_out_mse"] < guess.notes["leave_one_out_mse_without_labels"]
    mean = mse_per_feature(column[guess.rows] / 10, column[seen].mean() / 10)
    assert other["mse_mean_of_known_values"] == pytest.approx(mean)


def test_rows_whose_values_were_known_are_neither_guessed_nor_scored():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    view = view_of(named(labels), column)
    guess = LabelChain(known=20).run(view, np.random.default_rng(0))
    assert not set(guess.rows.tolist()) & set(view.knowledge.value_rows.tolist())
    other = column.copy()
    other[view.knowledge.value_rows] = 5.0
    truth = [Truth(labels, {"bank": TrueColumns(("visits",), values[:, None])}) for values in (column, other)]
    one, two = (score_guess(guess, each, view, "train", 0) for each in truth)
    assert one == two


def test_a_row_without_a_guess_has_no_indicator_and_still_gets_a_value():
    labels = np.arange(ROWS) % 2
    column = np.array([2.0, 8.0])[labels]
    silent = np.arange(ROWS) >= 100
    guess = LabelGuess(np.arange(ROWS), np.eye(3)[labels], silent)
    found = LabelChain(known=40).run(view_of(guess, column, known=40), np.random.default_rng(0))
    answered = found.rows < 100
    assert np.isfinite(found.units).all()
    assert mse_per_feature(column[found.rows[answered], None] / 10, found.units[answered]) < 0.01  # ½ earns 0.09
    partial = LabelGuess(np.arange(50), np.eye(3)[labels[:50]])  # rows of which nothing was said at all
    assert np.isfinite(LabelChain(known=40).run(view_of(partial, column, known=40), None).units).all()


def test_an_adversary_without_columns_has_the_labels_alone():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    score = scored(view_of(named(labels), column, own=0), column, labels)
    assert score.value < 1e-8
    assert "mse_own_columns_and_known_values" not in score.other
    assert score.blind <= score.other["mse_mean_of_known_values"]


def test_guesses_stay_inside_the_range():
    rng = np.random.default_rng(0)
    labels, column = rng.integers(3, size=ROWS), rng.choice([0.0, 10.0], size=ROWS)
    guess = LabelChain(known=20).run(view_of(named(labels), column, known=20, own=8), rng)
    assert guess.units.min() >= 0 and guess.units.max() <= 1


def test_missing_values_are_no_obstacle():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    view = view_of(named(labels), column)
    view.knowledge.own["shop"].features[::7] = np.nan
    view.knowledge.values["bank"][3] = np.nan
    assert np.isfinite(LabelChain(known=20).run(view, np.random.default_rng(0)).units).all()


def two_columns(**changes):
    """A view in which all known values of the second of two columns are missing."""
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    seen = view_of(named(labels), column).knowledge.value_rows
    others = {"bank": PublicColumns(("visits", "age"), np.array([[0.0, 10.0], [0.0, 99.0]]))}
    values = {"bank": np.stack((column[seen], np.full(len(seen), np.nan)), axis=1)}
    return view_of(named(labels), column, others=others, values=values, **changes)


def test_nothing_is_said_of_a_column_whose_known_values_are_all_missing():
    guess = LabelChain(known=20).run(two_columns(), np.random.default_rng(0))
    assert guess.columns == (("bank", "visits"),) and np.isfinite(guess.units).all()
    for columns in (("age",), ("visits", "age")):
        with pytest.raises(IncompatibleView, match="All 20 known values of column 'age' are missing"):
            LabelChain(known=20, columns=columns).run(two_columns(), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("attack", "changes", "reason"),
    [
        (LabelChain(known=20), {"column": np.full(ROWS, np.nan)}, "All 20 known values of column 'visits' are missing"),
        (LabelChain(known=20), {"guess": None}, "No guess of the labels"),
        (LabelChain(known=20), {"guess": FeatureGuess(np.zeros(0, int), (), np.zeros((0, 0)))}, "No guess of the lab"),
        (LabelChain(known=21), {}, "known for 20 training rows, but 21 are asked for"),
        (LabelChain(known=20), {"train": np.arange(20), "value_rows": np.arange(20)}, "for all training rows"),
        (LabelChain(known=20), {"others": {}}, "nothing to infer"),
        (LabelChain(known=20, columns=("visit",)), {}, "No party but the adversary holds a column 'visit'"),
    ],
    ids=["all missing", "no guess", "features", "too few", "all rows", "nothing lacking", "unknown column"],
)
def test_what_is_lacking_is_said(attack, changes, reason):
    view = view_of(**{"guess": named(np.arange(ROWS) % 3), "column": np.zeros(ROWS), **changes})
    with pytest.raises(IncompatibleView, match=reason):
        attack.run(view, np.random.default_rng(0))


def test_of_more_known_rows_than_asked_for_some_are_drawn():
    labels = np.arange(ROWS) % 3
    column = np.array([1.0, 4.0, 9.0])[labels]
    view = view_of(named(labels), column, known=60)
    one, two, other = (LabelChain(known=30).run(view, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert np.array_equal(one.units, two.units) and not np.array_equal(one.units, other.units)
    assert len(one.rows) == ROWS - 60


def audit(federation, **settings):
    held = {"clinic": ["mean radius", "mean area", "worst area"], "lab": ["mean texture", "mean smoothness"]}
    tried = {"federations": [federation], "attacks": [{"name": "label-chain", "settings": settings}], "defenses": []}
    (finding,) = seepage.audit("breast_cancer", parties=held, **tried, seeds=1)
    return finding


@pytest.mark.parametrize(
    ("federation", "labels"),
    [("logistic-regression", "gradient-sign"), ("summed-network", "gradient-sign"), ("boosting", "id2graph")],
)
def test_inferred_labels_tell_of_the_size_of_a_tumor(federation, labels):
    finding = audit(federation, labels=labels)
    assert finding.status == "ok" and finding.adversary == ("lab",) and finding.rows == "train"
    assert finding.metric == "mse" and finding.blind_kind == "own columns and known values"
    assert finding.advantage > 0.2
    assert finding.knowledge["known_values"] == 40


def test_only_the_chosen_columns_are_scored():
    finding = audit("logistic-regression", columns=["mean radius"])
    assert [key for key in finding.other_metrics if key.startswith("mse[")] == ["mse[mean radius]"]
    assert finding.value == pytest.approx(finding.other_metrics["mse[mean radius]"])


def test_where_the_earlier_attack_does_not_apply_this_one_does_not_either():
    finding = audit("split-network")
    assert finding.status == "not applicable" and "top model" in finding.reason
    assert "instance-space" in audit("logistic-regression", labels="id2graph").reason
    assert "mean radius, mean area" in audit("logistic-regression", columns=["mean radus"]).reason
    with pytest.raises((UnknownName, BadPlan)):
        audit("logistic-regression", labels="gradient-sing")


def test_a_table_with_too_few_rows_is_said_to_have_too_few():
    (finding,) = seepage.audit("synthetic:rows=40,features=4", federations=["logistic-regression"],
                               attacks=["label-chain"], defenses=[], seeds=1)  # fmt: skip
    assert finding.status == "not applicable" and "Known values of 40 training rows" in finding.reason
