"""Rows of which an adversary knows whether they have a property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from property_runs import LARGE
from samples import small_data
from seepage.errors import BadSetting
from seepage.partition import PartitionedTable
from seepage.views import Auxiliary, ThreatModel, grant
from seepage.views.auxiliary import FEWEST, draw_auxiliary

DATA: PartitionedTable = small_data(properties=(LARGE,))
HAS = DATA.parts["passive"].properties[LARGE]


def draw(seed=0, **settings):
    return draw_auxiliary(DATA, Auxiliary(**settings), HAS, np.random.default_rng(seed))


@given(rows=st.none() | st.integers(FEWEST, 227), seed=st.integers(0, 2**32 - 1))
def test_known_rows_are_different_training_rows_and_known_rightly(rows, seed):
    known = draw(seed, rows=rows)
    assert known.aligned and len(np.unique(known.rows)) == len(known.rows)
    assert np.isin(known.rows, DATA.train).all()
    assert np.array_equal(known.has, HAS[known.rows])
    with_it, without = int(known.has.sum()), int((~known.has).sum())
    there = int(HAS[DATA.train].sum())
    if rows is not None:
        assert (with_it, without) == (min(rows, there), min(rows, len(DATA.train) - there))
    assert known.exhausted == (with_it == there)
    again = draw(seed, rows=rows)
    assert np.array_equal(again.rows, known.rows)


def test_by_default_a_twentieth_of_the_training_rows_is_known_of_either_side():
    known = draw()
    assert int(known.has.sum()) == int((~known.has).sum()) == int(0.05 * len(DATA.train))
    assert known.share == 0.5 and not known.exhausted


def test_a_share_of_them_is_wrong_where_that_is_asked_for():
    known = draw(rows=50, mislabelled=0.2)
    assert int((known.has != HAS[known.source]).sum()) == 20


def test_people_whom_nobody_else_knows_come_from_outside_training_and_stand_in_for_aligned_rows():
    known = draw(rows=20, aligned=False)
    assert not known.aligned and not known.exhausted
    assert np.isin(known.source, DATA.test).all() and np.isin(known.rows, DATA.train).all()
    assert len(np.unique(known.rows)) == len(np.unique(known.source)) == 40
    assert np.array_equal(known.has, HAS[known.source])


def test_stand_ins_bring_their_columns_and_labels_and_leave_everything_else_alone():
    known = draw(rows=20, aligned=False)
    part = DATA.parts["active"]
    seen = known.in_table(part)
    assert np.array_equal(seen.features[known.rows], part.features[known.source])
    others = np.setdiff1d(np.arange(len(part.features)), known.rows)
    assert np.array_equal(seen.features[others], part.features[others])
    labels = known.in_labels(DATA.labels)
    assert np.array_equal(labels[known.rows], DATA.labels[known.source])
    assert np.array_equal(labels[others], DATA.labels[others])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rows": 300}, "300 auxiliary rows with the property and as many .* there are only 455 training rows. Ask"),
        ({"rows": 100, "aligned": False}, "only 114 rows outside training"),
    ],
)
def test_more_rows_than_there_are_are_refused(settings, words):
    with pytest.raises(BadSetting, match=words):
        draw(**settings)


def test_a_property_that_hardly_anybody_has_is_refused():
    rare = np.zeros_like(HAS)
    rare[DATA.train[:3]] = True
    with pytest.raises(
        BadSetting, match=r"There are 3 rows with the property and 452 without .* but 5 of each are needed"
    ):
        draw_auxiliary(DATA, Auxiliary(), rare, np.random.default_rng(0))


def test_knowledge_holds_what_the_threat_model_grants_and_counts_it():
    threat = ThreatModel(adversaries=("active",), property=LARGE, auxiliary=Auxiliary(rows=10))
    knowledge = grant(DATA, threat, np.random.default_rng(0))
    assert knowledge.auxiliary is not None
    summary = knowledge.summary()
    assert (summary["auxiliary_with"], summary["auxiliary_without"], summary["aligned"]) == (10, 10, True)
    assert all(not part.properties for part in knowledge.own.values())
    assert grant(DATA, ThreatModel(adversaries=("active",)), np.random.default_rng(0)).auxiliary is None
