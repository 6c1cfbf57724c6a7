"""The first trees are nobody's business."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import small_data, without_active_columns
from seepage.defenses.trees.first_trees_alone import FirstTreesAlone
from seepage.errors import BadSetting
from seepage.hooks import Hook, VisibleNodes, begin


def shown(tree, allowed):
    def ask():
        raise AssertionError("counts are nobody's business either")

    return VisibleNodes(tree=tree, class_counts=ask, overall=np.array([5, 5]), allowed=np.array(allowed, dtype=bool))


@given(tree=st.integers(0, 9), trees=st.integers(1, 6), allowed=st.lists(st.booleans(), max_size=6))
def test_no_node_of_the_first_trees_is_seen_and_later_ones_are_left_as_they_were(tree, trees, allowed):
    hook = begin(FirstTreesAlone(trees=trees), small_data("iris").parts["active"], np.random.default_rng(0))
    visible = shown(tree, allowed)
    expected = [False] * len(allowed) if tree < trees else allowed
    assert hook.split(visible).allowed.tolist() == expected
    assert visible.allowed.tolist() == allowed


def test_an_active_party_without_columns_is_refused():
    bare = without_active_columns(small_data("iris")).parts["active"]
    with pytest.raises(BadSetting, match="'active' holds the labels but no columns to grow a tree with; give it"):
        FirstTreesAlone().start(bare, np.random.default_rng(0))


def test_a_passive_party_decides_nothing():
    assert FirstTreesAlone().start(small_data("iris").parts["passive"], np.random.default_rng(0)) == Hook()
