"""Cells about properties: who knows what, what is said where something lacks, and what a model is tested on."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import seepage
from samples import small_data
from seepage.audit.plan.plan import make_plan
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.keys import Keys
from seepage.audit.stages.trained import without_strangers
from seepage.audit.sweep import plan_sweep
from seepage.cli.app import app
from seepage.randomness import stream
from seepage.views import Auxiliary, ThreatModel, grant

LARGE = "mean radius=15.."
QUICK = {"federations": [{"name": "split-network", "settings": {"epochs": 2}}], "seeds": 1, "defenses": []}
FEW = {"comparison": {"populations": 20, "population": 100, "queries": 2}}


@pytest.fixture
def people(tmp_path):
    """A table in which three training rows or so have a rare property."""
    rng = np.random.default_rng(3)
    path = tmp_path / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "income", "visits", "rare", "y"])
        for number in range(160):
            rare = "yes" if number < 4 else "no"
            writer.writerow([number, rng.integers(18, 80), rng.normal(), rng.poisson(5), rare, number % 2])
    return path


def test_too_few_people_to_know_is_said_of_attacks_that_tamper_as_well(people):
    findings = seepage.audit(
        people,
        label="y",
        id_column="id",
        parties={"bank": ["age", "income"], "shop": ["visits", "rare"]},
        attacks=["adjusted-count", {"name": "correlation-augmentation", "settings": FEW}],
        properties=["rare=yes"],
        **QUICK,
    )
    assert {(f.attack, f.status, f.property) for f in findings} == {
        ("adjusted-count", "not applicable", "rare=yes"),
        ("correlation-augmentation", "not applicable", "rare=yes"),
    }
    assert all("to draw auxiliary rows from" in f.reason for f in findings)


def test_an_attack_that_cannot_ask_about_one_property_asks_about_the_others_under_every_defense(people):
    findings = seepage.audit(
        people,
        label="y",
        id_column="id",
        parties={"bank": ["age", "income"], "shop": ["visits", "rare"]},
        attacks=["shadow-models"],
        properties=["visits=6..", "age=50.."],
        **{**QUICK, "defenses": ["laplace-noise"]},
    )
    found = {(f.property, f.defense): f.status for f in findings}
    assert found["visits=6..", None] == found["visits=6..", "laplace-noise"] == "ok"
    assert found["age=50..", None] == "not applicable"  # the shop would have to know labels


def test_a_cell_that_fails_has_a_finding_for_every_property_with_its_adversary():
    plan = make_plan(
        {
            "data": {"name": "breast_cancer"},
            "partition": {"kind": "named", "columns": {"bank": ["mean radius"], "lab": ["mean texture", "mean area"]}},
            "attacks": [{"name": "adjusted-count"}, {"name": "gradient-sign"}],
            "properties": [LARGE, "mean area=700.."],
            "federations": QUICK["federations"],
            "seeds": 1,
        }
    )
    (job,) = plan_sweep(plan).jobs
    keys = Keys("checksum").of(job)
    failures = Assignment(job, keys, "checksum", frozenset(keys.all)).failures(frozenset(), "ran out of memory")
    findings = [record.finding for record in failures if record.finding is not None]
    assert [(f.attack, f.property, f.adversary) for f in findings] == [
        ("adjusted-count", LARGE, ("lab",)),
        ("adjusted-count", "mean area=700..", ("bank",)),
        ("gradient-sign", None, ("lab",)),
    ]


def test_a_model_is_not_tested_on_people_who_stood_in_for_training_rows():
    data = small_data("breast_cancer", properties=(LARGE,))
    threat = ThreatModel(adversaries=("active",), property=LARGE, auxiliary=Auxiliary(rows=12, aligned=False))
    knowledge = grant(data, threat, stream(0, "knowledge"))
    left = without_strangers(data, [knowledge])
    assert len(left.test) == len(data.test) - 24
    assert not np.isin(knowledge.auxiliary.source, left.test).any()
    aligned = grant(data, ThreatModel(adversaries=("active",), property=LARGE, auxiliary=Auxiliary(rows=12)), stream(0))
    assert without_strangers(data, [aligned]) is data


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "run"
    asked = ["--data", "breast_cancer", "--property", LARGE, "--federation", "split-network", "--model", "epochs=2"]
    shown = CliRunner().invoke(
        app, ["attack", "adjusted-count", *asked, "--seeds", "1", "--jobs", "0", "--keep-transcript", str(folder)]
    )
    assert shown.exit_code == 0, shown.output
    return folder


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("correlation-augmentation", (), "has to misbehave during training"),
        ("adjusted-count", ("--set", "auxiliary.aligned=false"), "has to misbehave during training"),
        ("adjusted-count", ("--set", "auxiliary.rows=7"), r"Ask for the same \(--set auxiliary.aligned=true\)"),
    ],
)
def test_a_stored_run_cannot_be_tampered_with_or_know_others_afterwards(stored, name, settings, said):
    import re

    shown = CliRunner().invoke(app, ["attack", name, "--transcript", str(stored), *settings])
    assert shown.exit_code == 2 and re.search(said, " ".join(shown.stderr.split()))


def test_an_attack_on_labels_of_a_stored_run_says_nothing_of_its_property(stored):
    shown = CliRunner().invoke(app, ["attack", "local-clustering", "--transcript", str(stored), "--json", "-"])
    found = json.loads(shown.stdout)
    assert found["asset"] == "labels" and found["property"] is None


def test_findings_name_the_attack_whose_adversary_misbehaved():
    attacks = ["adjusted-count", {"name": "correlation-augmentation", "settings": FEW}]
    honest, tampered = seepage.audit("breast_cancer", attacks=attacks, properties=[LARGE], **QUICK)
    assert honest.tampering is None and tampered.tampering.startswith("CorrelationAugmentation(")
