"""What an adversary says without a federation: the same whatever the others do."""

from dataclasses import replace

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from completion_runs import BRIEF, small_view
from seepage.learners.completion import completing as from_first_weights
from seepage.learners.completion.complete_model import Completed
from seepage.learners.completion.completing import digest, untrained_labels
from seepage.learners.completion.mixmatch import BOTTOM_LEARNING_RATE
from seepage.randomness import stream
from seepage.scores import label_twins, supervised
from seepage.scores.label_twins import OWN_COLUMNS, UNTRAINED, blind_labels, informed_labels
from seepage.scores.remembered import Remembered
from seepage.views.labelled_rows import granted_labels
from seepage.views.own_bottoms import OwnBottoms, own_bottoms


def untrained(view=None, learner=BRIEF, rows=None):
    view = view or small_view()
    return untrained_labels(own_bottoms(view), rows or granted_labels(view), 2, learner)


def learning_otherwise(view):
    """The same adversary after another training: the others held, or said, something else."""
    changed = {name: array + 1 for name, array in view.snapshots[0].state.items()}
    return replace(view, snapshots=(replace(view.snapshots[0], state=changed),), messages=())


def test_the_twin_does_not_depend_on_what_was_trained():
    assert np.array_equal(untrained(learning_otherwise(small_view())).scores, untrained().scores)


def test_what_is_remembered_is_what_would_be_worked_out_again(monkeypatch):
    view = small_view()
    asked = granted_labels(view).asked
    shared, learned = Remembered(), []
    monkeypatch.setattr(label_twins, "untrained_labels", lambda *asked: learned.append(1) or untrained_labels(*asked))
    first = blind_labels(view, asked, Remembered(shared=shared), BRIEF)
    assert np.array_equal(first[UNTRAINED], untrained().scores)
    again = blind_labels(learning_otherwise(view), asked, Remembered(shared=shared), BRIEF)
    assert np.array_equal(again[UNTRAINED], first[UNTRAINED]) and len(learned) == 1
    blind_labels(view, asked, Remembered(), BRIEF)
    assert len(learned) == 2


def test_other_labels_rows_columns_or_settings_are_another_question():
    view = small_view()
    bottoms, rows = own_bottoms(view), granted_labels(view)
    part = view.knowledge.own["passive"]
    wider = replace(part, features=part.features * 2)
    others = {
        digest(bottoms, replace(rows, labels=1 - rows.labels), []),
        digest(bottoms, replace(rows, known=rows.known[::-1]), []),
        digest(bottoms, replace(rows, asked=rows.asked[1:]), []),
        digest(bottoms, replace(rows, unlabelled=rows.unlabelled[1:]), []),
        digest(own_bottoms(replace(view, knowledge=replace(view.knowledge, own={"passive": wider}))), rows, []),
        digest(bottoms, rows, [1]),
        digest(bottoms, rows, []),
    }
    assert len(others) == 7


def test_rows_that_move_from_one_list_to_the_next_are_another_question():
    view = small_view()
    rows = granted_labels(view)
    cut = len(rows.unlabelled) - 5
    bottoms = own_bottoms(view)
    moved = replace(rows, unlabelled=rows.unlabelled[:cut], asked=np.concatenate((rows.unlabelled[cut:], rows.asked)))
    assert digest(bottoms, rows, []) != digest(bottoms, moved, [])


def test_own_columns_are_learned_by_logistic_regression():
    view = small_view()
    rows, own = granted_labels(view), view.knowledge.features.astype(np.float64)
    scale = StandardScaler().fit(own[rows.known])
    model = LogisticRegression(max_iter=1000, tol=1e-10).fit(scale.transform(own[rows.known]), rows.labels)
    found = blind_labels(view, rows.asked, Remembered(), BRIEF)
    assert np.allclose(found[OWN_COLUMNS], model.predict_proba(scale.transform(own[rows.asked])))
    assert np.array_equal(found[UNTRAINED], untrained().scores)


def test_who_knows_no_labels_or_has_no_columns_has_no_such_twin():
    view = small_view()
    none = np.zeros(0, dtype=np.int64)
    unlabelled = replace(view.knowledge, known_rows=none, known_labels=none)
    assert blind_labels(replace(view, knowledge=unlabelled), view.knowledge.train, Remembered()) == {}
    assert (
        blind_labels(replace(view, knowledge=replace(view.knowledge, own={})), view.knowledge.train, Remembered()) == {}
    )


def test_without_a_bottom_model_own_columns_alone_are_the_twin():
    view = replace(small_view(), snapshots=())
    assert all("own columns" in how for how in blind_labels(view, view.knowledge.train, Remembered()))
    assert len(informed_labels(view, np.arange(len(view.knowledge.features)) % 2, Remembered())) == 2


def test_the_ceiling_is_learned_from_the_labels_of_all_training_rows():
    view = replace(small_view(), epochs=10)
    view = replace(view, snapshots=tuple(replace(one, epoch=9) for one in view.snapshots))
    own = view.knowledge.features
    truth = (own[:, 0] > np.median(own[:, 0])).astype(np.int64)
    answers = Remembered()  # other labels are another question
    for labels in (truth, 1 - truth):
        told_by = informed_labels(view, labels, answers)
        assert len(told_by) == 3  # lines, lines or trees, a network
        for told in told_by:
            assert set(told.rows) >= set(view.knowledge.new)
            assert np.mean(told.labels == labels[told.rows]) > 0.9


def test_a_pretrained_bottom_model_is_taught_at_a_cautious_rate(monkeypatch):
    rates = []
    true = from_first_weights.completed_labels

    def listening(*given):
        rates.append(given[5])
        return true(*given)

    monkeypatch.setattr(from_first_weights, "completed_labels", listening)
    untrained()
    monkeypatch.setattr(OwnBottoms, "pretrained", True)
    untrained()
    assert rates == [BRIEF.learning_rate, BOTTOM_LEARNING_RATE]


def test_the_ceiling_of_a_pretrained_bottom_model_is_learned_at_a_cautious_rate(monkeypatch):
    rates = []
    true = supervised.supervise

    def listening(*given, bottom_learning_rate, **named):
        rates.append(bottom_learning_rate)
        return true(*given, bottom_learning_rate=bottom_learning_rate, **named)

    monkeypatch.setattr(supervised, "supervise", listening)
    view = small_view()
    truth = np.arange(len(view.knowledge.features)) % 2
    for pretrained in (False, True):
        monkeypatch.setattr(OwnBottoms, "pretrained", pretrained)
        informed_labels(view, truth, Remembered())
    assert rates == [1e-3, 1e-4]


def test_bottom_models_are_supervised_at_a_rate_of_their_own():
    model = Completed.of(own_bottoms(small_view()).fresh(stream(0)), classes=2)
    before = {name: values.clone() for name, values in model.named_parameters()}
    features, truth = torch.randn(40, 15), np.arange(40) % 2
    supervised.supervise(
        model, features, np.arange(40), truth, epochs=1, batch=8, rng=stream(0), bottom_learning_rate=0.0
    )
    same = {name: torch.equal(values, before[name]) for name, values in model.named_parameters()}
    assert same and all(same[name] == name.startswith("bottoms.") for name in same)
