"""A stored run can be attacked again, with or without the truth."""

import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

from command_line import found, refused, typed
from samples import small_data
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.recordings.knowledge_file import KNOWLEDGE_FILE
from seepage.audit.recordings.recorded_run import TRUTH_FILE, RecordedRun, read_run, write_run
from seepage.audit.scoring.truth import truth_of
from seepage.errors import BadTranscript
from seepage.federations import FEDERATIONS
from seepage.transcript import Transcript
from seepage.views import ThreatModel, grant, observe
from seepage.views.released import whole_trees
from stored_files import changed_arrays, changed_json

ARRAYS_FILE, TRANSCRIPT_FILE = "knowledge.safetensors", "transcript.json"
SIGN = "attack gradient-sign --data breast_cancer --federation summed-network --jobs 0"
LINEAR = "--data iris --federation logistic-regression --scaling minmax"
LARGE = "mean radius=15.."
PROPERTY = f"--data breast_cancer --federation split-network --model epochs=3 --property '{LARGE}'"
FEW = "--set comparison.populations=20"
RUNS = {
    "labels": ("gradient-sign", "--data breast_cancer --federation summed-network --model epochs=2", ""),
    "chain": ("label-chain", LINEAR, ""),
    "equations": ("equality-solving", LINEAR, ""),
    "tree": ("path-restriction", "--data wine --federation decision-tree --scaling minmax", ""),
    "property": ("adjusted-count", PROPERTY, ""),
    "tampering": ("correlation-augmentation", PROPERTY, FEW),
}
"""Which attack was run, on what, and with which settings of its own."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a function that trains once for each kind of run, and keeps it with what was found."""
    kept = {}

    def train(kind):
        if kind not in kept:
            name, options, settings = RUNS[kind]
            folder = tmp_path_factory.mktemp(kind) / "run"
            line = f"attack {name} {options} {settings} --seeds 1 --jobs 0 --keep-transcript"
            kept[kind] = folder, found(line, folder)
        return kept[kind]

    return train


@pytest.fixture
def stored(trained, tmp_path):
    """Return a function that copies a run of some kind, which a test may spoil."""
    return lambda kind: shutil.copytree(trained(kind)[0], tmp_path / "run")


@pytest.fixture
def labels_run(stored):
    return stored("labels")


@pytest.fixture
def kept(stored):
    return stored("property")


@pytest.fixture(params=["chain", "equations"])
def columns_run(request, stored):
    return stored(request.param), RUNS[request.param][0]


def attack(folder, *options, name="gradient-sign"):
    return found(f"attack {name} --transcript", folder, *options)


def with_array(folder, file, name, array):
    """Put an array into a file in the place of another, or take it out."""
    with changed_arrays(folder / file) as arrays:
        assert (name in arrays) == (name not in {"others.0.means", "own.0.labels"}), "only these are new"
        arrays[name] = array
        if array is None:
            del arrays[name]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("labels", {"value": 1.0, "seed": 0}),
        ("chain", {"asset": "features"}),
        ("equations", {"asset": "features"}),
        ("property", {"property": LARGE, "metric": "fraction_error"}),
        ("tampering", {"property": LARGE, "metric": "fraction_error"}),
    ],
)
def test_attacking_a_stored_run_gives_the_finding_of_the_run_itself(trained, kind, says):
    folder, first = trained(kind)
    name, _, settings = RUNS[kind]
    again = attack(folder, *settings.split(), name=name)
    differing = {key for key in again.keys() | first.keys() if again[key] != first[key]}
    assert differing <= {"seconds", "peak_mb", "utility_undefended", "utility_alone"}
    assert again.items() >= says.items()
    assert again["asset"] != "features" or again["advantage"] > 0.5


@pytest.mark.parametrize("kind", ["property", "tampering"])
def test_an_attack_on_properties_stores_the_number_of_epochs_and_whole_models(stored, kind):
    with changed_json(stored(kind) / TRANSCRIPT_FILE) as index:
        assert index["epochs"] == 3 and {entry["part"] for entry in index["snapshots"]} == {"bottom", "head"}


def test_settings_of_the_attack_can_change_without_training_again(labels_run):
    early = attack(labels_run, "--set", "epochs=[1]", "--set", "rule=first-negative")
    assert early["attack_settings"]["epochs"] == [1]
    late = attack(labels_run, "--set", "epochs=[19]")
    assert late["status"] == "not applicable" and "no gradient messages in epoch" in late["reason"]


