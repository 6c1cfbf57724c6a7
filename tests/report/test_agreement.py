"""Terminal, page and gate read the same survey, so that they cannot contradict each other."""

import re
from importlib.resources import files

import pytest

from imagined_findings import finding
from seepage.audit.findings.comparison import compared
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.gate import Demand, Limits, checks, violations
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.survey import Survey
from seepage.report.advice import advice, kept_share
from seepage.report.first_words import first_words
from seepage.report.lines import lines
from seepage.report.overview import overview
from seepage.report.page import SECTIONS
from seepage.report.parts.matrix_table import matrix
from seepage.report.pictures.charts import chart
from seepage.report.rows import tables
from seepage.report.sentences import worded_verdicts
from seepage.scores.digits import number

FAINT = {"value": 0.63}  # where a blind guess earns 0.627


def test_the_strongest_guesses_of_the_terminal_are_those_of_the_page(audit):
    survey = Survey(audit)
    shown = {(row[2], row[3], row[4].split(" (")[0], row[7].split(" ")[0]) for row in overview(survey).rows}
    assert shown == {
        (row.attack.splitlines()[0], group.federation, row.defense.splitlines()[0], row.advantage)
        for group in tables(survey).strongest
        for row in group.rows
    }


def test_of_two_that_reach_the_same_the_one_that_is_right_where_it_answers_is_the_stronger():
    silent = finding(value=0.3, other_metrics={"abstained": 0.7, "top1_answered": 1.0})
    survey = Survey([finding(attack="linear-probe", value=0.3), silent])
    assert overview(survey).rows[0][2] == "gradient-sign"
    (group,) = tables(survey).strongest
    assert [row.attack for row in group.rows] == ["gradient-sign"]
    assert group.rows[0].answered == overview(survey).rows[0][7].splitlines()[1] == "1.000 on the 30% answered"


def test_one_line_stands_for_all_only_where_nothing_is_left_unmeasured():
    tried = [finding(**FAINT, attack=attack) for attack in ("gradient-sign", "linear-probe")]
    under = finding(**FAINT, defense="top-k")
    quiet = Survey([*tried, under, finding(**FAINT, attack="linear-probe", defense="top-k")])
    assert len(overview(quiet).rows) == 1 and len(overview(quiet, every=True).rows) == 2
    assert advice(quiet.scenes[0]) == ("There is next to nothing to lower, with or without a defense.",)
    failed = finding(value=None, attack="linear-probe", defense="top-k", status="failed", reason="out of memory")
    gap = Survey([*tried, under, failed])
    assert len(overview(gap).rows) == 2
    assert "Not compared: top-k, because it has no number for linear-probe." in advice(gap.scenes[0])


def test_a_defense_is_called_the_same_everywhere():
    findings = [finding(), finding(defense="sign-gradients", defense_settings={"scale": 1.0})]
    survey, name = Survey(findings), "sign-gradients (scale=1)"
    assert overview(survey).rows[1][4] == name and name in advice(survey.scenes[0])[0]
    assert any(f"with defense {name} is" in said for said in violations(findings, Limits({"labels": 0.2})))


def test_every_section_has_a_template_and_every_template_a_section():
    partials = {path.name: path.read_text() for path in files("seepage.report").joinpath("partials").iterdir()}
    used = {name for name in partials if any(f"partials/{name}" in text for text in partials.values())}
    assert partials.keys() - used == {f"{section.partial}.html.j2" for section in SECTIONS}


@pytest.fixture
def gained(audit):
    """The same audit, where the label holder alone is a little worse, and the lab's columns are attacked as well."""
    alone = {0: 0.83, 1: 0.84, 2: 0.835}
    known = [
        one.model_copy(update={"utility_alone": alone[one.seed], "audited_rows": 400, "all_rows": 569}) for one in audit
    ]
    stolen = {"asset": "features", "adversary": ("hospital",), "attack": "embedding-inversion", "metric": "mse"}
    error = {"blind": 0.08, "ceiling": 0.0, "blind_kind": "constant ½"}
    return known + [
        one.model_copy(update={**stolen, **error, "value": 0.01 + 0.06 * (1 - one.utility) + 0.001 * one.seed})
        for one in known
        if one.attack == "gradient-sign" and one.status == "ok"
    ]


