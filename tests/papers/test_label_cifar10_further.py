"""Further tables on CIFAR-10, on a small scale: what is asked for, one thing at a time, and nothing twice."""

import json
import time
from dataclasses import fields, replace

import numpy as np
import pytest

from seepage.federations.split_network import SplitNetwork
from seepage.learners.completion.mixmatch import MixMatch
from seepage.papers import label_cifar10_work
from seepage.papers.kept import NOWHERE, Kept
from seepage.papers.label_cifar10_file import first_lines, read
from seepage.papers.label_cifar10_further import (
    AS_IN_TABLE_2,
    DIFFERENCES,
    FIGURE_5,
    FURTHER,
    TABLE_6,
    differences,
    figure5,
    further,
    table6,
)
from seepage.papers.label_cifar10_further_tables import further_headings, further_lines
from seepage.papers.label_cifar10_line import Line
from seepage.papers.label_cifar10_training import SGD, Setting, cifar10, dealt
from seepage.papers.label_cifar10_work import work
from seepage.papers.side_by_side import side_by_side, taken


def small():
    optimizer = replace(SGD, learning_rate=0.02)
    federation = SplitNetwork(hidden=(8,), cut=4, top=(4,), epochs=3, batch=128, optimizer=optimizer)
    return Setting("digits", federation, MixMatch(epochs=2, iterations=10), counts=(4,))


def flat(line):
    """Lay out all that a line runs with, value by value."""
    federation, attack = line.setting.federation, line.attack
    told = {field.name: getattr(federation.training, field.name) for field in fields(federation.training)}
    told |= {"bottoms": federation.bottoms, "attack": attack.name, "bottom": attack.bottom}
    return told | {"steps": attack.learner.epochs * attack.learner.iterations}


def test_one_thing_is_changed_at_a_time():
    alone, reading = differences(cifar10("cpu", epochs=30, batch=128))
    lines = [line for piece in (*alone, *reading) for line in piece]
    base = flat(lines[0])
    changed = {line.label: {name for name, value in flat(line).items() if value != base[name]} for line in lines}
    assert changed == {
        AS_IN_TABLE_2: set(),
        "300 steps of MixMatch": {"steps"},
        "2,000 steps of MixMatch": {"steps"},
        "the rate stays": {"optimizer"},
        "Adam at 0.001, the rate stays": {"optimizer"},
        "first weights of He et al.": {"first_weights"},
        "ResNet-20, as in the authors' code": {"bottoms"},
        "malicious, Adam at 0.001": {"optimizer", "attack"},  # beside the honest one with Adam
        "a third of the epochs": {"epochs"},
        "batches four times as large": {"batch"},
        "tuned along, 300 steps": {"bottom", "steps"},  # beside the frozen one with as many
        "tuned along, 2,000 steps": {"bottom", "steps"},
    }
    assert (base["steps"], base["epochs"], base["first_weights"]) == (5000, 30, "pytorch")


def test_every_line_has_a_name_of_its_own_and_every_defense_of_the_paper_has_one():
    lines = [line for piece in further(cifar10("cpu", epochs=30, batch=128), FURTHER) for line in piece]
    assert len({line.key(0) for line in lines}) == len(lines)
    named = {line.label for line in lines if line.table == TABLE_6}
    printed = [row for row in further_lines(TABLE_6, [held(label) for label in named]) if "| – |" not in row]
    assert len(printed) == 2 + 16 + 4  # headings, the paper's settings, and the authors' variant of PPDL


@pytest.mark.parametrize("table", FURTHER)
def test_no_two_columns_of_a_table_have_one_name(table):
    headings = further_headings(table)
    assert len(set(headings)) == len(headings)  # a name is what a cell is found by


def held(label):
    other = {"first-negative, epoch 0": 0.5, "smallest, epoch 0": 0.5}
    return {"table": TABLE_6, "line": label, "epochs": 1, "batch": 32, "value": 0.5, "utility": 0.5, "other": other}


def test_a_server_holds_the_labels_alone_where_gradients_are_defended():
    setting = small()
    for piece in (table6(setting)[0], figure5(setting)[0]):
        data = dealt(piece[0].setting, seed=0)
        assert data.parts[data.active].width == 0
        assert len(data.passive) == 2


