"""Fractions scored by hand: before and after withdrawal, beside every answer that needs no federation."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import agreed, own_part
from property_runs import observed
from seepage.attacks.properties.adjusted_count import AdjustedCount
from seepage.audit.scoring.scoring_fractions import (
    EXHAUSTED,
    HALF,
    SHARE,
    TWIN,
    blind_fractions,
    fraction_twins,
    score_fraction_guess,
)
from seepage.audit.scoring.truth import Truth
from seepage.errors import BadTranscript
from seepage.guesses import FractionGuess, NormHistograms
from seepage.learners.quantification import quantify, with_known
from seepage.randomness import stream
from seepage.scores.bounds.distinguishing import distinguishing_bound
from seepage.scores.remembered import Remembered
from seepage.scores.twins import Twins
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel, View

HAS = np.arange(100) < 40
"""Of 100 rows that were aligned, the first 40 have the property."""
TERMS = agreed(outputs=4)


def view_of(train, known, *, exhausted=False, columns=0, labels=None, source=None, seed=0):
    """A bank that takes part with some rows and knows of some whether they have the property."""
    features = np.random.default_rng(seed).normal(size=(100, columns)).astype(np.float32)
    if columns:
        features[:, 0] += 2 * HAS
    source = known if source is None else source
    threat = ThreatModel(adversaries=("bank",), property="p=1", auxiliary=Auxiliary())
    auxiliary = KnownRows(known, source, HAS[source], exhausted)
    own = {"bank": own_part("bank", features, labels=labels)}
    return View(TERMS, Knowledge(threat=threat, own=own, train=train, auxiliary=auxiliary))


def score(guess, view, before=None, has=HAS):
    truth = Truth(np.zeros(100, dtype=np.int64), has=has, before=np.arange(100) if before is None else before)
    return score_fraction_guess(guess, fraction_twins(view, 0, Remembered()), truth, view)


KNOWN = np.array([0, 1, 2, 3, 4, 5, 50, 51])
"""Six rows with the property and two without."""


def test_without_withdrawal_there_is_one_error():
    found = score(FractionGuess(0.45, others={"AO": 0.6}), view_of(np.arange(100), KNOWN))
    assert found.value == pytest.approx(0.05) and found.blind == pytest.approx(0.1)
    assert found.blind_kind == HALF and found.advantage == pytest.approx(0.5)
    assert found.other == pytest.approx({
        "true_fraction": 0.4, "guessed_fraction": 0.45, "error_one_half": 0.1, "error_auxiliary_share": 0.35,
        "error_AO": 0.2,
    })  # fmt: skip


def test_withdrawn_rows_count_and_putting_them_back_undoes_it():
    """20 of the 40 are withdrawn: 20 of 80 are left, and the estimate of that is right."""
    found = score(FractionGuess(0.25), view_of(np.arange(20, 100), np.array([20, 21, 22, 80, 81])))
    assert found.value == pytest.approx(0.15)  # what is protected is the fraction that was aligned
    assert found.other["true_fraction"] == 0.4
    assert found.other["error_after_withdrawal"] == pytest.approx(0)
    assert found.other["withdrawal_shift"] == pytest.approx(0.15)
    assert found.other["error_putting_back"] == pytest.approx(0)  # (20 + 0.25 × 80) / 100
    off = score(FractionGuess(0.35), view_of(np.arange(20, 100), np.array([20, 21, 22, 80, 81])))
    assert off.value == pytest.approx(0.05)  # a wrong guess may be nearer to what was before
    assert off.other["error_after_withdrawal"] == pytest.approx(0.1)
    assert off.other["error_putting_back"] == pytest.approx(0.08)


def test_answers_without_a_federation_by_hand():
    view = view_of(np.arange(100), KNOWN)
    assert blind_fractions(view, view.knowledge.auxiliary, 0) == {HALF: 0.5, SHARE: 0.75}
    all_of_them = np.concatenate([np.arange(40), [50, 51]])
    view = view_of(np.arange(100), all_of_them, exhausted=True)
    assert blind_fractions(view, view.knowledge.auxiliary, 0)[EXHAUSTED] == 0.4
    found = score(FractionGuess(0.41), view)
    assert found.blind == 0 and found.blind_kind == EXHAUSTED and found.advantage is None


def test_the_twin_is_the_same_estimator_on_what_the_adversary_brought_along():
    known = np.concatenate([np.arange(15), np.arange(60, 75)])
    labels = np.arange(100) % 2
    view = view_of(np.arange(100), known, columns=2, labels=labels)
    own = np.hstack([view.knowledge.features, np.eye(2, dtype=np.float32)[labels]])
    rest = np.setdiff1d(np.arange(100), known)
    expected = quantify(own[known], HAS[known], own[rest], stream(0, "blind", "property"))
    answers = blind_fractions(view, view.knowledge.auxiliary, 0)
    assert answers[TWIN] == with_known(expected.probabilistic, HAS[known], 70)
    assert abs(answers[TWIN] - 0.4) < 0.15
    assert score(FractionGuess(answers[TWIN]), view).advantage in {None, 0.0}
    assert "error_adjusted_counting_on_own_columns" in score(FractionGuess(0.4), view).other


def test_labels_alone_make_a_twin_and_strangers_are_not_counted():
    train, strangers = np.arange(10, 90), np.concatenate([np.arange(10), np.arange(90, 100)])
    view = view_of(train, np.arange(40, 60), labels=HAS.astype(np.int64), source=strangers)
    answers = blind_fractions(view, view.knowledge.auxiliary, 0)
    assert answers[TWIN] == pytest.approx(30 / 80)  # the label tells it of everybody, those that are stood in for too


def test_the_twin_is_worked_out_once():
    answers, view = Remembered(), view_of(np.arange(100), np.arange(25, 65), columns=1)
    truth = Truth(np.zeros(100, dtype=np.int64), has=HAS, before=np.arange(100))
    one = score_fraction_guess(FractionGuess(0.3), fraction_twins(view, 0, answers), truth, view)
    view.knowledge.own["bank"].features[...] = 0
    assert score_fraction_guess(FractionGuess(0.3), fraction_twins(view, 0, answers), truth, view) == one
    assert score_fraction_guess(FractionGuess(0.3), fraction_twins(view, 0, Remembered()), truth, view) != one


def test_the_bound_stands_beside_where_the_attack_says_how_sure_it_was():
    view = view_of(np.arange(100), KNOWN)
    assert score(FractionGuess(0.4), view).bounds == {}
    found = score(FractionGuess(0.4, notes={"largest_score": 0.8}), view).bounds["distinguishing"]
    assert found == distinguishing_bound(0.8, 0.4, 0.01, 100, learned_from=0.75).facts()
    assert found["posterior"] == pytest.approx(4 * (0.25 / 0.75) * (0.4 / 0.6) / (1 + 4 * (0.25 / 0.75) * (0.4 / 0.6)))


def test_there_is_no_bound_where_nobody_is_left_on_a_side():
    guess = FractionGuess(0.1, notes={"largest_score": 0.8})
    left = view_of(np.arange(40, 100), np.arange(50, 55), source=np.array([0, 1, 2, 50, 51]))
    found = score(guess, left)
    assert found.bounds == {} and found.other["error_putting_back"] == pytest.approx((40 + 6) / 100 - 0.4)
    one_sided = view_of(np.arange(100), np.arange(50, 55))
    assert score(guess, one_sided).bounds == {}


def test_pictures_are_passed_on_as_plain_numbers():
    histograms = NormHistograms(np.array([0.0, 1.0, 2.0]), {0.25: np.array([0.5, 0.5])})
    found = score(FractionGuess(0.4, pictures={"AO": histograms}), view_of(np.arange(100), KNOWN))
    assert found.pictures == {"AO": {"edges": [0.0, 1.0, 2.0], "shares": {"0.25": [0.5, 0.5]}}}


def test_without_the_truth_about_the_property_nothing_is_scored():
    view = view_of(np.arange(100), KNOWN)
    for truth in (Truth(np.zeros(100, dtype=np.int64)), Truth(np.zeros(100, dtype=np.int64), has=HAS)):
        with pytest.raises(BadTranscript, match="does not say which rows have the property"):
            score_fraction_guess(FractionGuess(0.4), Twins(), truth, view)
    unknown = replace(view, knowledge=replace(view.knowledge, auxiliary=None))
    with pytest.raises(BadTranscript):
        score_fraction_guess(
            FractionGuess(0.4), Twins(), Truth(HAS.astype(int), has=HAS, before=np.arange(100)), unknown
        )


def test_the_twin_reads_no_message():
    """Own columns and labels alone: another run of the same adversary has the same twin."""
    answers = []
    for federation in ("split-network", "logistic-regression"):
        view, _ = observed(AdjustedCount(), federation, "active")
        answers.append(blind_fractions(view, view.knowledge.auxiliary, 0))
    assert answers[0] == answers[1]
