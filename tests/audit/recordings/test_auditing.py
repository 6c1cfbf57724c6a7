"""A recording is audited with one command: scored where the truth is known, and guessed at where it is not."""

import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

import seepage
from command_line import refused, typed
from seepage.audit.findings.finding import read_findings
from seepage.audit.findings.notes import read_notes

LABELS = np.tile([0, 1], 30)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run without a top model, whose gradients say every label; the truth lies beside."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    rng = np.random.default_rng(0)
    with seepage.Recorder(folder, parties=["bank", "../shop"], active="bank", classes=2, data="made up") as record:
        record.rows(train=range(60))
        record.columns("../shop", rng.normal(size=(60, 3)))
        gradient = (0.5 - np.eye(2)[LABELS]) * rng.uniform(0.5, 1, size=(60, 1))
        record.gradient("../shop", range(60), gradient, 0)
        record.know_labels(rows=[0, 1, 2, 3], labels=LABELS[:4])
    save_file({"labels": LABELS}, folder.parent / "truth.safetensors")
    return folder


SIGN = "--attack gradient-sign --attack gradient-direction"


def test_without_the_truth_guesses_are_written_and_each_says_how_sure_it_is(recorded, tmp_path):
    out = tmp_path / "out"
    typed(f"audit {SIGN} --transcript", recorded, "--out", out)
    found = [finding for finding in read_findings(out) if finding.status == "ok"]
    assert found and all(finding.value is None and finding.advantage is None for finding in found)
    sign = next(finding for finding in found if finding.attack == "gradient-sign")
    assert sign.other_metrics["named"] == 1.0 and sign.other_metrics["confidence"] == 1.0
    assert sign.other_metrics["evidence"] == 1.0, "it is right about what its adversary knows"
    written = sorted((out / "guesses").iterdir())
    assert len(written) == len(found) and not list(tmp_path.glob("*.parquet")), "names stay inside the folder"
    table = next(pq.read_table(path) for path in written if "gradient-sign" in path.name)
    assert np.array_equal(table["label"].to_numpy(), LABELS[table["row"].to_numpy()])
    assert any("The truth is not known" in remark for remark in read_notes(out).remarks)
    assert "The truth is not known" in (out / "report.html").read_text()


def test_the_truth_may_lie_elsewhere(recorded, tmp_path):
    truth = recorded.parent / "truth.safetensors"
    typed(f"audit {SIGN} --transcript", recorded, "--truth", truth, "--out", tmp_path / "out")
    found = [finding for finding in read_findings(tmp_path / "out") if finding.attack == "gradient-sign"]
    assert [finding.value for finding in found if finding.status == "ok"] == [1.0, 1.0]
    assert not (tmp_path / "out" / "guesses").exists()
    assert "is not a file" in refused("check", recorded, "--truth", tmp_path / "nowhere")
    save_file({"labels": LABELS[:-1]}, tmp_path / "short.safetensors")
    assert "for each of at least 60 rows" in refused("check", recorded, "--truth", tmp_path / "short.safetensors")


def test_guesses_of_an_earlier_audit_do_not_stay_behind(recorded, tmp_path):
    typed(f"audit {SIGN} --transcript", recorded, "--out", tmp_path / "out")
    typed("audit --attack gradient-sign --transcript", recorded, "--out", tmp_path / "out")
    left = {path.name.rsplit("-", 2)[-2:][0] for path in (tmp_path / "out" / "guesses").iterdir()}
    assert left == {"gradient"} and all("sign" in path.name for path in (tmp_path / "out" / "guesses").iterdir())


def test_reasons_speak_of_a_run_that_is_over(recorded, tmp_path):
    said = typed("check", recorded).stdout
    assert "cannot try" in said and "Choose" not in said and "--" not in said.replace("../", "")
    typed(
        "audit --attack embedding-regression --attack active-completion --transcript", recorded, "--out", tmp_path / "o"
    )
    reasons = {finding.reason for finding in read_findings(tmp_path / "o")}
    assert reasons and not any("Choose" in reason or "--" in reason for reason in reasons)


def test_what_describes_a_training_does_not_go_with_a_recording(recorded, tmp_path):
    assert "--seeds does not go with it" in refused("audit --seeds 2 --transcript", recorded)
    assert "--truth goes with --transcript" in refused("audit iris --truth", tmp_path / "truth")
    assert "No party is called 'nobody'" in refused("check --adversary nobody", recorded)
    assert "No attack is called" in refused(
        "audit --attack telepathy --transcript", recorded, "--out", tmp_path / "out"
    )
    assert "is not a folder" in refused("check", tmp_path / "nowhere")


def test_an_audit_that_trains_keeps_its_folder(recorded, tmp_path):
    (tmp_path / "plan.toml").touch()
    assert "holds an audit that trains" in refused("audit --transcript", recorded, "--out", tmp_path)


def test_a_link_out_of_the_folder_is_not_followed(recorded, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(recorded, run)
    (run / "knowledge.safetensors").unlink()
    (run / "knowledge.safetensors").symlink_to(recorded / "knowledge.safetensors")
    assert "is a link" in refused("check", run)


def test_the_report_names_parties_and_asks_for_nothing_that_a_recording_cannot_give(tmp_path):
    """Who holds the labels goes for none, nobody asked about a property, and there is no option to ask with."""
    rng, labels = np.random.default_rng(0), np.tile([0, 1], 30)
    with seepage.Recorder(tmp_path / "run", parties=["clinic", "lab"], active="clinic", classes=2) as record:
        record.rows(train=range(60))
        record.columns("lab", rng.normal(size=(60, 3)), ["dose", "age", "size"])
        record.gradient("lab", range(60), 0.5 - np.eye(2)[labels], 0)
        record.truth(labels=labels)
    said = " ".join(typed("audit --transcript", tmp_path / "run", "--out", tmp_path / "out").stdout.split())
    assert "About clinic, which holds the labels: without a defense, lab can tell nearly always" in said
    assert "labels by clinic" not in said and "properties by" not in said and "the party" not in said
    found = read_findings(tmp_path / "out")
    assert not any(one.asset == "labels" for one in found if one.adversary == ("clinic",))
    assert not any(one.asset == "properties" for one in found)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "clinic (holds the labels, 0 columns) and lab (3 columns)" in page
    assert "Recorder.know_property" in page and "--property" not in page


def test_what_is_not_scored_is_not_called_unknown(recorded, tmp_path):
    said = " ".join(
        typed(f"audit {SIGN} --adversary ../shop --transcript", recorded, "--out", tmp_path / "out").stdout.split()
    )
    assert "what ../shop guesses of labels is not scored, since the truth is not known" in said
    assert "Not scored, because the truth is not known: labels by ../shop" in said and "Not known" not in said
