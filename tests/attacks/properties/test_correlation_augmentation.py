"""Correlation augmentation: what the adversary does to its own part, to nobody else's, and what it gains."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import seepage
from samples import small_data
from seepage.attacks import ATTACKS
from seepage.attacks.steps.augmentation import Augmentation
from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.audit.plan.plan import PartitionPlan
from seepage.audit.stages.chaining import threat_for, unmet
from seepage.audit.stages.preparation import prepare
from seepage.data import Column, Encoding, Table
from seepage.defenses import DEFENSES
from seepage.errors import BadSetting, IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.hooks import Hook, Hooks, Tampering
from seepage.networks.optimizers import OptimizerSettings
from seepage.randomness import stream
from seepage.views import Auxiliary, grant, observe
from seepage.views.intermediate_results import intermediate_results
from trained_runs import trained

CorrelationAugmentation = ATTACKS["correlation-augmentation"]
LARGE = "mean radius=15.."
QUICK = Comparison(populations=40, population=200, queries=10, regressor="linear", quantiles=20)
PARTIES = {"active": ["mean texture", "mean area"], "passive": ["mean radius", "mean symmetry", "worst area"]}
STILL = OptimizerSettings(name="sgd", learning_rate=1e-30)


def scene(who="active", asked=LARGE, **settings):
    """Return an attack, its data and what its adversary knows."""
    attack = CorrelationAugmentation(comparison=QUICK, **settings)
    columns = PARTIES if who == "active" else {"active": PARTIES["passive"], "passive": PARTIES["active"]}
    data = small_data("breast_cancer", kind="named", columns=columns, properties=(asked,))
    return attack, data, grant(data, threat_for(attack, (who,), asked=asked), stream(0, "knowledge"))


def train(data, tampering=None, who="active", federation=None, defenses=None):
    chosen = federation or FEDERATIONS["split-network"](epochs=3)
    hooks = Hooks(defenses or {}, {who: tampering} if tampering is not None else {})
    return trained(chosen, data, hooks=hooks, purpose="federation")


def begun(attack, knowledge):
    return attack.tampering(knowledge, stream(0, "tampering"))


def same_arrays(one, two):
    assert one.keys() == two.keys()
    return all(np.array_equal(one[key], two[key]) for key in one)


def same_transcript(one, two):
    messages = zip(one.transcript.messages, two.transcript.messages, strict=True)
    states = zip(one.transcript.snapshots, two.transcript.snapshots, strict=True)
    return all(np.array_equal(a.rows, b.rows) and same_arrays(a.payload, b.payload) for a, b in messages) and all(
        same_arrays(a.state, b.state) for a, b in states
    )


@pytest.mark.parametrize("who", ["active", "passive"])
def test_an_adversary_that_neither_replaces_nor_refines_trains_as_an_honest_one_does(who):
    attack, data, knowledge = scene(who)
    idle = Tampering(labels=Augmentation(knowledge.auxiliary, replace=False).labels)
    honest = train(data)
    assert same_transcript(honest, train(data, idle, who))
    assert not same_transcript(honest, train(data, begun(attack, knowledge), who))  # the check can fail


@pytest.mark.parametrize("who", ["active", "passive"])
def test_chance_of_everybody_else_stays_as_it_was(who):
    """Nobody learns here, so that all that is sent depends on first weights, order, dropout and noise alone."""
    attack, data, knowledge = scene(who, replace_labels=False, dropout=0.5)
    federation = FEDERATIONS["split-network"](epochs=2, optimizer=STILL)
    noise = DEFENSES["laplace-noise"](scale=0.1)

    def defended():
        hooks = {name: noise.start(data.parts[name], stream(0, "defense", name)) for name in data.parties}
        return {
            name: Hook(message=hook.message, model=lambda network: nn.Sequential(network, nn.Dropout(0.5)))
            for name, hook in hooks.items()
        }

    honest = train(data, federation=federation, defenses=defended())
    tampered = train(data, begun(attack, knowledge), who, federation, defended())
    assert same_transcript(honest, tampered)


@pytest.mark.parametrize(("who", "asset"), [("active", "labels"), ("passive", "nothing")])
def test_labels_are_replaced_on_auxiliary_rows_by_their_holder_alone(who, asset):
    attack, data, knowledge = scene(who)
    trained_on = train(data, begun(attack, knowledge), who).active.labels.numpy()
    known = knowledge.auxiliary
    changed = np.flatnonzero(trained_on != data.labels)
    expected = known.rows[data.labels[known.rows] != known.has] if asset == "labels" else []
    assert np.array_equal(changed, np.sort(expected))


def test_labels_of_a_task_with_three_classes_are_left_alone():
    attack = CorrelationAugmentation(comparison=QUICK)
    asked = "petal length (cm)=4.."
    data = small_data("iris", properties=(asked,))
    knowledge = grant(data, threat_for(attack, ("active",), asked=asked), stream(0, "knowledge"))
    assert begun(attack, knowledge).labels(data.labels) is data.labels
    run = train(data, begun(attack, knowledge), federation=FEDERATIONS["summed-network"](epochs=3))
    assert np.array_equal(run.active.labels.numpy(), data.labels)
    guess = attack.run(observe(run.transcript, knowledge), stream(0, "attack"))
    assert guess.notes["replaced_labels"] == 0 and set(guess.others) == {"AO", "AG", "VO", "VG"}


@pytest.mark.parametrize("who", ["active", "passive"])
def test_rows_with_the_property_grow_longer_and_others_shorter(who):
    data = told_table(0.5, who)
    attack, knowledge = told_attack(data, who, replace_labels=False)

    def lengths(tampering):
        run = train(data, tampering, who, FEDERATIONS["split-network"](epochs=5))
        results = intermediate_results(observe(run.transcript, knowledge))
        norms = np.abs(results.of["AO"]).mean(axis=1)[results.at(knowledge.auxiliary.rows)]
        return norms[knowledge.auxiliary.has].mean(), norms[~knowledge.auxiliary.has].mean()

    with_it, without = lengths(begun(attack, knowledge))
    honest_with, honest_without = lengths(None)
    assert with_it > honest_with and without < honest_without


def test_gradients_are_replayed_with_the_labels_of_the_task():
    attack, data, knowledge = scene("active", epoch=-1)
    run = train(data, begun(attack, knowledge))
    results = intermediate_results(observe(run.transcript, knowledge), attack.epoch)
    own = run.active.bottom.forward(results.rows).detach()
    theirs = torch.from_numpy(results.of["VO"]).requires_grad_()

    def replay(labels):
        logits = run.active.head([own, theirs])
        losses = F.cross_entropy(logits, torch.from_numpy(labels[results.rows]), reduction="sum")
        return torch.autograd.grad(losses, theirs)[0].numpy()

    np.testing.assert_allclose(results.of["VG"], replay(data.labels), atol=1e-6)
    replaced = run.active.labels.numpy()
    assert (replaced != data.labels).any()
    assert np.abs(results.of["VG"] - replay(replaced)).max() > 0.01


def told_table(fraction, who, told=True):
    """Return data of a party whose columns say with some noise, or do not say, who has what another party holds."""
    rng = np.random.default_rng(0)
    has, labels = rng.random(500) < fraction, rng.integers(2, size=500)
    clue = np.where(has, 1.0, -1.0) if told else rng.choice([-1.0, 1.0], 500)
    columns = (
        Column("told", has.astype(np.int64), levels=("no", "yes")),
        Column("other", labels + rng.normal(size=500)),
        Column("clue", clue + 0.4 * rng.normal(size=500)),
        Column("noise", rng.normal(size=500)),
    )
    table = Table("told", columns, labels, ("no", "yes"), np.arange(500))
    held = ("told", "other"), ("clue", "noise")
    active, passive = held if who == "passive" else held[::-1]
    plan = PartitionPlan(kind="named", columns={"active": active, "passive": passive})
    return prepare(table, plan, (who,), Encoding(), "stratified", 0, ("told=yes",)).data


def told_attack(data, who, **settings):
    attack = CorrelationAugmentation(comparison=QUICK, auxiliary=Auxiliary(rows=30), weight=3.0, **settings)
    return attack, grant(data, threat_for(attack, (who,), asked="told=yes"), stream(0, "knowledge"))


def error_at(fraction, *, refined, told=True):
    """Let a passive party estimate a fraction, of a task that has nothing to do with the property."""
    data = told_table(fraction, "passive", told)
    attack, knowledge = told_attack(data, "passive")
    tampering = begun(attack, knowledge) if refined else None
    run = train(data, tampering, "passive", FEDERATIONS["split-network"](epochs=15))
    guess = attack.run(observe(run.transcript, knowledge), stream(0, "attack"))
    assert set(guess.others) == {"AO"}
    return abs(guess.fraction - data.parts["active"].properties["told=yes"][data.train].mean())


def test_refinement_makes_the_adversary_s_own_outputs_tell_the_fraction():
    honest, refined = (np.mean([error_at(t, refined=by) for t in (0.2, 0.7)]) for by in (False, True))
    assert refined < 0.05 < honest


def test_columns_that_say_nothing_of_the_property_give_nothing_away_even_when_refined():
    assert np.mean([error_at(t, refined=True, told=False) for t in (0.2, 0.7)]) > 0.15


def test_an_audit_reports_errors_of_each_kind_and_the_worth_of_the_model_beside_that_of_an_honest_one():
    settings = {"comparison": {"populations": 40, "population": 200, "queries": 10, "regressor": "linear"}}
    (finding,) = seepage.audit(
        "breast_cancer",
        parties=PARTIES,
        properties=[LARGE],
        federations=[{"name": "split-network", "settings": {"epochs": 3}}],
        attacks=[{"name": "correlation-augmentation", "settings": settings}],
        defenses=[],
        seeds=1,
    )
    assert finding.property == LARGE and finding.adversary == ("active",)
    assert {"error_AO", "error_AG", "error_VO", "error_VG", "kl_25", "replaced_labels"} <= set(finding.other_metrics)
    assert finding.other_metrics["replaced_labels"] == 2 * 22  # 5 % of 455 training rows, of either side
    assert set(finding.pictures) == {"AO", "AG", "VO", "VG"}
    assert finding.utility is not None and finding.utility_undefended is not None
    assert finding.utility != finding.utility_undefended


def test_people_whom_nobody_else_knows_can_be_taught_too():
    attack, data, knowledge = scene("active", auxiliary=Auxiliary(rows=15, aligned=False))
    run = train(data, begun(attack, knowledge))
    known = knowledge.auxiliary
    assert not known.aligned
    assert np.array_equal(run.active.labels.numpy()[known.rows], known.has.astype(int))
    assert np.array_equal(run.active.bottom.features.numpy()[known.rows], data.parts["active"].features[known.source])
    guess = attack.run(observe(run.transcript, knowledge), stream(0, "attack"))
    assert set(guess.others) == {"AO"}  # what others sent speaks of somebody else


@pytest.mark.parametrize(
    ("settings", "who", "said"),
    [
        ({"replace_labels": True}, "passive", r"'active' alone holds.*--adversary active.*\(replace_labels=false\)"),
        ({"refine": False}, "passive", r"'active' alone holds.*\(refine=true\)"),
        ({"replace_labels": True, "refine": False}, "passive", r"\(replace_labels=false and refine=true\)"),
        ({"replace_labels": True}, "active", r"two classes is needed, but there are 3.*\(replace_labels=false\)"),
    ],
)
def test_labels_that_cannot_be_replaced_are_refused_in_a_sentence(settings, who, said):
    attack = CorrelationAugmentation(**settings)
    asked = "petal length (cm)=4.."
    data = small_data("iris", properties=(asked,))
    reason = unmet(attack, FEDERATIONS["split-network"]().agreement(data), threat_for(attack, (who,), asked=asked))
    assert reason is not None and "\n" not in str(reason)
    assert re.search(said, str(reason)), reason


def test_a_view_without_auxiliary_rows_is_refused():
    attack, data, knowledge = scene("active")
    bare = replace(knowledge, auxiliary=None)
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        begun(attack, bare)
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        attack.run(observe(train(data).transcript, bare), stream(0, "attack"))


def test_a_setting_that_cannot_be_is_said_on_the_way_in():
    with pytest.raises(BadSetting, match="correlation-augmentation: weight must be 0 or more"):
        seepage.audit("iris", attacks=[{"name": "correlation-augmentation", "settings": {"weight": -1}}], seeds=1)
