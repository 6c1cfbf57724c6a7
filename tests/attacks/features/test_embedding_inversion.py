"""Columns behind embeddings of a released model: exact where it is linear, close where it is not."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from hand_made import agreed, own_part
from samples import small_data
from seepage.attacks.features.embedding_inversion import EmbeddingInversion
from seepage.attacks.features.embedding_regression import EmbeddingRegression
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.messages import OUTSIDE_TRAINING, Message, ModelKind
from seepage.networks.architectures import Dense
from seepage.networks.joint_network import pack_part, unpack_bottom
from seepage.partition import PublicColumns
from seepage.shapes import NO_ROWS
from seepage.transcript import Terms, Transcript
from seepage.views import Kind, Knowledge, ThreatModel, observe
from seepage.views.joint_columns import lacked_columns
from trained_runs import released, seen

ROWS = 80


def world(dense, seed=0, *, dtype=torch.float64, known=0, columns=None, model=None, change=None, **changes):
    """A shop that released its bottom model and sent the embeddings of new rows, and a bank with two own columns."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    network = dense.build().to(dtype)
    values = rng.uniform(size=(ROWS, dense.inputs)) if columns is None else columns
    low, width = np.full(dense.inputs, -1.0), np.full(dense.inputs, 4.0)
    with torch.no_grad():
        sent = network(torch.from_numpy(low + width * values).to(dtype)).numpy()
    names = tuple(f"x{place}" for place in range(dense.inputs))
    new, train = np.arange(40, ROWS), np.arange(40)
    messages = [
        Message(Kind.EMBEDDING, "shop", "bank", OUTSIDE_TRAINING, 0, new, {"embedding": sent[new]}),
        Message(Kind.MODEL, "shop", "bank", OUTSIDE_TRAINING, 0, NO_ROWS, model or pack_part(names, (dense, network))),
    ]
    own = (values[:, :2] + 0.1 * rng.normal(size=(ROWS, 2))).astype(np.float32)
    knowledge = {
        "threat": ThreatModel(adversaries=("bank",), known_values=known),
        "own": {"bank": own_part("bank", own)},
        "train": train,
        "new": new,
        "others": {"shop": PublicColumns(names, np.stack((low, low + width), axis=1))},
        "value_rows": train[:known],
        "values": {"shop": (low + width * values)[train[:known]]},
    }
    terms = agreed(outputs=dense.outputs, model=ModelKind.NETWORK)
    messages = change(messages) if change is not None else messages
    return observe(Transcript(terms, tuple(messages)), Knowledge(**{**knowledge, **changes})), values


def error(guess, values):
    return float(((guess.units - values[guess.rows]) ** 2).mean())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16), columns=st.integers(1, 6), more=st.integers(0, 3))
def test_as_many_linear_outputs_as_columns_leave_nothing_to_guess(seed, columns, more):
    view, values = world(Dense(columns, (), columns + more, bias=False), seed)
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    assert error(guess, values) < 1e-10
    assert guess.notes["unexplained"] == 0


def test_partial_logits_of_logistic_regression_give_new_rows_away():
    data = small_data("digits", adversary=("active",), kind="random", adversary_share=0.86)
    victim = data.parts[data.passive[0]]
    assert victim.width <= 10
    federation = FEDERATIONS["logistic-regression"](epochs=30)
    view = seen(released(federation, data, record=EmbeddingInversion().needs.recording()), data)
    assert all(message.epoch == OUTSIDE_TRAINING for message in view.messages)
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    true = lacked_columns(view).units(victim.features[guess.rows].astype(np.float64))
    assert np.array_equal(np.sort(guess.rows), np.sort(data.test))
    assert ((guess.units - true) ** 2).mean() < 1e-10


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**16), outputs=st.integers(1, 4))
def test_fewer_linear_outputs_are_never_worse_than_the_middle(seed, outputs):
    view, values = world(Dense(6, (), outputs), seed)
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    rows = ((guess.units - values[guess.rows]) ** 2).mean(axis=1)
    assert (rows <= ((0.5 - values[guess.rows]) ** 2).mean(axis=1) + 1e-6).all()


