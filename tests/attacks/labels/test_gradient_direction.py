"""Directions of gradients: where theory says they give labels away, where they must not, and where there are none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import v_measure_score

from hand_made import agreed
from pulled_gradients import pulled, some_of_each, view_of
from samples import small_data
from seepage.attacks.features.label_chain import LabelChain
from seepage.attacks.labels.direct_completion import DirectCompletion
from seepage.attacks.labels.gradient_direction import GradientDirection
from seepage.audit.stages.chaining import handed_over, recording, threat_for
from seepage.errors import IncompatibleView
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.messages import Kind, Message
from seepage.randomness import stream
from seepage.views import grant, observe
from seepage.views.labelled_rows import read_labels
from trained_runs import seen, trained


def accuracy(guess, labels):
    return np.mean(guess.labels == labels[guess.rows])


@settings(max_examples=10, deadline=None)
@given(classes=st.integers(2, 5), count=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
def test_a_few_labels_name_everybody_behind_a_linear_top_model(classes, count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(120) % classes)
    view = view_of(pulled(labels, rng), labels, some_of_each(labels, count))
    assert accuracy(GradientDirection().run(view, rng), labels) > 0.97


def test_gradients_without_information_earn_nothing():
    rng = np.random.default_rng(1)
    labels = np.arange(400) % 4
    view = view_of(rng.normal(size=(400, 6, 5)), labels, some_of_each(labels, 4))
    assert accuracy(GradientDirection().run(view, rng), labels) < 0.4
    groups = GradientDirection(labels_per_class=0).run(view, rng).clusters
    assert v_measure_score(labels, groups) < 0.1


def test_many_epochs_and_rows_answer_noise_that_hides_single_gradients():
    rng = np.random.default_rng(2)
    labels = rng.permutation(np.arange(600) % 3)
    view = view_of(pulled(labels, rng, epochs=12, noise=2.5), labels, some_of_each(labels, 4))
    probe = accuracy(GradientDirection(method="probe").run(view, rng), labels)
    assert accuracy(GradientDirection(epochs=(0,)).run(view, rng), labels) < 0.8
    assert accuracy(GradientDirection().run(view, rng), labels) > max(0.95, probe)


def test_groups_need_no_label_at_all():
    rng = np.random.default_rng(3)
    labels = rng.permutation(np.arange(300) % 3)
    view = view_of(pulled(labels, rng), labels, np.zeros(0, dtype=np.int64))
    groups = GradientDirection(labels_per_class=0).run(view, rng)
    assert v_measure_score(labels[groups.rows], groups.clusters) > 0.98


def test_the_size_of_a_batch_does_not_matter():
    rng = np.random.default_rng(4)
    labels, sizes = np.arange(90) % 3, np.random.default_rng(5).uniform(0.01, 10, size=(90, 6, 1))
    gradients, known = pulled(labels, rng), some_of_each(labels, 2)
    guess = GradientDirection(method="cosine").run(view_of(gradients, labels, known), rng)
    scaled = GradientDirection(method="cosine").run(view_of(gradients * sizes, labels, known), rng)
    np.testing.assert_allclose(guess.scores, scaled.scores, atol=1e-5)


def test_a_row_heard_once_lies_where_it_would_lie_had_it_been_heard_always():
    rng = np.random.default_rng(6)
    labels = rng.permutation(np.arange(300) % 3)
    gradients = pulled(labels, rng)
    silenced = rng.random((300, 6, 1)) < 0.8
    silenced[np.arange(300), rng.integers(6, size=300)] = False
    view = view_of(np.where(silenced, 0.0, gradients), labels, some_of_each(labels, 4))
    assert accuracy(GradientDirection().run(view, rng), labels) > 0.95


def half_silent(rng, columns=None):
    """Rows of two classes of which the second half was never heard."""
    labels = rng.permutation(np.arange(200) % 2)
    gradients = pulled(labels, rng)
    gradients[100:] = 0.0
    known = some_of_each(labels[:100], 4)
    return labels, view_of(gradients, labels, known, columns=columns(labels) if columns else None)


def test_silent_rows_are_labelled_by_own_columns():
    rng = np.random.default_rng(7)
    labels, view = half_silent(rng, lambda labels: (labels[:, None] + 0.1 * rng.normal(size=(200, 1))).astype("f4"))
    guess = GradientDirection().run(view, rng)
    assert accuracy(guess, labels) > 0.99
    assert guess.notes["silent"] == 0.5
    assert (guess.steps["heard"][100:] == -1).all()
    groups = GradientDirection(labels_per_class=0).run(view, rng)
    assert v_measure_score(labels, groups.clusters) > 0.95


def test_without_columns_silent_rows_are_no_guess_of_tie_order():
    rng = np.random.default_rng(8)
    labels, view = half_silent(rng)
    guess = GradientDirection().run(view, rng)
    assert guess.abstained.tolist() == [False] * 100 + [True] * 100
    assert accuracy(replace(guess, steps={}), labels) <= 0.5
    groups = GradientDirection(labels_per_class=0).run(view, rng).clusters
    assert len(np.unique(groups[100:])) == 100


def test_groups_are_named_by_columns_where_all_known_rows_are_silent():
    rng = np.random.default_rng(16)
    labels = rng.permutation(np.arange(210) % 3)
    gradients, known = pulled(labels, rng), some_of_each(labels, 3)
    gradients[known] = 0.0
    columns = (np.eye(3)[labels] + 0.3 * rng.normal(size=(210, 3))).astype("f4")
    assert accuracy(GradientDirection().run(view_of(gradients, labels, known, columns=columns), rng), labels) > 0.97


def test_columns_that_say_nothing_of_labels_help_to_read_noisy_gradients():
    """Whoever knows p reads y off p − y, even if p has nothing to do with y."""
    rng = np.random.default_rng(18)
    labels, column = np.arange(1000) % 2, rng.normal(size=1000)
    shares = 1 / (1 + np.exp(-3 * column))
    gradients = ((shares - labels)[:, None] * np.array([1.0, -1.0]) + 0.3 * rng.normal(size=(1000, 2)))[:, None, :]
    known = some_of_each(labels, 20)
    without = accuracy(GradientDirection().run(view_of(gradients, labels, known), rng), labels)
    columns = np.stack((column, shares), axis=1).astype("f4")
    view = view_of(gradients, labels, known, columns=columns)
    assert accuracy(GradientDirection().run(view, rng), labels) > without + 0.03


def test_columns_know_better_where_labels_were_replaced_before_training():
    rng = np.random.default_rng(17)
    labels = rng.permutation(np.arange(600) % 2)
    told = np.where(rng.random(600) < 0.25, 1 - labels, labels)
    columns = (labels[:, None] + 0.4 * rng.normal(size=(600, 1))).astype("f4")
    known = some_of_each(labels, 10)
    view = view_of(pulled(told, rng), labels, known)
    assert accuracy(GradientDirection().run(view, rng), labels) < 0.8
    view = view_of(pulled(told, rng), labels, known, columns=columns)
    assert accuracy(GradientDirection().run(view, rng), labels) > 0.85


def test_rows_that_were_never_in_a_batch_are_counted():
    rng = np.random.default_rng(9)
    labels = np.arange(60) % 2
    view = view_of(pulled(labels[:50], rng), labels, some_of_each(labels[:50], 4), train=np.arange(60))
    guess = GradientDirection().run(view, rng)
    assert guess.notes["never_in_a_batch"] == pytest.approx(1 / 6)
    assert guess.abstained.sum() == 10


def test_silent_known_rows_still_say_where_silence_belongs():
    rng = np.random.default_rng(10)
    labels = np.repeat([0, 1], 50)
    gradients = pulled(labels, rng)
    known = np.array([0, 1, 50, 51])
    gradients[:2] = 0.0  # both known rows of class 0
    guess = GradientDirection().run(view_of(gradients, labels, known), rng)
    heard = gradients.any(axis=(1, 2))
    assert np.mean(guess.labels[heard] == labels[heard]) > 0.97


def test_one_label_of_each_class_is_enough_and_a_class_without_any_is_never_guessed():
    rng = np.random.default_rng(11)
    labels = np.arange(150) % 3
    view = view_of(pulled(labels, rng), labels, np.array([0, 1]))
    guess = GradientDirection().run(view, rng)
    assert guess.notes["unnamed_classes"] == 1
    assert set(guess.labels) == {0, 1}
    assert np.isfinite(guess.scores).all()


def test_colluding_parties_lay_their_gradients_side_by_side():
    rng = np.random.default_rng(12)
    labels = np.arange(200) % 4
    gradients = pulled(labels, rng, epochs=1, width=2, noise=0.2)
    known = some_of_each(labels, 4)
    alone = accuracy(GradientDirection().run(view_of(gradients, labels, known), rng), labels)
    view = view_of(gradients, labels, known, to=("shop", "club"))
    other = pulled(labels, rng, epochs=1, width=2, noise=0.2)
    messages = tuple(
        replace(message, payload={"gradient": other[message.rows, 0]}) if message.receiver == "club" else message
        for message in view.messages
    )
    assert accuracy(GradientDirection().run(replace(view, messages=messages), rng), labels) > alone


def test_the_rarer_class_is_pulled_harder():
    rng = np.random.default_rng(13)
    labels = (np.arange(200) % 10 == 0).astype(np.int64)
    share = labels.mean() + 0.02 * rng.normal(size=200)
    gradients = ((share - labels)[:, None] * np.array([0.3, -0.4]))[:, None, :]
    known = some_of_each(labels, 4)
    guess = GradientDirection(method="norm").run(view_of(gradients, labels, known), rng)
    assert accuracy(guess, labels) == 1.0
    groups = GradientDirection(method="norm", labels_per_class=0).run(view_of(gradients, labels, known), rng)
    assert v_measure_score(labels, groups.clusters) == pytest.approx(1.0)
    assert GradientDirection(method="norm").needs.binary


def test_of_many_epochs_some_are_read_from_the_first_to_the_last():
    rng = np.random.default_rng(14)
    labels = np.arange(60) % 2
    view = view_of(pulled(labels, rng, epochs=30), labels, some_of_each(labels, 2))
    assert GradientDirection(most_epochs=10).run(view, rng).notes["epochs"] == 10
    assert GradientDirection(epochs=(0, 3)).run(view, rng).notes["epochs"] == 2
    wide = view_of(pulled(labels, rng, epochs=10, width=200), labels, some_of_each(labels, 2))
    assert accuracy(GradientDirection().run(wide, rng), labels) > 0.97


@pytest.mark.parametrize(
    "federation",
    [SplitNetwork(epochs=4), SummedNetwork(epochs=2), LogisticRegression(epochs=20)],
    ids=lambda one: one.name,
)
@pytest.mark.parametrize("name", ["breast_cancer", "iris"])
def test_labels_are_read_off_every_network_federation(federation, name):
    data = small_data(name)
    if hasattr(federation, "batch"):
        federation = replace(federation, batch=16)
    attack = GradientDirection()
    run = trained(federation, data, record=attack.needs.recording(), purpose="federation")
    view = seen(run, data, *data.passive, labels_per_class=4)
    assert accuracy(attack.run(view, np.random.default_rng(0)), data.labels) > 0.97


def refused(view, attack=None):
    with pytest.raises(IncompatibleView) as error:
        (attack or GradientDirection()).run(view, np.random.default_rng(0))
    return str(error.value)


def test_nothing_to_read_is_said_in_a_sentence():
    rng = np.random.default_rng(15)
    labels = np.arange(40) % 2
    known, gradients = some_of_each(labels, 4), pulled(labels, rng)
    assert "received no gradient messages" in refused(replace(view_of(gradients, labels, known), messages=()))
    assert "Every gradient that came back is zero" in refused(view_of(0 * gradients, labels, known))
    assert "No labelled rows are known" in refused(view_of(gradients, labels, np.zeros(0, dtype=np.int64)))
    assert "Labelled rows of one class alone" in refused(view_of(gradients, labels, np.array([0, 2])))
    quiet = gradients.copy()
    quiet[known] = 0.0
    assert "for the 8 labelled rows is zero, and the adversary has no columns" in refused(view_of(quiet, labels, known))
    broken = gradients.copy()
    broken[0, 0, 0] = np.nan
    assert "training diverged" in refused(view_of(broken, labels, known))
    view = view_of(gradients, labels, known)
    narrow = replace(view.messages[-1], payload={"gradient": view.messages[-1].payload["gradient"][:, :2]})
    assert "have 5 numbers for a row at first and 2" in refused(replace(view, messages=(*view.messages[:-1], narrow)))


def test_settings_that_make_no_sense_are_refused():
    for settings_ in ({"labels_per_class": -1}, {"method": "angle"}, {"epochs": (-1,)}, {"most_epochs": 0}):
        with pytest.raises(ValueError, match=next(iter(settings_))):
            GradientDirection(**settings_)


@pytest.mark.parametrize(
    "attack", [DirectCompletion(labels="gradient-direction"), LabelChain(labels="gradient-direction")]
)
def test_its_labels_feed_attacks_that_go_on_from_labels(attack):
    data = small_data("iris")
    threat = threat_for(attack, data.passive)
    assert threat.labels_per_class == 4
    run = trained(SplitNetwork(epochs=6, batch=16), data, record=recording(attack), purpose="federation")
    knowledge = grant(data, threat, stream(0, "knowledge"))
    view = handed_over(attack, observe(run.transcript, knowledge), seed=0)
    assert view.knowledge.guess.rows.tolist() == np.sort(data.train).tolist()
    read = read_labels(view)
    assert np.isin(knowledge.known_rows, read.known).all()
    assert np.mean(read.labels == data.labels[read.known]) > 0.95


def replaced(rng, kept, *, rows=3000):
    """Labels that go with a column, what they were replaced with before training, and the best that can be known."""
    column = rng.normal(size=rows)
    shares = 1 / (1 + np.exp(-2 * column))
    labels = (rng.random(rows) < shares).astype(np.int64)
    told = np.where(rng.random(rows) < kept, labels, 1 - labels)
    ones = shares * np.where(told == 1, kept, 1 - kept)
    zeros = (1 - shares) * np.where(told == 0, kept, 1 - kept)
    return labels, told, column[:, None].astype("f4"), np.mean((ones > zeros) == labels)


@pytest.mark.parametrize("kept", [0.7, 0.8])
def test_replaced_labels_and_columns_together_reach_what_is_best(kept):
    """Labels that were replaced by randomized response, and columns that tell their share: Bayes' rule, in advance."""
    rng = np.random.default_rng(19)
    labels, told, columns, best = replaced(rng, kept)
    view = view_of(pulled(told, rng), labels, some_of_each(labels, 8), columns=columns)
    reached = accuracy(GradientDirection().run(view, rng), labels)
    assert best - 0.015 < reached < best + 0.01
    assert reached > max(np.mean(told == labels), np.mean((columns[:, 0] > 0) == labels)) + 0.01


