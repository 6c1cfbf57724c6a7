"""Audits repeat themselves, survive being killed, and lose no more than they must."""

import json
import time

import pytest

import seepage
from seepage.audit.findings.finding import Finding, read_findings
from seepage.audit.findings.folder import open_folder
from seepage.audit.findings.summary import summarize
from seepage.audit.plan.plan import plan_text, read_plan
from seepage.audit.stages.work import Record
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadOutput, BadPlan, Remark
from seepage.federations.summed_network import SummedNetwork
from seepage.report import write_report
from small_audits import alive, asked, cells, chosen, descendants, stable, started, wait_for

SUMMED, SPLIT = (chosen(f"{name}-network", epochs=2, batch=32) for name in ("summed", "split"))
ENDLESS = chosen("summed-network", epochs=10**6, batch=32)


def planned(data="iris", **changes):
    """Plan two networks with two defenses, with changes."""
    usual = {"federations": [SUMMED, SPLIT], "defenses": [chosen("laplace-noise", scale=0.1), "top-k"], "seeds": 2}
    return plan_sweep(asked(data, **{**usual, **changes}))


def test_the_same_seed_gives_the_same_findings_in_this_process_and_in_workers():
    sweep = planned()
    here, again, workers = (run_sweep(sweep, jobs=jobs) for jobs in (0, 0, 2))
    assert stable(here) == stable(again) == stable(workers)
    assert {finding.seed for finding in here} == {0, 1}


def test_every_field_of_the_contract_is_there():
    finding = run_sweep(planned(seeds=1))[0].to_json()
    contract = {
        "schema", "data", "partition", "encoding", "scaling", "federation", "model_settings", "parties", "adversary",
        "knowledge", "attack", "attack_settings", "role", "defense", "defense_settings", "seed", "rows", "asset",
        "metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind", "advantage", "bounds", "other_metrics",
        "utility_metric", "utility", "utility_undefended", "seconds", "peak_mb", "versions", "status", "reason",
    }  # fmt: skip
    assert contract <= set(finding)
    assert Finding.from_json(json.loads(json.dumps(finding))).to_json() == finding


def test_an_attack_that_would_be_tried_nowhere_is_refused():
    attacks = ["gradient-sign", {"name": "linear-probe", "defended": False}]
    with pytest.raises(BadPlan, match=r"linear-probe .* \(defended = false\), .* \(undefended = false\)"):
        planned(attacks=attacks, undefended=False)
    jobs = planned(attacks=attacks).jobs
    several = {job.training.defense for job in jobs for release in job.releases if len(release.attempts) > 1}
    assert several == {None}


def test_attacks_that_do_not_apply_are_listed_once_with_their_reason():
    findings = run_sweep(planned())
    idle = [finding for finding in findings if finding.federation == "split-network"]
    assert len(idle) == 2  # one for each seed, none for the defenses
    assert all(f.status == "not applicable" and "top model" in f.reason and f.value is None for f in idle)


def test_defended_findings_know_what_the_model_was_worth_before():
    findings = run_sweep(planned(undefended=False, seeds=1))
    ok = [finding for finding in findings if finding.status == "ok"]
    assert {finding.defense for finding in ok} == {"laplace-noise", "top-k"}
    whole = run_sweep(planned(seeds=1))
    worth = next(f.utility for f in whole if f.defense is None and f.status == "ok")
    assert all(finding.utility_undefended == worth for finding in ok)


def test_finished_work_is_not_done_again_and_what_was_cut_off_is(tmp_path):
    sweep = planned(federations=[SUMMED])
    first = run_sweep(sweep, out=tmp_path)
    files = sorted(cells(tmp_path))
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

    run_sweep(planned(seeds=1), out=tmp_path)
    ran = []
    for kind in (GradientSign, LinearProbe):
        whole = kind.run
        monkeypatch.setattr(kind, "run", lambda self, *seen, run=whole: ran.append(self.name) or run(self, *seen))
    more = ["gradient-sign", "union", "linear-probe"]
    extended = run_sweep(planned(attacks=more, seeds=1), out=tmp_path)
    assert set(ran) == {"linear-probe", "gradient-sign"}  # the latter once more, for what speaks for each of two
    ran.clear()
    run_sweep(planned(attacks=[*more, chosen("linear-probe", labels_per_class=3)], seeds=1), out=tmp_path)
    assert set(ran) == {"linear-probe"}
    assert stable(extended) == stable(run_sweep(planned(attacks=more, seeds=1)))


