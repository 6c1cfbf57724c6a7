"""Bad input gets one clear sentence and exit status 2: what was found, what was expected, what to do."""

import json
import os
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import typed

ROWS = 120


def people(**changes):
    rng = np.random.default_rng(0)
    columns = {
        "id": [f"p{row}" for row in range(ROWS)],
        "age": rng.integers(18, 90, ROWS).tolist(),
        "income": rng.normal(50, 10, ROWS).round(2).tolist(),
        "job": rng.choice(["clerk", "nurse", "smith"], ROWS).tolist(),
        "visits": rng.integers(0, 30, ROWS).tolist(),
        "y": rng.choice(["no", "yes"], ROWS).tolist(),
    }
    return {**columns, **changes}


def write(path: Path, columns) -> str:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
        path.write_text("\n".join(lines) + "\n")
    return str(path)


def spoiled(name, place, value):
    values = list(people()[name])
    values[place] = value
    return people(**{name: values})


SPOILED = {
    "one-class": (people(y=["yes"] * ROWS), "", ["every row has the label 'yes'", "two or more classes"]),
    "small-class": (people(y=["no"] * (ROWS - 1) + ["yes"]), "", ["'yes'", "1 row"]),
    "empty-cells": (spoiled("income", 3, ""), "", ["'income'", "1", "--impute"]),
    "nan": (spoiled("income", 3, "NaN"), "", ["'income'", "1", "--impute"]),
    "infinite": (spoiled("income", 3, "inf"), "", ["'income'", "1", "--impute"]),
    "not-a-number": (spoiled("income", 3, "?"), "", ["'income'", "1", "--impute"]),
    "overflow-early": (spoiled("income", 3, 1e39), "", ["'income' holds 1e+39 in row 4", "32 bits", "logarithms"]),
    "overflow-late": (spoiled("income", ROWS - 1, -1e39), "", ["'income' holds -1e+39 in row 120", "32 bits"]),
    "missing-labels": (spoiled("y", 3, ""), "", ["label", "'y'", "1"]),
    "duplicate-ids": (spoiled("id", 3, "p4"), "--id id", ["1 of the 119 ids", "more than once"]),
}
"""Tables with a mistake, what is typed besides, and what is said."""
TYPED = {
    "missing-label-column": ("--label yy", ["No column is called 'yy'", "did you mean 'y'"]),
    "continuous-label": ("--label income", ["'income'", "distinct values"]),
    "unknown-column-of-a-party": ("--party bank=age --party shop=vists", ["'vists'", "'visits'"]),
    "party-without-columns": ("--party bank=age --party shop=", ["'shop' holds no columns"]),
    "column-twice": ("--party bank=age --party shop=age,visits", ["'age'", "--overlap"]),
    "one-party": ("--party bank=age", ["at least two"]),
    "party-without-equals": ("--party bank", ["expected NAME=COLUMN"]),
    "party-twice": ("--party bank=age --party bank=visits", ["named twice"]),
    "too-many-parties": ("--parties 9", ["9 parties", "columns"]),
    "share-of-nothing": ("--adversary-share 0", ["share must be above 0"]),
    "unknown-adversary": ("--adversary mallory", ["No party is called 'mallory'"]),
    "unknown-attack": ("--attack gradient-sing", ["No attack", "'gradient-sign'"]),
    "unknown-defense": ("--defense laplace", ["No defense", "laplace-noise"]),
    "unknown-federation": ("--federation split", ["No federation", "split-network"]),
    "unknown-setting": ("--defense top-k:shares=0.1", ["'shares'", "'share'"]),
    "negative-noise": ("--defense laplace-noise:scale=-1", ["scale must be 0 or more", "-1"]),
    "share-above-one": ("--defense top-k:share=1.5", ["share must be above 0 and at most 1", "1.5"]),
    "no-intervals": ("--defense discrete-gradients:intervals=0", ["intervals must be 1 or more"]),
    "text-for-a-number": ("--defense top-k:share=much", ["share", "'much'"]),
    "batch-too-large": ("--federation summed-network --model batch=4096", ["96 training rows", "batch of 4096"]),
    "optimizer-of-nobody": (
        "--federation summed-network --model batch=32 --model optimizers.nobody.learning_rate=0.1",
        ["No party is called 'nobody'"],
    ),
    "nested-and-plain": (
        "--federation summed-network --model epochs=3 --model epochs.x=3",
        ["'epochs' is already set to 3"],
    ),
    "not-a-number-as-threshold": ("--defense privacy-preserving-dl:tau=nan", ["tau must be"]),
    "infinite-noise": ("--defense laplace-noise:scale=inf", ["scale must be", "finite"]),
    "unknown-device": ("--device gpu", ["only cpu and cuda"]),
    "no-stages": ("--federation summed-network --model 'planes=[]'", ["planes must name"]),
    "overlap-of-nothing": ("--overlap", ["without --party it has no effect"]),
    "adversary-twice": ("--adversary passive,passive", ["named once"]),
    "adversary-repeated": ("--adversary passive --adversary passive", ["named once"]),
    "share-of-several": ("--parties 3 --adversary passive-1,passive-2 --adversary-share 0.5", ["several collude"]),
    "label-of-another-case": ("--label Y", ["did you mean 'y'"]),
    "party-with-the-label": ("--party bank=age --party shop=visits,y", ["'y' is the label"]),
    "defense-twice": ("--defense top-k --defense top-k:share=0.1", ["asked for twice"]),
    "model-without-federation": ("--model epochs=3", ["--federation"]),
    "model-without-equals": ("--federation summed-network --model epochs", ["expected key=value"]),
    "unknown-encoding": ("--encoding two-hot", ["encoding", "'two-hot'"]),
    "unknown-split": ("--split offical", ["split", "'offical'"]),
    "no-official-split": ("--split official", ["official"]),
    "unknown-partition": ("--partition rondom", ["partition", "'rondom'"]),
    "stripes-of-no-picture": ("--partition stripes", ["pictures"]),
    "no-seeds": ("--seeds 0", ["seeds must be 1 or more"]),
    "seeds-without-end": ("--seeds 100000000000", ["seeds must be at most 10,000, got 100,000,000,000"]),
    "parties-without-end": ("--parties 1000000000", ["parties must be at most 1,000, got 1,000,000,000"]),
    "threads-without-end": ("--threads 99999999", ["threads must be at most 1,024, got 99,999,999"]),
    "two-depths": ("--quick --thorough", ["one depth, but --quick and --thorough are given"]),
    "asked-and-not": ("--no-properties --property job=clerk", ["--no-properties", "--property job=clerk"]),
    "no-depth": ("--federation forest --model depth=0", ["depth must be between 1 and 30"]),
    "no-trees": ("--federation forest --model trees=0", ["trees must be 1 or more, got 0"]),
    "one-bin": ("--federation boosting --model bins=1", ["bins must be between 2 and", "got 1"]),
    "bins-without-end": ("--federation boosting --model bins=100000", ["bins must be between 2"]),
    "odd-key": (
        "--federation boosting --model encryption=paillier --model key_bits=1000",
        ["key_bits must be a multiple of 64", "got 1000"],
    ),
    "short-key": (
        "--federation boosting --model encryption=paillier --model key_bits=1024",
        ["key_bits must be 2048 or more, got 1024"],
    ),
    "short-key-of-nobody": ("--federation summed-network --insecure-key", ["has no key", "forest"]),
    "unknown-encryption": ("--federation forest --model encryption=rot13", ["'rot13'"]),
    "no-epsilon": ("--defense label-dp:epsilon=0", ["epsilon must be above 0"]),
    "negative-limit": ("--defense purity-limit:limit=-1", ["limit must be above 0", "-1"]),
    "chunk-of-one": ("--attack id2graph:chunk=1", ["chunk must be 2 or more, got 1"]),
    "unknown-visibility": ("--attack union:visibility=all", ["'subtraction' or 'literal'", "'all'"]),
    "digits-below-zero": ("--defense rounding:digits=-1", ["digits must be between 0 and 15, got -1"]),
    "all-units-dropped": ("--defense dropout:rate=1", ["rate must be 0 or more and below 1, got 1.0"]),
    "no-screening-limit": ("--defense feature-screening:limit=0", ["limit must be above 0", "got 0.0"]),
    "negative-verification": (
        "--defense output-verification:limit=-1",
        ["limit must be 0 or more and finite, got -1.0"],
    ),
    "columns-for-labels": (
        "--attack label-chain:labels=equality-solving",
        ["labels must name an attack on labels, but equality-solving steals features. Leave it at the default"],
    ),
    "chain-of-nothing": (
        "--attack label-chain:labels=gradient-sing",
        ["No attack is called 'gradient-sing'", "'gradient-sign'"],
    ),
    "all-columns-to-one": (
        "--attack equality-solving --adversary-share 1",
        ["Party 'passive' holds no columns", "at least one column"],
    ),
    "filled-and-kept": ("--impute --keep-missing", ["either filled", "not both"]),
    "no-gpu": ("--device cuda", ["cuda"]),
    "sample-of-none": ("--rows 0", ["rows must be 1 or more, got 0"]),
    "sample-below-none": ("--rows -5", ["rows must be 1 or more, got -5"]),
    "sample-above-all": ("--rows 121", ["has 120 rows, but a sample of 121", "Ask for fewer"]),
    "sample-without-classes": ("--rows 3", ["has 2 classes", "Ask for 4 or more"]),
}
"""What is typed about a table without a mistake, and what is said."""
TABLES = {**SPOILED, **{case: (people(), *rest) for case, rest in TYPED.items()}}


