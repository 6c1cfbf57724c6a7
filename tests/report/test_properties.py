"""Findings about how many people have a property: which one, how near, without the federation, in pictures."""

from functools import partial

import pytest

from command_line import typed
from imagined_findings import finding
from report_words import printed, said_about, words_of
from seepage.audit.findings.finding import write_findings
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.survey import Survey
from seepage.report import render
from seepage.report.advice import advice
from seepage.report.fraction_errors import fraction_errors
from seepage.report.gaps import gaps
from seepage.report.pictures.charts import chart
from seepage.report.pictures.norm_pictures import HEIGHT, WIDTH, norm_pictures
from seepage.report.rows import tables
from seepage.report.sentences import worded_verdicts
from seepage.report.theory.distinguishing_bounds import distinguishing_bounds

NUMBERS = {
    "true_fraction": 0.662, "guessed_fraction": 0.658, "error_adjusted_counting_on_own_columns": 0.0214,
    "error_one_half": 0.162, "error_auxiliary_share": 0.162, "error_adjusted": 0.0061, "error_counted": 0.031,
}  # fmt: skip
BOUND = {"posterior": 0.97, "prior": 0.662, "gap": 0.01, "rows": 35000, "vacuous": True, "accuracy": 1.0}
TIGHT = {**BOUND, "vacuous": False, "accuracy": 0.61}
HISTOGRAMS = {
    "edges": [0.0, 1.0, 2.0],
    "shares": {"0": [0.8, 0.2], "0.25": [0.7, 0.3], "0.5": [0.5, 0.5], "0.75": [0.4, 0.6], "1": [0.2, 0.8]},
}
DIVERGENCES = {"kl_25": 0.0017, "js_25": 0.0202, "bc_25": 0.9684, "kl_100": 0.0327, "js_100": 0.0876, "bc_100": 0.8692}
WITHDRAWN = {"error_after_withdrawal": 0.0041, "withdrawal_shift": 0.06, "error_putting_back": 0.0052}


share = partial(
    finding, federation="split-network", adversary=("bank",), attack="adjusted-count", asset="properties",
    property="sex=Male", metric="fraction_error", value=0.0041, blind=0.0214, ceiling=0.0,
    blind_kind="adjusted counting on own columns", ceiling_kind="exact fraction", other_metrics=NUMBERS, utility=0.9,
    utility_undefended=0.9, bounds={"distinguishing": BOUND},
)  # fmt: skip
"""A finding about a property; the bank counts who is a man at the shop."""
tampering = partial(share, attack="correlation-augmentation", tampering="CorrelationAugmentation()")


def said(findings):
    return said_about("properties", findings)


def test_the_headline_names_the_property_and_what_could_be_said_without_the_federation():
    assert said([share()]).headline == (
        "Share of people with sex=Male: without a defense, bank can tell closely how many they are: "
        "estimated within 0.0041; without the federation within 0.021 (adjusted counting on own columns). "
        "Advantage 0.808, by adjusted-count on split-network."
    )


def test_every_property_has_a_verdict_of_its_own():
    found = worded_verdicts(Survey([share(), share(property="age=65..", value=0.3, blind=0.1)]))
    assert [one.headline.split(":")[0] for one in found] == [
        "Labels", "Features", "Share of people with sex=Male", "Share of people with age=65..",
    ]  # fmt: skip
    assert [one.verdict.level for one in found[2:]] == ["much", "none"]
    assert "no attack did better than adjusted counting on own columns" in found[3].headline


def test_an_attack_that_is_no_better_than_own_columns_looks_like_that():
    idle = share(attack="attribute-inference", value=0.05)
    assert (
        "No better than adjusted counting on own columns (within 0.021): attribute-inference on split-network "
        "(within 0.050)." in said([share(), idle]).notes
    )
    words = words_of([share(), idle])
    assert words.count("no better than adjusted counting on own columns") == 1


def test_where_a_blind_answer_is_nearly_right_there_is_nothing_to_gain_and_that_is_said():
    near = share(value=0.012, blind=0.0031, blind_kind="one half")
    assert said([near]).headline == (
        "Share of people with sex=Male: there is next to nothing to gain, because a guess of one half comes within "
        "0.0031 without the federation (adjusted-count on split-network: within 0.012)."
    )


def test_properties_are_compared_by_themselves():
    findings = [
        share(), share(defense="laplace-noise", value=0.02), share(property="age=65..", value=0.011),
        share(property="age=65..", defense="laplace-noise", value=0.01),
    ]  # fmt: skip
    survey = Survey(findings)
    assert [scene.first.property for scene in survey.scenes] == ["sex=Male", "age=65.."]
    assert [group.learned for group in tables(survey).strongest] == ["Share of sex=Male", "Share of age=65.."]
    titles = [chart(scene).title.partition(":")[0] for scene in survey.scenes]
    assert titles == ["Advantage on share of sex=Male against AUC", "Advantage on share of age=65.. against AUC"]
    male, old = (advice(scene)[0] for scene in survey.scenes)
    assert "laplace-noise brings the advantage down to" in male and male != old


