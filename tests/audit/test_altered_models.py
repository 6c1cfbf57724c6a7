"""A released model that does not fit its own description is refused in plain words, never in those of a library."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from seepage.cli.app import app
from seepage.json_arrays import from_array, to_array

RUNS = {
    "equality-solving": ["--federation", "logistic-regression"],
    "generative-regression": ["--federation", "forest", "--model", "trees=2", "--set", "steps=1", "--set",
                              "dummy_rows=50", "--set", "surrogate_steps=1"],
    "path-restriction": ["--federation", "decision-tree", "--adversary-share", "0.5"],
}  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a function that trains once for each attack, and copies the stored run."""
    kept = {}

    def copied(name, folder):
        if name not in kept:
            kept[name] = tmp_path_factory.mktemp(name) / "run"
            arguments = ["attack", name, "--data", "wine", "--seeds", "1", "--jobs", "0", *RUNS[name]]
            result = CliRunner().invoke(app, [*arguments, "--keep-transcript", str(kept[name])])
            assert result.exit_code == 0, result.output
        shutil.copytree(kept[name], folder)
        return folder

    return copied


def model_of(folder, sender):
    """Return how the arrays of a released model are called in the file, by their own names."""
    index = json.loads((folder / "transcript.json").read_text())
    (model,) = [each for each in index["messages"] if each["kind"] == "model" and each["sender"] == sender]
    return model["payload"]


def alter(folder, sender, array, change):
    arrays, names = load_file(folder / "transcript.safetensors"), model_of(folder, sender)
    arrays[names[array]] = np.ascontiguousarray(change(arrays[names[array]]))
    save_file(arrays, folder / "transcript.safetensors")


def describe(change):
    def altered(array):
        about = from_array(array)
        change(about)
        return to_array(about)

    return altered


def alter_settings(folder, change):
    path = folder / "transcript.json"
    index = json.loads(path.read_text())
    change(index["agreement"]["settings"])
    path.write_text(json.dumps(index))


def refused(folder, name):
    arguments = ["attack", name, "--transcript", str(folder), "--json", "-"]
    arguments += RUNS[name][4:] if name == "generative-regression" else []
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    finding = json.loads(result.stdout)
    assert finding["status"] == "not applicable", finding
    assert not any(word in finding["reason"] for word in ("state_dict", "Traceback", "zip()", "tensor", "array("))
    assert len(finding["reason"]) < 300
    return finding["reason"]


def widen(about):
    about["bottom"]["inputs"] += 1


def repeat(about):
    about["columns"][1] = about["columns"][0]


def deepen(about):
    about["bottom"]["hidden"] = [4]


def enlarge(about):
    about["bottom"]["outputs"] = 10**13


def forget(about):
    del about["bottom"]


def misname(about):
    about["bottom"]["kind"] = "transformer"


def reread(about):
    about["head"]["outputs"] = 1


@pytest.mark.parametrize(
    ("sender", "array", "change", "reason"),
    [
        ("passive", "about", describe(widen), "a bottom model reads 7 columns, but its part names 6"),
        ("passive", "about", describe(repeat), "twice"),
        ("passive", "about", describe(deepen), "the parameters of a bottom model do not fit the network"),
        ("passive", "about", describe(enlarge), "the parameters of a bottom model do not fit the network"),
        ("passive", "about", describe(forget), "the description of a part cannot be read"),
        ("passive", "about", describe(misname), "the description of a part cannot be read"),
        ("active", "about", describe(reread), "the parameters of the head do not fit the network"),
        ("passive", "bottom.0.weight", lambda w: w[:2], "the parameters of a bottom model do not fit the network"),
        ("active", "head.intercept", lambda b: b[:2], "the parameters of the head do not fit the network"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(stored, tmp_path, sender, array, change, reason):
    folder = stored("equality-solving", tmp_path / "run")
    alter(folder, sender, array, change)
    said = refused(folder, "equality-solving")
    assert reason in said and said.startswith("The released models do not fit together (")


def test_a_bottom_model_with_other_outputs_than_the_head_reads_is_refused(stored, tmp_path):
    folder = stored("equality-solving", tmp_path / "run")
    alter(folder, "passive", "about", describe(lambda about: about["bottom"].update(outputs=2)))
    alter(folder, "passive", "bottom.0.weight", lambda weight: weight[:2])
    assert "the head reads other numbers of outputs" in refused(folder, "equality-solving")


def put(value):
    def changed(array):
        array = array.copy()
        array[0] = value
        return array

    return changed


def doubled(array):
    return put(array[1])(array)


@pytest.mark.parametrize(
    ("sender", "array", "change", "reason"),
    [
        ("active", "column", put(99), "a node splits column 99 of an owner who has"),
        ("active", "column", put(-1), "a node splits column -1 of an owner who has"),
        ("active", "column", lambda column: column + 0.5, "must be whole"),
        ("active", "leaf_value", lambda values: values[:, :2], "leaves speak of 2 classes instead of 3"),
        ("active", "leaf_value", lambda values: values[:, 0], "wrong number of dimensions"),
        ("active", "threshold", lambda thresholds: thresholds[1:], "not all of the same length"),
        ("active", "node", doubled, "is given twice"),
        ("active", "leaf_node", doubled, "is given twice"),
        ("active", "leaf_node", put(1), "a tree lacks nodes"),
        ("active", "leaf_tree", lambda trees: trees + 1, "nobody released the leaves of a tree"),
    ],
)
def test_trees_that_do_not_fit_are_refused(stored, tmp_path, sender, array, change, reason):
    folder = stored("path-restriction", tmp_path / "run")
    alter(folder, sender, array, change)
    said = refused(folder, "path-restriction")
    assert reason in said and said.startswith("The released trees do not fit together (")


@pytest.mark.parametrize("name", ["path-restriction", "generative-regression"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda settings: settings.pop("release"), "does not say what its trees release, 'votes' or 'ratios'"),
        (lambda settings: settings.update(release="logits"), "has release = 'logits', which does not say"),
    ],
)
def test_trees_that_do_not_say_what_they_release_are_refused(stored, tmp_path, name, change, reason):
    folder = stored(name, tmp_path / "run")
    alter_settings(folder, change)
    assert reason in refused(folder, name)
