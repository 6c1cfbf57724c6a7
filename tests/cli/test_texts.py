import json

import pytest
from typer.testing import CliRunner

from seepage.cli.app import app

CASES = {
    "catalog": (["iris", "--text", "body"], "text names a column of a file"),
    "no-text": (["FILE", "--label", "y", "--words", "5"], "name its column"),
    "unknown": (["FILE", "--label", "y", "--text", "nope"], "No column is called 'nope'"),
    "numbers": (["FILE", "--label", "y", "--text", "age"], "column 'age' holds numbers, not texts"),
    "too-few-words": (["FILE", "--label", "y", "--text", "body", "--words", "1"], "1 words cannot be dealt to 2"),
    "no-vocabulary": (["FILE", "--label", "y", "--text", "body", "--vocabulary", "none.txt"], "cannot be read"),
    "trees": (["FILE", "--label", "y", "--text", "body", "--federation", "forest"], "'active' are words"),
}


@pytest.mark.filterwarnings("ignore::seepage.data.ColumnLeftOut")
@pytest.mark.parametrize("case", list(CASES))
def test_texts_that_cannot_be_audited_are_refused_in_a_sentence(case, tmp_path):
    lines = [f"{row},{'warm' if row % 2 else 'cold'} day,{row % 2}" for row in range(30)]
    (tmp_path / "mail.csv").write_text("\n".join(["age,body,y", *lines]) + "\n")
    arguments, expected = CASES[case]
    arguments = [str(tmp_path / "mail.csv") if word == "FILE" else word for word in arguments]
    result = CliRunner().invoke(app, ["audit", *arguments, "--out", str(tmp_path / "out"), "--jobs", "0"])
    assert result.exit_code == 2, result.output
    assert expected in result.stderr and "Traceback" not in result.output


def test_an_attack_on_texts_finds_a_federation_that_reads_them(tmp_path):
    lines = [f"{'so warm' if row % 2 else 'so cold'} a day,{row % 2}" for row in range(90)]
    (tmp_path / "mail.csv").write_text("\n".join(["body,y", *lines]) + "\n")
    read = ["--data", str(tmp_path / "mail.csv"), "--label", "y", "--text", "body", "--words", "4"]
    brief = ["--set", "learner.epochs=1", "--set", "learner.iterations=2", "--seeds", "1", "--jobs", "0"]
    result = CliRunner().invoke(app, ["attack", "model-completion", *read, *brief, "--json", "-"])
    assert result.exit_code == 0, result.output
    (finding,) = map(json.loads, result.stdout.splitlines())
    assert (finding["federation"], finding["status"]) == ("split-network", "ok")
    assert finding["model_settings"]["bottom"] == "transformer"
