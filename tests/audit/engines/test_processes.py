"""Whatever a worker does costs what it was doing, and nobody waits for it forever."""

import io
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seepage.audit.engines import processes
from seepage.audit.engines.processes import BEGUN, DONE, LENGTH, Processes
from seepage.audit.engines.worker import work
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.keys import Keys
from seepage.audit.stages.work import Record

ACTOR = """
import json, os, re, signal, struct, sys, time

def say(line):
    data = line + b"\\n"
    while data:
        data = data[os.write(1, data):]

def record():
    say(json.dumps({"key": key, "worth": {"metric": "auc", "value": 0.5}, "remarks": [str(os.getpid())]}).encode())

def fork():
    if os.fork():
        os._exit(5)
    time.sleep(60)

DEEDS = {
    "work": lambda: None,
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "sleep": lambda: time.sleep(60),
    "close": lambda: (os.close(1), time.sleep(60)),
    "fork": fork,
    "noise": lambda: say(b'{"neither": "ours"}\\nnor this'),
    "flood": lambda: say(b"x" * 2**22),
}
say(b"x" * 2**18)  # more than a pipe holds, before anything is read
while head := sys.stdin.buffer.read(8):
    told = sys.stdin.buffer.read(*struct.unpack("<Q", head))
    deed, key = re.search(rb"deed (\\w+) (\\w+)", told).groups()
    key = key.decode()
    say(b"+")
    record()
    DEEDS[deed.decode()]()
    say(b"")
"""


@pytest.fixture
def assigned(jobs_of, sources, tmp_path, monkeypatch):
    """Assign deeds to workers that do them, and say one record before."""
    (tmp_path / "actor.py").write_text(ACTOR)
    monkeypatch.setattr(processes, "COMMAND", (sys.executable, "-S", str(tmp_path / "actor.py")))
    jobs = jobs_of(seeds=8)

    def assign(*deeds, bulk=0):
        assignments = []
        for deed, job in zip(deeds, jobs, strict=False):
            keys = Keys("", sources).of(job)
            told = f"deed {deed} {keys.releases[0].worth}"
            bulky = tuple((str(number) * 200, Path()) for number in range(1000, 1000 + bulk))
            assignments.append(Assignment(job, keys, told, frozenset(keys.all), bulky))
        return assignments

    return assign


def outcome(finished, assignment):
    """Say what came of an assignment: its records, why it failed, and how often it was done."""
    mine = [one.record for one in finished if one.assignment is assignment]
    reasons = [one.finding.reason for one in mine if one is not None and one.finding is not None]
    return sum(one is not None and one.worth is not None for one in mine), reasons, mine.count(None)


def is_there(pid):
    return Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.parametrize("count", [1, 3])
def test_all_that_is_found_comes_back_and_every_assignment_is_done_once(assigned, count):
    asked = assigned(*["work"] * 5)
    finished = list(Processes(count).run(asked))
    assert [outcome(finished, one) for one in asked] == [(1, [], 1)] * 5


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("exit", "Its worker process ended unexpectedly (status 3)."),
        ("kill", "Its worker process ended unexpectedly (status -9)."),
        ("fork", "Its worker process ended unexpectedly (status 5)."),
        ("sleep", "It took longer than 0.5 s (--timeout)."),
    ],
)
def test_a_worker_that_ends_or_is_too_slow_costs_what_it_was_doing(assigned, deed, reason):
    asked = assigned("work", deed, "work")
    finished = list(Processes(1, timeout=0.5).run(asked))
    assert [outcome(finished, one) for one in asked] == [(1, [], 1), (1, [reason], 1), (1, [], 1)]


def test_a_worker_that_falls_silent_for_good_is_ended(assigned):
    asked = assigned("close", "work")
    finished = list(Processes(1).run(asked))
    assert [len(outcome(finished, one)[1]) for one in asked] == [1, 0]


def test_lines_that_are_no_records_are_passed_over(assigned):
    asked = assigned("noise", "flood", "work")
    finished = list(Processes(2).run(asked))
    assert [outcome(finished, one) for one in asked] == [(1, [], 1)] * 3


def test_assignments_larger_than_a_pipe_do_not_wait_for_each_other(assigned):
    asked = assigned("work", "flood", "work", bulk=2000)
    assert len(pickle.dumps(asked[0])) > 2**20
    finished = list(Processes(2, timeout=5).run(asked))
    assert [outcome(finished, one) for one in asked] == [(1, [], 1)] * 3


def test_who_stops_listening_ends_all_workers(assigned):
    run = Processes(2).run(assigned("sleep", "sleep"))
    heard = [next(run), next(run)]
    pids = {int(one.record.remarks[0]) for one in heard}
    assert len(pids) == 2 and all(map(is_there, pids))
    run.close()
    deadline = time.monotonic() + 5
    while any(map(is_there, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_there, pids))


def test_a_worker_answers_each_assignment_with_its_records_between_two_marks(plan, sources):
    from seepage.audit.stages.jobs import planned

    bench, asked = Bench(), plan()
    checksum = bench.table(asked.data).checksum
    (job,) = planned(asked, bench, alone=False)[0]
    keys = Keys(checksum, sources).of(job)
    told = pickle.dumps(Assignment(job, keys, checksum, frozenset(keys.all)))
    sink = io.BytesIO()
    work(io.BytesIO((LENGTH.pack(len(told)) + told) * 2), sink, 1)
    first, *lines, last = sink.getvalue().split(b"\n")[:-1]
    assert (first, last) == (BEGUN, DONE) and lines.count(BEGUN) == lines.count(DONE) == 1
    records = [Record.model_validate_json(line).key for line in lines if line not in (BEGUN, DONE)]
    assert sorted(records) == sorted([*keys.all] * 2)


def test_what_is_printed_in_a_worker_is_no_answer():
    noisy = (
        "import os, sys; from seepage.audit.engines import worker\n"
        "def work(source, sink, threads): print('noise', flush=True); os.write(1, b'noise'); sink.write(b'answer'); "
        "sink.flush()\n"
        "worker.work = work; worker.main()"
    )
    done = subprocess.run([sys.executable, "-c", noisy, "1"], capture_output=True, env=os.environ, check=True)
    assert done.stdout == b"answer" and done.stderr.count(b"noise") == 2
