"""What the label holder's own model is worth is the worth of that model, trained where nobody else is."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xgboost
from sklearn.linear_model import LogisticRegression as LogisticPeer
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import seepage
from samples import needs_data, small_data, without_active_columns, write_csv
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Choice, DataPlan, PartitionPlan
from seepage.audit.plan.settings import settings_of
from seepage.audit.stages.alone import worth_alone
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.jobs import planned
from seepage.audit.stages.keys import Keys
from seepage.audit.stages.work import Setting, Training
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.federations.forest import Forest
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.screening import narrowed
from small_audits import asked, chosen
from trained_runs import trained
from tree_samples import pre_binned

SETTING = Setting(
    data=DataPlan(name="breast_cancer"),
    partition=PartitionPlan(),
    encoding="one-hot",
    scaling="standard",
    split="stratified",
    adversary=(),
    seed=0,
)


def worth(federation, data, seed=0, secret="secret"):
    """What the label holder alone reaches."""
    setting = SETTING.model_copy(update={"seed": seed})
    name, settings = federation.name, settings_of(federation)
    training = Training(setting=setting, federation=Choice(name=name, settings=settings), alone=True)
    record = worth_alone(training, data, "key", secret)
    assert record.worth.reason is None, record.worth.reason
    return record.worth


def own(data):
    """The label holder's rows of training and test, with their labels."""
    features = data.parts[data.active].features.astype(np.float64)
    return features[data.train], data.labels[data.train], features[data.test], data.labels[data.test]


@pytest.mark.parametrize("name", ["breast_cancer", pytest.param("phishing", marks=needs_data)])
@pytest.mark.parametrize("l2", [1.0, 30.0])
def test_logistic_regression_alone_is_scikit_learn_s_on_own_columns(name, l2):
    for seed in range(3):
        data = small_data(name, seed=seed)
        train, labels, test, truth = own(data)
        theirs = LogisticPeer(C=1 / l2, tol=1e-8, max_iter=5000).fit(train, labels).predict_proba(test)[:, 1]
        found = worth(LogisticRegression(l2=l2, epochs=2000), data, seed)
        assert found.metric == "auc" and found.value == pytest.approx(roc_auc_score(truth, theirs), abs=1e-3)


def test_boosting_alone_is_xgboost_on_own_columns():
    for seed in range(3):
        data = pre_binned(small_data("breast_cancer", seed=seed))
        train, labels, test, truth = own(data)
        settings = {
            "max_depth": 6,
            "eta": 0.3,
            "reg_lambda": 1,
            "base_score": 0.5,
            "nthread": 1,
            "tree_method": "exact",
        }
        model = xgboost.train({"objective": "binary:logistic", **settings}, xgboost.DMatrix(train, labels), 8)
        theirs = roc_auc_score(truth, model.predict(xgboost.DMatrix(test)))
        found = worth(Boosting(candidates="all", column_sample=1.0, trees=8), data, seed)
        assert found.value == pytest.approx(theirs, abs=1e-3)


def test_a_tree_alone_is_scikit_learn_s_on_own_columns():
    """Rows of training are compared: between two values, peers put a threshold elsewhere."""
    for seed in range(5):
        data = small_data("breast_cancer", seed=seed)
        data = replace(data, test=data.train)
        train, labels, _, _ = own(data)
        peer = DecisionTreeClassifier(max_depth=3, random_state=0).fit(train, labels)
        found = worth(DecisionTree(depth=3, release="ratios"), data, seed)
        assert found.value == pytest.approx(roc_auc_score(labels, peer.predict_proba(train)[:, 1]), abs=1e-3)


@pytest.mark.parametrize("federation", [DecisionTree(), Boosting(column_sample=1.0)])
def test_trees_alone_are_those_that_two_parties_would_grow_of_the_same_columns(federation):
    data = small_data("breast_cancer")
    mine = data.parts[data.active]
    first = np.arange(mine.width) < mine.width // 2
    shared = {data.active: narrowed(mine, first), "other": replace(narrowed(mine, ~first), party="other", labels=None)}
    together = trained(federation, replace(data, parts=shared)).predict(data.test)
    np.testing.assert_array_equal(trained(federation, data.alone).predict(data.test), together)


@pytest.mark.parametrize("federation", list(FEDERATIONS))
@pytest.mark.parametrize("name", ["breast_cancer", "iris"])
def test_every_federation_trains_with_one_party_and_nothing_crosses(federation, name):
    data = small_data(name).alone
    assert data.parties == (data.active,)
    run = trained(federation, data)
    run.release(data.test)
    senders = {(message.sender, message.receiver) for message in run.transcript.messages}
    assert senders <= {(data.active, data.active)}, "a message went to somebody else"
    assert not run.traffic or not any(run.traffic.values())
    chance = np.bincount(data.labels[data.test]).max() / len(data.test)
    assert np.mean(run.predict(data.test).argmax(axis=1) == data.labels[data.test]) > chance


