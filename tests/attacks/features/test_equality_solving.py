"""As many equations as unknown columns give everything away; fewer leave what no equation sees."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

from linear_views import Linear, in_order, linear_finding, linear_model, linear_view
from samples import needs_data
from seepage.attacks.features.equality_solving import EqualitySolving
from seepage.attacks.steps.inversion.linear_equations import LinearLogits, linear_equations, released_equations
from seepage.errors import IncompatibleView
from seepage.networks.architectures import Dense
from seepage.networks.heads import Sum, Summed
from seepage.networks.joint_network import pack_part
from seepage.views import Kind
from seepage.views.joint_columns import joint_columns

seeds = st.integers(0, 2**32 - 1)


def guessed(view, **fields):
    return EqualitySolving(**fields).run(view, np.random.default_rng(0))


def equations_of(model: Linear):
    view = linear_view(model)
    return released_equations(view, joint_columns(view), np.arange(len(model.confidences)), np.log(model.confidences))


@settings(max_examples=60, deadline=None)
@given(seed=seeds, classes=st.integers(2, 7), own=st.integers(1, 4), data=st.data())
def test_as_many_equations_as_unknown_columns_give_every_value_away(seed, classes, own, data):
    unknown = data.draw(st.integers(1, classes - 1))
    split = data.draw(st.integers(0, unknown - 1))
    parties = (split, unknown - split) if split else (unknown,)
    model = linear_model(np.random.default_rng(seed), classes=classes, own=own, unknown=parties, reach=1.5)
    assume(np.linalg.cond(equations_of(model).matrix) < 1e4)
    guess = guessed(linear_view(model))
    assert guess.notes["exact"] == 1.0 and guess.notes["equations"] == classes - 1
    assert np.mean((guess.units - model.unknown) ** 2) < 1e-18


@settings(max_examples=60, deadline=None)
@given(seed=seeds, classes=st.integers(2, 6), more=st.integers(1, 8))
def test_with_fewer_equations_the_error_is_what_no_equation_sees(seed, classes, more):
    model = linear_model(np.random.default_rng(seed), classes=classes, unknown=(classes - 1 + more,))
    equations = equations_of(model)
    assume(np.linalg.cond(equations.matrix) < 1e4)
    guess, truth = guessed(linear_view(model)), model.unknown
    assert guess.notes["exact"] == 0.0 and guess.notes["rank"] == classes - 1
    error = ((guess.units - truth) ** 2).sum(axis=1)
    assert np.allclose(error, (truth**2).sum(axis=1) - (guess.units**2).sum(axis=1), atol=1e-9)
    assert (error <= 2 * (truth**2).sum(axis=1) + 1e-12).all()  # Eq. 15, in every row
    for units, side in zip(guess.units, equations.sides, strict=True):
        assert np.allclose(units, np.linalg.lstsq(equations.matrix, side, rcond=None)[0], atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(seed=seeds, classes=st.integers(2, 5))
def test_the_order_of_rows_and_parties_changes_nothing(seed, classes):
    rng = np.random.default_rng(seed)
    model = linear_model(rng, classes=classes, unknown=(2, 3))
    assume(np.linalg.cond(equations_of(model).matrix) < 1e4)
    guess = guessed(linear_view(model))
    shuffled = guessed(linear_view(model, order=rng.permutation(len(model.confidences))))
    assert np.array_equal(guess.rows, shuffled.rows) and np.allclose(guess.units, shuffled.units, atol=1e-9)
    other = guessed(linear_view(in_order(model, "active", "passive-1", "passive-0")))
    assert np.allclose(other.units, guess.units[:, [2, 3, 4, 0, 1]], atol=1e-9)
    assert other.columns[0] == ("passive-1", "passive-1-0")


def test_example_1_of_the_paper():
    weights = np.array([[0.08, 0.0002, 0.0005, 0.09], [0.06, 0.0005, 0.0002, 0.08], [0.01, 0.0001, 0.0004, 0.05]])
    truth = np.array([25.0, 2000.0, 8000.0, 3.0])
    powers = np.exp(weights @ truth)
    exact = (powers / powers.sum())[None]
    assert np.allclose(exact, [[0.867, 0.084, 0.049]], atol=5e-4)

    def solved(logs):
        known, unknown = np.array([0, 1]), np.array([2, 3])
        places = {"known": known, "unknown": unknown, "low": np.zeros(4), "width": np.ones(4)}
        return linear_equations(LinearLogits(weights, np.zeros(3)), logs, truth[None, :2], **places).nearest_to_zero()[
            0
        ]

    assert np.allclose(solved(np.log(exact)), truth[2:], rtol=1e-9)
    printed = np.log([[0.867, 0.084, 0.049]])
    differences = (printed[:, :-1] - printed[:, 1:]).round(3)
    logs = np.array([[differences.sum(), differences[0, 1], 0.0]])
    assert np.allclose(solved(logs), [8011.8, 3.046], rtol=2e-4)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, classes=st.integers(2, 6), digits=st.integers(0, 4), unknown=st.integers(1, 6))
def test_no_confidence_makes_a_guess_that_is_not_a_number(seed, classes, digits, unknown):
    model = linear_model(np.random.default_rng(seed), classes=classes, unknown=(unknown,))
    steep = replace(model, weights=100 * model.weights)
    floored = np.floor(steep.confidences * 10**digits) / 10**digits
    for confidences in (floored, np.eye(classes)[np.arange(8) % classes], steep.confidences):
        assert np.isfinite(guessed(linear_view(steep, confidences=confidences)).units).all()


def test_the_floor_decides_what_a_confidence_of_zero_says():
    model = Linear(np.ones((1, 2)), np.zeros(1), {"active": np.zeros((1, 1)), "passive": np.zeros((1, 1))}, np.zeros(2),
                   np.ones(2))  # fmt: skip
    view = linear_view(model, confidences=np.array([[0.99, 0.0]]))
    for floor, expected in ((None, 0.005), (1e-9, 1e-9)):
        guess = guessed(view, floor=floor)
        assert guess.units[0, 0] == pytest.approx(np.log(expected) - np.log(0.99))
        assert guess.notes["last_digit"] == 0.01


def test_a_column_without_weight_leaves_the_equations_short():
    model = linear_model(np.random.default_rng(0), classes=4, unknown=(3,))
    weights = model.weights.copy()
    weights[:, 3] = 0.0
    guess = guessed(linear_view(replace(model, weights=weights)))
    assert guess.notes["rank"] == 2.0 and guess.notes["exact"] == 0.0
    assert np.allclose(guess.units[:, 1], 0.0)
    assert np.allclose(guess.units[:, [0, 2]], model.unknown[:, [0, 2]])


def test_without_any_weight_nothing_is_said():
    model = linear_model(np.random.default_rng(0), classes=3, unknown=(2,))
    weights = model.weights.copy()
    weights[:, 2:] = 0.0
    guess = guessed(linear_view(replace(model, weights=weights)))
    assert guess.notes["rank"] == 0.0 and np.array_equal(guess.units, np.zeros((8, 2)))


def test_a_model_that_is_not_linear_is_refused():
    view = linear_view(linear_model(np.random.default_rng(0)))
    crooked = Dense(2, (4,), 3)
    part = pack_part(
        ["active-0", "active-1"],
        (crooked, crooked.build().double()),
        (Sum(3, intercept=True), Summed(3, intercept=True).double()),
    )
    messages = [
        replace(message, payload=part) if message.kind is Kind.MODEL and message.sender == "active" else message
        for message in view.messages
    ]
    with pytest.raises(IncompatibleView, match="The released model is not linear: a bottom model is not linear"):
        guessed(replace(view, messages=tuple(messages)))
    assert isinstance(crooked.build(), nn.Sequential)


@pytest.mark.parametrize("encoding", [("ordinal", "minmax"), ("one-hot", "standard")])
@pytest.mark.parametrize(("name", "unknown"), [("digits", 9), ("wine", 2), ("breast_cancer", 1)])
def test_a_trained_federation_gives_every_value_away(name, unknown, encoding):
    finding = linear_finding("equality-solving", name, unknown, encoding)
    assert finding.value < 1e-10 and finding.bounds["equality_solving"]["exact"] == 1.0


@needs_data
@pytest.mark.parametrize(("name", "unknown"), [("drive", 10), ("avila", 9), ("bank_additional", 1)])
def test_the_data_sets_of_the_papers_give_every_value_away(name, unknown):
    assert linear_finding("equality-solving", name, unknown).value < 1e-10


def test_a_finding_carries_the_bound():
    finding = linear_finding("equality-solving", "wine", 6)
    bound = finding.bounds["equality_solving"]
    assert (bound["equations"], bound["unknown"], bound["rank"], bound["exact"]) == (2.0, 6.0, 2.0, 0.0)
    assert 0 < finding.value <= bound["mse_bound"] / 2
