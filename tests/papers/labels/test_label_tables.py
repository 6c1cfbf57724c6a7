"""Tables and figures of paper 001 with completed bottom models, from plan to printed lines."""

from dataclasses import replace
from functools import partial

import pytest

import imagined_orders
from imagined_orders import changed
from seepage.data import sources
from seepage.papers.catalog import TABLES
from seepage.papers.labels.label_appendix_e import APPENDIX_E, OWN, VICTIM
from seepage.papers.labels.label_direct import DIRECT, DIRECT_PASSIVE
from seepage.papers.labels.label_figures import CHOICES, FAMILIES, FIGURE2, FIGURE3, FIGURE5
from seepage.papers.labels.label_gpu import CIFAR10, CIFAR10_CHOICES, CIFAR10_FIGURE5, CIFAR10_TABLE6
from seepage.papers.labels.label_setting import BREAST_CANCER
from seepage.papers.labels.label_tables import TABLE2, TABLE3, TABLE4
from seepage.papers.order import Order
from seepage.papers.readings import interval

BOTH = {"top1_linear_probe": 0.7, "f1": 0.6, "auc": 0.9, "blind_own_columns": 0.4, "top1_epoch_1": 0.55}
CHAIN = {"variance[mean radius]": 0.03, "quarter[mean radius]": 0.6}


def numbers(attack, defense, defended):
    """Active beats passive by 0.1 and costs 0.02."""
    active = attack == "active-completion"
    return {
        "asset": "labels", "ceiling": 0.95, "blind": 0.5,
        "value": 0.003 if attack == "label-chain" else 0.7 if active else 0.6,
        "other_metrics": {
            **BOTH, **CHAIN, "top1_epoch_10": 0.65, "top1_new": 0.59, "blind_new": 0.49, "top1_all_labels": 0.95,
        },
        "utility_metrics": {"accuracy": 0.88 if active else 0.9},
    }  # fmt: skip


Imagined = partial(imagined_orders.Imagined, numbers=numbers)


def test_tables_2_to_4_share_their_trainings():
    asked = []
    for table in (TABLE2, TABLE3, TABLE4):
        order = Imagined(only="digits")
        table.lines(order)
        asked.append(order.asked)
    assert asked[0] == asked[1] == asked[2] and list(asked[0]) == ["digits"]
    (plan,) = asked[0].values()
    counts = [one.settings["labels_per_class"] for one in plan.attacks if one.name == "model-completion"]
    assert counts == [1, 2, 4, 12, 32] and len(plan.seeds) == 5
    (active,) = [one.settings for one in plan.attacks if one.name == "active-completion"]
    assert active == {"labels_per_class": 4, "bottom": "tuned", "learner": {"epochs": 10, "iterations": 30}}


def test_table2_tells_f1_and_auc_where_top1_says_little_and_has_the_paper_s_lines():
    order = Imagined()
    found = TABLE2.lines(order)
    assert list(order.asked) == [dataset.data for dataset in TABLE2.shown]
    assert order.asked["fashion_mnist"].data.rows == 10_000 and len(order.asked["criteo_hashed"].seeds) == 3
    ads = [line for line in found if line["data"] == "criteo_balanced"]
    assert [(line["rows"], line["whose"], line["measure"]) for line in ads] == [
        (part, *kind)
        for part in ("training", "test")
        for kind in (("paper", "top-1"), ("ours", "top-1"), ("ours", "F1"), ("ours", "AUC"))
    ]
    assert (ads[0]["passive"], ads[0]["active"], ads[4]["active"]) == ("0.6828", "0.6879", "0.6830")
    ours = ads[1]
    assert (ours["passive"], ours["active"], ours["seeds"]) == ("0.600 [0.600, 0.600]", "0.700 [0.700, 0.700]", "3")
    assert ours["blind"].startswith("0.500") and ours["ceiling"].startswith("0.950")
    assert ads[5]["passive"].startswith("0.590") and ads[2]["passive"].startswith("0.600") and ads[2]["blind"] == ""


