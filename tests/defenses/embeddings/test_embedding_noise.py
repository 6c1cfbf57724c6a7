"""Each row's embedding is clipped, and noise of the stated size is added to every message."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import kstest

import trained_runs
from samples import small_data
from seepage.defenses.embeddings.embedding_noise import EmbeddingNoise
from seepage.federations.split_network import SplitNetwork
from seepage.mechanisms.gaussian_privacy import epsilon_of
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.networks.joint_network import unpack_bottom
from trained_runs import guarded

DATA = small_data("breast_cancer")


def started(defense, seed=0):
    return defense.start(DATA.parts["passive"], np.random.default_rng(seed)).message


def message_of(values, kind=Kind.EMBEDDING, epoch=0):
    return Message(kind, "shop", "bank", epoch, 0, np.arange(len(values)), {kind.value: values})


@pytest.mark.parametrize("epoch", [0, OUTSIDE_TRAINING])
def test_what_is_added_is_normal_and_as_wide_as_was_said(epoch):
    defense = EmbeddingNoise(bound=2.0, noise=0.5)
    values = np.zeros((300, 8), dtype=np.float64)
    sent = started(defense)(message_of(values, epoch=epoch)).payload["embedding"]
    assert kstest(sent.ravel() / defense.scale, "norm").pvalue > 1e-3 and defense.scale == 1.0


def test_rows_are_no_longer_than_the_bound_and_the_released_model_clips_them_too():
    defense = EmbeddingNoise(bound=0.5, noise=0.0)
    run = trained_runs.trained(SplitNetwork(epochs=3), DATA, hooks=guarded(defense, DATA))
    run.release_model()
    run.release(DATA.test)
    *_, last = (m for m in run.transcript.messages if m.kind is Kind.EMBEDDING and m.payload)
    sent = last.payload["embedding"]
    lengths = np.linalg.norm(sent, axis=1)
    assert lengths.max() == pytest.approx(0.5, abs=1e-6) and lengths.min() < 0.49
    (model,) = (m for m in run.transcript.messages if m.kind is Kind.MODEL and m.sender == "passive")
    _, network = unpack_bottom(model.payload)
    columns = torch.from_numpy(DATA.parts["passive"].features[last.rows])
    np.testing.assert_allclose(network(columns).detach(), sent, atol=1e-6)


def test_noise_is_drawn_anew_and_other_messages_pass():
    act, values = started(EmbeddingNoise()), np.ones((4, 3))
    first, second = (act(message_of(values)).payload["embedding"] for _ in range(2))
    assert not np.array_equal(first, second)
    for passed in (message_of(values, Kind.GRADIENT), replace(message_of(values), payload={})):
        assert act(passed) is passed


def test_a_budget_is_that_of_all_messages_of_a_row():
    defense = EmbeddingNoise(bound=3.0, epsilon=5.0, delta=1e-6, messages=7)
    assert epsilon_of(6.0 * np.sqrt(7) / defense.scale, 1e-6) == pytest.approx(5.0)
    assert defense.spent(7) == pytest.approx(5.0) and defense.spent(8) > 5.0
    assert EmbeddingNoise(noise=0.0).spent(1) == np.inf


def test_a_test_between_two_rows_that_hears_all_messages_stays_below_the_stated_budget_and_comes_near_it():
    """The best test there is adds all messages up; what it reaches is a lower bound of ε, and the promise holds."""
    epsilon, delta, messages, trials = 2.0, 0.05, 10, 40_000
    defense = EmbeddingNoise(bound=1.0, epsilon=epsilon, delta=delta, messages=messages)
    act = started(defense)

    def heard(values):
        return sum(act(message_of(values)).payload["embedding"][:, 0] for _ in range(messages))

    row = np.array([[1.0, 0.0]]).repeat(trials, axis=0)
    far, near = heard(row), heard(-row)  # two rows as far apart as the bound allows
    slack = 3 * 0.5 / np.sqrt(trials)
    shares = [(np.mean(far > cut), np.mean(near > cut)) for cut in np.quantile(far, np.linspace(0.1, 0.9, 41))]
    measured = max(np.log(max(hit - slack - delta, 1e-9) / (miss + slack)) for hit, miss in shares)
    assert epsilon / 2 < measured <= epsilon


def test_the_transcript_holds_noisy_embeddings_alone():
    run = trained_runs.trained(SplitNetwork(epochs=2), DATA, hooks=guarded(EmbeddingNoise(bound=1e-6, noise=1e6), DATA))
    run.release(DATA.test)
    embeddings = [m for m in run.transcript.messages if m.kind is Kind.EMBEDDING and m.payload]
    assert {m.epoch for m in embeddings} == {0, 1, OUTSIDE_TRAINING}
    values = np.concatenate([m.payload["embedding"].ravel() for m in embeddings])
    assert kstest(values, "norm").pvalue > 1e-3
