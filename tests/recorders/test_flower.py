"""What a server and a client of Flower sent, recorded by `examples/engines/flower_split.py` (160 rows, 3 rounds)."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import seepage
from command_line import typed
from seepage.audit.findings.finding import read_findings
from seepage.errors import Remark
from seepage.recorders.flower import BACKWARD, FORWARD, ClientRecorder, GridRecorder, Wording
from seepage.transcript.storage import is_closed, read_transcript, what_was_left_out

TOLD = Path(__file__).parent / "flower_split"
ROWS, TRAIN = 160, 128
PARTIES = ("bank", "shop", "lab")


@pytest.fixture(scope="module")
def told():
    return read_transcript(TOLD / "server")


def test_it_is_whole_and_each_embedding_is_answered(told):
    assert is_closed(TOLD / "server") and told.epochs == 3
    by = {}
    for message in told.messages:
        by.setdefault((message.kind.value, message.sender, message.receiver), []).append((message.epoch, message.rows))
    assert {key: [epoch for epoch, _ in said] for key, said in by.items()} == {
        ("embedding", "shop", "bank"): [0, 1, 2, -1], ("embedding", "lab", "bank"): [0, 1, 2, -1],
        ("gradient", "bank", "shop"): [0, 1, 2], ("gradient", "bank", "lab"): [0, 1, 2],
    }  # fmt: skip
    assert all(
        np.array_equal(rows, np.arange(TRAIN if epoch >= 0 else ROWS)) for said in by.values() for epoch, rows in said
    )


def test_a_client_hears_of_its_own_what_the_server_hears(told):
    own = read_transcript(TOLD / "client").messages
    theirs = [message for message in told.messages if "shop" in {message.sender, message.receiver}]
    assert [(one.kind, one.sender) for one in own] == [(other.kind, other.sender) for other in theirs]
    assert all(
        np.array_equal(one.payload[one.kind], other.payload[one.kind]) for one, other in zip(own, theirs, strict=True)
    )
    assert [message.epoch for message in own] == [0, 0, 1, 1, 2, 2, 3], "an epoch ends with a gradient"


def test_gradient_directions_name_labels_that_columns_do_not(tmp_path):
    columns, labels = load_breast_cancer(return_X_y=True)
    record = seepage.Recorder(tmp_path / "run", parties=PARTIES, active="bank", classes=2, top_model=True)
    record.take(TOLD / "server")
    record.rows(train=range(TRAIN), new=range(TRAIN, ROWS))
    record.columns("shop", columns[:ROWS, :15])
    record.truth(labels=labels[:ROWS])
    record.know_labels(per_class=4)
    record.close()
    wanted = [word for name in ("gradient-direction", "linear-probe") for word in ("--attack", name)]
    typed("audit --adversary shop --transcript", tmp_path / "run", "--out", tmp_path / "out", *wanted)
    found = {finding.attack: finding for finding in read_findings(tmp_path / "out") if finding.metric == "top1"}
    assert {"gradient-direction", "linear-probe"} <= set(found)
    assert found["gradient-direction"].value > max(0.95, found["gradient-direction"].blind)


def said(kind, node, *, pos=None, answers=True, **arrays):
    """Build what looks like a message of Flower: what the recorder reads of it, and no more."""
    held = {"arrays": {name: SimpleNamespace(numpy=lambda told=told: told) for name, told in arrays.items()}}
    config = {} if pos is None else {"config": {"pos": pos}}
    content = SimpleNamespace(array_records=held if arrays else {}, config_records=config)
    metadata = SimpleNamespace(message_type=kind, dst_node_id=node, src_node_id=node)
    return SimpleNamespace(content=content, metadata=metadata, has_content=lambda: answers)


class Grid:
    """Sends what it is given, and receives what it was told to, by way of its own other methods."""

    def __init__(self):
        self.replies, self.sent = [], []

    def push_messages(self, messages):
        self.sent += messages
        return [str(number) for number in range(len(self.sent))]

    def pull_messages(self, message_ids):
        del message_ids
        return iter(self.replies)

    def send_and_receive(self, messages, *, timeout=None):
        del timeout
        return self.pull_messages(self.push_messages(messages))


def test_whichever_way_messages_are_sent_each_is_heard_once(tmp_path):
    grid, rows = Grid(), np.ones((4, 2), dtype=np.float32)
    with GridRecorder(grid, tmp_path, parties=PARTIES, active="bank", classes=2) as record:
        record.epoch = 0
        grid.replies = [said(FORWARD, 70 + pos, pos=pos, embedding=rows * pos) for pos in (1, 0)]
        assert len(list(grid.send_and_receive([said(FORWARD, 70), said(FORWARD, 71)]))) == 2
        gradients = (said(BACKWARD, 70 + pos, **{"local-gradients": rows, "other": rows}) for pos in (0, 1))
        assert len(grid.push_messages(gradients)) == 4
        grid.replies = [said(BACKWARD, 70), said("train", 71), said(FORWARD, 71, answers=False)]
        assert len(list(grid.pull_messages(["0"]))) == 3
    heard = read_transcript(tmp_path).messages
    assert [(one.kind.value, one.sender, one.receiver) for one in heard] == [
        ("embedding", "lab", "bank"), ("embedding", "shop", "bank"),
        ("gradient", "bank", "shop"), ("gradient", "bank", "lab"),
    ]  # fmt: skip
    assert not set(vars(grid)) - {"replies", "sent"}, "the grid is left as it was"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (said(FORWARD, 70, embedding=np.ones((2, 2))), "StopIteration"),
        (said(FORWARD, 70, pos=9, embedding=np.ones((2, 2))), "out of range"),
        (said(FORWARD, 70, pos=0), "a message with one array"),
        (said(FORWARD, 70, pos=0, embedding=np.full((2, 2), np.nan)), "finite"),
    ],
)
def test_a_server_whose_messages_are_worded_otherwise_goes_on(tmp_path, message, why):
    grid = Grid()
    grid.replies = [message]
    with GridRecorder(grid, tmp_path, parties=PARTIES, active="bank", classes=2), pytest.warns(Remark):
        assert list(grid.send_and_receive([])) == [message]
    assert why in what_was_left_out(tmp_path).why


def test_batches_whose_rows_are_told_are_numbered_so(tmp_path):
    wording = Wording(
        forward="f", backward="b", embedding="z", rows=lambda message: message.content.config_records["config"]["pos"]
    )
    client = ClientRecorder(
        folder=str(tmp_path),
        party="shop",
        parties=PARTIES,
        active="bank",
        classes=2,
        wording=wording,
        epoch=lambda asked: 7,
    )
    reply = said("f", 1, pos=[3, 1], z=np.ones((2, 2)), other=np.ones(3))
    assert client(said("f", 1), None, lambda message, context: reply) is reply
    client.answers(np.ones((4, 2)))
    heard = read_transcript(tmp_path)
    assert heard.messages[0].rows.tolist() == [3, 1] and heard.messages[0].epoch == heard.snapshots[0].epoch == 7


def test_a_client_goes_on_whatever_cannot_be_kept(tmp_path):
    client = ClientRecorder(folder=str(tmp_path), party="shop", parties=PARTIES, active="bank", classes=2)
    for told in (1.0, np.nan, np.inf, 2.0):
        reply = said(FORWARD, 1, embedding=np.full((2, 2), told))
        with nullcontext() if np.isfinite(told) or told is np.inf else pytest.warns(Remark):
            assert client(said(FORWARD, 1), None, lambda message, context, told=reply: told) is reply
    with pytest.warns(Remark):
        assert client(None, None, lambda message, context: 5) == 5
    lost = what_was_left_out(tmp_path)
    assert (lost.count, lost.before, lost.after) == (2, 1, 1) and len(read_transcript(tmp_path).messages) == 2
    with pytest.raises(ValueError, match="one of the clients"):
        ClientRecorder(folder="x", party="bank", parties=PARTIES, active="bank", classes=2)
