"""One answer about one label: exact probabilities, the promise they make, and a sampler that keeps to them."""

from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_answers import response_matrix
from seepage.mechanisms.randomized_response import kept_classes, randomized_response

EPSILONS = st.floats(1e-3, 30.0)


@st.composite
def priors(draw):
    """One prior over 2 to 8 classes: spread out, concentrated, with zeros, or with ties."""
    count = draw(st.integers(2, 8))
    weight = st.one_of(st.just(0.0), st.sampled_from([1.0, 2.0]), st.floats(1e-9, 1.0))
    weights = np.array(draw(st.lists(weight, min_size=count, max_size=count).filter(any)))
    return weights / weights.sum()


def worst_ratio(matrix):
    """Return the largest P(answer | y) / P(answer | y'); an answer that only some labels can cause is infinite."""
    most, least = matrix.max(axis=0), matrix.min(axis=0)
    possible = most > 0
    return np.inf if np.any(least[possible] == 0) else float(np.max(most[possible] / least[possible]))


def by_hand(prior, epsilon):
    """Return k* and the matrix as Algorithms 1 and 2 of Ghazi et al. spell them out."""
    order = sorted(range(len(prior)), key=lambda c: (-prior[c], c))
    right = [exp(epsilon) / (exp(epsilon) + k - 1) * sum(prior[c] for c in order[:k]) for k in range(1, len(prior) + 1)]
    kept = int(np.argmax(right)) + 1
    top = set(order[:kept])
    matrix = np.zeros((len(prior), len(prior)))
    for truth in range(len(prior)):
        for answer in top:
            if truth not in top:
                matrix[truth, answer] = 1 / kept
            else:
                matrix[truth, answer] = (exp(epsilon) if truth == answer else 1) / (exp(epsilon) + kept - 1)
    return right, matrix


@settings(max_examples=300)
@given(prior=priors(), epsilon=EPSILONS)
def test_no_answer_is_more_than_e_to_the_epsilon_likelier_under_another_label(prior, epsilon):
    (matrix,) = response_matrix(prior[None], epsilon)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-12)
    assert worst_ratio(matrix) <= exp(epsilon) * (1 + 1e-9)


@settings(max_examples=150)
@given(prior=priors(), epsilon=EPSILONS)
def test_as_many_classes_are_kept_as_make_a_right_answer_most_probable(prior, epsilon):
    (matrix,) = response_matrix(prior[None], epsilon)
    right, _ = by_hand(prior, epsilon)
    assert prior @ np.diag(matrix) == pytest.approx(max(right), rel=1e-12)
    kept = kept_classes(prior[None], epsilon)[0]
    assert prior[kept].min() >= prior[~kept].max(initial=0.0)


@given(epsilon=EPSILONS, seed=st.integers(0, 1000), classes=st.integers(2, 8))
def test_the_probabilities_are_those_of_the_published_algorithms(epsilon, seed, classes):
    prior = np.random.default_rng(seed).dirichlet(np.full(classes, 0.7), size=5)
    expected = np.stack([by_hand(row, epsilon)[1] for row in prior])
    np.testing.assert_allclose(response_matrix(prior, epsilon), expected, rtol=1e-9, atol=1e-15)


@given(epsilon=st.floats(1e-6, 30), classes=st.integers(2, 8))
def test_a_uniform_prior_is_plain_randomized_response(epsilon, classes):
    (matrix,) = response_matrix(np.full((1, classes), 1 / classes), epsilon)
    plain = (np.ones((classes, classes)) + (exp(epsilon) - 1) * np.eye(classes)) / (exp(epsilon) + classes - 1)
    np.testing.assert_allclose(matrix, plain, rtol=1e-9)


def test_drawing_from_all_classes_as_the_code_of_paper_003_does_breaks_the_promise():
    prior = np.array([0.7, 0.2, 0.05, 0.03, 0.02])
    (ours,) = response_matrix(prior[None], epsilon=1.0)
    assert kept_classes(prior[None], epsilon=1.0)[0].tolist() == [True, False, False, False, False]
    theirs = np.where(kept_classes(prior[None], epsilon=1.0)[0][:, None], ours, 1 / 5)
    assert worst_ratio(ours) == 1.0
    assert worst_ratio(theirs) == np.inf


@pytest.mark.parametrize(
    ("prior", "epsilon", "kept"),
    [([0.25, 0.25, 0.25, 0.25], 0.1, 4), ([0.3, 0.4, 0, 0.3], 1.0, 3), ([1, 2, 3], 2.0, 3)],
)
def test_answers_are_as_frequent_as_they_should_be(prior, epsilon, kept):
    from scipy.stats import chisquare

    prior = np.array(prior) / np.sum(prior)
    (matrix,) = response_matrix(prior[None], epsilon)
    for truth in range(len(prior)):
        answers = randomized_response(
            np.full(20_000, truth), np.tile(prior, (20_000, 1)), epsilon, np.random.default_rng(truth)
        )
        found = np.bincount(answers, minlength=len(prior))
        possible = matrix[truth] > 0
        assert possible.sum() == kept
        assert found[~possible].sum() == 0
        assert chisquare(found[possible], 20_000 * matrix[truth][possible]).pvalue > 1e-3


@given(prior=priors(), epsilon=EPSILONS, seed=st.integers(0, 1000))
def test_only_kept_classes_are_ever_answered(prior, epsilon, seed):
    rng = np.random.default_rng(seed)
    answers = randomized_response(rng.integers(len(prior), size=50), np.tile(prior, (50, 1)), epsilon, rng)
    assert np.all(kept_classes(prior[None], epsilon)[0][answers])


def test_a_large_budget_keeps_labels_that_the_prior_allows():
    labels = np.array([0, 1, 2, 1])
    answers = randomized_response(labels, np.full((4, 3), 1 / 3), 1000.0, np.random.default_rng(0))
    assert np.array_equal(answers, labels)


@pytest.mark.parametrize("prior", [[[0.5, 0.4]], [[1.5, -0.5]], [[np.nan, 1.0]], [0.5, 0.5]])
def test_what_is_no_prior_is_refused(prior):
    with pytest.raises(ValueError, match="prior"):
        kept_classes(np.array(prior), 1.0)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, np.inf, np.nan])
def test_what_is_no_budget_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be above 0 and finite"):
        kept_classes(np.array([[0.5, 0.5]]), epsilon)
