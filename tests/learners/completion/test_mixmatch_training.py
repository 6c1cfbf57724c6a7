"""Completing models: against Algorithms 4 and 5 row by row, frozen and tuned, alone and together."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from seepage.layouts import ImageShape
from seepage.learners.completion.complete_model import Completed, InferenceHead, Start
from seepage.learners.completion.mixmatch import MixMatch
from seepage.learners.completion.mixmatch_training import complete, predict
from seepage.learners.completion.stacked import as_one
from seepage.networks.architectures import ResNet
from seepage.networks.seeding import torch_seeded
from slow_mixmatch import slow_complete, slow_mixup, slow_sharpen

BRIEF = MixMatch(epochs=2, iterations=4, batch=5, learning_rate=0.01, weight_decay=0.5, ema=0.3)


class Halved(nn.Module):
    """A bottom model that is mixed in a hidden space of its own."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def lower(self, rows):
        return self.first(rows)

    def upper(self, mixable):
        return self.second(mixable)


class Opaque(nn.Module):
    """A bottom model that nothing is known of."""

    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, rows):
        return self.inside(rows)


def dense(inputs, outputs):
    layers = (nn.Linear(inputs, 7), nn.BatchNorm1d(7), nn.ReLU(), nn.Linear(7, outputs))
    return nn.Sequential(*layers)


def bottoms(kind):
    """Bottom models of seven columns in all."""
    if kind == "dense":
        return [(dense(7, 3), 7)]
    if kind == "two":
        return [(dense(4, 3), 4), (nn.Sequential(nn.Linear(3, 2, bias=False), nn.Tanh()), 3)]
    if kind == "opaque":
        return [(Opaque(dense(7, 3)), 7)]
    if kind == "identity":
        return [(nn.Identity(), 7)]
    return [
        (Halved(nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Tanh()), nn.Linear(5, 3)), 4),
        (dense(3, 2), 3),
    ]


KINDS = ("dense", "two", "opaque", "hidden")


def start(kind="dense", seed=0, rows=30, precision=torch.float64):
    rng = np.random.default_rng(seed)
    with torch_seeded(rng):
        model = Completed.of(bottoms(kind), classes=3).to(precision)
    for name, values in model.named_buffers():  # as training would have left them
        if "running" in name:
            values.copy_(torch.from_numpy(rng.uniform(0.5, 1.5, values.shape)))
    features = torch.from_numpy(rng.normal(size=(rows, 7))).to(precision)
    order = rng.permutation(rows)
    return Start(model, features, order[:4], np.array([0, 1, 2, 1]), order[4:])


def assert_the_same_alone_and_together(starts, rate):
    together = complete(starts, BRIEF, bottom_learning_rate=rate, rng=np.random.default_rng(5))
    rng = np.random.default_rng(5)
    for given, other in zip(starts, together, strict=True):
        (alone,) = complete([given], BRIEF, bottom_learning_rate=rate, rng=rng)
        torch.testing.assert_close(state(alone.model), state(other.model), rtol=1e-6, atol=1e-9)
        assert alone.labelled_loss == pytest.approx(other.labelled_loss)
        assert alone.unlabelled_loss == pytest.approx(other.unlabelled_loss)


def state(model):
    return {name: values.clone() for name, values in model.state_dict().items()}


