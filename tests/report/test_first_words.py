"""The few sentences that terminal and page open with."""

from functools import partial

import imagined_findings
from seepage.audit.findings.notes import Notes
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.unfinished import Unfinished
from seepage.report.first_words import first_words

PARTITION = {"active": "hospital", "columns": {"hospital": ["a"], "lab": ["b"]}}
labels = partial(imagined_findings.finding, partition=PARTITION, blind=0.5)
values = partial(
    labels, asset="features", adversary=("hospital",), attack="embedding-inversion", metric="mse", blind=0.08,
    blind_kind="constant ½", ceiling=0.0,
)  # fmt: skip


def said(*findings, unfinished=None):
    return first_words(Survey(findings, unfinished=unfinished))


def test_both_directions_are_told_with_names_numbers_and_marks():
    words = said(labels(), labels(federation="forest", value=0.7), values(value=0.004))
    assert words.theirs == (
        "About hospital, which holds the labels: without a defense, lab can learn nearly all labels (top-1 1.000, "
        "without the federation 0.500: advantage 1.000 by gradient-sign on summed-network; least 0.400 on forest) "
        "(1 seed)."
    )
    assert words.ours == (
        "About the others: without a defense, hospital can learn nearly all feature values (MSE 0.004, "
        "without the federation 0.080: advantage 0.950 by embedding-inversion on summed-network) (1 seed)."
    )
    assert words.advice == "No defense was tried, so nothing can be said about what to switch on (1 seed)."
    assert words.certainty.startswith("How sure: one seed, so nobody knows")
    assert words.purpose == "" and len(words.sentences) == 4


def test_what_was_not_tried_and_what_gave_no_number_is_said():
    assert said(labels()).ours == "Nobody tried what hospital can learn about the others (1 seed)."
    silent = said(values(), labels(value=None, status="not applicable", reason="no"))
    assert "nothing is known about what lab can learn of labels: no attack gave a number" in silent.theirs
    assert said().sentences == ("Nothing was found.",)


def test_what_to_switch_on_is_named_with_setting_leak_cost_and_what_is_kept():
    seeds = range(3)
    alone = [0.90, 0.91, 0.89]
    bare = [0.99, 0.99, 0.985]
    found = [labels(seed=seed, utility=bare[seed], utility_undefended=bare[seed], utility_alone=alone[seed],
                    audited_rows=5000, all_rows=30000) for seed in seeds]  # fmt: skip
    found += [
        labels(seed=seed, value=value, defense="top-k", defense_settings={"share": 0.1}, utility=bare[seed] - 0.01,
               utility_undefended=bare[seed], utility_alone=alone[seed], audited_rows=5000, all_rows=30000)
        for seed, value in zip(seeds, (0.55, 0.56, 0.54), strict=True)
    ]  # fmt: skip
    words = said(*found)
    assert words.advice == (
        "On summed-network, switch on top-k (share=0.1) against lab learning labels: it leaves an advantage of "
        "0.100 [0.050, 0.150] at a cost of 0.010 AUC [0.010, 0.010], keeping 89 % [86 %, 91 %] of what the federation "
        "adds (a sample)."
    )
    assert words.purpose == (
        "On summed-network the joint model is worth AUC 0.988, 0.088 [0.069, 0.107] above the 0.900 [0.875, 0.925] "
        "that such a model is worth on the columns of hospital alone (a sample)."
    )
    assert "3 seeds; brackets hold 95 % intervals over them (Student's t); a sample of 5,000" in words.certainty


def test_a_federation_that_adds_nothing_is_said_to_first():
    words = said(labels(utility=0.992, utility_alone=0.991))
    assert words.sentences[0].startswith(
        "The federation adds nothing that can be told from noise (on summed-network AUC 0.992, 0.001 above the 0.991"
    )
    switched = said(labels(utility_alone=0.991), labels(utility_alone=0.991, value=0.5, defense="top-k")).advice
    assert "switch on top-k against lab learning labels" in switched
    assert switched.startswith("No joint model that was tried is worth more than the AUC of 0.991 of the best")
    both = said(labels(utility_alone=0.991), labels(federation="forest", utility_alone=0.93))
    assert both.purpose.startswith("On forest the joint model is worth AUC")
    assert "alone (0.991 of the kind of summed-network); on summed-network the gain lies within noise" in both.purpose


def test_a_model_that_learned_nothing_is_said_to_before_anything_else():
    survey = Survey([labels(utility=0.5, utility_undefended=0.502, utility_alone=0.4)], notes=Notes((), {"auc": 0.5}))
    assert first_words(survey).sentences[0].startswith("summed-network learned nothing: AUC 0.502, where saying the")


def test_of_several_federations_the_one_is_taken_that_leaves_least_open_and_nothing_unknown():
    found = [
        labels(), labels(value=0.7, defense="top-k"), values(value=0.0),
        labels(federation="forest"), labels(federation="forest", value=0.55, defense="purity-limit"),
        values(federation="forest", value=0.079), values(federation="forest", value=0.079, defense="purity-limit"),
        labels(federation="boosting", value=0.52),
    ]  # fmt: skip
    advice = said(*found).advice
    assert advice.startswith("On forest, switch on purity-limit")
    assert "Why there: of what leaves nothing above 0.2, that model is worth most" in advice
    assert "Open stays" not in advice and "not known" not in advice
    blank = [one for one in found if one.federation != "forest" or one.asset == "labels"]
    assert "What hospital can learn of feature values there is not known" in said(*blank).advice
    stuck = said(*found[:3]).advice
    assert "Open stays lab learning labels (0.400). What hospital can learn of feature values there is not kn" in stuck