def with_training(dense, columns=None, *, drift=0.0, **changes):
    """Let the shop send training rows in two epochs: first what says nothing, then what its model says, off by a drift.

    A batch of each epoch is one message.
    """
    rng = np.random.default_rng(7)

    def also(messages):
        network = unpack_bottom(messages[1].payload)[1].double()
        with torch.no_grad():
            sent = network(torch.from_numpy(-1 + 4 * values)).numpy()
        said = {0: rng.normal(size=sent.shape), 1: sent + drift * sent.std() * rng.normal(size=sent.shape)}
        batches = [(epoch, step) for epoch in said for step in range(2)]
        return [
            *(
                Message(Kind.EMBEDDING, "shop", "bank", epoch, step, rows, {"embedding": said[epoch][rows]})
                for epoch, step in batches
                for rows in [np.arange(20 * step, 20 * step + 20)]
            ),
            *messages,
        ]

    values = np.random.default_rng(0).uniform(size=(ROWS, dense.inputs)) if columns is None else columns
    return world(dense, columns=values, change=also, **changes)


@pytest.mark.parametrize("known", [0, 5])
def test_last_embeddings_of_training_rows_give_them_away_under_a_linear_model(known):
    """Theory: as many outputs as columns, made by the released weights, leave nothing to guess."""
    view, values = with_training(Dense(3, (), 4, bias=False), known=known)
    guess = EmbeddingInversion(rows="train", known=known).run(view, np.random.default_rng(0))
    assert np.array_equal(guess.rows, np.arange(known, 40))  # all training rows but the known ones
    assert error(guess, values) < 1e-10


def test_training_rows_under_few_linear_outputs_are_told_by_what_all_epochs_teach():
    view, _ = with_training(Dense(6, (), 2), known=20)
    by_regression = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    guess = EmbeddingInversion(rows="train", known=20).run(view, np.random.default_rng(0))
    assert np.allclose(guess.units, by_regression.units[np.isin(by_regression.rows, guess.rows)])


def test_other_embeddings_of_training_rows_than_the_last_say_nothing_of_them():
    view, values = with_training(Dense(3, (), 4, bias=False), drift=100.0)
    guess = EmbeddingInversion(rows="train").run(view, np.random.default_rng(0))
    assert guess.notes["unexplained"] > 0.5
    assert error(guess, values) > ((0.5 - values[:40]) ** 2).mean()


def test_a_last_epoch_that_lags_behind_is_inverted_nearly_as_well():
    dense, rng = Dense(6, (24,), 8, relu_output=True), np.random.default_rng(1)
    values = np.clip(rng.uniform(size=(ROWS, 2)) @ rng.uniform(0.1, 0.5, size=(2, 6)), 0, 1)
    errors = []
    for drift in (0.0, 0.03):
        view, _ = with_training(dense, values, drift=drift, seed=3, known=15)
        errors.append(error(EmbeddingInversion(rows="train", known=15).run(view, np.random.default_rng(0)), values))
    middle = ((0.5 - values[15:40]) ** 2).mean()
    assert errors[0] < 0.01 * middle and max(errors) < 0.3 * middle


def test_training_rows_are_refused_where_none_was_sent_or_all_are_known():
    with pytest.raises(IncompatibleView, match="No embeddings of training rows were recorded"):
        EmbeddingInversion(rows="train").run(world(Dense(3, (), 4))[0], np.random.default_rng(0))
    view, _ = with_training(Dense(3, (), 4), known=40, train=np.arange(41))  # the last one is withheld
    with pytest.raises(IncompatibleView, match="Let fewer values be known"):
        EmbeddingInversion(rows="train", known=40).run(view, np.random.default_rng(0))
    with pytest.raises(ValueError, match="rows must be"):
        EmbeddingInversion(rows="test")


def test_a_network_is_inverted_far_beyond_the_middle_and_known_rows_help():
    rng = np.random.default_rng(1)
    hidden = rng.uniform(size=(ROWS, 2))
    values = np.clip(hidden @ rng.uniform(0.1, 0.5, size=(2, 6)) + 0.05 * rng.normal(size=(ROWS, 6)), 0, 1)
    dense = Dense(6, (24,), 8, relu_output=True)
    view, _ = world(dense, 3, columns=values, dtype=torch.float32)
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    middle = ((0.5 - values[40:]) ** 2).mean()
    assert error(guess, values) < 0.4 * middle
    view, _ = world(dense, 3, columns=values, dtype=torch.float32, known=15)
    assert error(EmbeddingInversion(known=15).run(view, np.random.default_rng(0)), values) < error(guess, values)


