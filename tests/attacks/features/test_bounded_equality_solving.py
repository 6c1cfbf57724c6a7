"""Whoever knows the range of values solves the same equations better."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linear_views import in_order, linear_finding, linear_model, linear_view
from samples import needs_data
from seepage.attacks.features.bounded_equality_solving import BoundedEqualitySolving
from seepage.attacks.features.equality_solving import EqualitySolving
from seepage.attacks.steps.inversion.linear_equations import released_equations
from seepage.errors import IncompatibleView
from seepage.views.joint_columns import joint_columns

seeds = st.integers(0, 2**32 - 1)


def guessed(view, **fields):
    return BoundedEqualitySolving(**fields).run(view, np.random.default_rng(0))


def matrix_of(model):
    view = linear_view(model)
    return released_equations(view, joint_columns(view), np.arange(len(model.confidences)), np.log(model.confidences))


def floored(model, digits):
    return np.floor(model.confidences * 10**digits) / 10**digits


@settings(max_examples=40, deadline=None)
@given(seed=seeds, classes=st.integers(2, 6), own=st.integers(1, 3), data=st.data())
def test_as_many_equations_as_unknown_columns_give_every_value_away_outside_the_range_too(seed, classes, own, data):
    unknown = data.draw(st.integers(1, classes - 1))
    model = linear_model(np.random.default_rng(seed), classes=classes, own=own, unknown=(unknown,), reach=2.0)
    assume(np.linalg.cond(matrix_of(model).matrix) < 1e4)
    guess = guessed(linear_view(model))
    assert guess.notes["exact"] == 1.0
    assert np.mean((guess.units - model.unknown) ** 2) < 1e-18


@settings(max_examples=40, deadline=None)
@given(seed=seeds, classes=st.integers(2, 6), more=st.integers(1, 8), center=st.sampled_from(["half", "mean"]))
def test_no_row_is_further_off_than_the_center_and_all_equations_hold(seed, classes, more, center):
    model = linear_model(np.random.default_rng(seed), classes=classes, unknown=(classes - 1 + more,))
    equations = matrix_of(model)
    assume(np.linalg.cond(equations.matrix) < 1e4)
    guess, truth = guessed(linear_view(model, means=True), center=center), model.unknown
    middle = truth.mean(axis=0) if center == "mean" else 0.5
    error, blind = ((guess.units - truth) ** 2).sum(axis=1), ((truth - middle) ** 2).sum(axis=1)
    assert (error <= blind - ((guess.units - middle) ** 2).sum(axis=1) + 1e-5).all()  # a projection
    assert guess.units.min() >= 0 and guess.units.max() <= 1
    assert np.allclose(guess.units @ equations.matrix.T, equations.sides, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, classes=st.integers(2, 6), digits=st.integers(0, 4), unknown=st.integers(1, 7))
def test_whatever_is_released_the_guess_lies_inside_the_range(seed, classes, digits, unknown):
    model = linear_model(np.random.default_rng(seed), classes=classes, unknown=(unknown,), reach=1.5)
    steep = replace(model, weights=100 * model.weights)
    for said in (floored(steep, digits), floored(model, digits), np.eye(classes)[np.arange(8) % classes]):
        guess = guessed(linear_view(steep, confidences=said))
        assert guess.notes["last_digit"] > 0
        assert guess.units.min() >= 0 and guess.units.max() <= 1


@settings(max_examples=20, deadline=None)
@given(seed=seeds, classes=st.integers(2, 5), digits=st.sampled_from([None, 2]))
def test_the_order_of_rows_and_parties_changes_nothing(seed, classes, digits):
    rng = np.random.default_rng(seed)
    model = linear_model(rng, classes=classes, unknown=(2, 3))
    assume(np.linalg.cond(matrix_of(model).matrix) < 1e3)
    said = model.confidences if digits is None else floored(model, digits)
    guess = guessed(linear_view(model, confidences=said))
    shuffled = guessed(linear_view(model, confidences=said, order=rng.permutation(len(said))))
    assert np.array_equal(guess.rows, shuffled.rows) and np.allclose(guess.units, shuffled.units, atol=1e-6)
    other = in_order(model, "active", "passive-1", "passive-0")
    again = guessed(linear_view(other, confidences=said)).units
    assert np.allclose(again, guess.units[:, [2, 3, 4, 0, 1]], atol=1e-6)


def test_digits_that_rounding_leaves_are_used_for_what_they_are_worth():
    model = linear_model(np.random.default_rng(0), classes=6, unknown=(9,), rows=400)
    errors = {
        digits: np.mean((guessed(linear_view(model, confidences=floored(model, digits))).units - model.unknown) ** 2)
        for digits in (1, 2, 3, 5)
    }
    exact = np.mean((guessed(linear_view(model)).units - model.unknown) ** 2)
    blind = np.mean((model.unknown - 0.5) ** 2)
    assert exact <= errors[5] * 1.001 < errors[3] * 1.01 < errors[2] * 1.02 < errors[1] < blind
    published = EqualitySolving().run(linear_view(model, confidences=floored(model, 1)), np.random.default_rng(0))
    assert errors[1] < 0.5 * np.mean((published.units - model.unknown) ** 2)


def test_confidences_that_all_say_nothing_leave_the_center():
    model = linear_model(np.random.default_rng(0), classes=4, unknown=(3,))
    guess = guessed(linear_view(model, confidences=np.zeros((8, 4))))
    assert np.abs(guess.units - 0.5).max() < 0.5
    assert np.isfinite(guess.units).all()


@pytest.mark.parametrize("unknown", [2, 5])
def test_a_confidence_of_zero_that_was_not_rounded_hardly_counts(unknown):
    model = linear_model(np.random.default_rng(0), classes=5, unknown=(unknown,))
    said = model.confidences
    said[0, 1] = 0.0
    said[0] /= said[0].sum()
    guess, honest = guessed(linear_view(model, confidences=said)), guessed(linear_view(model))
    assert np.array_equal(guess.units[1:], honest.units[1:])  # what is hidden of one row changes no other
    error = ((guess.units[0] - model.unknown[0]) ** 2).mean()
    assert error < (1e-8 if unknown == 2 else 0.1)  # three equations are left


def test_a_confidence_of_zero_keeps_no_other_row_from_leaving_the_range():
    model = linear_model(np.random.default_rng(1), classes=5, unknown=(3,), reach=3.0)
    assert model.unknown[1:].min() < 0 or model.unknown[1:].max() > 1
    said = model.confidences
    said[0, 1] = 0.0
    said[0] /= said[0].sum()
    guess = guessed(linear_view(model, confidences=said))
    assert np.allclose(guess.units[1:], model.unknown[1:], atol=1e-9)
    assert guess.units[0].min() >= 0 and guess.units[0].max() <= 1


def test_six_digits_are_nearly_as_good_as_all():
    model = linear_model(np.random.default_rng(0), classes=8, unknown=(4,), rows=100)
    guess = guessed(linear_view(model, confidences=floored(model, 6)))
    assert guess.notes["last_digit"] == 1e-6
    assert np.mean((guess.units - model.unknown) ** 2) < 1e-5


def test_means_must_be_known_where_they_are_the_center():
    with pytest.raises(IncompatibleView, match=r"The means of the unknown columns are not known\.\nGrant them"):
        guessed(linear_view(linear_model(np.random.default_rng(0), unknown=(4,))), center="mean")
    assert BoundedEqualitySolving(center="mean").needs.means and not BoundedEqualitySolving().needs.means


@pytest.mark.parametrize("encoding", [("ordinal", "minmax"), ("one-hot", "standard")])
@pytest.mark.parametrize(("name", "unknown"), [("breast_cancer", 10), ("wine", 6), ("digits", 14)])
def test_a_trained_federation_gives_away_more_than_the_constant(name, unknown, encoding):
    finding = linear_finding("bounded-equality-solving", name, unknown, encoding)
    assert finding.value < finding.blind and finding.blind_kind in {"constant ½", "even guess"}
    assert finding.bounds["equality_solving"]["mse_bound"] == pytest.approx(finding.blind)


def test_a_known_mean_is_what_the_attack_is_compared_with():
    finding = linear_finding("bounded-equality-solving", "wine", 6, center="mean")
    assert finding.value < finding.blind and finding.blind_kind == "known mean"


@needs_data
@pytest.mark.parametrize(("name", "unknown"), [("bank_additional", 12), ("drive", 29), ("news", 35)])
def test_the_data_sets_of_the_paper_give_away_more_than_the_constant(name, unknown):
    finding = linear_finding("bounded-equality-solving", name, unknown)
    assert finding.value < finding.blind and finding.blind_kind == "constant ½"