def refuse(line: str, *more: object) -> str:
    result = typed(line, *more, status=2)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return result.stderr


@pytest.mark.parametrize("kind", [".csv", ".parquet"])
@pytest.mark.parametrize("case", list(TABLES))
def test_a_bad_table_or_option_is_refused(case, kind, tmp_path):
    columns, line, expected = TABLES[case]
    options = shlex.split(line)
    if kind == ".parquet" and case in {"empty-cells", "nan", "infinite", "not-a-number", "missing-labels"}:

        def plain(value):
            return {"": None, "NaN": float("nan"), "inf": float("inf")}.get(value, value)

        columns = {name: [plain(value) for value in values] for name, values in columns.items()}
        if case == "not-a-number":
            columns["income"] = [str(value) for value in columns["income"]]
    path = write(tmp_path / f"people{kind}", columns)
    label = [] if "--label" in options else ["--label", "y"]
    label += [] if "--id" in options else ["--id", "id"]
    said = refuse("audit --jobs 0", path, *label, "--out", tmp_path / "out", *options)
    for words in expected:
        assert words in said, said
    assert "Error: " in said and len(said) < 900


@pytest.fixture
def table(tmp_path):
    """A table without a mistake."""
    return write(tmp_path / "people.csv", people())


def test_a_sample_that_is_no_number_or_goes_with_a_plan_is_refused(table, tmp_path):
    said = refuse("audit --label y --rows many", table, "--out", tmp_path / "out")
    assert "--rows" in said and "valid integer" in said
    (tmp_path / "plan.toml").write_text("format = 1\n")
    said = refuse("audit --rows 50", tmp_path / "plan.toml", "--out", tmp_path / "out")
    assert "--rows does not go with it" in said