def test_without_a_defense_every_label_is_read_and_noise_hides_many(tmp_path):
    lines = {piece[0].label: piece[0] for piece in table6(small())}
    data = dealt(lines["no defense"].setting, seed=0)
    bare, noisy, rounded = (
        lines[label].measured(data, 0, NOWHERE) for label in ("no defense", "noise 0.1", "discrete, N 6")
    )
    assert bare["value"] == bare["other"]["first-negative, epoch 0"] == 1.0
    assert noisy["value"] < 0.3
    assert rounded["value"] == 1.0 > rounded["other"]["smallest, epoch 1"]  # the first epoch is sent as it is


def test_a_bottom_model_is_trained_once_for_all_lines_that_complete_it(tmp_path, monkeypatch):
    alone, reading = differences(small())
    pieces = [alone[0][:2], reading[0]]
    monkeypatch.setattr(label_cifar10_work, "further", lambda *_: pieces)
    out = tmp_path / "results.jsonl"
    work(small(), (DIFFERENCES,), (0,), out)
    work(small(), (DIFFERENCES,), (0,), out)  # nothing is left to do
    found = read(out)
    assert [one["line"] for one in found] == [line.label for piece in pieces for line in piece]
    assert len(list(out.with_suffix(".trained").glob("*.npz"))) == 1
    assert len({one["other"]["top1_linear_probe"] for one in found}) == 1  # the same bottom model
    assert first_lines(found) == []
    (row,) = [row for row in further_lines(DIFFERENCES, found) if row.startswith(f"| {AS_IN_TABLE_2} |")]
    epochs = [found[0]["other"][f"top1_epoch_{number}"] for number in (1, 2)]
    assert f"| {max(epochs):.3f} | {epochs[-1]:.3f} |" in row


def test_both_attacks_under_a_defense_stand_in_one_row(tmp_path):
    both = [piece[0] for piece in figure5(small()) if piece[0].label == "noise 0.01"]
    data, kept = dealt(both[0].setting, 0), Kept(tmp_path)
    found = [line.measured(data, 0, kept) for line in both]
    assert [one["attack"] for one in found] == ["model-completion", "active-completion"]
    row = list(further_lines(FIGURE_5, found))[-1]
    assert row.startswith("| noise 0.01 | 1 |")
    assert row.count("|") == 13
    assert "–" not in row


def test_data_that_are_not_here_are_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    work(replace(small(), data="cifar10"), (TABLE_6,), (0,), tmp_path / "results.jsonl")
    assert capsys.readouterr().out.startswith("Data set 'cifar10' is not here")


def test_a_training_that_breaks_ends_no_other(tmp_path, capsys, monkeypatch):
    first, second = table6(small())[:2]
    monkeypatch.setattr(label_cifar10_work, "further", lambda *_: [first, second])
    monkeypatch.setattr(Line, "measured", refusing(Line.measured, first[0]))
    out = tmp_path / "results.jsonl"
    work(small(), (TABLE_6,), (0,), out)
    assert "table6, seed 0, no defense: ValueError: its numbers are none" in capsys.readouterr().out
    assert [one["line"] for one in read(out)] == [second[0].label]


def refusing(measured, broken):
    def measure(line, *rest):
        if line == broken:
            raise ValueError("its numbers are none")
        return measured(line, *rest)

    return measure


def take(folder):
    for number in range(6):
        path = folder / f"{number}.taken"
        with taken(path) as mine:
            if mine and not (folder / f"{number}.done").exists():
                time.sleep(0.05)
                with (folder / "done.jsonl").open("a") as file:
                    file.write(json.dumps(number) + "\n")
                (folder / f"{number}.done").touch()


def test_processes_side_by_side_do_nothing_twice(tmp_path):
    assert side_by_side(take, (tmp_path,), processes=2, seconds=None)
    done = [int(line) for line in (tmp_path / "done.jsonl").read_text().splitlines()]
    assert np.array_equal(np.sort(done), np.arange(6))


@pytest.mark.parametrize(("seconds", "in_time"), [(None, True), (0.0, False)])
def test_what_takes_too_long_is_ended(seconds, in_time):
    began = time.monotonic()
    assert side_by_side(time.sleep, (0 if in_time else 600,), 1, seconds) == in_time
    assert time.monotonic() - began < 60
