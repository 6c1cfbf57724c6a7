"""Tables and figures of paper 000, from plan to printed lines."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import imagined_orders
from imagined_orders import changed
from samples import needs_data
from seepage.data import sources
from seepage.papers.catalog import TABLES
from seepage.papers.order import Order
from seepage.papers.properties import property_datasets, property_norms
from seepage.papers.properties.property_attacks import TABLE2, TABLE5, TABLE6, TABLE7, correlations
from seepage.papers.properties.property_datasets import TABLE3, TABLE4
from seepage.papers.properties.property_norms import FIGURE4
from seepage.papers.properties.property_outside import PICTURES, TABLE11
from seepage.papers.properties.property_robustness import FIGURE5, FIGURE5_PARTIES, TABLE16, TABLE17
from seepage.papers.properties.property_setting import (
    ADULT,
    BANK,
    CENSUS,
    COUNT,
    LAW_SCHOOL,
    TEXAS,
    PropertyData,
    auc,
    own_columns,
    property_plan,
)
from seepage.papers.properties.property_tables import TABLE8, TABLE9, TABLE10, TABLE12, TABLE13, TABLE14, TABLE15
from seepage.papers.readings import Reading

TUMORS = PropertyData("breast_cancer", {"T-wide": "mean radius=15..", "T-rough": "mean texture=20.."}, 0.05, 3)
FEW = {"auxiliary": {"rows": 40}, "classifier": "logistic"}


def numbers(attack, defense, defended):
    """The error is 0.01 and the AUC 0.9."""
    return {
        "asset": "properties", "value": 0.01, "utility_metric": "auc", "utility": 0.9,
        "other_metrics": {
            "error_one_half": 0.2, "error_adjusted_counting_on_own_columns": 0.05,
            "guessed_fraction": 0.05 if attack == "shadow-models" else defended.get("until") or 0.5,
            **({"error_after_withdrawal": 0.02, "withdrawal_shift": 0.1} if defense == "withdrawal" else {}),
            **{f"{kind}_{gap}": gap / 1000 for kind in ("kl", "js", "bc") for gap in (25, 100)},
        },
    }  # fmt: skip


Imagined = partial(imagined_orders.Imagined, numbers=numbers)


def test_table5_asks_for_all_properties_at_once_in_both_cases():
    order = Imagined(only="bank_full")
    TABLE5.lines(order)
    assert list(order.asked) == ["bank_full/C1", "bank_full/C2"]
    first, second = order.asked.values()
    assert (first.adversary, second.adversary) == (("active",), ("passive",))
    assert first.properties == tuple(BANK.properties.values()) and len(first.seeds) == 10
    names = [attack.name for attack in first.attacks]  # adjusted counting is read three times and run once
    assert names == ["attribute-inference", "distribution-comparison", "correlation-augmentation", "adjusted-count"]
    assert first.federations[0].settings["optimizer"]["learning_rate"] == 0.05


def test_table5_ends_with_means_over_properties():
    found = TABLE5.lines(Imagined())
    assert len(found) == 9 * 2 * 2 + 4
    assert found[0] == {
        "data": "adult_distinct", "property": "A-sex", "case": "C1", "whose": "paper", "seeds": "",
        "AIA": "0.1623", "ProVFL-B": "0.0186", "ProVFL-M": "0.0097", "adjusted-count": "", "own columns": "",
        "½": "", "AUC": "0.9039", "AUC, ProVFL-M": "", "remark": "",
    }  # fmt: skip
    assert (found[1]["seeds"], found[1]["ProVFL-B"], found[1]["½"]) == ("10", "0.0100±0.0000", "0.2000±0.0000")
    paper, ours = found[-4:-2]
    assert paper["property"] == "9 properties" and paper["case"] == ours["case"] == "C1"
    assert (
        paper["ProVFL-B"] == f"{np.mean([0.0186, 0.0236, 0.0276, 0.0175, 0.031, 0.0141, 0.0287, 0.0372, 0.1058]):.4f}"
    )
    assert ours["ProVFL-M"] == "0.0100" and ours["AUC, ProVFL-M"] == "0.9000"


def test_health_is_run_when_named_and_marked(monkeypatch):
    monkeypatch.setattr(PropertyData, "partition", lambda *_: {})  # its columns are in a file
    found = TABLE5.lines(Imagined(only="health"))
    assert {line["data"] for line in found} == {"health (another aggregation)"}  # and it has no mean
    assert len(found) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("table", "plans", "lines", "headings"),
    [
        (TABLE2, 1, 6, {"KL, paper", "BC, ours"}),
        (TABLE7, 3, 6, {"SM-PIA", "SM-PIA, own columns", "ProVFL-B"}),
        (TABLE11, 2, 6, {"adversary holds", "own columns", "AUC"}),
        (TABLE17, 6, 8, {"paper, C1", "put back", "ACC"}),
        (FIGURE4, 2, 4, {"outputs", "overlap", "BC"}),
        (TABLE8, 2, 12, {"ProVFL-B, misaligned", "AUC"}),
        (TABLE9, 2, 12, {"LR", "AUC, MR+LR"}),
        (TABLE12, 1, 6, {"q 0.1", "q 10"}),
        (TABLE13, 1, 6, {"XGBoost", "SVR"}),
        (TABLE14, 1, 6, {"λ 0", "AUC, λ 2"}),
        (TABLE15, 5, 6, {"r 0.1", "r 0.9"}),
        (FIGURE5_PARTIES, 6, 6, {"ProVFL-B, 5 parties"}),
        (TABLE16, 8, 84, {"C1, as sent", "C2", "put back"}),
        (FIGURE5, 2, 23, {"A-sex", "B-cont, adjusted-count"}),
    ],
)
def test_every_table_makes_plans_and_prints_lines_of_one_kind(table, plans, lines, headings):
    order = Imagined()
    found = table.lines(order)
    assert len(order.asked) == plans and len(found) == lines
    assert headings <= set(found[0]) and all(set(line) == set(found[0]) for line in found)
    assert all(not line["remark"] for line in found)


def test_published_numbers_stand_where_the_paper_has_them():
    def line(table, only=None, **wanted):
        found = [one for one in table.lines(Imagined(seeds=1, only=only)) if wanted.items() <= one.items()]
        assert len(found) == 1
        return found[0]

    assert line(TABLE2, gap="100 %", norm="linf")["BC, paper"] == "0.9856"
    assert line(TABLE7, property="A-work", whose="paper")["ProVFL-B"] == "0.88"
    assert line(TABLE8, property="A-work", case="C2", whose="paper")["ProVFL-B, misaligned"] == "0.0537"
    assert line(TABLE9, property="B-cont", whose="paper")["AUC, MR+LR"] == "0.8360"
    assert line(TABLE12, property="A-race", whose="paper")["q 5"] == "0.0264"
    assert line(TABLE13, property="A-work", whose="paper")["SVR"] == "0.0459"
    assert line(TABLE14, property="B-cont", whose="paper")["λ 2"] == "0.0323"
    assert line(TABLE15, property="C-race", whose="paper")["r 0.9"] == "0.1169"
    assert (
        line(TABLE11, "nus_wide", property="N-water", whose="paper", **{"adversary holds": "tags"})["AIA"] == "0.1853"
    )
    assert line(TABLE17, "texas100", defense="D5 withdrawal 0.2", property="T-u2")["paper, C1"] == "0.1294"
    assert line(TABLE17, "fars", defense="D5 withdrawal 0.2", property="F-drugs")["paper, C1"] == ""  # not its data
    assert line(TABLE16, defense="D5 withdrawal 0.5", property="A-work")["paper, C1"] == "0.1617"
    assert line(TABLE16, defense="D2 PPDL, θ_u 0.1", property="A-sex")["paper, AUC"] == "0.7983"


def test_a_world_is_told_apart_where_the_nearer_fraction_is_its_own():
    ours = TABLE7.lines(Imagined(seeds=4))[1]
    assert (ours["worlds"], ours["ProVFL-B"], ours["adjusted-count"]) == ("8", "1.00", "1.00")
    assert ours["SM-PIA"] == "0.50"  # always says 5 %, which is nearer to 30 % than to 50 %


def test_withdrawal_is_trained_for_each_property_and_other_defenses_for_all():
    order = Imagined(seeds=1)
    found = TABLE16.lines(order)
    assert len(order.asked["adult_distinct/C1/all"].defenses) == 24
    alone = order.asked["adult_distinct/C2/A-race"]
    assert alone.properties == ("race=White",) and not alone.undefended and len(alone.defenses) == 3
    by_defense = {line["defense"]: line for line in found}
    assert {"D1 noise 0.01, both sides", "D2 PPDL, θ_u 0.5, both sides, raw"} <= set(by_defense)
    assert by_defense["D3 response, ε 1, R³eLU of both sides"]["paper, AUC"] == "0.5229"
    assert by_defense["D5 withdrawal 0.2"]["shift"] == "0.1000" and by_defense["none"]["shift"] == "–"


def test_shares_and_parties_change_how_columns_are_dealt():
    order = Imagined()
    TABLE15.lines(order)
    shares = [plan.partition.adversary_share for plan in order.asked.values()]
    assert shares == [0.9, 0.7, 0.5, 0.3, 0.1]  # the victim has what is left
    order = Imagined()
    FIGURE5_PARTIES.lines(order)
    assert order.asked["census/C2/parties-3"].adversary == ("passive-1",)
    assert order.asked["census/C2/parties-3"].partition.parties == 3


def test_plans_follow_the_authors_code():
    plan = property_plan(CENSUS, [COUNT], seeds=2)
    (network,) = plan.federations
    assert network.settings == {
        "hidden": [32], "cut": 16, "top": [16], "epochs": 30, "batch": 256,
        "optimizer": {"name": "sgd", "learning_rate": 0.02, "momentum": 0.0, "weight_decay": 3e-5},
    }  # fmt: skip
    assert plan.attacks[0].settings == {"auxiliary": {"rows": 2000}}
    assert (plan.encoding, plan.scaling, plan.split) == ("one-hot", "standard", "stratified")


COUNTED = Reading("adjusted-count", "adjusted-count", FEW)
PRINTED = {("T-wide", "C1"): {"adjusted-count": 0.25}}


def small_table():
    return changed(
        TABLE5, (TUMORS,), seeds=1, columns=(COUNTED, own_columns(COUNTED), auc(COUNTED, "AUC")), printed=PRINTED
    )


def test_a_table_is_trained_and_read_and_continues_where_it_was_killed(tmp_path):
    made = small_table().lines(Order(out=tmp_path))
    assert made == small_table().lines(Order(out=tmp_path))
    found = made
    assert [(line["property"], line["case"], line["whose"]) for line in found[:3]] == [
        ("T-wide", "C1", "paper"),
        ("T-wide", "C1", "ours"),
        ("T-wide", "C2", "ours"),
    ]
    assert found[0]["adjusted-count"] == "0.2500" and found[1]["seeds"] == "1" and not found[1]["remark"]
    assert 0 <= float(found[1]["adjusted-count"]) < 0.3
    assert float(found[1]["AUC"]) > 0.6
    assert [line["whose"] for line in found[-4:]] == ["paper", "ours"] * 2
    assert found[-4]["adjusted-count"] == ""  # the paper's mean lacks a property


def test_correlations_stand_beside_attacks():
    printed = {("T-wide", "C1"): {"largest correlation, columns": 0.5, "correlation, label": -0.25}}
    table = changed(TABLE6, (TUMORS,), columns=[COUNTED], printed=printed)
    first, *_, last = table.lines(Imagined(seeds=1))
    assert first["largest correlation, columns"] == "0.5000" and first["correlation, label"] == "-0.2500"
    assert 0 < float(last["largest correlation, columns"]) <= 1
    wide, _ = correlations(property_plan(TUMORS, [COUNTED], seeds=2)).values()
    assert 0.5 < wide[0].mean < 1 and -1 < wide[1].mean < -0.5  # label 1 is benign
    assert TABLE6.data == ("bank_full",)
    assert list(TABLE6.rows.keywords["printed"]["B-month", "C1"].values())[-2:] == [0.4259, -0.1050]


def test_seconds_are_measured_with_and_without_training():
    refined = Reading("MR", "correlation-augmentation", {"auxiliary": {"rows": 40}, "replace_labels": False})
    attacks, printed = {"count": COUNTED, "MR": refined}, {"count": 1.5}
    table = changed(TABLE10, (TUMORS,), property_="T-wide", attacks=attacks, honest=COUNTED, printed=printed)
    count, more = table.lines(Order(seeds=1))
    assert (count["paper"], count["longer training"], more["paper"]) == ("1.5", "", "–")
    assert float(count["attack alone"]) <= float(count["whole run"]) and not more["remark"]
    float(more["longer training"])


def test_all_tables_of_the_paper_are_listed_with_their_page():
    names = [name for name in TABLES.own if name.startswith("provfl/")]
    figures = ("figure4", "figure5", "figure5-parties")
    assert names == [*(f"provfl/table{number}" for number in range(2, 18)), *(f"provfl/{name}" for name in figures)]
    data, defenses = "property-table5.md", "property-defenses.md"
    pages = {**dict.fromkeys((3, 4, 5), data), **dict.fromkeys((16, 17), defenses)}
    pages = {f"provfl/table{number}": page for number, page in pages.items()}
    assert all(TABLES[name].page == pages.get(name, "property-attacks.md") for name in names)
    assert all(ADULT.data in TABLES[name].data for name in names if name not in {"provfl/table6", "provfl/table14",
               "provfl/table15", "provfl/table17", "provfl/figure5-parties"})  # fmt: skip


SCHOOLS = ("Arizona", "Buffalo", "Hawaii", "Wyoming")


def law_school_of(rows, folder):
    """A made-up file of the form that is asked for: who is admitted depends on the test, and on a secret of race."""
    rng = np.random.default_rng(0)
    race = rng.choice(["Asian", "Black", "Hispanic", "White"], rows, p=[0.1, 0.2, 0.1, 0.6])
    lsat = rng.normal(155, 9, rows) - 6 * (race == "Black")
    columns = {
        "lsat": lsat.round(), "gpa": rng.normal(3.2, 0.4, rows).round(2), "race": race,
        "resident": rng.integers(0, 2, rows).astype(float), "college": rng.choice(SCHOOLS, rows),
        "year": rng.choice(["2005", "2006", "200x"], rows), "gender": rng.integers(0, 2, rows).astype(float),
        "admit": (lsat + rng.normal(0, 4, rows) > 157).astype(float),
    }  # fmt: skip
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "law_school.csv").write_text("\n".join(lines) + "\n")


def test_law_school_is_run_when_its_file_is_there(tmp_path, monkeypatch):
    law_school_of(600, tmp_path)
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    few = replace(LAW_SCHOOL, epochs=2)
    table = changed(TABLE5, (few,), columns=(COUNTED, own_columns(COUNTED), auc(COUNTED, "AUC")), cases=("C1",))
    lines = table.lines(Order(seeds=1))
    assert [line["property"] for line in lines[:6:2]] == ["L-race", "L-res", "L-sex"]
    ours = lines[1:6:2]
    assert all(line["seeds"] == "1" and not line["remark"] for line in ours)
    assert all(0 <= float(line["adjusted-count"]) < 0.5 for line in ours)


def test_texas_is_run_when_its_file_is_there(tmp_path, monkeypatch):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 2, 400) for name in ("u1", "u2", *(f"f{place}" for place in range(20)))}
    columns["label"] = np.array(["first", "second", "third"])[columns["f0"] + columns["f1"]]
    parquet.write_table(pa.table(columns), tmp_path / "texas100.parquet")
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    table = changed(TABLE5, (replace(TEXAS, epochs=2),), columns=(COUNTED, auc(COUNTED, "AUC")), cases=("C2",))
    lines = table.lines(Order(seeds=1))
    assert [(line["property"], line["whose"], line["seeds"]) for line in lines[:4]] == [
        ("T-u1", "paper", ""), ("T-u1", "ours", "1"), ("T-u2", "paper", ""), ("T-u2", "ours", "1"),
    ]  # fmt: skip
    assert not lines[1]["remark"] and float(lines[1]["AUC"]) > 0


def test_law_school_and_texas_show_what_the_paper_prints():
    for data, asked, error in (("law_school", "L-sex", "0.0120"), ("texas100", "T-u2", "0.0572")):
        lines = TABLE5.lines(Imagined(only=data))
        (line,) = [one for one in lines if (one["property"], one["case"], one["whose"]) == (asked, "C2", "paper")]
        assert line["ProVFL-M"] == error


def test_sizes_and_fractions_of_data_stand_beside_the_paper_s(monkeypatch, tmp_path):
    monkeypatch.setattr(
        property_datasets, "sizes", lambda plan: {"features": 30, "encoded": 30, "classes": 2, "rows": 9}
    )
    first, second = TABLE3.lines(Imagined(only="bank_full"))
    assert (first["encoded"], first["AUC"], second["rows"], second["AUC"]) == ("51", "0.9134", "9", "0.9000±0.0000")
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path)
    first, second = TABLE3.lines(Order(only="texas100"))
    assert (first["classes"], second["classes"], second["seeds"]) == ("1000", "–", "0")
    assert second["remark"] == "not here: 'texas100.parquet' is expected in $SEEPAGE_DATA"
    first, second = TABLE4.lines(Order(only="law_school"))[:2]
    assert (first["fraction"], second["fraction"], second["asked"]) == ("8.63 %", "–", "race=Black")
    law_school_of(600, tmp_path)
    lines = TABLE4.lines(Order(only="law_school"))
    assert [line["values"] for line in lines[1::2]] == ["4", "2", "2"] and not lines[1]["remark"]


@needs_data
def test_fractions_are_those_of_the_paper_where_the_data_are():
    for data in ("adult_distinct", "census", "bank_full"):
        lines = TABLE4.lines(Order(only=data))
        for paper, ours in zip(lines[::2], lines[1::2], strict=True):
            assert abs(float(paper["fraction"].split()[0]) - float(ours["fraction"].split()[0])) < 0.3


@needs_data
def test_no_model_reads_the_properties_of_table_eleven_and_the_adversary_holds_one_kind_of_columns():
    order = Imagined(only="adult_distinct")
    TABLE11.lines(order)
    person, work = (order.asked[f"adult_distinct/{access}/C2"] for access in ("the-person", "the-work"))
    assert person.adversary == ("passive",) and person.partition.left_out == ("sex", "race", "workclass")
    assert "occupation" in work.partition.columns["passive"] and "sex" in work.partition.columns["active"]
    assert not set(person.partition.columns["passive"]) & set(work.partition.columns["passive"])


def test_pictures_with_tags_are_run_when_their_file_is_there(tmp_path, monkeypatch):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    columns = {f"{kind}_{place}": rng.normal(size=400) for kind in ("image", "tag") for place in range(4)}
    columns |= {
        name: (columns[f"image_{place}"] > 0).astype(int) for place, name in enumerate(("grass", "animal", "water"))
    }
    columns["label"] = np.where(columns["tag_0"] > 0, "sky", "none")
    parquet.write_table(pa.table(columns), tmp_path / "nus_wide.parquet")
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    few = tuple(replace(one, epochs=2) for one in PICTURES)
    lines = changed(TABLE11, few, columns=(COUNTED, own_columns(COUNTED))).lines(Order(seeds=1))
    ours = {(line["adversary holds"], line["property"]): line for line in lines if line["whose"] == "ours"}
    assert len(lines) == 12 and all(not line["remark"] and line["seeds"] == "1" for line in ours.values())
    assert float(ours["images", "N-grass"]["own columns"]) < 0.15  # the picture tells it all


def test_norms_are_counted_before_and_after_refinement():
    honest = Reading("ProVFL-B", "distribution-comparison", {"auxiliary": {"rows": 40}})
    refined = Reading("ProVFL-M", "correlation-augmentation", {"auxiliary": {"rows": 40}})
    monkey = {"PROVFL_B": honest, "PROVFL_M": refined}
    with pytest.MonkeyPatch.context() as patch:
        for name, reading in monkey.items():
            patch.setattr(property_norms, name, reading)
        lines = changed(FIGURE4, (TUMORS,), property_="T-wide").lines(Order(seeds=1))
    assert [(line["case"], line["outputs"]) for line in lines] == [
        ("C1", "plain"), ("C1", "refined"), ("C2", "plain"), ("C2", "refined"),
    ]  # fmt: skip
    assert all(0 <= float(line["overlap"]) <= 1 and line["seeds"] == "1" for line in lines)


def test_means_are_over_what_was_run(tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path)
    table = changed(TABLE5, (TUMORS, LAW_SCHOOL), columns=(COUNTED,), printed=PRINTED)
    lines = table.lines(Order(seeds=1))
    means = [line for line in lines if line["data"] == "mean"]
    assert {line["property"] for line in means} == {"2 properties"}
    assert all(line["remark"].startswith("not here") for line in lines if line["data"] == "law_school")