def test_one_output_for_many_columns_does_not_invent_a_population():
    """Too little is said of each row to learn how columns go together; what was imagined would mislead."""
    shares = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        hidden = rng.uniform(size=(ROWS, 2)) @ rng.uniform(0.1, 0.5, size=(2, 15))
        columns = np.clip(hidden + 0.05 * rng.normal(size=(ROWS, 15)), 0, 1)
        view, values = world(Dense(15, (16,), 1), seed, columns=columns, dtype=torch.float32)
        guess = EmbeddingInversion().run(view, np.random.default_rng(0))
        shares.append(error(guess, values) / ((0.5 - values[40:]) ** 2).mean())
    assert np.mean(shares) < 1.0 and max(shares) < 1.05


def test_another_model_than_the_one_trained_does_not_explain_the_embeddings():
    dense = Dense(3, (), 8, bias=False)
    torch.manual_seed(99)
    other = pack_part(("x0", "x1", "x2"), (dense, dense.build().double()))
    right, wrong = world(dense)[0], world(dense, model=other)[0]
    attack = EmbeddingInversion()
    assert attack.run(right, np.random.default_rng(0)).notes["unexplained"] == 0
    assert attack.run(wrong, np.random.default_rng(0)).notes["unexplained"] > 0.9


def test_a_column_that_the_adversary_holds_too_is_not_guessed():
    view, values = world(Dense(4, (), 3), 5)
    own = own_part("bank", -1 + 4 * values[:, :1], ("x0",))
    view = replace(view, knowledge=replace(view.knowledge, own={"bank": own}))
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    assert guess.columns == (("shop", "x1"), ("shop", "x2"), ("shop", "x3"))
    assert ((guess.units - values[guess.rows, 1:]) ** 2).mean() < 1e-10


def test_indicators_of_one_attribute_add_up_to_one():
    values = np.eye(4)[np.random.default_rng(0).integers(4, size=ROWS)]
    public = PublicColumns(tuple(f"x{place}" for place in range(4)), np.tile([-1.0, 3.0], (4, 1)), ("x",) * 4)
    for hidden in ((), (12,)):
        view, _ = world(Dense(4, hidden, 2), 2, columns=values, others={"shop": public})
        guess = EmbeddingInversion().run(view, np.random.default_rng(0))
        assert np.allclose(guess.units.sum(axis=1), 1, atol=0.02)


def test_bad_input_is_refused_in_one_sentence():
    dense = Dense(3, (), 4)
    cases = (
        (
            {"model": pack_part(("x0", "x1", "y"), (dense, dense.build()))},
            "reads a column 'y', which its table does not",
        ),
        ({"model": pack_part(("x0", "x1", "x2"), (Dense(3, (), 5), Dense(3, (), 5).build()))}, "has 5 outputs, but"),
        ({"model": {"about": np.zeros(3, dtype=np.uint8)}}, "cannot be used"),
        ({"model": pack_part((), None)}, "No party released a bottom model"),
        ({"change": lambda messages: messages[:1]}, "received no model messages"),
        ({"change": lambda messages: messages[1:]}, "received no embedding messages"),
        ({"change": lambda messages: [replace(messages[0], epoch=0), messages[1]]}, "No embeddings of new rows"),
    )
    for changes, sentence in cases:
        with pytest.raises(IncompatibleView, match=sentence):
            EmbeddingInversion().run(world(dense, **changes)[0], np.random.default_rng(0))
    with pytest.raises(IncompatibleView, match="known for 0 training rows, but 5 are asked for"):
        EmbeddingInversion(known=5).run(world(dense)[0], np.random.default_rng(0))
    with pytest.raises(ValueError, match="known must be 0, or 2 or more, got 1"):
        EmbeddingInversion(known=1)


def test_words_are_refused():
    view, _ = world(Dense(3, (), 4))
    view = replace(view, agreement=replace(view.agreement, terms=Terms(bottom="transformer")))
    with pytest.raises(IncompatibleView, match="read words"):
        EmbeddingInversion().run(view, np.random.default_rng(0))


def test_a_model_behind_a_closed_relu_says_little_and_does_not_fail():
    dense = Dense(3, (), 2, relu_output=True)
    network = dense.build().double()
    nn.init.constant_(network[0].bias, -1e3)
    view, _ = world(dense, model=pack_part(("x0", "x1", "x2"), (dense, network)))
    sent = replace(view.messages[0], payload={"embedding": np.zeros((40, 2))})
    view = replace(view, messages=(sent, view.messages[1]))
    guess = EmbeddingInversion().run(view, np.random.default_rng(0))
    assert np.isfinite(guess.units).all()
