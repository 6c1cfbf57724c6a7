"""The script for a job array is the one that the documentation shows, and asks for what there is."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "large_audit.sbatch"


def test_the_page_shows_the_script_as_it_is():
    assert f"```bash\n{SCRIPT.read_text()}```" in (ROOT / "docs" / "large-audits.md").read_text()


def test_a_task_of_the_array_does_its_slice(tmp_path):
    """As the scheduler would start one, with a program in the place of ours that says what it is asked."""
    (tmp_path / "seepage").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "seepage").chmod(0o700)
    told = {"SLURM_CPUS_PER_TASK": "4", "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "16"}
    done = subprocess.run(
        ["bash", str(SCRIPT), "plan.toml", "shared/audit"],
        env={**told, "PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "audit plan.toml --out shared/audit --jobs 4 --slice 3/16\n"
