"""Encrypted and clear runs are the same run, and nobody but the active party can tell what is added up."""

import gc
import importlib.util

import numpy as np
import pytest

from samples import needs_data, small_data
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.messages import Kind
from seepage.transcript import Recording
from tree_samples import few_rows, trained

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("heu") is None, reason="install seepage[he] to run federations under encryption"
)
SMALL = {"key_bits": 1024, "insecure_key": True}


def same_trees(federation, data, **encryption):
    clear = trained(federation(), data)
    secret = trained(federation(**encryption), data)
    for one, other in zip(clear.active.trees, secret.active.trees, strict=True):
        assert one.owners == other.owners
        assert set(one.values) == set(other.values)
        for leaf, value in one.values.items():
            np.testing.assert_array_equal(value, other.values[leaf])
    for party, passive in clear.passive.items():
        assert passive.own.splits == secret.passive[party].own.splits
    np.testing.assert_array_equal(clear.predict(data.test), secret.predict(data.test))
    return secret


@pytest.mark.parametrize(("encryption", "parties"), [("okamoto-uchiyama", 3), ("paillier", 2)])
def test_encrypted_boosting_is_clear_boosting(encryption, parties):
    data = small_data("breast_cancer", parties=parties)

    def federation(**secret):
        return Boosting(trees=2, depth=4, candidates="quantiles-once", bins=16, **secret)

    run = same_trees(federation, data, encryption=encryption, **SMALL)
    assert run.traffic["encrypted"] == 2 * (parties - 1) * len(data.train)


def test_encrypted_forests_are_clear_forests():
    data = small_data("breast_cancer", parties=3)

    def federation(**secret):
        return Forest(trees=2, depth=3, **secret)

    same_trees(federation, data, encryption="okamoto-uchiyama", **SMALL)


@pytest.mark.parametrize("candidates", ["quantiles-per-node", "quantiles-once"])
def test_encrypted_forests_draw_the_columns_of_every_split_as_clear_ones_do(candidates):
    data = small_data("wine", parties=3)

    def federation(**secret):
        return Forest(trees=2, depth=3, bins=8, candidates=candidates, columns_per_split=0.2, **secret)

    same_trees(federation, data, encryption="okamoto-uchiyama", **SMALL)


@needs_data
@pytest.mark.parametrize(("kind", "parties"), [("boosting", 3), ("forest", 2)])
def test_three_classes_of_avila(kind, parties):
    data = few_rows("avila", rows=1_000, classes=3, parties=parties)

    def federation(**secret):
        if kind == "boosting":
            return Boosting(trees=1, depth=4, **secret)
        return Forest(trees=1, depth=4, candidates="quantiles-per-node", **secret)

    same_trees(federation, data, encryption="okamoto-uchiyama", **SMALL)


def test_a_key_of_full_length():
    def federation(**secret):
        return DecisionTree(depth=2, candidates="quantiles-once", bins=8, **secret)

    same_trees(federation, small_data("iris"), encryption="okamoto-uchiyama")


def reachable(root):
    """Every object that can be reached from one."""
    seen, waiting = {}, [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, type) or type(thing).__name__ in {"module", "function"}:
            continue
        seen[id(thing)] = thing
        waiting += gc.get_referents(thing)
        waiting += [getattr(thing, name) for name in getattr(type(thing), "__slots__", ()) if hasattr(thing, name)]
    return list(seen.values())


def test_a_passive_party_holds_no_key_that_opens_anything():
    data = small_data("iris")
    run = trained(DecisionTree(depth=2, encryption="okamoto-uchiyama", **SMALL), data)
    for party in run.passive.values():
        names = {type(thing).__name__ for thing in reachable(party)}
        assert "HomomorphicAdder" in names
        assert not names & {"HomomorphicSealer", "HeKit", "SecretKey", "Decryptor"}
    assert "HomomorphicSealer" in {type(thing).__name__ for thing in reachable(run.active)}


def test_what_crosses_cannot_be_read():
    data = small_data("iris")
    run = trained(DecisionTree(depth=2, encryption="okamoto-uchiyama", **SMALL), data, record=Recording.everything())
    for message in run.transcript.messages:
        if message.kind in {Kind.ENCRYPTED, Kind.SPLIT_SUMS}:
            key = "statistics" if message.kind is Kind.ENCRYPTED else "sums"
            octets = message.payload[key]
            assert octets.dtype == np.uint8
            frequency = np.bincount(octets, minlength=256) / len(octets)
            entropy = -np.sum(frequency[frequency > 0] * np.log2(frequency[frequency > 0]))
            assert entropy > 7  # as good as random
