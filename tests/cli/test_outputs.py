"""Where results go: checked before any work, and nothing is left of an audit that was refused."""

import json

import pytest
from typer.testing import CliRunner

import seepage
from seepage.audit import sweep
from seepage.audit.findings.findings import Findings
from seepage.cli.app import app
from seepage.errors import BadOutput

QUICK = ("--federation", "logistic-regression", "--attack", "gradient-sign", "--jobs", "0")


def invoke(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result


def refuse(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.fixture
def nothing_runs(monkeypatch):
    monkeypatch.setattr(sweep, "carry_on", lambda *_, **__: pytest.fail("something was trained"))


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("name", ["findings.jsonl", "report.html", "plan.toml", "unfinished.json"])
def test_a_folder_in_the_place_of_a_result_is_refused_before_any_work(name, tmp_path):
    (tmp_path / name).mkdir()
    said = refuse("audit", "iris", *QUICK, "--defense", "none", "--seeds", 1, "--out", tmp_path)
    assert f"{name} is a folder, but a file is to be written there." in said
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.usefixtures("nothing_runs")
def test_a_folder_for_json_lines_or_a_guess_is_refused_before_any_work(tmp_path):
    said = refuse("attack", "gradient-sign", "--data", "iris", "--json", tmp_path)
    assert "is a folder, but a file is to be written there. Choose another place with --json." in said
    said = refuse("attack", "gradient-sign", "--transcript", tmp_path, "--guess", tmp_path)
    assert "Choose another place with --guess." in said


@pytest.mark.parametrize(
    "options",
    [
        ("--attack", "gradient-sing"),
        ("--seeds", "0"),
        ("--adversary", "mallory"),
        ("--federation", "forest", "--attack", "id2graph", "--timeout", "9", "--jobs", "0"),
    ],
)
def test_a_plan_that_is_refused_leaves_no_folder_behind(options, tmp_path):
    refuse("audit", "iris", *options, "--out", tmp_path / "a" / "out")
    refuse("attack", "id2graph", "--data", "irish", "--json", tmp_path / "b" / "found.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_another_plan_is_refused_before_work_and_can_be_extended(tmp_path, monkeypatch):
    audit = ("audit", "iris", *QUICK, "--defense", "none", "--out", tmp_path)
    assert invoke(*audit, "--seeds", 1).exit_code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "cells").glob("*.json")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "carry_on", lambda *_, **__: pytest.fail("something was trained"))
        said = refuse(*audit, "--seeds", 2)
        assert "holds an audit of another plan: seeds: 1 is new. Choose another --out, or extend" in said
        said = refuse(*audit, "--seeds", 1, "--scaling", "minmax")
        assert "scaling is 'minmax' instead of 'standard'." in said
        said = refuse(*audit, "--seeds", 1, "--scaling", "minmax", "--add")
        assert "--add cannot put these two audits together: scaling is" in said
        with pytest.raises(BadOutput, match="Choose another out, or extend that audit with add"):
            seepage.audit(
                "iris", federations="logistic-regression", attacks="gradient-sign", defenses=[], seeds=[7], out=tmp_path
            )
    kept = Findings.read(tmp_path)
    assert [finding.seed for finding in kept] == [0]  # refusing touches nothing
    assert invoke(*audit, "--seeds", 2, "--add").exit_code == 0
    assert [finding.seed for finding in Findings.read(tmp_path)] == [0, 1]
    assert all((tmp_path / "cells" / name).read_bytes() == held for name, held in before.items())
    more = ("audit", "iris", *QUICK, "--defense", "top-k", "--seeds", 1, "--out", tmp_path, "--add")
    assert invoke(*more).exit_code == 0
    held = {(finding.defense, finding.seed) for finding in Findings.read(tmp_path)}
    assert held == {(None, 0), (None, 1), ("top-k", 0), ("top-k", 1)}
    assert Findings.read(tmp_path).plan.seeds == (0, 1)


def test_a_folder_in_which_nothing_was_finished_takes_another_plan(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'seeds = 1\n[data]\nname = "wine"\n[[federations]]\nname = "forest"\n[[attacks]]\nname = "union"\n'
    )
    audit = ("audit", "iris", *QUICK, "--defense", "none", "--seeds", 1, "--out", tmp_path)
    assert invoke(*audit).exit_code == 0
    assert {json.loads(line)["data"] for line in (tmp_path / "findings.jsonl").read_text().splitlines()} == {"iris"}
