import json
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from samples import small_data
from seepage.catalogs import Catalog, Entry
from seepage.errors import BadPlugIn, BadSetting, UnknownName
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hooks
from seepage.layouts import ImageShape, Meaning, TextShape
from seepage.networks import architectures
from seepage.networks.architectures import Dense, Identity, ResNet, from_json, to_json
from seepage.networks.backbones import BACKBONES
from seepage.networks.transformer_bottom import Transformer
from seepage.transcript import Epochs, Recording

STORED = {
    Dense(
        4, (8,), 2
    ): '{"kind": "dense", "inputs": 4, "hidden": [8], "outputs": 2, "bias": true, "relu_output": false}',
    Identity(3): '{"kind": "identity", "inputs": 3}',
    ResNet(ImageShape(1, 8, 4), (4, 8), 1, 5): (
        '{"kind": "resnet", "image": {"channels": 1, "height": 8, "width": 4}, "planes": [4, 8], "blocks": 1, '
        '"outputs": 5}'
    ),
    Transformer(TextShape(6, 100), 8, 2, 2, 16, 3): (
        '{"kind": "transformer", "text": {"length": 6, "vocabulary": 100}, "width": 8, "layers": 2, "heads": 2, '
        '"feedforward": 16, "outputs": 3, "marks": [0], "positions": null, "mix_layer": null, "epsilon": 1e-05, '
        '"encoder": null}'
    ),
}
"""Descriptions as runs hold them that were stored before backbones had a catalog."""


@pytest.mark.parametrize("described", STORED, ids=lambda one: one.name)
def test_stored_descriptions_are_read_and_written_as_ever(described):
    assert json.dumps(to_json(described)) == STORED[described]
    assert from_json(json.loads(STORED[described])) == described


def test_a_stored_run_imports_nothing_but_installed_backbones():
    with pytest.raises(ValueError, match="no backbone is called 'antigravity:Sky' here"):
        from_json({"kind": "antigravity:Sky"})
    assert "antigravity" not in sys.modules


def test_an_unknown_backbone_is_refused_by_its_name():
    with pytest.raises(UnknownName, match="No backbone is called 'resnte'; did you mean 'resnet'"):
        SplitNetwork(bottom="resnte")
    with pytest.raises(ValueError, match="sends columns instead of logits"):
        SummedNetwork(bottom="identity")


@pytest.mark.parametrize(("kind", "why"), [("resnet", "do not form a picture"), ("transformer", "are not the words")])
def test_columns_that_a_backbone_cannot_read_are_refused(kind, why):
    with pytest.raises(BadSetting, match=f"bottom is '{kind}', but the columns of 'active' {why}"):
        BottomSettings(kind=kind).check(small_data("iris").parts["active"])


@dataclass(frozen=True)
class Halved(Dense):
    name: ClassVar[str] = "halved"
    reads: ClassVar[Meaning] = Meaning.TOGETHER


@dataclass(frozen=True)
class Raising(Halved):
    name: ClassVar[str] = "raising"

    @classmethod
    def of(cls, part, outputs, settings):
        raise KeyError("width")


@pytest.mark.parametrize(
    ("name", "made", "said"),
    [("other", "Halved", "its class is called 'halved'"), ("dense", "Halved", "Give both one name, other than dense"),
     ("raising", "Raising", "Backbone 'raising' raised KeyError: 'width'")],
)  # fmt: skip
def test_a_backbone_that_would_be_built_again_as_another_or_that_breaks_is_refused(name, made, said, monkeypatch):
    more = {**BACKBONES.own, name: Entry(f"{__name__}:{made}", "Another.")}
    module = sys.modules[BottomSettings.__module__]
    monkeypatch.setattr(module, "BACKBONES", Catalog("backbone", "seepage.backbones", more))
    with pytest.raises(BadPlugIn, match=said):
        BottomSettings(kind=name).check(small_data("iris").parts["active"])


def test_one_more_entry_is_trained_and_built_again(monkeypatch):
    more = {**BACKBONES.own, "halved": Entry(f"{__name__}:Halved", "Another.")}
    catalog = Catalog("backbone", "seepage.backbones", more)
    for module in (architectures, sys.modules[BottomSettings.__module__]):
        monkeypatch.setattr(module, "BACKBONES", catalog)
    run = SplitNetwork(bottom="halved", epochs=1).train(
        small_data("iris"),
        hooks=Hooks(),
        record=Recording(snapshots=Epochs.only(-1)),
        rng=np.random.default_rng(0),
    )
    (described,) = {from_json(one.architecture) for one in run.transcript.snapshots if one.part == "bottom"}
    assert described == Halved(2, (64,), 16, relu_output=True)
