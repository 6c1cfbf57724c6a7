"""Record-level intermediate results: what each adversary can know of them, and that replayed gradients are right."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from property_runs import LARGE
from samples import small_data
from seepage.attacks.steps.tampering.stand_ins import stand_ins
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.hooks import Hooks
from seepage.networks.optimizers import OptimizerSettings
from seepage.randomness import stream
from seepage.views import Auxiliary, ThreatModel, View, grant, observe
from seepage.views.intermediate_results import intermediate_results, results_needs
from trained_runs import trained

FROZEN = OptimizerSettings(learning_rate=1e-30)
"""So slow that no weight changes in float32."""
EPOCHS = 3


def view_of(federation="split-network", adversary=("active",), *, auxiliary=None, partition=None, tampering=False,
            data_name="breast_cancer", asked=LARGE, **settings):  # fmt: skip
    data = small_data(data_name, adversary=adversary, properties=(asked,), **(partition or {}))
    threat = ThreatModel(adversaries=adversary, property=asked, auxiliary=auxiliary or Auxiliary())
    knowledge = grant(data, threat, stream(0, "knowledge"))
    tamperings = {party: stand_ins(knowledge, stream(0)) for party in adversary} if tampering else {}
    made = FEDERATIONS[federation](epochs=EPOCHS, **settings)
    run = trained(made, data, hooks=Hooks({}, tamperings), purpose="federation")
    return observe(run.transcript, knowledge), data


def snapshot(view: View, party: str, part: str, epoch: int = EPOCHS - 2):
    (found,) = [s for s in view.snapshots if (s.party, s.part, s.epoch) == (party, part, epoch)]
    return {key: torch.from_numpy(np.asarray(value)) for key, value in found.state.items()}


def sent(view: View, party: str, epoch: int = EPOCHS - 2):
    """Return what a party sent for each row during an epoch, rows in ascending order."""
    said = [m for m in view.messages if m.kind == "embedding" and m.sender == party and m.epoch == epoch]
    rows = np.concatenate([m.rows for m in said])
    return np.concatenate([m.payload["embedding"] for m in said])[np.argsort(rows)]


def by_hand(view, data, own_outputs, victims):
    """Compute each row's gradient through a split network's top model with nothing but matrices."""
    top = snapshot(view, "active", "head")
    inputs = [torch.from_numpy(array).requires_grad_() for array in (own_outputs, *victims)]
    joined = torch.cat(inputs, dim=1)
    hidden = torch.relu(joined @ top["top.0.weight"].T + top["top.0.bias"])
    logits = hidden @ top["top.2.weight"].T + top["top.2.bias"]
    labels = torch.from_numpy(data.labels[np.sort(data.train)])
    F.cross_entropy(logits, labels, reduction="sum").backward()
    return [one.grad.numpy() for one in inputs]


def own_outputs_by_hand(view, data, party="active", rows=None):
    state = snapshot(view, party, "bottom")
    features = torch.from_numpy(data.parts[party].features[np.sort(data.train) if rows is None else rows])
    hidden = torch.relu(features @ state["0.weight"].T + state["0.bias"])
    return torch.relu(hidden @ state["2.weight"].T + state["2.bias"]).numpy()


def test_replayed_gradients_are_those_of_the_joint_model_computed_by_hand():
    view, data = view_of()
    results = intermediate_results(view)
    assert np.array_equal(results.rows, np.sort(data.train)) and list(results.of) == ["AO", "AG", "VO", "VG"]
    own, victim = own_outputs_by_hand(view, data), sent(view, "passive")
    mine, theirs = by_hand(view, data, own, [victim])
    np.testing.assert_allclose(results.of["AO"], own, atol=1e-5)
    np.testing.assert_array_equal(results.of["VO"], victim)
    np.testing.assert_allclose(results.of["AG"], mine, atol=1e-5)
    np.testing.assert_allclose(results.of["VG"], theirs, atol=1e-5)
    assert np.abs(theirs).max() > 1e-3


@pytest.mark.parametrize("federation", ["split-network", "summed-network"])
@pytest.mark.parametrize("class_weights", [False, True])
def test_where_no_weight_moves_replayed_gradients_are_those_that_crossed(federation, class_weights):
    view, _ = view_of(federation, optimizer=FROZEN, class_weights=class_weights)
    replayed, crossed = (intermediate_results(view, gradients=how) for how in ("replayed", "sent"))
    np.testing.assert_array_equal(replayed.of["VO"], crossed.of["VO"])
    if not class_weights:
        np.testing.assert_allclose(replayed.of["VG"], crossed.of["VG"], atol=1e-5)
    else:  # a batch divides by the sum of its weights, which differs from its size: the direction stays
        one, two = replayed.of["VG"], crossed.of["VG"]
        scale = (one * two).sum(axis=1) / (two * two).sum(axis=1)
        np.testing.assert_allclose(one, scale[:, None] * two, atol=1e-5)
        assert scale.min() > 0.5 and scale.max() < 2
    assert np.abs(replayed.of["VG"]).max() > 1e-3


def test_gradients_of_a_regression_are_confidence_minus_label_for_everybody():
    view, data = view_of("logistic-regression")
    results = intermediate_results(view)
    head = snapshot(view, "active", "head")
    (bottom,) = snapshot(view, "active", "bottom").values()
    rows = np.sort(data.train)
    own = data.parts["active"].features[rows].astype(np.float64) @ bottom.numpy().T
    margin = own + sent(view, "passive") + head["intercept"].numpy()
    expected = 1 / (1 + np.exp(-margin)) - data.labels[rows][:, None]
    np.testing.assert_allclose(results.of["AG"], expected, atol=1e-6)
    np.testing.assert_array_equal(results.of["AG"], results.of["VG"])
    np.testing.assert_allclose(results.of["AO"], own, atol=1e-6)


def test_three_classes_are_replayed_too():
    view, data = view_of(data_name="iris", asked="petal length (cm)=4..")
    mine, theirs = by_hand(view, data, own_outputs_by_hand(view, data), [sent(view, "passive")])
    results = intermediate_results(view)
    np.testing.assert_allclose(results.of["AG"], mine, atol=1e-5)
    np.testing.assert_allclose(results.of["VG"], theirs, atol=1e-5)


@pytest.mark.parametrize("federation", ["split-network", "summed-network", "logistic-regression"])
def test_a_passive_party_has_its_own_outputs_alone(federation):
    view, data = view_of(federation, ("passive",))
    results = intermediate_results(view)
    assert list(results.of) == ["AO"]
    if federation == "split-network":
        np.testing.assert_allclose(results.of["AO"], own_outputs_by_hand(view, data, "passive"), atol=1e-5)
    assert results.joined().shape == results.of["AO"].shape


def test_an_active_party_without_columns_has_what_the_victim_sent_and_its_gradients():
    view, _ = view_of(partition={"labels_only": True})
    results = intermediate_results(view)
    assert list(results.of) == ["VO", "VG"]
    assert results.joined().shape == (len(results.rows), 32)


def test_of_several_other_parties_the_one_that_holds_the_attribute_is_the_victim():
    view, data = view_of(partition={"parties": 3})
    assert data.holders(LARGE) == ("passive-2",)
    results = intermediate_results(view)
    np.testing.assert_array_equal(results.of["VO"], sent(view, "passive-2"))
    _, _, theirs = by_hand(
        view, data, own_outputs_by_hand(view, data), [sent(view, "passive-1"), sent(view, "passive-2")]
    )
    np.testing.assert_allclose(results.of["VG"], theirs, atol=1e-5)


def test_parties_that_collude_lay_their_results_side_by_side_once():
    both, _ = view_of(adversary=("active", "passive-1"), partition={"parties": 3})
    results = intermediate_results(both)
    assert {kind: array.shape[1] for kind, array in results.of.items()} == {"AO": 32, "AG": 32, "VO": 16, "VG": 16}
    passive, _ = view_of(adversary=("passive-1", "passive-2"), partition={"parties": 3}, )  # fmt: skip
    assert {kind: array.shape[1] for kind, array in intermediate_results(passive).of.items()} == {"AO": 32}


def test_stand_ins_speak_through_the_adversary_s_own_outputs_alone():
    view, data = view_of(auxiliary=Auxiliary(rows=20, aligned=False), tampering=True)
    results = intermediate_results(view)
    assert list(results.of) == ["AO"]
    known = view.knowledge.auxiliary
    expected = own_outputs_by_hand(view, data, rows=known.source)
    np.testing.assert_allclose(results.of["AO"][results.at(known.rows)], expected, atol=1e-5)
    others = np.setdiff1d(np.arange(len(results.rows)), results.at(known.rows))
    honest = own_outputs_by_hand(view, data)
    np.testing.assert_allclose(results.of["AO"][others], honest[others], atol=1e-5)


def test_an_active_adversary_without_columns_learns_nothing_from_strangers():
    view, _ = view_of(auxiliary=Auxiliary(rows=20, aligned=False), tampering=True, partition={"labels_only": True})
    with pytest.raises(IncompatibleView, match="Use aligned auxiliary rows"):
        intermediate_results(view)


def test_an_epoch_that_was_not_trained_or_not_recorded_is_refused():
    view, _ = view_of()
    with pytest.raises(IncompatibleView, match="Epoch 7 is asked for, but 3 were trained"):
        intermediate_results(view, epoch=7)
    bare = replace(view, snapshots=())
    assert set(intermediate_results(bare).of) == {"VO"}, "of an active party, what it did not record is left out"
    passive = replace(view_of(adversary=("passive",))[0], snapshots=())
    with pytest.raises(IncompatibleView, match="own model of 'passive' at the end of epoch 1 is not known"):
        intermediate_results(passive)
    without = replace(view, messages=tuple(m for m in view.messages if m.kind != "gradient"))
    with pytest.raises(IncompatibleView, match="No gradients of epoch 1 were recorded"):
        intermediate_results(without, gradients="sent")


def test_epochs_are_counted_from_either_end():
    view, _ = view_of()
    for one, two in ((-1, EPOCHS - 1), (-2, EPOCHS - 2), (-EPOCHS, 0)):
        np.testing.assert_array_equal(*(intermediate_results(view, epoch).joined() for epoch in (one, two)))


@pytest.mark.parametrize("epoch", [EPOCHS, -EPOCHS - 1])
def test_epochs_that_were_not_trained_are_refused(epoch):
    with pytest.raises(IncompatibleView, match=f"Epoch {epoch} is asked for, but {EPOCHS} were trained"):
        intermediate_results(view_of()[0], epoch)


def test_rows_that_took_no_part_are_refused():
    view, data = view_of()
    results = intermediate_results(view)
    assert np.array_equal(results.rows[results.at(data.train)], data.train)
    with pytest.raises(IncompatibleView, match="Auxiliary rows are needed"):
        results.at(data.test[:1])


def test_recording_what_is_needed_is_enough():
    view, data = view_of()
    record = results_needs(Auxiliary(), -2, "sent").recording()
    run = trained(FEDERATIONS["split-network"](epochs=EPOCHS), data, record=record, purpose="federation")
    lean = observe(run.transcript, view.knowledge)
    assert {m.epoch for m in lean.messages} == {EPOCHS - 2}
    for how in ("replayed", "sent"):
        np.testing.assert_array_equal(*(intermediate_results(one, gradients=how).joined() for one in (lean, view)))
