"""Slices of an audit share a folder, keep out of each other's way, and come to one set of findings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command_line import typed
from seepage.audit.engines.engine import Here
from seepage.audit.findings.finding import read_findings
from seepage.audit.findings.folder import open_folder, open_slice
from seepage.audit.findings.unfinished import read_unfinished
from seepage.audit.gathering import merge, run_slice
from seepage.audit.plan.plan import plan_text
from seepage.audit.plan.slices import Slice
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadOutput, BadPlan, Remark
from small_audits import asked, chosen, stable, started

SUMMED, SPLIT = (chosen(f"{name}-network", epochs=1, batch=32) for name in ("summed", "split"))
SMALL = {"federations": [SUMMED, SPLIT], "defenses": ["top-k"], "undefended": False, "seeds": 3}
"""Trainings without an attack among them, which say what a model is worth undefended, and some that do not apply."""


@pytest.fixture(scope="module")
def sweep():
    return plan_sweep(asked(**SMALL))


def sliced(sweep, text, out):
    return run_slice(sweep, Slice.parse(text), out=out, engine=Here(), progress=lambda *_: None)


@given(jobs=st.integers(0, 60), of=st.integers(1, 12))
def test_every_job_belongs_to_one_slice_and_shares_differ_by_one(jobs, of):
    shares = [[place for place in range(jobs) if Slice(number, of).takes(place)] for number in range(1, of + 1)]
    assert sorted(place for share in shares for place in share) == list(range(jobs))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize("text", ["0/4", "5/4", "x", "1/0", "-1/4", "1/4/2", "1", "", "²/4", "1.5/4"])
def test_a_slice_that_is_none_is_refused(text):
    with pytest.raises(BadPlan, match="is none: "):
        Slice.parse(text)


def test_the_last_slice_writes_the_findings_in_whatever_order_they_come(sweep, tmp_path):
    expected = stable(run_sweep(sweep))
    assert "not applicable" in {finding["status"] for finding in expected}
    for text in ("3/3", "1/3"):
        gathered = sliced(sweep, text, tmp_path)
        assert gathered.missing and not gathered.failed and not (tmp_path / "findings.jsonl").exists()
    assert gathered.absent == f"{len(gathered.missing)} of {len(sweep.jobs)} trainings, of slice 2/3"
    assert not sliced(sweep, "2/3", tmp_path).missing
    assert stable(read_findings(tmp_path)) == expected


def test_slices_at_once_find_what_one_audit_finds(sweep, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(sweep.plan))
    command = ("audit", tmp_path / "plan.toml", "--out", tmp_path / "out", "--jobs", 0, "--slice")
    processes = [started(*command, f"{number}/3") for number in (1, 2, 3)]
    said = "".join(process.communicate(timeout=240)[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0, 0] and "Report:" in said
    assert stable(read_findings(tmp_path / "out")) == stable(run_sweep(sweep))


def test_a_slice_keeps_out_itself_whole_audits_and_other_plans_but_no_other_slice(sweep, tmp_path):
    other = asked(**SMALL, scaling="minmax")
    with open_slice(tmp_path, sweep.plan, Slice(2, 3)), open_slice(tmp_path, sweep.plan, Slice(3, 3)):
        with pytest.raises(BadOutput, match=r"Slice 2/3 is at work in .* already"):
            sliced(sweep, "2/3", tmp_path)
        with pytest.raises(BadOutput, match="Another audit is writing"):
            run_sweep(sweep, out=tmp_path)
        with pytest.raises(BadOutput, match="Another audit is writing"):
            merge([tmp_path])
        with pytest.raises(BadOutput, match=r"Slices of another plan are at work in .*: scaling is 'minmax'"):
            sliced(plan_sweep(other), "1/3", tmp_path)
        with pytest.raises(BadOutput, match="is at work in 3 slices, so 1/4 is none of them"):
            sliced(sweep, "1/4", tmp_path)
        assert sliced(sweep, "1/3", tmp_path).missing
    with open_folder(tmp_path, sweep.plan), pytest.raises(BadOutput, match="Another audit is writing"):
        sliced(sweep, "1/3", tmp_path)


def test_what_is_missing_is_named_and_leaves_findings_marked_as_unfinished(sweep, tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(sweep.plan))
    out = tmp_path / "out"
    audit = (tmp_path / "plan.toml", "--out", out, "--jobs", 0, "--slice")
    assert typed("audit", *audit, "1/3").stdout.startswith("Slice 1/3 is done. Missing: ")
    merged = typed("merge", out, status=1)
    assert "trainings, of slices 2/3 and 3/3. Run what is missing" in merged.stderr
    left = read_unfinished(out)
    assert 0 < left.finished < left.planned and "was stopped" in (out / "report.html").read_text()
    assert typed("merge", out, status=1).stderr == merged.stderr
    for text in ("2/3", "3/3"):
        ended = typed("audit", *audit, text)
    assert "Report:" in ended.stdout and read_unfinished(out) is None
    typed("merge", out)
    assert stable(read_findings(out)) == stable(run_sweep(sweep))


def test_folders_of_other_audits_are_not_merged(sweep, tmp_path):
    sliced(sweep, "1/3", tmp_path / "one")
    sliced(plan_sweep(asked(**{**SMALL, "seeds": 2})), "2/3", tmp_path / "other")
    with pytest.raises(BadOutput, match=r"other holds an audit of another plan than .*one: seeds: 2 is left out"):
        merge([tmp_path / "one", tmp_path / "other"])
    with pytest.raises(BadOutput, match=r"holds no audit: there is no plan.toml in it"):
        merge([tmp_path / "none"])
    with pytest.raises(BadOutput, match="holds an audit already"):
        merge([tmp_path / "one"], tmp_path / "other")


def test_a_slice_that_failed_says_why_and_is_tried_again(sweep, tmp_path, monkeypatch):
    from seepage.federations.summed_network import SummedNetwork

    def broken(self, data, **_):
        raise ZeroDivisionError("a bug in a federation")

    with monkeypatch.context() as patch:
        patch.setattr(SummedNetwork, "train", broken)
        with pytest.warns(Remark, match="not known what .* a bug in a federation"):
            gathered = sliced(sweep, "1/1", tmp_path)
    assert gathered.failed == ("ZeroDivisionError: a bug in a federation",) and gathered.missing
    assert not sliced(sweep, "1/1", tmp_path).missing


def test_a_table_is_known_by_what_it_holds_wherever_its_file_lies(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("age,visits,y\n" + "".join(f"{n % 7},{n % 5},{n % 2}\n" for n in range(100)))
    monkeypatch.chdir(tmp_path)
    here, absolute = (
        plan_sweep(asked({"file": file, "label": "y"}, federations=[SUMMED], defenses=["top-k"], undefended=False))
        for file in ("people.csv", str(tmp_path / "people.csv"))
    )
    assert here.keys == absolute.keys
    sliced(here, "1/1", tmp_path / "out")
    assert not merge([tmp_path / "out"]).missing