def test_a_defense_is_judged_by_all_that_leaks_while_it_is_on():
    found = [
        labels(), labels(value=0.5, defense="top-k"), labels(value=0.55, defense="dropout"),
        values(value=0.08), values(value=0.0, defense="top-k"), values(value=0.08, defense="dropout"),
    ]  # fmt: skip
    advice = said(*found).advice
    assert advice.startswith("On summed-network, switch on dropout against lab learning labels")
    opened = said(*(one for one in found if one.defense != "dropout")).advice
    assert "switch on top-k" in opened and "Open stays hospital learning feature values (1.000)" in opened


def test_what_is_worth_less_than_the_label_holder_has_alone_is_not_advised():
    def worth(utility, bare, alone):
        return {"utility": utility, "utility_undefended": bare, "utility_alone": alone}

    rich = labels(**worth(0.9, 0.9, 0.8)), labels(value=0.6, defense="top-k", **worth(0.85, 0.9, 0.8))
    poor = (
        labels(federation="forest", **worth(0.7, 0.7, 0.5)),
        labels(federation="forest", value=0.5, defense="label-dp", **worth(0.6, 0.7, 0.5)),
    )
    assert said(*rich, *poor).advice.startswith("On summed-network, switch on top-k")
    advice = said(rich[0], *poor).advice
    assert "Open stays lab learning labels (1.000)" in advice
    assert (
        "Why there: among models that are worth more than the AUC of 0.800 of the best model on the columns of "
        "hospital alone, least stays above 0.2 or unknown, counting first what is learned about hospital. "
        "Less is left open on forest under label-dp, but a model of AUC 0.600 is hardly a reason to federate" in advice
    )


def test_a_defense_that_stops_several_is_named_once():
    both = [
        labels(adversary=(name,), **told)
        for name in ("lab", "shop")
        for told in ({}, {"value": 0.55, "defense": "top-k"})
    ]
    advice = said(*both).advice
    assert advice.count("top-k") == 1
    assert (
        "top-k against lab learning labels and shop learning labels: it leaves an advantage of 0.100 (the most of them)"
        in advice
    )


def test_a_defense_that_few_seeds_do_not_show_to_hold_is_said_to_be_that():
    bare = [labels(seed=seed) for seed in range(3)]
    shaky = [labels(seed=seed, value=value, defense="top-k") for seed, value in enumerate((0.5, 0.5, 0.75))]
    advice = said(*bare, *shaky).advice
    assert "against lab learning labels: so few seeds do not show yet that it holds, add seeds (it leaves" in advice
    assert "advantage of 0.167 [0.000, 0.884])" in advice and "stays at or below" not in advice


def test_a_defense_that_lowers_nothing_is_not_switched_on():
    told = {"utility": 0.9, "utility_undefended": 0.9, "utility_alone": 0.8}
    better = {**told, "utility": 0.91}
    found = labels(value=0.7, **told), labels(value=0.72, defense="feature-screening", **better)
    assert said(*found).advice.startswith("On summed-network, no tried defense leaves less open than none does.")
    lower = labels(value=0.62, defense="dropout", **told)
    assert "switch on dropout" in said(*found, lower).advice


def test_where_predictions_give_labels_away_it_is_said_that_they_can_be_kept():
    told = {"attack": "prediction-distillation", "value": 0.8}
    advice = said(labels(**told), labels(**told, defense="top-k")).advice
    assert "Labels are read off predictions there: if partners need not see these, audit again with --hide" in advice
    assert "--hide" not in said(labels(), labels(defense="top-k")).advice


def test_what_is_known_without_the_federation_is_no_silence():
    words = said(labels(value=0.9, blind=0.999, ceiling=1.0))
    assert "labels lab can tell without the federation already, so nothing is left to gain" in words.theirs
    assert "nothing is known" not in words.theirs


def test_many_properties_share_a_clause():
    share = partial(
        labels, asset="properties", adversary=("hospital",), metric="fraction_error", ceiling=0.0, blind=0.1,
        blind_kind="one half", attack="adjusted-count",
    )  # fmt: skip
    words = said(share(property="sex=Male", value=0.02), share(property="age=30..40", value=0.09))
    assert "hospital can tell closely how many have sex=Male (error of the share 0.020, without the fe" in words.ours
    assert "advantage 0.800 by adjusted-count" in words.ours and "of 2 properties this one is told best" in words.ours
    assert (
        "to nothing about how many have sex=Male and how many have age=30..40 (advantage 0.020 where it is highest)"
        in said(share(property="sex=Male", value=0.098), share(property="age=30..40", value=0.1)).ours
    )
    three = (share(property=name, value=0.1) for name in ("sex=Male", "age=30..40", "job=nurse"))
    assert "learns next to nothing about 3 properties (advantage" in said(*three).ours


def test_of_two_that_reach_as_far_the_less_sure_one_is_quoted_and_gaps_are_named():
    steady = [labels(seed=seed, value=0.5) for seed in range(3)]
    shaky = [labels(seed=seed, value=value, federation="boosting") for seed, value in enumerate((0.5, 0.4, 0.6))]
    gap = labels(federation="forest", value=None, status="not applicable", reason="no")
    told = said(*steady, *shaky, gap).theirs
    assert "next to nothing about labels (advantage 0.000 [0.000, 0." in told
    assert "where it is highest; not known on forest" in told


def test_failed_runs_and_a_stopped_audit_are_no_certainty():
    failed = labels(seed=1, value=None, status="failed", reason="crashed")
    words = said(labels(), failed, unfinished=Unfinished(3, 12))
    assert "1 run failed, so more may leak; the audit was stopped after 3 of 12 trainings" in words.certainty


def test_nothing_is_called_private_secure_or_safe(audit):
    words = " ".join(said(*audit).sentences).replace("privacy-preserving-dl", "")
    assert not {"private", "secure", "safe"} & set(words.lower().split())