def one_attack(path, line, status=0):
    return typed(f"attack {line} --label y --jobs 0 --seeds 1 --data", path, status=status)


def test_a_sample_of_a_file_is_attacked_and_named_in_findings(table):
    result = one_attack(table, "id2graph --id id --federation forest --model trees=1 --rows 60 --json -")
    assert json.loads(result.stdout)["data"] == "people (60 rows)"


def test_a_defense_that_cannot_act_is_said_to_in_a_line(table):
    said = one_attack(table, "id2graph --id id --federation boosting --defense grafting").stdout
    assert "id2graph on boosting with grafting (epsilon=1, stages=2): not applicable. grafting repairs" in said
    said = one_attack(table, "id2graph --id id --federation forest --defense top-k").stdout
    assert "top-k rewrites gradient messages, but forest sends none." in said


@pytest.mark.parametrize("attack", ["equality-solving", "generative-regression", "path-restriction"])
def test_adversaries_that_hold_all_columns_have_nothing_to_infer_and_none_may_hold_all_the_others(attack, table):
    federation = "decision-tree" if attack == "path-restriction" else "logistic-regression"
    result = one_attack(table, f"{attack} --id id --federation {federation} --adversary active,passive")
    expected = "not applicable. The adversaries hold all columns, so there is nothing to infer."
    assert expected in " ".join(result.stdout.split())
    said = refuse(f"attack {attack} --data iris --adversary-share 1 --jobs 0 --seeds 1")
    assert "Error: Party 'passive' holds no columns" in said and said.count("\n") <= 3


