"""Labels from the own bottom model: what is learned, what stays as it is, and where nothing can be learned."""

import shutil
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression as Regression
from sklearn.preprocessing import StandardScaler

import seepage
from command_line import found, refused
from completion_runs import BRIEF, colluding_view, small_view, view_of
from samples import small_data
from seepage.attacks.labels.active_completion import ActiveCompletion
from seepage.attacks.labels.direct_completion import DirectCompletion
from seepage.attacks.labels.linear_probe import LinearProbe
from seepage.attacks.labels.model_completion import ModelCompletion
from seepage.attacks.labels.semi_supervised import SemiSupervised
from seepage.attacks.steps.tampering.acceleration import Acceleration
from seepage.attacks.steps.tampering.malicious_optimizer import MaliciousOptimizer
from seepage.errors import IncompatibleView
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.guesses import LabelGuess
from seepage.hooks import Hooks
from seepage.learners.completion import completing as completion
from seepage.learners.completion.mixmatch import FROZEN, MixMatch
from seepage.randomness import stream
from seepage.scores.label_twins import UNTRAINED, blind_labels
from seepage.scores.remembered import Remembered
from seepage.views import ThreatModel, grant
from seepage.views.own_bottoms import own_bottoms
from stored_files import changed_arrays
from trained_runs import NOTHING, trained

LEARNER = {"epochs": 2, "iterations": 10, "batch": 16}
"""The brief learner as a plan has it."""
EVERY = (ModelCompletion, ActiveCompletion, LinearProbe, SemiSupervised)


def guess(attack, view=None):
    return attack.run(view or small_view(), stream(0, "attack"))


def top1(found: LabelGuess, data, rows) -> float:
    chosen = np.isin(found.rows, rows)
    return float(np.mean(found.labels[chosen] == data.labels[found.rows[chosen]]))


@pytest.mark.parametrize("attack", EVERY)
def test_every_row_without_a_known_label_is_labelled_and_chance_is_an_argument(attack):
    knowledge = small_view().knowledge
    found, again = guess(attack(learner=BRIEF)), guess(attack(learner=BRIEF))
    assert set(found.rows) == (set(knowledge.train) | set(knowledge.new)) - set(knowledge.known_rows)
    assert np.array_equal(found.scores, again.scores)


@pytest.fixture
def begun_and_learned(monkeypatch):
    """The parameters of bottom models before completion and after each epoch of it."""
    kept = []
    through = completion.Chosen.after

    def after(self, epoch, model):
        kept.append([values.clone() for values in model.bottoms.state_dict().values()])
        return through(self, epoch, model)

    monkeypatch.setattr(completion.Chosen, "after", after)
    return kept


@pytest.mark.parametrize("bottom", ["frozen", "tuned"])
def test_a_frozen_bottom_model_stays_as_it_is_and_a_tuned_one_does_not(bottom, begun_and_learned):
    ((module, _),) = own_bottoms(small_view()).trained()
    before = list(module.state_dict().values())
    guess(ModelCompletion(bottom=bottom, learner=BRIEF))
    same = [all(torch.equal(one, two) for one, two in zip(before, now, strict=True)) for now in begun_and_learned[:2]]
    assert same == [bottom == "frozen"] * 2


def test_the_view_is_left_as_it_was():
    (snapshot,) = small_view().snapshots
    before = {name: array.copy() for name, array in snapshot.state.items()}
    guess(ModelCompletion(learner=BRIEF))
    assert all(np.array_equal(array, snapshot.state[name]) for name, array in before.items())


def test_the_linear_probe_is_scikit_learn_on_the_outputs_of_the_bottom_model():
    view = small_view()
    (snapshot,), knowledge = view.snapshots, view.knowledge
    state = snapshot.state
    hidden = np.maximum(knowledge.features @ state["0.weight"].T + state["0.bias"], 0)
    outputs = np.maximum(hidden @ state["2.weight"].T + state["2.bias"], 0).astype(np.float64)
    scale = StandardScaler().fit(outputs[knowledge.known_rows])
    model = Regression(max_iter=1000, tol=1e-10).fit(
        scale.transform(outputs[knowledge.known_rows]), knowledge.known_labels
    )
    found = guess(LinearProbe(learner=BRIEF))
    assert np.allclose(found.scores, model.predict_proba(scale.transform(outputs[found.rows])), atol=1e-4)
    beside = guess(ModelCompletion(learner=BRIEF)).steps["linear_probe"]
    assert np.array_equal(beside, found.labels)