def test_without_the_truth_the_guess_is_still_written(labels_run, tmp_path, monkeypatch):
    truth = read_run(labels_run).truth.labels
    (labels_run / TRUTH_FILE).unlink()
    monkeypatch.chdir(tmp_path)
    attack(labels_run)
    assert (tmp_path / "seepage-guess.parquet").is_file()  # its default place
    (labels_run / KNOWLEDGE_FILE).unlink()
    finding = attack(labels_run, "--guess", tmp_path / "guess.parquet")
    assert finding["value"] is None and finding["advantage"] is None and finding["status"] == "ok"
    assert finding["data"] == "unknown" and finding["federation"] == "summed-network" and finding["parties"] == 2
    table = pq.read_table(tmp_path / "guess.parquet")
    assert np.array_equal(table["label"].to_numpy(), truth[table["row"].to_numpy()])


def test_without_the_truth_columns_are_still_guessed_and_written(columns_run, tmp_path):
    folder, name = columns_run
    (folder / TRUTH_FILE).unlink()
    finding = attack(folder, "--guess", tmp_path / "guess.parquet", name=name)
    assert finding["status"] == "ok" and finding["value"] is None
    assert pq.read_table(tmp_path / "guess.parquet").num_rows > 0


def test_without_the_truth_the_fraction_is_still_guessed_and_written(kept, tmp_path):
    truth = read_run(kept).truth
    (kept / TRUTH_FILE).unlink()
    finding = attack(kept, "--guess", tmp_path / "guess.parquet", name="adjusted-count")
    assert finding["value"] is None and finding["status"] == "ok" and finding["bounds"] == {}
    table = pq.read_table(tmp_path / "guess.parquet")
    assert table.num_rows == 1 and {"fraction", "adjusted", "counted"} <= set(table.column_names)
    assert abs(table["fraction"][0].as_py() - truth.has[truth.before].mean()) < 0.2


def test_the_intervals_that_a_path_implies_are_written(stored, tmp_path):
    folder, guess = stored("tree"), tmp_path / "guess.parquet"
    attack(folder, "--guess", guess, name="path-restriction")
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


def test_another_adversary_of_a_stored_run_holds_messages_alone(labels_run, tmp_path, trained):
    assert attack(labels_run, "--adversary", "active")["status"] == "not applicable"
    for kind, other in (("chain", "active"), ("equations", "passive")):
        again = attack(trained(kind)[0], "--adversary", other, name=RUNS[kind][0])
        assert again["status"] == "not applicable"


@pytest.mark.parametrize(
    ("options", "folders"),
    [
        ("--seeds 2", ["seed-0", "seed-1"]),
        ("--seeds 1 --defense top-k --defense laplace-noise", ["laplace-noise-seed-0", "top-k-seed-0"]),
    ],
)
def test_several_seeds_or_defenses_are_stored_side_by_side(tmp_path, options, folders):
    typed(f"{SIGN} {options} --model epochs=1 --json - --keep-transcript", tmp_path / "runs")
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == folders
    assert attack(tmp_path / "runs" / folders[1])["seed"] == int(folders[1][-1])


def test_a_run_is_stored_also_when_its_cell_was_finished_before(tmp_path):
    line = f"{SIGN} --seeds 1 --model epochs=1 --json - --out"
    typed(line, tmp_path / "out")
    typed(line, tmp_path / "out", "--keep-transcript", tmp_path / "run")
    assert attack(tmp_path / "run")["value"] == 1.0


def test_a_folder_that_is_taken_is_refused_before_training(labels_run):
    assert "exists already" in refused(f"{SIGN} --seeds 1 --keep-transcript", labels_run)


def test_what_is_known_of_others_survives_storing(columns_run):
    folder, name = columns_run
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


def test_what_is_known_of_a_property_survives_storing(kept):
    run = read_run(kept)
    known = run.knowledge.auxiliary
    assert run.knowledge.threat.property == LARGE and run.knowledge.threat.auxiliary.rows is None
    assert known.aligned and np.array_equal(known.has, run.truth.has[known.rows])
    assert np.array_equal(np.sort(run.truth.before), np.sort(run.knowledge.train))


def test_another_attack_on_properties_can_read_the_same_run(kept):
    again = attack(kept, *FEW.split(), name="distribution-comparison")
    assert again["status"] == "ok" and set(again["pictures"]) == {"AO", "AG", "VO", "VG"}


def test_a_property_attack_on_a_run_without_a_property_says_so(labels_run):
    said = refused("attack adjusted-count --transcript", labels_run)
    assert "Store a run with --property COLUMN=VALUE and --keep-transcript" in said


