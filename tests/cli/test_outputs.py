"""Where results go: checked before any work, and nothing is left of an audit that was refused."""

import json

import pytest

import seepage
from command_line import refused, typed
from seepage.audit import sweep
from seepage.audit.findings.findings import Findings
from seepage.audit.plan.plan import plan_text
from seepage.errors import BadOutput
from small_audits import asked

QUICK = "audit iris --federation logistic-regression --attack gradient-sign --jobs 0"


@pytest.fixture
def nothing_runs(monkeypatch):
    monkeypatch.setattr(sweep, "carry_on", lambda *_, **__: pytest.fail("something was trained"))


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("name", ["findings.jsonl", "report.html", "plan.toml", "unfinished.json"])
def test_a_folder_in_the_place_of_a_result_is_refused_before_any_work(name, tmp_path):
    (tmp_path / name).mkdir()
    said = refused(f"{QUICK} --defense none --seeds 1 --out", tmp_path)
    assert f"{name} is a folder, but a file is to be written there." in said
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.usefixtures("nothing_runs")
def test_a_folder_for_json_lines_or_a_guess_is_refused_before_any_work(tmp_path):
    said = refused("attack gradient-sign --data iris --json", tmp_path)
    assert "is a folder, but a file is to be written there. Choose another place with --json." in said
    said = refused("attack gradient-sign --transcript", tmp_path, "--guess", tmp_path)
    assert "Choose another place with --guess." in said


@pytest.mark.parametrize(
    "options",
    ["--attack gradient-sing", "--seeds 0", "--adversary mallory",
     "--federation forest --attack id2graph --timeout 9 --jobs 0"],
)  # fmt: skip
def test_a_plan_that_is_refused_leaves_no_folder_behind(options, tmp_path):
    refused(f"audit iris {options} --out", tmp_path / "a" / "out")
    refused("attack id2graph --data irish --json", tmp_path / "b" / "found.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_another_plan_is_refused_before_work_and_can_be_extended(tmp_path, monkeypatch):
    audit = f"{QUICK} --defense none --out {tmp_path}"
    typed(f"{audit} --seeds 1")
    before = {path.name: path.read_bytes() for path in (tmp_path / "cells").glob("*.jsonl")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "carry_on", lambda *_, **__: pytest.fail("something was trained"))
        for options, said in {
            "--seeds 2": "holds an audit of another plan: seeds: 1 is new. Choose another --out, or extend",
            "--seeds 1 --scaling minmax": "scaling is 'minmax' instead of 'standard'.",
            "--seeds 1 --scaling minmax --add": "--add cannot put these two audits together: scaling is",
        }.items():
            assert said in refused(f"{audit} {options}")
        asked = {"federations": "logistic-regression", "attacks": "gradient-sign", "defenses": [], "seeds": [7]}
        with pytest.raises(BadOutput, match="Choose another out, or extend that audit with add"):
            seepage.audit("iris", **asked, out=tmp_path)
    kept = Findings.read(tmp_path)
    assert [finding.seed for finding in kept] == [0]  # refusing touches nothing
    typed(f"{audit} --seeds 2 --add")
    assert [finding.seed for finding in Findings.read(tmp_path)] == [0, 1]
    assert all((tmp_path / "cells" / name).read_bytes() == held for name, held in before.items())
    typed(f"{QUICK} --defense top-k --seeds 1 --add --out", tmp_path)
    held = {(finding.defense, finding.seed) for finding in Findings.read(tmp_path)}
    assert held == {(None, 0), (None, 1), ("top-k", 0), ("top-k", 1)}
    assert Findings.read(tmp_path).plan.seeds == (0, 1)


def test_a_folder_in_which_nothing_was_finished_takes_another_plan(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(asked("wine", federations=["forest"], attacks=["union"])))
    typed(f"{QUICK} --defense none --seeds 1 --out", tmp_path)
    assert {json.loads(line)["data"] for line in (tmp_path / "findings.jsonl").read_text().splitlines()} == {"iris"}
