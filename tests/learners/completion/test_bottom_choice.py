"""Whether a bottom model learns on, as labelled rows tell it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from completion_runs import BRIEF, small_view, view_of
from samples import small_data
from seepage.attacks.labels.model_completion import ModelCompletion
from seepage.errors import IncompatibleView
from seepage.learners.completion import completing as bottom_choice
from seepage.learners.completion.completing import completed_as_asked, tuning_helps
from seepage.learners.completion.mixmatch import FROZEN, TUNED
from seepage.randomness import stream
from seepage.views.labelled_rows import granted_labels
from seepage.views.own_bottoms import own_bottoms


@pytest.fixture(scope="module")
def many():
    """What an adversary holds that knows twelve labels of each class."""
    return view_of(small_data("breast_cancer"), labels_per_class=12)


def helps(view, monkeypatch, frozen, tuned):
    """Say what is chosen when the halves are told with these losses."""
    labels = dict(zip(view.knowledge.known_rows.tolist(), view.knowledge.known_labels, strict=True))
    losses = {0.0: frozen, 1e-4: tuned}

    def learn(bottoms, modules, tasks, classes, learner, rate, rng):
        asked = np.concatenate([task.asked for task in tasks])
        right = np.eye(2, dtype=bool)[[labels[row] for row in asked.tolist()]]
        sure = np.exp(-np.resize(losses[rate], len(asked)))[:, None]
        parts = np.split(np.where(right, sure, 1 - sure), [len(tasks[0].asked)])
        return [SimpleNamespace(scores=part) for part in parts]

    monkeypatch.setattr(bottom_choice, "learned", learn)
    return tuning_helps(own_bottoms(view), granted_labels(view), 2, 1e-4, stream(0, "choice"))


def test_a_bottom_model_is_tuned_only_where_that_is_clearly_better(many, monkeypatch):
    assert helps(many, monkeypatch, [0.9, 1.1], [0.4, 0.5])
    assert not helps(many, monkeypatch, [0.9, 1.1], [0.9, 1.1])
    assert not helps(many, monkeypatch, [0.4, 0.5], [0.9, 1.1])
    assert not helps(many, monkeypatch, [0.5, 1.0, 1.0], [1.0, 0.6, 0.7])  # no more than chance


def test_a_few_labelled_rows_cannot_tell_and_cost_nothing(monkeypatch):
    def learn(*given):
        raise AssertionError("nothing is to be learned")

    monkeypatch.setattr(bottom_choice, "learned", learn)
    view = small_view()
    assert len(view.knowledge.known_rows) == 8
    assert not tuning_helps(own_bottoms(view), granted_labels(view), 2, 1e-4, stream(0))


def test_rows_of_one_class_alone_cannot_tell(many):
    rows = granted_labels(many)
    one = replace(rows, labels=np.zeros_like(rows.labels))
    assert not tuning_helps(own_bottoms(many), one, 2, 1e-4, stream(0))


def test_tuning_that_diverges_does_not_help(many):
    assert not tuning_helps(own_bottoms(many), granted_labels(many), 2, 1e20, stream(0))
    with pytest.raises(IncompatibleView, match="diverged"):
        completed_as_asked(own_bottoms(many), granted_labels(many), 2, "tuned", 1e20, BRIEF, stream(0))


def test_halves_are_told_by_what_the_other_half_taught(many, monkeypatch):
    seen = []
    true = bottom_choice.learned

    def listening(bottoms, modules, tasks, *rest):
        seen.append((tasks, rest[2]))
        return true(bottoms, modules, tasks, *rest)

    monkeypatch.setattr(bottom_choice, "learned", listening)
    rows = granted_labels(many)
    tuning_helps(own_bottoms(many), rows, 2, 1e-4, stream(0))
    assert [rate for _, rate in seen] == [0.0, 1e-4]
    for tasks, _ in seen:
        assert all(not set(task.known) & set(task.asked) for task in tasks)
        assert all(set(task.known) | set(task.asked) == set(rows.known) for task in tasks)
        assert all(np.bincount(task.labels).tolist() == [6, 6] for task in tasks)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=40), st.integers(0, 1000))
def test_halves_have_as_many_of_each_class_up_to_one(labels, seed):
    given_labels = np.array(labels)
    halves = bottom_choice._halves(given_labels, np.random.default_rng(seed))
    assert sorted(np.concatenate(halves).tolist()) == list(range(len(labels)))
    counts = [np.bincount(given_labels[half], minlength=5) for half in halves]
    assert np.abs(counts[0] - counts[1]).max() <= 1


@pytest.mark.parametrize(("bottom", "learner"), [("frozen", FROZEN), ("auto", FROZEN), ("tuned", TUNED)])
def test_each_way_to_treat_a_bottom_model_has_a_learner_of_its_own(bottom, learner, monkeypatch):
    asked = []
    monkeypatch.setattr(
        bottom_choice,
        "completed_labels",
        lambda bottoms, modules, rows, classes, chosen, rate, rng: asked.append((chosen, rate)) or told,
    )
    view = small_view()
    rows = granted_labels(view)
    told = bottom_choice.LabelGuess(rows.asked, np.full((len(rows.asked), 2), 0.5))
    found = completed_as_asked(own_bottoms(view), rows, 2, bottom, 1e-4, None, stream(0))
    assert asked == [(learner, 1e-4 if bottom == "tuned" else 0.0)]
    assert found.notes["tuned"] == (bottom == "tuned")


def test_learning_ends_when_labelled_rows_are_told_no_better():
    found = ModelCompletion().run(small_view(), stream(0, "attack"))
    assert found.notes["tuned"] == 0.0
    assert found.notes["iterations"] == FROZEN.iterations * min(FROZEN.epochs, found.notes["epoch"] + FROZEN.patience)
    assert found.notes["iterations"] < 2000
    patient = replace(BRIEF, epochs=6, patience=1)
    ended = ModelCompletion(learner=patient).run(small_view(), stream(0, "attack"))
    whole = ModelCompletion(learner=replace(patient, patience=0)).run(small_view(), stream(0, "attack"))
    assert ended.notes["iterations"] <= whole.notes["iterations"] == 60
