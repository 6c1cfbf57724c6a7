import numpy as np
import pytest

import seepage
from seepage.audit.plan.plan import DataPlan
from seepage.audit.recordings.recorded_run import read_run
from seepage.audit.stages.bench import Bench
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.layouts import TextShape
from small_audits import asked, chosen

TRANSFORMER = {"name": "split-network", "settings": {"bottom": "transformer", "width": 8, "epochs": 2, "batch": 32}}
FEW = {"labels_per_class": 4, "learner": {"epochs": 1, "iterations": 3}}


@pytest.fixture
def weather(tmp_path):
    """Made-up texts, whose class is told by one word in each half."""
    rng = np.random.default_rng(0)
    lines = []
    for row in range(120):
        first, last = ("sun", "warm") if row % 2 else ("rain", "cold")
        fill = rng.choice(["so", "it", "is", "and"], size=4)
        lines.append(f"{fill[0]} {first} {fill[1]} {fill[2]} {last} {fill[3]},{row % 2}")
    path = tmp_path / "weather.csv"
    path.write_text("body,y\n" + "\n".join(lines) + "\n")
    return path


def test_labels_of_texts_are_attacked_and_what_reads_numbers_does_not_apply(weather):
    attacks = [chosen("linear-probe", **FEW), chosen("model-completion", **FEW), "generative-regression"]
    tried = {"federations": [TRANSFORMER], "attacks": attacks, "defenses": [], "seeds": 1}
    findings = seepage.audit(weather, label="y", text="body", **tried)
    found = {finding.attack: finding for finding in findings}
    assert found["linear-probe"].status == found["model-completion"].status == "ok"
    assert found["linear-probe"].other_metrics["blind_own_columns"] == 1.0  # the words themselves tell
    assert found["linear-probe"].partition["columns"] == {"active": 32, "passive": 32}
    assert found["generative-regression"].status == "not applicable"
    assert "reads words" in found["generative-regression"].reason


def test_a_stored_run_knows_that_its_columns_are_words(weather, tmp_path):
    read = {"file": str(weather), "label": "y", "text": "body", "words": 8, "vocabulary": 50}
    plan = asked(read, federations=[TRANSFORMER], attacks=["linear-probe"])
    run_sweep(plan_sweep(plan), jobs=0, store=tmp_path / "run")
    own = read_run(tmp_path / "run").knowledge.own["passive"]
    assert own.layout == TextShape(length=4, vocabulary=50)


def test_by_default_every_federation_with_transformers_is_tried(weather):
    findings = seepage.audit(weather, label="y", text="body", attacks=["gradient-sign"], defenses=[], seeds=1)
    assert {finding.federation for finding in findings} == {"split-network", "summed-network"}
    assert {finding.model_settings["bottom"] for finding in findings} == {"transformer"}


def test_texts_are_read_again_once_their_vocabulary_has_changed(weather, tmp_path):
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sun", "rain"]
    vocabulary = tmp_path / "vocab.txt"
    plan = DataPlan(file=str(weather), label="y", text="body", words=8, vocabulary=str(vocabulary))
    vocabulary.write_text("\n".join(pieces) + "\n")
    bench = Bench()
    before = bench.table(plan)
    assert bench.table(plan) is before and before.layout == TextShape(8, 6)
    vocabulary.write_text("\n".join([*pieces, "warm"]) + "\n")
    assert bench.table(plan).layout == TextShape(8, 7)
