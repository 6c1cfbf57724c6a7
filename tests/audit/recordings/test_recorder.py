"""Any engine's messages, written down by the public recorder, are attacked as those of our own federations."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

import seepage
from samples import small_data
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.plan.attacks import built_attack
from seepage.audit.recordings.applying import as_granted, check
from seepage.audit.recordings.recorded_run import RecordedRun, read_run, read_runs, write_run
from seepage.audit.scoring.truth import truth_of
from seepage.audit.stages.attacking import attack_run
from seepage.audit.stages.chaining import threat_for
from seepage.errors import BadTranscript
from seepage.federations import FEDERATIONS
from seepage.randomness import stream
from seepage.transcript import RECORDED, Snapshot
from seepage.views import grant
from split_loop import Loop
from stored_files import changed_arrays
from trained_runs import released

LARGE = "mean radius=15.."
SHORT = {"epochs": 2}
OURS = [
    ("gradient-sign", "summed-network", SHORT, "passive", "breast_cancer"),
    ("gradient-direction", "split-network", SHORT, "passive", "breast_cancer"),
    ("linear-probe", "split-network", SHORT, "passive", "breast_cancer"),
    ("model-completion", "split-network", SHORT, "passive", "iris"),
    ("label-chain", "logistic-regression", SHORT, "passive", "iris"),
    ("embedding-regression", "logistic-regression", SHORT, "active", "iris"),
    ("equality-solving", "logistic-regression", SHORT, "active", "iris"),
    ("adjusted-count", "split-network", SHORT, "active", "breast_cancer"),
    ("path-restriction", "decision-tree", {}, "active", "wine"),
    ("id2graph", "boosting", {"trees": 3}, "passive", "iris"),
    ("leaf-labels", "forest", {"trees": 3}, "passive", "iris"),
]
"""An attack, what it is tried on, and who tries it."""
KEPT = ("seconds", "peak_mb")


def recorded(folder, data, run, knowledge, truth, facts):
    """Write a run of ours down as a stranger would: message by message, and what each party holds."""
    terms = run.agreement
    record = seepage.Recorder(
        folder, parties=terms.parties, active=terms.active, classes=terms.classes, top_model=terms.top_model,
        federation=terms.federation, data="d", facts=facts, kinds=terms.kinds, model=terms.model, **asdict(terms.terms),
    )  # fmt: skip
    record.rows(train=data.train, new=data.test)
    for party, part in data.parts.items():
        attributes = [part.columns[place] for place in part.attributes]
        record.columns(party, part.features, part.names, attributes=attributes, limits=part.limits, layout=part.layout)
    for said in run.transcript.messages:
        record.message(said.kind, said.sender, said.receiver, said.rows, said.payload, said.epoch, said.step)
    for taken in run.transcript.snapshots:
        record.snapshot(taken)
    record.truth(labels=data.labels, has=truth.has)
    record.know_labels(rows=knowledge.known_rows, labels=knowledge.known_labels)
    record.know_values(rows=knowledge.value_rows)
    if (known := knowledge.auxiliary) is not None:
        asked = knowledge.threat
        record.know_property(
            asked.property, auxiliary=asked.auxiliary, rows=known.rows, has=known.has, exhausted=known.exhausted
        )
    record.close()


@pytest.mark.parametrize(("name", "federation", "settings", "adversary", "table"), OURS)
def test_our_own_federations_through_the_recorder_give_the_findings_of_our_own(
    tmp_path, name, federation, settings, adversary, table
):
    properties = (LARGE,) if name == "adjusted-count" else ()
    data, attack = small_data(table, adversary=(adversary,), properties=properties), built_attack(name)
    run = released(FEDERATIONS[federation](**settings), data)
    threat = threat_for(attack, (adversary,), asked=properties[0] if properties else None)
    knowledge = replace(grant(data, threat, stream(0, "knowledge")), new=data.test)
    truth = truth_of(data, (adversary,), columns=attack.steals == "features", asked=threat.property)
    around = Surroundings(data="d", federation=federation, parties=2, seed=0)
    facts = {**around.facts(), "model_settings": dict(run.agreement.settings)}
    kept = RecordedRun(run.transcript, knowledge, truth, around)
    write_run(kept, tmp_path / "ours")
    recorded(tmp_path / "theirs", data, run, knowledge, truth, facts)
    one = attack_run(read_run(tmp_path / "ours"), attack, name).finding
    again = read_run(tmp_path / "theirs", (adversary,))
    other = attack_run(replace(again, surroundings=around), as_granted(attack, again), name).finding
    assert one.status == "ok" and one.value is not None
    assert one.model_dump(exclude={*KEPT}) == other.model_dump(exclude={*KEPT})


def recorder(folder, **changes):
    usual = {"parties": ["bank", "shop"], "active": "bank", "classes": 2, "top_model": True}
    return seepage.Recorder(folder, **{**usual, **changes})


def listened(folder, loop, *, answers=True):
    """Record a loop that somebody else wrote."""
    record = recorder(folder, data="wdbc", batch=loop.batch)
    record.rows(train=loop.rows[0], new=loop.rows[1])
    for party, columns in loop.columns.items():
        record.columns(party, columns)

    def hear(epoch, rows, sent, came):
        record.embedding("shop", rows, sent, epoch)
        record.gradient("shop", rows, came, epoch)

    loop.run(hear, lambda epoch: record.model("shop", loop.shop, epoch) if answers else None)
    record.truth(labels=loop.table[1], has=loop.columns["shop"][:, 0] > 0)
    record.know_labels(per_class=4)
    record.know_values(count=40)
    record.know_property("shop-0=high", holder="shop")
    return record


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stranger") / "run"
    listened(folder, Loop()).close()
    return folder


@pytest.mark.parametrize(
    ("name", "adversary"),
    [
        ("gradient-direction", "shop"),
        ("linear-probe", "shop"),
        ("model-completion", "shop"),
        ("embedding-clustering", "shop"),
        ("direct-completion", "shop"),
        ("embedding-regression", "bank"),
        ("adjusted-count", "bank"),
    ],
)
def test_an_architecture_that_nobody_here_knows_is_attacked(stranger, name, adversary):
    run = read_run(stranger, (adversary,))
    settings = {"labels": "gradient-direction"} if name == "direct-completion" else {}
    found = attack_run(run, as_granted(built_attack(name, settings), run), name).finding
    assert found.status == "ok" and found.blind is not None, found.reason
    assert found.advantage is None or found.advantage >= 0
    if name == "gradient-direction":
        assert found.value > 0.97, "behind a top model rows of a class are pulled the same way"
    if name in {"linear-probe", "model-completion"}:
        assert found.value > 0.85


def test_what_cannot_be_begun_anew_or_tuned_says_so(stranger):
    run = read_run(stranger, ("shop",))
    for name, settings, said in (("semi-supervised", {}, "cannot be begun anew"),
                                 ("model-completion", {"bottom": "tuned"}, "cannot learn on")):  # fmt: skip
        found = attack_run(run, as_granted(built_attack(name, settings), run), name).finding
        assert found.status == "not applicable" and said in found.reason


def test_answers_that_were_not_recorded_for_all_training_rows_say_for_how_many(tmp_path):
    record = recorder(tmp_path / "run")
    record.rows(train=range(6))
    record.gradient("shop", range(6), np.ones((6, 2)), 0)
    record.outputs("shop", [0, 1, 2], np.ones((3, 2)), 0)
    record.know_labels(rows=[0, 1], labels=[0, 1])
    record.close()
    run = read_run(tmp_path / "run", ("shop",))
    found = attack_run(run, built_attack("linear-probe"), "linear-probe").finding
    assert "was recorded for 3 of 6 rows" in found.reason


def test_answers_that_were_written_in_few_bits_are_read_in_more(tmp_path):
    """Row numbers in 8 bits have no −1, and half precision overflows."""
    record = recorder(tmp_path / "run")
    record.gradient("shop", range(6), np.ones((6, 2)), 0)
    record.outputs("shop", range(6), np.ones((6, 2)), 0)
    record._writer._snapshots[0].state.update(rows=np.arange(6, dtype=np.uint8), outputs=np.ones((6, 2), np.float16))
    record.close()
    (taken,) = read_run(tmp_path / "run").transcript.snapshots
    assert (taken.state["rows"].dtype, taken.state["outputs"].dtype) == (np.int64, np.float32)


def test_widths_belong_to_parties_and_half_precision_is_read(tmp_path):
    record = recorder(tmp_path / "run", parties=["bank", "shop", "lab"])
    for party, width in (("shop", 3), ("lab", 5)):
        record.embedding(party, [0, 1], np.ones((2, width), dtype=np.float16), 0)
        record.gradient(party, [0, 1], torch.ones((2, width), dtype=torch.bfloat16), 0)
    record.close()
    told = read_run(tmp_path / "run").transcript.messages
    assert [message.payload[message.kind].shape[1] for message in told] == [3, 3, 5, 5]
    assert all(message.payload[message.kind].dtype == np.float32 for message in told)
    late = recorder(tmp_path / "late")
    late.embedding("shop", [0], np.ones((1, 3)), 0)
    with pytest.raises(ValueError, match="'shop' has 3 numbers a row so far, got 4"):
        late.embedding("shop", [0], np.ones((1, 4)), 0)


def test_what_was_given_may_be_written_into_afterwards(tmp_path):
    record, values = recorder(tmp_path / "run"), np.ones((2, 2))
    record.gradient("shop", [0, 1], values, 0)
    values[:] = 7
    record.close()
    assert (read_run(tmp_path / "run").transcript.messages[0].payload["gradient"] == 1).all()


def test_many_chunks_are_one_recording(tmp_path, monkeypatch):
    from seepage.transcript import writer

    monkeypatch.setattr(writer, "CHUNK", 200)
    loop = Loop(epochs=2)
    listened(tmp_path / "small", loop).close()
    monkeypatch.undo()
    listened(tmp_path / "large", Loop(epochs=2)).close()
    assert len(list((tmp_path / "small").glob("transcript.*.json"))) > 10
    many, one = (read_run(tmp_path / name).transcript for name in ("small", "large"))
    assert many.epochs == one.epochs == 2
    for left, right in zip(many.messages, one.messages, strict=True):
        assert left.kind == right.kind and np.array_equal(left.rows, right.rows)
        assert all(np.array_equal(left.payload[name], right.payload[name]) for name in right.payload)
    (tmp_path / "small" / "transcript.3.json").unlink()
    with pytest.raises(BadTranscript, match="counted from 1 without a gap"):
        read_run(tmp_path / "small")


ENGINE = """
import sys, time, numpy as np, seepage
from seepage.transcript import writer
writer.SECONDS = 0.0
record = seepage.Recorder(sys.argv[1], parties=["bank", "shop"], active="bank", classes=2)
for epoch in range(10**6):
    record.gradient("shop", np.arange(8), np.tile([[-1.0, 1.0], [1.0, -1.0]], (4, 1)), epoch)
    if epoch == 20:
        print("running", flush=True)
