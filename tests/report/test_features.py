"""Findings about feature values: errors whose lower value is better, columns, bounds, withheld predictions."""

from functools import partial

import pytest

from command_line import typed
from imagined_findings import finding
from report_words import printed, said_about, words_of
from seepage.audit.findings.finding import write_findings
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.survey import Survey
from seepage.report import render
from seepage.report.advice import advice, price
from seepage.report.feature_errors import MOST_SHOWN, feature_errors
from seepage.report.gaps import gaps
from seepage.report.pictures.charts import chart
from seepage.report.plain_table import Bar
from seepage.report.theory.equation_bounds import equation_bounds, exact_recoveries

COUNT = {"equations": 1.0, "unknown": 2.0, "rank": 1.0, "exact": 0.0, "mse_bound": 0.3}
ERRORS = {
    "mse[age]": 0.002, "mse[income]": 0.04, "mse[visits]": 0.05,
    "variance[age]": 0.05, "variance[income]": 0.05, "variance[visits]": 0.0501,
    "correlation_own[age]": 0.7, "correlation_prediction[age]": 0.9,
    "mse_column_mean": 0.05, "mse_half": 0.08,
}  # fmt: skip


stolen = partial(
    finding, federation="logistic-regression", adversary=("bank",), attack="equality-solving", rows="new",
    asset="features", metric="mse", value=0.012, blind=0.08, blind_kind="constant ½", ceiling=0.0,
    ceiling_kind="exact values", other_metrics=ERRORS, bounds={"equality_solving": COUNT},
)  # fmt: skip
"""A finding about feature values; the bank solves equations."""


def said(findings):
    return said_about("features", findings)


def test_a_small_error_is_a_large_leak_beside_what_a_constant_earns():
    found = said([stolen()])
    assert found.verdict.level == "much" and found.verdict.advantage.mean == pytest.approx(0.85)
    assert found.headline == (
        "Features: without a defense, bank can learn much about the feature values "
        "(MSE 0.012 where a constant ½ earns 0.080; advantage 0.850) by equality-solving on logistic-regression."
    )


def test_an_attack_that_does_not_beat_a_constant_looks_like_that():
    found = said([stolen(value=0.091)])
    assert found.verdict.level == "none" and found.verdict.advantage.mean == 0
    assert "no attack did better than a constant ½" in found.headline
    assert "No better than a constant ½: equality-solving on logistic-regression (MSE 0.091 against 0.080)." in (
        found.notes
    )
    assert words_of([stolen(value=0.091)]).lower().count("no better than a constant ½") == 2
    assert "no better than a constant" not in words_of([stolen()]).lower()


def test_the_better_of_two_attacks_speaks_and_the_idle_one_is_named():
    found = said([stolen(value=0.1), stolen(attack="bounded-equality-solving", value=0.04)])
    assert "by bounded-equality-solving" in found.headline
    assert any("a constant ½: equality-solving on logistic-regression (MSE 0.100" in note for note in found.notes)


def test_the_column_mean_stands_beside_the_blind_guess_as_a_mean_over_seeds():
    other = [{**ERRORS, "mse_column_mean": mean} for mean in (0.04, 0.06)]
    assert "column mean 0.050" in words_of([stolen(seed=seed, other_metrics=each) for seed, each in enumerate(other)])


def test_errors_too_small_for_three_decimals_are_not_written_as_nothing():
    words = words_of([stolen(value=3.2e-21)])
    assert "3.2e-21" in words and "MSE 3.2e-21 where" in words


def test_branches_are_told_as_intervals():
    found = said([
        stolen(attack="path-restriction", federation="decision-tree", metric="branching_rate", value=0.95, blind=0.5,
               blind_kind="a leaf that own columns allow", ceiling=1.0, other_metrics={}, bounds={}),
    ])  # fmt: skip
    assert "tell nearly always into which intervals feature values fall" in found.headline
    assert "correct branching rate 0.950 where a path to a leaf that own columns allow earns 0.500" in found.headline


def test_the_metric_is_explained():
    assert "a guess that does not beat it has learned nothing" in words_of([stolen(metric="mse")])
    assert "Of all turns" in words_of([stolen(metric="branching_rate")])


def test_columns_are_listed_by_how_much_of_them_was_told():
    (table,) = feature_errors(Survey([stolen()]))
    assert table.columns.rows == (
        ("age", "0.002", "0.050", Bar("0.960", 96.0, "all"), "0.700", "0.900"),
        ("income", "0.040", "0.050", Bar("0.200", 20.0, "some"), "–", "–"),
        ("visits", "0.050", "0.050", Bar("0.002", 0.2, "none"), "–", "–"),
    )


