"""A paper's table, from plan to printed lines."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from imagined_orders import changed
from seepage.cli.app import app
from seepage.errors import UnknownName
from seepage.papers.labels import label_table6
from seepage.papers.labels.label_table6 import DEFENSES, DIGITS, TABLE6
from seepage.papers.order import Order


def small_table():
    """Two lines of Table 6 on two epochs of digits."""
    digits = replace(DIGITS, model={**DIGITS.model, "epochs": 2}, epochs=(0, 1))
    return changed(TABLE6, (digits,), defenses=(DEFENSES[0], DEFENSES[4]))


def run(**settings):
    return small_table().lines(Order(seeds=1, **settings))


def test_our_numbers_stand_beside_the_paper_s():
    bare, noisy = run()
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
    monkeypatch.setattr(label_table6, "TABLE6", small_table())
    shown = CliRunner().invoke(app, ["reproduce", "label/table6", "--jobs", "0"])
    assert shown.exit_code == 0, shown.output
    assert "no defense" in shown.stdout and "noise 0.1" in shown.stdout
