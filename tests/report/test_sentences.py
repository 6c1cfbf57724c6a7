from functools import partial

import pytest

from imagined_findings import finding
from report_words import said_about
from seepage.audit.findings.survey import Survey
from seepage.report.sentences import worded_verdicts


def headline(*findings):
    return said_about("labels", findings).headline


def notes(*findings):
    return said_about("labels", findings).notes


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "lab can learn nearly all labels"),
        (0.8, "lab can learn much about the labels"),
        (0.6, "lab can learn some of the labels"),
        (0.53, "lab can learn a little about the labels"),
        (0.5, "no attack did better than a blind guess by more than 0.05"),
    ],
)
def test_words_follow_the_advantage(value, words):
    assert words in headline(finding(value=value, blind=0.5))


def test_a_headline_names_attack_federation_and_every_number():
    assert headline(*[finding(seed=seed, value=value) for seed, value in enumerate((1.0, 0.9, 1.0))]) == (
        "Labels: without a defense, lab can learn nearly all labels (top-1 0.967, blind guess 0.627; "
        "advantage 0.911 [0.526, 1.000]) by gradient-sign on summed-network."
    )


def test_a_negligible_leak_says_how_far_its_interval_reaches():
    values = [finding(seed=seed, value=value, blind=0.5) for seed, value in enumerate((0.5, 0.5, 0.56))]
    assert "the interval reaches 0.212" in headline(*values)


def test_colluding_parties_are_named_together():
    assert "lab and shop together can learn" in headline(finding(adversary=("lab", "shop")))


def test_assets_without_findings_were_not_tried():
    said = [item.headline for item in worded_verdicts(Survey([finding(asset="membership")]))]
    assert said[:2] == ["Labels: not tried.", "Features: not tried."]
    assert said[2] == "Properties: not tried (none was named, or found to ask about)."
    assert said[3].startswith("Membership: without a defense, lab can learn nearly all membership")


def test_the_lowest_leak_and_the_cheapest_sufficient_defense_are_both_named():
    said = notes(
        finding(value=1.0, blind=0.5, utility=0.992),
        finding(value=0.5, blind=0.5, utility=0.892, defense="laplace-noise", defense_settings={"scale": 0.1}),
        finding(value=0.59, blind=0.5, utility=0.982, defense="top-k", defense_settings={"share": 0.1}),
        finding(value=0.9, blind=0.5, utility=0.992, defense="top-k", defense_settings={"share": 0.9}),
    )
    assert said == (
        "Lowest leak among the tried defenses: laplace-noise (scale=0.1) brings the advantage down to 0.000 "
        "at a cost of 0.100 AUC.",
        "Cheapest defense that keeps the advantage at or below 0.2: top-k (share=0.1), with 0.180 "
        "at a cost of 0.010 AUC.",
        "Only gradient-sign gave numbers here; a defense that stops it may not stop another attack.",
    )


def test_several_attacks_need_no_warning_that_there_was_only_one(audit):
    assert not any("Only" in sentence for sentence in notes(*audit))


@pytest.mark.parametrize(
    ("value", "defended", "sentence"),
    [
        (1.0, 0.9, "None of the tried defenses keeps the advantage at or below 0.2."),
        (0.65, 0.63, "The advantage is at or below 0.2 without a defense as well."),
    ],
)
def test_what_does_not_suffice_or_is_not_needed_is_said(value, defended, sentence):
    assert sentence in notes(finding(value=value), finding(value=defended, defense="top-k"))


def test_a_defense_that_lowers_nothing_or_even_raises_utility_is_said_to_at_first():
    said = notes(finding(value=0.9), finding(value=1.0, defense="discrete-gradients"))
    assert said[0].startswith("None of the tried defenses lowers the advantage; the lowest, discrete-gradients,")
    said = notes(finding(), finding(value=0.7, utility=0.997, defense="top-k"))
    assert "while AUC rises by 0.005" in said[0]


def test_a_defense_is_judged_by_the_strongest_attack_under_it():
    said = notes(
        finding(blind=0.5),
        finding(blind=0.5, attack="linear-probe", value=0.9),
        finding(blind=0.5, value=0.5, defense="top-k"),
        finding(blind=0.5, attack="linear-probe", value=0.85, defense="top-k"),
    )
    assert "top-k brings the advantage down to 0.700" in said[0]


def test_a_defense_under_which_an_attack_failed_is_not_recommended():
    said = notes(
        finding(),
        finding(attack="linear-probe", value=0.9),
        finding(attack="linear-probe", value=0.63, defense="top-k"),
        finding(value=None, defense="top-k", status="failed", reason="out of memory"),
    )
    assert "1 run failed, so the leak may be larger than shown." in said
    assert "Not compared: top-k, because it has no number for gradient-sign." in said
    assert not any("Lowest" in sentence for sentence in said)