def test_a_column_that_never_varies_comes_last_and_has_no_bar():
    flat = {"mse[a]": 0.0, "variance[a]": 0.0, "mse[b]": 0.1, "variance[b]": 0.1}
    (table,) = feature_errors(Survey([stolen(other_metrics=flat)]))
    assert [(row[0], row[3].length) for row in table.columns.rows] == [("b", 0.0), ("a", 0.0)]


def test_many_columns_are_cut_and_counted():
    many = {f"{metric}[c{number}]": 0.1 + number for number in range(25) for metric in ("mse", "variance")}
    (table,) = feature_errors(Survey([stolen(other_metrics=many)]))
    assert len(table.columns.rows) == MOST_SHOWN and table.left_out == 15
    assert "15 more columns were guessed less well" in words_of([stolen(other_metrics=many)])


def test_columns_that_only_some_seeds_lacked_are_averaged_over_those():
    one, two = {"mse[a]": 0.1, "variance[a]": 0.2}, {"mse[a]": 0.3, "variance[a]": 0.4, "mse[b]": 0.5}
    (line,) = summarize([stolen(seed=0, other_metrics=one), stolen(seed=1, other_metrics=two)])
    assert line.other == pytest.approx({"mse[a]": 0.2, "variance[a]": 0.3, "mse[b]": 0.5})


def test_columns_are_shown_without_a_defense_and_under_one_where_nothing_else_was_tried():
    rounded = stolen(defense="rounding", defense_settings={"digits": 1}, value=0.06)
    assert [table.title for table in feature_errors(Survey([stolen(), rounded]))] == [
        "equality-solving on logistic-regression, by bank"
    ]
    (alone,) = feature_errors(Survey([rounded]))
    assert alone.title.endswith("under rounding (digits=1)")


def test_names_of_columns_are_text():
    hostile = "<script>alert(1)</script>]["
    findings = [stolen(other_metrics={f"mse[{hostile}]": 0.1, f"variance[{hostile}]": 0.2})]
    assert "<script>alert(1)" not in render(Survey(findings)) and hostile in words_of(findings)


def test_exact_recovery_is_warned_of_in_words():
    exact = stolen(value=1e-25, bounds={"equality_solving": {**COUNT, "equations": 2.0, "rank": 2.0, "exact": 1.0}})
    sentence = (
        "Recovery is exact on logistic-regression: each prediction gives bank 2 equations for 2 unknown columns, "
        "and one solution fits."
    )
    assert said([exact]).notes[0] == sentence
    assert exact_recoveries(summarize([stolen()])) == ()
    guarded = stolen(defense="rounding", bounds=exact.bounds)
    assert exact_recoveries(summarize([guarded])) == ()
    assert sentence in words_of([exact])


def test_recovery_that_is_exact_in_some_seeds_only_is_not_called_exact():
    count = {**COUNT, "equations": 2.0, "rank": 2.0}
    exact = stolen(seed=0, value=1e-25, bounds={"equality_solving": {**count, "exact": 1.0}})
    short = [stolen(seed=seed, bounds={"equality_solving": {**count, "unknown": 3.0}}) for seed in (1, 2)]
    sentence = (
        "Recovery is exact in 1 of 3 seeds on logistic-regression, where one solution fits: each prediction gives "
        "bank 2 equations for 2 to 3 unknown columns."
    )
    for findings in ([exact, *short], [*short, exact]):
        assert exact_recoveries(summarize(findings)) == (sentence,)
        (bound,) = equation_bounds(findings).rows
        assert "exact in 1 of 3 seeds" in bound
        words = words_of(findings)
        assert sentence in words and "Recovery is exact on" not in words and "exact in 1 of 3 seeds 0.300" in words
    always = [exact, stolen(seed=1, value=1e-25, bounds=exact.bounds)]
    assert exact_recoveries(summarize(always)) == (
        "Recovery is exact on logistic-regression: each prediction gives bank 2 equations for 2 unknown columns, "
        "and one solution fits.",
    )
    (bound,) = equation_bounds(always).rows
    assert "exact" in bound


def test_attacks_on_the_same_equations_are_warned_of_once():
    exact = {"value": 1e-25, "bounds": {"equality_solving": {**COUNT, "exact": 1.0}}}
    findings = [stolen(**exact), stolen(attack="bounded-equality-solving", **exact)]
    assert len(exact_recoveries(summarize(findings))) == 1


