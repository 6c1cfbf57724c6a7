"""A stored run can be attacked again, with or without the truth."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from seepage.audit.recorded_run import KNOWLEDGE_FILE, TRUTH_FILE, read_run
from seepage.cli.app import app
from seepage.errors import BadTranscript

TRAIN = ["attack", "gradient-sign", "--data", "breast_cancer", "--federation", "summed-network", "--seeds", "1"]


def invoke(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def stored(tmp_path):
    folder = tmp_path / "run"
    result = invoke(*TRAIN, "--keep-transcript", str(folder), "--model", "epochs=2", "--jobs", "0", "--json", "-")
    return folder, json.loads(result.stdout)


def attack(folder, *options):
    return json.loads(invoke("attack", "gradient-sign", "--transcript", str(folder), "--json", "-", *options).stdout)


def test_attacking_a_stored_run_gives_the_finding_of_the_run_itself(stored):
    folder, first = stored
    again = attack(folder)
    volatile = {"seconds", "peak_mb", "utility_undefended"}
    assert {k: v for k, v in again.items() if k not in volatile} == {
        k: v for k, v in first.items() if k not in volatile
    }
    assert again["value"] == 1.0 and again["seed"] == 0


def test_settings_of_the_attack_can_change_without_training_again(stored):
    folder, _ = stored
    assert attack(folder, "--set", "epochs=[1]", "--set", "rule=first-negative")["attack_settings"]["epochs"] == [1]
    late = attack(folder, "--set", "epochs=[19]")
    assert late["status"] == "not applicable" and "no gradient messages in epoch" in late["reason"]


def test_without_the_truth_the_guess_is_still_written(stored, tmp_path):
    folder, _ = stored
    truth = read_run(folder).truth
    (folder / TRUTH_FILE).unlink()
    (folder / KNOWLEDGE_FILE).unlink()
    guess = tmp_path / "guess.parquet"
    finding = attack(folder, "--guess", str(guess))
    assert finding["value"] is None and finding["advantage"] is None and finding["status"] == "ok"
    assert finding["data"] == "unknown" and finding["federation"] == "summed-network" and finding["parties"] == 2
    table = pq.read_table(guess)
    assert np.array_equal(table["label"].to_numpy(), truth[table["row"].to_numpy()])


def test_the_guess_has_a_default_place(stored, tmp_path, monkeypatch):
    folder, _ = stored
    (folder / TRUTH_FILE).unlink()
    monkeypatch.chdir(tmp_path)
    attack(folder)
    assert (tmp_path / "seepage-guess.parquet").is_file()


def test_an_adversary_whose_columns_were_not_stored_holds_messages_alone(stored):
    folder, _ = stored
    assert attack(folder, "--adversary", "active")["status"] == "not applicable"


def test_several_seeds_are_stored_side_by_side(tmp_path):
    folder = tmp_path / "runs"
    invoke(*TRAIN[:-1], "2", "--keep-transcript", str(folder), "--model", "epochs=1", "--jobs", "0", "--json", "-")
    assert sorted(path.name for path in folder.iterdir()) == ["seed-0", "seed-1"]
    assert attack(folder / "seed-1")["seed"] == 1


def test_several_defenses_are_stored_side_by_side(tmp_path):
    folder = tmp_path / "runs"
    defenses = ["--defense", "top-k", "--defense", "laplace-noise"]
    invoke(*TRAIN, *defenses, "--keep-transcript", str(folder), "--model", "epochs=1", "--jobs", "0", "--json", "-")
    assert sorted(path.name for path in folder.iterdir()) == ["laplace-noise-seed-0", "top-k-seed-0"]


def test_knowledge_that_does_not_fit_its_arrays_is_refused(stored):
    folder, _ = stored
    index = json.loads((folder / KNOWLEDGE_FILE).read_text())
    index["own"]["somebody"] = index["own"]["passive"]
    (folder / KNOWLEDGE_FILE).write_text(json.dumps(index))
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(folder)


@pytest.mark.parametrize(
    "labels",
    [
        np.zeros(3, dtype=np.int64),
        np.full(569, 7),
        np.full(569, -1),
        np.zeros(569),
        np.zeros((569, 1), dtype=np.int64),
    ],
    ids=["short", "unknown class", "negative", "floats", "two axes"],
)
def test_a_truth_that_cannot_be_that_of_the_run_is_refused(stored, labels):
    from safetensors.numpy import save_file

    folder, _ = stored
    save_file({"labels": labels}, folder / TRUTH_FILE)
    with pytest.raises(BadTranscript, match="must hold 'labels'"):
        read_run(folder)
    save_file({"other": labels}, folder / TRUTH_FILE)
    with pytest.raises(BadTranscript, match="must hold 'labels'"):
        read_run(folder)


@pytest.mark.parametrize(
    "changes", [{"facts": []}, {"facts": {"value": 0.1}}, {"facts": {"seed": "x"}}, {"own": []}, {"threat": {}}]
)
def test_knowledge_that_makes_no_sense_is_refused(stored, changes):
    folder, _ = stored
    index = json.loads((folder / KNOWLEDGE_FILE).read_text())
    (folder / KNOWLEDGE_FILE).write_text(json.dumps({**index, **changes}))
    with pytest.raises(BadTranscript):
        read_run(folder)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("train", np.array([10**6])),
        ("train", np.zeros(0, dtype=np.int64)),
        ("train", np.array([0.5])),
        ("train", np.array([3, 3])),
        ("own.0.features", np.full((569, 15), np.inf, dtype=np.float32)),
        ("own.0.features", np.zeros((4, 15), dtype=np.float32)),
    ],
)
def test_knowledge_arrays_that_make_no_sense_are_refused(stored, name, array):
    from safetensors.numpy import load_file, save_file

    folder, _ = stored
    path = folder / "knowledge.safetensors"
    save_file({**load_file(path), name: array}, path)
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(folder)


def test_a_run_is_stored_also_when_its_cell_was_finished_before(tmp_path):
    out = ["--out", str(tmp_path / "out"), "--model", "epochs=1", "--jobs", "0", "--json", "-"]
    invoke(*TRAIN, *out)
    invoke(*TRAIN, *out, "--keep-transcript", str(tmp_path / "run"))
    assert attack(tmp_path / "run")["value"] == 1.0


def test_a_folder_that_is_taken_is_refused_before_training(stored):
    folder, _ = stored
    refused = CliRunner().invoke(app, [*TRAIN, "--keep-transcript", str(folder), "--jobs", "0"])
    assert refused.exit_code == 2 and "exists already" in refused.stderr


def test_columns_of_others_never_reach_a_stored_adversary(stored):
    """An operator who exports everybody's columns must not get a view that holds them."""
    from safetensors.numpy import load_file, save_file

    folder, _ = stored
    index = json.loads((folder / KNOWLEDGE_FILE).read_text())
    index["own"]["active"] = index["own"]["passive"]
    (folder / KNOWLEDGE_FILE).write_text(json.dumps(index))
    arrays = load_file(folder / "knowledge.safetensors")
    more = {"own.1.features": arrays["own.0.features"], "own.1.attributes": arrays["own.0.attributes"]}
    save_file({**arrays, **more}, folder / "knowledge.safetensors")
    with pytest.raises(BadTranscript, match="who is not the adversary"):
        read_run(folder)


def test_labels_of_a_passive_party_are_refused(stored):
    from safetensors.numpy import load_file, save_file

    folder, _ = stored
    arrays = load_file(folder / "knowledge.safetensors")
    save_file({**arrays, "own.0.labels": np.zeros(569, dtype=np.int64)}, folder / "knowledge.safetensors")
    with pytest.raises(BadTranscript, match="holds no labels"):
        read_run(folder)
