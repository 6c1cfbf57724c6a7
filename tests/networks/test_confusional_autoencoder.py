"""Codes can be read, are spread out, and the more so the more that is worth."""

import numpy as np
import pytest

from seepage.errors import BadSetting
from seepage.networks.confusional_autoencoder import learned_codes


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_codes_are_distributions_that_can_be_read(classes, weight):
    codes = learned_codes(classes, weight, np.random.default_rng(0))
    np.testing.assert_allclose(codes.table.sum(axis=1), 1.0)
    assert codes.table.min() >= 0
    labels = np.arange(classes)[::-1]
    assert np.array_equal(codes.decoded(codes.encoded(labels)).argmax(axis=1), labels)


def test_codes_are_spread_out_more_the_more_that_is_worth():
    spread = [learned_codes(3, weight, np.random.default_rng(0)).entropy for weight in (0.0, 0.1, 1.0)]
    assert spread[0] < spread[1] < spread[2] < 1.0 and spread[2] > 0.85


def test_entropy_is_a_share_of_the_most_there_can_be():
    codes = learned_codes(2, 0.3, np.random.default_rng(0))
    first = codes.table[:, 0]
    by_hand = -np.mean(first * np.log2(first) + (1 - first) * np.log2(1 - first))
    assert codes.entropy == pytest.approx(by_hand)


def test_chance_decides_which_codes_there_are():
    one, again, other = (learned_codes(2, 0.5, np.random.default_rng(seed)).table for seed in (0, 0, 1))
    assert np.array_equal(one, again) and not np.allclose(one, other)


def test_codes_that_nobody_can_read_are_refused():
    with pytest.raises(BadSetting, match=r"codes of 4 classes can no longer be read\. Choose a smaller weight"):
        learned_codes(4, 1e6, np.random.default_rng(0))