@pytest.mark.parametrize(("name", "metric"), [("breast_cancer", "auc"), ("wine", "accuracy")])
def test_labels_without_columns_are_worth_a_constant(name, metric):
    data = without_active_columns(small_data(name))
    found = worth(LogisticRegression(), data)
    commonest = np.bincount(data.labels[data.train]).argmax()
    expected = 0.5 if metric == "auc" else np.mean(data.labels[data.test] == commonest)
    assert (found.metric, found.value) == (metric, expected)


def test_every_finding_says_what_the_label_holder_reaches_alone():
    plan = asked("breast_cancer", federations=["logistic-regression", chosen("forest", trees=2)], seeds=2,
                 attacks=["gradient-sign", "id2graph"], defenses=["rounding", "label-dp"])  # fmt: skip
    findings = run_sweep(plan_sweep(plan))
    found = {(one.federation, one.seed): set() for one in findings}
    for one in findings:
        found[one.federation, one.seed].add(one.utility_alone)
    assert len(found) == 4 and all(len(values) == 1 and None not in values for values in found.values())
    secret = plan_sweep(plan).data_checksum
    for (name, seed), (value,) in found.items():
        federation = Forest(trees=2) if name == "forest" else LogisticRegression()
        assert value == worth(federation, small_data("breast_cancer", seed=seed), seed, secret).value


def test_it_is_trained_once_for_each_seed_whatever_is_defended(carried_out, counted):
    calls = counted((LogisticRegression, "train"))
    carried_out(defenses=[{"name": "rounding"}, {"name": "label-dp"}], seeds=2)
    assert calls["LogisticRegression"] == 2 * (2 + 1)  # undefended, defended in training, and alone


def test_jobs_of_others_are_named_as_before_there_was_one_alone(plan):
    asked_for = plan(defenses=[{"name": "label-dp"}])
    without, _ = planned(asked_for, Bench(), alone=False)
    with_, shown = planned(asked_for, Bench())
    joint = [job for job in with_ if not job.training.alone]
    assert [Keys("checksum").of(job) for job in joint] == [Keys("checksum").of(job) for job in without]
    assert len(with_) == len(without) + 1 and {one.alone_job for one in shown} == {len(without)}
    alone = with_[len(without)]
    twin = Training.model_validate({**alone.training.model_dump(), "alone": False})
    assert Keys("checksum").training(alone.training) != Keys("checksum").training(twin)


def test_a_stopped_audit_goes_on_without_training_it_again(tmp_path, counted):
    plan = asked("breast_cancer", federations=[chosen("logistic-regression", epochs=2)])
    whole = run_sweep(plan_sweep(plan), out=tmp_path)
    calls = counted((LogisticRegression, "train"))
    again = run_sweep(plan_sweep(plan), out=tmp_path)
    assert not calls and [one.utility_alone for one in again] == [one.utility_alone for one in whole]


def test_a_federation_that_knows_no_single_party_costs_this_number_alone(monkeypatch, tmp_path):
    whole = LogisticRegression.train

    def wants_company(self, data, **others):
        if len(data.parties) < 2:
            raise ValueError("nobody to talk to")
        return whole(self, data, **others)

    monkeypatch.setattr(LogisticRegression, "train", wants_company)
    sweep = plan_sweep(asked("breast_cancer", federations=[chosen("logistic-regression", epochs=2)]))
    with pytest.warns(seepage.errors.Remark, match="alone: ValueError: nobody to talk to"):
        (finding,) = run_sweep(sweep, out=tmp_path)
    assert finding.status == "ok" and finding.utility is not None and finding.utility_alone is None
    with pytest.warns(seepage.errors.Remark, match="nobody to talk to"):  # said again, and not tried again
        run_sweep(sweep, out=tmp_path)


def test_findings_of_an_older_folder_have_none_and_are_read(tmp_path):
    values = run_sweep(plan_sweep(asked(federations=[chosen("logistic-regression", epochs=2)])))[0].to_json()
    del values["utility_alone"]
    assert Finding.from_json(json.loads(json.dumps(values))).utility_alone is None


def test_a_piece_of_a_text_and_of_a_picture_is_read_as_such(tmp_path):
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(["so", "it"], size=4)) for _ in range(120)]
    first = ["sun" if row % 2 else "rain" for row in range(120)]
    bodies = [f"{told} {rest}" for told, rest in zip(first, words, strict=True)]
    table = write_csv(tmp_path / "texts.csv", body=bodies, y=[row % 2 for row in range(120)])
    transformer = chosen("split-network", bottom="transformer", width=8, epochs=12, batch=16)
    tried = {"federations": [transformer], "attacks": ["gradient-sign"], "defenses": [], "seeds": 1}
    (finding,) = seepage.audit(table, label="y", text="body", words=4, **tried)
    assert finding.utility_alone > 0.9  # the first half of every text tells
