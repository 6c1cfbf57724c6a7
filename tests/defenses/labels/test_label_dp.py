"""Labels noised in stages: who is noised, what each stage may know, and what the whole promises."""

from dataclasses import replace
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact_answers import response_matrix
from samples import small_data, without_active_columns
from seepage.defenses.labels.label_dp import LabelDP
from seepage.hooks import Hook, begin
from seepage.mechanisms import label_stages
from seepage.mechanisms.label_stages import dealt, noised_in_stages


@pytest.fixture
def answers(monkeypatch):
    """Choose the answers instead of drawing them, and note the priors they were asked with."""
    chosen: list[np.ndarray] = []
    priors: list[np.ndarray] = []

    def answer(labels, prior, epsilon, rng):
        priors.append(prior)
        rng.random(len(labels))
        return chosen[len(priors) - 1]

    monkeypatch.setattr(label_stages, "randomized_response", answer)
    return chosen, priors


@given(rows=st.integers(0, 40), stages=st.integers(1, 6), seed=st.integers(0, 100))
def test_rows_are_dealt_once_each_into_equal_parts(rows, stages, seed):
    parts = dealt(np.arange(100, 100 + rows), stages, np.random.default_rng(seed))
    assert sorted(np.concatenate([*parts, []]).tolist()) == list(range(100, 100 + rows))
    assert len(parts) == min(stages, rows)
    assert max(map(len, parts), default=0) - min(map(len, parts), default=0) <= 1


def test_an_odd_number_of_rows_loses_none():
    labels, features = np.array([0, 1, 2, 0, 1]), np.arange(5.0)[:, None]
    ever_changed = np.zeros(5, dtype=bool)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        noisy = noised_in_stages(labels, features, np.arange(5), stages=2, epsilon=0.01, rng=rng)
        ever_changed |= noisy != labels
    assert ever_changed.all()


@given(seed=st.integers(0, 20))
def test_a_later_stage_knows_earlier_labels_only_by_their_noisy_answers(seed):
    rng = np.random.default_rng(seed)
    features, rows = rng.normal(size=(30, 3)), np.arange(30)
    labels = np.concatenate([[2], rng.integers(3, size=29)])
    other = np.concatenate([[2], rng.integers(3, size=29)])
    fixed = rng.integers(3, size=15)
    seen = []
    for clean in (labels, other):
        with pytest.MonkeyPatch.context() as patch:
            priors: list[np.ndarray] = []

            def answer(labels, prior, epsilon, rng, priors=priors):
                priors.append(prior)
                return fixed[: len(labels)]

            patch.setattr(label_stages, "randomized_response", answer)
            noised_in_stages(clean, features, rows, stages=2, epsilon=1.0, rng=np.random.default_rng(seed))
            seen.append(priors)
    assert len(seen[0]) == 2
    for ours, theirs in zip(*seen, strict=True):
        assert np.array_equal(ours, theirs)


def test_all_stages_together_are_as_private_as_one_answer(answers):
    """Four rows, two stages, all answers and all labels: exact probabilities, nothing sampled."""
    chosen, priors = answers
    features = np.array([[0.0], [1.0], [0.2], [1.1], [9.0]])  # the last row does not train, and tells the classes
    epsilon, rows = 0.8, np.arange(4)
    first, second = dealt(rows, 2, np.random.default_rng(5))
    possible = list(product([0, 1], repeat=4))
    probability = np.zeros((len(possible), len(possible)))
    for place, answer in enumerate(possible):
        given_answer = np.array(answer)
        chosen[:] = [given_answer[first], given_answer[second]]
        priors.clear()
        labels, rng = np.array([0, 0, 0, 0, 1]), np.random.default_rng(5)
        noised_in_stages(labels, features, rows, stages=2, epsilon=epsilon, rng=rng)
        matrices = np.zeros((4, 2, 2))
        matrices[first], matrices[second] = (response_matrix(prior, epsilon) for prior in priors)
        for other, labels in enumerate(possible):
            probability[other, place] = np.prod([matrices[row, labels[row], answer[row]] for row in range(4)])
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    for one, labels in enumerate(possible):
        for two, neighbor in enumerate(possible):
            if sum(a != b for a, b in zip(labels, neighbor, strict=True)) == 1:
                assert np.all(probability[one] <= exp(epsilon) * probability[two] * (1 + 1e-9))


