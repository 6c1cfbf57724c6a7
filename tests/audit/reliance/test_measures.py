import json

import pytest
import torch
from torch import nn

from seepage.audit.reliance.measures import Joined, attention, reliance
from seepage.networks.architectures import Dense, ResNet
from seepage.networks.heads import Concatenated, Summed, TopModel
from seepage.shapes import ImageShape


def identities(*parties):
    return {party: nn.Identity() for party in parties}


def linear(weights):
    layer = nn.Linear(len(weights[0]), len(weights))
    layer.load_state_dict({"weight": torch.tensor(weights), "bias": torch.zeros(len(weights))})
    return Concatenated(layer)


def test_shares_of_a_linear_head_are_those_computed_by_hand():
    rows = {"bank": torch.tensor([[1.0, 2.0], [0.0, 1.0]]), "shop": torch.tensor([[3.0], [-1.0]])}
    head = linear([[1.0, -1.0, 2.0], [0.0, 1.0, -3.0]])
    # row 1: logits 5 and −7, class 0: |1·1| + |−1·2| = 3 of the bank, |2·3| = 6 of the shop
    # row 2: logits −3 and 4, class 1: |0·0| + |1·1| = 1 of the bank, |−3·−1| = 3 of the shop
    shares = reliance(Joined(identities("bank", "shop"), head, rows))
    assert shares == pytest.approx({"bank": 4 / 13, "shop": 9 / 13})


def test_a_single_logit_counts_for_both_classes():
    rows = {"bank": torch.tensor([[2.0], [-2.0]]), "shop": torch.tensor([[1.0], [-1.0]])}
    shares = reliance(Joined(identities("bank", "shop"), Summed(1, intercept=True), rows))
    assert shares == pytest.approx({"bank": 2 / 3, "shop": 1 / 3})


def test_shares_of_any_network_add_up_to_one_and_are_plain():
    torch.manual_seed(0)
    bottoms = {party: Dense(3, (4,), 2, relu_output=True).build().eval() for party in ("a", "b", "c")}
    features = {party: torch.randn(1300, 3) for party in bottoms}
    shares = reliance(Joined(bottoms, TopModel(6, (5,), 3).build().eval(), features))
    assert sum(shares.values()) == pytest.approx(1.0)
    assert list(shares) == ["a", "b", "c"] and json.loads(json.dumps(shares)) == shares


def test_a_party_that_the_head_ignores_has_no_share():
    rows = {"bank": torch.ones(4, 2), "shop": torch.full((4, 1), 9.0)}
    ignored = reliance(Joined(identities("bank", "shop"), linear([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]), rows))
    assert ignored == {"bank": 1.0, "shop": 0.0}

    class First(nn.Module):
        def forward(self, said):
            return said[0]

    assert reliance(Joined(identities("bank", "shop"), First(), rows)) == {"bank": 1.0, "shop": 0.0}


def test_where_nothing_matters_nobody_has_a_share():
    rows = {"bank": torch.zeros(4, 2), "shop": torch.zeros(4, 2)}
    assert reliance(Joined(identities("bank", "shop"), Summed(2, intercept=True), rows)) == {}


def test_parties_must_bring_the_same_rows():
    with pytest.raises(ValueError, match=r"the same rows, got \{'a': 2, 'b': 3\}"):
        Joined(identities("a", "b"), Summed(1, intercept=False), {"a": torch.ones(2, 1), "b": torch.ones(3, 1)})
    with pytest.raises(ValueError, match="at least one bottom model"):
        Joined({}, Summed(1, intercept=False), {})


class Filmed(nn.Module):
    """A piece of 2 × 4 pixels, one convolution that copies it, and two logits of which the first adds up its places."""

    def __init__(self, counted):
        super().__init__()
        self.copy = nn.Conv2d(1, 1, 1, bias=False)
        nn.init.ones_(self.copy.weight)
        self.counted = counted

    def forward(self, rows):
        total = (self.copy(rows.view(-1, 1, 2, 4)) * self.counted).sum(dim=(1, 2, 3))
        return torch.stack((total, torch.full_like(total, -1.0)), dim=1)


def test_only_the_half_of_the_picture_that_matters_lights_up():
    pieces = {"left": torch.rand(12, 8) + 0.5, "right": torch.rand(12, 8) + 0.5}
    bottoms = {"left": Filmed(1.0), "right": Filmed(0.0)}
    lit = attention(Joined(bottoms, Summed(2, intercept=False), pieces))
    assert [entry["party"] for entry in lit] == ["left", "right"]
    left, right = (torch.tensor(entry["map"]) for entry in lit)
    assert left.shape == right.shape == (2, 4)
    assert left.max() == 255 and left.min() > 0 and not right.any()


def test_maps_are_the_mean_of_weighted_and_rectified_maps_on_one_scale():
    rows = torch.zeros(10, 8)
    rows[:, 0], rows[:5, 3], rows[5:, 6] = 1.0, 2.0, -1.0  # weights are the mean of the slopes: 1 and ½
    lit = attention(Joined({"left": Filmed(1.0), "right": Filmed(0.5)}, Summed(2, intercept=False),
                           {"left": rows, "right": rows}))  # fmt: skip
    assert lit[0]["map"] == [[255, 0, 0, 255], [0, 0, 0, 0]]  # 10 rows of 1, and 5 rows of 2; below 0 counts as 0
    assert lit[1]["map"] == [[128, 0, 0, 128], [0, 0, 0, 0]]


def test_residual_networks_have_maps_and_fully_connected_ones_have_none():
    torch.manual_seed(0)
    shape = ImageShape(1, 8, 4)
    bottoms = {party: ResNet(shape, (4, 8), 1, 6).build().eval() for party in ("left", "right")}
    pieces = {party: torch.rand(700, 32) for party in bottoms}
    head = TopModel(12, (4,), 3).build().eval()
    lit = attention(Joined(bottoms, head, pieces))
    assert [(len(entry["map"]), len(entry["map"][0])) for entry in lit] == [(4, 2), (4, 2)]
    assert max(max(row) for entry in lit for row in entry["map"]) == 255
    assert json.loads(json.dumps(lit)) == lit
    dense = {party: Dense(32, (4,), 6).build().eval() for party in bottoms}
    assert attention(Joined(dense, head, pieces)) == []


def test_too_few_pictures_are_not_averaged():
    pieces = {"left": torch.ones(9, 8)}
    assert attention(Joined({"left": Filmed(1.0)}, Summed(2, intercept=False), pieces)) == []
