import csv
import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samples import small_data
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hooks
from seepage.networks.architectures import from_json, load_state
from seepage.networks.optimizers import OptimizerSettings
from seepage.transcript import Epochs, Recording

EXAMPLE = Path(__file__).parents[2] / "examples" / "docstrings.py"
NOTHING = Recording()
QUICK = OptimizerSettings(learning_rate=0.005)


@pytest.fixture(scope="module")
def weather(tmp_path_factory):
    """Two hundred made-up texts, whose class is told by one word in each half."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("texts") / "weather.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "y"])
        for row in range(200):
            told = ("sun", "warm") if row % 2 else ("rain", "cold")
            before, after = (
                list(rng.choice(["so", "it", "is", "and", "was"], size=rng.integers(1, 6))) for _ in range(2)
            )
            words = [*rng.permutation([*before, told[0]]), *rng.permutation([*after, told[1]])]
            writer.writerow([" ".join(words), row % 2])
    return path


def texts(path, words=12, label="y", text="body", **partition):
    table = load_table(DataPlan(file=str(path), label=label, text=text, words=words))
    plan = PartitionPlan.model_validate({"kind": "halves", **partition})
    return prepare(table, plan, (), Encoding(), "stratified", 0).data


def accuracy(federation, data, record=NOTHING):
    run = federation.train(data, hooks=Hooks(), record=record, rng=np.random.default_rng(0))
    return float(np.mean(run.predict(data.test).argmax(axis=1) == data.labels[data.test])), run


@pytest.mark.parametrize("federation", [SplitNetwork, SummedNetwork])
def test_transformers_learn_from_texts(weather, federation):
    network = federation(bottom="transformer", width=8, layers=1, epochs=6, batch=32, optimizer=QUICK)
    assert accuracy(network, texts(weather))[0] >= 0.9


def test_three_parties_and_a_server_without_words(weather):
    network = SplitNetwork(bottom="transformer", width=8, layers=1, epochs=6, batch=32, optimizer=QUICK)
    assert accuracy(network, texts(weather, parties=3, labels_only=True))[0] > 0.9


def test_a_snapshot_is_enough_to_build_a_transformer_again(weather):
    network = SplitNetwork(bottom="transformer", width=8, layers=2, epochs=1, batch=32)
    data = texts(weather)
    _, run = accuracy(network, data, Recording(snapshots=Epochs.only(-1)))
    snapshot = next(one for one in run.transcript.snapshots if one.party == "passive")
    again = load_state(from_json(snapshot.architecture).build(), snapshot.state)
    trained = run.passive["passive"].bottom.network
    features = run.passive["passive"].bottom.features
    assert np.array_equal(again(features).detach(), trained(features).detach())


def test_real_texts_are_learned_well_above_the_largest_class(tmp_path):
    spec = importlib.util.spec_from_file_location("docstrings", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main(tmp_path / "docstrings.csv", most=150)
    data = texts(tmp_path / "docstrings.csv", words=32, label="library", text="text")
    network = SplitNetwork(bottom="transformer", width=16, layers=1, epochs=12, batch=32, optimizer=QUICK)
    assert np.bincount(data.labels).max() / len(data.labels) < 0.3
    assert accuracy(network, data)[0] > 0.45


@pytest.mark.parametrize(
    "name", ["split-network", "summed-network", "logistic-regression", "decision-tree", "boosting"]
)
def test_what_reads_numbers_refuses_words(weather, name):
    with pytest.raises(BadSetting, match=r"columns of 'active' are words.*--model bottom=transformer"):
        FEDERATIONS[name]().agreement(texts(weather))


def test_a_transformer_refuses_numbers():
    with pytest.raises(BadSetting, match="bottom is 'transformer', but the columns of 'active' are not the words"):
        SplitNetwork(bottom="transformer").agreement(small_data("iris"))


def test_a_folder_without_an_encoder_is_refused(weather, tmp_path):
    with pytest.raises(BadSetting, match=r"no file 'config\.json' in that folder"):
        SplitNetwork(bottom="transformer", encoder=str(tmp_path)).agreement(texts(weather))


@pytest.mark.parametrize("federation", [SplitNetwork, SummedNetwork])
def test_impossible_transformers_are_refused(federation):
    with pytest.raises(ValueError, match=r"width must be a multiple of heads \(3\), got 32"):
        federation(heads=3)
    with pytest.raises(ValueError, match="layers must be 1 or more, got 0"):
        federation(layers=0)


def test_columns_that_are_screened_out_shorten_a_text(weather):
    from seepage.federations.screening import narrowed

    part = texts(weather).parts["passive"]
    assert narrowed(part, np.arange(6) < 4).text == replace(part.text, length=4)
