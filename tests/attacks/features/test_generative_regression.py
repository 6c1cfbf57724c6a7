"""The generator: where confidences determine the values, where it fails and says so, and what it refuses."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import trained_runs
from samples import small_data
from seepage.attacks.features.generative_regression import GenerativeRegression
from seepage.attacks.steps.generation.differentiable_model import forest_says
from seepage.attacks.steps.generation.judged_values import JudgedValues, best, faded, unrounded
from seepage.defenses import DEFENSES
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.hooks import Hooks, begin
from seepage.messages import Kind
from seepage.randomness import stream
from seepage.views.joint_columns import joint_columns
from seepage.views.released import joint_network, released_predictions, whole_trees

QUICK = {"steps": 5, "fade_steps": 5, "restarts": 0, "draws": 2, "dummy_rows": 200, "surrogate_steps": 5}


@cache
def released(name="iris", federation="logistic-regression", defense=None, adversaries=("active",), **settings):
    """Return a view and what the adversary does not see: all columns of the predicted rows, in units."""
    data = small_data(name, parties=3 if name == "wine" else 2)
    hooks = Hooks({p: begin(defense, data.parts[p], stream(0, p)) for p in data.parties} if defense else {})
    run = trained_runs.released(FEDERATIONS[federation](**settings), data, hooks=hooks)
    view = trained_runs.seen(run, data, *adversaries)
    columns = joint_columns(view)
    whole = np.concatenate([data.parts[party].features for party in data.parties], axis=1)[np.sort(data.test)]
    return view, columns.units(whole, np.arange(len(columns.columns)))


def said_of(view, units):
    """What the released network says when the guess takes the place of the unknown columns."""
    columns, rows = joint_columns(view), released_predictions(view).rows
    whole = np.empty((len(rows), len(columns.columns)))
    whole[:, columns.known] = columns.own(view, rows)
    whole[:, columns.unknown] = columns.encoded(units, columns.unknown)
    if view.agreement.federation == "forest":
        return forest_says(whole_trees(view), view.agreement.settings["release"], whole)
    network = joint_network(view)
    return network(torch.as_tensor(whole).to(network.dtype)).numpy()


def test_where_confidences_determine_every_value_it_comes_close_to_them():
    view, true = released("iris")  # three classes, two unknown columns: as many equations as unknowns
    unknown = joint_columns(view).unknown
    attack = GenerativeRegression(size=1.0, steps=600, half_weight=0.0, learning_rate=3e-3, inputs="own")
    guess = attack.run(view, stream(0, "attack"))
    assert guess.notes["confidence_error"] < 0.001 * guess.notes["confidence_variance"]  # 0 is the exact solution's
    error = np.mean((guess.units - true[:, unknown]) ** 2)
    assert error < 0.5 * np.mean((true[:, unknown] - 0.5) ** 2)


@pytest.mark.parametrize("federation", ["logistic-regression", "split-network", "summed-network"])
def test_it_meets_confidences_better_than_the_middle_of_every_range_does(federation):
    view, _ = released("breast_cancer", federation)
    guess = GenerativeRegression().run(view, stream(0, "attack"))
    target = released_predictions(view).confidences

    def error_of(units):
        return np.mean(np.sum((said_of(view, units) - target) ** 2, axis=1))

    assert guess.notes["confidence_error"] == pytest.approx(error_of(guess.units), abs=1e-5)
    assert error_of(guess.units) < 0.2 * error_of(np.full_like(guess.units, 0.5))
    assert guess.notes["failed"] == 0.0 and guess.notes["restarts"] == 0.0


@pytest.mark.parametrize("release", ["votes", "ratios"])
def test_a_forest_is_met_in_what_it_released_itself(release):
    view, _ = released("breast_cancer", "forest", trees=10, depth=3, release=release)
    guess = GenerativeRegression(steps=150, dummy_rows=5000, surrogate_steps=200).run(view, stream(0, "attack"))
    target = released_predictions(view).confidences
    error = np.mean(np.sum((said_of(view, guess.units) - target) ** 2, axis=1))
    assert guess.notes["confidence_error"] == pytest.approx(error)
    assert error < np.mean(np.sum((said_of(view, np.full_like(guess.units, 0.5)) - target) ** 2, axis=1))
    assert 0 < guess.notes["surrogate_error"] < 0.3 * guess.notes["surrogate_variance"]


@pytest.mark.parametrize(
    "settings",
    [{}, {"inputs": "own"}, {"inputs": "noise"}, {"inputs": "noise", "sees_confidences": False},
     {"sees_confidences": False}, {"generator": False}, {"predictions": 10},
     {"variance_weight": 0.0, "half_weight": 0.0, "decay": "none", "draws": 1}],
)  # fmt: skip
@pytest.mark.parametrize(
    ("federation", "model"), [("logistic-regression", {}), ("split-network", {"epochs": 1}), ("forest", {"trees": 3})]
)
def test_every_variant_guesses_all_unknown_columns_and_repeats_itself(settings, federation, model):
    view, true = released("wine", federation, adversaries=("active", "passive-2"), **model)
    attack = GenerativeRegression(**(QUICK | settings), reset_idle=False)
    one, two = (attack.run(view, stream(3, "attack")) for _ in range(2))
    assert one.columns == joint_columns(view).targets and np.array_equal(one.rows, np.sort(view.knowledge.new))
    assert one.units.shape == (len(true), len(one.columns))
    assert np.isfinite(one.units).all() and one.units.min() >= 0 and one.units.max() <= 1
    assert np.array_equal(one.units, two.units) and one.notes == two.notes
    assert not np.array_equal(one.units, attack.run(view, stream(4, "attack")).units)


def test_values_without_a_generator_also_meet_the_confidences():
    view, _ = released("iris")
    guess = GenerativeRegression(generator=False, steps=400, half_weight=0.0).run(view, stream(0, "attack"))
    assert guess.notes["confidence_error"] < 0.01 * guess.notes["confidence_variance"]


def test_predictions_that_were_not_learned_from_do_not_change_the_generator():
    view, _ = released("iris")
    attack = GenerativeRegression(**QUICK, predictions=5, sees_confidences=False)
    rng = stream(0, "attack")
    learned = np.sort(rng.choice(30, 5, replace=False))
    rest = np.setdiff1d(np.arange(30), learned)

    def turned(message):
        """Release something else of the rows that are not learned from."""
        if message.kind is not Kind.PREDICTION or message.epoch >= 0:
            return message
        order = np.argsort(message.rows)
        confidence = message.payload["confidence"].copy()
        confidence[order[rest]] = confidence[order[rest]][:, ::-1]
        return replace(message, payload={"confidence": confidence})

    other = replace(view, messages=tuple(turned(message) for message in view.messages))
    one, two = attack.run(view, stream(0, "attack")), attack.run(other, stream(0, "attack"))
    assert np.array_equal(one.units, two.units) and one.notes == two.notes
    everything = replace(attack, predictions=None)
    assert not np.array_equal(everything.run(view, stream(0, "a")).units, everything.run(other, stream(0, "a")).units)


def test_a_column_that_the_model_does_not_read_stays_at_half():
    view, _ = released("wine", "forest", trees=3, depth=2)
    columns = joint_columns(view)
    split = {int(column) for tree in whole_trees(view) for column in tree.column[tree.column >= 0]}
    idle = [place not in split for place in columns.unknown]
    guess = GenerativeRegression(**QUICK).run(view, stream(0, "attack"))
    assert any(idle) and (guess.units[:, idle] == 0.5).all()
    loose = GenerativeRegression(**QUICK, reset_idle=False).run(view, stream(0, "attack"))
    assert (loose.units[:, idle] != 0.5).any()
    assert guess.notes["confidence_error"] <= loose.notes["confidence_error"]


def scripted(monkeypatch, *values):
    """Let runs generate the same value everywhere, one run after the other."""
    left = list(values)
    monkeypatch.setattr(GenerativeRegression, "_generated", lambda self, *_: [np.full((30, 2), left.pop(0))])
    return left


def errors_of(view, *values):
    target = released_predictions(view).confidences
    return [np.mean(np.sum((said_of(view, np.full((30, 2), v)) - target) ** 2, axis=1)) for v in values]


def test_runs_that_failed_are_repeated_and_the_one_with_the_lowest_confidence_error_is_kept(monkeypatch):
    view, _ = released("iris")
    ends = (1.0, 0.0, 0.995)  # saturated, all of them
    errors = errors_of(view, *ends)
    scripted(monkeypatch, *ends)
    guess = GenerativeRegression(restarts=2, reset_idle=False, fade_steps=0).run(view, stream(0, "attack"))
    assert guess.units[0, 0] == ends[int(np.argmin(errors))] and np.argmin(errors) != 0
    assert guess.notes["confidence_error"] == pytest.approx(min(errors), abs=1e-5)
    assert guess.notes["restarts"] == 2.0 and guess.notes["failed"] == 1.0 and guess.notes["saturated"] == 1.0


def test_there_is_no_other_run_after_one_that_went_well(monkeypatch):
    view, _ = released("iris")
    left = scripted(monkeypatch, 1.0, 0.4, 0.5)
    guess = GenerativeRegression(restarts=2, reset_idle=False, fade_steps=0).run(view, stream(0, "attack"))
    assert guess.units[0, 0] == 0.4 and len(left) == 1
    assert guess.notes["restarts"] == 1.0 and guess.notes["failed"] == 0.0


def attempt(error, failed=False):
    return JudgedValues(np.zeros((1, 1)), error, 0.0, failed)


def test_a_run_that_went_well_is_preferred_to_one_that_failed_with_a_lower_error():
    good, failed, worse = attempt(0.2), attempt(0.1, failed=True), attempt(0.3, failed=True)
    assert best([failed, worse, good]) is good and best([worse, failed]) is failed


def test_values_further_from_the_middle_must_explain_confidences_better():
    near, hardly, far, edge = attempt(0.10), attempt(0.09), attempt(0.05), attempt(0.01, failed=True)
    assert faded([near]) is near and faded([near, hardly]) is near and faded([near, far]) is far
    assert faded([near, edge]) is near  # saturated values explain nothing
    view, _ = released("iris")
    held, free = (
        GenerativeRegression(reset_idle=False, fade_steps=steps, steps=300).run(view, stream(0, "attack"))
        for steps in (0, 200)
    )
    assert free.notes["confidence_error"] <= held.notes["confidence_error"]


def test_a_run_that_is_driven_to_the_edges_says_that_it_failed():
    view, _ = released("iris")
    free = {"decay": "none", "variance_weight": 0.0, "half_weight": 0.0}
    runaway = GenerativeRegression(learning_rate=5.0, steps=30, restarts=1, draws=1, **free)
    guess = runaway.run(view, stream(0, "attack"))
    assert guess.notes["saturated"] > 0.5 and guess.notes["failed"] == 1.0 and guess.notes["restarts"] == 1.0


def test_confidences_that_are_missed_altogether_are_a_failure():
    view, _ = released("iris")
    target = released_predictions(view).confidences
    wrong = tuple(
        replace(message, payload={"confidence": np.roll(message.payload["confidence"], 1, axis=1)})
        if message.kind is Kind.PREDICTION
        else message
        for message in view.messages
    )
    attack = GenerativeRegression(steps=1, restarts=0, fade_steps=0)
    guess = attack.run(replace(view, messages=wrong), stream(0, "attack"))
    assert target.shape[1] == 3 and guess.notes["failed"] == 1.0


@given(
    arrays(np.float64, (4, 3), elements=st.floats(0.01, 1)),
    st.integers(1, 3),
)
def test_what_rounding_took_is_shared_out_within_what_it_can_have_taken(raw, digits):
    exact = raw / raw.sum(axis=1, keepdims=True)
    rounded = np.floor(exact * 10**digits) / 10**digits
    repaired = unrounded(rounded)
    assert np.allclose(repaired.sum(axis=1), 1)
    assert (repaired >= rounded - 1e-12).all() and (repaired <= rounded + 10.0**-digits + 1e-9).all()
    assert np.sum((repaired - exact) ** 2) <= np.sum((rounded - exact) ** 2) + 1e-12
    assert np.allclose(unrounded(exact), exact)


def test_published_settings_are_those_of_the_authors():
    published = GenerativeRegression.published(predictions=1000, unknown=8)
    assert (published.batch, published.steps, published.learning_rate) == (64, 60 * 16, 1e-4)
    # sum of errors over a batch of 64 + 0.25 * sum of variances, over 64
    assert published.variance_weight / 8 == pytest.approx(0.25 / 64) and published.variance_limit == 0
    assert not published.sees_confidences and published.draws == 1 and published.half_weight == 0


def test_a_forest_with_grafted_leaves_is_refused():
    view, _ = released("breast_cancer", "forest", DEFENSES["grafting"](epsilon=0.1), trees=3)
    assert any(tree.grafted.any() for tree in whole_trees(view))
    with pytest.raises(IncompatibleView, match=r"Local models .* answer for some leaves.*\nChoose a run without"):
        GenerativeRegression().run(view, stream(0, "attack"))
