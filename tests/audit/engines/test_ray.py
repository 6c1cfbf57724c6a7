"""Ray: what a worker costs that dies once, twice, or takes too long; and a cluster that nobody else can reach."""

import math
import os
import signal
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import seepage
from seepage.audit.engines import ray as engine_module
from seepage.audit.engines.chosen import EngineChoice
from seepage.audit.engines.ray import Ray
from seepage.audit.engines.ray_worker import OTHER_CODE, RayWorker
from seepage.audit.findings.finding import read_findings
from seepage.audit.plan.plan import plan_text
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadPlan, EngineUnavailable, Remark, UnknownName
from small_audits import (
    alive,
    asked,
    chosen,
    descendants,
    listening,
    needs_ray,
    stable,
    started,
    stored_lines,
    wait_for,
)  # fmt: skip

BRIEF, ENDLESS = (chosen("summed-network", epochs=epochs, batch=32) for epochs in (1, 10**6))
SMALL = {"federations": [BRIEF], "defenses": ["top-k", "rounding"], "seeds": 2}
STOPPED = "Stopped. What was finished is kept in --out, if there is one: the same command goes on from there.\n"


class Died(Exception):
    """As Ray says it."""


class Cluster:
    """Stands in for Ray: workers are objects of this process, and some die after so many answers."""

    exceptions = SimpleNamespace(RayError=Died)

    def __init__(self, deaths=(), processors=2):
        self.deaths, self.processors, self.hired, self.asked = list(deaths), processors, 0, []

    def cluster_resources(self):
        return {"CPU": float(self.processors)}

    def put(self, value):
        return value

    def get(self, value):
        if isinstance(value, Died):
            raise value
        return value

    def kill(self, actor):
        actor.killed = True

    def wait(self, streams, num_returns, timeout):
        return streams[:num_returns], streams[num_returns:]

    def remote(self, made):
        return SimpleNamespace(options=lambda **asked: SimpleNamespace(remote=lambda *given: self._hire(made, given)))

    def _hire(self, made, given):
        self.hired += 1
        worker, lives = made(*given), self.deaths.pop(0) if self.deaths else math.inf

        def answers(assignment):
            self.asked.append(assignment)
            for number, line in enumerate(worker.answer(assignment)):
                if number >= lives:
                    yield Died("no such luck\nworker 7 has died")
                    return
                yield line

        ask = SimpleNamespace(remote=answers)
        return SimpleNamespace(answer=SimpleNamespace(options=lambda **_: ask))


def on(cluster, sweep, monkeypatch, **settings):
    @contextmanager
    def connected(address, processors):
        yield cluster

    monkeypatch.setattr(engine_module, "connected", connected)
    return run_sweep(sweep, engine=Ray(sweep.bench.table(sweep.plan.data), **settings))


@pytest.fixture(scope="module")
def sweep():
    return plan_sweep(asked(**SMALL))


@pytest.mark.parametrize("answers", [0, 1, 2, 4])
def test_a_worker_that_dies_costs_what_it_was_doing_once_more(answers, sweep, monkeypatch):
    cluster = Cluster([answers], processors=1)
    assert stable(on(cluster, sweep, monkeypatch)) == stable(run_sweep(sweep))
    first, again = cluster.asked[:2]
    given = max(0, answers - 1)  # the first thing that it says is that it has begun
    assert again.keys == first.keys and len(first.wanted - again.wanted) == given
    assert cluster.hired == 2


def test_a_second_death_fails_what_was_not_given_and_nothing_else(sweep, monkeypatch):
    cluster = Cluster([2, 1], processors=1)
    findings = on(cluster, sweep, monkeypatch)
    failed = [finding for finding in findings if finding.status == "failed"]
    assert {finding.reason for finding in failed} == {"Its Ray worker ended unexpectedly, twice (worker 7 has died)."}
    kept = [one for one in findings if one.status == "ok"]
    assert len(failed) == 2 and len(kept) == 4 and cluster.hired == 3


def test_an_assignment_that_takes_too_long_fails_alone(sweep, monkeypatch):
    with pytest.warns(Remark, match="not known what the label holder's own columns are worth .* took longer than"):
        findings = on(Cluster(processors=1), sweep, monkeypatch, timeout=1e-9)
    assert {finding.reason for finding in findings} == {"It took longer than 1e-09 s (--timeout)."}


def test_a_cluster_without_room_and_work_that_is_none(sweep, monkeypatch):
    with pytest.raises(EngineUnavailable, match="no room for one worker with 4 processors"):
        on(Cluster(processors=2), sweep, monkeypatch, threads=4)
    assert list(Ray(sweep.bench.table(sweep.plan.data)).run([])) == []


