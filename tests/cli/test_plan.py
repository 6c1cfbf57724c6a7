"""seepage plan: what would run, how long, what is taken to be known; and a file that runs it."""

import os

import pytest

from command_line import refused, typed
from seepage.audit.plan.plan import read_plan
from seepage.audit.plan.request import Request, plan_of

SMALL = "--federation logistic-regression --attack gradient-sign --defense none --seeds 1"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_plan_that_is_written_is_the_one_that_the_audit_would_follow(tmp_path):
    said = typed("plan iris --quick").stdout
    assert "Plan: plan.toml. Edit it, then: seepage audit plan.toml" in said
    assert read_plan(tmp_path / "plan.toml") == plan_of(Request(data="iris", depth="quick"))
    again = typed("plan plan.toml").stdout
    assert again == said.partition("\nPlan: ")[0]


def test_it_says_what_would_run_and_what_is_taken_to_be_known_in_80_columns():
    said = typed("plan --parties 3 --thorough").stdout
    assert max(map(len, said.splitlines())) <= 80
    for words in (
        "breast_cancer: 569 rows, 30 columns, 2 classes", "thorough", "active (holds the labels)",
        "passive-1 with passive-2 (after labels", "split-network", "no column with few values",
        "label-dp (epsilon=0.1;", "0, 1, 2, 3, 4", "trainings",
        "the labels of 4 training rows of each class", "released",
    ):  # fmt: skip
        assert words in " ".join(said.split()), words


def test_what_is_planned_is_what_is_done(tmp_path):
    typed(f"plan iris {SMALL}")
    done = typed("audit plan.toml --jobs 0 --out out").stdout
    assert "gradient-sign" in done
    assert read_plan(tmp_path / "out" / "plan.toml") == read_plan(tmp_path / "plan.toml")


def test_a_file_that_is_there_is_not_written_over_unless_told_so(tmp_path):
    typed(f"plan iris {SMALL}")
    assert "plan.toml is there already" in refused(f"plan wine {SMALL}")
    assert read_plan(tmp_path / "plan.toml").data.name == "iris"
    typed(f"plan wine {SMALL} --force")
    assert read_plan(tmp_path / "plan.toml").data.name == "wine"


def test_a_folder_that_is_not_there_or_not_ours_is_refused(tmp_path):
    assert "nowhere is no folder" in refused(f"plan iris {SMALL} --out nowhere/plan.toml")
    assert "is a folder" in refused(f"plan iris {SMALL} --out .")
    if os.geteuid() != 0:  # whoever may write anywhere is refused nowhere
        (tmp_path / "theirs").mkdir(mode=0o500)
        assert "Cannot write" in refused(f"plan iris {SMALL} --out theirs/plan.toml")
    assert not (tmp_path / "nowhere").exists()


def test_nothing_is_written_where_the_plan_is_refused(tmp_path):
    refused("plan iris --attack gradient-sing")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["audit", "plan"])
def test_help_comes_in_groups_with_examples(command):
    said = typed(f"{command} --help").stdout
    places = [said.index(title) for title in
              ("Examples", "Data", "Parties", "What is tried", "Who attacks", "How it runs", "Output")]  # fmt: skip
    assert places == sorted(places)
    assert f"seepage {command} people.csv --label y" in said