def test_semi_supervised_is_the_blind_twin_of_the_others():
    alone, view = guess(SemiSupervised(learner=BRIEF)), small_view()
    assert np.array_equal(blind_labels(view, alone.rows, Remembered(), BRIEF)[UNTRAINED], alone.scores)


def test_the_order_of_rows_does_not_matter_to_the_probe():
    view = small_view()
    part = view.knowledge.own["passive"]
    order = stream(0, "order").permutation(len(part.features))
    place = np.argsort(order)
    moved = replace(
        view.knowledge,
        own={"passive": replace(part, features=part.features[order])},
        **{name: place[getattr(view.knowledge, name)] for name in ("train", "new", "known_rows")},
    )
    one, two = guess(LinearProbe(learner=BRIEF)), guess(LinearProbe(learner=BRIEF), replace(view, knowledge=moved))
    at = dict(zip(order[two.rows], two.scores, strict=True))
    assert np.allclose(one.scores, [at[row] for row in one.rows], atol=1e-4)


def test_the_labels_after_every_epoch_are_kept_where_that_is_asked_for():
    last = replace(BRIEF, every_epoch=True, select="last")
    found = guess(ModelCompletion(learner=last))
    assert set(found.steps) == {"epoch_1", "epoch_2", "linear_probe"} and found.notes["epoch"] == 2
    assert np.array_equal(found.steps["epoch_2"], found.labels)
    assert set(guess(ModelCompletion(learner=BRIEF)).steps) == {"linear_probe"}


def test_the_epoch_that_counts_has_the_least_loss_on_the_labelled_rows(monkeypatch):
    losses = []
    through = completion.Chosen.after

    def after(self, epoch, model):
        said = torch.softmax(model(self.known), dim=1).detach().numpy()
        true = np.take_along_axis(said, self.labels[:, None], axis=1)
        losses.append(-np.log(np.maximum(true, completion.TINY)).mean())
        return through(self, epoch, model)

    monkeypatch.setattr(completion.Chosen, "after", after)
    learner = MixMatch(epochs=5, iterations=4, batch=8, learning_rate=0.5, ema=0.0)
    found = guess(ModelCompletion(learner=learner))
    mine = losses[:5]
    assert found.notes["epoch"] == int(np.argmin(mine)) + 1
    assert found.notes["labelled_loss"] == pytest.approx(min(mine), rel=1e-4)


def test_colluding_parties_complete_their_bottom_models_together(begun_and_learned):
    found = guess(ModelCompletion(learner=BRIEF), colluding_view())
    data = small_data("breast_cancer", parties=3)
    assert len(begun_and_learned[0]) == 8  # two layers of two parties, weights and biases
    assert top1(found, data, data.train) > 0.7
    assert len(np.unique(found.rows)) == len(found.rows)


def test_completion_labels_digits_better_than_the_largest_class_would():
    data = small_data("digits")
    view = view_of(data, SplitNetwork(epochs=8))
    found = guess(ModelCompletion(learner=MixMatch(epochs=2, iterations=40)), view)
    assert found.scores.shape[1] == 10 and top1(found, data, data.train) > 0.5 < top1(found, data, data.test)


@pytest.mark.parametrize("federation", [LogisticRegression(epochs=20), SummedNetwork(epochs=3, single_logit=True)])
def test_a_bottom_model_with_a_single_logit_can_be_completed(federation):
    found = guess(ModelCompletion(learner=BRIEF), view_of(small_data("breast_cancer"), federation))
    assert found.scores.shape[1] == 2 and np.isfinite(found.scores).all()


def test_the_malicious_optimizer_takes_the_place_of_the_agreed_one():
    data = small_data("breast_cancer")
    attack = ActiveCompletion(acceleration=Acceleration(most=3.0))
    knowledge = grant(data, ThreatModel(adversaries=("passive",), labels_per_class=4), stream(0, "knowledge"))
    tampering = attack.tampering(knowledge, stream(0, "tampering"))
    run = trained(SplitNetwork(epochs=1), data, hooks=Hooks({}, {"passive": tampering}), record=NOTHING)
    optimizer = run.passive["passive"].bottom.optimizer
    assert isinstance(optimizer, MaliciousOptimizer) and optimizer.acceleration.most == 3.0
    assert not isinstance(run.active.bottom.optimizer, MaliciousOptimizer)


