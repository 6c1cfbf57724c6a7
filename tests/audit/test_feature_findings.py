"""Feature attacks through a whole audit: who attacks, who is given what, and what a finding says."""

import numpy as np
import pytest

import seepage
from seepage.audit.plan.plan import make_plan
from seepage.audit.sweep import plan_sweep
from seepage.errors import BadPartition, Remark

LINEAR = {"federations": ["logistic-regression"], "attacks": ["equality-solving"], "defenses": [], "seeds": 1}
PAPER = {"encoding": "ordinal", "scaling": "minmax"}


def audited(data="wine", **settings):
    (finding,) = seepage.audit(data, **{**LINEAR, **PAPER, **settings})
    return finding


def test_the_adversary_is_the_active_party_and_new_rows_are_scored():
    finding = audited()
    assert (finding.status, finding.adversary, finding.asset, finding.rows) == ("ok", ("active",), "features", "new")
    assert (finding.metric, finding.ceiling, finding.blind_kind) == ("mse", 0.0, "constant ½")
    assert finding.knowledge["model"] is True
    columns = finding.partition["columns"]
    listed = {key[4:-1] for key in finding.other_metrics if key.startswith("mse[")}
    assert listed == set(columns["passive"])


def test_a_hidden_model_makes_these_attacks_not_applicable():
    finding = audited(model=False)
    assert finding.status == "not applicable" and "hidden from the adversary" in finding.reason


@pytest.mark.parametrize(
    ("adversary", "reason"),
    [
        (["active", "passive"], "The adversaries hold all columns"),
        (["passive"], "This adversary sees no model and no prediction: they are released to 'active'"),
    ],
)
def test_an_adversary_that_lacks_nothing_or_is_told_nothing_is_not_applicable(adversary, reason):
    finding = audited(adversary=adversary)
    assert finding.status == "not applicable" and finding.reason.startswith(reason)


def test_an_adversary_without_columns_is_not_applicable():
    finding = audited(parties={"bank": [], "shop": ["alcohol", "ash", "hue"]})
    assert finding.status == "not applicable" and "'bank' holds no columns" in finding.reason


def test_two_parties_that_collude_lack_only_the_third_one_s_columns():
    finding = audited(partition={"parties": 3}, adversary=["active", "passive-1"])
    columns = finding.partition["columns"]
    assert {key[4:-1] for key in finding.other_metrics if key.startswith("mse[")} == set(columns["passive-2"])


def test_the_share_of_the_adversary_is_that_of_whoever_attacks():
    finding = audited(partition={"adversary_share": 0.8})
    assert len(finding.partition["columns"]["active"]) == 10 and len(finding.partition["columns"]["passive"]) == 3
    plan = {**LINEAR, "data": {"name": "wine"}, "partition": {"adversary_share": 0.8}}
    plan |= {key: [{"name": name} for name in plan[key]] for key in ("federations", "attacks", "defenses")}
    assert plan_sweep(make_plan(plan)).plan.adversary == ("active",)
    plan["attacks"] = [{"name": "gradient-sign"}]
    assert plan_sweep(make_plan(plan)).plan.adversary == ("passive",)
    plan["attacks"] = [{"name": "gradient-sign"}, {"name": "equality-solving"}]
    with pytest.warns(Remark, match="The share of 0.8 is that of 'passive', but some attacks are those of 'active'"):
        assert plan_sweep(make_plan(plan)).plan.adversary == ()


def test_a_share_that_leaves_the_other_party_empty_is_refused():
    with pytest.raises(BadPartition, match="'passive' holds no columns"):
        audited(partition={"adversary_share": 1.0})


def test_other_federations_are_refused_with_what_they_release():
    finding = audited(federations=["boosting"])
    assert finding.status == "not applicable"
    assert finding.reason.startswith(
        "Under boosting what is released is a boosted forest, but a linear model is needed"
    )


def test_standard_scaling_gives_the_same_errors_as_min_max_up_to_the_model():
    """Errors are in units of each column's range whatever the encoding: exact stays exact."""
    named = {"bank": ["alcohol", "ash", "hue", "proline"], "shop": ["flavanoids", "color_intensity"]}
    for scaling in ("standard", "minmax"):
        finding = audited(parties=named, scaling=scaling)
        assert finding.value < 1e-10 and finding.advantage == 1.0


def test_indicators_of_one_attribute_have_an_even_guess_as_their_blind_twin(tmp_path):
    """Of k levels, 1/k each is what anyone would guess: against ½ every attack on indicators would look like a leak."""
    rng = np.random.default_rng(0)
    path = tmp_path / "people.csv"
    jobs = rng.choice(["clerk", "nurse", "smith", "baker"], 200)
    lines = [f"{rng.random():.3f},{rng.random():.3f},{job},{rng.choice(['no', 'yes'])}" for job in jobs]
    path.write_text("age,income,job,y\n" + "\n".join(lines) + "\n")
    named = {"bank": ["age", "income"], "shop": ["job"]}
    (finding,) = seepage.audit(path, label="y", parties=named, **LINEAR)
    assert finding.blind_kind == "even guess" and finding.blind == pytest.approx(0.1875)  # 3/4 of 1/16 + 1/4 of 9/16
    assert finding.other_metrics["mse_half"] == pytest.approx(0.25)
    assert "mse[job]" in finding.other_metrics and not any("clerk" in key for key in finding.other_metrics)


@pytest.mark.filterwarnings("ignore::seepage.errors.Remark")  # few columns are left
def test_what_stands_in_for_a_column_that_was_screened_out_is_what_was_known_before():
    chosen = {"attacks": [{"name": "bounded-equality-solving", "settings": {"center": "mean"}}]}
    screened = {"defenses": [{"name": "feature-screening", "settings": {"limit": 0.3}}], "undefended": False}
    plain, defended = audited(**chosen), audited(**chosen, **screened)
    assert defended.other_metrics["mse_known_mean"] == pytest.approx(plain.other_metrics["mse_known_mean"])
    assert defended.blind_kind == "known mean" and defended.value <= defended.blind + 1e-9