def test_every_trial_has_one_line_in_the_frame_with_the_numbers_that_are_quoted(gained):
    survey, frame = Survey(gained), Findings(tuple(gained)).to_frame()
    strongest = frame[frame["strongest"]].astype(object).where(frame.notna(), None)
    trials = [trial for scene in survey.scenes for trial in scene.trials if trial.strongest]
    assert len(strongest) == len(trials) == 36
    quoted = {
        (one["asset"], one["federation"], one["defense"], one["attack"], one["advantage"], one["utility"]): one
        for one in strongest.to_dict("records")
    }
    for trial in trials:
        first, line = trial.strongest.first, trial.strongest
        row = quoted[
            first.asset, first.federation, first.defense or "none", first.attack, trial.advantage.mean, line.utility
        ]
        assert (row["strongest_low"], row["strongest_high"]) == (trial.advantage.low, trial.advantage.high)
        assert row["utility"] == pytest.approx(trial.utility.mean) and row["utility_alone"] == pytest.approx(0.835)
        for name, interval in (("cost", trial.cost), ("kept", trial.kept)):
            held = (row[name], row[f"{name}_low"], row[f"{name}_high"])
            assert held == ((interval.mean, interval.low, interval.high) if interval else (None, None, None))


def test_terminal_page_verdict_and_gate_quote_the_same_numbers(gained):
    survey = Survey(gained)
    page = {(row.defense, group.federation, row.attack, row.advantage, row.interval)
            for group in tables(survey).strongest for row in group.rows}  # fmt: skip
    table = {(row[3], row[7]) for row in overview(survey, every=True).rows}
    told = {row[:3]: row for row in lines(survey).rows}
    complaints = [
        one.sentence
        for check in checks(survey, Demand(limits=Limits({"labels": 0.0, "features": 0.0}), upper=True))
        for one in check.complaints
    ]
    for scene in survey.scenes:
        if not scene.attacked:
            continue
        first, found = scene.first, compared(scene)
        row = told[first.asset, *first.adversary, first.federation]
        assert row[3].splitlines()[0] == str(scene.undefended.advantage)
        assert row[4].splitlines()[0] == str(found.lowest.advantage)
        if found.cheapest and found.cheapest is not found.lowest:
            assert row[5].splitlines()[0] == str(found.cheapest.advantage)
        if found.cheapest:
            assert f"cost {number(found.cheapest.cost.mean)} AUC" in row[5]
            assert f"keeps {kept_share(found.cheapest.kept)}" in row[5]
        for trial in scene.trials:
            mean, line = number(trial.advantage.mean), trial.strongest
            assert (first.federation, str(trial.advantage)) in table
            assert any(one[1] == first.federation and one[3:] == (mean, trial.advantage.bounds) for one in page)
            said = f"on {first.federation} with defense {defense_label(trial.first)} is {line.advantage}, above"
            assert any(said in sentence for sentence in complaints)
    worst = [verdict for verdict in worded_verdicts(survey) if verdict.verdict.advantage]
    opened = " ".join(first_words(survey).sentences)
    for said in worst:
        quoted = said.verdict.home[1].advantage
        assert str(quoted) in said.headline and f"advantage {quoted} by" in opened
    marks = survey.certainty.marks
    assert marks == ("a sample of 400 of 569 rows",)
    with_numbers = [said for said in (*first_words(survey).sentences, *complaints) if re.search(r"\d\.\d{3}", said)]
    assert len(with_numbers) > 36 and all("a sample" in said for said in with_numbers)


def test_matrix_and_charts_quote_the_numbers_of_the_tables(gained):
    survey = Survey(gained)
    cells = {(row.learned.lower(), cell.federation): cell for row in matrix(survey).rows for cell in row.cells}
    for scene in survey.scenes:
        if not scene.attacked:
            continue
        quoted, cell = scene.undefended.advantage, cells[scene.first.asset, scene.first.federation]
        assert (cell.advantage, cell.interval) == (number(quoted.mean), quoted.bounds)
        drawn = [mark.words.partition(": ")[2] for mark in chart(scene).marks]
        assert drawn == [f"advantage {trial.advantage}, AUC {trial.utility}" for trial in scene.trials]
        assert chart(scene).alone.name == f"label holder alone {number(scene.alone.mean)}"
