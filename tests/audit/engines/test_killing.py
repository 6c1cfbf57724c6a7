"""Whoever is killed, at whatever moment: what was finished is kept, and in the end nothing is lost or changed."""

import os
import random
import signal
import time

import pytest

from seepage.audit.findings.finding import read_findings
from seepage.audit.plan.plan import plan_text
from seepage.audit.sweep import plan_sweep, run_sweep
from small_audits import alive, asked, chosen, descendants, needs_ray, stable, started, stored_lines, wait_for

RESULTS = 28
"""Two for each of eight trainings, two more for what four of them release rounded, and one for four labels alone."""
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


def killed(folder, sweep, moment, engine, victim):
    """Start an audit, kill somebody at a moment that follows from its number, and return how the audit ended."""
    chance = random.Random(f"{victim} {moment}")
    (folder / "plan.toml").write_text(plan_text(sweep.plan))
    out, enough = folder / "out", chance.randrange(RESULTS * 3 // 4)
    command = ["audit", folder / "plan.toml", "--out", out, "--engine", engine, "--jobs", 1 + moment % 2]
    process = started(*command)

    def named():
        return [pid for pid, name in descendants(process.pid) if victim in name]

    assert wait_for(lambda: stored_lines(out) >= enough and (victim == "driver" or named()), process), process.stderr
    time.sleep(chance.random() / 4)
    below = [pid for pid, _ in descendants(process.pid)]
    os.kill(process.pid if victim == "driver" else chance.choice(named() or [process.pid]), signal.SIGKILL)
    process.communicate(timeout=120)
    return command, process.returncode, below


def gone_on(sweep, out):
    """Go on with an audit, and return what it found; what had been stored is not done again."""
    seen = []
    kept = stored_lines(out)
    findings = run_sweep(sweep, out=out, progress=lambda standing: seen.append(standing.done))
    assert seen[0] == kept
    return stable(findings)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_process_that_is_killed_loses_nothing(moment, sweep, undisturbed, tmp_path):
    _, status, _ = killed(tmp_path, sweep, moment, "processes", "engines.worker")
    left = stable(read_findings(tmp_path / "out"))
    assert status == (1 if any(finding["status"] == "failed" for finding in left) else 0)
    for finding, expected in zip(left, undisturbed, strict=True):
        if finding["status"] == "failed":
            assert "ended unexpectedly" in finding["reason"]
        else:  # what it is compared with may be what failed
            compared = {name: expected[name] for name in ("utility_undefended", "utility_alone")}
            assert {**finding, **compared} == expected
    assert gone_on(sweep, tmp_path / "out") == undisturbed


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_audit_that_is_killed_goes_on_to_the_same_findings(moment, sweep, undisturbed, tmp_path):
    command, status, below = killed(tmp_path, sweep, moment, "processes", "driver")
    assert status == -signal.SIGKILL and not (tmp_path / "out" / "findings.jsonl").exists()
    if moment == 0:
        again = started(*command)
        said, _ = again.communicate(timeout=240)
        assert again.returncode == 0 and "Report:" in said
    assert gone_on(sweep, tmp_path / "out") == stable(read_findings(tmp_path / "out")) == undisturbed
    assert not [pid for pid in below if alive(pid)]


@needs_ray
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_ray_worker_that_is_killed_costs_its_work_once_more(moment, sweep, undisturbed, tmp_path):
    _, status, _ = killed(tmp_path, sweep, moment, "ray", "ray::RayWorker")
    assert status == 0 and stable(read_findings(tmp_path / "out")) == undisturbed
    assert gone_on(sweep, tmp_path / "out") == undisturbed


@needs_ray
@pytest.mark.parametrize("moment", [pytest.param(moment, marks=pytest.mark.torture) for moment in range(MANY)])
def test_an_audit_on_ray_that_is_killed_takes_its_cluster_along(moment, sweep, undisturbed, tmp_path):
    _, status, below = killed(tmp_path, sweep, moment, "ray", "driver")
    assert status == -signal.SIGKILL and len(below) > 4
    deadline = time.monotonic() + 180  # Ray's agents first try to tell a server that has ended with it
    while any(alive(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not [pid for pid in below if alive(pid)]
    assert gone_on(sweep, tmp_path / "out") == undisturbed