def write_table(path, offset=0):
    path.write_text("age,visits,y\n" + "".join(f"{(row + offset) % 7},{row % 5},{row % 2}\n" for row in range(100)))


def sweep_of(path):
    return planned(
        {"file": str(path), "label": "y"}, federations=[chosen("summed-network", epochs=1, batch=16)], seeds=1
    )


def test_other_contents_under_the_same_name_are_done_anew(tmp_path):
    write_table(tmp_path / "people.csv")
    run_sweep(sweep_of(tmp_path / "people.csv"), out=tmp_path / "out")
    before = cells(tmp_path / "out")
    write_table(tmp_path / "people.csv", offset=3)
    with pytest.warns(Remark, match=r"Not reused: 3 stored findings in .*out\. .* code, versions, data or a setting"):
        changed = run_sweep(sweep_of(tmp_path / "people.csv"), out=tmp_path / "out")
    assert len(cells(tmp_path / "out")) == 2 * len(before)
    assert stable(changed) == stable(run_sweep(sweep_of(tmp_path / "people.csv")))


def test_data_that_change_while_the_audit_runs_are_not_taken_for_those_it_began_with(tmp_path):
    write_table(tmp_path / "people.csv")
    sweep = sweep_of(tmp_path / "people.csv")
    write_table(tmp_path / "people.csv", offset=3)
    with pytest.warns(Remark, match="alone: people.csv was changed"):
        findings = run_sweep(sweep, out=tmp_path / "out")
    assert all(f.status == "failed" and "was changed while the audit ran" in f.reason for f in findings)
    assert not cells(tmp_path / "out")


def test_findings_of_an_earlier_audit_do_not_pass_for_those_of_one_that_was_killed(tmp_path):
    run_sweep(planned(seeds=1), out=tmp_path)
    with open_folder(tmp_path, planned(seeds=2).plan):
        pass  # as if killed before the end
    with pytest.raises(BadOutput, match="holds no findings"):
        read_findings(tmp_path)


def test_two_audits_cannot_write_to_one_folder_at_once(tmp_path):
    sweep = planned()
    with open_folder(tmp_path, sweep.plan), pytest.raises(BadOutput, match="Another audit is writing"):
        run_sweep(sweep, out=tmp_path)


def test_the_same_thing_asked_for_twice_is_refused():
    with pytest.raises(BadPlan, match="asked for twice"):
        planned(defenses=["top-k", chosen("top-k", share=0.1)])


def test_a_seed_that_failed_stands_with_its_siblings(monkeypatch):
    whole = SummedNetwork.train
    calls = []

    def sometimes(self, data, **settings):
        calls.append(len(data.parties))
        if calls.count(2) == 2 and calls[-1] == 2:
            raise RuntimeError("out of luck")
        return whole(self, data, **settings)

    monkeypatch.setattr(SummedNetwork, "train", sometimes)
    (line,) = summarize(run_sweep(planned(federations=[SUMMED], defenses=[], seeds=3)))
    assert (line.seeds, line.failed) == (2, 1)


def test_a_model_that_diverges_is_told_in_a_sentence():
    wild = chosen("summed-network", batch=32, optimizer={"name": "sgd", "learning_rate": 1e30})
    with pytest.warns(Remark, match="not known .* alone: Its predictions are not numbers"):
        (finding,) = run_sweep(planned(federations=[wild], defenses=[], seeds=1))
    assert finding.status == "failed" and "diverged" in finding.reason


def test_another_plan_in_the_same_folder_mixes_nothing(tmp_path):
    run_sweep(planned(), out=tmp_path)
    other = planned(scaling="minmax")
    with pytest.warns(Remark, match="Not reused: 8 stored findings"):
        found = run_sweep(other, out=tmp_path)
    assert {finding.scaling for finding in found} == {"minmax"}
    assert stable(found) == stable(run_sweep(other))


