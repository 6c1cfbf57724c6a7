"""The same findings from every engine, and from slices that are merged."""

import pytest

from seepage.audit.engines.chosen import EngineChoice
from seepage.audit.findings.finding import read_findings
from seepage.audit.gathering import merge, run_slice
from seepage.audit.plan.plan import plan_text
from seepage.audit.plan.slices import Slice
from seepage.audit.sweep import plan_sweep, run_sweep
from small_audits import MIXED, asked, needs_ray, stable, started


@pytest.fixture(scope="module")
def sweep():
    return plan_sweep(asked(**MIXED))


@pytest.fixture(scope="module")
def undisturbed(sweep):
    findings = run_sweep(sweep)
    assert {finding.status for finding in findings} == {"ok", "not applicable"}
    ok = [finding for finding in findings if finding.status == "ok"]
    tried = {(finding.federation, finding.defense) for finding in ok}
    assert tried > {("summed-network", "rounding"), ("forest", None)}
    assert "active-completion" in {finding.attack for finding in ok}
    return stable(findings)


def test_worker_processes_find_the_same(sweep, undisturbed):
    assert stable(run_sweep(sweep, engine=EngineChoice("processes", 2).made(sweep.plan, sweep.bench))) == undisturbed


def test_slices_that_are_merged_find_the_same(sweep, undisturbed, tmp_path):
    engine = EngineChoice("here").made(sweep.plan, sweep.bench)
    places = [tmp_path / "one", tmp_path / "one", tmp_path / "other"]
    for number, place in enumerate(places, start=1):
        run_slice(sweep, Slice(number, 3), out=place, engine=engine, progress=lambda *_: None)
    assert not list(tmp_path.glob("*/findings.jsonl"))
    gathered = merge([tmp_path / "one", tmp_path / "other"], tmp_path / "all")
    assert gathered.missing == () and stable(gathered.findings) == undisturbed
    assert stable(read_findings(tmp_path / "all")) == undisturbed


@needs_ray
def test_a_ray_cluster_finds_the_same(sweep, undisturbed, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(sweep.plan))
    process = started("audit", tmp_path / "plan.toml", "--out", tmp_path / "out", "--engine", "ray", "--jobs", 2)
    _, said = process.communicate(timeout=240)
    assert process.returncode == 0, said
    assert stable(read_findings(tmp_path / "out")) == undisturbed
