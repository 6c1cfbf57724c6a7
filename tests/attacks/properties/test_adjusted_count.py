"""Adjusted counting in real federations: near the truth where results say something, silent or refused elsewhere."""

from dataclasses import replace

import numpy as np
import pytest

import seepage
from property_runs import LARGE, observed
from seepage.attacks.properties.adjusted_count import AdjustedCount
from seepage.errors import BadPartition, BadPlan, BadSetting, IncompatibleView
from seepage.learners.quantification import quantify, with_known
from seepage.messages import Kind, Message
from seepage.transcript import Transcript
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel, observe
from seepage.views.intermediate_results import intermediate_results
from tree_views import terms

ENOUGH = Auxiliary(rows=70)


@pytest.mark.parametrize("adversary", ["active", "passive"])
@pytest.mark.parametrize("federation", ["split-network", "summed-network", "logistic-regression"])
def test_the_fraction_is_found_in_both_cases_in_every_network(federation, adversary):
    view, true = observed(AdjustedCount(auxiliary=ENOUGH), federation, adversary)
    guess = AdjustedCount(auxiliary=ENOUGH).run(view, np.random.default_rng(0))
    assert abs(guess.fraction - true) < 0.06  # one half and the auxiliary share are off by 0.19
    assert guess.notes["informative"] and guess.notes["separation"] > 0.5
    assert 0.5 < guess.notes["largest_score"] <= 1
    assert set(guess.others) == {"adjusted", "counted", "averaged"}


@pytest.mark.parametrize(
    ("adversary", "partition"),
    [
        (("active",), {"parties": 3}),
        (("passive-1",), {"parties": 3}),
        (("active", "passive-1"), {"parties": 3}),
        (("active",), {"parties": 3, "labels_only": True}),
    ],
    ids=["C1", "C2", "colluding", "labels only"],
)
def test_it_finds_the_fraction_among_three_parties(adversary, partition):
    attack = AdjustedCount(auxiliary=ENOUGH)
    view, true = observed(attack, "split-network", *adversary, **partition)
    assert abs(attack.run(view, np.random.default_rng(0)).fraction - true) < 0.07


@pytest.mark.parametrize("classifier", ["logistic", "network"])
def test_other_classifiers_count_as_well(classifier):
    attack = AdjustedCount(auxiliary=ENOUGH, classifier=classifier)
    view, true = observed(attack, "split-network", "active")
    assert abs(attack.run(view, np.random.default_rng(0)).fraction - true) < 0.06


def test_each_row_is_counted_once_and_known_rows_as_what_they_are():
    """Against the same estimate put together row by row."""
    attack = AdjustedCount(auxiliary=Auxiliary(rows=30))
    view, _ = observed(attack, "split-network", "active")
    known, results = view.knowledge.auxiliary, intermediate_results(view)
    line = dict(zip(results.rows.tolist(), results.joined(), strict=True))
    rest = [row for row in sorted(view.knowledge.train.tolist()) if row not in set(known.rows.tolist())]
    assert len(rest) == len(view.knowledge.train) - 60
    asked, others = (np.stack([line[row] for row in rows]) for rows in (known.rows.tolist(), rest))
    found = quantify(asked, known.has, others, np.random.default_rng(3))
    guess = attack.run(view, np.random.default_rng(3))
    expected = (30 + found.probabilistic * len(rest)) / len(view.knowledge.train)
    assert guess.fraction == pytest.approx(expected)
    assert guess.others["counted"] == pytest.approx(with_known(found.counted, known.has, len(rest)))


def test_the_order_of_auxiliary_rows_other_than_folds_is_no_matter():
    """Rows of the transcript in another order give the same guess to the last digit."""
    attack = AdjustedCount(auxiliary=ENOUGH)
    view, _ = observed(attack, "split-network", "active")
    backwards = replace(view, knowledge=replace(view.knowledge, train=view.knowledge.train[::-1].copy()))
    one, two = (attack.run(seen, np.random.default_rng(0)) for seen in (view, backwards))
    assert one.fraction == two.fraction and one.others == two.others


def test_people_whom_nobody_else_knows_stand_in_and_are_not_counted():
    attack = AdjustedCount(auxiliary=Auxiliary(rows=30, aligned=False))
    for adversary in ("active", "passive"):
        view, true = observed(attack, "split-network", adversary)
        assert not np.isin(view.knowledge.auxiliary.source, view.knowledge.train).any()
        assert not {"VO", "VG"} & set(intermediate_results(view).of)  # they speak about somebody else
        guess = attack.run(view, np.random.default_rng(0))
        assert abs(guess.fraction - true) < 0.12
    silent = replace(view.knowledge.auxiliary, has=np.random.default_rng(0).permutation(view.knowledge.auxiliary.has))
    shuffled = replace(view, knowledge=replace(view.knowledge, auxiliary=silent))
    assert attack.run(shuffled, np.random.default_rng(0)).fraction == pytest.approx(0.5)  # the auxiliary share itself


def test_wrong_answers_about_auxiliary_rows_cost_accuracy():
    errors = {}
    for wrong in (0.0, 0.3):
        attack = AdjustedCount(auxiliary=Auxiliary(rows=100, mislabelled=wrong))
        view, true = observed(attack, "split-network", "active")
        errors[wrong] = abs(attack.run(view, np.random.default_rng(0)).fraction - true)
    assert errors[0.0] < 0.04 < errors[0.3]


