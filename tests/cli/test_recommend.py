"""seepage recommend, from limits to a sentence and a page."""

import json

import pytest

from command_line import refused, typed
from seepage.audit.plan.plan import plan_text
from seepage.audit.recommending.recommendation import Recommendation, read_recommendation
from seepage.errors import BadOutput
from small_audits import asked, chosen

NOISE = "--max labels=0.5 --defense laplace-noise --defense rounding --jobs 0"


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """An audit of a small network whose labels are read off gradients, with its plan."""
    folder = tmp_path_factory.mktemp("audited")
    plan = folder / "asked.toml"
    network = chosen("summed-network", epochs=2, batch=30)
    plan.write_text(plan_text(asked(federations=[network], attacks=["gradient-direction", "gradient-sign"])))
    typed("audit", plan, "--jobs", 0, "--out", folder / "found")
    return folder


@pytest.fixture(scope="module")
def recommended(audited):
    """What is said of the folder, and the folder."""
    return typed("recommend", audited / "found", *NOISE.split()), audited / "found"


def test_what_to_switch_on_is_said_stored_and_shown(recommended):
    said, folder = recommended
    found = read_recommendation(folder)
    assert found.best.defense.name == "laplace-noise"
    assert found.best.seeds == (1, 2, 3)
    assert "switch on laplace-noise" in said.stdout
    page = (folder / "report.html").read_text()
    assert "What meets the limits" in page
    assert "switch on laplace-noise" in page


def test_what_the_audit_knows_is_not_measured_again(recommended, audited):
    _, folder = recommended
    kept = [
        json.loads(line)
        for file in (folder / "recommending/cells").iterdir()
        for line in file.read_text().split("\n")
        if line
    ]
    undefended = [one for one in kept if one["finding"] and one["finding"]["defense"] is None]
    assert {one["finding"]["seed"] for one in undefended} == {1, 2, 3}  # the audit has seed 0


def test_a_search_that_is_run_again_trains_nothing(recommended):
    said, folder = recommended
    before = {file: file.stat().st_mtime_ns for file in (folder / "recommending/cells").iterdir()}
    again = typed(
        "recommend",
        folder,
        *["--max", "labels=0.5", "--defense", "laplace-noise", "--defense", "rounding", "--jobs", "0"],
    )
    assert again.stdout == said.stdout
    assert {file: file.stat().st_mtime_ns for file in (folder / "recommending/cells").iterdir()} == before


def test_where_nothing_helps_the_status_is_1(audited, tmp_path):
    options = "--max labels=0.1 --defense rounding --jobs 0"
    said = typed("recommend", audited / "asked.toml", *options.split(), "--out", tmp_path / "out", status=1)
    assert "Nothing that was tried keeps labels at or below 0.1" in said.stdout
    assert "Nearest comes" in said.stdout
    assert (tmp_path / "out/report.html").is_file()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "No limit is given"),
        ("--max labels=2", "expected a limit from 0 to 1"),
        ("--max lables=0.2", "did you mean 'labels'"),
        ("--max features=0.2", "no attack of this plan goes for features"),
        ("--max labels=0.2 --min-utility 1.5", "expected a number from 0 to 1"),
        ("--max labels=0.2 --min-gain -1", "expected a number from 0 to 1"),
        ("--max labels=0.2 --defense top-q", "did you mean 'top-k'"),
        ("--max labels=0.2 --federation forest", "No federation of this plan is called 'forest'"),
        ("--max labels=0.2 --min-utility 1", "more than any federation is worth without a defense"),
        ("--max labels=0.2 --quick", "so depth and seeds do not go with it"),
        ("--max labels=0.2 --out elsewhere", "leave out --out"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(audited, options, said):
    assert said in refused("recommend", audited / "found", *options.split(), "--jobs", 0)


def test_a_folder_without_an_audit_is_refused(tmp_path):
    assert "holds no audit" in refused("recommend", tmp_path, "--max", "labels=0.2")


@pytest.mark.parametrize("content", ["", "{}", '{"format": 1, "data": 3}', "[" * 5000])
def test_a_recommendation_that_is_damaged_is_refused(tmp_path, content):
    (tmp_path / "recommendation.json").write_text(content)
    with pytest.raises(BadOutput, match="cannot be read"):
        read_recommendation(tmp_path)


def test_a_recommendation_is_read_as_it_was_written(recommended, tmp_path):
    found = read_recommendation(recommended[1])
    found.write(tmp_path)
    assert isinstance(found, Recommendation)
    assert read_recommendation(tmp_path) == found
