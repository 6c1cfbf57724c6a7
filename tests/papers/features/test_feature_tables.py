"""Tables and figures of paper 002, small, from plan to printed lines."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

from imagined_orders import Imagined, changed
from seepage.data import sources
from seepage.papers.catalog import TABLES
from seepage.papers.features import feature_attacks, feature_bounds, feature_figures
from seepage.papers.features.feature_setting import (
    GENERATED,
    PER_TREE,
    RF,
    FeatureData,
    feature_plan,
    published_grn,
)
from seepage.papers.order import Order

QUICK = {"steps": 3, "fade_steps": 3, "restarts": 0, "draws": 1, "dummy_rows": 50, "surrogate_steps": 3}
QUICKLY = replace(GENERATED, settings=QUICK)
WINE = FeatureData("wine", (178, 13), 3)


def numbers(attack, defense, defended):
    return {"asset": "features", "value": 0.1, "blind": 0.2}


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
    models = ("logistic-regression", "forest", PER_TREE)
    found = quick(feature_attacks.FIGURE7, models=models, shares=(0.3,))
    assert tuple(line["model"] for line in found) == models
    assert all(line["seeds"] == "1" and not line["remark"] for line in found)


@pytest.mark.parametrize("table", ["FIGURE7", "FIGURE7_PUBLISHED", "FIGURE8"])
def test_the_six_shares_of_the_paper_have_a_line_each(table):
    imagined = Imagined(numbers=numbers, only="bank_additional")
    lines = getattr(feature_attacks, table).lines(imagined)
    assert {line["target share"] for line in lines} == {"10%", "20%", "30%", "40%", "50%", "60%"}
    assert "forest" in {line["model"] for line in lines}
    if table == "FIGURE8":  # the text says two numbers that its figures show
        assert {line["target share"] for line in lines if line["paper"] == "> 0.80"} == {"10%"}
    assert all(plan.split == "stratified" for plan in imagined.asked.values())


def test_the_forest_of_the_paper_is_that_of_scikit_learn_and_ours_is_another():
    plans = [feature_plan(WINE, model, [QUICKLY], share=0.3, seeds=1) for model in (RF, PER_TREE)]
    (paper,), (ours,) = (plan.federations for plan in plans)
    theirs = RandomForestClassifier()
    assert paper.name == ours.name == "forest"
    assert paper.settings["columns_per_split"] == theirs.max_features == "sqrt" and paper.settings["column_sample"] == 1
    assert paper.settings["row_sample"] == pytest.approx(1 - np.exp(-1), abs=1e-3)  # what a bootstrap sample holds
    assert "columns_per_split" not in ours.settings


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


def test_more_predictions_have_a_line_each_at_both_settings():
    data = FeatureData("breast_cancer", (569, 30), 2)
    imagined = Imagined(numbers=numbers, seeds=1)
    changed(feature_figures.FIGURE9, (data,)).lines(imagined)
    (plan,) = imagined.asked.values()
    assert plan.split == "0.5"
    assert [one.settings["predictions"] for one in plan.attacks] == [57, 57, 171, 171, 284, 284]
    ours, theirs = plan.attacks[0::2], plan.attacks[1::2]
    assert len({one.settings.get("steps") for one in ours}) == 1  # as many rows are seen whatever n is
    assert [one.settings["steps"] for one in theirs] == [60 * batches for batches in (1, 3, 5)]
    found = lines(feature_figures.FIGURE9, data, parts=(0.1, 0.5), attack=QUICKLY)
    assert [(line["n"], line["predictions"]) for line in found] == [("10%", "57"), ("50%", "284")]
    assert all(0 < float(line["GRN"]) < 1 and 0 < float(line["GRN, authors' settings"]) < 1 for line in found)


def test_every_unknown_column_has_a_line_with_its_correlations():
    *found, ordered = lines(feature_figures.FIGURE10, shares={"wine": 0.4})
    errors = [float(line["MSE"]) for line in found]
    assert len(found) == 5 and errors == sorted(errors) and {line["target share"] for line in found} == {"40%"}
    assert all(0 <= float(line["correlation, own columns"]) <= 1 for line in found)
    own = [float(line["correlation, own columns"]) for line in found]
    assert float(ordered["correlation, own columns"]) == pytest.approx(spearmanr(errors, own).statistic, abs=1e-3)


def test_the_bound_over_all_columns_is_twice_the_mean_square():
    printed, ours = lines(feature_bounds.BOUNDS, FeatureData("wine", (178, 13), 3, bound=0.5))
    units = load_wine().data
    units = (units - units.min(axis=0)) / np.ptp(units, axis=0)
    assert (printed["whose"], printed["Eq. 15"]) == ("paper", "0.50")
    assert float(ours["Eq. 15"]) == pytest.approx(2 * np.mean(units**2), abs=1e-4)
    assert (ours["rows"], ours["columns"], ours["classes"]) == ("178", "13", "3")


@pytest.mark.parametrize("table", ["bounds", *(f"figure{n}" for n in range(5, 11)), "figure7-published",
                                   "figure11-rounding", "figure11-dropout"])  # fmt: skip
def test_credit_cards_are_a_line_of_every_table_though_their_file_is_not_here(table, tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    found = TABLES[f"feature/{table}"].lines(Order(only="credit_card", seeds=1))
    ours = [line for line in found if line.get("whose") != "paper"]
    assert ours and all(line["remark"].startswith("not here: 'credit_card.csv' is expected") for line in ours)
