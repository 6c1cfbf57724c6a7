"""What people can get wrong before a rehearsal begins: a sentence, status 2, and nothing left behind."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hosts import Hosts
from seepage.cli.app import app

BANK = ["rehearse", "rehearsal.toml", "--name", "bank", "--table", "bank.csv", "--label", "y", "--id", "id",
        "--peer", "shop=127.0.0.1:9", "--consent", "all", "--patience", "0.1"]  # fmt: skip
SHOP = ["party", "rehearsal.toml", "--name", "shop", "--table", "shop.csv", "--id", "customer", "--listen",
        "127.0.0.1:0", "--consent", "all"]  # fmt: skip


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    return Hosts(tmp_path_factory.mktemp("hosts")).folder


def answered(host: Path, arguments, monkeypatch):
    monkeypatch.chdir(host)
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code == 2 and done.exception is None) or isinstance(done.exception, SystemExit), done.output
    return done.output


def changed(arguments, **options):
    """Return the same command with other options; None leaves one out."""
    result = list(arguments)
    for name, value in options.items():
        place = result.index(f"--{name}")
        result[place : place + 2] = [] if value is None else [f"--{name}", value]
    return result


WRONG = {
    "nobody of that name": (changed(BANK, name="bnak"), "'bank' has the labels and drives; 'bnak' takes part"),
    "the driver as a party": (changed(SHOP, name="bank"), "'bank' has the labels and drives"),
    "a stranger as a party": (changed(SHOP, name="shpo"), "No party is called 'shpo'; did you mean 'shop'?"),
    "no id": (changed(BANK, id=None), "say which column names the rows (--id COLUMN)"),
    "no such label": (changed(BANK, label="why"), "No column is called 'why'"),
    "no such column": ([*SHOP, "--columns", "visits,spend"], "No column is called 'spend'"),
    "another number of classes": (changed(BANK, label="age"), "classes"),
    "no place for the shop": (changed(BANK, peer="shop"), "does not say where another party waits"),
    "a place for nobody": (changed(BANK, peer="lab=127.0.0.1:9"), "Write --peer NAME=HOST:PORT for each of shop"),
    "no consent": (changed(BANK, consent=""), "Nothing was consented to"),
    "consent to what there is not": (changed(BANK, consent="forest"), "No turn is called 'forest'"),
    "nobody to ask": (changed(BANK, consent=None), "Nobody is here to consent"),
    "time that is none": (changed(BANK, patience="nan"), "--patience must be a number of seconds above 0"),
    "nobody there": (BANK, "'shop' at 127.0.0.1:9 cannot be reached"),
    "no place to listen": (changed(SHOP, listen="7443"), "'7443' is no place to listen at"),
    "no plan": (["party", "plan.toml", *SHOP[2:]], "Cannot read plan.toml"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_mistake_is_told_in_a_sentence(what, hosts, monkeypatch):
    command, sentence = WRONG[what]
    said = answered(hosts / ("bank" if command[0] == "rehearse" else "shop"), command, monkeypatch)
    assert sentence in " ".join(said.split()) and "Traceback" not in said
    assert not list(hosts.rglob("findings.jsonl"))


PLANS = {
    "a key that there is not": ("rows = 150", "row = 150", "No key is called 'row'; did you mean 'rows'?"),
    "one party": ('parties = ["bank", "shop"]', 'parties = ["bank"]', "parties"),
    "a name that is a path": ('"shop"]', '"../shop"]', "'../shop' cannot be in a certificate"),
    "no classes": ("classes = 2\n", "", "does not say 'classes'"),
    "one class": ("classes = 2", "classes = 1", "classes"),
    "a defense that needs a place that sees all": (
        'name = "label-dp"', 'name = "output-verification"', "supposes a place that sees all columns",
    ),
    "trees in the clear": (
        'name = "logistic-regression", settings = { epochs = 20 }', 'name = "forest"',
        "send statistics of every label in the clear",
    ),
    "no fingerprints": ("[fingerprints]", "[grants]", "No key is called"),
    "what is no fingerprint": ('bank = "', 'bank = "zz', "what stands as the fingerprint of 'bank' is none"),
    "no TOML": ("classes = 2", "classes =", "is not TOML"),
    "one decoy": ("classes = 2", "classes = 2\ndecoys = 1", "decoys must be 0"),
}  # fmt: skip


@pytest.mark.parametrize("what", PLANS)
def test_a_plan_that_cannot_be_is_told_in_a_sentence(what, hosts, tmp_path, monkeypatch):
    before, after, sentence = PLANS[what]
    shutil.copytree(hosts / "bank", tmp_path / "bank")
    plan = tmp_path / "bank" / "rehearsal.toml"
    text = plan.read_text()
    assert before in text
    plan.write_text(text.replace(before, after))
    said = answered(tmp_path / "bank", BANK, monkeypatch)
    assert sentence in " ".join(said.split()) and "Traceback" not in said
