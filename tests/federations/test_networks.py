"""Federations of networks against the same networks in one piece, and against their own promises."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from samples import small_data, without_active_columns
from seepage.attacks.steps.tampering.malicious_optimizer import MaliciousOptimizer
from seepage.audit.plan.settings import build
from seepage.errors import AuditError, BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hook, Hooks, Tampering
from seepage.messages import Kind, Message
from seepage.networks.architectures import from_json, load_state
from seepage.networks.optimizers import OptimizerSettings
from seepage.transcript import Epochs, Recording
from trained_runs import NOTHING, trained

SGD = OptimizerSettings(name="sgd", learning_rate=0.1, momentum=0.9, weight_decay=1e-3)


train = partial(trained, record=NOTHING)


class Whole(nn.Module):
    def __init__(self, bottoms, head):
        super().__init__()
        self.bottoms, self.head = nn.ModuleList(bottoms), head

    def forward(self, parts):
        return self.head([bottom(part) for bottom, part in zip(self.bottoms, parts, strict=True)])


@pytest.mark.parametrize("parties", [2, 3, 5])
@pytest.mark.parametrize(
    "federation",
    [
        SummedNetwork(epochs=3, batch=50, hidden=(8,), optimizer=SGD),
        SplitNetwork(epochs=3, batch=50, hidden=(8,), cut=4, top=(6,), optimizer=SGD, class_weights=True),
        SplitNetwork(epochs=3, batch=50, hidden=(8,), cut=4, top=(6,), optimizer=replace(SGD, milestones=(0.3, 0.6))),
    ],
    ids=["summed", "split", "scheduled"],
)
def test_a_divided_network_learns_exactly_what_the_whole_one_learns(federation, parties):
    data = small_data(parties=parties)
    untrained = train(replace(federation, epochs=1, optimizer=replace(SGD, learning_rate=1e-30)), data)
    order = [data.active, *data.passive]
    bottoms = [untrained.active.bottom, *(party.bottom for party in untrained.passive.values())]
    whole = Whole([bottom.network for bottom in bottoms], untrained.active.head)
    optimizer = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
    run = train(federation, data, record=Recording({Kind.GRADIENT: Epochs.all()}))
    features = [torch.from_numpy(data.parts[party].features) for party in order]
    labels = torch.from_numpy(data.labels)
    weights = run.active.loss.weights
    last = data.passive[-1]
    for message in run.transcript.messages:
        if message.receiver == last:
            rows = torch.from_numpy(message.rows)
            passed = message.epoch if federation.training.optimizer.milestones else 0
            optimizer.param_groups[0]["lr"] = 0.1 * 0.1**passed
            optimizer.zero_grad()
            logits = whole([part[rows] for part in features])
            nn.functional.cross_entropy(logits, labels[rows], weight=weights).backward()
            optimizer.step()
    with torch.no_grad():
        expected = torch.softmax(whole([part[data.test] for part in features]), dim=1).numpy()
    np.testing.assert_allclose(run.predict(data.test), expected, atol=2e-5)


def test_a_malicious_optimizer_keeps_to_the_schedule_and_one_party_may_have_another():
    data = small_data(parties=3)
    hooks = Hooks(tamperings={"passive-1": Tampering(optimizer=MaliciousOptimizer)})
    optimizers = {"passive-2": replace(SGD, milestones=())}
    federation = SplitNetwork(epochs=2, batch=50, optimizer=replace(SGD, milestones=(0.5,)), optimizers=optimizers)
    run = train(federation, data, hooks=hooks)
    malicious = run.passive["passive-1"].bottom.optimizer
    assert isinstance(malicious, MaliciousOptimizer)
    rates = [one.param_groups[0]["lr"] for one in (malicious, malicious.agreed, run.active.head_optimizer)]
    assert rates == pytest.approx([0.01] * 3)
    assert run.passive["passive-2"].bottom.optimizer.param_groups[0]["lr"] == 0.1


def test_the_gradient_that_crosses_is_softmax_minus_truth_over_the_batch():
    data = small_data("digits", parties=3)
    keep = Recording({Kind.GRADIENT: Epochs.only(0), Kind.EMBEDDING: Epochs.only(0)})
    federation = SummedNetwork(epochs=1, batch=32)
    run = train(federation, without_active_columns(data), record=keep)
    first = [message for message in run.transcript.messages if message.step == 0]
    logits = sum(message.payload["embedding"] for message in first if message.kind is Kind.EMBEDDING)
    truth = np.eye(10)[data.labels[first[0].rows]]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gradients = [message.payload["gradient"] for message in first if message.kind is Kind.GRADIENT]
    assert len(gradients) == 2
    for gradient in gradients:
        np.testing.assert_allclose(gradient, (shares - truth) / 32, atol=1e-6)


@pytest.mark.parametrize("name", list(FEDERATIONS))
@pytest.mark.parametrize("empty_active", [False, True])
def test_every_federation_trains_with_many_parties_and_an_active_one_without_columns(name, empty_active):
    data = small_data(parties=4)
    run = train(FEDERATIONS[name](), without_active_columns(data) if empty_active else data)
    released = run.release(data.test)
    assert released.shape == (len(data.test), 2)
    np.testing.assert_allclose(released.sum(axis=1), 1, atol=1e-5)
    assert np.mean(released.argmax(axis=1) == data.labels[data.test]) > 0.9
    assert list(run.parties) == list(data.parties)


@pytest.mark.parametrize("name", ["split-network", "summed-network", "logistic-regression"])
def test_one_seed_gives_one_answer_and_another_seed_another(name):
    data = small_data("iris")
    settings = {"epochs": 3} if name == "logistic-regression" else {"epochs": 2, "batch": 16}
    keep = Recording({Kind.GRADIENT: Epochs.only(0)})
    first, again, other = (train(FEDERATIONS[name](**settings), data, record=keep, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.predict(data.test), again.predict(data.test))
    pairs = zip(first.transcript.messages, again.transcript.messages, strict=True)
    assert all(np.array_equal(one.payload["gradient"], two.payload["gradient"]) for one, two in pairs)
    assert not np.array_equal(first.predict(data.test), other.predict(data.test))


def test_training_leaves_the_global_chance_of_pytorch_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(SummedNetwork(epochs=1, batch=16), small_data("iris"))
    assert torch.equal(torch.rand(3), expected)


def test_only_what_was_asked_for_is_kept():
    data = small_data("iris")
    federation = SummedNetwork(epochs=4, batch=40)
    nothing = train(federation, data).transcript
    assert nothing.messages == () and nothing.snapshots == ()
    kept = train(federation, data, record=Recording({Kind.GRADIENT: Epochs.only(1, 3)}, Epochs.only(2))).transcript
    assert {message.epoch for message in kept.messages} == {1, 3}
    assert {message.kind for message in kept.messages} == {Kind.GRADIENT}
    assert {(snapshot.party, snapshot.epoch) for snapshot in kept.snapshots} == {("active", 2), ("passive", 2)}


def test_in_one_process_arrays_are_shared_and_not_copied():
    data = small_data("iris", parties=2)
    sent = []

    def keep(message: Message) -> Message:
        sent.append(message)
        return message

    hooks, record = Hooks({"passive": Hook(message=keep)}), Recording({Kind.EMBEDDING: Epochs.all()})
    run = train(SummedNetwork(epochs=1, batch=40), data, hooks=hooks, record=record)
    recorded = [message for message in run.transcript.messages if message.kind is Kind.EMBEDDING]
    assert all(one.payload["embedding"] is two.payload["embedding"] for one, two in zip(sent, recorded, strict=True))


def test_a_snapshot_is_enough_to_build_the_bottom_model_again():
    data = small_data("digits", kind="halves")
    federation = SummedNetwork(epochs=1, batch=200, bottom="resnet", planes=(4, 8))
    run = train(federation, data, record=Recording(snapshots=Epochs.only(0)))
    snapshot = next(found for found in run.transcript.snapshots if found.party == "passive")
    rebuilt = load_state(from_json(snapshot.architecture).build(), snapshot.state).eval()
    bottom = run.passive["passive"].bottom
    with torch.no_grad():
        torch.testing.assert_close(rebuilt(bottom.features[:9]), bottom.network.eval()(bottom.features[:9]))


def test_each_party_has_an_optimizer_of_its_own():
    data = small_data("iris")
    still = OptimizerSettings(name="sgd", learning_rate=1e-30)
    keep = Recording(snapshots=Epochs.only(0, 4))
    federation = SummedNetwork(epochs=5, batch=40, optimizers={"passive": still})
    by_party: dict[str, list[dict[str, np.ndarray]]] = {}
    for snapshot in train(federation, data, record=keep).transcript.snapshots:
        if snapshot.part == "bottom":
            by_party.setdefault(snapshot.party, []).append(snapshot.state)
    moved = {
        party: max(np.abs(before[name] - after[name]).max() for name in before)
        for party, (before, after) in by_party.items()
    }
    assert moved["passive"] == 0 and moved["active"] > 1e-3


def test_a_passive_party_holds_no_labels_and_nobody_else_s_columns():
    data = small_data("breast_cancer", parties=3)
    run = train(SplitNetwork(epochs=1), data)
    for name, party in run.passive.items():
        tensors = [party.bottom.features, *party.bottom.network.parameters(), *party.bottom.network.buffers()]
        own = data.parts[name].features
        assert torch.equal(party.bottom.features, torch.from_numpy(own))
        assert all(tensor.dtype == torch.float32 for tensor in tensors)  # labels are integers
        assert set(vars(party)) == {"bottom", "build", "screener", "_waiting"}
        assert party.screener.part is data.parts[name] and party.screener.part.labels is None


def malicious(heard):
    """Do what a tampering may do, and note the rows of every batch."""

    def extra_loss(embedding, rows):
        heard.append(rows)
        return (embedding**2).mean()

    return Tampering(
        optimizer=lambda agreed: torch.optim.SGD(agreed.param_groups[0]["params"], lr=1e-30),
        labels=lambda labels: 1 - labels,
        extra_loss=extra_loss,
    )


def test_a_malicious_passive_party_changes_only_its_own_part():
    data = small_data("breast_cancer")
    heard = []
    keep = Recording(snapshots=Epochs.only(0, 1))
    run = train(SummedNetwork(epochs=2), data, hooks=Hooks(tamperings={"passive": malicious(heard)}), record=keep)
    first, last = (snapshot for snapshot in run.transcript.snapshots if snapshot.party == "passive")
    assert all(np.array_equal(first.state[name], last.state[name]) for name in first.state)  # its own optimizer
    assert sum(map(len, heard)) == 2 * len(data.train)
    assert np.array_equal(run.active.labels.numpy(), data.labels)  # it has no labels to change


def test_a_malicious_active_party_may_train_on_other_labels():
    data = small_data("breast_cancer")
    run = train(SummedNetwork(), data, hooks=Hooks(tamperings={"active": malicious([])}))
    assert np.mean(run.predict(data.test).argmax(axis=1) == data.labels[data.test]) < 0.2


def test_an_extra_loss_pulls_on_the_bottom_model():
    data = small_data("breast_cancer")

    shrinking = Tampering(extra_loss=lambda embedding, rows: 1e3 * (embedding**2).mean())
    keep = Recording({Kind.EMBEDDING: Epochs.only(19)})
    honest = train(SummedNetwork(), data, record=keep)
    for party in data.parties:
        tampered = train(SummedNetwork(), data, hooks=Hooks(tamperings={party: shrinking}), record=keep)
        outputs = [run.parties[party].bottom.forward(data.test).detach().numpy() for run in (tampered, honest)]
        small, usual = (np.abs(one).mean() for one in outputs)
        assert small < 0.2 * usual


def test_every_seam_of_a_defense_acts_on_its_owner_s_part_only():
    data = small_data("breast_cancer")
    seen: list[tuple[str, str]] = []

    def note(seam, owner):
        def act(thing):
            described = thing.sender if isinstance(thing, Message) else getattr(thing, "party", owner)
            seen.append((seam, described))
            assert described == owner
            return thing

        return act

    def hook(owner):
        seams = ("table", "labels", "message", "release", "model")
        return Hook(**{seam: note(seam, owner) for seam in seams})

    run = train(SplitNetwork(epochs=1), data, hooks=Hooks({party: hook(party) for party in data.parties}))
    run.release(data.test)
    everybody = {(seam, party) for seam in ("table", "message", "model") for party in ("active", "passive")}
    assert set(seen) == everybody | {("labels", "active"), ("release", "active")}


def test_released_predictions_reach_every_party_as_the_defense_lets_them_out():
    data = small_data("iris", parties=3)

    def rounded(message: Message) -> Message:
        return replace(message, payload={"confidence": message.payload["confidence"].round(1)})

    hooks = Hooks({"active": Hook(release=rounded)})
    keep = Recording({Kind.PREDICTION: Epochs.all()})
    run = train(SummedNetwork(epochs=1, batch=40), data, hooks=hooks, record=keep)
    released = run.release(data.test)
    messages = run.transcript.messages
    assert {message.receiver for message in messages} == set(data.parties)
    assert all(np.array_equal(message.payload["confidence"], released) for message in messages)
    assert np.array_equal(released, run.predict(data.test).round(1))


@pytest.mark.parametrize("channels", [1, 3])
def test_residual_bottom_models_learn_from_pictures_of_one_channel_or_three(channels):
    data = small_data("digits", kind="stripes")
    if channels == 3:
        parts = {
            name: replace(part, features=np.tile(part.features, (1, 3)), layout=replace(part.layout, channels=3))
            for name, part in data.parts.items()
        }
        data = replace(data, parts=parts)
    quick = OptimizerSettings(learning_rate=0.01)
    run = train(SplitNetwork(bottom="resnet", planes=(8, 16), epochs=4, optimizer=quick), data)
    assert np.mean(run.predict(data.test).argmax(axis=1) == data.labels[data.test]) > 0.8


def test_class_weights_let_rare_classes_count_as_much():
    data = small_data("breast_cancer")
    rare = np.flatnonzero(data.labels[data.train] == 0)[:15]
    kept = np.concatenate((data.train[data.labels[data.train] == 1], data.train[rare]))
    data = data.training_on(np.sort(kept))
    recall = {}
    for weighted in (False, True):
        run = train(SummedNetwork(class_weights=weighted, epochs=6), data)
        found = run.predict(data.test).argmax(axis=1)[data.labels[data.test] == 0]
        recall[weighted] = np.mean(found == 0)
    assert recall[True] > recall[False]


@pytest.mark.parametrize(
    ("federation", "sentence"),
    [
        (SummedNetwork(batch=4096), "fewer than one batch of 4096"),
        (SplitNetwork(device="cuda"), "PyTorch sees no GPU"),
        (SplitNetwork(bottom="resnet"), "do not form a picture"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_training(federation, sentence):
    if "GPU" in sentence and torch.cuda.is_available():
        pytest.skip("this machine has a GPU, so asking for it is no mistake")
    with pytest.raises(BadSetting, match=sentence):
        federation.agreement(small_data())


@pytest.mark.parametrize(
    "settings", [{"epochs": 0}, {"batch": 0}, {"hidden": (0,)}, {"optimizer": {"learning_rate": -1}}]
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(BadSetting):
        build(FEDERATIONS, "split-network", settings)


def test_parties_refuse_what_they_cannot_answer():
    data = small_data("iris")
    run = train(SummedNetwork(epochs=1, batch=40), data)
    message = Message(Kind.EMBEDDING, "passive", "active", 0, 0, data.test, {})
    with pytest.raises(AuditError, match="asks, and does not answer"):
        run.active.answer(message)


def test_a_last_row_that_would_be_alone_joins_the_batch_before_it():
    data = small_data("digits", kind="halves")
    record = Recording({Kind.GRADIENT: Epochs.only(0)})
    run = train(SummedNetwork(epochs=1, batch=len(data.train) - 1), data, record=record)
    assert [len(message.rows) for message in run.transcript.messages] == [len(data.train)]
    many = train(SummedNetwork(epochs=1, batch=100), data, record=record)
    assert sorted(np.concatenate([message.rows for message in many.transcript.messages])) == sorted(data.train)


def own_side(rewrite, acts=True):
    return Hooks({"active": Hook(message=rewrite, own_side=acts), "passive": Hook()})


def test_the_own_side_learns_the_same_where_nothing_is_rewritten():
    data, federation = small_data(), SplitNetwork(epochs=2, hidden=(8,), cut=4, top=(6,), optimizer=SGD)
    plain, apart = train(federation, data), train(federation, data, hooks=own_side(lambda message: message))
    np.testing.assert_allclose(apart.release(data.test), plain.release(data.test), atol=1e-5)


def test_what_the_own_side_hands_over_and_gets_back_is_rewritten_where_a_defense_acts_on_it():
    data, federation = small_data(), SplitNetwork(epochs=2, hidden=(8,), cut=4, top=(6,), optimizer=SGD)
    seen = []

    def zero(message):
        seen.append((message.kind, message.receiver))
        payload = {key: np.zeros_like(values) for key, values in message.payload.items()}
        return replace(message, payload=payload) if message.receiver == "active" else message

    run = train(federation, data, hooks=own_side(zero), record=Recording({Kind.EMBEDDING: Epochs.all()}))
    assert {(Kind.EMBEDDING, "active"), (Kind.GRADIENT, "active"), (Kind.GRADIENT, "passive")} == set(seen)
    assert all(message.sender != message.receiver for message in run.transcript.messages)
    before = run.release(data.test)
    with torch.no_grad():
        for parameter in run.active.bottom.network.parameters():
            parameter.add_(1.0)
    np.testing.assert_array_equal(run.release(data.test), before)  # the own side counts for nothing in predictions
    seen.clear()
    train(federation, data, hooks=own_side(zero, acts=False))
    assert {receiver for _, receiver in seen} == {"passive"}


def test_tampering_and_a_defense_of_the_own_side_go_together():
    data, federation = small_data(), SplitNetwork(epochs=2, hidden=(8,), cut=4, top=(6,), optimizer=SGD)
    tampering = Tampering(extra_loss=lambda embedding, rows: 0.1 * embedding.mean())
    runs = [
        train(
            federation, data, hooks=replace(own_side(lambda message: message, acts), tamperings={"active": tampering})
        )
        for acts in (False, True)
    ]
    np.testing.assert_allclose(*(run.release(data.test) for run in runs), atol=1e-5)