def test_a_worker_with_other_code_answers_nothing(sweep, monkeypatch):
    from seepage.audit.stages.fingerprints import Sources

    keys, table = sweep.keys, sweep.bench.table(sweep.plan.data)
    monkeypatch.setattr(Sources, "behind", lambda *_: "other code")
    assert keys == sweep.keys
    with pytest.warns(Remark, match="not known what the label holder's own columns are worth .* has other code"):
        findings = on(Cluster(), sweep, monkeypatch)
    assert {finding.reason for finding in findings} == {OTHER_CODE}
    assert RayWorker(1, table, "/nowhere").bench.held == {table.checksum: table}


def test_an_engine_that_is_not_installed_or_does_not_exist_is_told_in_a_sentence(monkeypatch, tmp_path):
    chosen = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "defenses": [], "seeds": 1}
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "ray", None)
        with pytest.raises(
            EngineUnavailable, match=r"^Ray is not installed\. Install it with: pip install 'seepage\[ray\]'$"
        ):
            seepage.audit("iris", **chosen, engine="ray", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UnknownName, match="No engine is called 'rya'; did you mean 'ray'"):
        seepage.audit("iris", **chosen, engine="rya")
    with pytest.raises(BadPlan, match="engine here works in this process, so jobs=2 does not go with it"):
        seepage.audit("iris", **chosen, engine="here", jobs=2)
    with pytest.raises(BadPlan, match="engine processes needs workers: jobs=1 or more"):
        seepage.audit("iris", **chosen, engine="processes", jobs=0)
    with pytest.raises(BadPlan, match="address is that of a Ray cluster"):
        EngineChoice("here", address="head:6379")


@needs_ray
@pytest.mark.parametrize(
    ("address", "why"),
    [("head", "expected HOST:PORT"), ("ray://head:1", "expected HOST:PORT"), ("127.0.0.1:1", "No Ray cluster answers")],
)
def test_a_cluster_that_is_not_there_is_told_at_once(address, why, tmp_path):
    with pytest.raises(EngineUnavailable, match=why):
        seepage.audit("iris", attacks=["gradient-sign"], engine="ray", address=address, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@needs_ray
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"])
def test_an_audit_that_is_stopped_ends_its_cluster_in_one_sentence(number, status, sweep, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(asked(federations=[BRIEF, ENDLESS])))
    process = started("audit", tmp_path / "plan.toml", "--out", tmp_path / "out", "--engine", "ray", "--jobs", 1)
    try:
        assert wait_for(lambda: stored_lines(tmp_path / "out") >= 2, process)
        below = [pid for pid, _ in descendants(process.pid)]
        assert process.pid not in map(os.getpgid, below)  # Ray ends us on the spot where its own processes go first
        os.killpg(process.pid, number)  # as a terminal does: everybody who did not leave the group gets it
        said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, *said) == (status, "", STOPPED)
    assert len(read_findings(tmp_path / "out")) >= 1 and len(below) > 4
    assert not [pid for pid in below if alive(pid)]


@needs_ray
def test_a_local_cluster_listens_on_loopback_leaves_nothing_behind_and_reads_no_other_files(tmp_path):
    """The table is gone before workers start, and the folder holds a file that must not be imported."""
    table, out = tmp_path / "people.csv", tmp_path / "out"
    table.write_text("age,visits,y\n" + "".join(f"{n % 7},{n % 5},{n % 2}\n" for n in range(100)))
    sweep = plan_sweep(asked({"file": str(table), "label": "y"}, **{**SMALL, "seeds": 3}))
    expected = stable(run_sweep(sweep))
    (tmp_path / "plan.toml").write_text(plan_text(sweep.plan))
    for name in ("colorsys.py", "netrc.py", "xgboost.py", "tomli_w.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'imported')!r}, 'w')\n")
    process = started("audit", "plan.toml", "--out", out, "--engine", "ray", "--jobs", 1, cwd=tmp_path)
    assert wait_for(lambda: any("raylet" in name for _, name in descendants(process.pid)), process)
    table.unlink()
    assert wait_for(lambda: stored_lines(out) > 0, process)
    below = [pid for pid, _ in descendants(process.pid)]
    addresses = listening([process.pid, *below])
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")
    assert addresses and addresses <= {"0100007F", "0000000000000000FFFF00000100007F"}
    assert stable(read_findings(out)) == expected
    assert not (tmp_path / "imported").exists()
