"""A defense acts where it can, and elsewhere it is said why not."""

import numpy as np
import pytest

import seepage
from samples import small_data
from seepage.attacks import ATTACKS
from seepage.audit.stages.applicability import Guarded, inapplicable, unsuited
from seepage.audit.stages.verification import Released
from seepage.audit.sweep import plan_sweep
from seepage.defenses import DEFENSES
from seepage.errors import Remark
from seepage.federations import FEDERATIONS
from seepage.hooks import Seam
from seepage.reasons import ACTIONS, AllWithheld, NoMessages
from seepage.views import ThreatModel
from small_audits import asked

NETWORKS = ["split-network", "summed-network", "logistic-regression"]
TREES = ["decision-tree", "forest", "boosting"]
GRADIENTS = ["laplace-noise", "top-k", "privacy-preserving-dl", "discrete-gradients", "sign-gradients", "max-norm"]
SUITED = {
    **dict.fromkeys(GRADIENTS, NETWORKS),
    "marvell": NETWORKS,
    "gradient-dp": NETWORKS,
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
    **dict.fromkeys(["distance-correlation", "information-bottleneck", "embedding-noise"], NETWORKS[:2]),
    "confusional-autoencoder": NETWORKS,
}


@pytest.mark.parametrize("federation", list(FEDERATIONS.own))
@pytest.mark.parametrize("defense", list(DEFENSES.own))
def test_who_suits_whom(defense, federation):
    made = FEDERATIONS[federation]()
    data = small_data("breast_cancer" if DEFENSES[defense]().binary else "iris")
    reason = unsuited(Guarded(made, DEFENSES[defense](), defense), made.agreement(data))
    if federation in SUITED[defense]:
        assert reason is None
    else:
        said = str(reason)
        assert said.startswith(f"{defense} ") and federation in said and said.endswith(".")


def test_a_defense_of_two_classes_is_refused_before_training_where_there_are_three():
    made = FEDERATIONS["split-network"]()
    reason = unsuited(Guarded(made, DEFENSES["marvell"](), "marvell"), made.agreement(small_data("iris")))
    assert str(reason).startswith("marvell hides one of two classes, but there are 3. Choose another defense")


def test_class_weights_are_said_to_carry_labels_past_what_bounds_them_before_training():
    made = FEDERATIONS["summed-network"](class_weights=True)
    reason = unsuited(Guarded(made, DEFENSES["gradient-dp"](), "gradient-dp"), made.agreement(small_data("iris")))
    assert "gradient-dp bounds what one label changes, but class weights" in str(reason)


def test_what_hinders_the_defense_is_said_before_what_the_attack_lacks():
    made = FEDERATIONS["boosting"]()
    terms, threat = made.agreement(small_data("iris")), ThreatModel(adversaries=("passive",))
    grafted = Guarded(made, DEFENSES["grafting"](), "grafting")
    lacking = NoMessages("boosting", "gradient")
    assert inapplicable(ATTACKS["gradient-sign"](), terms, threat) == lacking
    assert inapplicable(ATTACKS["gradient-sign"](), terms, threat, guarded=grafted) == unsuited(grafted, terms)
    assert inapplicable(ATTACKS["id2graph"](), terms, threat) is None


@pytest.mark.parametrize("withheld", [np.ones(3, dtype=bool), np.array([True, True, False])])
def test_predictions_that_are_all_withheld_cannot_be_attacked(withheld):
    made = FEDERATIONS["logistic-regression"]()
    terms, threat = made.agreement(small_data("iris")), ThreatModel(adversaries=("active",))
    released = Released(np.full((3, 3), 1 / 3), withheld, None)
    reason = inapplicable(ATTACKS["equality-solving"](), terms, threat, released=released)
    assert reason == (AllWithheld(3) if withheld.all() else None)
    known = ThreatModel(adversaries=("passive",))
    assert inapplicable(ATTACKS["gradient-sign"](), terms, known, released=released) is None


def test_every_seam_has_words():
    assert set(ACTIONS) == set(Seam)


def on_boosting(defense, **plan):
    asked = {"federations": "boosting", "attacks": "id2graph", "seeds": 1, "undefended": False, **plan}
    (finding,) = seepage.audit("iris", defenses=[defense], **asked)
    return finding


def test_grafting_on_boosting_is_refused_with_the_reason():
    finding = on_boosting("grafting")
    assert finding.status == "not applicable"
    assert "fitted to what the trees before it left over" in finding.reason


def test_a_defense_is_left_out_where_it_cannot_act_if_it_can_act_elsewhere():
    plan = asked(federations=["forest", "boosting"], attacks=["id2graph"], defenses=["grafting", "top-k"])
    tried = {
        (job.training.federation.name, defense.name)
        for job in plan_sweep(plan).jobs
        for release in job.releases
        if (defense := job.defense_of(release)) is not None
    }
    assert tried == {("forest", "grafting"), ("forest", "top-k"), ("boosting", "top-k")}


def test_a_limit_without_effect_is_remarked_once():
    chosen = {"federations": "decision-tree", "attacks": "id2graph", "defenses": "purity-limit:limit=2", "seeds": 2}
    with pytest.warns(Remark, match="no node can exceed") as caught:
        seepage.audit("iris", **chosen)
    assert len(caught) == 1


def test_a_defense_that_refuses_what_a_party_holds_does_not_apply():
    finding = on_boosting("first-trees-alone", partition={"labels_only": True})
    assert finding.status == "not applicable" and "column" in finding.reason


def test_defenses_that_nobody_asked_for_and_that_cannot_act_are_left_out():
    findings = seepage.audit("wine", federations=["decision-tree"], attacks=["id2graph"], seeds=1)
    assert {finding.defense for finding in findings} == {
        None, "label-dp", "grafting", "purity-limit", "first-trees-alone", "rounding", "feature-screening",
        "output-verification",
    }  # fmt: skip
    assert {finding.status for finding in findings} == {"ok"}
