"""Whoever is killed, at whatever moment: what was finished is kept, and in the end nothing is lost or changed."""

import math
import os
import random
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from seepage.audit.findings.finding import read_findings
from seepage.audit.plan.plan import plan_text
from seepage.audit.sweep import plan_sweep, run_sweep
from small_audits import alive, asked, chosen, descendants, needs_ray, stable, started, stored_lines, wait_for

RESULTS = 28
"""Two for each of eight trainings, two more for what four release rounded, and one for each of four label holders."""
RAY_WORKER = "ray::RayWorker"
FEW, MANY = 1, 20
MOMENTS = [*range(FEW), *(pytest.param(moment, marks=pytest.mark.torture) for moment in range(FEW, MANY))]


@pytest.fixture(scope="module")
def sweep():
    network = chosen("summed-network", epochs=60, batch=16)  # long enough to be killed in the middle
    return plan_sweep(asked(federations=[network], defenses=["top-k", "rounding"], seeds=4))


@pytest.fixture(scope="module")
def undisturbed(sweep):
    assert len(sweep.wanted) == RESULTS
    return stable(run_sweep(sweep))


@dataclass(frozen=True)
class Killed:
    """An audit in which somebody was killed: how it was started, where it wrote, how it ended, who was below it."""

    command: list[object]
    out: Path
    status: int
    below: list[int]


def killed(folder, sweep, moment, engine, victim):
    """Start an audit and kill somebody before its end, at a moment that follows from its number.

    The audit stands still while it is looked who is there and what is left to do, and goes on once somebody was
    killed. Where it ended first, because the machine was busy elsewhere, another audit is met earlier.
    """
    chance = random.Random(f"{victim} {moment}")
    enough, later = chance.randrange(RESULTS * 3 // 4), chance.random() / 4
    (folder / "plan.toml").write_text(plan_text(sweep.plan))
    for number, soon in enumerate((1, 2, 4, math.inf)):
        out = folder / f"out-{number}"
        command = ["audit", folder / "plan.toml", "--out", out, "--engine", engine, "--jobs", 1 + moment % 2]
        process = started(*command)
        there_first = RAY_WORKER if engine == "ray" else victim  # a cluster that is to go along has to be there
        wait_for(lambda: stored_lines(out) >= enough // soon and victims(process.pid, there_first), process)  # noqa: B023
        time.sleep(later / soon)
        with held(process) as at_work:
            below, there = [pid for pid, _ in descendants(process.pid)], victims(process.pid, victim)
            hit = at_work and bool(there) and stored_lines(out) < RESULTS
            if hit:
                os.kill(chance.choice(there), signal.SIGKILL)
        _, said = process.communicate(timeout=240)
        if hit:
            return Killed(command, out, process.returncode, below)
        assert process.returncode == 0, said
    pytest.fail("four audits ended before anybody could be killed")


def victims(driver, victim):
    """Return the processes of an audit that are called so, or the audit itself."""
    return [driver] if victim == "driver" else [pid for pid, name in descendants(driver) if victim in name]


@contextmanager
def held(process):
    """Let a process stand still inside, and say whether it runs at all."""
    process.send_signal(signal.SIGSTOP)
    seen = (
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT) if process.returncode is None else None
    )
    try:
        yield seen is not None and seen.si_code == os.CLD_STOPPED
    finally:
        process.send_signal(signal.SIGCONT)


def gone_on(sweep, out):
    """Go on with an audit, and return what it found; what had been stored is not done again."""
    seen = []
    kept = stored_lines(out)
    findings = run_sweep(sweep, out=out, progress=lambda standing: seen.append(standing.done))
    assert seen[0] == kept
    return stable(findings)


def assert_all_end(pids, seconds=30):
    """Wait until the last of some processes has ended."""
    deadline = time.monotonic() + seconds
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in pids if alive(pid)]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_process_that_is_killed_loses_nothing(moment, sweep, undisturbed, tmp_path):
    audit = killed(tmp_path, sweep, moment, "processes", "engines.worker")
    left = stable(read_findings(audit.out))
    assert audit.status == (1 if any(finding["status"] == "failed" for finding in left) else 0)
    for finding, expected in zip(left, undisturbed, strict=True):
        if finding["status"] == "failed":
            assert "ended unexpectedly" in finding["reason"]
        else:  # what it is compared with may be what failed
            compared = {name: expected[name] for name in ("utility_undefended", "utility_alone")}
            assert all(finding[name] in (None, value) for name, value in compared.items())
            assert {**finding, **compared} == expected
    assert gone_on(sweep, audit.out) == undisturbed


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_audit_that_is_killed_goes_on_to_the_same_findings(moment, sweep, undisturbed, tmp_path):
    audit = killed(tmp_path, sweep, moment, "processes", "driver")
    assert audit.status == -signal.SIGKILL and not (audit.out / "findings.jsonl").exists()
    assert_all_end(audit.below)
    if moment == 0:
        again = started(*audit.command)
        said, _ = again.communicate(timeout=240)
        assert again.returncode == 0 and "Report:" in said
    assert gone_on(sweep, audit.out) == stable(read_findings(audit.out)) == undisturbed


@needs_ray
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_ray_worker_that_is_killed_costs_its_work_once_more(moment, sweep, undisturbed, tmp_path):
    audit = killed(tmp_path, sweep, moment, "ray", RAY_WORKER)
    assert audit.status == 0 and stable(read_findings(audit.out)) == undisturbed
    assert gone_on(sweep, audit.out) == undisturbed


@needs_ray
@pytest.mark.parametrize("moment", [pytest.param(moment, marks=pytest.mark.torture) for moment in range(MANY)])
def test_an_audit_on_ray_that_is_killed_takes_its_cluster_along(moment, sweep, undisturbed, tmp_path):
    audit = killed(tmp_path, sweep, moment, "ray", "driver")
    assert audit.status == -signal.SIGKILL and len(audit.below) > 4
    assert_all_end(audit.below, seconds=180)  # Ray's agents first try to tell a server that has ended with it
    assert gone_on(sweep, audit.out) == undisturbed