def audited(attack, data="iris", federation="split-network", model=None, settings=None, **plan):
    federations = [{"name": federation, "settings": model if model is not None else {"epochs": 3}}]
    attacks = [{"name": attack, "settings": {"learner": LEARNER, **(settings or {})}}]
    (finding,) = seepage.audit(data, federations=federations, attacks=attacks, defenses=[], seeds=1, **plan)
    return finding


def test_the_active_attack_trains_another_model_than_the_passive_one():
    active, passive = audited("active-completion"), audited("model-completion")
    assert active.tampering.startswith("ActiveCompletion(acceleration=Acceleration(") and passive.tampering is None
    assert active.other_metrics["top1_linear_probe"] != passive.other_metrics["top1_linear_probe"]
    assert active.blind == passive.blind and active.other_metrics["blind_new"] == passive.other_metrics["blind_new"]


def test_a_finding_says_what_was_known_and_what_is_beside_the_value():
    finding = audited("model-completion", settings={"labels_per_class": 6})
    assert finding.knowledge["known_labels"] == 18 and finding.rows == "train"
    assert (finding.ceiling_kind, finding.ceiling) == ("full knowledge", 1.0)
    assert finding.other_metrics["ceiling_new"] >= finding.other_metrics["blind_new"]
    assert finding.ranking.metric == "auc" and finding.ranking.value == finding.other_metrics["auc"]
    beside = {"top1_new", "blind_new", "ceiling_new", "top1_linear_probe", "blind_untrained_bottom", "epoch"}
    assert beside <= set(finding.other_metrics)


def test_the_baseline_never_has_an_advantage():
    finding = audited("semi-supervised")
    assert finding.role == "baseline" and finding.value <= finding.blind and not finding.advantage


def test_labels_that_gradients_gave_away_label_people_outside_training():
    learner = asdict(replace(FROZEN, every_epoch=True))
    finding = audited("direct-completion", "breast_cancer", "summed-network", {}, {"learner": learner})
    assert finding.rows == "new" and finding.knowledge["known_labels"] == 0
    assert finding.value >= finding.blind and finding.value > 0.9
    assert {"epoch", "labelled_loss", "iterations", "top1_epoch_1", "top1_epoch_4"} <= set(finding.other_metrics)
    chosen = int(finding.other_metrics["epoch"])
    assert finding.value == finding.other_metrics[f"top1_epoch_{chosen}"]
    assert not finding.other_metrics["tuned"]


def test_own_columns_tell_people_outside_training_more_than_a_bottom_model_that_was_hardly_trained():
    by = {}
    for inputs in ("auto", "columns", "outputs"):
        settings = {"learner": None, "inputs": inputs}
        by[inputs] = audited("direct-completion", "breast_cancer", "summed-network", settings=settings)
    assert by["auto"].value == by["columns"].value > 0.95 and "iterations" not in by["columns"].other_metrics
    assert by["outputs"].value < by["columns"].value and by["outputs"].other_metrics["iterations"] > 0


@pytest.mark.parametrize("attack", [DirectCompletion(learner=BRIEF), DirectCompletion()])
def test_a_class_of_which_no_label_was_read_does_no_harm(attack):
    view = view_of(small_data("iris"), SummedNetwork(epochs=2, batch=16), labels_per_class=0)
    train = view.knowledge.train
    claimed = LabelGuess(train, np.eye(3)[np.arange(len(train)) % 2])
    found = guess(attack, replace(view, knowledge=replace(view.knowledge, guess=claimed)))
    assert np.array_equal(found.rows, view.knowledge.new) and set(found.labels) <= {0, 1, 2}


@pytest.mark.parametrize("attack", ["active-completion", "linear-probe", "model-completion", "semi-supervised"])
def test_more_labels_than_a_class_has_are_refused_by_name(attack):
    finding = audited(attack, "iris", settings={"labels_per_class": 41})
    assert finding.status == "not applicable"
    assert "41 labelled rows of each class were asked for, but class 'setosa' has only 40" in finding.reason


REASONS = {
    "all labelled": ("iris", "split-network", {"epochs": 1}, {"labels_per_class": 40}, {}, "are labelled already"),
    "identity": ("iris", "split-network", {"epochs": 1, "bottom": "identity"}, {}, {}, "is the identity"),
    "trees": ("iris", "forest", {"trees": 1}, {}, {}, "Under forest no party trains a bottom model"),
    "active": ("iris", "split-network", {"epochs": 1}, {}, {"adversary": ["active"]}, "holds the labels itself"),
}


