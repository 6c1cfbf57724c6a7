"""Every coordinate that crosses is answered for, in both directions and in prediction too."""

from dataclasses import replace

import numpy as np
import pytest

import trained_runs
from samples import small_data, without_active_columns
from seepage.defenses.embeddings.randomized_response import RandomizedResponse
from seepage.federations.split_network import SplitNetwork
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.scores import utility
from seepage.transcript import Epochs, Recording
from trained_runs import NOTHING, guarded


def started(defense, seed=0):
    return defense.start(small_data("iris").parts["passive"], np.random.default_rng(seed))


def message_of(kind, values, epoch=0):
    return Message(kind, "shop", "bank", epoch, 0, np.arange(len(values)), {kind.value: values})


@pytest.mark.parametrize("epoch", [0, 7, OUTSIDE_TRAINING])
def test_embeddings_are_answered_for_in_training_and_in_prediction(epoch):
    defense = RandomizedResponse(epsilon=1.0, bound=3.0)
    values = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    before = values.copy()
    sent = started(defense).message(message_of(Kind.EMBEDDING, values, epoch)).payload["embedding"]
    assert np.isin(sent, defense.forward.answers.astype(np.float32)).all()
    assert sent.dtype == values.dtype and np.array_equal(values, before)


@pytest.mark.parametrize("rows", [1, 64])
def test_the_bound_of_a_gradient_is_that_of_one_rows_own_loss_whatever_the_batch(rows):
    defense = RandomizedResponse(epsilon=30.0, gradient_bound=0.5)
    own = np.linspace(-1, 1, rows * 4).reshape(rows, 4)
    sent = started(defense).message(message_of(Kind.GRADIENT, own / rows)).payload["gradient"]
    np.testing.assert_allclose(sent * rows, np.clip(own, -0.5, 0.5), atol=1.01 / 255)


def test_what_is_negative_in_an_embedding_becomes_zero():
    defense = RandomizedResponse(epsilon=30.0, bound=1.0)
    sent = started(defense).message(message_of(Kind.EMBEDDING, np.array([[-5.0, 0.25, 9.0]]))).payload["embedding"]
    np.testing.assert_allclose(sent, [[0.0, 0.25, 1.0]], atol=1.01 / 255)


def test_requests_and_other_messages_pass():
    hook = started(RandomizedResponse())
    for message in (
        replace(message_of(Kind.EMBEDDING, np.ones((2, 2))), payload={}),
        replace(message_of(Kind.GRADIENT, np.ones((2, 2))), payload={}),
        Message(Kind.MODEL, "shop", "bank", OUTSIDE_TRAINING, 0, np.arange(0), {"weights": np.ones(3)}),
    ):
        assert hook.message(message) is message


def test_the_same_row_sent_twice_gets_two_answers():
    hook, message = started(RandomizedResponse()), message_of(Kind.EMBEDDING, np.ones((20, 4)))
    first, second = (hook.message(message).payload["embedding"] for _ in range(2))
    assert not np.array_equal(first, second)


def trained(data, defense, record=None, seed=0):
    hooks = None if defense is None else guarded(defense, data, seed)
    return trained_runs.trained(SplitNetwork(epochs=6), data, hooks=hooks, record=record or NOTHING, seed=seed)


def test_the_transcript_holds_the_answers_alone():
    data = small_data("breast_cancer")
    defense = RandomizedResponse(epsilon=2.0)
    record = Recording({Kind.EMBEDDING: Epochs.all(), Kind.GRADIENT: Epochs.all()})
    run = trained(data, defense, record)
    run.release(data.test)
    embeddings = [m for m in run.transcript.messages if m.kind is Kind.EMBEDDING and m.payload]
    assert {m.epoch for m in embeddings} == {OUTSIDE_TRAINING, *range(6)}
    answers = defense.forward.answers.astype(np.float32)
    assert all(np.isin(m.payload["embedding"], answers).all() for m in embeddings)
    gradients = [m for m in run.transcript.messages if m.kind is Kind.GRADIENT and m.payload]
    values = np.unique(np.concatenate([(m.payload["gradient"] * len(m.rows)).ravel() for m in gradients]).round(4))
    assert 2 < len(values) <= 256


def test_a_smaller_budget_costs_more_utility():
    data = without_active_columns(small_data("breast_cancer"))  # all that is known of a row crosses

    def auc(defense):
        said = [trained(data, defense, seed=seed).predict(data.test) for seed in range(2)]
        return np.mean([utility(data.labels[data.test], one)[1] for one in said])

    none, loose, tight = auc(None), auc(RandomizedResponse(epsilon=10.0)), auc(RandomizedResponse(epsilon=0.05))
    assert loose > none - 0.03
    assert tight < loose - 0.1