def test_bounds_on_equations_have_a_table_and_are_not_told_twice():
    unrounded = [stolen(seed=0), stolen(seed=1, bounds={"equality_solving": {**COUNT, "unknown": 3.0}})]
    without = {key: value for key, value in COUNT.items() if key != "mse_bound"}
    rounded = stolen(defense="rounding", defense_settings={"digits": 2}, bounds={"equality_solving": without})
    assert [row[3:] for row in equation_bounds([*unrounded, rounded]).rows] == [
        ("none", "2 to 3", "1", "1", "not exact", "0.300", "0.012"),
        ("rounding (digits=2)", "2", "1", "1", "not exact", "–", "0.012"),
    ]
    words = words_of([*unrounded, rounded])
    assert "not exact" in words and "mse_bound" not in words


def test_a_defense_that_raises_the_error_lowers_the_leak():
    findings = [
        stolen(),
        stolen(defense="rounding", defense_settings={"digits": 1}, value=0.078, utility=0.98),
        stolen(defense="rounding", defense_settings={"digits": 3}, value=0.02, utility=0.992),
    ]
    (scene,) = Survey(findings).scenes
    lowest, cheapest = advice(scene)
    expected = "Lowest leak among the tried defenses: rounding (digits=1) brings the advantage down to 0.025"
    assert lowest.startswith(expected)
    assert "also the cheapest" in cheapest
    told = {mark.words.split("advantage ")[1][:5] for mark in chart(scene).marks}
    assert told == {"0.850", "0.025", "0.750"}


def test_withheld_predictions_are_a_cost():
    held = stolen(defense="output-verification", value=0.079, utility=0.952, utility_metrics={"withheld": 0.12})
    (scene,) = Survey([stolen(), held]).scenes
    assert price(scene.defended[0]) == "at a cost of 0.040 AUC (12% of all predictions are withheld)"
    assert "cost 0.040, 12% withheld" in words_of([stolen(), held])


def test_where_nothing_leaks_no_defense_is_praised_for_it():
    idle = [stolen(value=0.09), stolen(value=0.09, defense="rounding", bounds={})]
    (scene,) = Survey(idle).scenes
    assert advice(scene) == ("There is next to nothing to lower, with or without a defense.",)


def test_a_defense_without_effect_on_equations_is_not_said_to_be_about_nodes():
    (scene,) = Survey([stolen(), stolen(defense="dropout")]).scenes
    assert any("The adversary guessed the same as without a defense" in note for note in advice(scene))


def test_settings_are_named_where_one_of_them_could_be_run_and_another_not():
    chain = {"attack": "label-chain", "adversary": ("shop",)}
    ran = stolen(**chain, attack_settings={"labels": "gradient-sign", "known": 40})
    idle = stolen(**chain, attack_settings={"labels": "id2graph", "known": 40}, status="not applicable", reason="no")
    (gap,) = gaps(Survey([ran, idle]), "not applicable")
    assert gap.attacks == ("label-chain (labels=id2graph)",)
    both = [idle, idle.model_copy(update={"attack_settings": {"labels": "gradient-sign", "known": 40}})]
    (gap,) = gaps(Survey(both), "not applicable")
    assert gap.attacks == ("label-chain",)


def test_the_gate_reads_features(tmp_path):
    write_findings(tmp_path, [stolen()])
    said = typed("gate --max features=0.2", tmp_path, status=1).stderr
    assert "equality-solving by bank on logistic-regression" in said and "0.850" in said
    write_findings(tmp_path, [stolen(value=0.09)])
    typed("gate --max features=0.2", tmp_path)


def test_the_terminal_shows_small_errors_and_withheld_predictions(capsys):
    held = stolen(defense="output-verification", utility_metrics={"withheld": 0.12})
    shown = printed(capsys, stolen(value=0.0042), held)
    assert "0.0042" in shown and "withheld" in shown


def test_places_where_next_to_nothing_leaks_share_a_line():
    quiet = [
        stolen(federation=name, value=0.079, defense=defense)
        for name in ("forest", "boosting")
        for defense in (None, "rounding")
    ]
    (place,) = said([stolen(), stolen(defense="rounding", value=0.05), *quiet]).elsewhere
    quietly = "Next to nothing, with or without a defense, on forest by bank (0.013) and boosting by bank (0.013)."
    assert place.where == quietly
    assert place.notes == ()
    raised = stolen(federation="forest", value=0.02, defense="dropout")
    one, two = said([stolen(), *quiet, raised]).elsewhere
    assert one.where.startswith("Also on forest") and "boosting" in two.where


def test_the_terminal_has_one_line_for_a_federation_where_nothing_was_learned(capsys):
    idle = [stolen(federation="forest", value=0.09, defense=defense) for defense in (None, "rounding", "dropout")]
    shown = printed(capsys, *idle, stolen(), stolen(defense="rounding", value=0.05))
    assert shown.count("forest") == 1 and "one line stands for all" in shown
    assert shown.count("rounding") == 1 and "dropout" not in shown
