"""The command for a GPU, on a small scale and without what such a machine lacks."""

import json
import subprocess
import sys
import textwrap

from seepage.papers.label_cifar10_table import lines

LACKING = {"pydantic", "plotly", "xgboost", "pebble", "platformdirs", "tomli_w", "typer"}
SMALL = """
    import sys

    class Lacking:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {lacking!r}:
                raise ModuleNotFoundError(f"{{name}} is not installed here")

    sys.meta_path.insert(0, Lacking())
    from pathlib import Path
    from seepage.federations.split_network import SplitNetwork
    from seepage.papers.label_cifar10 import Setting, run

    federation = SplitNetwork(hidden=(8,), cut=4, top=(4,), epochs=1, batch=512)
    run(Setting("digits", federation, counts=(1, 4)), [0], Path({out!r}))
    run(Setting("digits", federation, counts=(1, 4)), [0], Path({out!r}))  # what is there is not run again
"""


def test_the_run_for_a_gpu_needs_nothing_of_an_audit(tmp_path):
    out = tmp_path / "results.jsonl"
    program = textwrap.dedent(SMALL.format(lacking=LACKING, out=str(out)))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    measured = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(one["attack"], one["labels_per_class"]) for one in measured] == [
        ("model-completion", 1),
        ("model-completion", 4),
        ("active-completion", 4),
    ]
    assert done.stdout.count("trained in") == 2
    assert all(0 <= one["value"] <= 1 and one["blind"] <= one["ceiling"] for one in measured)
    written = list(lines(measured))
    assert written[0].startswith("| attack, labels of each class | paper: training |")
    assert any(line.startswith("| active-completion, 4 | 0.8484 |") for line in written)