def test_a_chain_from_columns_is_refused_before_training(monkeypatch):
    from seepage.audit.stages import carrying_out

    monkeypatch.setattr(carrying_out, "train", lambda *_: pytest.fail("something was trained"))
    for federation in ("", "--federation summed-network"):
        said = refuse(f"attack label-chain --set labels=equality-solving --data iris --jobs 0 {federation}")
        assert "labels must name an attack on labels, but equality-solving steals features." in " ".join(said.split())


def test_a_short_key_is_taken_when_asked_for_and_refused_where_there_is_none(table):
    short = "--model encryption=none --model key_bits=1024 --model trees=1 --insecure-key"
    one_attack(table, f"id2graph --id id --federation boosting {short}")
    assert "name it with --federation" in one_attack(table, "id2graph --id id --insecure-key", 2).stderr
    said = one_attack(table, "id2graph --id id --federation logistic-regression --insecure-key", 2).stderr
    assert "logistic-regression has no key: it goes with decision-tree, forest or boosting" in said


def test_a_limit_that_no_node_can_reach_is_warned_about(table):
    said = one_attack(table, "id2graph --id id --federation forest --defense purity-limit:limit=2").stderr
    assert said.count("so a limit of 2 changes nothing") == 1


def test_a_party_of_constant_columns_alone_is_refused(tmp_path):
    path = write(tmp_path / "people.csv", people(visits=[7] * ROWS))
    said = one_attack(path, "id2graph --id id --federation forest --party bank=age --party shop=visits", 2).stderr
    assert "'visits' has the same value in every row" in said


BRIEF = "gradient-sign --federation summed-network --model epochs=1 --json"


def test_words_that_name_the_rows_are_warned_about_and_kept_out(table, tmp_path):
    found = tmp_path / "found.jsonl"
    said = one_attack(table, f"{BRIEF} {found}").stderr
    assert "'id'" in said and "--id id" in said
    columns = json.loads(found.read_text())["partition"]["columns"]
    assert sorted(name for names in columns.values() for name in names) == ["age", "income", "job", "visits"]


def test_a_constant_column_is_warned_about_and_kept_out(tmp_path):
    path = write(tmp_path / "people.csv", people(country=["DE"] * ROWS))
    found = tmp_path / "found.jsonl"
    said = one_attack(path, f"{BRIEF} {found} --id id").stderr
    assert "Warning: " in said and "'country'" in said
    assert "country" not in found.read_text()


