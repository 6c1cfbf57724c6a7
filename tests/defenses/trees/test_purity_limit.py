"""Which nodes may be seen, against the definition, and when the limit is idle."""

from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from samples import small_data
from seepage.defenses.trees.purity_limit import LimitWithoutEffect, PurityLimit
from seepage.hooks import Hook, VisibleNodes, begin
from seepage.mechanisms.purity import largest_leakage, node_leakage


@st.composite
def nodes(draw):
    """Some nodes of one table: counts by node and class, and overall counts."""
    overall = draw(arrays(np.int64, st.integers(2, 6), elements=st.integers(0, 40)).filter(lambda found: found.any()))
    counts = [[draw(st.integers(0, int(most))) for most in overall] for _ in range(draw(st.integers(1, 5)))]
    return np.array(counts), overall


def eq_6(counts, overall):
    """Return the left side of Eq. 6 for one node, class by class."""

    def divergence(part):
        total = 0.0
        for here, everywhere in zip(part, overall, strict=True):
            if here:
                share = here / sum(part)
                total += share * log(share / (everywhere / sum(overall)))
        return total

    return max(divergence(counts), divergence([n - m for m, n in zip(counts, overall, strict=True)]))


def shown(counts, overall, allowed=None, tree=0):
    def ask():
        if counts is None:
            raise AssertionError("asked for counts without need")
        return np.asarray(counts)

    size = 3 if counts is None else len(counts)
    allowed = np.ones(size, dtype=bool) if allowed is None else np.asarray(allowed)
    return VisibleNodes(tree=tree, class_counts=ask, overall=np.asarray(overall), allowed=allowed)


def hook(limit):
    part = small_data("iris").parts["active"]
    return begin(PurityLimit(limit=limit), part, np.random.default_rng(0))


@settings(max_examples=200)
@given(drawn=nodes(), limit=st.floats(0.01, 1.0), data=st.data())
def test_a_node_may_be_seen_exactly_when_equation_6_holds(drawn, limit, data):
    counts, overall = drawn
    expected = np.array([eq_6(node.tolist(), overall.tolist()) for node in counts])
    assume(np.all(np.abs(expected - limit) > 1e-9))
    before = np.array(data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts))))
    after = hook(limit).split(shown(counts, overall, before)).allowed
    assert after.tolist() == [bool(was and value <= limit) for was, value in zip(before, expected, strict=True)]


@settings(max_examples=150)
@given(drawn=nodes())
def test_what_one_node_tells_about_a_label_is_below_the_bound_of_theorem_2(drawn):
    from sklearn.metrics import mutual_info_score

    counts, overall = drawn
    labels = np.repeat(np.arange(len(overall)), overall)
    for node, bound in zip(counts, node_leakage(counts, overall), strict=True):
        inside = np.concatenate([np.arange(most) < some for some, most in zip(node, overall, strict=True)])
        assert mutual_info_score(labels, inside) <= bound + 1e-12


@settings(max_examples=150)
@given(drawn=nodes())
def test_no_node_exceeds_the_logarithm_of_the_rarest_class(drawn):
    counts, overall = drawn
    assert np.all(node_leakage(counts, overall) <= largest_leakage(overall) + 1e-12)
    rarest = np.flatnonzero(overall == overall[overall > 0].min())[0]
    alone = np.eye(len(overall), dtype=np.int64)[rarest]
    assert node_leakage(alone[None], overall)[0] >= largest_leakage(overall) - 1e-12


@given(drawn=nodes())
def test_all_rows_and_no_rows_tell_nothing(drawn):
    _, overall = drawn
    assert node_leakage(np.stack([overall, np.zeros_like(overall)]), overall).tolist() == [0.0, 0.0]


def test_the_rows_outside_a_node_count_as_much_as_those_inside():
    overall = np.array([90, 10])
    inside, outside = np.array([[90, 5]]), np.array([[0, 5]])  # each is what the other leaves
    assert node_leakage(inside, overall) == node_leakage(outside, overall) == pytest.approx(log(10))


def test_counts_that_no_node_can_have_are_refused():
    for impossible in ([[5, 0]], [[-1, 0]]):
        with pytest.raises(ValueError, match="between 0 and all rows"):
            node_leakage(np.array(impossible), np.array([4, 4]))


def test_counts_are_asked_for_only_when_something_is_still_allowed():
    visible = shown(None, [5, 5], allowed=[False, False, False])
    assert hook(0.5).split(visible) is visible


def test_no_nodes_are_no_trouble():
    empty = VisibleNodes(
        tree=0, class_counts=lambda: np.zeros((0, 2)), overall=np.array([3, 3]), allowed=np.zeros(0, bool)
    )
    assert hook(0.5).split(empty).allowed.shape == (0,)


def test_a_permission_once_taken_is_not_given_back_and_the_question_is_left_as_it_was():
    visible = shown([[5, 5], [5, 5]], [10, 10], allowed=[False, True])
    assert hook(0.5).split(visible).allowed.tolist() == [False, True]
    assert visible.allowed.tolist() == [False, True]


def test_several_nodes_together_can_tell_what_each_by_itself_may_not():
    """Class 0 is where both nodes hold a row or neither does; each node by itself tells nothing."""
    from sklearn.metrics import mutual_info_score

    labels = np.repeat([0, 1], 4)
    left, right = np.array([1, 1, 0, 0, 1, 1, 0, 0]), np.array([1, 1, 0, 0, 0, 0, 1, 1])
    counts = np.array([np.bincount(labels[node == 1], minlength=2) for node in (left, right)])
    assert hook(0.01).split(shown(counts, [4, 4])).allowed.all()
    assert mutual_info_score(labels, 2 * left + right) == pytest.approx(log(2))


@pytest.mark.parametrize("limit", [log(3), 2.0])
def test_a_limit_that_no_node_can_reach_is_warned_of(limit):
    labels = np.tile([0, 1, 2], 10)
    part = small_data("iris").parts["active"]
    part = replace(part, labels=labels, features=part.features[:30], train=None)
    with pytest.warns(LimitWithoutEffect, match=r"no node can exceed 1.099, so a limit of .* changes nothing"):
        PurityLimit(limit=limit).start(part, np.random.default_rng(0))


def test_only_training_rows_say_which_class_is_rarest():
    part = small_data("iris").parts["active"]
    labels = np.array([0] * 10 + [1] * 10 + [1] * 20)
    part = replace(part, labels=labels, features=part.features[:40], train=np.arange(20))
    with pytest.warns(LimitWithoutEffect, match=r"0\.693"):
        PurityLimit(limit=0.7).start(part, np.random.default_rng(0))
    PurityLimit(limit=0.7).start(replace(part, train=None), np.random.default_rng(0))  # a quarter: up to 1.386


def test_a_passive_party_decides_nothing_and_is_warned_of_nothing():
    part = small_data("iris").parts["passive"]
    assert PurityLimit(limit=50.0).start(part, np.random.default_rng(0)) == Hook()
