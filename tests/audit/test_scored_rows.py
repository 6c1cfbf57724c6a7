"""Rows are scored where an attack says that it speaks about them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from made_up_attacks import OnLabels
from samples import small_data
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.truth import Truth
from seepage.audit.stages.attacking import attack_run
from seepage.federations.summed_network import SummedNetwork
from seepage.guesses import LabelGuess
from seepage.randomness import stream
from seepage.views import ThreatModel, grant
from trained_runs import NOTHING, trained


@dataclass(frozen=True)
class Always(OnLabels):
    """Says class 1 of every row that took no part in training."""

    role: ClassVar = "baseline"
    rows: ClassVar = "test"

    def run(self, view, rng):
        return LabelGuess(view.knowledge.new, np.tile([0.0, 1.0], (len(view.knowledge.new), 1)))


def test_an_attack_on_test_rows_is_scored_on_test_rows():
    data = small_data("breast_cancer")
    run = trained(SummedNetwork(epochs=1), data, record=NOTHING)
    knowledge = grant(data, ThreatModel(adversaries=("passive",)), stream(0, "knowledge"))
    around = Surroundings(data="breast_cancer", federation="summed-network", parties=2, seed=0)
    finding = attack_run(RecordedRun(run.transcript, knowledge, Truth(data.labels), around), Always(), "always").finding
    assert finding.rows == "test"
    assert finding.value == np.mean(data.labels[data.test] == 1)
    assert finding.other_metrics["abstained"] == 0
