"""The command for a GPU, on a small scale and without what such a machine lacks."""

import json
import math
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from seepage.federations.split_network import SplitNetwork
from seepage.learners.completion.mixmatch import MixMatch
from seepage.papers.kept import Kept, Late
from seepage.papers.label_cifar10 import key_of, measure
from seepage.papers.label_cifar10_file import first_lines, read
from seepage.papers.label_cifar10_table import lines
from seepage.papers.label_cifar10_training import Setting, cifar10

LACKING = {"pydantic", "xgboost", "platformdirs", "tomli_w", "typer", "numba", "pyarrow", "jinja2", "rich"}
SMALL = """
    import sys

    class Lacking:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {lacking!r}:
                raise ModuleNotFoundError(f"{{name}} is not installed here")

    sys.meta_path.insert(0, Lacking())
    from pathlib import Path
    from seepage.federations.split_network import SplitNetwork
    from seepage.learners.completion.mixmatch import MixMatch
    from seepage.networks.optimizers import OptimizerSettings
    from seepage.papers.label_cifar10 import run
    from seepage.papers.label_cifar10_training import Setting

    optimizer = OptimizerSettings(name="sgd", milestones=(0.5,))
    federation = SplitNetwork(hidden=(8,), cut=4, top=(4,), epochs=2, batch=512, optimizer=optimizer)
    setting = Setting("digits", federation, MixMatch(epochs=2, iterations=10), counts=(4,))
    out = Path({out!r})
    run(setting, [0], out, minutes=0)  # no time for anything
    run(setting, [0], out)
    first = out.read_text().splitlines(keepends=True)
    out.write_text(first[0] + first[1][:40])  # killed while it wrote the second line
    run(setting, [0], out)
    run(setting, [0], out)  # what is there is not run again
    from seepage.papers import label_cifar10_work
    some = label_cifar10_work.further(setting, ["table6"])[:2]
    label_cifar10_work.further = lambda *_: some
    label_cifar10_work.work(setting, ["table6"], [0], out.with_name("further.jsonl"))
"""


def test_the_run_for_a_gpu_needs_nothing_of_an_audit(tmp_path):
    out = tmp_path / "results.jsonl"
    program = textwrap.dedent(SMALL.format(lacking=LACKING, out=str(out)))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    measured = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(one["attack"], one["labels_per_class"]) for one in measured] == [
        ("model-completion", 4),
        ("active-completion", 4),
    ]
    told = ("data", "seed", "epochs", "batch", "optimizer", "steps")
    assert all(tuple(one[name] for name in told) == ("digits", 0, 2, 512, "sgd", 20) for one in measured)
    assert done.stdout.startswith("0 minutes are over. Call again")
    assert done.stdout.count("trained in") == 3  # the last of them was kept, and is taken up
    assert len(list(out.with_suffix(".trained").glob("*.npz"))) == 3  # honest, malicious, and the ceiling
    assert done.stdout.count("model-completion, 4 labels a class") == 1  # each line by itself is not measured again
    assert done.stdout.count("active-completion, 4 labels a class") == 2
    assert "table6, seed 0, noise 0.0001: " in done.stdout
    assert all(0 <= one["value"] <= 1 and one["blind"] <= one["ceiling"] for one in measured)
    written = list(lines(measured))
    assert written[0].startswith("| attack, labels of each class | paper: training |")
    assert any(line.startswith("| active-completion, 4 | 0.8484 |") for line in written)


def test_a_setting_that_was_measured_in_full_is_not_trained_again_and_another_one_is():
    federation = SplitNetwork(hidden=(8,), cut=4, top=(4,), epochs=1, batch=512)
    setting = Setting("digits", federation, MixMatch(epochs=2, iterations=10), counts=(4,))
    done = {("digits", 0, name, 4, 1, 512, "adam", 20) for name in ("model-completion", "active-completion")}
    assert list(measure(setting, 0, done)) == []
    other = {(*key[:-1], 300) for key in done}
    assert next(measure(setting, 0, other)).attack == "model-completion"


def test_only_a_last_line_may_be_cut_off(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"seed": 0}\n{"see')
    assert read(path) == [{"seed": 0}]
    path.write_text('{"see\n{"seed": 0}\n')
    with pytest.raises(json.JSONDecodeError):
        read(path)


def test_the_results_that_come_along_can_be_added_to():
    stored = first_lines(read(Path(__file__).parents[2] / "docs" / "reproductions" / "label-cifar10.jsonl"))
    assert {key_of(line)[-4:] for line in stored} == {(24, 512, "adam", 300), (30, 128, "sgd", 5000)}
    assert len({key_of(line) for line in stored}) == len(stored) == 2 * 18
    setting = cifar10("cpu", epochs=30, batch=128)
    assert setting.federation.training.optimizer.schedule(30)(15) == pytest.approx(0.1)
    assert setting.learner.epochs * setting.learner.iterations == 5000


def test_the_page_shows_what_was_stored():
    page = Path(__file__).parents[2] / "docs" / "reproductions" / "label-cifar10.md"
    stored = [line for line in first_lines(read(page.with_suffix(".jsonl"))) if key_of(line)[-1] == 5000]
    assert "\n".join(lines(stored)) in page.read_text(encoding="utf-8")


def test_processes_side_by_side_share_what_was_worked_out(tmp_path):
    kept, made = Kept(tmp_path / "kept"), tmp_path / "made"

    def work_out():
        with made.open("a") as file:
            file.write("once\n")
        time.sleep(0.2)
        return {"answer": np.array(42)}

    with ThreadPoolExecutor(4) as beside:  # a lock belongs to whoever opened the file, processes and threads alike
        answers = list(beside.map(lambda _: kept.of(("it",), work_out)["answer"].item(), range(4)))
    assert answers == [42] * 4
    assert made.read_text() == "once\n"


def test_what_was_trained_is_taken_up_as_it_was(tmp_path):
    kept = Kept(tmp_path / "trained")
    federation = SplitNetwork(hidden=(8,), cut=4, top=(4,), epochs=1, batch=512)
    setting = Setting("digits", federation, MixMatch(epochs=2, iterations=10), counts=(4, 1))
    whole = list(measure(setting, 0))
    done = {key_of(asdict(whole[0]))}
    again = [next(measure(setting, 0, kept=kept)), *measure(setting, 0, done, kept)]
    for one, two in zip(whole, again, strict=True):
        assert replace(one, seconds=0) == replace(two, seconds=0)
    with pytest.raises(Late):
        list(measure(setting, 0, done, replace(kept, late=-math.inf)))  # no attack is begun when it is late
