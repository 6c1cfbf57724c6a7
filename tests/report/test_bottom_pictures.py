"""What a bottom model knows and who is relied on, drawn from findings made by hand."""

from functools import partial
from html import unescape

import pytest

from imagined_findings import finding
from report_words import without_scripts
from seepage.audit.findings.finding import Finding, to_lines
from seepage.audit.findings.survey import Survey
from seepage.report import render
from seepage.report.pictures.bottom_pictures import COLORS, bottom_pictures
from seepage.report.pictures.norm_pictures import norm_pictures
from seepage.report.plain_table import Bar

PROJECTION = {"grid": 4, "classes": 2, "rows": 9, "counts": [[0, 0, 0, 4], [3, 2, 0, 1], [3, 2, 1, 3], [1, 1, 1, 1]]}
MAPS = [{"party": "hospital", "map": [[0, 51], [102, 255]]}, {"party": "lab", "map": [[0], [0]]}]
PICTURES = {"projection": PROJECTION, "reliance": {"hospital": 0.25, "lab": 0.75}, "attention": MAPS}
HEADING = "What the adversary's bottom model knows"


completed = partial(finding, federation="split-network", attack="model-completion", value=0.9, pictures=PICTURES)
"""A finding of an attack on the bottom model of the lab."""
tampered = partial(completed, attack="active-completion", tampering="ActiveCompletion()",
                   pictures={**PICTURES, "reliance": {"hospital": 0.1, "lab": 0.9}})  # fmt: skip


def section_of(findings):
    """Return the section of these pictures as it is written, without style and scripts."""
    sections = without_scripts(render(Survey(findings))).split("<section")[1:]
    return next((part for part in sections if HEADING in unescape(part)), "")


def test_the_honest_run_stands_beside_the_one_that_was_tampered_with():
    weaker = completed(attack="linear-probe", value=0.8)
    under = completed(defense="laplace-noise", value=1.0)
    (drawn,) = bottom_pictures(Survey([weaker, completed(), completed(seed=1), tampered(), under]))
    assert drawn.title == "breast_cancer: split-network, by lab, seed 0" and drawn.details == ""
    assert [(panel.kind, panel.attack) for panel in drawn.panels] == [
        ("honest in training", "model-completion"), ("tampering in training", "active-completion"),
    ]  # fmt: skip
    assert drawn.classes == (("class 0", COLORS[0]), ("class 1", COLORS[1]))
    assert drawn.shares.rows == (
        ("hospital", Bar("25.0 %", 25.0, "unknown"), Bar("10.0 %", 10.0, "unknown")),
        ("lab\nthe adversary", Bar("75.0 %", 75.0, "much"), Bar("90.0 %", 90.0, "much")),
    )


def test_squares_grow_with_their_rows_and_are_cut_by_class():
    (drawn,) = bottom_pictures(Survey([completed()]))
    full, first, second, single = drawn.panels[0].marks
    assert (full.x, full.y, full.width, full.height, full.color) == ("0.0", "0.0", "60.0", "60.0", COLORS[0])
    assert (first.x, first.width, first.color) == ("180.0", "15.0", COLORS[0])
    assert (second.x, second.width, second.color) == ("195.0", "45.0", COLORS[1])
    assert float(single.width) == float(single.height) < 60 * 0.75


def test_maps_lie_side_by_side_and_are_cut_between_parties():
    (drawn,) = bottom_pictures(Survey([completed()]))
    attention = drawn.panels[0].attention
    assert (attention.width, attention.height, attention.cuts) == (3.0, 2.0, (2.0,))
    left, right = attention.pieces
    assert [bright for *_, bright in left.squares] == ["0.00", "0.20", "0.40", "1.00"]
    assert [(x, y) for x, y, *_ in right.squares] == [(2.0, 0.0), (2.0, 1.0)]
    higher = [MAPS[0], {"party": "lab", "map": [[9], [9], [9], [9]]}]
    (drawn,) = bottom_pictures(Survey([completed(pictures={"attention": higher})]))
    assert (drawn.panels[0].attention.width, drawn.panels[0].attention.height) == (5.0, 4.0)


def test_the_page_draws_what_there_is_and_says_how_to_read_it():
    whole = section_of([completed(), tampered()])
    assert whole.count('class="plane"') == whole.count('class="heat"') == 2
    assert whole.count('<path fill="#') == 2 * 2 and whole.count("<line ") == 2 and whole.count('role="img"') == 4
    assert "M0.0 0.0h60.0v60.0h-60.0z" in whole and 'fill-opacity="0.20"' in whole
    assert "GradCAM" in whole and "t-SNE" in whole and "75.0 %" in whole and "the adversary" in whole
    tables = section_of([completed(pictures={"projection": PROJECTION, "reliance": {"lab": 1.0}})])
    assert 'class="plane"' in tables and "GradCAM" not in tables
    shares = section_of([completed(pictures={"reliance": {"lab": 1.0}})])
    assert "100.0 %" in shares and "<svg class=\"plane\"" not in shares  # fmt: skip


def test_federations_that_differ_in_a_setting_are_told_apart():
    findings = [completed(model_settings={"bottom": kind, "epochs": 9}) for kind in ("mlp", "resnet")]
    assert [drawn.details for drawn in bottom_pictures(Survey(findings))] == ["bottom=mlp", "bottom=resnet"]


def test_classes_beyond_the_tenth_share_colors():
    many = {**PROJECTION, "classes": 25, "counts": [[0, 0, 23, 1]]}
    (drawn,) = bottom_pictures(Survey([completed(pictures={"projection": many})]))
    assert drawn.panels[0].marks[0].color == COLORS[3]
    assert [name for name, _ in drawn.classes][3:6] == ["classes 3, 13, 23", "classes 4, 14, 24", "classes 5, 15"]


@pytest.mark.parametrize(
    "pictures",
    [{}, {"projection": {}}, {"projection": {**PROJECTION, "counts": []}}, {"projection": {**PROJECTION, "grid": 0}},
     {"reliance": {}}, {"attention": []}, {"attention": [{"party": "lab", "map": []}]}],
)  # fmt: skip
def test_where_nothing_can_be_drawn_there_is_no_section(pictures):
    assert bottom_pictures(Survey([completed(pictures=pictures)])) == []
    assert section_of([completed(pictures=pictures)]) == ""


def test_pictures_of_other_findings_and_under_a_defense_are_not_shown():
    others = [
        completed(asset="properties", property="sex=Male", metric="fraction_error"), completed(defense="top-k"),
        completed(status="failed", value=None, reason="out of memory"),
    ]  # fmt: skip
    assert bottom_pictures(Survey(others)) == []
    assert norm_pictures(Survey([completed()])) == []


def test_names_of_parties_are_text():
    hostile = "<script>alert(1)</script>"
    pictures = {**PICTURES, "reliance": {hostile: 1.0}, "attention": [{"party": hostile, "map": [[1, 2]]}]}
    findings = [completed(adversary=(hostile,), pictures=pictures)]
    assert "<script>alert(1)" not in render(Survey(findings))
    assert unescape(section_of(findings)).count(hostile) >= 4


def test_pictures_survive_being_written_and_read():
    assert '"projection"' in to_lines([completed()])
    assert Finding.from_json(completed().to_json()) == completed()
