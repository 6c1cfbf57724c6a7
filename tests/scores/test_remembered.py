"""What is remembered, for how long, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.scores.remembered import Remembered


@given(asked=st.lists(st.integers(0, 9)), most=st.integers(1, 5))
def test_those_not_asked_for_longest_are_dropped(asked, most):
    answers, kept = Remembered(most=most), []
    for key in asked:
        worked_out = []
        assert answers.of(key, lambda key=key, said=worked_out: said.append(key) or -key) == -key
        assert worked_out == ([] if key in kept else [key])
        kept = [*(other for other in kept if other != key), key][-most:]


@given(asked=st.lists(st.integers(0, 9)))
def test_without_a_bound_everything_is_worked_out_once(asked):
    answers, worked_out = Remembered(), []
    for key in asked:
        answers.of(key, lambda key=key: worked_out.append(key))
    assert sorted(worked_out) == sorted(set(asked))


def test_what_is_the_same_in_any_run_is_shared_and_nothing_else_is():
    shared = Remembered(most=2)
    one, other = Remembered(shared=shared), Remembered(shared=shared)
    assert one.of("key", lambda: 1) == 1 and other.of("key", lambda: 2) == 2
    assert one.in_any_run("key", lambda: 3) == other.in_any_run("key", lambda: 4) == 3


def test_without_anything_shared_it_is_kept_for_the_run():
    answers = Remembered()
    assert answers.in_any_run("key", lambda: 3) == answers.in_any_run("key", lambda: 4) == 3
    assert Remembered().in_any_run("key", lambda: 5) == 5


def test_nothing_worked_out_is_an_answer_too():
    answers = Remembered()
    assert answers.of("none", lambda: None) is None
    assert answers.of("none", lambda: 1 / 0) is None


def test_a_bound_that_keeps_nothing_is_refused():
    with pytest.raises(ValueError, match="most must be 1 or more"):
        Remembered(most=0)