def test_workers_end_when_the_audit_that_started_them_is_killed(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(planned(federations=[ENDLESS], seeds=1).plan))
    process = started("audit", tmp_path / "plan.toml", "--out", tmp_path / "out", "--jobs", 1)

    def working():
        return [pid for pid, name in descendants(process.pid) if "engines.worker" in name]

    assert wait_for(working, process, 60)
    time.sleep(8)  # until it trains
    workers = working()
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert workers and not any(map(alive, workers))


def test_a_cell_that_takes_too_long_fails_alone_and_is_tried_again(tmp_path):
    sweep = planned(federations=[ENDLESS, SUMMED], defenses=[], seeds=1, timeout=8.0)
    with pytest.warns(Remark, match="not known .* alone: .* longer than 8 s"):
        findings = run_sweep(sweep, out=tmp_path, jobs=1)
    assert [finding.status for finding in findings] == ["failed", "ok"]
    assert "longer than 8 s" in findings[0].reason
    lines = [line for path in cells(tmp_path) for line in path.read_bytes().splitlines() if line]
    kept = map(Record.model_validate_json, lines)
    assert [record.finding.status for record in kept if record.finding is not None] == ["ok"]


def test_a_cell_that_breaks_becomes_a_finding_that_says_so(monkeypatch):
    def broken(self, data, **_):
        raise ZeroDivisionError("a bug in a federation")

    monkeypatch.setattr(SummedNetwork, "train", broken)
    with pytest.warns(Remark, match="not known .* alone: ZeroDivisionError"):
        findings = run_sweep(planned(defenses=[], seeds=1))
    assert findings[0].status == "failed" and findings[0].reason == "ZeroDivisionError: a bug in a federation"
    assert findings[1].status == "not applicable"


def test_the_stored_plan_runs_the_same_audit_again(tmp_path):
    plan = asked(defenses=["top-k"], partition={"names": ["bank", "shop"], "adversary_share": 0.25})
    (tmp_path / "plan.toml").write_text(plan_text(plan))
    assert read_plan(tmp_path / "plan.toml") == plan


def test_a_table_on_disk_is_read_from_the_folder_of_its_plan(tmp_path):
    (tmp_path / "people.csv").write_text("age,y\n1,0\n")
    text = '[data]\nfile = "people.csv"\nlabel = "y"\n[[federations]]\nname = "a"\n[[attacks]]\nname = "b"\n'
    (tmp_path / "plan.toml").write_text(text)
    assert read_plan(tmp_path / "plan.toml").data.file == str(tmp_path / "people.csv")


def test_results_are_for_their_owner_only(tmp_path):
    run_sweep(planned(seeds=1), out=tmp_path / "out")
    found = list((tmp_path / "out").rglob("*"))
    assert len(found) > 4 and all(path.stat().st_mode & 0o077 == 0 for path in found)


def test_findings_hold_no_records(tmp_path):
    """A word that occurs in one row only must not reach anything that an audit writes."""
    lines = [
        f"{row},{row % 5},{'tell-tale' if row == 17 else 'usual' if row % 2 else 'common'},{row % 2}"
        for row in range(99)
    ]
    (tmp_path / "people.csv").write_text("id,age,note,y\n" + "\n".join(lines) + "\n")
    with pytest.warns(Remark, match="Column 'note' of 'shop' gives the label away by itself"):
        findings = seepage.audit(
            tmp_path / "people.csv", label="y", id_column="id", seeds=1, out=tmp_path / "out", defenses=[],
            federations="summed-network:epochs=1,batch=16",
            parties={"bank": ["age"], "shop": ["note"]},
        )  # fmt: skip
    assert {finding.status for finding in findings if finding.attack == "gradient-sign"} == {"ok"}
    write_report(tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert "tell-tale" not in path.read_text(), path


def test_the_folder_can_be_called_as_a_function():
    findings = seepage.audit("iris", federations="logistic-regression", attacks="gradient-sign", defenses=[], seeds=2)
    assert [finding.value for finding in findings] == [1.0, 1.0]


@pytest.mark.parametrize("parties", [2, 3, 5])
def test_all_parties_count(parties):
    findings = run_sweep(planned("breast_cancer", partition={"parties": parties}, seeds=1))
    assert {finding.parties for finding in findings} == {parties}
    assert findings[0].value == 1.0
