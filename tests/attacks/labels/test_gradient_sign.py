"""The direct attack: where theory says it wins, where it must not, and where it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import agreed
from samples import needs_data, small_data
from seepage.attacks.labels.gradient_sign import GradientSign
from seepage.errors import IncompatibleView
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.summed_network import SummedNetwork
from seepage.messages import Kind, Message
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, observe
from trained_runs import seen, trained

RNG = np.random.default_rng(0)


def view_of(*gradients, rows=None, epochs=None):
    """A view of one message for each gradient matrix."""
    messages = []
    for place, gradient in enumerate(gradients):
        own = np.arange(len(gradient)) if rows is None else np.asarray(rows[place])
        payload, epoch = {"gradient": np.asarray(gradient, dtype=np.float64)}, epochs[place] if epochs else place
        messages.append(Message(Kind.GRADIENT, "bank", "shop", epoch, place, own, payload))
    width = np.asarray(gradients[0]).shape[1]
    terms = agreed("summed-network", classes=max(2, width), top_model=False, outputs=width)
    return observe(Transcript(terms, tuple(messages)), Knowledge(threat=ThreatModel(adversaries=("shop",))))


@given(classes=st.integers(2, 12), rows=st.integers(1, 30), weight=st.floats(0.01, 50), seed=st.integers(0, 2**32 - 1))
def test_every_label_is_read_from_exact_gradients_whatever_the_weights(classes, rows, weight, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=rows)
    logits = rng.normal(scale=3, size=(rows, classes))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    weights = rng.uniform(weight / 2, weight, size=classes)
    gradients = weights[labels][:, None] * (shares - np.eye(classes)[labels])  # Eq. 2 and 3
    for rule in ("smallest", "first-negative"):
        assert np.array_equal(GradientSign(rule=rule).run(view_of(gradients), RNG).labels, labels)


def test_a_gradient_without_information_earns_nothing():
    labels = np.arange(200) % 4
    guess = GradientSign().run(view_of(np.random.default_rng(1).normal(size=(200, 4))), RNG)
    assert 0.1 < np.mean(guess.labels == labels) < 0.4


def test_a_single_logit_pulled_down_means_class_1():
    assert GradientSign().run(view_of([[-0.3], [0.2]]), RNG).labels.tolist() == [1, 0]


def test_a_tie_is_an_abstention_even_between_zeros():
    guess = GradientSign().run(view_of([[0.0, 0.0], [0.0, 0.4], [-0.1, -0.1]]), RNG)
    assert guess.labels.tolist() == [-1, 0, -1]


@pytest.mark.parametrize("settings", [{}, {"rule": "first-negative"}, {"combine": "sum"}], ids=str)
def test_a_gradient_that_is_no_number_says_nothing(settings):
    guess = GradientSign(**settings).run(view_of([[np.nan, np.nan], [0.3, -0.4], [np.inf, np.inf]]), RNG)
    assert guess.labels.tolist() == [-1, 1, -1]
    assert guess.scores[0].tolist() == [0.0, 0.0]
    assert GradientSign().run(view_of([[0.0]]), RNG).labels.tolist() == [-1]


def test_the_published_rule_needs_a_negative_coordinate_and_takes_the_first():
    view = view_of([[0.0, 0.4], [-0.1, -0.5]])
    assert GradientSign(rule="first-negative").run(view, RNG).labels.tolist() == [-1, 0]
    assert GradientSign(rule="smallest").run(view, RNG).labels.tolist() == [0, 1]


def test_the_first_gradient_counts_and_not_a_later_one():
    assert GradientSign().run(view_of([[-1.0, 1.0]], [[1.0, -1.0]]), RNG).labels.tolist() == [0]


def test_a_later_epoch_answers_where_the_first_was_silent():
    view = view_of([[0.0, 0.0], [-1.0, 1.0]], [[1.0, -1.0], [1.0, -1.0]])
    assert GradientSign().run(view, RNG).labels.tolist() == [1, 0]
    assert GradientSign(epochs=(0,)).run(view, RNG).labels.tolist() == [-1, 0]


def test_noise_averages_out_in_a_sum_over_epochs():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=300)
    clean = 1 / 3 - np.eye(3)[labels]
    view = view_of(*(clean + rng.laplace(scale=1.0, size=clean.shape) for _ in range(20)))
    first, summed = (np.mean(GradientSign(combine=how).run(view, RNG).labels == labels) for how in ("first", "sum"))
    assert first < 0.75 and summed > 0.97


def test_without_noise_the_sum_reads_what_the_first_reads():
    labels = np.arange(60) % 4
    epochs = [scale * (0.25 - np.eye(4)[labels]) for scale in (1.0, 0.5, 0.0)]
    assert np.array_equal(GradientSign(combine="sum").run(view_of(*epochs), RNG).labels, labels)


def test_only_the_chosen_epochs_are_read():
    view = view_of([[-1.0, 1.0]], [[1.0, -1.0]])
    assert GradientSign(epochs=(1,)).run(view, RNG).labels.tolist() == [1]
    with pytest.raises(IncompatibleView, match="no gradient messages in epoch"):
        GradientSign(epochs=(7,)).run(view, RNG)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_and_batches_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(20, 3))
    order = rng.permutation(20)
    one = GradientSign().run(view_of(gradients), RNG)
    halves = [order[:7], order[7:]]
    two = GradientSign().run(view_of(*(gradients[half] for half in halves), rows=halves, epochs=[0, 0]), RNG)
    assert np.array_equal(one.rows, two.rows) and np.array_equal(one.labels, two.labels)


@pytest.mark.parametrize("parties", [2, 3, 5])
@pytest.mark.parametrize(
    ("name", "federation"),
    [
        ("digits", SummedNetwork(epochs=2)),
        ("digits", SummedNetwork(epochs=2, class_weights=True)),
        ("breast_cancer", SummedNetwork(epochs=2, single_logit=True, class_weights=True)),
        ("breast_cancer", LogisticRegression(epochs=2)),
        ("iris", LogisticRegression(epochs=2, class_weights=True)),
    ],
)
def test_real_federations_without_a_top_model_give_every_label_away(name, federation, parties):
    data = small_data(name, parties=min(parties, 4) if name == "iris" else parties)
    attack = GradientSign()
    run = trained(federation, data, record=attack.needs.recording())
    for adversary in data.passive:
        guess = attack.run(seen(run, data, adversary), RNG)
        assert np.array_equal(guess.rows, np.sort(data.train))
        assert np.mean(guess.labels == data.labels[guess.rows]) >= 0.999


@needs_data
@pytest.mark.parametrize(("name", "weighted"), [("avila", False), ("avila", True), ("fashion_mnist", False)])
def test_many_rows_and_classes_are_given_away_as_well(name, weighted):
    data = small_data(name)
    attack = GradientSign()
    federation = SummedNetwork(epochs=1, batch=256, class_weights=weighted)
    guess = attack.run(seen(trained(federation, data, record=attack.needs.recording()), data, "passive"), RNG)
    assert np.mean(guess.labels == data.labels[guess.rows]) >= 0.999 and len(guess.rows) == len(data.train)


def test_a_top_model_and_an_adversary_with_labels_make_it_not_applicable():
    terms = view_of([[0.0, 1.0]]).agreement
    needs = GradientSign().needs
    shop, bank = ThreatModel(adversaries=("shop",)), ThreatModel(adversaries=("bank",))
    assert needs.unmet(terms, shop) is None
    assert "top model" in str(needs.unmet(replace(terms, top_model=True), shop))
    assert "holds the labels itself" in str(needs.unmet(terms, bank))
