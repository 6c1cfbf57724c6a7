"""What SecretFlow sent in boosting, recorded by `examples/engines/secretflow_sgb.py` (200 rows, 3 trees, depth 3)."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import seepage
from command_line import typed
from seepage.audit.findings.finding import read_findings
from seepage.messages import Kind
from seepage.transcript.storage import is_closed, read_transcript

TOLD = Path(__file__).parent / "secretflow_sgb"
ROWS = 200


@pytest.fixture(scope="module")
def told():
    return read_transcript(TOLD)


def test_it_is_whole_and_says_whose_it_is(told):
    assert is_closed(TOLD) and told.epochs == 3 and told.agreement.model == "boosted forest"
    assert {(message.kind, message.sender, message.receiver) for message in told.messages} == {
        (Kind.INSTANCE_SPACE, "bank", "shop"),
        (Kind.CHILD_SPACES, "shop", "bank"),
    }


def test_the_first_tree_is_the_label_holders_alone_and_later_ones_begin_with_everybody(told):
    shown = [message for message in told.messages if message.kind is Kind.INSTANCE_SPACE]
    assert {message.epoch for message in shown} == {1, 2}
    for epoch in (1, 2):
        first = next(message for message in shown if message.epoch == epoch)
        assert np.array_equal(first.rows, np.arange(ROWS)) and set(first.payload["node"]) == {1}


def test_of_two_siblings_one_alone_is_sent_and_it_is_the_smaller(told):
    """What goes left of a node that the shop split itself says how many rows the sibling has."""
    compared = 0
    for split in (message for message in told.messages if message.kind is Kind.CHILD_SPACES):
        later = [
            message
            for message in told.messages
            if message.kind is Kind.INSTANCE_SPACE and (message.epoch, message.step) == (split.epoch, split.step + 1)
        ]
        for parent in np.unique(split.payload["node"]):
            left = split.payload["left"][split.payload["node"] == parent]
            for message in later:
                sizes = {child: int((message.payload["node"] == child).sum()) for child in (2 * parent, 2 * parent + 1)}
                sent = {child: size for child, size in sizes.items() if size}
                assert len(sent) <= 1
                for size in sent.values():
                    assert size == min(left.sum(), (~left).sum())
                    compared += 1
    assert compared > 0


def test_it_is_attacked_and_stands_beside_its_blind_twins(tmp_path):
    columns, labels = load_breast_cancer(return_X_y=True)
    record = seepage.Recorder(
        tmp_path / "run", parties=["bank", "shop"], active="bank", classes=2, top_model=True, model="boosted forest",
        kinds=read_transcript(TOLD).agreement.kinds,
    )  # fmt: skip
    record.take(TOLD)
    record.columns("shop", columns[:ROWS, 15:])
    record.truth(labels=labels[:ROWS])
    record.know_labels(per_class=4)
    record.close()
    wanted = [word for name in ("id2graph", "leaf-labels") for word in ("--attack", name)]
    typed("audit --adversary shop --transcript", tmp_path / "run", "--out", tmp_path / "out", *wanted)
    found = [finding for finding in read_findings(tmp_path / "out") if finding.role == "attack"]
    assert {finding.attack for finding in found} == {"id2graph", "leaf-labels"}
    assert all(finding.status == "ok" and finding.blind is not None for finding in found)
    assert max(finding.value for finding in found if finding.attack == "leaf-labels") > 0.85
