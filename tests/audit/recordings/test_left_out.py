"""An engine is never broken off by its recorder: what cannot be kept is left out, and everybody who reads is told."""

import json
import warnings

import numpy as np
import pytest
import torch
from torch import nn

import seepage
from command_line import typed
from seepage.audit.findings.notes import read_notes
from seepage.audit.recordings.applying import check
from seepage.audit.recordings.recorded_run import read_run
from seepage.errors import BadOutput, Remark
from seepage.messages import Kind, Message
from seepage.recorders.torch import SplitRecorder
from seepage.transcript import Agreement, writer
from seepage.transcript.storage import read_transcript, what_was_left_out
from seepage.transcript.writer import TranscriptWriter

ROWS = np.arange(8)
FINE = np.tile([[-1.0, 1.0], [1.0, -1.0]], (4, 1))


def recorder(folder, **more):
    return seepage.Recorder(folder, parties=["bank", "shop"], active="bank", classes=2, top_model=True, **more)


def full(*args, **kwargs):
    raise BadOutput("Cannot write it (No space left on device). Choose another place.")


def test_an_engine_that_diverges_goes_on_and_its_recording_ends_where_it_did(tmp_path):
    record = recorder(tmp_path / "run")
    with pytest.warns(Remark, match="gradient from bank to shop in epoch 3") as said:  # noqa: PT031
        for epoch in range(9):
            came = FINE if epoch < 3 else FINE * np.nan
            record.gradient("shop", ROWS, came, epoch)
            record.model("shop", lambda rows, told=came: rows * told.sum(), epoch, inputs=FINE)
    assert len(said) == 1, "it is said once"
    told = str(record.close())
    assert "12 of 18 messages and models were left out, the first of them the gradient from bank to shop" in told
    assert "after 6 that were kept (it should be a gradient of finite numbers). Nothing was kept after it." in told
    run = read_run(tmp_path / "run")
    assert [message.epoch for message in run.transcript.messages] == [0, 1, 2] and run.transcript.epochs == 3


def test_a_step_that_overflows_is_left_out_alone(tmp_path):
    """Under mixed precision the first steps overflow now and then, and are not taken."""
    record = recorder(tmp_path / "run")
    with pytest.warns(Remark):  # noqa: PT031
        for epoch in range(5):
            record.gradient("shop", ROWS, FINE if epoch != 1 else FINE + np.inf, epoch)
    assert "1 of 5 messages and models was left out" in str(record.close())
    assert "3 were kept after it" in str(check(tmp_path / "run"))
    assert [message.epoch for message in read_run(tmp_path / "run").transcript.messages] == [0, 2, 3, 4]


def test_whoever_makes_errors_of_warnings_is_spared(tmp_path):
    record = recorder(tmp_path / "run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record.gradient("shop", ROWS, FINE * np.nan, 0)
    assert "1 of 1 messages and models was left out" in str(record.close())


def test_the_report_says_what_was_left_out(tmp_path):
    with pytest.warns(Remark), recorder(tmp_path / "run") as record:  # noqa: PT031
        record.gradient("shop", ROWS, FINE, 0)
        record.gradient("shop", ROWS, FINE * np.nan, 1)
        record.know_labels(rows=[0, 1], labels=[0, 1])
    typed("audit --attack gradient-direction --transcript", tmp_path / "run", "--out", tmp_path / "out")
    assert any("was left out" in remark for remark in read_notes(tmp_path / "out").remarks)
    assert "Nothing was kept after it." in (tmp_path / "out" / "report.html").read_text()


def test_a_full_disk_ends_the_recording_and_not_the_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "SECONDS", -1.0)  # each message is written at once
    record = recorder(tmp_path / "run")
    record.gradient("shop", ROWS, FINE, 0)
    monkeypatch.setattr(writer, "write_chunk", full)
    with pytest.warns(Remark, match="No space left"):  # noqa: PT031
        for epoch in (1, 2):
            record.gradient("shop", ROWS, FINE, epoch)
    monkeypatch.undo()
    assert "2 of 3 messages and models were left out" in str(record.close())
    assert len(read_run(tmp_path / "run").transcript.messages) == 1


def test_a_disk_that_stays_full_is_an_error_of_closing_alone(tmp_path, monkeypatch):
    record = recorder(tmp_path / "run")
    for place in ("write_chunk", "write_private"):
        monkeypatch.setattr(writer, place, full)
    with pytest.warns(Remark), record:
        record.gradient("shop", ROWS, FINE, 0)
    with pytest.raises(BadOutput, match="No space left"):
        record.close()