def test_the_terminal_names_the_property_and_shows_small_errors(capsys):
    shown = printed(capsys, share(), share(property="age=65..", value=0.0333, blind=0.09))
    assert "share of sex=Male" in shown and "share of age=65.." in shown
    assert "within 0.0041" in shown and "within 0.033" in shown


def test_what_an_adversary_costs_that_tampers_stands_beside(capsys):
    shown = printed(capsys, tampering(utility=0.88))
    assert "+0.020" in shown and "by tampering" in shown
    assert "0.900 without tampering" in words_of([tampering(utility=0.88)])
    assert "without tampering" not in words_of([share()])


def test_a_defense_is_not_charged_for_what_tampering_costs():
    noise = {"defense": "laplace-noise", "defense_settings": {"scale": 0.01}}
    noisy = [share(**noise, value=0.02, utility=0.89), tampering(**noise, value=0.01, utility=0.7)]
    findings = [share(), tampering(utility=0.75), *noisy]
    assert [line.cost for line in summarize(findings)[2:]] == [pytest.approx(0.01), None]
    assert any("at a cost of 0.010" in sentence for sentence in said(findings).notes)


def test_what_was_blind_is_named_where_it_is_the_same_under_every_seed():
    (same,) = summarize([share(seed=0), share(seed=1)])
    assert same.blind_kind == "adjusted counting on own columns"
    (mixed,) = summarize([share(seed=0), share(seed=1, blind_kind="one half")])
    assert mixed.blind_kind == "best blind guess"


def test_the_table_of_shares_has_the_true_one_and_what_else_could_have_been_said():
    (table,) = fraction_errors(Survey([share(seed=0), share(seed=1, value=0.0061)]))
    assert table.estimates.rows == (
        (
            "adjusted-count", "split-network, by bank", "0.662", "0.658", "0.0051",
            "0.021\nown columns 0.021, one half 0.162, people asked 0.162", "adjusted 0.0061, counted 0.031",
        ),
    )  # fmt: skip
    assert table.summary == (
        "sex=Male: estimated within 0.0051 by adjusted-count on split-network; without the federation within 0.021 "
        "(adjusted counting on own columns)"
    )
    words = words_of([share()])
    assert "How many have it" in words and "0.662" in words and "0.01 is one person in a hundred" in words


def test_estimates_stand_nearest_first_and_without_a_defense():
    findings = [
        share(attack="distribution-comparison", value=0.02), share(), share(defense="laplace-noise", value=0.001),
        share(attack="attribute-inference", role="baseline", value=0.1),
    ]  # fmt: skip
    (table,) = fraction_errors(Survey(findings))
    assert [attack for attack, *_ in table.estimates.rows] == [
        "adjusted-count", "distribution-comparison", "attribute-inference (baseline)",
    ]  # fmt: skip


def test_withdrawing_rows_is_taken_apart_and_not_praised_where_they_can_be_put_back():
    withdrawn = share(defense="withdrawal", defense_settings={"share": 0.2}, value=0.0641,
                      other_metrics={**NUMBERS, **WITHDRAWN})  # fmt: skip
    findings = [share(), withdrawn, share(defense="laplace-noise", value=0.012)]
    (table,) = fraction_errors(Survey(findings))
    assert table.estimates.rows[-1][-1].splitlines()[1] == (
        "among the rows left 0.0041; withdrawing moved the share itself by 0.060; with the withdrawn put back 0.0052"
    )
    (scene,) = Survey(findings).scenes
    notes = advice(scene)
    assert notes[0].startswith("Lowest leak among the tried defenses: laplace-noise")
    assert notes[-1] == (
        "Not counted as protection: withdrawal (share=0.2). It moves the share, and the best estimate is off by 0.064; "
        "but who sees how many rows were withdrawn, and puts them back as people with the property, is off by 0.0052 "
        "(adjusted-count)."
    )
    (scene,) = Survey(findings).scenes
    assert "doubted" in chart(scene).kinds


def test_a_withdrawal_that_cannot_be_undone_counts_like_any_defense():
    far = {**WITHDRAWN, "error_putting_back": 0.09}
    withdrawn = share(defense="withdrawal", value=0.0641, other_metrics={**NUMBERS, **far})
    (scene,) = Survey([share(), withdrawn]).scenes
    assert advice(scene)[0].startswith("Lowest leak among the tried defenses: withdrawal")


