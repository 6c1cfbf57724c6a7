"""Cells about properties: who knows what, what is said where something lacks, and what a model is tested on."""

import numpy as np
import pytest

import seepage
from command_line import found, refused, typed
from samples import small_data, write_csv
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.keys import Keys
from seepage.audit.stages.trained import without_strangers
from seepage.audit.sweep import plan_sweep
from seepage.randomness import stream
from seepage.views import Auxiliary, ThreatModel, grant
from small_audits import asked, chosen

LARGE = "mean radius=15.."
QUICK = {"federations": "split-network:epochs=2", "seeds": 1, "defenses": []}
FEW = {"comparison": {"populations": 20, "population": 100, "queries": 2}}


@pytest.fixture
def people(tmp_path):
    """A table in which three training rows or so have a rare property."""
    rng, rows = np.random.default_rng(3), np.arange(160)
    return write_csv(
        tmp_path / "people.csv", id=rows, age=rng.integers(18, 80, 160), income=rng.normal(size=160),
        visits=rng.poisson(5, 160), rare=np.where(rows < 4, "yes", "no"), y=rows % 2,
    )  # fmt: skip


def audited(people, **settings):
    held = {"bank": ["age", "income"], "shop": ["visits", "rare"]}
    return seepage.audit(people, label="y", id_column="id", parties=held, **{**QUICK, **settings})


def test_too_few_people_to_know_is_said_of_attacks_that_tamper_as_well(people):
    attacks = ["adjusted-count", {"name": "correlation-augmentation", "settings": FEW}]
    findings = audited(people, attacks=attacks, properties=["rare=yes"])
    assert {(f.attack, f.status, f.property) for f in findings} == {
        ("adjusted-count", "not applicable", "rare=yes"),
        ("correlation-augmentation", "not applicable", "rare=yes"),
    }
    assert all("to draw auxiliary rows from" in f.reason for f in findings)


def test_an_attack_that_cannot_ask_about_one_property_asks_about_the_others_under_every_defense(people):
    asked = {"attacks": ["shadow-models"], "properties": ["visits=6..", "age=50.."], "defenses": ["laplace-noise"]}
    findings = audited(people, **asked)
    status = {(f.property, f.defense): f.status for f in findings}
    assert status["visits=6..", None] == status["visits=6..", "laplace-noise"] == "ok"
    assert status["age=50..", None] == "not applicable"  # the shop would have to know labels


def test_a_cell_that_fails_has_a_finding_for_every_property_with_its_adversary():
    held = {"kind": "named", "columns": {"bank": ["mean radius"], "lab": ["mean texture", "mean area"]}}
    attacks, properties = ["adjusted-count", "gradient-sign"], [LARGE, "mean area=700.."]
    network = chosen("split-network", epochs=2)
    plan = asked("breast_cancer", partition=held, attacks=attacks, properties=properties, federations=[network])
    (job,) = plan_sweep(plan, bare=True).jobs
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
    line = "attack adjusted-count --data breast_cancer --federation split-network --model epochs=2 --seeds 1 --jobs 0"
    typed(line, "--property", LARGE, "--keep-transcript", folder)
    return folder


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("correlation-augmentation", "", "has to misbehave during training"),
        ("adjusted-count", "--set auxiliary.aligned=false", "has to misbehave during training"),
        ("adjusted-count", "--set auxiliary.rows=7", "Ask for the same (--set auxiliary.aligned=true)"),
    ],
)
def test_a_stored_run_cannot_be_tampered_with_or_know_others_afterwards(stored, name, settings, said):
    assert said in refused(f"attack {name} {settings} --transcript", stored)


def test_an_attack_on_labels_of_a_stored_run_says_nothing_of_its_property(stored):
    finding = found("attack local-clustering --transcript", stored)
    assert finding["asset"] == "labels" and finding["property"] is None


def test_findings_name_the_attack_whose_adversary_misbehaved():
    attacks = ["adjusted-count", {"name": "correlation-augmentation", "settings": FEW}]
    honest, tampered = seepage.audit("breast_cancer", attacks=attacks, properties=[LARGE], **QUICK)
    assert honest.tampering is None and tampered.tampering.startswith("CorrelationAugmentation(")
