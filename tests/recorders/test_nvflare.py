"""What two sites of NVFlare sent, recorded by `examples/engines/nvflare_split.py` (160 rows, 4 epochs)."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.datasets import load_breast_cancer

import seepage
from command_line import typed
from seepage.audit.findings.finding import read_findings
from seepage.transcript.storage import is_closed, read_transcript

TOLD = Path(__file__).parent / "nvflare_split"
ROWS, TRAIN = 160, 128


@pytest.fixture(scope="module")
def told():
    return read_transcript(TOLD)


def test_it_is_whole_and_each_embedding_is_answered(told):
    assert is_closed(TOLD) and told.epochs == 4
    kinds = [message.kind.value for message in told.messages]
    assert kinds == ["embedding", "gradient"] * (len(kinds) // 2) and len(kinds) == 4 * 2 * 2
    for sent, came in zip(told.messages[::2], told.messages[1::2], strict=True):
        assert (sent.sender, sent.receiver, came.sender, came.receiver) == ("shop", "bank", "bank", "shop")
        assert np.array_equal(sent.rows, came.rows) and sent.epoch == came.epoch


def test_half_precision_and_rows_that_were_drawn_twice_are_read(told):
    stored = [array for path in sorted(TOLD.glob("*.safetensors")) for array in load_file(path).values()]
    assert {array.dtype for array in stored if array.ndim == 2 and len(array) == 64} == {np.dtype(np.float16)}
    assert all(message.payload[message.kind].dtype == np.float32 for message in told.messages)
    assert all(
        len(message.rows) < 64 and len(np.unique(message.rows)) == len(message.rows) for message in told.messages
    )


def test_what_the_shop_answers_is_what_it_sent_before_its_next_step(told):
    """After the last step of an epoch its model stays as it is until the next batch is sent."""
    for before, after in zip(told.snapshots, told.messages[4::4], strict=False):
        assert np.allclose(before.state["outputs"][after.rows], after.payload["embedding"], atol=2e-3, rtol=2e-3)


def test_gradient_directions_name_labels_that_columns_do_not(tmp_path):
    columns, labels = load_breast_cancer(return_X_y=True)
    record = seepage.Recorder(tmp_path / "run", parties=["bank", "shop"], active="bank", classes=2, top_model=True)
    record.take(TOLD)
    record.rows(train=range(TRAIN), new=range(TRAIN, ROWS))
    record.columns("shop", columns[:ROWS, 15:])
    record.truth(labels=labels[:ROWS])
    record.know_labels(per_class=4)
    record.close()
    wanted = [word for name in ("gradient-direction", "linear-probe") for word in ("--attack", name)]
    typed("audit --adversary shop --transcript", tmp_path / "run", "--out", tmp_path / "out", *wanted)
    found = {finding.attack: finding for finding in read_findings(tmp_path / "out") if finding.metric == "top1"}
    assert {"gradient-direction", "linear-probe"} <= set(found)
    assert found["gradient-direction"].value > max(0.95, found["gradient-direction"].blind)
