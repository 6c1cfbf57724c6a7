"""What the terminal shows: a verdict and a few lines, in 80 columns, whatever things are called."""

import re
import unicodedata

import pytest

from command_line import typed
from imagined_findings import finding
from seepage.audit.findings.finding import write_findings
from seepage.audit.findings.survey import Survey
from seepage.cli.console import err, out
from seepage.cli.tables import print_survey, print_verdict

LONG = {
    "data": "customers_of_the_northern_region_2026",
    "federation": "a-federation-with-a-name-that-goes-on-for-a-while",
    "adversary": ("insurance-company-of-the-north", "the-other-insurance-company"),
    "attack": "bounded-correlation-augmentation",
}
DEFENSE = {"defense": "privacy-preserving-dl", "defense_settings": {"theta_u": 0.5}}


def audit():
    """Two federations, one with long names, under three seeds, with and without a defense."""
    partition = {"active": "hospital", "columns": {}}
    for seed in range(3):
        for names in ({}, LONG):
            told = {"seed": seed, "partition": partition, "utility_alone": 0.9 + seed / 1000, "blind": 0.5}
            yield finding(**told, **names, value=0.9 + seed / 100)
            yield finding(**told, **names, value=0.52 + seed / 100, **DEFENSE)
        yield finding(federation="forest", value=None, status="not applicable", reason="No gradients cross.", seed=seed)


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setattr(out, "width", 80)


@pytest.mark.parametrize("show", [print_verdict, print_survey])
def test_everything_fits_80_columns_and_no_name_is_broken(show, narrow, capsys):
    show(Survey(list(audit())), f"Who can learn what ({LONG['data']})")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    names = (*LONG["adversary"], LONG["federation"], LONG["attack"], DEFENSE["defense"], LONG["data"], "gradient-sign")
    assert [name for name in names if not any(name in line for line in lines)] == []


def test_a_name_that_is_longer_than_a_line_is_left_whole(narrow, capsys):
    endless = "x" * 200
    print_verdict(Survey([finding(federation=endless)]), "as tested")
    assert any(endless in line for line in capsys.readouterr().out.splitlines())


def test_where_there_is_room_columns_stand_beside_each_other(capsys):
    print_verdict(Survey([one for one in audit() if one.data != LONG["data"]]), "as tested")
    shown = capsys.readouterr().out
    assert re.search(r"labels +│ lab +│ summed-network +│ 0.820 \[0.770, 0.870\]", shown)
    assert "privacy-preserving-dl (theta_u=0.5)" in shown and "3 seeds" in shown


def test_one_line_counts_what_did_not_apply_and_names_what_nobody_read(capsys):
    print_verdict(Survey(list(audit())), "as tested")
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 of 5 attempts (an attack on a federation under a defense) did not apply; --table lists them" in shown
    assert "Not known, because no attack gave a number: labels by lab on forest." in shown
    assert "No gradients cross." not in shown


def test_the_table_has_the_reasons_and_can_be_printed_again(tmp_path):
    write_findings(tmp_path, audit())
    shown = " ".join(typed("report --table", tmp_path).stdout.split())
    assert "Who can learn what (breast_cancer, customers_of_the_northern_region_2026, 3 seeds)" in shown
    assert "gradient-sign on forest: not applicable. No gradients cross." in shown
    assert "Who can learn what" not in typed("report", tmp_path).stdout


HOSTILE = ["la\x1b[31mb", "\x9b2Jshop", "ring\x07\r\x08er", "\u202egnitirw", "[bold]red[/bold]", "zero\x00"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", [80, 160])
def test_names_cannot_steer_the_terminal(name, width, monkeypatch, capsys):
    monkeypatch.setattr(out, "width", width)
    odd = {"data": name, "federation": name, "adversary": (name,), "attack": name, "defense_settings": {name: name}}
    found = [finding(**odd), finding(**odd, defense=name, value=0.7), finding(**odd, asset="properties", property=name)]
    found += [finding(**{**odd, "attack": "other"}, value=None, status=status, reason=f"No {name}.")
              for status in ("failed", "not applicable")]  # fmt: skip
    for show in (print_verdict, print_survey):
        show(Survey(found), f"Who can learn what ({name})")
    err.print(f"Error: no column is called {name}.", markup=False)
    shown = "".join(capsys.readouterr())
    assert {sign for sign in shown if sign != "\n" and unicodedata.category(sign) in {"Cc", "Cf"}} == set()
    visible = name.encode("unicode_escape").decode("ascii")
    assert visible in shown, "what was there can be read"
