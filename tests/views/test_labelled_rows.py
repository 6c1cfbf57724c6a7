"""Which rows are learned from, and which are labelled."""

from dataclasses import replace

import numpy as np
import pytest

from completion_runs import small_view
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, LabelGuess
from seepage.views.labelled_rows import granted_labels, read_labels

LINES = np.eye(2)[[0, 1, 0]]


def knowing(**changes):
    view = small_view()
    return replace(view, knowledge=replace(view.knowledge, **changes))


def test_all_rows_but_the_labelled_ones_are_asked_about_and_training_rows_alone_are_learned_from():
    knowledge = small_view().knowledge
    rows = granted_labels(small_view())
    assert len(rows.known) == 8 and set(rows.known) <= set(knowledge.train)
    assert np.bincount(rows.labels).tolist() == [4, 4]
    assert set(rows.unlabelled) == set(knowledge.train) - set(rows.known)
    assert set(rows.asked) == set(rows.unlabelled) | set(knowledge.new)


def test_without_new_rows_training_rows_are_labelled():
    rows = granted_labels(knowing(new=np.zeros(0, dtype=np.int64)))
    assert np.array_equal(rows.asked, rows.unlabelled)


def test_without_labels_or_without_other_rows_there_is_nothing_to_learn():
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(IncompatibleView, match="No labelled rows are known"):
        granted_labels(knowing(known_rows=none, known_labels=none))
    with pytest.raises(IncompatibleView, match="All 8 training rows are labelled already"):
        granted_labels(knowing(train=small_view().knowledge.known_rows))


def test_labels_that_were_read_count_where_the_attack_did_not_abstain_and_on_training_rows_alone():
    knowledge = small_view().knowledge
    first, second = knowledge.train[:2]
    claimed = np.array([first, second, knowledge.new[0]])
    guess = LabelGuess(claimed, LINES, abstained=np.array([False, True, False]))
    rows = read_labels(knowing(guess=guess))
    assert rows.known.tolist() == [*knowledge.known_rows, first]
    assert rows.labels.tolist() == [*knowledge.known_labels, 0]
    assert np.array_equal(rows.asked, knowledge.new) and np.array_equal(rows.unlabelled, knowledge.new)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"guess": None}, "No labels were read before"),
        ({"guess": ClusterGuess(np.arange(3), np.arange(3))}, "No labels were read before"),
        ({"guess": LabelGuess(np.arange(3), LINES, abstained=np.ones(3, bool))}, "abstained from every row"),
        (
            {"guess": LabelGuess(small_view().knowledge.new, np.ones((len(small_view().knowledge.new), 2)))},
            "labels rows outside training by itself",
        ),
        (
            {"guess": LabelGuess(small_view().knowledge.train[:3], LINES), "new": np.zeros(0, dtype=np.int64)},
            "no rows outside training",
        ),
    ],
)
def test_what_was_not_read_cannot_be_learned_from(changes, said):
    with pytest.raises(IncompatibleView, match=said):
        read_labels(knowing(**changes))