def test_knowledge_that_cannot_be_written_yet_waits_for_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "SECONDS", -1.0)
    record = recorder(tmp_path / "run")
    record.columns("shop", np.ones((8, 2)))
    record.know_values(rows=[40])
    with pytest.warns(Remark, match="row 40 are known, but a party has 8 rows"):
        record.gradient("shop", ROWS, FINE, 0)
    with pytest.raises(ValueError, match="row 40"):
        record.close()
    record.know_values(rows=[4])
    assert "shop can try" in str(record.close())


def test_nothing_is_raised_inside_of_somebody_s_pass(tmp_path):
    record = recorder(tmp_path / "run")
    shop, told = nn.Linear(2, 3), torch.ones(8, 2)
    tap = SplitRecorder(record, {"shop": shop})
    for epoch, rows in enumerate((ROWS, ROWS[:3])):  # the second time it is told of other rows than it is given
        tap.batch(rows, epoch)
        with pytest.warns(Remark) if epoch else warnings.catch_warnings():
            shop(told).sum().backward()
    tap.epoch_over(1)  # of columns that nobody told
    assert [message.epoch for message in read_transcript(tmp_path / "run").messages] == []
    assert "3 of 5 messages and models were left out" in str(record.close())
    with pytest.raises(ValueError, match="whole numbers"):
        tap.batch([0.5], 2)


def test_a_model_that_is_asked_is_left_as_it_was(tmp_path):
    """A part that somebody froze in another mode than the whole stays so, also where the model raises."""
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout())
    net[1].eval()
    before = [module.training for module in net.modules()]
    record = recorder(tmp_path / "run")
    record.model("shop", net, 0, inputs=np.ones((4, 2)))
    with pytest.raises(RuntimeError):
        record.model("shop", net, 1, inputs=np.ones((4, 5)))
    assert [module.training for module in net.modules()] == before == [True, True, False, True]


def terms():
    return Agreement(federation="e", parties=("bank", "shop"), active="bank", classes=2, top_model=True, outputs=2)


@pytest.mark.parametrize(
    ("values", "rows", "said"),
    [
        (np.full((2, 2), np.inf), [0, 1], "finite"),
        (np.ones((2, 3)), [0, 1], "2 numbers a row of shop"),
        (np.ones((2, 2)), [0, 1, 2], "one line for each row"),
        (np.ones((2, 2)), [0, -1], "row numbers from 0 on"),
        (np.ones((2, 2)), [0, 10**9], "row numbers below"),
    ],
)
def test_recorders_of_engines_leave_out_what_could_not_be_read_again(tmp_path, values, rows, said):
    def sent(values, rows, epoch):
        return Message(Kind.EMBEDDING, "shop", "bank", epoch, 0, np.array(rows), {"embedding": values})

    heard = TranscriptWriter(tmp_path, terms())
    heard.hear(sent(np.ones((2, 2)), [0, 1], 0))
    with pytest.warns(Remark):
        heard.hear(sent(values, rows, 1))
    heard.close()
    assert said in what_was_left_out(tmp_path).why and len(read_transcript(tmp_path).messages) == 1


def test_what_a_recorder_of_an_engine_left_out_is_taken_over(tmp_path):
    heard = TranscriptWriter(tmp_path / "told", terms()) if (tmp_path / "told").mkdir() is None else None
    for epoch in range(3):
        values = np.full((2, 2), np.nan if epoch == 1 else 1.0)
        said = Message(Kind.EMBEDDING, "shop", "bank", epoch, 0, np.arange(2), {"embedding": values})
        with pytest.warns(Remark) if epoch == 1 else warnings.catch_warnings():
            heard.hear(said)
    heard.close()
    record = recorder(tmp_path / "run")
    record.take(tmp_path / "told")
    assert "after 1 that were kept (it should be a embedding of finite numbers). 1 were kept after it" in str(
        record.close()
    )


@pytest.mark.parametrize("spoiled", [7, {"count": 0}, {"count": 1, "before": 1, "what": "\x1b[31m", "why": "x"}])
def test_what_a_file_says_of_it_is_checked(tmp_path, spoiled):
    recorder(tmp_path / "run").close()
    path = tmp_path / "run" / "transcript.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "left_out": spoiled}))
    with pytest.raises(seepage.errors.BadTranscript):
        read_run(tmp_path / "run")
