"""Columns behind embeddings of many epochs: exact where these are linear, worthless where they say nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hand_made import agreed, own_part
from samples import small_data
from seepage.attacks.features.embedding_regression import EmbeddingRegression
from seepage.attacks.steps.values import told_rows as components
from seepage.attacks.steps.values.known_values import own_labels
from seepage.attacks.steps.values.regression import regressed
from seepage.errors import IncompatibleView
from seepage.messages import OUTSIDE_TRAINING, Message
from seepage.partition import PublicColumns
from seepage.transcript import Epochs, Recording, Transcript
from seepage.views import Kind, Knowledge, ThreatModel, observe
from seepage.views.joint_columns import lacked_columns
from trained_runs import seen, trained

ROWS, NEW, WIDTH = 150, 30, 4


def world(seed=0, *, known=20, epochs=6, cut=3, own=2, told=True, new=True, change=None, **changes):
    """A shop that sends linear maps of its columns, other ones in each epoch, or noise where nothing is told."""
    rng = np.random.default_rng(seed)
    columns = rng.uniform(size=(ROWS + NEW, WIDTH))
    features = rng.normal(size=(ROWS + NEW, own)).astype(np.float32)
    train = np.arange(ROWS)
    messages = []
    for epoch in (*range(epochs), *((OUTSIDE_TRAINING,) if new else ())):
        rows = train if epoch != OUTSIDE_TRAINING else np.arange(ROWS, ROWS + NEW)
        weights = rng.normal(size=(WIDTH, cut))
        sent = columns[rows] @ weights if told else rng.normal(size=(len(rows), cut))
        order = rng.permutation(len(rows))
        messages += [
            Message(Kind.EMBEDDING, "shop", "bank", epoch, 0, rows[batch], {"embedding": sent[batch]})
            for batch in np.array_split(order, 3)
        ]
    messages = change(messages) if change is not None else messages
    seen = np.sort(rng.choice(ROWS, known, replace=False))
    names = tuple(f"x{place}" for place in range(WIDTH))
    knowledge = {
        "threat": ThreatModel(adversaries=("bank",), known_values=known),
        "own": {"bank": own_part("bank", features, labels=np.zeros(180, int))},
        "train": train,
        "new": np.arange(ROWS, ROWS + NEW),
        "others": {"shop": PublicColumns(names, np.tile([0.0, 1.0], (WIDTH, 1)))},
        "value_rows": seen,
        "values": {"shop": columns[seen]} if known else {},
    }
    view = observe(Transcript(agreed(outputs=cut), tuple(messages)), Knowledge(**{**knowledge, **changes}))
    return replace(view, epochs=epochs), columns


def error(guess, columns, rows):
    inside = np.isin(guess.rows, rows)
    return float(((guess.units[inside] - columns[guess.rows[inside]]) ** 2).mean())


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cut=st.integers(1, 3))
def test_linear_embeddings_of_many_epochs_give_every_training_row_exactly(seed, cut):
    view, columns = world(seed, cut=cut, known=12)
    guess = EmbeddingRegression(known=12).run(view, np.random.default_rng(0))
    assert error(guess, columns, view.knowledge.train) < 1e-12
    assert guess.notes["leave_one_out_mse"] < 1e-12


def test_embeddings_of_noise_are_worth_no_more_than_the_blind_twin():
    reached, blind = [], []
    for seed in range(8):
        view, columns = world(seed, told=False, epochs=4)
        guess = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
        own, seen = view.knowledge.features.astype(float), view.knowledge.value_rows
        before = np.hstack((own, own_labels(view, len(own))))
        rows = np.setdiff1d(view.knowledge.train, seen)
        told, _ = regressed(before[seen], columns[seen], before[rows])
        reached.append(error(guess, columns, view.knowledge.train))
        blind.append(((told - columns[rows]) ** 2).mean())
    assert np.mean(reached) > 0.97 * np.mean(blind)


def test_new_rows_are_told_from_one_embedding():
    view, columns = world(3, cut=4)
    guess = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    assert set(guess.rows) == set(range(ROWS + NEW)) - set(view.knowledge.value_rows)
    assert error(guess, columns, view.knowledge.train) < 1e-12
    view, _ = world(3, cut=4, new=False)
    without = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    assert set(without.rows) == set(view.knowledge.train) - set(view.knowledge.value_rows)


def test_partial_logits_of_all_passes_give_every_row_away():
    """The promise of the issue: twenty known rows of breast_cancer, and nothing is left to guess."""
    data = small_data("breast_cancer", kind="halves")
    record = Recording({Kind.EMBEDDING: Epochs.all()})
    view = seen(trained("logistic-regression", data, record=record), data, known_values=20)
    guess = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    victim = data.parts[data.passive[0]]
    true = lacked_columns(view).units(victim.features[guess.rows].astype(np.float64))
    assert ((guess.units - true) ** 2).mean() < 1e-14


def test_labels_of_new_rows_are_not_known():
    view, _ = world(0)
    labels = np.arange(ROWS + NEW) % 2
    own = {"bank": replace(view.knowledge.own["bank"], labels=labels)}
    shown = own_labels(replace(view, knowledge=replace(view.knowledge, own=own)), ROWS + NEW)
    assert shown[:ROWS].sum() == ROWS
    assert shown[ROWS:].sum() == 0


def test_many_epochs_are_added_up_and_lose_nothing(monkeypatch):
    monkeypatch.setattr(components, "MOST_WIDTH", 8)
    monkeypatch.setattr(components, "PROJECTED", 12)
    view, columns = world(1, epochs=30)
    guess = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    assert error(guess, columns, view.knowledge.train) < 1e-12


def test_fewer_epochs_say_less():
    view, columns = world(1, cut=1, epochs=6)
    errors = [
        error(EmbeddingRegression(known=20, epochs=kept).run(view, np.random.default_rng(0)), columns, np.arange(ROWS))
        for kept in (1, 2, None)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert EmbeddingRegression(epochs=2).needs.epochs == Epochs.only(-2, -1)


def test_a_row_that_was_never_sent_still_gets_a_value():
    def lost(messages):
        return [
            replace(one, rows=one.rows[one.rows != 7], payload={"embedding": one.payload["embedding"][one.rows != 7]})
            for one in messages
        ]

    view, _ = world(0, change=lost)
    guess = EmbeddingRegression(known=20).run(view, np.random.default_rng(0))
    assert 7 in guess.rows or 7 in view.knowledge.value_rows


def test_fewer_known_rows_than_columns_are_better_than_nothing():
    view, columns = world(5, known=3)
    guess = EmbeddingRegression(known=3).run(view, np.random.default_rng(0))
    assert np.isfinite(guess.units).all()
    assert error(guess, columns, view.knowledge.train) < 0.25


def test_bad_input_is_refused_in_one_sentence():
    def wider(messages):
        last = messages[-1]
        return [*messages[:-1], replace(last, payload={"embedding": np.hstack([last.payload["embedding"]] * 2)})]

    def diverged(messages):
        return [replace(one, payload={"embedding": one.payload["embedding"] * np.nan}) for one in messages]

    def torn(messages):
        return [replace(one, payload={"embedding": one.payload["embedding"][:-1]}) for one in messages]

    def outside(messages):
        return [one for one in messages if one.epoch == OUTSIDE_TRAINING]

    attack, rng = EmbeddingRegression(known=20), np.random.default_rng(0)
    for change, sentence in (
        (wider, "sent embeddings of 3 numbers first and of 6 later"),
        (diverged, "are not numbers"),
        (torn, "holds an array of shape"),
        (outside, "No embeddings of training rows were recorded"),
        (lambda messages: [], "received no embedding messages"),
    ):
        with pytest.raises(IncompatibleView, match=sentence):
            attack.run(world(0, change=change)[0], rng)
    with pytest.raises(IncompatibleView, match="known for 0 training rows, but 20 are asked for"):
        attack.run(world(0, known=0)[0], rng)
    with pytest.raises(IncompatibleView, match="Nothing is known of columns"):
        attack.run(world(0, others={})[0], rng)


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="known must be 2 or more, got 1"):
        EmbeddingRegression(known=1)
    with pytest.raises(ValueError, match="epochs must be 1 or more, got 0"):
        EmbeddingRegression(epochs=0)