@pytest.mark.parametrize("rate", [0.0, 1e-3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_algorithms_4_and_5_row_by_row(kind, rate):
    given = start(kind)
    (learned,) = complete([given], BRIEF, bottom_learning_rate=rate, rng=np.random.default_rng(3))
    slow, losses = slow_complete(given, BRIEF, rate, np.random.default_rng(3))
    torch.testing.assert_close(state(learned.model), state(slow), rtol=1e-7, atol=1e-9)
    assert (learned.labelled_loss, learned.unlabelled_loss) == pytest.approx(tuple(losses), rel=1e-7)


@pytest.mark.parametrize("rate", [0.0, 1e-3])
def test_the_loss_on_entropy_is_that_of_loops(rate):
    settings = replace(BRIEF, entropy_weight=40.0, entropy_margin=1.0)
    given = start()
    (learned,) = complete([given], settings, bottom_learning_rate=rate, rng=np.random.default_rng(3))
    slow, _ = slow_complete(given, settings, rate, np.random.default_rng(3))
    torch.testing.assert_close(state(learned.model), state(slow), rtol=1e-7, atol=1e-9)
    without, _ = slow_complete(given, BRIEF, rate, np.random.default_rng(3))
    assert not torch.allclose(learned.model.head[1].weight, without.head[1].weight)


def test_slow_mixup_and_sharpen_are_what_they_say():
    assert slow_mixup([1, 0], [0, 1], 0.75) == [0.75, 0.25]
    assert slow_sharpen([0.8, 0.2], 0.5) == pytest.approx([16 / 17, 1 / 17])


@pytest.mark.parametrize("kind", ["dense", "hidden"])
def test_frozen_bottom_models_stay_as_they_are_to_the_last_bit(kind):
    given = start(kind)
    before = state(given.model)
    (learned,) = complete([given], BRIEF, bottom_learning_rate=0.0, rng=np.random.default_rng(0))
    after = state(learned.model)
    for name, values in before.items():
        assert torch.equal(values, after[name]) == name.startswith("bottoms."), name


@pytest.mark.parametrize("kind", KINDS)
def test_tuned_bottom_models_change_and_the_start_does_not(kind):
    given = start(kind)
    before = state(given.model)
    (learned,) = complete([given], BRIEF, bottom_learning_rate=1e-3, rng=np.random.default_rng(0))
    after = state(learned.model)
    assert not any(torch.equal(values, after[name]) for name, values in before.items())
    assert all(torch.equal(values, given.model.state_dict()[name]) for name, values in before.items())


@pytest.mark.parametrize("rate", [0.0, 1e-3])
@pytest.mark.parametrize("kind", [*KINDS, "identity"])
def test_a_model_learns_the_same_alone_and_together(kind, rate):
    starts = [start(kind, seed, rows=20 + 5 * seed) for seed in range(3)]
    assert_the_same_alone_and_together(starts, rate)


def test_pictures_learn_the_same_alone_and_together():
    image, rng = ImageShape(channels=1, height=3, width=2), np.random.default_rng(0)
    features = torch.from_numpy(rng.normal(size=(20, 6)))
    starts = []
    for _ in range(2):
        with torch_seeded(rng):
            model = Completed.of([(ResNet(image, planes=(2,), blocks=1, outputs=3).build(), 6)], classes=2).double()
        starts.append(Start(model, features, np.arange(4), np.array([0, 1, 0, 1]), np.arange(4, 20)))
    assert_the_same_alone_and_together(starts, 1e-3)


def test_how_many_batches_are_made_ahead_changes_nothing(monkeypatch):
    given = start()
    for rate in (0.0, 1e-3):
        (usual,) = complete([given], BRIEF, bottom_learning_rate=rate, rng=np.random.default_rng(5))
        with monkeypatch.context() as patch:
            patch.setattr("seepage.learners.completion.batches.CHUNK", 1)
            patch.setattr("seepage.learners.completion.batches.FORWARD", 2)
            (single,) = complete([given], BRIEF, bottom_learning_rate=rate, rng=np.random.default_rng(5))
        torch.testing.assert_close(state(usual.model), state(single.model), rtol=1e-9, atol=1e-12)


def test_a_layer_in_two_places_learns_the_same_alone_and_together():
    starts = []
    for seed in range(2):
        given = start(seed=seed)
        with torch_seeded(np.random.default_rng(seed)):
            layer = nn.Linear(7, 7)
            model = Completed.of([(nn.Sequential(layer, nn.ReLU(), layer), 7)], classes=3).double()
        starts.append(replace(given, model=model))
    assert_the_same_alone_and_together(starts, 1e-3)


def test_known_layers_are_stacked_and_others_are_not():
    dense_ones, opaque = ([start(kind, seed).model for seed in range(2)] for kind in ("two", "opaque"))
    stacked = as_one(dense_ones)
    assert stacked is not None and as_one(opaque) is None
    assert {name: values.shape[0] for name, values in stacked.state_dict().items()} == dict.fromkeys(
        dense_ones[0].state_dict(), 2
    )


@pytest.mark.parametrize("rate", [0.0, 1e-3])
def test_models_are_watched_after_every_epoch_as_they_would_be_returned(rate):
    given, seen = start(), []

    def watch(epoch, models):
        assert not any(module.training for model in models for module in model.modules())
        seen.append((epoch, predict(models[0], given.features)))

    (learned,) = complete([given], BRIEF, bottom_learning_rate=rate, rng=np.random.default_rng(0), watch=watch)
    assert [epoch for epoch, _ in seen] == [0, 1]
    assert np.array_equal(seen[-1][1], predict(learned.model, given.features))
    assert not np.array_equal(seen[0][1], seen[1][1])


def test_one_generator_gives_one_model_and_leaves_the_chance_of_others_alone():
    before = torch.random.get_rng_state()
    first, second = (
        complete([start()], BRIEF, bottom_learning_rate=1e-3, rng=np.random.default_rng(8))[0] for _ in range(2)
    )
    assert all(torch.equal(values, second.model.state_dict()[name]) for name, values in state(first.model).items())
    assert torch.equal(torch.random.get_rng_state(), before)


def test_features_are_turned_into_the_precision_of_the_model():
    given = start(precision=torch.float32)
    other = replace(given, features=given.features.double())
    first, second = (
        complete([each], BRIEF, bottom_learning_rate=1e-3, rng=np.random.default_rng(1))[0] for each in (given, other)
    )
    assert next(second.model.parameters()).dtype == torch.float32
    assert np.array_equal(predict(first.model, given.features), predict(second.model, other.features))


def test_predictions_are_the_same_in_chunks():
    given = start()
    whole = predict(given.model, given.features)
    assert np.allclose(whole, predict(given.model, given.features, chunk=7)) and np.allclose(whole.sum(axis=1), 1)


def test_a_good_bottom_model_beats_a_random_one():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    values = rng.normal(size=(400, 12))
    values[:, 0] += 4 * truth  # the one column that says something is quieter than the others
    values[:, 0] *= 0.1
    features = torch.from_numpy(values).float()
    known = np.concatenate([np.flatnonzero(truth == label)[:2] for label in (0, 1)])
    rest = np.setdiff1d(np.arange(400), known)
    with torch_seeded(rng), torch.no_grad():
        good, random = nn.Linear(12, 2), nn.Linear(12, 2)
        good.weight.zero_()[:, 0] = torch.tensor([1.0, -1.0])
        models = [Completed.of([(part, 12)], classes=2) for part in (good, random)]
    starts = [Start(model, features, known, truth[known], rest) for model in models]
    learned = complete(starts, MixMatch(), bottom_learning_rate=1e-4, rng=rng)
    right = [np.mean(predict(each.model, features)[rest].argmax(axis=1) == truth[rest]) for each in learned]
    assert right[0] > 0.85 and right[0] > right[1] + 0.3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"known": [], "labels": []}, "completing a model needs labeled rows, got none"),
        ({"unlabelled": []}, "completing a model needs unlabeled rows, got none"),
        ({"labels": [0, 1]}, "every labeled row needs one label, got 4 rows and 2 labels"),
        ({"labels": [0, 1, 2, 3]}, "labels must be between 0 and 2, got 0 to 3"),
        ({"known": [0, 1, 2, 30]}, "labeled rows must be between 0 and 29, got 0 to 30"),
        ({"unlabelled": [-1, 4]}, "unlabeled rows must be between 0 and 29, got -1 to 4"),
        ({"features": torch.zeros(30, 6)}, "the bottom models read 7 columns, got features with 6"),
    ],
)
def test_a_start_that_cannot_learn_is_refused_in_one_sentence(changed, message):
    arrays = {n: np.array(v, dtype=np.int64) if isinstance(v, list) else v for n, v in changed.items()}
    with pytest.raises(ValueError) as refused:
        replace(start(), **arrays)
    assert str(refused.value) == message


def test_different_architectures_and_senseless_rates_are_refused():
    with pytest.raises(ValueError, match="must have one architecture, got different ones"):
        complete([start("dense"), start("opaque")], BRIEF, bottom_learning_rate=0.0, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="bottom_learning_rate must be 0 or more and finite, got -1"):
        complete([start()], BRIEF, bottom_learning_rate=-1, rng=np.random.default_rng(0))


def test_no_start_is_nothing_to_learn():
    assert complete([], BRIEF, bottom_learning_rate=0.0, rng=np.random.default_rng(0)) == []


def test_a_head_is_batch_normalization_and_one_linear_layer():
    head = InferenceHead(4, 3)
    assert [type(layer) for layer in head] == [nn.BatchNorm1d, nn.Linear]
    assert float(head[1].weight.detach().abs().max()) <= 1 / math.sqrt(4)
