"""Audits that are stopped for real: a word, a status, no noise, and all that was finished."""

import os
import signal
import time

import pytest

from command_line import typed
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.unfinished import read_unfinished
from small_audits import cells, started, wait_for

SEEDS = 12
TRAININGS = 2 * SEEDS
"""Under each seed the federation, and the label holder alone."""
WORD = "Stopped. What was finished is kept in --out, if there is one: the same command goes on from there.\n"


AUDIT = (
    f"audit iris --federation summed-network --model epochs=200 --attack gradient-sign --defense none --seeds {SEEDS}"
)


def found(out):
    """How many trainings left a finding in the folder."""
    return sum(b'"finding":{' in path.read_bytes() for path in cells(out))


def stopped(out, jobs, signals, *, group):
    """Start an audit, wait for its first finding, send signals 50 ms apart, and return how it ended."""
    process = started(*AUDIT.split(), "--jobs", jobs, "--out", out)
    wait_for(lambda: found(out), process)
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
    assert unfinished.planned == TRAININGS and 0 < unfinished.finished < TRAININGS
    assert len(findings) == found(out) <= unfinished.finished <= len(cells(out))
    assert {finding.status for finding in findings} == {"ok"}
    assert not [path for path in out.rglob(".*") if path.name not in {".lock", ".door"}]


def test_what_a_stopped_audit_left_can_be_drawn_but_not_passed_and_is_gone_on_from(tmp_path):
    out = tmp_path / "out"
    stopped(out, 0, (signal.SIGTERM,), group=False)

    left, kept = read_unfinished(out), {path: path.stat().st_mtime_ns for path in cells(out)}
    assert f"stopped after {left}" in typed("report", out).stderr
    page = (out / "report.html").read_text()
    assert f"This audit was stopped after {left.finished} of {TRAININGS} trainings." in page
    said = typed("gate --max labels=1", out, status=1).stderr
    assert f"stopped after {left}, so no limit is known to hold" in said
    typed(f"{AUDIT} --jobs 0 --out", out)
    assert len(Findings.read(out)) == SEEDS and read_unfinished(out) is None
    assert "was stopped" not in (out / "report.html").read_text()
    assert all(path.stat().st_mtime_ns == changed for path, changed in kept.items())
    typed("gate --max labels=1", out)
