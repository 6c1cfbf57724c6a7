import numpy as np
import pytest

from seepage.audit.plan.plan import make_plan
from seepage.audit.stages.preparation import load_table, split_rows
from seepage.data.split import official_split, split_of, stratified_split
from seepage.data.table import Table
from seepage.errors import BadSetting, BadTable


def labelled(*counts, official=None):
    labels = np.repeat(np.arange(len(counts)), counts)
    classes = tuple("ABCDEF"[: len(counts)])
    return Table("tiny", (), labels, classes, np.arange(len(labels)), official_test=official)


def test_every_row_is_on_one_side_and_every_class_on_both():
    table = labelled(8562, 10, 9)
    split = stratified_split(table, np.random.default_rng(0))
    np.testing.assert_array_equal(np.union1d(split.train, split.test), np.arange(table.rows))
    assert len(split.train) + len(split.test) == table.rows
    assert len(split.test) == pytest.approx(0.2 * table.rows, abs=1)
    assert set(table.labels[split.train]) == set(table.labels[split.test]) == {0, 1, 2}
    assert np.all(np.diff(split.train) > 0)
    assert np.all(np.diff(split.test) > 0)


def test_the_same_generator_splits_alike_and_another_does_not():
    table = labelled(50, 50)
    first, again, other = (stratified_split(table, np.random.default_rng(seed)).test for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_class_of_one_row_is_named():
    with pytest.raises(BadTable, match="class 'B' has 1 row"):
        stratified_split(labelled(20, 1), np.random.default_rng(0))


def test_too_few_rows_for_all_classes_are_refused():
    with pytest.raises(BadTable, match="too few"):
        stratified_split(labelled(2, 2, 2), np.random.default_rng(0))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan")])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(BadSetting, match="between 0 and 1"):
        stratified_split(labelled(20, 20), np.random.default_rng(0), share)


def test_the_official_split_is_what_the_source_says():
    split = official_split(labelled(2, 2, official=np.array([False, True, False, True])))
    assert split.train.tolist() == [0, 2]
    assert split.test.tolist() == [1, 3]


def test_a_table_without_official_split_says_what_to_do():
    with pytest.raises(BadTable, match="leave out --split official"):
        official_split(labelled(2, 2))


@pytest.mark.parametrize("asked", [0.5, "0.5", "0.50"])
def test_a_plan_can_say_which_share_of_the_rows_tests(asked):
    plan = make_plan({"data": {"name": "iris"}, "federations": [{"name": "forest"}], "attacks": [{"name": "union"}],
                      "split": asked})  # fmt: skip
    table = load_table(plan.data)
    split = split_rows(table, plan.split, seed=0)
    assert plan.split == "0.5" and len(split.train) == len(split.test) == 75
    assert np.bincount(table.labels[split.train]).tolist() == [25, 25, 25]


def test_a_fifth_is_what_stratified_says():
    assert split_of(0.2) == split_of("stratified") == "stratified"


@pytest.mark.parametrize("asked", ["half", 0, 1.0, -0.5, True, float("nan")])
def test_other_splits_are_refused_in_a_sentence(asked):
    with pytest.raises(ValueError, match="split must be stratified, official, or the share of the rows that test"):
        split_of(asked)
