"""A released model that does not fit its own description is refused in plain words, never in those of a library."""

import json
import shutil

import pytest

from command_line import found, typed
from seepage.json_arrays import from_array, to_array
from stored_files import changed_arrays, changed_json

RUNS = {
    "equality-solving": ("--federation logistic-regression", ""),
    "generative-regression": (
        "--federation forest --model trees=2",
        "--set steps=1 --set dummy_rows=50 --set surrogate_steps=1",
    ),
    "path-restriction": ("--federation decision-tree --adversary-share 0.5", ""),
}
"""What was trained, and the settings of the attack."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return a function that trains once for each attack, and copies the stored run."""
    kept = {}

    def copied(name, folder):
        if name not in kept:
            kept[name] = tmp_path_factory.mktemp(name) / "run"
            typed(f"attack {name} --data wine --seeds 1 --jobs 0 {' '.join(RUNS[name])} --keep-transcript", kept[name])
        shutil.copytree(kept[name], folder)
        return folder

    return copied


def model_of(folder, sender):
    """Return how the arrays of a released model are called in the file, by their own names."""
    index = json.loads((folder / "transcript.json").read_text())
    (model,) = [each for each in index["messages"] if each["kind"] == "model" and each["sender"] == sender]
    return model["payload"]


def alter(folder, sender, array, change):
    name = model_of(folder, sender)[array]
    with changed_arrays(folder / "transcript.safetensors") as arrays:
        arrays[name] = change(arrays[name])


def describe(change):
    def altered(array):
        about = from_array(array)
        change(about)
        return to_array(about)

    return altered


def refused(folder, name):
    finding = found(f"attack {name} {RUNS[name][1]} --transcript", folder)
    assert finding["status"] == "not applicable", finding
    assert not any(word in finding["reason"] for word in ("state_dict", "Traceback", "zip()", "tensor", "array("))
    assert len(finding["reason"]) < 300
    return finding["reason"]


def bottom(**changes):
    return describe(lambda about: about["bottom"].update(changes))


@pytest.mark.parametrize(
    ("sender", "array", "change", "reason"),
    [
        ("passive", "about", bottom(inputs=7), "a bottom model reads 7 columns, but its part names 6"),
        ("passive", "about", describe(lambda about: about["columns"].__setitem__(1, about["columns"][0])), "twice"),
        ("passive", "about", bottom(hidden=[4]), "the parameters of a bottom model do not fit the network"),
        ("passive", "about", describe(lambda about: about.pop("bottom")), "the description of a part cannot be read"),
        ("passive", "about", bottom(kind="transformer"), "the description of a part cannot be read"),
        ("active", "about", describe(lambda about: about["head"].update(outputs=1)),
         "the parameters of the head do not fit the network"),
        ("passive", "bottom.0.weight", lambda w: w[:2], "the parameters of a bottom model do not fit the network"),
        ("active", "head.intercept", lambda b: b[:2], "the parameters of the head do not fit the network"),
    ],
)  # fmt: skip
def test_a_network_that_does_not_fit_is_refused(stored, tmp_path, sender, array, change, reason):
    folder = stored("equality-solving", tmp_path / "run")
    alter(folder, sender, array, change)
    said = refused(folder, "equality-solving")
    assert reason in said and said.startswith("The released models do not fit together (")


def test_a_bottom_model_with_other_outputs_than_the_head_reads_is_refused(stored, tmp_path):
    folder = stored("equality-solving", tmp_path / "run")
    alter(folder, "passive", "about", bottom(outputs=2))
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
    with changed_json(folder / "transcript.json") as index:
        change(index["agreement"]["terms"])
    assert reason in refused(folder, name)
