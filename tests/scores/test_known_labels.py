"""Labels learned from a few known ones: what counts, beside what, and below what."""

import numpy as np
import pytest

from seepage.guesses import LabelGuess
from seepage.scores.known_labels import score_known_labels

TRUTH = np.array([0, 1, 1, 0, 1, 1, 0, 1, 1, 0])
TRAIN, NEW = np.arange(7), np.array([7, 8, 9])
KNOWN = np.array([0, 1])
ASKED = np.array([2, 3, 4, 5, 6, 7, 8, 9])


def said(labels, classes=2):
    return np.eye(classes)[labels]


def guess_of(labels, **more):
    return LabelGuess(rows=ASKED, scores=said(labels), **more)


def scored(guess, informed=None):
    return score_known_labels(guess, TRUTH, TRAIN, NEW, 2, [informed or guess_of(TRUTH[ASKED])])


def test_the_value_is_that_of_training_rows_without_a_known_label_and_new_rows_stand_beside():
    """Of rows 2 to 6, three are right; of the new rows 7 to 9, one is."""
    score = scored(guess_of([1, 0, 1, 0, 1, 1, 0, 1], without_messages={"own columns": said([1] * 8)}))
    assert score.metric == "top1" and score.value == pytest.approx(3 / 5)
    assert score.other["top1_new"] == pytest.approx(1 / 3)
    assert score.ceiling == score.other["ceiling_new"] == 1.0
    assert score.other["f1"] == pytest.approx(2 / 3)


def test_blind_is_the_best_of_what_needs_no_messages():
    own, fresh = [1, 0, 1, 1, 1, 0, 0, 1], [0, 0, 0, 0, 0, 1, 1, 0]
    without = {"own columns with the same labels": said(own), "untrained bottom model": said(fresh)}
    score = scored(guess_of([1] * 8, without_messages=without))
    assert score.blind == pytest.approx(4 / 5) and score.blind_kind == "own columns with the same labels"
    assert score.other["blind_majority_class"] == pytest.approx(3 / 5)
    assert score.other["blind_untrained_bottom"] == pytest.approx(2 / 5)
    assert score.other["blind_own_columns_new"] == 0.0
    assert score.other["blind_new"] == score.other["blind_untrained_bottom_new"] == 1.0


def test_the_largest_class_is_blind_where_twins_do_worse():
    score = scored(guess_of([1] * 8, without_messages={"own columns": said([0] * 8)}))
    assert score.blind == pytest.approx(3 / 5) and score.blind_kind == "majority class"
    assert score.advantage == 0.0


def test_the_ceiling_is_what_all_labels_tell_and_never_below_blind():
    right = {"own columns": said(TRUTH[ASKED])}
    poor = guess_of(1 - TRUTH[ASKED])
    assert scored(guess_of([1] * 8, without_messages=right), poor).ceiling == 1.0
    informed = guess_of([1, 0, 1, 1, 1, 1, 1, 1])
    score = scored(guess_of([1] * 8, without_messages={"own columns": said([1] * 8)}), informed)
    assert score.ceiling == pytest.approx(4 / 5) and score.ceiling_kind == "own columns with all labels"
    assert score.other["ceiling_new"] == pytest.approx(2 / 3)


def test_steps_and_notes_are_told_beside():
    steps = {"linear_probe": TRUTH[ASKED], "epoch_1": np.zeros(8, dtype=np.int64)}
    score = scored(guess_of([1] * 8, steps=steps, notes={"epoch": 3.0}))
    assert score.other["top1_linear_probe"] == score.other["top1_linear_probe_new"] == 1.0
    assert score.other["top1_epoch_1"] == pytest.approx(2 / 5) and score.other["epoch"] == 3.0


def test_without_new_rows_nothing_is_said_of_them():
    rows = ASKED[:5]
    guess = LabelGuess(rows, said([1] * 5))
    score = score_known_labels(
        guess, TRUTH, TRAIN, np.zeros(0, dtype=np.int64), 2, [LabelGuess(rows, said(TRUTH[rows]))]
    )
    assert not any(name.endswith("_new") for name in score.other)


def test_a_guess_and_its_ceiling_must_speak_of_the_same_rows_and_of_training_rows():
    with pytest.raises(ValueError, match="rows of the guess"):
        scored(guess_of([1] * 8), LabelGuess(ASKED[::-1], said([1] * 8)))
    alone = LabelGuess(NEW, said([1] * 3))
    with pytest.raises(ValueError, match="must speak about training rows"):
        score_known_labels(alone, TRUTH, TRAIN, NEW, 2, [alone])


def test_five_best_are_counted_where_there_are_more_classes():
    rows = np.arange(8)
    truth = np.arange(8) % 6
    guess = LabelGuess(rows, np.tile([6.0, 5, 4, 3, 2, 1], (8, 1)))
    score = score_known_labels(guess, truth, rows, np.zeros(0, dtype=np.int64), 6, [LabelGuess(rows, said(truth, 6))])
    assert score.other["top5"] == pytest.approx(7 / 8)