COUNT = "attack adjusted-count --property"
HELD = "--party bank=age,income --party shop=job,visits"
PROPERTIES = {
    "no-value": (f"{COUNT} job", ["Property 'job' is not COLUMN=VALUE", "age=65.."]),
    "no-column": (f"{COUNT} =clerk", ["is not COLUMN=VALUE"]),
    "unknown-column": (f"{COUNT} jop=clerk {HELD}", ["No column is called 'jop'", "'job'"]),
    "unknown-column-dealt": (f"{COUNT} jop=clerk", ["No column is called 'jop'", "'job'"]),
    "unknown-level": (f"{COUNT} job=clerc", ["No value of 'job' is called 'clerc'", "did you mean 'clerk'"]),
    "words-for-numbers": (f"{COUNT} visits=many", ["holds numbers", "visits=5..9"]),
    "range-turned-around": (f"{COUNT} visits=9..5", ["from a lower to a higher number"]),
    "range-without-ends": (f"{COUNT} visits=..", ["the range has no end"]),
    "nobody-has-it": (f"{COUNT} visits=500..", ["No row of people.csv has", "Choose another value or range"]),
    "everybody-has-it": (f"{COUNT} visits=0..", ["Every row of people.csv has"]),
    "the-label": (f"{COUNT} y=yes", ["speaks about the label", "Choose another column"]),
    "nobody-holds-it": (
        f"{COUNT} job=clerk --party bank=age --party shop=visits",
        ["Nobody holds column 'job'", "--party NAME=COLUMN"],
    ),
    "the-adversary-holds-it": (
        f"{COUNT} job=clerk {HELD} --adversary shop",
        ["'shop' is the adversary and itself holds the column of the property 'job=clerk'", "--adversary NAME"],
    ),
    "an-accomplice-holds-it": (f"{COUNT} job=clerk {HELD} --adversary bank,shop", ["'shop' is the adversary"]),
    "all-hold-it": (
        f"{COUNT} job=clerk --party bank=age,job --party shop=job,visits --overlap",
        ["Every party holds the column of the property 'job=clerk' itself"],
    ),
    "more-than-are-dealt": (
        f"{COUNT} job=clerk --property age=30.. --property visits=9.. --labels-only --parties 3",
        ["Properties speak about job, age, visits, which 'passive-2' is to hold, but it is dealt 2 of 4 columns"],
    ),
    "twice": (f"{COUNT} job=clerk --property 'job = clerk'", ["each property must be named once"]),
    "none-named": ("attack adjusted-count", ["adjusted-count estimates how many have a property", "--property"]),
    "for-labels": (
        "attack gradient-sign --property job=clerk",
        ["No attack estimates how many have job=clerk: gradient-sign steals something else", "Leave --property out"],
    ),
    "too-many-known": (
        f"{COUNT} job=clerk --set auxiliary.rows=50",
        ["50 auxiliary rows with the property and as many without were asked for, but there are only 96 training rows"],
    ),
    "too-few-known": (f"{COUNT} job=clerk --set auxiliary.rows=1", ["auxiliary.rows must be 5 or more, got 1"]),
    "unknown-part-of-a-setting": (
        f"{COUNT} job=clerk --set auxiliary.row=9",
        ["No setting of adjusted-count is called 'auxiliary.row'; did you mean 'auxiliary.rows'?"],
    ),
    "mostly-wrong": (f"{COUNT} job=clerk --set auxiliary.mislabelled=0.5", ["must be 0 or more and below 0.5"]),
    "step": (
        "attack distribution-comparison --property job=clerk --set comparison.step=3",
        ["step is in percent and must divide 100", "got 3"],
    ),
    "no-population": (
        "attack distribution-comparison --property job=clerk --set comparison.population=0",
        ["population must be 1 or more, got 0"],
    ),
    "no-queries": (
        "attack distribution-comparison --property job=clerk --set comparison.queries=0",
        ["queries must be 1 or more, got 0"],
    ),
    "audit-without-an-attack-on-it": (
        "audit --property job=clerk --attack gradient-sign",
        ["No attack estimates how many have job=clerk: gradient-sign steals something else"],
    ),
    "audit-without-a-property": (
        "audit --attack adjusted-count --attack gradient-sign",
        ["adjusted-count estimates how many have a property: name one with --property COLUMN=VALUE"],
    ),
}


