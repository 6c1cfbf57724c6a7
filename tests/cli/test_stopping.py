"""Audits that are stopped for real: a word, a status, no noise, and all that was finished."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seepage.audit.findings.findings import Findings
from seepage.audit.findings.unfinished import read_unfinished
from seepage.cli.app import app

SEEDS = 12
WORD = "Stopped. What was finished is kept in --out, if there is one: the same command goes on from there.\n"


def command(out, jobs):
    program = Path(sys.executable).with_name("seepage")
    return [
        str(program), "audit", "iris", "--federation", "summed-network", "--model", "epochs=200", "--attack",
        "gradient-sign", "--defense", "none", "--seeds", str(SEEDS), "--jobs", str(jobs), "--out", str(out),
    ]  # fmt: skip


def found(out):
    """Whether a finding lies in the folder."""
    return any(b'"finding":{' in path.read_bytes() for path in (out / "cells").glob("*.jsonl"))


def stopped(out, jobs, signals, *, group):
    """Start an audit, wait for its first finding, send signals 50 ms apart, and return how it ended."""
    process = subprocess.Popen(
        command(out, jobs),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background do not hear Ctrl-C
    )
    deadline = time.monotonic() + 120
    while not found(out) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    for number in signals:
        (os.killpg if group else os.kill)(process.pid, number)
        time.sleep(0.05)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize(
    ("jobs", "signals", "group", "status"),
    [
        (2, (signal.SIGINT,) * 3, True, 130),  # as a terminal does: parent and workers all get it
        (2, (signal.SIGTERM,), False, 143),
        (0, (signal.SIGTERM, signal.SIGINT), False, 143),
    ],
    ids=["ctrl-c-again-and-again", "terminated", "terminated-and-ctrl-c"],
)
def test_a_stopped_audit_says_one_sentence_and_leaves_what_was_finished(jobs, signals, group, status, tmp_path):
    out = tmp_path / "out"
    assert stopped(out, jobs, signals, group=group) == (status, WORD)
    unfinished, findings = read_unfinished(out), Findings.read(out)
    assert unfinished.planned == SEEDS and 0 < unfinished.finished < SEEDS
    assert len(findings) == unfinished.finished and {finding.status for finding in findings} == {"ok"}
    assert not [path for path in out.rglob(".*") if path.name not in {".lock", ".door"}]


def test_what_a_stopped_audit_left_can_be_drawn_but_not_passed_and_is_gone_on_from(tmp_path):
    out = tmp_path / "out"
    stopped(out, 0, (signal.SIGTERM,), group=False)

    def again(*arguments):
        return CliRunner().invoke(app, list(map(str, arguments)))

    left, kept = read_unfinished(out), {path.name: path.stat().st_mtime_ns for path in (out / "cells").glob("*.jsonl")}
    drawn = again("report", out)
    assert drawn.exit_code == 0 and f"stopped after {left}" in drawn.stderr
    page = (out / "report.html").read_text()
    assert f"This audit was stopped after {left.finished} of {SEEDS} trainings." in page
    gated = again("gate", out, "--max", "labels=1")
    assert gated.exit_code == 1 and f"stopped after {left}, so no limit is known to hold" in gated.stderr
    assert again(*command(out, 0)[1:]).exit_code == 0
    assert len(Findings.read(out)) == SEEDS and read_unfinished(out) is None
    assert "was stopped" not in (out / "report.html").read_text()
    assert all((out / "cells" / name).stat().st_mtime_ns == changed for name, changed in kept.items())
    assert again("gate", out, "--max", "labels=1").exit_code == 0