"""


def test_what_a_killed_engine_leaves_is_read_and_attacked(tmp_path):
    engine = subprocess.Popen([sys.executable, "-c", ENGINE, str(tmp_path / "run")], stdout=subprocess.PIPE)
    try:
        assert engine.stdout.readline() == b"running\n"
        time.sleep(0.05)
    finally:
        os.kill(engine.pid, signal.SIGKILL)
        engine.wait()
        engine.stdout.close()
    said = str(check(tmp_path / "run"))
    assert "was not closed" in said and "shop can try gradient-direction, gradient-sign" in said
    run = read_run(tmp_path / "run")
    assert len(run.transcript.messages) >= 20 and run.transcript.epochs is None
    guess = attack_run(run, built_attack("gradient-sign", {"epochs": [0]}), "gradient-sign").guess
    assert guess.labels.tolist() == [0, 1] * 4


def test_an_engine_that_raises_leaves_what_it_said(tmp_path):
    with pytest.raises(ZeroDivisionError), recorder(tmp_path / "run") as record:  # noqa: PT012
        record.gradient("shop", [0, 1], np.ones((2, 2)), 0)
        raise ZeroDivisionError
    assert len(read_run(tmp_path / "run").transcript.messages) == 1
    assert "was not closed" in str(check(tmp_path / "run"))


def test_each_party_is_told_what_is_its_own_and_nothing_else(stranger):
    by = {run.knowledge.threat.adversaries: run for run in read_runs(stranger)}
    assert set(by) == {("shop",), ("bank",)}
    shop, bank = by["shop",].knowledge, by["bank",].knowledge
    assert set(shop.own) == {"shop"} and shop.own["shop"].labels is None and len(shop.known_rows) == 8
    assert set(bank.own) == {"bank"} and bank.own["bank"].labels is not None and not len(bank.known_rows)
    assert set(shop.others) == {"bank"} and shop.values["bank"].shape == (40, 15)
    assert shop.auxiliary is None and bank.auxiliary is not None, "who holds the attribute need not ask"
    held = {path.name: path.read_bytes() for path in stranger.glob("knowledge*.safetensors")}
    labels = read_run(stranger).truth.labels.tobytes()
    assert labels not in held["knowledge.safetensors"] and labels in held["knowledge.1.safetensors"]


def test_those_who_collude_put_together_what_each_knows(tmp_path):
    record = recorder(tmp_path / "run", parties=["bank", "shop", "lab"])
    record.rows(train=range(4))
    for party in ("bank", "shop", "lab"):
        record.columns(party, np.arange(8.0).reshape(4, 2))
    record.know_labels(rows=[1, 2], labels=[0, 1])
    record.close()
    both = read_run(tmp_path / "run", ("lab", "shop")).knowledge
    assert set(both.own) == {"lab", "shop"} and set(both.others) == {"bank"}
    assert both.known_rows.tolist() == [1, 2] and set(both.threat.adversaries) == {"lab", "shop"}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda made: made.embedding("nobody", [0], [[1.0]], 0), "none of the parties"),
        (lambda made: made.embedding("shop", [0, 1], [[1.0]], 0), "one line for each row"),
        (lambda made: made.embedding("shop", [0], [[1.0]], -2), "epoch as a number from -1 on"),
        (lambda made: made.embedding("shop", [10**8], [[1.0]], 0), "row numbers below"),
        (lambda made: made.outputs("shop", [0], [[1.0]], -1), "a model's epoch as a number from 0 on"),
        (lambda made: made.embedding("shop", [-1], [[1.0]], 0), "whole numbers from 0 on"),
        (lambda made: made.embedding("shop", [0.5], [[1.0]], 0), "whole numbers from 0 on"),
        (lambda made: made.gradient("shop", [0], [["x"]], 0), "real numbers"),
        (lambda made: made.prediction([0], [[0.1, 0.2, 0.7]]), "of 2 numbers a row"),
        (lambda made: made.message("telepathy", "bank", "shop", [0], {}), "telepathy"),
        (lambda made: made.model("shop", lambda rows: rows, 0), "columns of 'shop' are not known"),
        (lambda made: made.outputs("shop", [0, 0], [[1.0], [2.0]], 0), "one answer for each row"),
        (lambda made: made.truth(labels=[0, 2]), "classes from 0 to 1"),
        (lambda made: made.columns("shop", [1.0, 2.0]), "must be rows by columns"),
        (lambda made: made.know_labels(per_class=4), "call truth"),
        (lambda made: made.know_property("a=b"), "give rows and has"),
        (lambda made: made.snapshot(Snapshot("nobody", 0, RECORDED, {})), "none of the parties"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused_where_it_is_made(tmp_path, call, said):
    with pytest.raises(ValueError, match=said):
        call(recorder(tmp_path / "run"))


@pytest.mark.parametrize("changes", [{"active": "x"}, {"parties": ["bank"]}, {"classes": 1}, {"batch": 0}, {"mood": 1}])
def test_terms_that_make_no_sense_are_refused(tmp_path, changes):
    with pytest.raises((ValueError, TypeError)):
        recorder(tmp_path / "run", **changes)


def test_a_folder_that_holds_something_is_not_written_into(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadTranscript, match="not an empty folder"):
        recorder(tmp_path)


@pytest.mark.parametrize("name", ["gradient-direction", "linear-probe", "label-chain"])
def test_neither_the_truth_nor_what_others_hold_reaches_a_guess(stranger, tmp_path, name):
    shutil.copytree(stranger, tmp_path / "run")
    with changed_arrays(tmp_path / "run" / "truth.safetensors") as truth:
        truth["labels"] = 1 - truth["labels"]
        truth["columns.0.features"] = truth["columns.0.features"] + 1
    with changed_arrays(tmp_path / "run" / "knowledge.1.safetensors") as bank:
        bank["own.0.labels"] = 1 - bank["own.0.labels"]
        bank["own.0.features"] = -bank["own.0.features"]
    settings = {"labels": "gradient-direction"} if name == "label-chain" else {}
    outcomes = []
    for folder in (stranger, tmp_path / "run"):
        run = read_run(folder, ("shop",))
        outcomes.append(attack_run(run, as_granted(built_attack(name, settings), run), name))
    one, other = outcomes
    assert one.finding.view == other.finding.view and one.finding.value != other.finding.value
    assert np.array_equal(one.guess.rows, other.guess.rows)
    said = [guess.units if name == "label-chain" else guess.scores for guess in (one.guess, other.guess)]
    assert np.array_equal(*said)