def test_table3_begins_with_the_paper_s_lines():
    found = TABLE3.lines(Imagined(only="fashion_mnist"))
    assert len(found) == 10 + 10
    assert (found[0]["data"], found[0]["passive"], found[0]["semi-supervised"]) == ("cifar10", "0.6554", "0.1157")
    assert found[-1]["data"] == "fashion_mnist (10,000 rows)" and found[-1]["labels per class"] == "32"


def test_table4_tells_what_the_attack_costs_seed_by_seed():
    paper, ours = TABLE4.lines(Imagined(only="criteo_hashed"))
    assert (paper["no attack"], paper["active attack"], paper["change"]) == ("0.7132", "0.7128", "-0.0004")
    assert ours["change"] == "−0.020 [−0.020, −0.020]" and ours["no attack"].startswith("0.900")


@pytest.mark.parametrize(
    ("table", "plans", "lines", "headings"),
    [
        (FIGURE2, 5, 10, {"share of columns", "upper bound", "probe after active"}),
        (FIGURE3, 8 + 5, 26, {"parties", "overlap", "blind"}),
        (CHOICES, 3, 7 + 7 + 5, {"best epoch by truth", "chosen epoch, test"}),
        (FIGURE5, 3, 3 * 23, {"model", "model, attacked", "probe after active, test", "blind"}),
        (APPENDIX_E, 3, 4, {"variance, ridge, no labels", "quarter, network, labels by model-completion"}),
    ],
    ids=["figure2", "figure3", "choices", "figure5", "appendix-e"],
)
def test_every_figure_has_its_lines(table, plans, lines, headings):
    order = Imagined()
    found = table.lines(order)
    assert (len(order.asked), len(found)) == (plans, lines)
    assert headings <= set(found[0]) and all(line.keys() == found[0].keys() for line in found)
    assert all(line["seeds"] for line in found if line.get("whose") != "paper")


def test_choices_change_one_thing_at_a_time():
    found = CHOICES.lines(Imagined(only="breast_cancer", seeds=1))
    assert [line["best epoch by truth"] for line in found] == ["0.650"] * 7
    assert [line["last epoch"] for line in found] == ["0.650"] * 7
    assert [line["chosen epoch"] for line in found] == ["0.600"] * 5 + ["0.700"] * 2


def test_every_gradient_is_defended_in_figure_5():
    order = Imagined(only="digits", seeds=1)
    FIGURE5.lines(order)
    assert order.asked["digits"].partition.labels_only and len(order.asked["digits"].defenses) == 22
    assert sum(map(len, FAMILIES.values())) == 22


def test_appendix_e_deals_different_columns_to_both_parties():
    assert all(not set(own) & set(VICTIM) for own in OWN.values())
    assert [len(own) for own in OWN.values()] == [14, 5, 2] and len(VICTIM) == 14
    ours = APPENDIX_E.lines(Imagined(seeds=1))[1]
    assert ours["variance, network, labels by linear-probe"] == "0.900"
    assert ours["quarter, ridge, no labels"] == "0.600"


def test_appendix_e_leaves_out_seeds_under_which_an_attack_failed_and_says_why():
    def failed(attack, defense, defended):
        broken = {"asset": "features", "status": "failed", "reason": "it diverged. No more is known"}
        return broken if attack == "label-chain" else numbers(attack, defense, defended)

    ours = APPENDIX_E.lines(imagined_orders.Imagined(seeds=1, numbers=failed))[1]
    assert (ours["variance, ridge, no labels"], ours["passive"], ours["remark"]) == ("–", "0.600", "it diverged")


def test_a_mean_without_seeds_is_a_dash():
    assert interval([]) == "–"


