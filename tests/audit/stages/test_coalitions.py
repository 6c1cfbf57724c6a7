"""Several adversaries on one training: each party, and all but one together."""

import pytest

import seepage
from seepage.audit.plan.request import Request, plan_of
from seepage.audit.stages.coalitions import default_coalitions
from seepage.errors import UnknownName
from seepage.federations.logistic_regression import LogisticRegression
from small_audits import asked, chosen, stable

PARTIES = ("active", "passive-1", "passive-2")
LABELS, FEATURES = "gradient-sign", "embedding-regression"
SMALL = {"federations": [chosen("logistic-regression", epochs=2)], "partition": {"parties": 3}}
ALONE = [["active"], ["passive-1"], ["passive-2"]]


def tried(jobs):
    return {(attempt.attack.name, attempt.adversary) for job in jobs for _, attempt in job.tried()}


def test_by_default_everybody_is_curious_and_all_but_one_collude():
    plan = plan_of(Request(data="breast_cancer", parties=3, federations="forest", defenses=[]))
    assert plan.adversaries == default_coalitions(PARTIES) and len(plan.adversaries) == 6
    assert plan_of(Request(data="breast_cancer", federations="forest", defenses=[])).adversaries == ()


def test_who_is_named_is_the_only_one():
    plan = plan_of(Request(data="breast_cancer", parties=3, adversary="passive-1", federations="forest", defenses=[]))
    assert plan.adversary == ("passive-1",) and plan.adversaries == ()


def test_one_attack_by_itself_has_one_adversary():
    asked_for = Request(data="breast_cancer", parties=3, attacks=["gradient-sign"], first_federation=True)
    assert plan_of(asked_for).adversaries == ()


def test_labels_are_for_those_without_and_what_is_sent_is_for_those_with_the_active_party(jobs_of):
    attacks = [{"name": LABELS}, {"name": FEATURES}]
    jobs = jobs_of(**SMALL, data="breast_cancer", attacks=attacks, adversaries=default_coalitions(PARTIES))
    assert tried(jobs) == {
        *((LABELS, who) for who in (("passive-1",), ("passive-2",), ("passive-1", "passive-2"))),
        *((FEATURES, who) for who in (("active",), ("active", "passive-2"), ("active", "passive-1"))),
    }


def test_adversaries_share_a_training_and_each_finds_what_it_would_find_alone(carried_out, counted):
    attacks = [{"name": LABELS}, {"name": "linear-probe"}]
    networks = {"federations": [chosen("summed-network", epochs=2, batch=64)], "partition": {"parties": 3}}

    def found(**who):
        records = carried_out(**networks, data="breast_cancer", attacks=attacks, **who)
        return stable([one.finding for one in records.values() if one.finding])

    calls = counted((LogisticRegression, "train"))
    shared = {"attacks": [{"name": LABELS}], "data": "breast_cancer", "adversaries": ALONE}
    records = carried_out(**SMALL, **shared)
    assert calls["LogisticRegression"] == 1 + 1, "once together, and once the label holder alone"
    assert len([one for one in records.values() if one.finding]) == 2
    together = found(adversaries=[["passive-1"], ["passive-2"], ["passive-1", "passive-2"]])
    by_name = [found(adversary=who) for who in (["passive-1"], ["passive-2"], ["passive-1", "passive-2"])]
    assert sorted(map(str, together)) == sorted(str(one) for alone in by_name for one in alone)


def test_results_of_two_adversaries_have_two_names(named):
    changes = {**SMALL, "data": "breast_cancer", "attacks": [{"name": LABELS}], "adversaries": ALONE}
    (keys,) = named(**changes)
    (release,) = keys.releases
    findings = [one.finding for one in release.attempts]
    assert len(set(findings)) == len(findings) == 2


def test_whoever_misbehaves_has_a_training_of_its_own_for_each_adversary(jobs_of):
    networks = {"federations": [chosen("summed-network", epochs=2, batch=64)], "partition": {"parties": 3}}
    attacks = [{"name": "active-completion"}]
    jobs = jobs_of(**networks, data="breast_cancer", attacks=attacks, adversaries=ALONE)
    assert [job.training.adversary for job in jobs] == [("passive-1",), ("passive-2",), ()]


def test_what_nobody_can_try_on_a_federation_is_said_once(jobs_of):
    changes = {**SMALL, "data": "breast_cancer", "attacks": [{"name": "id2graph"}, {"name": LABELS}]}
    jobs = jobs_of(**changes, adversaries=default_coalitions(PARTIES))
    assert [who for name, who in tried(jobs) if name == "id2graph"] == [("passive-1",)]


def test_an_attack_that_fits_no_adversary_is_said_not_to(carried_out):
    changes = {**SMALL, "data": "breast_cancer", "attacks": [{"name": LABELS}], "adversaries": [["active"]]}
    (finding,) = [one.finding for one in carried_out(**changes).values() if one.finding]
    assert finding.status == "not applicable" and "labels" in finding.reason


def test_a_stranger_among_adversaries_is_refused(jobs_of):
    with pytest.raises(UnknownName, match="No party is called 'mallory'"):
        jobs_of(**SMALL, data="breast_cancer", attacks=[{"name": LABELS}], adversaries=[["mallory"]])


def test_a_property_is_asked_about_by_those_who_do_not_hold_it():
    columns = {"bank": ["mean radius"], "lab": ["mean area"], "shop": ["mean texture", "mean smoothness"]}
    plan = asked(
        "breast_cancer", partition={"kind": "named", "columns": columns}, attacks=["adjusted-count"],
        adversaries=default_coalitions(tuple(columns)), properties=["mean area=700..", "mean radius=15.."],
        federations=[chosen("split-network", epochs=2)],
    )  # fmt: skip
    told = {(one.property, one.adversary, one.status) for one in seepage.audit(plan)}
    assert told == {
        ("mean area=700..", ("bank",), "ok"),
        ("mean area=700..", ("bank", "shop"), "ok"),
        ("mean radius=15..", ("lab",), "ok"),
        ("mean radius=15..", ("shop",), "ok"),
        ("mean radius=15..", ("lab", "shop"), "ok"),
    }
