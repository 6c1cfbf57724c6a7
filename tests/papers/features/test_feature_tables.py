"""Tables and figures of paper 002, small, from plan to printed lines."""

from dataclasses import replace

import pytest

from imagined_orders import changed
from seepage.papers.features import feature_attacks, feature_figures
from seepage.papers.features.feature_setting import GENERATED, FeatureData, published_grn
from seepage.papers.order import Order

QUICK = {"steps": 3, "fade_steps": 3, "restarts": 0, "draws": 1, "dummy_rows": 50, "surrogate_steps": 3}
QUICKLY = replace(GENERATED, settings=QUICK)
WINE = FeatureData("wine")


def lines(table, data=WINE, **layout):
    return changed(table, (data,), **layout).lines(Order(seeds=1))


def quick(table, **layout):
    readings = table.rows.keywords["readings"]
    settings = {GENERATED.attack: QUICK}
    return lines(table, readings=[replace(one, settings=settings.get(one.attack, {})) for one in readings], **layout)


def test_equality_solving_is_exact_where_it_says_so():
    few, many = quick(feature_attacks.FIGURE5, shares=(0.15, 0.5))
    assert (few["target share"], few["exact"], few["ESA"], few["bounded"]) == ("15%", "1.0000", "0.0000", "0.0000")
    assert many["exact"] == "0.0000" and 0 < float(many["bounded"]) < float(many["½"]) < float(many["uniform"])
    assert float(many["ESA"]) <= float(many["Eq. 15"])


def test_path_restriction_stands_beside_two_guesses():
    (line,) = quick(feature_attacks.FIGURE6, shares=(0.5,))
    assert float(line["PRA"]) > max(float(line["own columns"]), float(line["any path"]))


def test_generative_regression_has_a_line_for_each_model():
    linear, forest = quick(feature_attacks.FIGURE7, models=("logistic-regression", "forest"), shares=(0.3,))
    assert (linear["model"], forest["model"]) == ("logistic-regression", "forest")
    assert linear["seeds"] == forest["seeds"] == "1" and not linear["remark"]


def test_every_defense_has_a_line():
    table = feature_figures.FIGURE11_ROUNDING
    found = quick(table, variants=table.rows.keywords["variants"][:2])
    assert [line["defense"] for line in found] == ["none", "rounding, 3 digits"]
    assert all(float(line["bounded"]) < float(line["½"]) for line in found)


def test_the_ablation_prints_the_paper_s_numbers_beside_both_of_ours():
    found = lines(feature_attacks.TABLE3, attack=QUICKLY)
    assert [line["paper"] for line in found[:6]] == ["0.1705", "0.1514", "0.1474", "0.2862", "0.1216", "0.2459"]
    assert found[5]["ours, authors' settings"] == found[5]["ours, defaults"]  # guesses know nothing of settings
    assert all(float(line["ours, defaults"]) > 0 for line in found)


def test_published_settings_follow_the_table():
    settings = published_grn(WINE, 0.4)
    assert settings["steps"] == 60 and settings["batch"] == 64  # 36 predictions are one batch
    assert settings["variance_weight"] == pytest.approx(0.25 * 5 / 64)  # 5 of 13 columns are unknown


def test_more_predictions_have_a_line_each():
    found = lines(feature_figures.FIGURE9, FeatureData("breast_cancer"), parts=(0.2, 0.9), attack=QUICKLY)
    assert [line["predictions"] for line in found] == ["23", "102"]


def test_every_unknown_column_has_a_line_with_its_correlations():
    found = lines(feature_figures.FIGURE10)
    errors = [float(line["MSE"]) for line in found]
    assert len(found) == 5 and errors == sorted(errors)
    assert all(0 <= float(line["correlation, own columns"]) <= 1 for line in found)