def test_an_attack_that_a_defense_leaves_nothing_to_work_on_does_not_hold_the_defense_back():
    said = notes(
        finding(),
        finding(attack="linear-probe", value=0.9),
        finding(attack="linear-probe", value=0.63, defense="withdrawal"),
        finding(value=None, defense="withdrawal", status="not applicable", reason="no gradients"),
    )
    assert "withdrawal brings the advantage down to 0.008" in said[0]


def test_defenses_are_compared_on_the_same_federation_only():
    linear = partial(finding, federation="logistic-regression")
    said = said_about("labels", [finding(), linear(value=0.95), linear(value=0.627, defense="top-k")])
    assert said.notes[0] == "No defense was tried."
    assert said.elsewhere[0].where.startswith("Also on logistic-regression: advantage 0.866 without a defense")
    assert "top-k brings the advantage down to 0.000" in said.elsewhere[0].notes[0]


def test_without_an_undefended_run_the_headline_says_so():
    said = headline(finding(defense="top-k", defense_settings={"share": 0.1}))
    assert "under top-k (share=0.1) (no run without a defense)" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"blind": 0.995, "value": 1.0}, "blind and ceiling are too close"),
        ({"value": None}, "the truth is not known here"),
        ({"value": None, "status": "failed", "reason": "crashed"}, "every run failed or could not be made"),
        ({"value": None, "status": "not applicable", "reason": "no"}, "no attack that was asked for could be run"),
    ],
)
def test_no_number_is_never_told_as_no_leak(changes, words):
    said = headline(finding(**changes))
    assert words in said
    assert "no attack did better" not in said


def test_a_baseline_counts_where_it_did_better_than_every_attack():
    lines = [finding(value=0.8), finding(attack="union", role="baseline", value=1.0)]
    assert "by the baseline union on summed-network" in headline(*lines)
    lines += [
        finding(value=0.627, defense="top-k"),
        finding(attack="union", role="baseline", value=0.9, defense="top-k"),
    ]
    assert "top-k brings the advantage down to 0.732" in notes(*lines)[0]


def test_a_baseline_that_learned_nothing_gives_no_verdict():
    blind = finding(attack="local-clustering", role="baseline", value=0.627)
    assert headline(blind) == "Labels: only baselines gave a number; see the table."
    said = notes(finding(), finding(**blind.model_dump() | {"federation": "split-network"}))
    assert "Nothing is known about split-network: no attack that was tried gave a number there." in said


def test_a_defense_under_which_only_baselines_gave_numbers_is_not_compared():
    said = notes(
        finding(),
        finding(attack="local-clustering", role="baseline", value=0.627),
        finding(attack="local-clustering", role="baseline", value=0.627, defense="first-trees-alone"),
        finding(value=None, defense="first-trees-alone", status="not applicable", reason="nothing was shown"),
    )
    assert "Not compared: first-trees-alone, because no attack could be run under it." in said


def test_a_defense_under_which_every_attack_was_shown_the_same_is_without_effect():
    def shown(second, **changes):
        return [finding(view="a", **changes), finding(view=second, seed=1, **changes),
                finding(view="c", attack="union", **changes)]  # fmt: skip

    said = notes(*shown("b"), *shown("b", defense="rounding"), *shown("B", defense="top-k"))
    assert "Without effect here: rounding. The adversary saw the same as without a defense." in said
    assert not any("Without effect here: top-k" in note for note in said), "under one seed something else was shown"


def test_a_limit_that_changed_nothing_is_said_to_unless_something_else_was_shown():
    bounds = {"mutual_information": {"max": 0.6, "median": 0.2, "nodes": 9, "per_node": [[0, 40, 0.6]]}}
    bare, limited = partial(finding, bounds=bounds), partial(finding, bounds=bounds, defense="purity-limit")
    said = notes(bare(), limited(defense_settings={"limit": 2.0}))
    assert "Without effect here: purity-limit (limit=2). The adversary saw the same nodes as without a defense." in said
    assert not any("Without effect" in note for note in notes(bare(view="a"), limited(view="b")))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "lab can tell nearly always which rows share labels"),
        (0.6, "lab can partly tell which rows share labels"),
        (0.53, "lab can tell a little about which rows share labels"),
    ],
)
def test_groups_are_not_told_as_labels(value, words):
    assert words in headline(finding(value=value, blind=0.5, metric="v_measure"))


def test_nothing_is_ever_called_private_secure_or_safe(audit):
    text = " ".join(item.headline + " ".join(item.notes) for item in worded_verdicts(Survey(audit)))
    text = text.replace("privacy-preserving-dl", "")
    assert not {"private", "secure", "safe"} & set(text.lower().split())


def test_a_defense_that_silences_most_rows_and_betrays_the_others_is_not_recommended():
    quiet = {"abstained": 0.7, "top1_answered": 1.0}
    findings = [
        finding(),
        finding(defense="top-k", defense_settings={"share": 0.1}, value=0.3, other_metrics=quiet),
        finding(defense="laplace-noise", defense_settings={"scale": 0.1}, value=0.7),
    ]
    assert any("Not counted as protection: top-k" in note and "70%" in note for note in notes(*findings))
    assert not any("Lowest leak" in note and "top-k" in note for note in notes(*findings))
