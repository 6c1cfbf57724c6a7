"""A paper's table, from plan to printed lines."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from seepage.cli.app import app
from seepage.errors import UnknownName
from seepage.papers import label_table6
from seepage.papers.label_table6 import TABLE
from seepage.papers.reproducing import reproduce_table


def small_table():
    """Two lines of Table 6 on two epochs of digits."""
    digits = replace(TABLE.datasets[0], model={**TABLE.datasets[0].model, "epochs": 2}, epochs=(0, 1))
    return replace(TABLE, datasets=(digits,), rows=(TABLE.rows[0], TABLE.rows[4]))


def run(**settings):
    return reproduce_table(small_table(), **{"only": None, "seeds": 1, "out": None, "jobs": 0, "device": "cpu",
                                             "progress": lambda *_: None, **settings})  # fmt: skip


def test_our_numbers_stand_beside_the_paper_s():
    bare, noisy = (dict(zip(line.headings, line.cells, strict=True)) for line in run())
    assert (bare["paper: attack"], bare["ours: attack, epoch 0"], bare["rule, epoch 0"]) == ("–", "1.000", "1.000")
    assert noisy["defense"] == "noise 0.1" and noisy["paper: attack"] == "0.127" and noisy["paper: model"] == "0.100"
    assert float(noisy["ours: attack, epoch 0"]) < 0.25
    assert noisy["ours: attack, later epochs"].startswith("1: 0.")


def test_a_table_that_was_killed_continues_to_the_same_lines(tmp_path):
    assert run(out=tmp_path) == run(out=tmp_path) == run()


def test_an_unknown_data_set_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'digits'"):
        run(only="digit")


def test_the_command_prints_the_table(monkeypatch):
    monkeypatch.setattr(label_table6, "TABLE", small_table())
    shown = CliRunner().invoke(app, ["reproduce", "label/table6", "--jobs", "0"])
    assert shown.exit_code == 0, shown.output
    assert "no defense" in shown.stdout and "noise 0.1" in shown.stdout
