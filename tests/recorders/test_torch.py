"""A PyTorch loop with an architecture of its own is recorded by two lines in it, and attacked by one command."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import seepage
from command_line import typed
from seepage.audit.findings.finding import read_findings
from seepage.audit.recordings.recorded_run import read_run
from seepage.recorders.torch import SplitRecorder
from seepage.transcript.storage import read_transcript
from split_loop import Loop

WANTED = {"gradient-direction", "linear-probe", "model-completion", "embedding-regression", "adjusted-count"}


def tapped(folder, loop):
    record = seepage.Recorder(folder, parties=["bank", "shop"], active="bank", classes=2, top_model=True)
    record.rows(train=loop.rows[0], new=loop.rows[1])
    for party, columns in loop.columns.items():
        record.columns(party, columns)
    tap = SplitRecorder(record, {"bank": loop.bank, "shop": loop.shop})
    loop.run(lambda epoch, rows, sent, came: None, tap.epoch_over, before=tap.batch)
    tap.batch(loop.rows[1])
    with torch.no_grad():
        loop.shop(torch.from_numpy(loop.columns["shop"][loop.rows[1]]))
    tap.close()
    record.truth(labels=loop.table[1], has=loop.columns["shop"][:, 0] > 0)
    record.know_labels(per_class=4)
    record.know_values(count=40)
    record.know_property("shop-0=high", holder="shop")
    return record


def test_hooks_hear_what_crosses(tmp_path):
    heard = []
    loop = Loop(epochs=2)
    tapped(tmp_path / "run", loop).close()

    def hear(epoch, rows, sent, came):
        heard.append((epoch, rows, sent.detach().numpy(), came.numpy()))

    Loop(epochs=2).run(hear, lambda epoch: None)
    told = read_run(tmp_path / "run").transcript
    assert len(told.messages) == 2 * len(heard) + 1, "and what the shop sent for a prediction"
    for place, (epoch, rows, sent, came) in enumerate(heard):
        embedding, gradient = told.messages[2 * place : 2 * place + 2]
        assert (embedding.epoch, embedding.kind, gradient.kind) == (epoch, "embedding", "gradient")
        assert np.array_equal(embedding.rows, rows) and np.array_equal(gradient.rows, rows)
        assert np.array_equal(embedding.payload["embedding"], sent)
        assert np.array_equal(gradient.payload["gradient"], came)
    assert told.messages[-1].epoch == -1 and np.array_equal(told.messages[-1].rows, loop.rows[1])
    assert [(taken.party, taken.epoch) for taken in told.snapshots] == [
        (party, epoch) for epoch in range(2) for party in ("bank", "shop")
    ]


def test_a_module_is_asked_as_it_predicts_and_left_as_it_was(tmp_path):
    record = seepage.Recorder(tmp_path / "run", parties=["bank", "shop"], active="bank", classes=2)
    record.columns("shop", np.ones((4, 3)))
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.5)).train()
    record.gradient("shop", [0, 1], np.ones((2, 2)), 0)
    record.model("shop", net, 0)
    record.close()
    (taken,) = read_run(tmp_path / "run").transcript.snapshots
    with torch.no_grad():
        expected = F.linear(torch.ones(4, 3), net[0].weight, net[0].bias).numpy()
    assert net.training and np.allclose(taken.state["outputs"], expected)


def test_one_command_attacks_the_recording_and_writes_the_report(tmp_path):
    tapped(tmp_path / "run", Loop()).close()
    typed("audit --transcript", tmp_path / "run", "--out", tmp_path / "out")
    findings = read_findings(tmp_path / "out")
    reached = {finding.attack: finding for finding in findings if finding.status == "ok" and finding.value is not None}
    assert set(reached) >= WANTED and all(finding.blind is not None for finding in reached.values())
    assert not [finding.reason for finding in findings if finding.status == "failed"]
    assert reached["gradient-direction"].value > 0.95
    page = (tmp_path / "out" / "report.html").read_text()
    assert "This is a recording" in page and "gradient-direction" in page and "embedding-regression" in page


def test_a_look_at_how_well_the_model_does_is_no_message(tmp_path):
    """Between batches nothing comes back; a prediction is told without an epoch."""
    record = seepage.Recorder(tmp_path / "run", parties=["bank", "shop"], active="bank", classes=2, top_model=True)
    shop, rows = nn.Linear(3, 2), torch.ones(4, 3)
    with SplitRecorder(record, {"shop": shop}, {"shop": rows}) as tap:
        tap.batch([0, 1, 2, 3], 0)
        shop(rows).sum().backward()
        with torch.no_grad():
            shop(rows[:3])
            tap.batch([1, 2])
            shop(rows[1:3])
    told = read_transcript(tmp_path / "run").messages
    assert [(one.kind.value, one.epoch, len(one.rows)) for one in told] == [
        ("embedding", 0, 4), ("gradient", 0, 4), ("embedding", -1, 2),
    ]  # fmt: skip
