"""A stored run can be attacked again, with or without the truth."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.recordings.recorded_run import KNOWLEDGE_FILE, TRUTH_FILE, read_run
from seepage.cli.app import app
from seepage.errors import BadTranscript
from seepage.views import observe
from seepage.views.released import whole_trees

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
    truth = read_run(folder).truth.labels
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


FEATURES = [
    "--data",
    "iris",
    "--federation",
    "logistic-regression",
    "--scaling",
    "minmax",
    "--seeds",
    "1",
    "--jobs",
    "0",
]


@pytest.fixture(params=["label-chain", "equality-solving"])
def stored_features(request, tmp_path):
    folder = tmp_path / "run"
    result = invoke("attack", request.param, *FEATURES, "--keep-transcript", str(folder), "--json", "-")
    return folder, json.loads(result.stdout), request.param


def again(folder, name, *options):
    return json.loads(invoke("attack", name, "--transcript", str(folder), "--json", "-", *options).stdout)


def test_attacking_features_of_a_stored_run_gives_the_finding_of_the_run_itself(stored_features):
    folder, first, name = stored_features
    volatile = {"seconds", "peak_mb", "utility_undefended"}
    found = again(folder, name)
    assert {k: v for k, v in found.items() if k not in volatile} == {
        k: v for k, v in first.items() if k not in volatile
    }
    assert found["asset"] == "features" and found["advantage"] > 0.5


def test_what_is_known_of_others_survives_storing(stored_features):
    folder, _, name = stored_features
    run = read_run(folder)
    (victim,) = run.knowledge.others
    public, true = run.knowledge.others[victim], run.truth.columns[victim]
    assert public.names == true.names and public.limits.shape == (len(public.names), 2)
    train = true.features[run.knowledge.train]
    assert np.allclose(public.limits, np.column_stack((train.min(axis=0), train.max(axis=0))))
    assert all(part.limits.shape == (part.width, 2) for part in run.knowledge.own.values())
    assert run.knowledge.threat.model
    if name == "label-chain":
        rows = run.knowledge.value_rows
        assert len(rows) == run.knowledge.threat.known_values == 40
        assert np.array_equal(run.knowledge.values[victim], true.features[rows])
    else:
        assert len(run.knowledge.value_rows) == 0 and run.knowledge.values == {}


def test_means_survive_storing(tmp_path):
    from samples import small_data
    from seepage.audit.recordings.recorded_run import RecordedRun, write_run
    from seepage.audit.scoring.truth import truth_of
    from seepage.federations import FEDERATIONS
    from seepage.transcript import Transcript
    from seepage.views import ThreatModel, grant

    data = small_data("iris")
    threat = ThreatModel(adversaries=("active",), means=True, model=False)
    knowledge = grant(data, threat, np.random.default_rng(0))
    agreement = FEDERATIONS["logistic-regression"]().agreement(data)
    truth = truth_of(data, ("active",), columns=True)
    around = Surroundings(data="iris", federation=agreement.federation, parties=2, seed=0)
    write_run(RecordedRun(Transcript(agreement, ()), knowledge, truth, around), tmp_path / "run")
    run = read_run(tmp_path / "run")
    assert run.knowledge.threat == threat
    assert np.array_equal(run.knowledge.means["passive"], knowledge.means["passive"])
    assert np.array_equal(run.truth.columns["passive"].features, data.parts["passive"].features)


def test_features_of_a_stored_run_are_guessed_without_the_truth_too(stored_features, tmp_path):
    folder, _, name = stored_features
    (folder / TRUTH_FILE).unlink()
    guess = tmp_path / "guess.parquet"
    found = again(folder, name, "--guess", str(guess))
    assert found["status"] == "ok" and found["value"] is None
    assert pq.read_table(guess).num_rows > 0


def test_the_intervals_that_a_path_implies_are_written(tmp_path):
    folder, guess = tmp_path / "run", tmp_path / "guess.parquet"
    options = ["--data", "wine", "--federation", "decision-tree", "--scaling", "minmax", "--seeds", "1", "--jobs", "0"]
    invoke("attack", "path-restriction", *options, "--keep-transcript", str(folder), "--json", "-")
    again(folder, "path-restriction", "--guess", str(guess))
    table, run = pq.read_table(guess), read_run(folder)
    rows, true = table["row"].to_numpy(), run.truth.columns["passive"]
    asked = [name for name in true.names if f"passive.{name}.low" in table.column_names]
    ends = {f"passive.{name}.{end}" for name in asked for end in ("low", "high")}
    assert asked and set(table.column_names) == {"row", "leaf", *ends}
    (tree,) = whole_trees(observe(run.transcript, run.knowledge))
    whole = np.concatenate((run.knowledge.own["active"].features, true.features), axis=1)[rows]
    right = tree.leaves[table["leaf"].to_numpy()] == tree.leaf_of(whole)
    narrowed = np.zeros(len(rows), dtype=bool)
    for name in asked:
        low, high = (table[f"passive.{name}.{end}"].to_numpy() for end in ("low", "high"))
        values = true.features[rows, true.names.index(name)]  # under min-max scaling, units are the encoded values
        assert (low < high).all()
        assert (((values > low) | (low == 0)) & ((values <= high) | (high == 1)))[right].all()
        narrowed |= (low > 0) | (high < 1)
    assert (right & narrowed).any()


def test_another_adversary_of_a_stored_run_knows_nothing_of_the_others(stored_features):
    folder, _, name = stored_features
    other = "active" if name == "label-chain" else "passive"
    assert again(folder, name, "--adversary", other)["status"] == "not applicable"


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("others.0.limits", np.zeros((1, 2))),
        ("others.0.limits", np.array([[0.0, np.inf], [0.0, 1.0]])),
        ("others.0.limits", np.array([[1.0, 0.0], [0.0, 1.0]])),
        ("others.0.values", np.zeros((39, 2), dtype=np.float32)),
        ("others.0.values", np.full((40, 2), np.inf, dtype=np.float32)),
        ("others.0.means", np.zeros(3)),
        ("own.0.limits", np.zeros((3, 2))),
        ("value_rows", np.array([10**6])),
        ("value_rows", np.array([3, 3])),
        ("value_rows", np.arange(40.0)),
    ],
)
def test_arrays_about_others_that_make_no_sense_are_refused(tmp_path_factory, chain_run, name, array):
    from safetensors.numpy import load_file, save_file

    folder = copied(chain_run, tmp_path_factory)
    path = folder / "knowledge.safetensors"
    save_file({**load_file(path), name: array}, path)
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(folder)


@pytest.fixture(scope="module")
def chain_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain") / "run"
    invoke("attack", "label-chain", *FEATURES, "--keep-transcript", str(folder), "--json", "-")
    return folder


def copied(folder, tmp_path_factory):
    import shutil

    return shutil.copytree(folder, tmp_path_factory.mktemp("copy") / "run")


@pytest.mark.parametrize(
    "others", [{"active": {}}, {"passive": {"names": ["a", "b"]}}, {"nobody": {"names": ["a", "b"]}}, [], {"active": 3}]
)
def test_an_index_of_others_that_makes_no_sense_is_refused(tmp_path_factory, chain_run, others):
    folder = copied(chain_run, tmp_path_factory)
    index = json.loads((folder / KNOWLEDGE_FILE).read_text())
    (folder / KNOWLEDGE_FILE).write_text(json.dumps({**index, "others": others}))
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(folder)


def test_known_values_that_were_left_out_are_missed(tmp_path_factory, chain_run):
    from safetensors.numpy import load_file, save_file

    folder = copied(chain_run, tmp_path_factory)
    path = folder / "knowledge.safetensors"
    save_file({key: array for key, array in load_file(path).items() if key != "others.0.values"}, path)
    with pytest.raises(BadTranscript, match="value_rows needs known values"):
        read_run(folder)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"columns.0.features": np.zeros((3, 2), dtype=np.float32)}, "must hold the columns of 'active' for all rows"),
        ({"columns.0.about": np.frombuffer(b"{}", dtype=np.uint8)}, "does not say whose columns"),
        ({"columns.0.about": np.frombuffer(b"not json", dtype=np.uint8)}, "does not say whose columns"),
    ],
)
def test_true_columns_that_make_no_sense_are_refused(tmp_path_factory, chain_run, changes, complaint):
    from safetensors.numpy import load_file, save_file

    folder = copied(chain_run, tmp_path_factory)
    save_file({**load_file(folder / TRUTH_FILE), **changes}, folder / TRUTH_FILE)
    with pytest.raises(BadTranscript, match=complaint):
        read_run(folder)


def test_a_truth_without_columns_cannot_score_features_and_says_so(tmp_path_factory, chain_run):
    from safetensors.numpy import load_file, save_file

    folder = copied(chain_run, tmp_path_factory)
    save_file({"labels": load_file(folder / TRUTH_FILE)["labels"]}, folder / TRUTH_FILE)
    refused = CliRunner().invoke(app, ["attack", "label-chain", "--transcript", str(folder)])
    assert refused.exit_code == 2 and "does not hold column" in refused.stderr and "Traceback" not in refused.output


def test_a_run_stored_before_others_were_has_none(stored):
    """Folders of version 0.1.0 know neither others nor value_rows nor whether the model was released."""
    from safetensors.numpy import load_file, save_file

    folder, _ = stored
    index = json.loads((folder / KNOWLEDGE_FILE).read_text())
    index.pop("others")
    index["threat"] = {key: index["threat"][key] for key in ("adversaries", "labels_per_class")}
    (folder / KNOWLEDGE_FILE).write_text(json.dumps(index))
    path = folder / "knowledge.safetensors"
    old = {
        k: v
        for k, v in load_file(path).items()
        if not k.startswith("others") and k not in {"value_rows", "own.0.limits"}
    }
    save_file(old, path)
    assert attack(folder)["value"] == 1.0
    assert again(folder, "label-chain")["status"] == "not applicable"


PROPERTY = ["--data", "breast_cancer", "--federation", "split-network", "--model", "epochs=3", "--property",
            "mean radius=15..", "--seeds", "1", "--jobs", "0"]  # fmt: skip


@pytest.fixture(params=["adjusted-count", "correlation-augmentation"], ids=["honest", "tampering"])
def stored_property(request, tmp_path):
    folder = tmp_path / "run"
    small = ["--set", "comparison.populations=20"] if request.param == "correlation-augmentation" else []
    result = invoke("attack", request.param, *PROPERTY, *small, "--keep-transcript", str(folder), "--json", "-")
    return folder, json.loads(result.stdout), request.param, small


def test_attacking_a_property_of_a_stored_run_gives_the_finding_of_the_run_itself(stored_property):
    folder, first, name, small = stored_property
    found = again(folder, name, *small)
    volatile = {"seconds", "peak_mb", "utility_undefended"}
    assert {k: v for k, v in found.items() if k not in volatile} == {
        k: v for k, v in first.items() if k not in volatile
    }
    assert found["property"] == "mean radius=15.." and found["metric"] == "fraction_error"
    index = json.loads((folder / "transcript.json").read_text())
    assert index["epochs"] == 3 and {entry["part"] for entry in index["snapshots"]} == {"bottom", "head"}


@pytest.fixture(scope="module")
def property_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("property") / "run"
    invoke("attack", "adjusted-count", *PROPERTY, "--keep-transcript", str(folder))
    return folder


@pytest.fixture
def kept(property_run, tmp_path):
    import shutil

    return shutil.copytree(property_run, tmp_path / "run")


def test_without_the_truth_the_fraction_is_still_guessed_and_written(kept, tmp_path):
    truth = read_run(kept).truth
    (kept / TRUTH_FILE).unlink()
    guess = tmp_path / "guess.parquet"
    finding = again(kept, "adjusted-count", "--guess", str(guess))
    assert finding["value"] is None and finding["status"] == "ok" and finding["bounds"] == {}
    table = pq.read_table(guess)
    assert table.num_rows == 1 and {"fraction", "adjusted", "counted"} <= set(table.column_names)
    assert abs(table["fraction"][0].as_py() - truth.has[truth.before].mean()) < 0.2


def test_what_is_known_of_a_property_survives_storing(kept):
    run = read_run(kept)
    known = run.knowledge.auxiliary
    assert run.knowledge.threat.property == "mean radius=15.." and run.knowledge.threat.auxiliary.rows is None
    assert known.aligned and np.array_equal(known.has, run.truth.has[known.rows])
    assert np.array_equal(np.sort(run.truth.before), np.sort(run.knowledge.train))


def test_another_attack_on_properties_can_read_the_same_run(kept):
    found = again(kept, "distribution-comparison", "--set", "comparison.populations=20")
    assert found["status"] == "ok" and set(found["pictures"]) == {"AO", "AG", "VO", "VG"}


def test_runs_stored_before_properties_were_known_are_read(stored):
    """They lack `epochs` and the part of a snapshot; the last recorded epoch then counts as the last."""
    folder, _ = stored
    path = folder / "transcript.json"
    index = json.loads(path.read_text())
    assert index.pop("epochs") == 2
    for entry in index["snapshots"]:
        entry.pop("part")
    path.write_text(json.dumps(index))
    knowledge = json.loads((folder / KNOWLEDGE_FILE).read_text())
    for key in ("property", "auxiliary"):
        knowledge["threat"].pop(key)
    (folder / KNOWLEDGE_FILE).write_text(json.dumps(knowledge))
    run = read_run(folder)
    assert run.transcript.epochs is None and run.transcript.trained >= 1
    assert all(snapshot.part == "bottom" for snapshot in run.transcript.snapshots)
    assert attack(folder)["value"] == 1.0
    assert "--property" in refused(folder, "adjusted-count")


def test_a_property_attack_on_a_run_without_a_property_says_so(stored):
    folder, _ = stored
    assert "Store a run with --property COLUMN=VALUE and --keep-transcript" in refused(folder, "adjusted-count")


def refused(folder, name, *options):
    """Attack a stored run that does not allow it, and return what is said."""
    result = CliRunner().invoke(app, ["attack", name, "--transcript", str(folder), *options])
    assert result.exit_code == 2
    return " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("auxiliary.rows", np.array([0])),
        ("auxiliary.rows", np.full(44, 10**6)),
        ("auxiliary.rows", np.zeros(44, dtype=np.int64)),
        ("auxiliary.rows", np.linspace(0, 1, 44)),
        ("auxiliary.source", np.full(44, 10**6)),
        ("auxiliary.source", np.full(44, -1)),
        ("auxiliary.source", None),
        ("auxiliary.has", np.ones(44, dtype=np.uint8)),
        ("auxiliary.has", np.zeros((44, 2), dtype=np.uint8)),
        ("auxiliary.has", None),
    ],
)
def test_auxiliary_rows_that_make_no_sense_are_refused(kept, name, array):
    from safetensors.numpy import load_file, save_file

    path = kept / "knowledge.safetensors"
    arrays = {key: value for key, value in load_file(path).items() if array is not None or key != name}
    assert array is None or name in arrays
    save_file({**arrays, **({} if array is None else {name: array})}, path)
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(kept)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("property.has", np.zeros(3, dtype=np.uint8)),
        ("property.has", None),
        ("property.has", np.zeros((569, 2), dtype=np.uint8)),
        ("property.has", np.full(569, 7, dtype=np.uint8)),
        ("property.before", np.array([10**6])),
        ("property.before", np.array([-1])),
        ("property.before", np.array([0.5])),
        ("property.before", np.zeros(0, dtype=np.int64)),
        ("property.before", None),
    ],
)
def test_a_truth_about_properties_that_makes_no_sense_is_refused(kept, name, array):
    from safetensors.numpy import load_file, save_file

    path = kept / TRUTH_FILE
    arrays = {key: value for key, value in load_file(path).items() if array is not None or key != name}
    save_file({**arrays, **({} if array is None else {name: array})}, path)
    with pytest.raises(BadTranscript, match=r"must hold 'property\.has' for all rows"):
        read_run(kept)


@pytest.mark.parametrize(
    "changes", [{"epochs": 0}, {"epochs": "three"}, {"epochs": 2.5}, {"epochs": True}, {"part": "tail"}]
)
def test_a_transcript_that_says_nonsense_about_epochs_and_parts_is_refused(kept, changes):
    path = kept / "transcript.json"
    index = json.loads(path.read_text())
    if "part" in changes:
        index["snapshots"][0] |= changes
    else:
        index |= changes
    path.write_text(json.dumps(index))
    with pytest.raises(BadTranscript):
        read_run(kept)


def test_a_truth_without_the_property_is_not_scored_against(kept):
    from safetensors.numpy import load_file, save_file

    path = kept / TRUTH_FILE
    save_file({"labels": load_file(path)["labels"]}, path)
    refused = CliRunner().invoke(app, ["attack", "adjusted-count", "--transcript", str(kept)])
    assert refused.exit_code == 2 and "does not say which rows have the property" in refused.stderr
