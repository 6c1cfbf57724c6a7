"""A defense acts where it can, and elsewhere it is said why not."""

import pytest

import seepage
from samples import small_data
from seepage.audit.plan.plan import make_plan
from seepage.audit.stages.suitability import unsuited
from seepage.audit.sweep import plan_sweep
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS

NETWORKS = ["split-network", "summed-network", "logistic-regression"]
TREES = ["decision-tree", "forest", "boosting"]
GRADIENTS = ["laplace-noise", "top-k", "privacy-preserving-dl", "discrete-gradients", "sign-gradients"]
SUITED = {
    **dict.fromkeys(GRADIENTS, NETWORKS),
    "label-dp": NETWORKS + TREES,
    "grafting": ["decision-tree", "forest"],
    "purity-limit": TREES,
    "first-trees-alone": TREES,
    "rounding": NETWORKS + TREES,
    "dropout": ["split-network", "summed-network"],
    "feature-screening": NETWORKS + TREES,
    "output-verification": [*NETWORKS, "decision-tree", "forest"],
    "randomized-response": NETWORKS,
    "shuffling": NETWORKS + TREES,
    "withdrawal": NETWORKS + TREES,
}


@pytest.mark.parametrize("federation", list(FEDERATIONS.own))
@pytest.mark.parametrize("defense", list(DEFENSES.own))
def test_who_suits_whom(defense, federation):
    made = FEDERATIONS[federation]()
    reason = unsuited(DEFENSES[defense](), defense, made, made.agreement(small_data("iris")))
    if federation in SUITED[defense]:
        assert reason is None
    else:
        assert reason.startswith(f"{defense} ") and federation in reason and reason.endswith(".")


def test_grafting_on_boosting_is_refused_with_the_reason():
    (finding,) = seepage.audit(
        "iris", federations=["boosting"], attacks=["id2graph"], defenses=["grafting"], seeds=1, undefended=False
    )
    assert finding.status == "not applicable"
    assert "fitted to what the trees before it left over" in finding.reason


def test_a_defense_is_left_out_where_it_cannot_act_if_it_can_act_elsewhere():
    plan = make_plan(
        {
            "data": {"name": "iris"},
            "federations": [{"name": "forest"}, {"name": "boosting"}],
            "attacks": [{"name": "id2graph"}],
            "defenses": [{"name": "grafting"}, {"name": "top-k"}],
            "seeds": 1,
        }
    )
    tried = {
        (job.training.federation.name, defense.name)
        for job in plan_sweep(plan).jobs
        for release in job.releases
        if (defense := job.defense_of(release)) is not None
    }
    assert tried == {("forest", "grafting"), ("forest", "top-k"), ("boosting", "top-k")}


def test_a_limit_without_effect_is_remarked_once():
    from seepage.errors import Remark

    chosen = {"federations": ["decision-tree"], "attacks": ["id2graph"]}
    with pytest.warns(Remark, match="no node can exceed") as caught:
        seepage.audit("iris", **chosen, defenses=[{"name": "purity-limit", "settings": {"limit": 2.0}}], seeds=2)
    assert len(caught) == 1


def test_a_defense_that_refuses_what_a_party_holds_does_not_apply():
    plan = {"partition": {"labels_only": True}, "undefended": False}
    (finding,) = seepage.audit(
        "iris", federations=["boosting"], attacks=["id2graph"], defenses=["first-trees-alone"], seeds=1, **plan
    )
    assert finding.status == "not applicable" and "column" in finding.reason


def test_defenses_that_nobody_asked_for_and_that_cannot_act_are_left_out():
    findings = seepage.audit("wine", federations=["decision-tree"], attacks=["id2graph"], seeds=1)
    assert {finding.defense for finding in findings} == {
        None, "label-dp", "grafting", "purity-limit", "first-trees-alone", "rounding", "feature-screening",
        "output-verification",
    }  # fmt: skip
    assert {finding.status for finding in findings} == {"ok"}
