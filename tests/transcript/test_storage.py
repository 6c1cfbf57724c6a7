"""Stored transcripts come back as they were, and broken ones are refused in one sentence."""

import json
import os

import numpy as np
import pytest

from samples import small_data
from seepage.errors import BadTranscript
from seepage.federations.logistic_regression import LogisticRegression
from seepage.federations.split_network import SplitNetwork
from seepage.messages import Kind
from seepage.transcript.payloads import check_payload
from seepage.transcript.storage import ARRAYS_FILE, INDEX_FILE, VERSION, read_transcript, whole_folder, write_transcript
from stored_files import changed_arrays, changed_json
from trained_runs import address, carried, trained

MESSAGE = {"kind": "gradient", "sender": "a", "receiver": "b", "epoch": 0, "step": 0, "payload": {}}


@pytest.fixture(scope="module")
def transcript():
    data = small_data("digits", kind="halves")
    run = trained(SplitNetwork(epochs=1, batch=500, bottom="resnet", planes=(2, 4)), data)
    run.release(data.test)
    return run.transcript


@pytest.fixture
def folder(transcript, tmp_path):
    with whole_folder(tmp_path / "run") as scratch:
        write_transcript(transcript, scratch)
    return tmp_path / "run"


def test_everything_comes_back(transcript, folder):
    again = read_transcript(folder)
    assert json.dumps(again.agreement.settings) == json.dumps(transcript.agreement.settings)
    assert again.agreement.parties == transcript.agreement.parties
    assert len(again.messages) == len(transcript.messages) > 0
    for one, two in zip(transcript.messages, again.messages, strict=True):
        assert address(one) == address(two) and carried(one) == carried(two)
    assert again.epochs == transcript.epochs is not None
    parts = [(one.party, one.part) for one in again.snapshots]
    assert parts == [("active", "bottom"), ("active", "head"), ("passive", "bottom")]
    for one, two in zip(transcript.snapshots, again.snapshots, strict=True):
        assert all(np.array_equal(one.state[key], two.state[key]) for key in one.state)
        assert all(one.state[key].shape == two.state[key].shape for key in one.state)


def test_files_are_for_their_owner_only(folder):
    assert all((folder / name).stat().st_mode & 0o077 == 0 for name in (INDEX_FILE, ARRAYS_FILE))
    assert folder.stat().st_mode & 0o077 == 0


def test_a_run_that_breaks_off_leaves_nothing_that_could_be_read(tmp_path, transcript):
    def break_off():
        with whole_folder(tmp_path / "run") as scratch:
            write_transcript(transcript, scratch)
            raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="disk"):
        break_off()
    assert os.listdir(tmp_path) == []


def test_an_existing_run_is_never_overwritten(folder):
    with pytest.raises(BadTranscript, match="exists already"), whole_folder(folder):
        pass


def test_the_current_version_is_read(folder):
    assert json.loads((folder / INDEX_FILE).read_text())["version"] == VERSION == 2
    read_transcript(folder)


def test_version_1_is_read_with_the_terms_among_its_settings(folder, transcript):
    with changed_json(folder / INDEX_FILE) as index:
        index["version"] = 1
        del index["agreement"]["terms"]
    assert read_transcript(folder).agreement.terms == transcript.agreement.terms
    assert transcript.agreement.terms.batch == 500 and transcript.agreement.terms.bottom == "resnet"


@pytest.mark.parametrize("name", [INDEX_FILE, ARRAYS_FILE])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(BadTranscript, match=name):
        read_transcript(folder)


def test_truncated_arrays_and_broken_indices_are_refused(folder):
    whole = (folder / ARRAYS_FILE).read_bytes()
    (folder / ARRAYS_FILE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadTranscript, match="truncated"):
        read_transcript(folder)
    (folder / ARRAYS_FILE).write_bytes(whole)
    for text in ("{", "[" * 100_000):
        (folder / INDEX_FILE).write_text(text)
        with pytest.raises(BadTranscript, match="not a transcript's index"):
            read_transcript(folder)