def test_norms_are_drawn_for_one_undefended_seed_with_the_divergences_beside():
    def drawn(**changes):
        fields = {"pictures": {"VO": HISTOGRAMS, "AO": HISTOGRAMS}, "other_metrics": {**NUMBERS, **DIVERGENCES}}
        return share(**{"attack": "distribution-comparison", **fields, **changes})

    findings = [
        drawn(seed=0), drawn(seed=1), drawn(defense="laplace-noise", value=0.0),
        drawn(federation="summed-network", value=0.02), drawn(property="age=65.."),
    ]  # fmt: skip
    male, old = norm_pictures(Survey(findings))
    assert male.title == "sex=Male: distribution-comparison on split-network, by bank, seed 0"
    assert old.title.startswith("age=65..")
    assert [picture.kind for picture in male.pictures] == ["victim's outputs (VO)", "adversary's outputs (AO)"]
    curves = male.pictures[0].curves
    assert [(curve.share, curve.filled) for curve in curves] == [
        ("0%", True), ("25%", False), ("50%", False), ("75%", False), ("100%", True),
    ]  # fmt: skip
    assert curves[0].points == "0.0,100.0 0.0,0.0 120.0,0.0 120.0,75.0 240.0,75.0 240.0,100.0"
    assert (WIDTH, HEIGHT) == (240.0, 100.0)
    assert male.divergences.rows == (
        ("25 %", "0.0017", "0.0202", "0.9684"), ("100 %", "0.0327", "0.0876", "0.8692"),
    )  # fmt: skip
    page = render(Survey(findings))
    assert page.count("<polyline points") == 3 * 2 * 5 and "Bhattacharyya" in page


def test_norms_of_an_adversary_that_behaves_are_drawn_before_those_of_one_that_tampers():
    honest = share(attack="distribution-comparison", value=0.02, pictures={"VO": HISTOGRAMS})
    beyond = tampering(value=0.001, utility=0.8, pictures={"VO": HISTOGRAMS})
    (drawn,) = norm_pictures(Survey([beyond, honest]))
    assert "distribution-comparison" in drawn.title


@pytest.mark.parametrize(
    "held",
    [{}, {"edges": [0.0, 1.0], "shares": {}}, {"edges": [1.0, 1.0], "shares": {"0": [1.0]}},
     {"edges": [0.0, 1.0], "shares": {"0": [0.0]}}, {"edges": [0.0, 1.0], "shares": {"0": [0.5, 0.5]}}],
)  # fmt: skip
def test_pictures_without_anything_to_draw_are_left_out(held):
    (drawn,) = norm_pictures(Survey([share(pictures={"VO": held})]))
    assert drawn.pictures == ()
    assert "<polyline" not in render(Survey([share(pictures={"VO": held})]))


@pytest.mark.parametrize(
    ("bounds", "accuracy", "says"),
    [
        ([BOUND], "1.000", "vacuous: it allows practically everything"),
        ([TIGHT], "0.610", "the two worlds are told apart at most 61% of the time"),
        ([{k: v for k, v in TIGHT.items() if k != "accuracy"}], "–", "does not apply"),
        ([TIGHT, BOUND], "1.000", "vacuous"),
    ],
)
def test_the_bound_is_told_in_plain_words(bounds, accuracy, says):
    findings = [share(seed=seed, bounds={"distinguishing": bound}) for seed, bound in enumerate(bounds)]
    (bound,) = distinguishing_bounds(summarize(findings)).rows
    assert bound[-2] == accuracy and bound[-1].startswith(says)
    words = words_of(findings)
    assert says in words and "posterior" not in words  # it has its table, and is not told twice


def test_bounds_under_a_defense_are_told_only_where_they_say_something():
    findings = [share(), share(defense="top-k"), share(defense="laplace-noise", bounds={"distinguishing": TIGHT})]
    assert [row[4] for row in distinguishing_bounds(summarize(findings)).rows] == ["none", "laplace-noise"]


def test_gaps_name_the_property_and_share_a_line_where_the_reason_is_the_same():
    missing = [
        share(property=asked, federation="forest", value=None, status="not applicable", reason="No embeddings cross.")
        for asked in ("sex=Male", "age=65..")
    ]
    (gap,) = gaps(Survey(missing), "not applicable")
    assert gap.sentence == "adjusted-count for sex=Male and age=65.. on forest" and gap.runs == 2
    words = words_of([share(), *missing])
    assert "share of sex=Male and age=65.." in words


def test_an_audit_without_a_property_says_how_to_name_one():
    words = words_of([finding()])
    assert "was not looked at, because no property is named" in words and "--property COLUMN=VALUE" in words
    assert "was not looked at" not in words_of([finding(), share()])
    assert "was not looked at" not in words_of([])


def test_names_of_properties_are_text():
    hostile = "job=<script>alert(1)</script>"
    findings = [share(property=hostile, pictures={"<b>VO": HISTOGRAMS})]
    page = render(Survey(findings))
    assert "<script>alert(1)" not in page and "<b>VO" not in page and hostile in words_of(findings)


def test_the_gate_names_the_property_and_wants_each_measured(tmp_path):
    write_findings(tmp_path, [share(), share(property="age=65..", value=0.09, blind=0.1)])
    assert typed("gate --max properties=0.2", tmp_path, status=1).stderr.splitlines() == [
        "properties: the advantage of adjusted-count by bank for sex=Male on split-network with defense none is 0.808, "
        "above the limit of 0.2 (1 seed).",
        "Warning: One seed stands behind these numbers: how far they move with another is not known.",
    ]
    missing = share(property="job=smith", value=None, status="not applicable", reason="Too few rows.")
    write_findings(tmp_path, [share(value=0.02), missing])
    assert typed("gate --max properties=0.2", tmp_path, status=1).stderr.splitlines()[0] == (
        "properties: nothing was measured about job=smith, so the limit of 0.2 is not known to hold."
    )
