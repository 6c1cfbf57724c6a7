"""Terminal, page and gate read the same survey, so that they cannot contradict each other."""

from importlib.resources import files

from imagined_findings import finding
from seepage.audit.findings.gate import Limits, violations
from seepage.audit.findings.survey import Survey
from seepage.report.advice import advice
from seepage.report.overview import overview
from seepage.report.page import SECTIONS
from seepage.report.rows import tables

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
