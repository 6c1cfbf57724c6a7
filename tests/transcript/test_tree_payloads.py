"""Transcripts of trees on disk: whole they come back, mangled they are refused."""

import numpy as np
import pytest

from hand_made import agreed
from samples import small_data
from seepage.attacks.labels.id2graph import ID2Graph
from seepage.errors import BadTranscript
from seepage.federations.boosting import Boosting
from seepage.federations.decision_tree import DecisionTree
from seepage.messages import TREE_KINDS, Kind, Message
from seepage.randomness import stream
from seepage.transcript import Recording, Transcript
from seepage.transcript.storage import read_transcript, whole_folder, write_transcript
from seepage.views import ThreatModel, grant, observe
from trained_runs import carried
from tree_samples import trained

TERMS = agreed("our-engine", kinds=TREE_KINDS)
ROWS = np.array([3, 4, 5])
NODE, TREE, LEFT = np.array([1, 1, 1]), np.array([0]), np.array([True, False, True])


def stored(transcript, folder):
    with whole_folder(folder) as scratch:
        write_transcript(transcript, scratch)
    return folder


def one_message(kind, payload, rows=ROWS, terms=TERMS):
    return Transcript(terms, (Message(kind, "bank", "shop", 0, 0, rows, payload),))


@pytest.mark.parametrize("federation", [DecisionTree(), Boosting(trees=2)], ids=lambda f: f.name)
def test_a_run_of_trees_comes_back_and_is_attacked_alike(federation, tmp_path):
    data = small_data("breast_cancer", parties=3)
    run = trained(federation, data, record=Recording.everything())
    run.release(data.test)
    again = read_transcript(stored(run.transcript, tmp_path / "run"))
    assert again.agreement.kinds == TREE_KINDS
    for one, two in zip(run.transcript.messages, again.messages, strict=True):
        assert one.kind is two.kind and carried(one) == carried(two)
    known = grant(data, ThreatModel(adversaries=data.passive[-1:]), stream(0, "knowledge"))
    guesses = [ID2Graph().run(observe(t, known), stream(0, "attack")).clusters for t in (run.transcript, again)]
    np.testing.assert_array_equal(*guesses)


@pytest.mark.parametrize(
    ("kind", "payload", "expected"),
    [
        (Kind.INSTANCE_SPACE, {"node": NODE}, "payload of node, tree"),
        (Kind.INSTANCE_SPACE, {"node": NODE[:2], "tree": TREE}, "a node for each row"),
        (Kind.INSTANCE_SPACE, {"node": np.array([0, 1, 1]), "tree": TREE}, "heap numbers from 1 on"),
        (Kind.INSTANCE_SPACE, {"node": NODE.astype(float), "tree": TREE}, "heap numbers of nodes"),
        (Kind.INSTANCE_SPACE, {"node": NODE, "tree": np.array([-1])}, "tree as one number from 0 on"),
        (Kind.INSTANCE_SPACE, {"node": NODE, "tree": np.array([0, 1])}, "tree as one number from 0 on"),
        (Kind.CHILD_SPACES, {"node": NODE, "left": LEFT.astype(int), "tree": TREE}, "left as yes or no"),
        (Kind.CHILD_SPACES, {"node": NODE, "left": LEFT[:1], "tree": TREE}, "left as yes or no"),
        (Kind.SPLIT_CHOICE, {"node": TREE + 1, "candidate": TREE, "tree": TREE}, "a choice without rows"),
        (Kind.DIRECTION, {"node": NODE, "tree": TREE}, "payload of node, tree, round"),
        (Kind.DIRECTION, {"left": LEFT[:2]}, "left as yes or no"),
        (Kind.SPLIT_SUMS, {"sums": np.array([0.5])}, "whole numbers or bytes"),
        (Kind.GRADIENT, {"gradient": np.zeros((3, 2))}, "a kind of message that crosses under our-engine"),
    ],
)
def test_what_no_tree_would_say_is_refused_in_a_sentence(kind, payload, expected, tmp_path):
    folder = stored(one_message(kind, payload), tmp_path / "run")
    with pytest.raises(BadTranscript, match=expected):
        read_transcript(folder)


def test_good_messages_are_read(tmp_path):
    for kind, payload in (
        (Kind.INSTANCE_SPACE, {"node": NODE, "tree": TREE}),
        (Kind.CHILD_SPACES, {"node": NODE, "left": LEFT, "tree": TREE}),
        (Kind.DIRECTION, {"left": LEFT}),
        (Kind.DIRECTION, {"node": NODE, "tree": TREE, "round": TREE}),
        (Kind.ENCRYPTED, {"statistics": np.zeros(9, dtype=np.uint8)}),
    ):
        read_transcript(stored(one_message(kind, payload), tmp_path / f"{kind}-{len(payload)}"))
    none = np.zeros(0, dtype=np.int64)
    choice = {"node": np.array([1, 2]), "candidate": np.array([7, 0]), "tree": TREE}
    read_transcript(stored(one_message(Kind.SPLIT_CHOICE, choice, none), tmp_path / "choice"))
