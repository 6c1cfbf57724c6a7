"""A metric is one entry of a table, and everything else asks it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.gate import Limits, violations
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.survey import Survey
from seepage.audit.stages.attacking import numbers
from seepage.report.page import render
from seepage.scores import Score
from seepage.scores.metrics import LEARNED, METRICS, Metric, metric_of

PLANTED = Metric(
    name="income_error",
    title="error of incomes",
    meaning="How many coins a guessed income is off, in the mean.",
    is_error=True,
    full="exact incomes",
    constants={"poverty": 900.0},
    narrow=0.5,
    written=lambda value: "nothing" if value is None else f"{value:.0f} coins",
    reached={amount: f"count the coins of {{}} ({amount})" for amount in LEARNED},
    blind_phrases={"wage table": "the table of wages"},
    reference=("income_error_neighbors", "asking the neighbors"),
)


@pytest.fixture
def planted(monkeypatch):
    monkeypatch.setitem(METRICS, PLANTED.name, PLANTED)
    return PLANTED


def found(metric, seed=0, **changes):
    score = Score.of(metric, 40.0 + seed, {"wage table": 400.0}, {"income_error_neighbors": 80.0})
    facts = {"data": "people", "encoding": "one-hot", "scaling": "standard", "federation": "forest", "parties": 2}
    asked = {"adversary": ("lab",), "attack": "counting", "asset": "features", "seed": seed}
    worth = {"utility_metric": "auc", "utility": 0.9, "utility_undefended": 0.9}
    return Finding(**{**facts, **asked, **worth, **numbers(score), **changes})


def test_a_new_metric_goes_from_score_to_report_by_its_entry_alone(planted, capsys):
    from seepage.cli.tables import print_survey

    findings = [found(planted, seed) for seed in range(2)]
    assert (findings[0].blind, findings[0].blind_kind) == (400.0, "wage table")  # the least error, and not the most
    assert (findings[0].ceiling, findings[0].ceiling_kind, findings[0].advantage) == (0.0, "exact incomes", 0.9)
    (line,) = summarize(findings)
    assert line.measure is planted and line.advantage.mean == pytest.approx(1 - 40.5 / 400)
    assert len(violations(findings, Limits.parse(["features=0.2"]))) == 1
    print_survey(Survey(findings), "people")
    printed = capsys.readouterr().out
    assert "40 coins" in printed and "400 coins" in printed
    page = render(Survey(findings))
    for words in (
        "count the coins of feature values (much)",
        "error of incomes 40 coins where the table of wages earns 400 coins",
        "asking the neighbors 80 coins",
        planted.meaning,
        "exact incomes",
    ):
        assert words in page


def test_a_new_metric_decides_what_is_too_narrow(planted):
    assert Score.of(planted, 0.2, {"wage table": 0.4}).advantage is None
    (line,) = summarize([found(planted, value=0.2, blind=0.4, advantage=None)])
    assert line.advantage is None


def test_a_metric_that_the_table_lacks_is_told_as_it_is_called():
    page = render(Survey([found(PLANTED)]))
    assert PLANTED.name not in METRICS and "income error 40.000, blind guess 400.000" in page


@given(
    name=st.sampled_from(sorted(METRICS)),
    values=st.dictionaries(st.text(min_size=1), st.floats(0, 1), min_size=1, max_size=5),
)
def test_no_blind_guess_beats_the_one_that_counts_and_nobody_beats_the_ceiling(name, values):
    metric = metric_of(name)
    score = Score.of(metric, 0.5, values)
    others = {**metric.constants, **values}.values()
    assert score.blind == (min if metric.is_error else max)(others)
    assert abs(score.ceiling - score.blind) <= min(abs(score.ceiling - other) for other in others)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_every_metric_has_words_for_every_level_and_writes_what_is_missing(metric):
    assert list(metric.reached) == list(LEARNED)
    assert metric.written(None) == "–" and metric.title and (not metric.meaning or metric.meaning.endswith("."))
