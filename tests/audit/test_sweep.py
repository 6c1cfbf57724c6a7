"""Audits repeat themselves, survive being killed, and lose no more than they must."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import seepage
from seepage.audit.findings.finding import Finding, read_findings
from seepage.audit.findings.folder import CELLS_FOLDER
from seepage.audit.plan.plan import make_plan, plan_text, read_plan
from seepage.audit.stages.work import Record
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadPlan, Remark

VOLATILE = ("seconds", "peak_mb")
SMALL = {
    "data": {"name": "iris"},
    "federations": [
        {"name": "summed-network", "settings": {"epochs": 2, "batch": 32}},
        {"name": "split-network", "settings": {"epochs": 2, "batch": 32}},
    ],
    "attacks": [{"name": "gradient-sign"}],
    "defenses": [{"name": "laplace-noise", "settings": {"scale": 0.1}}, {"name": "top-k"}],
    "seeds": 2,
}


def stable(findings: list[Finding]) -> list[dict[str, object]]:
    return [{key: value for key, value in f.to_json().items() if key not in VOLATILE} for f in findings]


def test_the_same_seed_gives_the_same_findings_in_this_process_and_in_workers():
    sweep = plan_sweep(make_plan(SMALL))
    here, again, workers = (run_sweep(sweep, jobs=jobs) for jobs in (0, 0, 2))
    assert stable(here) == stable(again) == stable(workers)
    assert {finding.seed for finding in here} == {0, 1}


def test_every_field_of_the_contract_is_there():
    finding = run_sweep(plan_sweep(make_plan({**SMALL, "seeds": 1})))[0].to_json()
    contract = {
        "schema", "data", "partition", "encoding", "scaling", "federation", "model_settings", "parties", "adversary",
        "knowledge", "attack", "attack_settings", "role", "defense", "defense_settings", "seed", "rows", "asset",
        "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind", "advantage", "bounds", "other_metrics",
        "utility_metric", "utility", "utility_undefended", "seconds", "peak_mb", "versions", "status", "reason",
    }  # fmt: skip
    assert contract <= set(finding)
    assert Finding.from_json(json.loads(json.dumps(finding))).to_json() == finding


def test_an_attack_that_would_be_tried_nowhere_is_refused():
    attacks = [{"name": "gradient-sign"}, {"name": "linear-probe", "defended": False}]
    with pytest.raises(BadPlan, match=r"linear-probe .* \(defended = false\), .* \(undefended = false\)"):
        plan_sweep(make_plan({**SMALL, "attacks": attacks, "undefended": False}))
    sweep = plan_sweep(make_plan({**SMALL, "attacks": attacks}))
    several = {job.training.defense for job in sweep.jobs for release in job.releases if len(release.attempts) > 1}
    assert several == {None}


def test_attacks_that_do_not_apply_are_listed_once_with_their_reason():
    findings = run_sweep(plan_sweep(make_plan(SMALL)))
    idle = [finding for finding in findings if finding.federation == "split-network"]
    assert len(idle) == 2  # one for each seed, none for the defenses
    assert all(f.status == "not applicable" and "top model" in f.reason and f.value is None for f in idle)


def test_defended_findings_know_what_the_model_was_worth_before():
    findings = run_sweep(plan_sweep(make_plan({**SMALL, "undefended": False, "seeds": 1})))
    ok = [finding for finding in findings if finding.status == "ok"]
    assert {finding.defense for finding in ok} == {"laplace-noise", "top-k"}
    whole = run_sweep(plan_sweep(make_plan({**SMALL, "seeds": 1})))
    worth = next(f.utility for f in whole if f.defense is None and f.status == "ok")
    assert all(finding.utility_undefended == worth for finding in ok)


def test_finished_work_is_not_done_again_and_what_was_cut_off_is(tmp_path):
    sweep = plan_sweep(make_plan({**SMALL, "federations": SMALL["federations"][:1]}))
    first = run_sweep(sweep, out=tmp_path)
    files = sorted((tmp_path / CELLS_FOLDER).glob("*.jsonl"))
    before = {path: path.read_bytes() for path in files}
    files[0].write_bytes(before[files[0]][:-40])  # as a crash in the middle of a line would leave it
    seen = []
    again = run_sweep(sweep, out=tmp_path, progress=lambda standing: seen.append((standing.done, standing.total)))
    assert stable(first) == stable(again) == stable(read_findings(tmp_path))
    changed = [path for path in files if path.read_bytes() != before[path]]
    assert changed == [files[0]] and seen[0][0] == seen[0][1] - 1 and seen[-1][0] == seen[-1][1]


def test_adding_an_attack_to_a_finished_audit_runs_that_attack_alone(tmp_path, monkeypatch):
    from seepage.attacks.labels.gradient_sign import GradientSign
    from seepage.attacks.labels.linear_probe import LinearProbe

    values = {**SMALL, "attacks": [{"name": "gradient-sign"}], "seeds": 1}
    run_sweep(plan_sweep(make_plan(values)), out=tmp_path)
    ran = []
    for kind in (GradientSign, LinearProbe):
        monkeypatch.setattr(
            kind, "run", lambda self, view, rng, run=kind.run: ran.append(self.name) or run(self, view, rng)
        )
    more = make_plan({**values, "attacks": [*values["attacks"], {"name": "union"}, {"name": "linear-probe"}]})
    extended = run_sweep(plan_sweep(more), out=tmp_path)
    assert set(ran) == {"linear-probe", "gradient-sign"}  # the latter once more, for what speaks for each of two
    ran.clear()
    third = make_plan(
        {
            **values,
            "attacks": [
                *values["attacks"],
                {"name": "union"},
                {"name": "linear-probe"},
                {"name": "linear-probe", "settings": {"labels_per_class": 3}},
            ],
        }
    )
    run_sweep(plan_sweep(third), out=tmp_path)
    assert set(ran) == {"linear-probe"}
    fresh = run_sweep(plan_sweep(more))
    assert stable(extended) == stable(fresh)


def write_table(path, offset=0):
    path.write_text("age,visits,y\n" + "".join(f"{(row + offset) % 7},{row % 5},{row % 2}\n" for row in range(100)))


def plan_of_file(path):
    federation = {"name": "summed-network", "settings": {"epochs": 1, "batch": 16}}
    return make_plan({**SMALL, "data": {"file": str(path), "label": "y"}, "federations": [federation], "seeds": 1})


def test_other_contents_under_the_same_name_are_done_anew(tmp_path):
    write_table(tmp_path / "people.csv")
    run_sweep(plan_sweep(plan_of_file(tmp_path / "people.csv")), out=tmp_path / "out")
    cells = set((tmp_path / "out" / CELLS_FOLDER).glob("*.jsonl"))
    write_table(tmp_path / "people.csv", offset=3)
    with pytest.warns(Remark, match=r"Not reused: 3 stored findings in .*out\. .* code, versions, data or a setting"):
        changed = run_sweep(plan_sweep(plan_of_file(tmp_path / "people.csv")), out=tmp_path / "out")
    assert len(set((tmp_path / "out" / CELLS_FOLDER).glob("*.jsonl"))) == 2 * len(cells)
    assert stable(changed) == stable(run_sweep(plan_sweep(plan_of_file(tmp_path / "people.csv"))))


def test_data_that_change_while_the_audit_runs_are_not_taken_for_those_it_began_with(tmp_path):
    write_table(tmp_path / "people.csv")
    sweep = plan_sweep(plan_of_file(tmp_path / "people.csv"))
    write_table(tmp_path / "people.csv", offset=3)
    findings = run_sweep(sweep, out=tmp_path / "out")
    assert all(f.status == "failed" and "was changed while the audit ran" in f.reason for f in findings)
    assert not list((tmp_path / "out" / CELLS_FOLDER).glob("*.jsonl"))


def test_findings_of_an_earlier_audit_do_not_pass_for_those_of_one_that_was_killed(tmp_path):
    from seepage.audit.findings.folder import open_folder
    from seepage.errors import BadOutput

    run_sweep(plan_sweep(make_plan({**SMALL, "seeds": 1})), out=tmp_path)
    with open_folder(tmp_path, make_plan({**SMALL, "seeds": 2})):
        pass  # as if killed before the end
    with pytest.raises(BadOutput, match="holds no findings"):
        read_findings(tmp_path)


def test_two_audits_cannot_write_to_one_folder_at_once(tmp_path):
    from seepage.audit.findings.folder import open_folder
    from seepage.errors import BadOutput

    plan = make_plan(SMALL)
    with open_folder(tmp_path, plan), pytest.raises(BadOutput, match="Another audit is writing"):
        run_sweep(plan_sweep(plan), out=tmp_path)


def test_the_same_thing_asked_for_twice_is_refused():
    from seepage.errors import BadPlan

    twice = [{"name": "top-k"}, {"name": "top-k", "settings": {"share": 0.1}}]
    with pytest.raises(BadPlan, match="asked for twice"):
        plan_sweep(make_plan({**SMALL, "defenses": twice}))


def test_a_seed_that_failed_stands_with_its_siblings(monkeypatch):
    from seepage.audit.findings.summary import summarize
    from seepage.federations.summed_network import SummedNetwork

    whole = SummedNetwork.train
    calls = []

    def sometimes(self, data, **settings):
        calls.append(1)
        if len(calls) == 2:
            raise RuntimeError("out of luck")
        return whole(self, data, **settings)

    monkeypatch.setattr(SummedNetwork, "train", sometimes)
    plan = make_plan({**SMALL, "federations": [SMALL["federations"][0]], "defenses": [], "seeds": 3})
    (line,) = summarize(run_sweep(plan_sweep(plan)))
    assert (line.seeds, line.failed) == (2, 1)


def test_a_model_that_diverges_is_told_in_a_sentence():
    wild = {"name": "summed-network", "settings": {"batch": 32, "optimizer": {"name": "sgd", "learning_rate": 1e30}}}
    plan = make_plan({**SMALL, "federations": [wild], "defenses": [], "seeds": 1})
    (finding,) = run_sweep(plan_sweep(plan))
    assert finding.status == "failed" and "diverged" in finding.reason


def test_another_plan_in_the_same_folder_mixes_nothing(tmp_path):
    run_sweep(plan_sweep(make_plan(SMALL)), out=tmp_path)
    other = {**SMALL, "scaling": "minmax"}
    with pytest.warns(Remark, match="Not reused: 8 stored findings"):
        found = run_sweep(plan_sweep(make_plan(other)), out=tmp_path)
    assert {finding.scaling for finding in found} == {"minmax"}
    assert stable(found) == stable(run_sweep(plan_sweep(make_plan(other))))


def test_workers_end_when_the_audit_that_started_them_is_killed(tmp_path):
    endless = {"name": "summed-network", "settings": {"epochs": 10**6, "batch": 32}}
    (tmp_path / "plan.toml").write_text(plan_text(make_plan({**SMALL, "federations": [endless], "seeds": 1})))
    program = Path(sys.executable).with_name("seepage")
    command = [str(program), "audit", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out"), "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def children() -> list[str]:
        tasks = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [pid for pid in tasks if "engines.worker" in Path(f"/proc/{pid}/cmdline").read_text()]

    deadline = time.monotonic() + 60
    while not (workers := children()) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(8)  # until it trains
    process.kill()
    process.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline + 60:
        time.sleep(0.2)
    assert workers and not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_a_cell_that_takes_too_long_fails_alone_and_is_tried_again(tmp_path):
    values = {**SMALL, "federations": [SMALL["federations"][0]], "defenses": [], "seeds": 1}
    slow = {"name": "summed-network", "settings": {"epochs": 10**6, "batch": 32}}
    plan = make_plan({**values, "federations": [slow, *values["federations"]], "timeout": 15.0})
    findings = run_sweep(plan_sweep(plan), out=tmp_path, jobs=1)
    assert [finding.status for finding in findings] == ["failed", "ok"]
    assert "longer than 15 s" in findings[0].reason
    kept = [
        Record.model_validate_json(line)
        for path in (tmp_path / CELLS_FOLDER).glob("*.jsonl")
        for line in path.read_bytes().splitlines()
        if line
    ]
    assert [record.finding.status for record in kept if record.finding is not None] == ["ok"]


def test_a_cell_that_breaks_becomes_a_finding_that_says_so(monkeypatch):
    from seepage.federations.summed_network import SummedNetwork

    def broken(self, data, **_):
        raise ZeroDivisionError("a bug in a federation")

    monkeypatch.setattr(SummedNetwork, "train", broken)
    findings = run_sweep(plan_sweep(make_plan({**SMALL, "defenses": [], "seeds": 1})))
    assert findings[0].status == "failed" and findings[0].reason == "ZeroDivisionError: a bug in a federation"
    assert findings[1].status == "not applicable"


def test_the_stored_plan_runs_the_same_audit_again(tmp_path):
    plan = make_plan({**SMALL, "partition": {"names": ["bank", "shop"], "adversary_share": 0.25}})
    (tmp_path / "plan.toml").write_text(plan_text(plan))
    assert read_plan(tmp_path / "plan.toml") == plan


def test_a_table_on_disk_is_read_from_the_folder_of_its_plan(tmp_path):
    (tmp_path / "people.csv").write_text("age,y\n1,0\n")
    text = '[data]\nfile = "people.csv"\nlabel = "y"\n[[federations]]\nname = "a"\n[[attacks]]\nname = "b"\n'
    (tmp_path / "plan.toml").write_text(text)
    assert read_plan(tmp_path / "plan.toml").data.file == str(tmp_path / "people.csv")


def test_results_are_for_their_owner_only(tmp_path):
    run_sweep(plan_sweep(make_plan({**SMALL, "seeds": 1})), out=tmp_path / "out")
    found = list((tmp_path / "out").rglob("*"))
    assert len(found) > 4 and all(path.stat().st_mode & 0o077 == 0 for path in found)


def test_findings_hold_no_records(tmp_path):
    """A word that occurs in one row only must not reach anything that an audit writes."""
    lines = [
        f"{row},{row % 5},{'tell-tale' if row == 17 else 'usual' if row % 2 else 'common'},{row % 2}"
        for row in range(99)
    ]
    (tmp_path / "people.csv").write_text("id,age,note,y\n" + "\n".join(lines) + "\n")
    findings = seepage.audit(
        tmp_path / "people.csv", label="y", id_column="id", seeds=1, out=tmp_path / "out", defenses=[],
        federations=[{"name": "summed-network", "settings": {"epochs": 1, "batch": 16}}],
        parties={"bank": ["age"], "shop": ["note"]},
    )  # fmt: skip
    assert {finding.status for finding in findings if finding.attack == "gradient-sign"} == {"ok"}
    from seepage.report import write_report

    write_report(tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert "tell-tale" not in path.read_text(), path


def test_the_folder_can_be_called_as_a_function():
    findings = seepage.audit(
        "iris", federations=["logistic-regression"], attacks=["gradient-sign"], defenses=[], seeds=2
    )
    assert [finding.value for finding in findings] == [1.0, 1.0]


@pytest.mark.parametrize("parties", [2, 3, 5])
def test_all_parties_count(parties):
    plan = make_plan({**SMALL, "data": {"name": "breast_cancer"}, "partition": {"parties": parties}, "seeds": 1})
    findings = run_sweep(plan_sweep(plan))
    assert {finding.parties for finding in findings} == {parties}
    assert findings[0].value == 1.0