@pytest.mark.parametrize("case", REASONS)
def test_where_nothing_can_be_completed_it_is_said_why(case):
    data, federation, model, settings, plan, reason = REASONS[case]
    finding = audited("model-completion", data, federation, model, settings, **plan)
    assert finding.status == "not applicable" and reason in finding.reason


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("active-completion --set acceleration.least=3 --set acceleration.most=2", "least 3"),
        ("model-completion --set learner.temperature=0", "temperature must be above 0 and finite, got 0"),
        ("model-completion --set learner.alpha=-1", "alpha must be above 0 and finite, got -1"),
        ("model-completion --set labels_per_class=0", "labels_per_class must be 1 or more, got 0"),
        ("direct-completion --set labels=active-completion", "active-completion has to misbehave"),
        ("direct-completion --set labels=active-completion", "at the default, which fits (gradient-sign)."),
        ("label-chain --set labels=direct-completion", "direct-completion labels rows outside training alone"),
        ("direct-completion --set labels=equality-solving", "equality-solving steals features"),
    ],
)
def test_impossible_settings_are_refused_on_the_command_line_in_a_sentence(asked, said):
    assert said in refused(f"attack {asked} --data iris --jobs 0 --seeds 1")


QUICK = " ".join(f"--set learner.{key}={value}" for key, value in LEARNER.items())


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A run that was stored and one that was tampered with, each with what the attack found at once."""

    def kept(name):
        folder = tmp_path_factory.mktemp(name) / "run"
        model = "--federation split-network --model epochs=2 --data iris --seeds 1 --jobs 0"
        return folder, found(f"attack {name} {QUICK} {model} --keep-transcript", folder)

    return {"honest": kept("model-completion"), "tampered": kept("active-completion")}


def test_a_stored_run_gives_the_same_guess_and_other_attacks_can_read_it(stored):
    folder, first = stored["honest"]
    again = found(f"attack model-completion {QUICK} --transcript", folder)
    for name in ("value", "blind", "ceiling", "other_metrics", "knowledge", "rows"):
        assert again[name] == first[name]
    probe = found(f"attack linear-probe {QUICK} --transcript", folder)
    assert probe["value"] == first["other_metrics"]["top1_linear_probe"]


def test_a_stored_run_that_was_tampered_with_can_be_completed_with_another_learner(stored):
    settings = "--set learner.epochs=1 --set learner.iterations=2 --set bottom=frozen"
    again = found(f"attack active-completion {settings} --transcript", stored["tampered"][0])
    assert again["status"] == "ok" and again["tampering"].startswith("ActiveCompletion(acceleration=")


@pytest.mark.parametrize(
    ("run", "asked", "said"),
    [
        ("tampered", "linear-probe", "trained while the adversary tampered (ActiveCompletion(acceleration="),
        ("tampered", "linear-probe", "but linear-probe behaves in training"),
        ("tampered", "active-completion --set acceleration.most=2", "or with other settings"),
        ("tampered", "active-completion --set labels_per_class=2", "Ask for as many (--set labels_per_class=4)"),
        ("honest", "model-completion --set labels_per_class=5", "asks for 5 labelled rows of each class, but 4 were"),
        ("honest", "model-completion --adversary active", "none were stored for active"),
        ("honest", "active-completion", "has to misbehave during training"),
    ],
)
def test_a_stored_run_does_not_pass_for_another_and_holds_no_more_than_was_stored(stored, run, asked, said):
    assert said in refused(f"attack {asked} --transcript", stored[run][0])


@pytest.mark.parametrize(("name", "values"), [("known_labels", 3), ("known_rows", None)])
def test_stored_labels_that_cannot_be_are_refused(stored, tmp_path, name, values):
    folder = shutil.copytree(stored["honest"][0], tmp_path / "run")
    with changed_arrays(folder / "knowledge.safetensors") as arrays:
        arrays[name] = np.full_like(arrays[name], values) if values else arrays["new"][: len(arrays[name])].copy()
    assert f"{name} must be" in refused("attack model-completion --transcript", folder)


def test_the_view_of_a_foreign_run_needs_labels():
    knowledge = replace(small_view().knowledge, known_rows=np.zeros(0, int), known_labels=np.zeros(0, int))
    with pytest.raises(IncompatibleView, match="No labelled rows are known"):
        guess(ModelCompletion(), replace(small_view(), knowledge=knowledge))
