"""The adversary's own bottom models: as training left them, anew, and refused where there are none."""

import os
from dataclasses import replace

import numpy as np
import pytest
import torch

from completion_runs import BRIEF, colluding_view, small_view, view_of
from samples import small_data
from seepage.attacks.labels.linear_probe import LinearProbe
from seepage.defenses.predictions.dropout import Dropout
from seepage.defenses.predictions.feature_screening import FeatureScreening
from seepage.errors import IncompatibleView
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.layouts import TextShape
from seepage.messages import Kind
from seepage.networks.architectures import state_of, to_json
from seepage.networks.transformer_bottom import Transformer
from seepage.randomness import stream
from seepage.transcript import Recording
from seepage.transcript.recording import Epochs
from seepage.views.own_bottoms import own_bottoms
from trained_runs import trained


def altered(view, **changes):
    """The same view with other snapshots."""
    return replace(view, snapshots=tuple(replace(snapshot, **changes) for snapshot in view.snapshots))


def test_outputs_are_those_that_training_left_behind():
    view = small_view()
    (snapshot,), columns = view.snapshots, view.knowledge.features
    first, second = (snapshot.state[f"{layer}.weight"] for layer in (0, 2))
    hidden = np.maximum(columns @ first.T + snapshot.state["0.bias"], 0)
    embedding = np.maximum(hidden @ second.T + snapshot.state["2.bias"], 0)
    rows = np.arange(50)
    assert np.allclose(own_bottoms(view).outputs(rows), embedding[rows], atol=1e-5)


def test_outputs_are_the_embeddings_that_were_sent():
    data = small_data("breast_cancer")
    record = Recording({Kind.PREDICTION: Epochs.all(), Kind.EMBEDDING: Epochs.all()}, Epochs.only(-1))
    run = trained(SplitNetwork(epochs=2), data, record=record, purpose="federation")
    run.release(data.test)
    view = replace(small_view(), snapshots=tuple(s for s in run.transcript.snapshots if s.party == "passive"), epochs=2)
    sent = [said for said in run.transcript.messages if said.kind is Kind.EMBEDDING and said.epoch < 0]
    for message in sent:
        assert np.allclose(own_bottoms(view).outputs(message.rows), message.payload["embedding"], atol=1e-6)
    assert sent


def test_fresh_models_have_the_same_build_and_nothing_that_was_learned():
    bottoms = own_bottoms(small_view())
    ((trained, width),), ((fresh, same),) = bottoms.trained(), bottoms.fresh(stream(0, "fresh"))
    ((again, _),) = bottoms.fresh(stream(0, "fresh"))
    assert width == same == 15 and str(trained) == str(fresh)
    pairs = list(zip(trained.parameters(), fresh.parameters(), strict=True))
    assert not any(torch.equal(one, two) for one, two in pairs)
    assert all(torch.equal(one, two) for one, two in zip(fresh.parameters(), again.parameters(), strict=True))


def test_colluding_parties_have_one_bottom_model_each():
    view = colluding_view()
    bottoms = own_bottoms(view)
    assert [snapshot.party for snapshot in bottoms.snapshots] == ["passive-1", "passive-2"]
    assert bottoms.widths == (10, 10) and np.array_equal(bottoms.features, view.knowledge.features)
    assert bottoms.outputs(np.arange(3)).shape == (3, 32)


def test_a_bottom_model_reads_the_columns_that_screening_left():
    data = small_data("breast_cancer")
    screening = FeatureScreening(limit=0.8)
    hooks = Hooks({party: screening.start(data.parts[party], stream(0, party)) for party in data.parties})
    view = view_of(data, hooks=hooks)
    (snapshot,) = view.snapshots
    bottoms = own_bottoms(view)
    names = view.knowledge.own["passive"].names
    assert 0 < bottoms.widths[0] == len(snapshot.columns) < 15
    assert np.array_equal(bottoms.features, view.knowledge.features[:, [names.index(n) for n in snapshot.columns]])
    assert LinearProbe(learner=BRIEF).run(view, stream(0)).scores.shape[1] == 2