def audit(federation, **changes):
    chosen = {"attacks": ["adjusted-count"], "properties": [LARGE], "defenses": [], "seeds": 1, **changes}
    return seepage.audit("breast_cancer", federations=[federation], **chosen)


def test_a_finding_names_the_property_and_carries_twin_and_bound():
    (finding,) = audit("logistic-regression")
    assert finding.asset == "properties" and finding.property == LARGE and finding.adversary == ("active",)
    assert finding.metric == "fraction_error" and finding.knowledge["auxiliary_with"] == 22
    assert finding.value == abs(finding.other_metrics["guessed_fraction"] - finding.other_metrics["true_fraction"])
    told = ("one_half", "auxiliary_share", "adjusted_counting_on_own_columns", "counted")
    assert {f"error_{name}" for name in told} <= set(finding.other_metrics)
    assert finding.bounds["distinguishing"]["rows"] == 455 and finding.bounds["distinguishing"]["vacuous"]


@pytest.mark.parametrize("federation", ["forest", "boosting", "decision-tree"])
def test_in_trees_the_active_party_counts_by_the_sides_of_the_others_splits(federation):
    attack = AdjustedCount(auxiliary=ENOUGH)
    view, true = observed(attack, federation, "active")
    assert abs(attack.run(view, np.random.default_rng(0)).fraction - true) < 0.06
    reason = attack.needs.unmet(view.agreement, ThreatModel(adversaries=("passive",), property=LARGE))
    assert reason is not None and "released to 'active', who attacks with --adversary active" in str(reason)


def test_where_a_split_is_the_property_it_is_counted_exactly():
    rng = np.random.default_rng(0)
    has = rng.permutation(400) < 100
    payload = {"node": np.ones(400, dtype=np.int64), "left": has, "tree": np.array([0])}
    message = Message(Kind.CHILD_SPACES, "shop", "bank", 0, 0, np.arange(400), payload)
    known = np.concatenate((np.flatnonzero(has)[:20], np.flatnonzero(~has)[:20]))
    threat, auxiliary = ThreatModel(adversaries=("bank",), property="job=a"), KnownRows(known, known, has[known])
    knowledge = Knowledge(threat=threat, train=np.arange(400), auxiliary=auxiliary)
    view = observe(Transcript(terms(2), (message,)), knowledge)
    assert AdjustedCount().run(view, rng).fraction == pytest.approx(0.25, abs=0.01)


def test_people_whom_nobody_else_knows_stand_in_for_rows_of_networks_alone():
    attack = AdjustedCount(auxiliary=Auxiliary(aligned=False))
    reason = attack.needs.unmet(terms(2), ThreatModel(adversaries=("bank",), property=LARGE))
    said = "Under forest no embedding messages cross between the parties. Choose a federation that sends them."
    assert str(reason) == said


def test_without_a_property_there_is_nothing_to_estimate():
    with pytest.raises(BadPlan, match=r"how many have a property: name one with properties=\[.COLUMN=VALUE.\]"):
        audit("logistic-regression", properties=[])
    view, _ = observed(AdjustedCount(), "logistic-regression", "active")
    reason = AdjustedCount().needs.unmet(view.agreement, ThreatModel(adversaries=("active",)))
    assert reason is not None and str(reason).startswith("No property is named")


def test_whoever_holds_the_property_has_nothing_to_infer():
    parties = {"clinic": ["mean radius", "mean area"], "lab": ["mean texture"]}
    with pytest.raises(BadPartition, match="'clinic' is the adversary and itself holds the column of the property"):
        audit("logistic-regression", parties=parties, adversary=["clinic"])
    (finding,) = audit("logistic-regression", parties=parties)
    assert finding.adversary == ("lab",) and finding.status == "ok"


def test_more_auxiliary_rows_than_there_are_is_said():
    many = {"name": "adjusted-count", "settings": {"auxiliary": {"rows": 400}}}
    with pytest.raises(BadSetting, match="there are only 455 training rows"):
        audit("logistic-regression", attacks=[many])


def test_settings_are_checked_and_auxiliary_rows_are_missed():
    with pytest.raises(ValueError, match="folds must be 2 or more, got 1"):
        AdjustedCount(folds=1)
    view, _ = observed(AdjustedCount(), "logistic-regression", "active")
    bare = replace(view, knowledge=replace(view.knowledge, auxiliary=None))
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        AdjustedCount().run(bare, np.random.default_rng(0))


def test_gradients_that_were_sent_are_read_where_asked_for():
    attack = AdjustedCount(gradients="sent", auxiliary=ENOUGH)
    assert attack.needs.received == {Kind.EMBEDDING} and attack.needs.sent == {Kind.GRADIENT}
    view, true = observed(attack, "split-network", "active")
    assert abs(attack.run(view, np.random.default_rng(0)).fraction - true) < 0.06


def test_an_adversary_whose_columns_were_screened_reads_those_that_are_left():
    screened = {"defenses": "feature-screening:limit=0.5", "undefended": False, "adversary": ["passive"]}
    (finding,) = audit("split-network:epochs=2", **screened)
    assert finding.status == "ok", finding.reason