@pytest.mark.parametrize("case", list(PROPERTIES))
def test_a_property_that_cannot_be_asked_about_is_refused(case, table, tmp_path):
    line, expected = PROPERTIES[case]
    source = (table, "--out", tmp_path / "out") if line.startswith("audit") else ("--data", table)
    said = refuse(f"{line} --label y --id id", *source)
    for words in expected:
        assert words in said, said
    assert len(said.splitlines()) <= 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            "correlation-augmentation --property job=clerk --party bank=age,income --party shop=visits --party lab=job "
            "--adversary shop --set replace_labels=true",
            "The labels of the training rows are needed, which 'bank' alone holds.",
        ),
        ("adjusted-count --property job=clerk --set epoch=9", "Epoch 9 is asked for, but 1 were trained"),
        ("adjusted-count --property visits=29..", "but 5 of each are needed. Use more rows"),
    ],
)  # fmt: skip
def test_a_property_attack_that_lacks_something_says_what(options, expected, tmp_path):
    visits = [29 if row < 3 else row % 20 for row in range(ROWS)]
    path = write(tmp_path / "people.csv", people(visits=visits))
    said = one_attack(path, f"{options} --id id --federation split-network --model epochs=1").stdout
    assert f"{options.split()[0]} for " in said and expected in " ".join(said.split())


def test_label_replacement_on_three_classes_says_what_to_do(tmp_path):
    path = write(tmp_path / "people.csv", people(y=["abc"[row % 3] for row in range(ROWS)]))
    asked = "--federation split-network --property job=clerk --set replace_labels=true"
    said = one_attack(path, f"correlation-augmentation --id id {asked}").stdout
    assert "A task of two classes is needed, but there are 3." in " ".join(said.split())


def test_a_misspelled_part_of_a_setting_of_a_federation_is_refused_too():
    for part in ("optimizer", "optimizers.passive"):
        line = "attack gradient-sign --data iris --federation summed-network --model"
        said = refuse(line, f"{part}.learning_rat=0.1")
        assert f"'{part}.learning_rat'; did you mean '{part}.learning_rate'" in said


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("empty.csv", b"", "empty"),
        ("header.csv", b"a,b,y\n", "no rows"),
        ("latin.csv", "a,b,y\n1,2,caf\xe9\n1,3,x\n".encode("latin-1"), "UTF-8"),
        ("ragged.csv", b"a,b,y\n1,2,no\n1,2\n", "line 3"),
        ("fake.parquet", b"a,b,y\n1,2,no\n", "Parquet"),
        ("empty.parquet", b"", "empty"),
        ("table.xlsx", b"PK", "CSV"),
    ],
)
def test_a_file_that_is_no_table_is_refused(name, content, expected, tmp_path):
    (tmp_path / name).write_bytes(content)
    assert expected in refuse("audit --label y", tmp_path / name, "--out", tmp_path / "out")


def test_a_truncated_parquet_file_is_refused(tmp_path):
    path = Path(write(tmp_path / "people.parquet", people()))
    path.write_bytes(path.read_bytes()[:-200])
    assert "Parquet" in refuse("audit --label y", path, "--out", tmp_path / "out")


def test_a_missing_file_a_missing_label_and_an_unknown_data_set_are_refused(table, tmp_path):
    out = ("--out", tmp_path / "out")
    assert "nowhere.csv" in refuse("audit --label y", tmp_path / "nowhere.csv", *out)
    assert "--label" in refuse("audit", table, *out)
    assert "'breast_cancer'" in refuse("audit brest_cancer", *out)
    assert "--label" in refuse("audit --label y", *out)
    assert "leave out --label" in refuse("audit iris --label y", *out)
    assert "leave out --label and --id" in refuse("attack gradient-sign --data iris --id x")


