"""Properties from the command line, on a table that a user brings: audit, report, gate, stored runs."""

import json

import numpy as np
import pytest

import seepage
from command_line import found, typed
from report_words import plain_words
from samples import write_csv
from seepage.errors import Suspicion

ROWS = 240
PARTIES = "--party bank=job,income --party shop=age,sex,visits"


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Write a table of mixed columns, of which the bank's tell something about the shop's."""
    rng = np.random.default_rng(3)
    man = rng.random(ROWS) < 0.7
    age = rng.integers(18, 90, ROWS)
    columns = {
        "id": np.arange(ROWS),
        "age": age,
        "sex": np.where(man, "Male", "Female"),
        "visits": rng.poisson(4 + 3 * (age > 60)),
        "job": np.where(rng.random(ROWS) < 0.2 + 0.5 * man, "smith", rng.choice(["clerk", "nurse"], ROWS)),
        "income": (30 + 10 * man + rng.normal(0, 8, ROWS)).round(1),
        "y": np.where(man + rng.normal(0, 0.7, ROWS) > 0.6, "yes", "no"),
    }
    return write_csv(tmp_path_factory.mktemp("people") / "people.csv", **columns)


def attack(path, options):
    line = "--label y --id id --federation split-network --model epochs=3 --seeds 1 --jobs 0 --data"
    return found(f"attack adjusted-count {options} {line}", path)


def test_an_audit_of_a_category_and_a_range_of_a_user_s_table_ends_in_a_report(people, tmp_path):
    out = tmp_path / "out"
    shown = typed(
        f"audit --label y --id id {PARTIES} --property sex=Male --property age=65.. --attack adjusted-count "
        "--attack distribution-comparison:comparison.population=200 --attack gradient-sign --defense withdrawal "
        "--federation split-network --federation forest --seeds 1 --jobs 0",
        people, "--out", out,
    )  # fmt: skip
    assert "share of sex=Male" in shown.stdout and "share of age=65.." in shown.stdout
    table = " ".join(typed("report --table", out).stdout.split())
    assert "for sex=Male and age=65.. on forest: not applicable" in table
    findings = [json.loads(line) for line in (out / "findings.jsonl").read_text().splitlines()]
    measured = [f for f in findings if f["asset"] == "properties" and f["status"] == "ok"]
    assert {(f["property"], f["attack"], f["defense"]) for f in measured} == {
        (asked, name, defense)
        for asked in ("sex=Male", "age=65..")
        for name in ("adjusted-count", "distribution-comparison")
        for defense in (None, "withdrawal")
    }
    assert all(f["adversary"] == ["bank"] and 0 <= f["value"] <= 1 and f["blind"] is not None for f in measured)
    assert all("withdrawal_shift" in f["other_metrics"] for f in measured if f["defense"] == "withdrawal")
    page = (out / "report.html").read_text()
    words = plain_words(page)
    assert "Share of people with sex=Male" in words and "Share of people with age=65.." in words
    assert "How many have it" in words and page.count("<polyline points") == 2 * 4 * 5
    assert "properties = [" in (out / "plan.toml").read_text()
    assert "share of age=65.." in typed("audit --jobs 0 --out", out, out / "plan.toml").stdout


def test_who_holds_the_attribute_decides_who_is_curious(people):
    active, passive = (attack(people, f"{PARTIES} --property {asked}") for asked in ("sex=Male", "job=smith"))
    assert (active["adversary"], passive["adversary"]) == (["bank"], ["shop"])
    assert active["knowledge"]["auxiliary_with"] == active["knowledge"]["auxiliary_without"] > 0


def test_columns_that_are_dealt_leave_the_attribute_with_the_victim(people):
    c1, c2 = (attack(people, f"--property sex=Male {who}") for who in ("", "--adversary passive"))
    assert "sex" in c1["partition"]["columns"]["passive"] and c1["adversary"] == ["active"]
    assert "sex" in c2["partition"]["columns"]["active"] and c2["adversary"] == ["passive"]


def test_an_active_party_with_labels_alone_can_be_named_as_the_adversary(people):
    finding = attack(people, "--labels-only --adversary active --property sex=Male")
    assert finding["status"] == "ok" and finding["partition"]["columns"]["active"] == []


def test_python_takes_properties_as_well(people):
    with pytest.warns(Suspicion, match="'sex=Male' 9 rows with it and 9 without are known to the adversary"):
        findings = seepage.audit(
            people, label="y", id_column="id", parties={"bank": ["job", "income"], "shop": ["age", "sex", "visits"]},
            federations=["logistic-regression"], attacks=["adjusted-count"], defenses=[], seeds=1,
            properties=["sex=Male", "age=..30"],
        )  # fmt: skip
    assert [finding.property for finding in findings] == ["sex=Male", "age=..30"]
    assert {finding.metric for finding in findings} == {"fraction_error"}


def test_every_defense_that_was_asked_for_has_a_line(people):
    line = f"attack adjusted-count --label y --id id {PARTIES} --property sex=Male --federation split-network"
    defenses = "--model epochs=2 --seeds 1 --jobs 0 --defense withdrawal --defense laplace-noise"
    shown = typed(f"{line} {defenses} --data", people).stdout
    assert "withdrawal" in shown and "laplace-noise" in shown
