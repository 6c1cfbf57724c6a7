"""What every owner released, put together, is the joint model itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from samples import small_data, without_active_columns
from seepage.data import Encoding
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.json_arrays import from_array, to_array
from seepage.messages import Kind
from seepage.trees.whole_tree import combined
from seepage.views.joint_columns import joint_columns, released_parts
from seepage.views.released import joint_network, last_digit, released_predictions, whole_trees
from trained_runs import released as released_run
from trained_runs import seen

NETWORKS = [("logistic-regression", {}), ("summed-network", {"epochs": 1}), ("split-network", {"epochs": 1})]
TREES = [("decision-tree", {}), ("forest", {"trees": 3}), ("forest", {"trees": 3, "release": "ratios"})]


def released(federation, settings, data=None, adversaries=("active",), **threat):
    data = data or small_data("wine", parties=3)
    run = released_run(FEDERATIONS[federation](**settings), data)
    return seen(run, data, *adversaries, **threat), run, data


def all_columns(data) -> np.ndarray:
    return np.concatenate([data.parts[party].features for party in data.parties], axis=1)


@pytest.mark.parametrize(("federation", "settings"), NETWORKS)
@pytest.mark.parametrize("bare", [False, True])
def test_a_joint_network_predicts_what_the_federation_predicts(federation, settings, bare):
    data = small_data("wine", parties=3)
    view, run, data = released(federation, settings, without_active_columns(data) if bare else data)
    joint = joint_network(view)
    columns = torch.from_numpy(all_columns(data)[data.test]).to(joint.dtype)
    assert np.allclose(joint(columns).numpy(), run.predict(data.test), atol=1e-6)


@pytest.mark.parametrize(("federation", "settings"), TREES)
def test_whole_trees_predict_what_the_federation_predicts(federation, settings):
    view, run, data = released(federation, settings)
    columns = all_columns(data)[data.test]
    said = [tree.values[tree.leaf_of(columns)] for tree in whole_trees(view)]
    assert np.allclose(combined(said, view.agreement.settings["release"]), run.predict(data.test), atol=1e-12)


@pytest.mark.parametrize(("federation", "settings"), [*NETWORKS, *TREES])
def test_columns_are_laid_out_as_the_model_reads_them(federation, settings):
    view, _, data = released(federation, settings, adversaries=("active", "passive-2"))
    joint = joint_columns(view)
    assert [party for party, _ in joint.columns] == [p for p in data.parties for _ in data.parts[p].names]
    whole = all_columns(data)
    assert np.array_equal(joint.own(view, data.test), whole[np.ix_(data.test, joint.known)])
    assert {party for party, _ in joint.targets} == {"passive-1"}
    units = joint.units(whole[data.train], np.arange(len(joint.columns)))
    assert units.min() > -1e-6 and units.max() < 1 + 1e-6  # ranges are those of the training rows
    assert np.allclose(joint.encoded(units, np.arange(len(joint.columns))), whole[data.train], atol=1e-5)


def test_under_min_max_scaling_units_are_the_encoded_values():
    from seepage.audit.plan.plan import DataPlan, PartitionPlan
    from seepage.audit.stages.preparation import load_table, prepare

    encoding = Encoding(kind="ordinal", scaling="minmax")
    data = prepare(load_table(DataPlan(name="wine")), PartitionPlan(), (), encoding, "stratified", 0).data
    joint = joint_columns(released("logistic-regression", {}, data)[0])
    assert np.array_equal(joint.low, np.zeros(13)) and np.array_equal(joint.width, np.ones(13))


def test_predictions_are_those_that_were_released():
    view, run, data = released("logistic-regression", {}, adversaries=("active", "passive-1"))
    predictions = released_predictions(view)
    assert np.array_equal(predictions.rows, np.sort(data.test))
    assert np.allclose(predictions.confidences, run.predict(predictions.rows))
    assert predictions.unit == 0.0


def changed(view, kind, rewrite):
    messages = [rewrite(message) if message.kind is kind else message for message in view.messages]
    return replace(view, messages=tuple(message for message in messages if message is not None))


def test_confidences_that_do_not_add_up_are_refused_unless_they_were_rounded_down():
    view = released("logistic-regression", {})[0]

    def said(change):
        return changed(
            view, Kind.PREDICTION, lambda m: replace(m, payload={"confidence": change(m.payload["confidence"])})
        )

    with pytest.raises(IncompatibleView, match=r"add up to 2 instead of 1 .*\nGive confidences"):
        released_predictions(said(lambda confidence: 2 * confidence))
    assert released_predictions(said(lambda confidence: np.floor(confidence * 10) / 10)).unit == 0.1


SATURATED = np.array([[1 - 2e-7, 1e-7, 1e-7], [1e-7, 1e-7, 1 - 2e-7]])


@pytest.mark.parametrize(
    "numbers",
    [
        SATURATED,
        SATURATED.astype(np.float32),
        np.array([[1 - 2e-13, 2e-13]]),
        np.array([[1 - 3e-8, 3e-8]], dtype=np.float32),
        np.array([[0.25 + 2e-12, 0.75 - 2e-12]]),
        np.array([[0.25 + 4e-8, 0.75]], dtype=np.float32),
    ],
)
def test_saturated_confidences_do_not_pass_for_rounded(numbers):
    assert last_digit(numbers) == 0.0


@pytest.mark.parametrize("digits", range(7))
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_the_last_digit_of_rounded_numbers_is_seen_in_any_precision(digits, precision):
    every = np.arange(10**digits + 1) / 10**digits
    assert last_digit(every) == last_digit(every.astype(precision)) == pytest.approx(10.0**-digits)
    model = np.random.default_rng(0).dirichlet(np.ones(4), size=200).astype(precision)
    rounded = np.floor(model.astype(np.float64) * 10**digits) / 10**digits
    assert last_digit(rounded) == last_digit(rounded.astype(precision)) == pytest.approx(10.0**-digits)


def test_half_precision_is_not_taken_for_digits_it_does_not_have():
    assert last_digit(np.array([0.1, 0.9], dtype=np.float16)) == 0.1
    assert last_digit(np.array([1 / 3, 2 / 3], dtype=np.float16)) == 0.0


@pytest.mark.parametrize(("trees", "unit"), [(1, 1.0), (3, 0.0), (4, 0.01), (7, 0.0), (10, 0.1), (20, 0.01)])
def test_shares_of_votes_have_the_digits_that_the_number_of_trees_has(trees, unit):
    votes = np.arange(trees + 1)
    assert last_digit(np.stack((votes, trees - votes), axis=1) / trees) == pytest.approx(unit)


def test_one_message_that_was_not_rounded_is_enough_to_see_it():
    view = released("logistic-regression", {})[0]
    (first,) = view.received(Kind.PREDICTION)
    half = len(first.rows) // 2
    said = first.payload["confidence"]
    rounded = np.tile(np.array([0.9, 0.1, 0.0], dtype=np.float32), (half, 1))
    parts = (
        replace(first, rows=first.rows[:half], payload={"confidence": rounded}),
        replace(first, rows=first.rows[half:], payload={"confidence": said[half:]}),
    )
    rest = tuple(message for message in view.messages if message.kind is not Kind.PREDICTION)
    assert released_predictions(replace(view, messages=(*rest, *parts))).unit == 0.0
    assert released_predictions(replace(view, messages=(*rest, parts[0]))).unit == 0.1


def test_predictions_without_the_model_are_refused():
    view = released("logistic-regression", {})[0]
    with pytest.raises(IncompatibleView, match=r"received no model messages"):
        released_parts(changed(view, Kind.MODEL, lambda m: None))
    with pytest.raises(IncompatibleView, match=r"'passive-2' released no model to go with them"):
        joint_columns(changed(view, Kind.MODEL, lambda m: None if m.sender == "passive-2" else m))


def test_a_model_of_other_columns_is_refused():
    view = released("logistic-regression", {})[0]

    def foreign(message):
        about = from_array(message.payload["about"])
        about["columns"] = ["shoe size", *about["columns"][1:]]
        return replace(message, payload={**message.payload, "about": to_array(about)})

    with pytest.raises(IncompatibleView, match=r"reads a column 'shoe size', which its table does not have"):
        joint_columns(changed(view, Kind.MODEL, foreign))


def test_an_adversary_with_all_or_no_columns_is_refused():
    view = released("logistic-regression", {}, adversaries=("active", "passive-1", "passive-2"))[0]
    with pytest.raises(IncompatibleView, match=r"holds every column that the model reads"):
        joint_columns(view)
    bare = without_active_columns(small_data("wine", parties=3))
    with pytest.raises(IncompatibleView, match=r"'active' holds no columns"):
        joint_columns(released("logistic-regression", {}, bare)[0])


def test_a_hidden_model_is_not_in_the_view():
    view = released("logistic-regression", {}, model=False)[0]
    assert not any(message.kind is Kind.MODEL for message in view.messages)


def test_a_column_that_the_adversary_holds_too_is_known():
    data = small_data("wine", shared=0.5, adversary=("active",))
    joint = joint_columns(released("logistic-regression", {}, data)[0])
    held = set(data.parts["active"].names)
    assert all(name not in held for _, name in joint.targets)
    assert len(joint.unknown) < len(data.parts["passive"].names)
