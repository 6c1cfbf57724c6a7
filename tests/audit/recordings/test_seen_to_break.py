"""What was once seen to break readers of recordings is a sentence now, in seconds."""

import json
import shutil
import time

import numpy as np
import pytest

from mutated_recordings import attacked, recordings
from seepage.audit.recordings.applying import check
from seepage.audit.recordings.recorded_run import read_runs
from seepage.errors import AuditError, Remark
from stored_files import changed_arrays, changed_json


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with pytest.warns(Remark):  # the stranger's engine diverges
        return {path.name: path for path in recordings(tmp_path_factory.mktemp("kept"), SEEN)}


SEEN = (
    "stranger", "linear-probe-split-network", "equality-solving-logistic-regression", "adjusted-count-split-network",
    "nvflare",
)  # fmt: skip
STRANGER, SPLIT, LOGISTIC, COUNTED, NVFLARE = SEEN


def in_json(file, *place):
    """Return what puts something somewhere into a JSON file."""

    def put(folder, value):
        with changed_json(folder / file) as index:
            holder = index
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = value

    return put


def in_arrays(file, name):
    """Return what changes one array of a file."""

    def put(folder, change):
        with changed_arrays(folder / file) as arrays:
            arrays[name] = change(arrays[name])

    return put


def about(**changes):
    """Return what changes the description of a released part, which is an array of bytes."""

    def change(array):
        told = json.loads(array.tobytes().decode())
        for key, value in changes.items():
            told[key] = {**told[key], **value} if isinstance(value, dict) else value
        return np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)

    return change


def described(folder):
    """Return the name of the array that describes a released part of a network."""
    index = json.loads((folder / "transcript.json").read_text())
    return next(one["payload"]["about"] for one in index["messages"] if one["kind"] == "model")


def first_model(folder, change):
    with changed_arrays(folder / "transcript.safetensors") as arrays:
        name = described(folder)
        arrays[name] = change(arrays[name])


def first_bias(folder, change):
    with changed_arrays(folder / "transcript.safetensors") as arrays:
        name = next(name for name in arrays if name.endswith("head.intercept"))
        arrays[name] = change(arrays[name])


TRUTH, KNOWN, TOLD = "truth.safetensors", "knowledge.safetensors", "transcript.json"


@pytest.mark.parametrize(
    ("place", "put", "value", "said"),
    [
        (STRANGER, in_arrays(TRUTH, "labels"), lambda labels: labels[:-1], "for each of at least 50 rows"),
        (STRANGER, in_arrays(TRUTH, "labels"), lambda labels: labels[:0], "for each of at least 50 rows"),
        (STRANGER, in_arrays(TRUTH, "columns.0.features"), lambda held: held * np.nan, "no value of column 'a'"),
        (STRANGER, in_arrays(TRUTH, "columns.0.about"), about(names=7), "does not say whose columns"),
        (STRANGER, in_arrays(KNOWN, "own.0.features"), lambda held: held[:0], "the columns of shop have no rows"),
        (STRANGER, in_json("knowledge.json", "own", "shop", "columns"), ["a"], "attributes that it does not have"),
        (STRANGER, in_json("knowledge.json", "others", "bank", "attributes"), ["d"] * 5, "needs one attribute"),
        (STRANGER, in_json("knowledge.1.json", "threat", "auxiliary", "aligned"), {"a": 1}, "aligned as true or false"),
        (STRANGER, in_json("knowledge.json", "threat", "model"), {"a": 1}, "must be true or false"),
        (STRANGER, in_json("knowledge.json", "facts", "parties"), -5, "two parties or more"),
        (STRANGER, in_json("knowledge.json", "version"), 0, "version as a whole number"),
        (STRANGER, in_json(TOLD, "version"), -5, "version as a whole number from 1 on"),
        (STRANGER, in_json(TOLD, "version"), 0, "version as a whole number from 1 on"),
        (STRANGER, in_json(TOLD, "agreement", "classes"), 10**9, "classes as a number from 2"),
        (NVFLARE, in_json(TOLD, "agreement", "classes"), 10**4, "speaks of 10000 classes"),
        (SPLIT, in_json(TOLD, "snapshots", 0, "architecture", "hidden"), [3] * 10**5, "as many layers as"),
        (SPLIT, in_json(TOLD, "snapshots", 0, "architecture", "inputs"), 10**9, "no larger than its weights"),
        (SPLIT, in_arrays(KNOWN, "own.0.features"), lambda held: held * np.nan, "reads columns with missing values"),
    ],
)
def test_it_is_refused_in_a_sentence(kept, tmp_path, place, put, value, said):
    folder = copied(kept[place], tmp_path)
    put(folder, value)
    with pytest.raises(AuditError, match=said):
        check(folder)


def copied(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "run")


@pytest.mark.parametrize(
    ("place", "put", "value"),
    [
        (SPLIT, in_json(TOLD, "snapshots", 0, "state"), {}),
        (SPLIT, in_json(TOLD, "snapshots", 0, "architecture"), {"kind": "dense"}),
        (SPLIT, in_json(TOLD, "snapshots", 0, "architecture"), {"kind": "pickled"}),
        (LOGISTIC, first_model, about(bottom={"hidden": [2] * 10**6})),
        (LOGISTIC, first_model, about(bottom={"inputs": 10**9})),
        (
            COUNTED,
            in_arrays("transcript.safetensors", "snapshot.0.0.weight"),
            lambda weights: weights.astype(float) * 1e300,
        ),
    ],
)
def test_models_that_do_not_load_and_models_without_end_are_told_of_in_seconds(kept, tmp_path, place, put, value):
    folder, rng, begun = copied(kept[place], tmp_path), np.random.default_rng(0), time.process_time()
    put(folder, value)
    assert attacked(folder, rng, ("linear-probe", "embedding-clustering", "equality-solving", "adjusted-count")) == []
    assert time.process_time() - begun < 10


def test_what_was_not_spoiled_is_attacked(kept):
    for folder in kept.values():
        assert all(run.truth is not None for run in read_runs(folder)) and "can try" in str(check(folder))
