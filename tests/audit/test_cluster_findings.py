"""Findings of attacks that group rows: their score, their blind twin, and bounds where nodes were seen."""

import numpy as np
import pytest

from samples import small_data
from seepage.attacks import ATTACKS
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.truth import Truth
from seepage.audit.stages.attacking import attack_run
from seepage.messages import Kind, Message
from seepage.randomness import stream
from seepage.transcript import Transcript
from seepage.views import ThreatModel, grant
from tree_views import terms

AROUND = Surroundings(data="breast_cancer", federation="forest", parties=2, seed=0)


def recorded(leaf=None):
    """Breast cancer dealt to two parties, with one tree of the given leaves."""
    data = small_data("breast_cancer")
    known = grant(data, ThreatModel(adversaries=("passive",)), stream(0, "knowledge"))
    agreement = terms(2)
    messages = ()
    if leaf is not None:
        nodes = [np.ones(len(data.train), dtype=np.int64), 2 + leaf(data.labels[data.train])]
        messages = tuple(
            Message(
                Kind.INSTANCE_SPACE, "active", "passive", 0, level, data.train, {"node": node, "tree": np.array([0])}
            )
            for level, node in enumerate(nodes)
        )
    named = agreement.__class__(**{**agreement.__dict__, "parties": ("active", "passive"), "active": "active"})
    return RecordedRun(Transcript(named, messages), known, Truth(data.labels), AROUND)


def finding_of(name, run):
    return attack_run(run, ATTACKS[name](), name).finding


@pytest.mark.parametrize("name", ["id2graph", "union", "union-clustering"])
def test_pure_leaves_are_a_full_advantage_with_bounds(name):
    finding = finding_of(name, recorded(lambda labels: labels))
    assert (finding.metric, finding.value, finding.advantage) == ("v_measure", pytest.approx(1.0), pytest.approx(1.0))
    assert 0 < finding.blind < 1 and finding.blind_kind.startswith("k-means on own columns")
    bounds = finding.bounds["mutual_information"]
    assert bounds["nodes"] == len(bounds["per_node"]) == 3
    assert bounds["per_node"][0] == [0, 455, 0.0]
    assert bounds["max"] == bounds["median"] == pytest.approx(np.log(455 / 170))
    assert finding.from_json(finding.to_json()) == finding


def test_steps_are_scored_beside():
    other = finding_of("id2graph", recorded(lambda labels: labels)).other_metrics
    assert other["v_communities"] == pytest.approx(1.0) and 0.2 < other["v_own_columns"] < 0.8
    assert other["clusters"] == 2 and other["accuracy_best_matching"] == 1.0


def test_own_columns_are_never_ahead_of_a_blind_guess_and_have_no_bounds():
    finding = finding_of("local-clustering", recorded())
    assert finding.role == "baseline" and finding.advantage == 0.0
    assert finding.value <= finding.blind and finding.bounds == {}


def test_where_nothing_was_shown_there_is_a_value_and_next_to_no_advantage():
    finding = finding_of("id2graph", recorded())
    assert finding.status == "ok" and finding.advantage < 0.05
    assert finding.bounds == {}
