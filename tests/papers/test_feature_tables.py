"""Tables and figures of paper 002, small, from plan to printed lines."""

from dataclasses import replace

import pytest

from seepage.papers import ablation_table, correlation_figure, feature_figures, predictions_figure
from seepage.papers.feature_setting import published_grn
from seepage.papers.readings import Reading
from seepage.papers.reproducing import reproduce_table

QUICK = {"steps": 3, "fade_steps": 3, "restarts": 0, "draws": 1, "dummy_rows": 50, "surrogate_steps": 3}


def lines(table, **settings):
    made = reproduce_table(table, **{"only": None, "seeds": 1, "out": None, "jobs": 0, "device": "cpu",
                                     "progress": lambda *_: None, **settings})  # fmt: skip
    return [dict(zip(line.headings, line.cells, strict=True)) for line in made]


def quick(table):
    readings = tuple(
        replace(reading, settings=QUICK) if reading.attack == "generative-regression" else reading
        for reading in table.readings
    )
    return replace(table, data=("wine",), readings=readings)


def test_equality_solving_is_exact_where_it_says_so():
    few, many = lines(replace(quick(feature_figures.EQUATIONS), shares=(0.15, 0.5)))
    assert (few["target share"], few["exact"], few["ESA"], few["bounded"]) == ("15%", "1.0000", "0.0000", "0.0000")
    assert many["exact"] == "0.0000" and 0 < float(many["bounded"]) < float(many["½"]) < float(many["uniform"])
    assert float(many["ESA"]) <= float(many["Eq. 15"])


def test_path_restriction_stands_beside_two_guesses():
    (line,) = lines(replace(quick(feature_figures.PATHS), shares=(0.5,)))
    assert float(line["PRA"]) > max(float(line["own columns"]), float(line["any path"]))


def test_generative_regression_has_a_line_for_each_model():
    table = replace(quick(feature_figures.GENERATED), models=("logistic-regression", "forest"), shares=(0.3,))
    linear, forest = lines(table)
    assert (linear["model"], forest["model"]) == ("logistic-regression", "forest")
    assert linear["seeds"] == forest["seeds"] == "1" and not linear["remark"]


def test_every_defense_has_a_line():
    found = lines(replace(quick(feature_figures.ROUNDED), variants=feature_figures.ROUNDED.variants[:2]))
    assert [line["defense"] for line in found] == ["none", "rounding, 3 digits"]
    assert all(float(line["bounded"]) < float(line["½"]) for line in found)


def test_the_ablation_prints_the_paper_s_numbers_beside_both_of_ours():
    cases = tuple(replace(case, changes={**QUICK, **case.changes}) for case in ablation_table.TABLE.cases)
    found = lines(replace(ablation_table.TABLE, data=("wine",), cases=cases))
    assert [line["paper"] for line in found[:6]] == ["0.1705", "0.1514", "0.1474", "0.2862", "0.1216", "0.2459"]
    assert found[5]["ours, authors' settings"] == found[5]["ours, defaults"]  # guesses know nothing of settings
    assert all(float(line["ours, defaults"]) > 0 for line in found)


def test_published_settings_follow_the_table():
    settings = published_grn("wine", 0.4)
    assert settings["steps"] == 60 and settings["batch"] == 64  # 36 predictions are one batch
    assert settings["variance_weight"] == pytest.approx(0.25 * 5 / 64)  # 5 of 13 columns are unknown


def test_more_predictions_have_a_line_each(monkeypatch):
    monkeypatch.setattr(predictions_figure, "Reading", lambda label, attack, settings, *metric: Reading(
        label, attack, {**QUICK, **settings}, *metric
    ))  # fmt: skip
    found = lines(replace(predictions_figure.FIGURE, data=("breast_cancer",), parts=(0.2, 0.9)))
    assert [line["predictions"] for line in found] == ["23", "102"]


def test_every_unknown_column_has_a_line_with_its_correlations():
    found = lines(replace(correlation_figure.FIGURE, data=("wine",)))
    errors = [float(line["MSE"]) for line in found]
    assert len(found) == 5 and errors == sorted(errors)
    assert all(0 <= float(line["correlation, own columns"]) <= 1 for line in found)