def test_a_small_table_runs_and_the_next_one_reads_its_folder(tmp_path):
    small = replace(BREAST_CANCER.trained(epochs=1), labels=4)
    lines = changed(TABLE2, (small,)).lines(Order(seeds=1, out=tmp_path))
    assert [line["whose"] for line in lines] == ["paper", "ours", "ours", "ours", "ours", "ours", "ours"]
    assert all(0 <= float(lines[1][name]) <= 1 for name in ("passive", "active", "linear probe", "blind", "ceiling"))
    stored = {path: path.stat().st_mtime_ns for path in (tmp_path / "breast_cancer" / "cells").glob("*.jsonl")}
    (cost,) = changed(TABLE4, (small,)).lines(Order(seeds=1, out=tmp_path))
    assert {path: path.stat().st_mtime_ns for path in stored} == stored and len(stored) == 2
    assert 0 <= float(cost["no attack"]) <= 1


def test_all_tables_of_the_paper_are_listed():
    names = ("table2", "table3", "table4", "table6", "figure2", "figure3", "figure5", "choices", "appendix-e")
    assert {f"label/{name}" for name in names} <= set(TABLES.own)
    assert all(TABLES[f"label/{name}"].title for name in names)


BROUGHT = [
    (table, data) for table in (TABLE2, TABLE4, DIRECT) for data in ("cifar100", "cinic10", "yahoo_answers", "bhi")
]


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")


@pytest.mark.parametrize(("table", "data"), [*BROUGHT, (FIGURE3, "bhi"), (FIGURE5, "bhi"), (DIRECT_PASSIVE, "cinic10")])
def test_data_that_everyone_brings_have_the_paper_s_lines_and_say_which_file_is_missing(no_data, table, data):
    found = table.lines(Order(only=data, seeds=1))
    ours = [line for line in found if line.get("whose") != "paper"]
    assert ours and all(line["remark"].startswith("not here: '") for line in ours)
    if table not in (FIGURE5, DIRECT_PASSIVE):
        assert found[0]["whose"] == "paper"


def test_the_paper_s_measures_are_told_where_it_has_others_than_top_1():
    pictures = TABLE2.lines(Imagined(only="cifar100"))
    assert [(line["whose"], line["measure"]) for line in pictures] == 2 * [
        ("paper", "top-5"), ("ours", "top-1"), ("ours", "top-5")
    ]  # fmt: skip
    assert pictures[0]["active"] == "0.6732" and pictures[2]["blind"] == ""
    tissue, ours = TABLE4.lines(Imagined(only="bhi"))
    assert (tissue["measure"], tissue["active attack"], tissue["change"]) == ("F1", "0.8504", "0.0164")
    assert ours["no attack"] == "–"  # nobody imagined an F1


def test_the_first_epoch_of_summed_logits_is_read_and_no_more_is_trained():
    order = Imagined(only="digits")
    DIRECT.lines(order)
    (plan,) = order.asked.values()
    (federation,) = plan.federations
    assert (federation.name, federation.settings["epochs"]) == ("summed-network", 1)
    assert not {"cut", "top"} & set(federation.settings)
    assert [one.settings for one in plan.attacks] == [{"epochs": [0]}, {"epochs": [0], "rule": "first-negative"}]


def test_labels_that_were_read_stand_beside_labels_that_were_given():
    order = Imagined(only="digits", seeds=1)
    found = DIRECT_PASSIVE.lines(order)
    assert len(found) == 23
    assert {"direct, training", "passive, test", "completed with these, test", "own columns with these, test"} <= set(
        found[0]
    )
    (plan,) = order.asked.values()
    assert plan.partition.labels_only and len(plan.defenses) == 22


def test_stored_numbers_of_cifar10_are_shown_without_training(no_data):
    found = CIFAR10.lines(Order())
    row = next(line for line in found if line["attack, labels of each class"] == "model-completion, 4")
    assert (row["paper: training"], row["ours: training"]) == ("0.8024", "0.841 [0.771, 0.910]")
    one = CIFAR10.lines(Order(seeds=1))
    assert "[" not in one[0]["ours: training"]


@pytest.mark.parametrize("table", [CIFAR10_CHOICES, CIFAR10_TABLE6, CIFAR10_FIGURE5])
def test_further_tables_of_cifar10_have_lines_or_say_what_makes_them(no_data, table):
    assert all(line.get("remark", "").startswith("not here") or len(line) > 5 for line in table.lines(Order()))
