"""Labels scored by what their adversary knew: what counts, beside what, and below what."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import agreed
from samples import small_data
from seepage.attacks.labels.gradient_direction import GradientDirection
from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.messages import Message
from seepage.randomness import stream
from seepage.scores import mean_advantage
from seepage.scores.label_guesses import score_label_guess
from seepage.scores.remembered import Remembered
from seepage.transcript import Transcript
from seepage.views import Kind, ThreatModel, grant, observe

TERMS = agreed("split-network", ("active", "passive"), outputs=4)


def world(seed=0, labels_per_class=4):
    """Breast cancer dealt to two parties, and gradients that have nothing to do with anybody."""
    data, rng = small_data("breast_cancer"), np.random.default_rng(seed)
    messages = [
        Message(Kind.GRADIENT, "active", "passive", epoch, epoch, data.train, {"gradient": noise})
        for epoch, noise in enumerate(rng.normal(size=(6, len(data.train), 4)))
    ]
    threat = ThreatModel(adversaries=("passive",), labels_per_class=labels_per_class)
    known = grant(data, threat, stream(seed, "knowledge"))
    return data, observe(Transcript(TERMS, tuple(messages)), known)


def scored(guess, data, view, rows="train"):
    return score_label_guess(guess, data.labels, view, rows, 0, Remembered())


def test_gradients_that_say_nothing_give_no_advantage_over_own_columns():
    """The attack learns from own columns of all rows; so does its blind twin, which reads no message."""
    scores = []
    for seed in range(3):
        data, view = world(seed)
        scores.append(scored(GradientDirection().run(view, np.random.default_rng(0)), data, view))
    for asked in (scores, [score.ranking for score in scores]):
        columns = ([getattr(one, name) for one in asked] for name in ("value", "blind", "ceiling"))
        assert mean_advantage(*columns).mean < 0.05


def test_known_rows_are_not_scored_whatever_the_attack_says_of_them():
    data, view = world()
    rows, known = view.knowledge.train, view.knowledge.known_rows
    wrong = np.eye(2)[1 - data.labels[rows]]
    right_of_known = np.where(np.isin(rows, known)[:, None], np.eye(2)[data.labels[rows]], wrong)
    assert scored(LabelGuess(rows, right_of_known), data, view).value == 0.0
    assert scored(LabelGuess(known, np.eye(2)[data.labels[known]]), data, view).other["abstained"] == 1.0


def test_training_rows_have_a_ceiling_of_one_and_new_rows_that_of_own_columns():
    data, view = world()
    everybody = np.concatenate((data.train, data.test))
    score = scored(LabelGuess(everybody, np.eye(2)[data.labels[everybody]]), data, view)
    assert (score.value, score.ceiling, score.ceiling_kind) == (1.0, 1.0, "full knowledge")
    assert score.other["top1_new"] == 1.0 > score.other["ceiling_new"] >= score.other["blind_new"]
    assert 0.9 < score.other["top1_all_labels"] < 1.0
    outside = scored(LabelGuess(data.test, np.eye(2)[data.labels[data.test]]), data, view, rows="new")
    assert outside.ceiling == score.other["ceiling_new"] and outside.ceiling_kind == "own columns with all labels"


def test_blind_follows_from_what_is_known_and_not_from_the_attack():
    data, view = world()
    known = scored(LabelGuess(data.train, np.eye(2)[data.labels[data.train]]), data, view)
    data, view = world(labels_per_class=0)
    none = scored(LabelGuess(data.train, np.eye(2)[data.labels[data.train]]), data, view)
    assert "own columns" in known.blind_kind and none.blind_kind == "k-means on own columns, best matching"


def test_silence_ranks_nobody():
    """Who names one class and is silent on the other has not ranked the silent ones below."""
    data, view = world()
    rows = np.setdiff1d(data.train, view.knowledge.known_rows)
    silent = data.labels[rows] == 0
    guess = LabelGuess(rows, np.where(silent[:, None], 0.0, [[0.0, 1.0]]), abstained=silent)
    mirrored = LabelGuess(rows, np.where(silent[:, None], [[1.0, 0.0]], 0.0), abstained=~silent)
    for one in (guess, mirrored):
        assert scored(one, data, view).ranking.value == 1.0  # the others are ranked above or below the middle
    coin = LabelGuess(rows, np.tile([0.0, 1.0], (len(rows), 1)), abstained=np.arange(len(rows)) % 2 == 0)
    assert scored(coin, data, view).ranking.value == pytest.approx(0.5, abs=0.05)


def test_where_nothing_is_left_to_guess_one_sentence_says_so():
    data, view = world()
    everything = replace(view.knowledge, known_rows=data.train, known_labels=data.labels[data.train])
    with pytest.raises(IncompatibleView, match="No row is left"):
        scored(LabelGuess(data.train, np.eye(2)[data.labels[data.train]]), data, replace(view, knowledge=everything))