PLAN = """
seeds = [0]
[data]
name = "iris"
[[federations]]
name = "summed-network"
[[attacks]]
name = "gradient-sign"
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PLAN.replace("seeds", "seads"), ["No key is called 'seads'", "'seeds'"]),
        (PLAN.replace('name = "iris"', 'nam = "iris"'), ["'nam'"]),
        (PLAN.replace("seeds = [0]", 'seeds = "many"'), ["seeds", "'many'"]),
        (PLAN.replace("[0]", "[0, 0]"), ["seeds must be different"]),
        (PLAN.replace('[[attacks]]\nname = "gradient-sign"', ""), ["'attacks'"]),
        (PLAN + "[partition]\nparties = 1\n", ["parties"]),
        (PLAN + '[partition]\nkind = "named"\n', ["named"]),
        (PLAN + "[partition.columns]\nbank = ['sepal length (cm)']\n", ["Name columns", "not both"]),
        (PLAN.replace("[data]", "[data"), ["not TOML"]),
        (PLAN.replace("seeds", "format = 9\nseeds"), ["format 9", "reads up to 1"]),
        (PLAN.replace('name = "iris"', ""), ["either a name"]),
        (PLAN.replace('name = "iris"', 'file = "x.csv"'), ["label column"]),
        (PLAN.replace("seeds = [0]", "timeout = -1.0"), ["timeout"]),
        (PLAN.replace("[0]", "[" * 3000 + "]" * 3000), ["nested too deeply"]),
    ],
)
def test_a_plan_with_a_mistake_is_refused(text, expected, tmp_path):
    (tmp_path / "plan.toml").write_text(text)
    said = refuse("audit", tmp_path / "plan.toml", "--out", tmp_path / "out")
    for words in expected:
        assert words in said, said


DEEP = "[" * 3000 + "]" * 3000


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"audit iris --federation summed-network --model epochs={DEEP}", "nested too deeply"),
        (f"attack gradient-sign --data iris --set rule={DEEP}", "nested too deeply"),
        (f"audit iris --attack gradient-sign:epochs={DEEP}", "nested too deeply"),
        (f"audit iris --defense top-k:share={DEEP}", "nested too deeply"),
        ("audit synthetic:rows=100000000000", "rows of 1000000000 at most, got 1e+11"),
        ("audit synthetic:rows=1000000000,features=100", "1e+11 cells"),
        (f"audit synthetic:rows={'9' * 200}", "rows of 1000000000 at most"),
        (f"audit synthetic:rows={'9' * 5000}", "cannot be reached (File name too long)"),
        ("audit synthetic:classes=1000000", "classes of 1000 at most"),
        ("audit synthetic:seed=4294967296", "seed of 4294967295 at most"),
    ],
    ids=lambda value: value[:40],
)
def test_what_is_nested_or_large_beyond_reason_is_refused(line, expected, tmp_path):
    assert expected in refuse(line, *(["--out", tmp_path / "out"] if line.startswith("audit") else []))


CLOSED = "folder of somebody else"


@pytest.fixture
def closed(monkeypatch):
    """A folder of somebody else: the system refuses to look into it. Root, who may look everywhere, sees none such."""
    look = os.stat

    def refusing(path, *given, **others):
        if CLOSED in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return look(path, *given, **others)

    monkeypatch.setattr(os, "stat", refusing)
    return CLOSED


@pytest.mark.parametrize(
    "line",
    [
        "audit --label y '{closed}/people.csv'",
        "audit --out '{closed}/out' iris",
        "attack gradient-sign --label y --data '{closed}/people.csv'",
        "attack gradient-sign --transcript '{closed}/run'",
        "attack gradient-sign --data iris --json '{closed}/found.json'",
        "report '{closed}/out'",
        "gate --max labels=0.1 '{closed}/out'",
    ],
)
def test_a_place_in_somebody_else_s_folder_is_refused(line, closed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = refuse(line.format(closed=closed))
    assert closed in said and "Permission denied" in said, said


def test_a_name_cannot_do_anything_to_a_terminal(tmp_path):
    columns = {"\x1b[2J\x1b[31mred\u202e": [1, 2] * 60, **people()}
    said = refuse("audit --label nope", write(tmp_path / "people.csv", columns), "--out", tmp_path / "out")
    assert "\x1b" not in said and "\u202e" not in said and r"\x1b[2J\x1b[31mred\u202e" in said


def test_a_plan_and_options_that_contradict_it_are_refused(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    said = refuse("audit --encoding hash", tmp_path / "plan.toml", "--out", tmp_path / "out")
    assert "says what to audit, so --encoding does not go with it" in said
    assert "Cannot read" in refuse("audit", tmp_path / "other.toml")


def test_an_output_folder_that_is_a_file_or_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("here")
    assert "is a file" in refuse("audit iris --out", tmp_path / "file")
    assert "Cannot write" in refuse("audit iris --out /proc/seepage")


def test_a_transcript_that_cannot_be_read_is_refused(tmp_path):
    attack = f"attack gradient-sign --transcript {tmp_path}"
    assert "transcript.json" in refuse(attack)
    (tmp_path / "transcript.json").write_text(json.dumps({"version": 99}))
    assert "format version 99" in refuse(attack)
    (tmp_path / "transcript.json").write_text(json.dumps({"version": 1}))
    assert "transcript.safetensors" in refuse(attack)
    assert "not a folder" in refuse(f"{attack}/nowhere")
    for option in ("--data iris", "--seeds 2", "--scaling minmax", "--model epochs=2"):
        assert f"so {option.split()[0]} does not go with it" in refuse(f"{attack} {option}")
    assert "--guess goes with --transcript" in refuse("attack gradient-sign --guess guess.parquet")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--max label=0.2", "did you mean 'labels'"),
        ("--max labels=2", "from 0 to 1"),
        ("--max labels", "from 0 to 1"),
        ("--max labels=few", "from 0 to 1"),
        ("--max labels=0.2 --max labels=1", "given twice"),
        ("", "No limit is given"),
    ],
)
def test_a_gate_without_a_sensible_limit_is_refused(options, expected, tmp_path):
    assert expected in refuse(f"gate {options}", tmp_path)


def test_folders_without_findings_are_refused(tmp_path):
    assert "findings.jsonl" in refuse("gate --max labels=0.2", tmp_path)
    assert "findings.jsonl" in refuse("report", tmp_path)
    (tmp_path / "findings.jsonl").write_text('{"schema": 1}\n')
    assert "line 1 is not a finding" in refuse("gate --max labels=0.2", tmp_path)
    (tmp_path / "findings.jsonl").write_text('{"schema": 7}\n')
    assert "format 7" in refuse("report", tmp_path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("attack gradient-sign --model epochs=3", "--federation"),
        ("attack gradient-sign --timeout 3 --jobs 0", "--jobs 1"),
        ("attack gradient-sing --data no-such-data", "did you mean 'gradient-sign'"),  # before anything is loaded
        ("list atacks", "'attacks'"),
        ("reproduce label/table7", "label/table6"),
        ("reproduce label/table6 --only digit", "'digits'"),
    ],
)
def test_what_is_lacking_or_unknown_is_named(line, expected):
    assert expected in refuse(line)


def test_a_bad_place_for_json_is_refused_before_training(tmp_path):
    (tmp_path / "file").write_text("here")
    assert "--json" in refuse("attack gradient-sign --data iris --json", tmp_path / "file" / "found.jsonl")


def test_names_that_look_like_markup_are_printed_as_they_are(table):
    assert "[/b]" in one_attack(table, "gradient-sign --id id --party bank=age --party [/b]=visits").stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere, so nothing is refused")
def test_a_read_only_folder_is_refused(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "Cannot write" in refuse("audit iris --out", tmp_path / "closed" / "out")