def test_classes_that_a_stage_never_met_get_no_prior_but_a_valid_one(answers):
    chosen, priors = answers
    chosen[:] = [np.ones(10, dtype=np.int64), np.ones(10, dtype=np.int64)]
    labels = np.arange(20) % 4
    features = np.random.default_rng(0).normal(size=(20, 2))
    noised_in_stages(labels, features, np.arange(20), stages=2, epsilon=1.0, rng=np.random.default_rng(0))
    assert np.array_equal(priors[0], np.full((10, 4), 0.25))
    assert np.array_equal(priors[1], np.tile([0.0, 1.0, 0.0, 0.0], (10, 1)))


def test_missing_values_in_the_own_columns_are_no_obstacle():
    rng = np.random.default_rng(0)
    features = np.where(rng.random((60, 3)) < 0.3, np.nan, rng.normal(size=(60, 3)))
    labels = rng.integers(3, size=60)
    noisy = noised_in_stages(labels, features, np.arange(60), stages=3, epsilon=1.0, rng=rng)
    assert set(noisy) <= {0, 1, 2}


def test_rows_that_do_not_train_keep_their_labels_and_teach_nothing():
    data = small_data("breast_cancer")
    part = data.parts["active"]
    hook = LabelDP(epsilon=0.1).start(part, np.random.default_rng(0))
    noisy = hook.labels(part.labels)
    assert np.array_equal(noisy[data.test], part.labels[data.test])
    assert not np.array_equal(noisy[data.train], part.labels[data.train])
    turned = part.labels.copy()
    turned[data.test] = 1 - turned[data.test]
    assert np.array_equal(hook.labels(turned)[data.train], noisy[data.train])


def test_without_word_of_training_rows_all_rows_are_noised():
    part = replace(small_data("breast_cancer").parts["active"], train=None)
    noisy = LabelDP(epsilon=0.01, stages=1).start(part, np.random.default_rng(0)).labels(part.labels)
    assert 0.4 < np.mean(noisy == part.labels) < 0.6


def test_the_true_labels_are_left_untouched_and_a_second_question_gives_the_same_answers():
    part = small_data("iris").parts["active"]
    before = part.labels.copy()
    hook = LabelDP().start(part, np.random.default_rng(0))
    assert np.array_equal(hook.labels(part.labels), hook.labels(part.labels))
    assert np.array_equal(part.labels, before)
    again = LabelDP().start(part, np.random.default_rng(0))
    assert np.array_equal(again.labels(part.labels), hook.labels(part.labels))


def test_an_active_party_without_columns_has_one_stage():
    bare = without_active_columns(small_data("iris")).parts["active"]
    two, one = (LabelDP(stages=stages).start(bare, np.random.default_rng(3)) for stages in (2, 1))
    assert np.array_equal(two.labels(bare.labels), one.labels(bare.labels))


def test_a_prior_makes_answers_right_more_often_at_the_same_budget():
    part = small_data("digits").parts["active"]

    def kept(stages):
        runs = [LabelDP(stages=stages).start(part, np.random.default_rng(s)).labels(part.labels) for s in range(3)]
        return np.mean([np.mean(noisy[part.train] == part.labels[part.train]) for noisy in runs])

    assert kept(stages=2) > kept(stages=1) + 0.02


def test_a_passive_party_has_no_labels_to_noise():
    part = small_data("iris").parts["passive"]
    assert LabelDP().start(part, np.random.default_rng(0)) == Hook()
    assert begin(LabelDP(), small_data("iris").parts["active"], np.random.default_rng(0)) != Hook()
