"""A party that hurries, and does nothing else."""

import numpy as np
import pytest

from samples import small_data
from seepage.attacks.labels.active_completion import ActiveCompletion
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.randomness import stream
from seepage.transcript import Epochs, Recording
from seepage.views import Knowledge, ThreatModel

HURRYING = ActiveCompletion().tampering(Knowledge(threat=ThreatModel(adversaries=("passive",))), stream(0))


def trained_bottoms(federation, tamperings):
    data = small_data("breast_cancer")
    run = federation.train(data, hooks=Hooks({}, tamperings), record=Recording({}, Epochs.only(0)), rng=stream(0, "t"))
    return {shot.party: shot.state for shot in run.transcript.snapshots if shot.part == "bottom"}


@pytest.mark.parametrize(("batch", "alike"), [(455, True), (200, False)])
def test_the_tampering_hurries_from_the_second_step_on(batch, alike):
    federation = SplitNetwork(epochs=1, batch=batch)
    honest, hurried = (trained_bottoms(federation, one) for one in ({}, {"passive": HURRYING}))
    for party, state in honest.items():  # the others notice through the top model
        assert all(np.array_equal(state[key], hurried[party][key]) for key in state) == alike


def test_the_tampering_changes_nothing_else():
    part = small_data("breast_cancer").parts["passive"]
    labels = np.arange(3)
    assert HURRYING.table(part) is part and HURRYING.labels(labels) is labels
    assert HURRYING.extra_loss(None, np.arange(3)) is None
