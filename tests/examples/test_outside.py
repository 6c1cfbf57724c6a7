"""Attacks, defenses and backbones of other packages are found through entry points."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "examples" / "outside"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Install the example next to the library, as a user would, but into a folder of its own."""
    folder = tmp_path_factory.mktemp("outside")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--target", str(folder), str(PACKAGE)], check=True, capture_output=True, text=True)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def run(environment, *arguments):
    program = Path(sys.executable).with_name("seepage")
    found = subprocess.run([str(program), *arguments], env=environment, capture_output=True, text=True, timeout=240)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_they_are_listed(environment):
    assert "gradient-norm" in run(environment, "list", "attacks")
    assert "gaussian-noise" in run(environment, "list", "defenses")
    assert "convolution" in run(environment, "list", "backbones")


def test_the_attack_runs_where_ours_does_not_apply(environment):
    found = json.loads(
        run(
            environment,
            "attack",
            "gradient-norm",
            "--federation",
            "split-network",
            "--seeds",
            "1",
            "--jobs",
            "0",
            "--json",
            "-",
        )
    )
    assert found["status"] == "ok"
    assert found["metric"] == "top1" and 0 < found["value"] < 1 and found["other_metrics"]["abstained"] == 0


def test_the_defense_lowers_our_attack(environment):
    options = ["--federation", "summed-network", "--seeds", "1", "--jobs", "0", "--json", "-"]
    found = json.loads(run(environment, "attack", "gradient-sign", "--defense", "gaussian-noise:ratio=2", *options))
    assert found["defense"] == "gaussian-noise" and found["defense_settings"] == {"ratio": 2.0}
    assert found["value"] < 0.9


@pytest.mark.parametrize(
    ("federation", "attacks", "isolated"),
    [
        ("split-network", ["linear-probe", "embedding-inversion"], ["--isolate"]),
        ("summed-network", ["model-completion:learner.epochs=1", "direct-completion:labels=gradient-direction"], []),
    ],
)
def test_bottom_models_of_the_backbone_are_trained_attacked_and_inverted(
    environment, tmp_path, federation, attacks, isolated
):
    model = ["--model", "bottom=convolution", "--model", "planes=[4]", "--model", "epochs=2"]
    what = ["--federation", federation, "--defense", "none", "--rows", "150", "--no-properties", *isolated]
    asked = [f"--attack={name}" for name in attacks]
    run(environment, "audit", *what, *model, *asked, "--seeds=1", "--jobs=0", "--out", str(tmp_path))
    found = [json.loads(line) for line in (tmp_path / "findings.jsonl").read_text().splitlines()]
    assert {finding["status"] for finding in found} == {"ok"} and len(found) >= 2
    assert {finding["model_settings"]["bottom"] for finding in found} == {"convolution"}


RECORDED = """
import sys, seepage
kinds = ["gradient", "row-losses"]
with seepage.Recorder(sys.argv[1], parties=["bank", "shop"], active="bank", classes=2, kinds=kinds) as record:
    record.message("row-losses", "bank", "shop", [0, 1], {"loss": [0.5, 0.25]}, epoch=0)
"""


def test_a_kind_of_message_of_the_package_is_recorded_and_read_where_it_is_installed(environment, tmp_path):
    run_folder = tmp_path / "run"
    subprocess.run([sys.executable, "-c", RECORDED, str(run_folder)], env=environment, check=True)
    assert "1 message and 0 models of 1 epoch" in run(environment, "check", str(run_folder))
    program = Path(sys.executable).with_name("seepage")
    bare = subprocess.run([str(program), "check", str(run_folder)], capture_output=True, text=True)
    assert bare.returncode == 2 and "'row-losses' is no kind of message here" in " ".join(bare.stderr.split())
