"""The victim's rows change places among themselves; nobody else's do."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seepage
from samples import small_data
from seepage.defenses.tables.shuffling import Shuffling, exchanged
from seepage.hooks import unchanged

HELD = {"petal=long": np.arange(150) % 3 == 0}


@lru_cache
def iris():
    return small_data("iris")


@given(count=st.integers(0, 80), share=st.floats(0, 1), seed=st.integers(0, 1000))
def test_exactly_the_share_of_rows_takes_part_and_no_row_leaves_or_is_doubled(count, share, seed):
    rows = np.random.default_rng(seed).permutation(200)[:count]
    places, people = exchanged(rows, share, np.random.default_rng(seed))
    assert len(places) == round(share * count)
    assert np.array_equal(np.sort(people), places) and np.isin(places, rows).all()
    assert len(np.unique(places)) == len(places)


@given(share=st.floats(0, 1), seed=st.integers(0, 100))
def test_whole_rows_of_the_part_move_and_rows_outside_training_stay(share, seed):
    data = iris()
    part = data.parts["passive"]
    moved = Shuffling(share=share).start(part, np.random.default_rng(seed)).table(part)
    assert sorted(map(tuple, moved.features.tolist())) == sorted(map(tuple, part.features.tolist()))
    assert np.array_equal(moved.features[data.test], part.features[data.test])
    changed = np.flatnonzero((moved.features != part.features).any(axis=1))
    assert len(changed) <= round(share * len(data.train)) and np.isin(changed, data.train).all()


def test_about_one_row_of_a_permutation_stays_where_it_was():
    fixed = [np.equal(*exchanged(np.arange(300), 1.0, np.random.default_rng(seed))).sum() for seed in range(300)]
    assert 0.8 < np.mean(fixed) < 1.2


def test_a_share_of_nothing_changes_nothing_and_the_part_itself_is_never_written_to():
    part = iris().parts["passive"]
    before = part.features.copy()
    still = Shuffling(share=0.0).start(part, np.random.default_rng(0)).table(part)
    assert np.array_equal(still.features, before)
    Shuffling(share=1.0).start(part, np.random.default_rng(0)).table(part)
    assert np.array_equal(part.features, before)


def test_asked_twice_the_same_rows_change_places():
    part = iris().parts["passive"]
    hook = Shuffling(share=0.5).start(part, np.random.default_rng(0))
    assert np.array_equal(hook.table(part).features, hook.table(part).features)


def test_without_a_property_passive_parties_shuffle_and_the_active_one_does_not():
    parts = iris().parts
    rng = np.random.default_rng(0)
    assert Shuffling().start(parts["active"], rng).table is unchanged
    assert Shuffling().start(parts["passive"], rng).table is not unchanged


def test_who_holds_the_property_shuffles_its_columns_and_never_its_labels():
    active = replace(iris().parts["active"], properties=HELD, asked=True)
    moved = Shuffling(share=1.0).start(active, np.random.default_rng(0)).table(active)
    assert not np.array_equal(moved.features, active.features)
    assert np.array_equal(moved.labels, active.labels)
    assert Shuffling().start(active, np.random.default_rng(0)).labels is unchanged


def test_where_a_property_is_asked_about_nobody_but_its_holder_shuffles():
    asked = small_data("iris", parties=3, adversary=("passive-1",), properties=("petal width (cm)=1..",))
    rng = np.random.default_rng(0)
    shuffling = [name for name, part in asked.parts.items() if Shuffling().start(part, rng).table is not unchanged]
    assert shuffling == ["passive-2"] == [name for name, part in asked.parts.items() if part.properties]


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        Shuffling(share=share)


def test_it_costs_utility_and_acts_in_trees_as_well():
    tried = {"federations": "decision-tree", "attacks": "id2graph", "defenses": "shuffling:share=1.0", "seeds": 1}
    findings = seepage.audit("breast_cancer", **tried, partition={"labels_only": True})
    worth = {finding.defense: finding.utility for finding in findings}
    assert worth["shuffling"] < worth[None] - 0.1