def test_a_bottom_model_whose_units_were_dropped_is_whole_again():
    data = small_data("breast_cancer")
    hooks = Hooks({"passive": Dropout().start(data.parts["passive"], stream(0, "defense"))})
    assert own_bottoms(view_of(data, hooks=hooks)).outputs(np.arange(4)).shape == (4, 16)


def test_the_last_epoch_of_a_training_that_ended_early_is_read():
    view = view_of(small_data("breast_cancer"), LogisticRegression(tolerance=0.1))
    (snapshot,) = view.snapshots
    assert snapshot.epoch == view.epochs - 1 < 199
    weights = snapshot.state["0.weight"]
    assert weights.dtype == np.float64 and own_bottoms(view).outputs(np.arange(3)).shape == (3, 1)


def test_an_identity_has_learned_nothing():
    view = view_of(small_data("iris"), SplitNetwork(epochs=1, bottom="identity"))
    with pytest.raises(IncompatibleView, match="is the identity: it has learned nothing"):
        own_bottoms(view)


def test_a_bottom_model_that_is_not_there_or_does_not_fit_is_refused_in_plain_words():
    view = small_view()
    (snapshot,) = view.snapshots
    about, state = dict(snapshot.architecture), dict(snapshot.state)
    for said, seen in (
        ("Columns of 'passive' are not known", replace(view, knowledge=replace(view.knowledge, own={}))),
        ("at the end of training is not known", replace(view, snapshots=())),
        ("at the end of training is not known", altered(view, epoch=0)),
        ("reads a column 'age'", altered(view, columns=("age", *snapshot.columns[1:]))),
        ("it reads 16 columns instead of 15", altered(view, architecture={**about, "inputs": 16})),
        ("the parameters of the network do not fit", altered(view, architecture={**about, "outputs": 10**12})),
        (
            "no backbone is called 'forest' here; install the package",
            altered(view, architecture={**about, "kind": "forest"}),
        ),
        ("its description cannot be read", altered(view, architecture={**about, "hidden": 3, "depth": 1})),
        ("some of its parameters are no numbers", altered(view, state={**state, "0.bias": np.full(64, np.nan)})),
    ):
        with pytest.raises(IncompatibleView, match=said):
            own_bottoms(seen)


def reading_view(**changes):
    """The small view, as if its bottom model were a Transformer."""
    built = Transformer(TextShape(15, 40), width=8, layers=2, heads=2, feedforward=16, outputs=4)
    described = {**to_json(built), **changes}
    return altered(small_view(), architecture=described, state=state_of(built.build()))


@pytest.mark.parametrize(
    "changes",
    [{"heads": 3}, {"marks": [99999999]}, {"marks": 5}, {"mix_layer": -1}, {"epsilon": "x"}, {"width": 10**30},
     {"text": {"length": 15.0, "vocabulary": 40}}, {"encoder": ["folder"]}],
    ids=str,
)  # fmt: skip
def test_a_transformer_that_cannot_be_built_is_refused_in_plain_words(changes):
    assert own_bottoms(reading_view()).outputs(np.arange(3)).shape == (3, 4)
    with pytest.raises(IncompatibleView, match="cannot be used"):
        own_bottoms(reading_view(**changes))


def test_an_encoder_that_a_run_names_is_opened_only_if_all_its_files_are_there(tmp_path):
    bottoms = own_bottoms(reading_view(encoder=str(tmp_path)))
    assert bottoms.pretrained and not own_bottoms(reading_view()).pretrained
    assert bottoms.outputs(np.arange(3)).shape == (3, 4)  # what training left behind needs no encoder
    said = "'passive' began from an encoder in '.*', which is not here"
    with pytest.raises(IncompatibleView, match=said):
        bottoms.fresh(stream(0))
    for name in ("config.json", "vocab.txt"):
        (tmp_path / name).touch()
    os.mkfifo(tmp_path / "model.safetensors")  # would be waited for, if it were opened
    with pytest.raises(IncompatibleView, match=said):
        bottoms.fresh(stream(0))
    with pytest.raises(IncompatibleView, match=said):
        own_bottoms(reading_view(encoder="x" * 5000)).fresh(stream(0))
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(IncompatibleView, match="cannot be read"):
        bottoms.fresh(stream(0))
