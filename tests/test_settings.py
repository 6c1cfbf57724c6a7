"""Settings are values of parts in Python, and flat keys wherever a person writes or reads them."""

from dataclasses import dataclass, field, replace

import pytest

from samples import small_data
from seepage.audit.plan.settings import build, settings_of
from seepage.errors import UnknownName
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.settings import PART, composed

OPTIMIZER = {
    "name": "adam", "learning_rate": 1e-3, "momentum": 0.0, "weight_decay": 0.0, "milestones": [], "factor": 0.1,
}  # fmt: skip
NETWORK = {
    "bottom": "mlp", "hidden": [64], "planes": [16, 32, 64], "blocks": 1, "width": 32, "layers": 2, "heads": 2,
    "encoder": None, "epochs": 20, "batch": 64, "optimizer": OPTIMIZER, "optimizers": {}, "class_weights": False,
    "precision": "full", "first_weights": "pytorch", "device": "cpu",
}  # fmt: skip
TREE = {
    "depth": 6, "candidates": "all", "bins": 32, "least_rows": 1, "release": "votes", "encryption": "none",
    "key_bits": 2048, "insecure_key": False,
}  # fmt: skip
BOOSTED = {
    "trees": 5, "learning_rate": 0.3, "l2": 1.0, "gamma": 0.0, "least_weight": 1.0, "column_sample": 0.8,
    "multiclass": "shared", "base_score": 0.0, "candidates": "quantiles-per-node",
}  # fmt: skip
STORED = {
    "split-network": NETWORK | {"cut": 16, "top": [32]},
    "summed-network": NETWORK | {"single_logit": False},
    "logistic-regression": {"l2": 1.0, "epochs": 200, "tolerance": 1e-4, "class_weights": False, "device": "cpu"},
    "decision-tree": TREE,
    "forest": TREE | {"trees": 5, "row_sample": 0.8, "column_sample": 0.8, "columns_per_split": 1.0},
    "boosting": {key: value for key, value in TREE.items() if key != "release"} | BOOSTED,
}
"""What findings and plans of format 1 say of each federation."""


@pytest.mark.parametrize("name", STORED)
def test_findings_and_agreements_hold_flat_settings_and_plans_that_hold_them_are_read(name):
    made = FEDERATIONS[name]()
    assert settings_of(made) == STORED[name]
    assert made.agreement(small_data("iris")).settings.keys() == STORED[name].keys()
    assert build(FEDERATIONS, name, STORED[name]) == made


def test_one_flat_key_changes_one_setting_of_its_part_and_keeps_what_this_federation_has_of_the_others():
    boosting = Boosting(depth=3, encryption="none")
    assert (boosting.growth.depth, boosting.growth.candidates) == (3, "quantiles-per-node")
    assert build(FEDERATIONS, "boosting", {"depth": 3}) == boosting == replace(Boosting(), depth=3)


def test_a_part_may_be_given_as_a_whole_and_a_flat_key_beside_it_wins():
    training = TrainingSettings(epochs=3, batch=8)
    assert SplitNetwork(training=training) == SplitNetwork(epochs=3, batch=8)
    assert SplitNetwork(training=training, batch=9).training == TrainingSettings(epochs=3, batch=9)


@pytest.mark.parametrize("key", ["training", "growth", "kind", "epoch"])
def test_parts_themselves_are_no_settings(key):
    with pytest.raises(UnknownName, match=f"No setting of split-network is called '{key}'"):
        build(FEDERATIONS, "split-network", {key: 3})
    with pytest.raises(TypeError, match=f"'{key}'|must be a mapping"):
        SplitNetwork(**{key: 3})


def test_a_flat_key_replaces_one_setting_and_keeps_the_others():
    wide = SummedNetwork(hidden=(8,), epochs=3)
    assert replace(wide, bottom="mlp") == wide and replace(wide, epochs=4).bottoms.hidden == (8,)

    @dataclass(frozen=True, kw_only=True)
    class Clash:
        bottom: BottomSettings = field(default=BottomSettings(), metadata=PART)

    with pytest.raises(TypeError, match="Clash: a part may not have the name of a key, got bottom"):
        composed(Clash)