@pytest.mark.parametrize(
    ("kind", "left_out"),
    [("chain", "does not hold column"), ("property", "does not say which rows have the property")],
)
def test_a_truth_that_lacks_what_was_stolen_cannot_score_it_and_says_so(stored, kind, left_out):
    folder = stored(kind)
    with changed_arrays(folder / TRUTH_FILE) as arrays:
        for name in set(arrays) - {"labels"}:
            del arrays[name]
    assert left_out in refused(f"attack {RUNS[kind][0]} --transcript", folder)


LABELS = {
    "short": np.zeros(3, dtype=np.int64),
    "unknown class": np.full(569, 7),
    "negative": np.full(569, -1),
    "floats": np.zeros(569),
    "two axes": np.zeros((569, 1), dtype=np.int64),
    "left out": None,
}
UNFIT, UNSAID = "do not fit together", r"must hold 'property\.has' for all rows"
SPOILED = [
    *(("labels", TRUTH_FILE, "labels", array, "must hold 'labels'") for array in LABELS.values()),
    ("labels", ARRAYS_FILE, "train", np.array([10**6]), UNFIT),
    ("labels", ARRAYS_FILE, "train", np.zeros(0, dtype=np.int64), UNFIT),
    ("labels", ARRAYS_FILE, "train", np.array([0.5]), UNFIT),
    ("labels", ARRAYS_FILE, "train", np.array([3, 3]), UNFIT),
    ("labels", ARRAYS_FILE, "own.0.features", np.full((569, 15), np.inf, dtype=np.float32), UNFIT),
    ("labels", ARRAYS_FILE, "own.0.features", np.zeros((4, 15), dtype=np.float32), UNFIT),
    ("labels", ARRAYS_FILE, "own.0.labels", np.zeros(569, dtype=np.int64), "holds no labels"),
    ("chain", ARRAYS_FILE, "others.0.limits", np.zeros((1, 2)), UNFIT),
    ("chain", ARRAYS_FILE, "others.0.limits", np.array([[0.0, np.inf], [0.0, 1.0]]), UNFIT),
    ("chain", ARRAYS_FILE, "others.0.limits", np.array([[1.0, 0.0], [0.0, 1.0]]), UNFIT),
    ("chain", ARRAYS_FILE, "others.0.values", np.zeros((39, 2), dtype=np.float32), UNFIT),
    ("chain", ARRAYS_FILE, "others.0.values", np.full((40, 2), np.inf, dtype=np.float32), UNFIT),
    ("chain", ARRAYS_FILE, "others.0.values", None, "value_rows needs known values"),
    ("chain", ARRAYS_FILE, "others.0.means", np.zeros(3), UNFIT),
    ("chain", ARRAYS_FILE, "own.0.limits", np.zeros((3, 2)), UNFIT),
    ("chain", ARRAYS_FILE, "value_rows", np.array([10**6]), UNFIT),
    ("chain", ARRAYS_FILE, "value_rows", np.array([3, 3]), UNFIT),
    ("chain", ARRAYS_FILE, "value_rows", np.arange(40.0), UNFIT),
    ("chain", TRUTH_FILE, "columns.0.features", np.zeros((3, 2), dtype=np.float32),
     "must hold the columns of 'active' for all rows"),
    ("chain", TRUTH_FILE, "columns.0.about", np.frombuffer(b"{}", dtype=np.uint8), "does not say whose columns"),
    ("chain", TRUTH_FILE, "columns.0.about", np.frombuffer(b"not json", dtype=np.uint8), "does not say whose columns"),
    ("property", ARRAYS_FILE, "auxiliary.rows", np.array([0]), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.rows", np.full(44, 10**6), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.rows", np.zeros(44, dtype=np.int64), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.rows", np.linspace(0, 1, 44), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.source", np.full(44, 10**6), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.source", np.full(44, -1), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.source", None, UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.has", np.ones(44, dtype=np.uint8), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.has", np.zeros((44, 2), dtype=np.uint8), UNFIT),
    ("property", ARRAYS_FILE, "auxiliary.has", None, UNFIT),
    ("property", TRUTH_FILE, "property.has", np.zeros(3, dtype=np.uint8), UNSAID),
    ("property", TRUTH_FILE, "property.has", None, UNSAID),
    ("property", TRUTH_FILE, "property.has", np.zeros((569, 2), dtype=np.uint8), UNSAID),
    ("property", TRUTH_FILE, "property.has", np.full(569, 7, dtype=np.uint8), UNSAID),
    ("property", TRUTH_FILE, "property.before", np.array([10**6]), UNSAID),
    ("property", TRUTH_FILE, "property.before", np.array([-1]), UNSAID),
    ("property", TRUTH_FILE, "property.before", np.array([0.5]), UNSAID),
    ("property", TRUTH_FILE, "property.before", np.zeros(0, dtype=np.int64), UNSAID),
    ("property", TRUTH_FILE, "property.before", None, UNSAID),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "file", "name", "array", "complaint"), SPOILED)