def test_replaced_labels_are_no_better_than_chance_allows_where_columns_say_nothing():
    rng = np.random.default_rng(20)
    labels, told, columns, _ = replaced(rng, 0.7)
    view = view_of(pulled(told, rng), labels, some_of_each(labels, 8), columns=rng.permutation(columns))
    assert accuracy(GradientDirection().run(view, rng), labels) < 0.73


def test_gradients_of_logits_name_replaced_labels_without_help_of_known_ones():
    """Half of the known labels of each class were replaced, so that these cannot tell which group is which."""
    rng = np.random.default_rng(21)
    labels, told, columns, best = replaced(rng, 0.7)
    of = [np.flatnonzero((labels == name) & ((told == name) == left))[:2] for name in (0, 1) for left in (True, False)]
    share = np.clip(0.5 + 0.1 * columns + 0.02 * rng.normal(size=(3000, 1)), 0.1, 0.9)
    message = Message(
        Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(3000), {"gradient": (share - told[:, None]) / 3000}
    )
    terms = agreed("logistic-regression", ("bank", "shop"), top_model=False, outputs=1)
    view = view_of(np.zeros((3000, 1, 1)), labels, np.concatenate(of), columns=columns)
    found = GradientDirection().run(replace(view, messages=(message,), agreement=terms), rng)
    assert accuracy(found, labels) > best - 0.02
