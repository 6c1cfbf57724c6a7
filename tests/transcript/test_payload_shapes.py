"""Another package brings a kind of message, and whoever writes or reads one is held to its shape."""

import pickle
from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import seepage
from seepage import payload_shapes
from seepage.audit.recordings.recorded_run import read_run
from seepage.audit.stages.attacking import attack_run
from seepage.errors import BadTranscript, Remark
from seepage.guesses import LabelGuess
from seepage.messages import Kind, register
from seepage.payload_shapes import Carried, PayloadShape, shape_of
from seepage.views import Needs

NAME = "histogram"
FINE = {"sums": np.ones((3, 5, 2)), "node": np.array([1, 1, 2]), "shown": np.ones((5,), dtype=bool)}


@pytest.fixture(autouse=True, scope="module")
def _registered():
    sums = Carried("sums", "real", ("rows", "bins", "classes"))
    register(NAME, PayloadShape((sums, Carried("node", "whole", ("rows",)), Carried("shown", "yes or no", ("bins",)))))


def recorder(folder, kinds=("gradient", NAME)):
    return seepage.Recorder(folder, parties=["bank", "shop"], active="bank", classes=2, kinds=kinds, top_model=True)


def test_it_is_a_kind_like_any_other():
    kind = Kind(NAME)
    assert kind == NAME and f"{kind}" == NAME and kind.value == NAME and kind not in set(Kind)
    assert pickle.loads(pickle.dumps(kind)) is kind and deepcopy(kind) is kind
    assert sorted([kind, Kind.GRADIENT, Kind.SETUP]) == [Kind.GRADIENT, kind, Kind.SETUP]


def test_what_was_recorded_is_read_again(tmp_path):
    record = recorder(tmp_path / "run")
    record.message(NAME, "bank", "shop", [4, 7, 9], FINE, epoch=3)
    record.close()
    (told,) = read_run(tmp_path / "run").transcript.messages
    assert told.kind is Kind(NAME) and told.epoch == 3 and told.rows.tolist() == [4, 7, 9]
    assert all(np.array_equal(told.payload[name], array) for name, array in FINE.items())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sums": np.ones((3, 5))}, "sums as rows × bins × classes"),
        ({"sums": np.ones((2, 5, 2))}, "sums as rows × bins × classes"),
        ({"sums": np.ones((3, 5, 3))}, "sums as rows × bins × classes"),
        ({"sums": np.ones((3, 4, 2))}, "shown as bins"),
        ({"sums": np.ones((3, 5, 2), dtype=int)}, "sums as real numbers"),
        ({"node": np.ones(3)}, "node as whole numbers"),
        ({"shown": np.ones(5)}, "shown as yes or no"),
        ({"more": np.ones(1)}, "a payload of sums, node, shown"),
    ],
)
def test_what_is_of_another_shape_is_refused_by_writer_and_reader(tmp_path, changes, said):
    with pytest.raises(ValueError, match=said):
        recorder(tmp_path / "one").message(NAME, "bank", "shop", [0, 1, 2], {**FINE, **changes}, epoch=0)
    record = recorder(tmp_path / "two")
    record.message(NAME, "bank", "shop", [0, 1, 2], FINE, epoch=0)
    record._writer._messages[0].payload.update(changes)  # as another engine might have written it
    record._writer.close()
    with pytest.raises(BadTranscript, match=said):
        read_run(tmp_path / "two")


def test_numbers_that_are_not_finite_are_left_out(tmp_path):
    record = recorder(tmp_path / "run")
    with pytest.warns(Remark, match="histogram from bank to shop"):
        record.message(NAME, "bank", "shop", [0, 1, 2], {**FINE, "sums": FINE["sums"] * np.nan}, epoch=0)


def test_a_kind_that_nobody_brought_is_named_with_those_there_are(tmp_path, monkeypatch):
    record = recorder(tmp_path / "run")
    record.message(NAME, "bank", "shop", [0, 1, 2], FINE, epoch=0)
    record.close()
    monkeypatch.setattr("seepage.messages._OUTSIDE", {})
    monkeypatch.setattr(payload_shapes, "_REGISTERED", {})
    with pytest.raises(BadTranscript, match="'histogram' is no kind of message here; known are embedding, gradient"):
        read_run(tmp_path / "run")


def test_our_kinds_cannot_be_taken_over_and_shapes_do_not_change():
    with pytest.raises(ValueError, match="another shape"):
        register(NAME, PayloadShape((Carried("sums", "real", ("rows",)),)))
    with pytest.raises(ValueError, match="is a kind of ours"):
        register("gradient", PayloadShape((Carried("gradient", "real", ("rows",)),)))
    assert shape_of("gradient") is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: register("", PayloadShape((Carried("a", "real", ()),))),
        lambda: register("\x1b[31m", PayloadShape((Carried("a", "real", ()),))),
        lambda: PayloadShape(()),
        lambda: PayloadShape((Carried("a", "real", ()), Carried("a", "whole", ()))),
        lambda: Carried("a", "text", ()),
        lambda: Carried("a", "real", (-1,)),
    ],
)
def test_shapes_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


@dataclass(frozen=True)
class ReadsHistograms:
    """Name the class whose sums are larger: an attack that another package might bring."""

    name: ClassVar[str] = "reads-histograms"
    steals: ClassVar[str] = "labels"
    role: ClassVar[str] = "attack"
    rows: ClassVar[str] = "train"
    tampering: ClassVar[None] = None
    needs: ClassVar[Needs]

    def run(self, view, rng):
        del rng
        (message,) = view.received(Kind(NAME))
        return LabelGuess(rows=message.rows, scores=message.payload["sums"].sum(axis=1))


def test_an_attack_of_another_package_reads_it(tmp_path):
    ReadsHistograms.needs = Needs(received=frozenset({Kind(NAME)}))
    labels = np.array([1, 0, 1])
    record = recorder(tmp_path / "run")
    record.message(NAME, "bank", "shop", range(3), {**FINE, "sums": np.eye(2)[labels][:, None] * np.ones((1, 5, 1))}, 0)
    record.truth(labels=labels)
    record.close()
    found = attack_run(read_run(tmp_path / "run"), ReadsHistograms(), "reads-histograms").finding
    assert found.status == "ok" and found.value == 1.0
    recorder(tmp_path / "bare", kinds=["gradient"]).close()
    reason = attack_run(read_run(tmp_path / "bare"), ReadsHistograms(), "reads-histograms").finding.reason
    assert "no histogram messages cross" in reason