MESSAGES = [{"epoch": -5}, {"epoch": "0"}, {"step": -1}, {"receiver": "nobody"}]
TERMS = [
    {"classes": "ten"}, {"classes": 1}, {"outputs": 0}, {"active": "nobody"}, {"parties": "active"},
    {"parties": ["active"]}, {"top_model": "no"}, {"top_model": False}, {"federation": 3}, {"settings": []},
    {"mood": "good"},
]  # fmt: skip
ENTRIES = [
    {**MESSAGE, "kind": "telepathy", "rows": "message.0.rows"},
    {"kind": "gradient", "sender": "a"},
    {**MESSAGE, "rows": "nowhere"},
]
UNDESCRIBED = "does not describe its arrays"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda index: index.update(version=VERSION + 1), f"format version {VERSION + 1}.*Update Seepage"),
        (lambda index: index.update(version="1"), "version as a whole number"),
        (lambda index: index.update(format="x"), UNDESCRIBED),
        (lambda index: index.update(messages={}), UNDESCRIBED),
        *((lambda index, one=one: index["messages"][0].update(one), UNDESCRIBED) for one in MESSAGES),
        *((lambda index, one=one: index["agreement"].update(one), UNDESCRIBED) for one in TERMS),
        *((lambda index, one=one: index.update(messages=[one]), UNDESCRIBED) for one in ENTRIES),
    ],
    ids=["newer", "odd version", "format", "messages", *map(str, (*MESSAGES, *TERMS, *ENTRIES))],
)
def test_an_index_that_makes_no_sense_is_refused(folder, change, said):
    with changed_json(folder / INDEX_FILE) as index:
        change(index)
    with pytest.raises(BadTranscript, match=said):
        read_transcript(folder)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows, content: (rows - 10**6, content),
        lambda rows, content: (rows + 0.5, content),
        lambda rows, content: (rows, content[:-1]),
        lambda rows, content: (rows, content[:, :-1]),
        lambda rows, content: (rows, content[:, 0]),
        lambda rows, content: (rows, np.full_like(content, np.nan)),
        lambda rows, content: (rows, content.astype(np.int64)),
    ],
    ids=["negative", "fractions", "short", "narrow", "flat", "nan", "integers"],
)
def test_arrays_that_make_no_sense_are_refused(folder, spoil):
    messages = json.loads((folder / INDEX_FILE).read_text())["messages"]
    rows, content = next((one["rows"], one["payload"]["gradient"]) for one in messages if one["kind"] == "gradient")
    with changed_arrays(folder / ARRAYS_FILE) as arrays:
        arrays[rows], arrays[content] = spoil(arrays[rows], arrays[content])
    with pytest.raises(BadTranscript, match="does not describe its arrays"):
        read_transcript(folder)


def test_a_row_that_comes_twice_in_a_message_counts_once(folder):
    """Engines that draw batches with replacement send it twice: the last embedding counts, gradients add up."""
    messages = json.loads((folder / INDEX_FILE).read_text())["messages"]
    places = {one["kind"]: (number, one) for number, one in reversed(list(enumerate(messages)))}
    with changed_arrays(folder / ARRAYS_FILE) as arrays:
        for kind in ("embedding", "gradient"):
            _, one = places[kind]
            rows = arrays[one["rows"]]
            arrays[one["rows"]] = np.where(np.arange(len(rows)) == 1, rows[0], rows)
        given = {kind: arrays[places[kind][1]["payload"][kind]] for kind in ("embedding", "gradient")}
        first = rows[0]
    read = read_transcript(folder).messages
    for kind, expected in (("embedding", given["embedding"][1]), ("gradient", given["gradient"][:2].sum(axis=0))):
        message = read[places[kind][0]]
        assert len(message.rows) == len(rows) - 1 and np.array_equal(message.rows, np.unique(message.rows))
        assert np.allclose(message.payload[kind][message.rows == first], expected)


def weighted(payload, rows=()):
    terms = LogisticRegression(class_weights=True).agreement(small_data("iris"))
    return check_payload(Kind.CURVATURE, np.array(rows, dtype=np.int64), payload, terms)


def test_a_curvature_is_one_number_above_zero():
    weighted({"curvature": np.array([0.75])})
    for wrong in ([0.0], [-1.0], [np.inf], [np.nan], [1.0, 2.0], [], [1]):
        with pytest.raises(ValueError, match="what should be"):
            weighted({"curvature": np.array(wrong)})
    with pytest.raises(ValueError, match="without rows"):
        weighted({"curvature": np.array([0.75])}, rows=[3])
    with pytest.raises(ValueError, match="a payload of curvature"):
        weighted({"weights": np.array([0.75])})


def test_a_curvature_that_was_sent_comes_back(tmp_path):
    run = trained(LogisticRegression(epochs=1, class_weights=True), small_data("iris"))
    with whole_folder(tmp_path / "run") as scratch:
        write_transcript(run.transcript, scratch)
    first = read_transcript(tmp_path / "run").messages[0]
    assert first.kind is Kind.CURVATURE
    assert first.payload["curvature"] == run.transcript.messages[0].payload["curvature"]
