"""Commands as users run them."""

import json
import subprocess
import sys

import pytest

from command_line import found, refused, typed
from samples import write_csv


def found_by(line, *more):
    """Return the finding of one attack under one seed."""
    return found(f"attack {line} --seeds 1 --jobs 0", *more)


def people_in(folder, missing=()):
    """Write a small table, in which some rows lack their age."""
    rows = range(100)
    ages = ["" if row in missing else row % 7 for row in rows]
    path = write_csv(folder / "people.csv", age=ages, visits=[row % 5 for row in rows], y=[row % 2 for row in rows])
    return ["--data", path, "--label", "y"]


def test_help_and_list_import_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from seepage.cli.app import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        "assert CliRunner().invoke(app, ['list']).exit_code == 0; "
        "print(sorted({'torch', 'sklearn', 'pyarrow', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["audit", "attack", "list", "reproduce", "report", "gate"])
def test_every_command_explains_itself_and_its_options(command):
    shown = typed(command, "--help").stdout
    assert "Usage" in shown
    for line in shown.splitlines():
        if line.strip(" │").startswith("--"):
            assert len(line.strip(" │").split()) > 1


def test_the_version_is_printed():
    assert typed("--version").stdout.startswith("seepage ")


def test_json_on_standard_output_is_all_there_is(run_command):
    line = "attack gradient-sign --data digits --federation summed-network --seeds 3 --json -"
    done = run_command(*line.split())
    assert done.returncode == 0 and done.stderr == "", done.stderr
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert [finding["seed"] for finding in findings] == [0, 1, 2]
    assert all(finding["value"] >= 0.999 for finding in findings)


def test_a_split_network_prints_a_finding_that_says_why_not():
    finding = found_by("gradient-sign --data digits --federation split-network")
    assert finding["status"] == "not applicable" and "top model" in finding["reason"]


def test_an_audit_prints_a_table_and_writes_the_report_and_can_be_gated_and_drawn_again(tmp_path):
    out = tmp_path / "out"
    only = "--federation logistic-regression --attack gradient-sign --attack linear-probe"
    shown = typed(f"audit iris --seeds 2 --jobs 0 {only} --out", out)
    assert "Who can learn what" in shown.stdout and "gradient-sign" in shown.stdout and "report.html" in shown.stdout
    assert {path.name for path in out.iterdir()} == {
        "cells", "findings.jsonl", "notes.json", "plan.toml", "report.html",
    }  # fmt: skip
    (out / "report.html").unlink()
    typed("report", out)
    assert (out / "report.html").stat().st_size > 10_000
    typed("gate --max labels=0.2", out, status=1)
    assert "gradient-sign" in typed("audit --jobs 0 --out", out, out / "plan.toml").stdout


def test_attack_and_defense_settings_reach_the_finding():
    finding = found_by(
        "gradient-sign --data iris --federation summed-network --model epochs=1 --model batch=32 "
        "--model optimizer.learning_rate=0.5 --set rule=first-negative --encoding ordinal --scaling minmax "
        "--adversary-share 0.25 --defense discrete-gradients:intervals=6,warm_up=clear"
    )
    assert finding["model_settings"]["optimizer"]["learning_rate"] == 0.5
    assert finding["attack_settings"]["rule"] == "first-negative"
    assert finding["defense_settings"] == {"intervals": 6, "warm_up": "clear"}
    assert (finding["encoding"], finding["scaling"]) == ("ordinal", "minmax")
    assert len(finding["partition"]["columns"]["passive"]) == 1
    assert finding["utility_undefended"] is not None


@pytest.mark.parametrize("named", ["passive-1,passive-2", "passive-1 --adversary passive-2"])
def test_colluding_parties_are_named_together_or_one_by_one(named):
    finding = found_by(f"gradient-sign --parties 3 --adversary {named}")
    assert finding["adversary"] == ["passive-1", "passive-2"] and finding["value"] == 1.0


def test_an_active_party_without_columns_is_fine(tmp_path):
    finding = found_by("gradient-sign --party bank= --party shop=age,visits", *people_in(tmp_path))
    assert finding["partition"]["columns"] == {"bank": [], "shop": ["age", "visits"]}


def test_missing_values_are_filled_when_asked_to(tmp_path):
    people = people_in(tmp_path, missing={5})
    refused("attack gradient-sign --seeds 1 --jobs 0", *people)
    found_by("gradient-sign --impute", *people)


def test_the_module_runs_as_the_command_does():
    done = subprocess.run([sys.executable, "-m", "seepage", "--help"], check=True, capture_output=True, text=True)
    assert "Usage" in done.stdout and "audit" in done.stdout


def test_defenses_that_can_act_nowhere_are_left_out_unless_asked_for(tmp_path):
    line = "audit iris --federation decision-tree --seeds 1 --jobs 0"
    shown = typed(f"{line} --out", tmp_path / "all").stdout
    assert "purity-limit" in shown and "laplace-noise" not in shown
    shown = typed(f"{line} --table --defense laplace-noise --out", tmp_path / "one").stdout
    assert "laplace-noise rewrites gradient messages, but decision-tree sends none." in " ".join(shown.split())


def test_a_baseline_has_a_line_where_nothing_else_was_tried():
    shown = typed("attack local-clustering --data iris --seeds 1 --jobs 0").stdout
    assert "local-clustering" in shown and "(baseline)" in shown


def test_missing_values_are_kept_for_trees_when_asked_to(tmp_path):
    found_by("id2graph --federation forest --keep-missing", *people_in(tmp_path, missing=range(5, 100, 9)))
