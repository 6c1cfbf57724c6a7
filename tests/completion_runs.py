"""Small federations whose bottom models are completed."""

from functools import cache

from samples import small_data
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.learners.completion.mixmatch import MixMatch
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.transcript import Recording
from seepage.transcript.recording import Epochs
from seepage.views import ThreatModel, View, grant, observe

BRIEF = MixMatch(epochs=2, iterations=10, batch=16)
"""A learner that takes a moment."""
LAST = Recording(snapshots=Epochs.only(-1))


def view_of(
    data: PartitionedTable, federation=None, adversaries=("passive",), labels_per_class=4, hooks=None, record=LAST
) -> View:
    """Train a federation and return what an adversary holds that knows a few labels."""
    trained = federation or SplitNetwork(epochs=3)
    run = trained.train(data, hooks=hooks or Hooks(), record=record, rng=stream(0, "federation"))
    threat = ThreatModel(adversaries=adversaries, labels_per_class=labels_per_class)
    return observe(run.transcript, grant(data, threat, stream(0, "knowledge")))


@cache
def small_view() -> View:
    """Return what the passive party of a split network over breast_cancer holds after training."""
    return view_of(small_data("breast_cancer"))


@cache
def colluding_view() -> View:
    """Return what two of three parties hold together."""
    return view_of(small_data("breast_cancer", parties=3), adversaries=("passive-1", "passive-2"))