def test_arrays_that_make_no_sense_are_refused(stored, kind, file, name, array, complaint):
    folder = stored(kind)
    with_array(folder, file, name, array)
    with pytest.raises(BadTranscript, match=complaint):
        read_run(folder)


@pytest.mark.parametrize(
    ("kind", "file", "changes", "complaint"),
    [
        ("labels", KNOWLEDGE_FILE, {"facts": []}, None),
        ("labels", KNOWLEDGE_FILE, {"facts": {"value": 0.1}}, None),
        ("labels", KNOWLEDGE_FILE, {"facts": {"seed": "x"}}, None),
        ("labels", KNOWLEDGE_FILE, {"own": []}, None),
        ("labels", KNOWLEDGE_FILE, {"threat": {}}, None),
        ("chain", KNOWLEDGE_FILE, {"others": {"active": {}}}, UNFIT),
        ("chain", KNOWLEDGE_FILE, {"others": {"passive": {"names": ["a", "b"]}}}, UNFIT),
        ("chain", KNOWLEDGE_FILE, {"others": {"nobody": {"names": ["a", "b"]}}}, UNFIT),
        ("chain", KNOWLEDGE_FILE, {"others": []}, UNFIT),
        ("chain", KNOWLEDGE_FILE, {"others": {"active": 3}}, UNFIT),
        ("property", TRANSCRIPT_FILE, {"epochs": 0}, None),
        ("property", TRANSCRIPT_FILE, {"epochs": "three"}, None),
        ("property", TRANSCRIPT_FILE, {"epochs": 2.5}, None),
        ("property", TRANSCRIPT_FILE, {"epochs": True}, None),
    ],
)
def test_an_index_that_makes_no_sense_is_refused(stored, kind, file, changes, complaint):  # in whatever words
    folder = stored(kind)
    with changed_json(folder / file) as index:
        index |= changes
    with pytest.raises(BadTranscript, match=complaint):
        read_run(folder)


def test_a_snapshot_of_no_part_is_refused(kept):
    with changed_json(kept / TRANSCRIPT_FILE) as index:
        index["snapshots"][0]["part"] = "tail"
    with pytest.raises(BadTranscript):
        read_run(kept)


def test_columns_of_others_never_reach_a_stored_adversary(labels_run):
    """An operator who exports everybody's columns must not get a view that holds them."""
    with changed_json(labels_run / KNOWLEDGE_FILE) as index:
        index["own"]["somebody"] = index["own"]["passive"]
    with pytest.raises(BadTranscript, match="do not fit together"):
        read_run(labels_run)
    with changed_json(labels_run / KNOWLEDGE_FILE) as index:
        index["own"]["active"] = index["own"].pop("somebody")
    with changed_arrays(labels_run / ARRAYS_FILE) as arrays:
        arrays |= {f"own.1.{name}": arrays[f"own.0.{name}"] for name in ("features", "attributes")}
    with pytest.raises(BadTranscript, match="who is not the adversary"):
        read_run(labels_run)


def test_a_run_stored_before_others_were_has_none(labels_run):
    """Folders of version 0.1.0 know neither others nor value_rows nor whether the model was released."""
    with changed_json(labels_run / KNOWLEDGE_FILE) as index:
        index.pop("others")
        index["threat"] = {key: index["threat"][key] for key in ("adversaries", "labels_per_class")}
    with changed_arrays(labels_run / ARRAYS_FILE) as arrays:
        for name in [name for name in arrays if name.startswith("others") or name in {"value_rows", "own.0.limits"}]:
            del arrays[name]
    assert attack(labels_run)["value"] == 1.0
    assert attack(labels_run, name="label-chain")["status"] == "not applicable"


def test_runs_stored_before_properties_were_known_are_read(labels_run):
    """They lack `epochs` and the part of a snapshot; the last recorded epoch then counts as the last."""
    with changed_json(labels_run / TRANSCRIPT_FILE) as index:
        assert index.pop("epochs") == 2
        for entry in index["snapshots"]:
            entry.pop("part")
    with changed_json(labels_run / KNOWLEDGE_FILE) as index:
        for key in ("property", "auxiliary"):
            index["threat"].pop(key)
    run = read_run(labels_run)
    assert run.transcript.epochs is None and run.transcript.trained >= 1
    assert all(snapshot.part == "bottom" for snapshot in run.transcript.snapshots)
    assert attack(labels_run)["value"] == 1.0
    assert "--property" in refused("attack adjusted-count --transcript", labels_run)
