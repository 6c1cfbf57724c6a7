"""Tables of papers on data that are not here."""

import pickle

import pytest

from seepage.data import sources
from seepage.errors import DataUnavailable
from seepage.papers.catalog import TABLES
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, at, table_plan
from seepage.papers.readings import Reading, Spread
from seepage.papers.rows import seeds_of, why_not


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    """A folder of data with nothing in it, and a cache that is not there."""
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path


def asked_of_criteo(reading):
    noise = at("noise", "laplace-noise", "scale", 0.1)
    plan = table_plan([("split-network", {"epochs": 3})], [reading], defenses=(UNDEFENDED, noise),
                      data={"name": "criteo"}, seeds=2)  # fmt: skip
    return plan, noise


def test_everything_that_was_asked_for_says_what_to_bring(no_data):
    reading = Reading("sign", "gradient-sign")
    plan, noise = asked_of_criteo(reading)
    found = Order().run(plan, "criteo")
    assert len(found) == 2 * 2 and {one.seed for one in found} == {0, 1}
    assert all(one.model_settings["epochs"] == 3 for one in found)
    for variant in (UNDEFENDED, noise):
        mine = reading.among(variant.of(found))
        assert len(mine) == 2 and seeds_of(mine) == 0 and reading.of(mine) == Spread(None)
        assert why_not(mine) == "not here: expected is 'criteo.parquet' in $SEEPAGE_DATA"
    assert str(no_data) not in why_not(found)  # a line of a table may be printed anywhere


def test_the_seeds_that_were_asked_for_are_those_told_of(no_data):
    plan, _ = asked_of_criteo(Reading("sign", "gradient-sign"))
    assert [one.seed for one in Order(seeds=1).run(plan, "criteo")] == [0, 0]


def test_a_refusal_survives_its_way_home_from_a_worker():
    refusal = pickle.loads(pickle.dumps(DataUnavailable("Not here. Bring it.", "not here")))
    assert (str(refusal), refusal.brief) == ("Not here. Bring it.", "not here")
    assert DataUnavailable("Not here.").brief == "Not here."


@pytest.mark.parametrize("table", ["provfl/table5", "provfl/table6", "provfl/table10", "provfl/table16"])
def test_lines_of_ours_say_it_and_those_of_the_paper_stay(table, no_data):
    lines = TABLES[table].lines(Order(only=TABLES[table].data[0], seeds=1))
    ours = [line for line in lines if line.get("whose") != "paper"]
    assert ours and all(line["remark"].startswith("not here: expected is '") for line in ours)
    assert any(line.get("whose") == "paper" for line in lines) or "paper" in "".join(lines[0])


def test_health_too_is_a_line_where_its_file_is_missing(no_data):
    lines = TABLES["provfl/table5"].lines(Order(only="health", seeds=1))
    assert [line["whose"] for line in lines] == ["paper", "ours"] * 4  # and no mean
    assert lines[0]["ProVFL-B"] == "0.0067" and lines[1]["ProVFL-B"] == "–"
    assert lines[1]["remark"] == "not here: expected is 'health.parquet' in $SEEPAGE_DATA"
