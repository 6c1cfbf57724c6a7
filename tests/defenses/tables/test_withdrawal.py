"""Who is withdrawn, by whom, and how many."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import small_data
from seepage.defenses.tables.withdrawal import Withdrawal, to_withdraw
from seepage.errors import BadSetting
from seepage.hooks import unchanged

THIRD = np.arange(150) % 3 == 0
FIFTH = np.arange(150) % 5 == 0


@lru_cache
def bystander():
    return small_data("iris").parts["passive"]


def victim(**properties):
    return replace(bystander(), properties={f"{name}=yes": mask for name, mask in properties.items()})


def left(defense, part, seed=0):
    return defense.start(part, np.random.default_rng(seed)).alignment(part.train)


@given(share=st.floats(0, 1), seed=st.integers(0, 100))
def test_a_share_of_the_rows_that_have_it_is_withdrawn_and_nobody_else(share, seed):
    part = victim(third=THIRD)
    rows = left(Withdrawal(share=share), part, seed)
    gone = np.setdiff1d(part.train, rows)
    assert len(gone) == round(share * THIRD[part.train].sum()) and THIRD[gone].all()
    assert np.array_equal(rows, part.train[np.isin(part.train, rows)])  # in order, none twice


@given(rows=st.integers(2, 5000), data=st.data())
def test_just_enough_rows_are_withdrawn(rows, data):
    having = data.draw(st.integers(1, rows - 1))
    fraction = data.draw(st.floats(0, 0.999)) * having / rows
    count = to_withdraw(having, rows, fraction)
    assert 0 < count <= having
    assert having - count <= fraction * (rows - count) + 1e-6
    assert having - (count - 1) > fraction * (rows - count + 1) - 1e-6


@pytest.mark.parametrize(("having", "rows", "fraction", "count"), [(6, 10, 0.5, 2), (5, 10, 0.3, 3), (4, 10, 0.0, 4)])
def test_counts_by_hand(having, rows, fraction, count):
    assert to_withdraw(having, rows, fraction) == count


def test_the_fraction_that_is_asked_for_is_what_is_left():
    part = victim(third=THIRD)
    rows = left(Withdrawal(until=0.2), part)
    assert THIRD[rows].mean() == pytest.approx(0.2, abs=1 / len(rows))
    assert THIRD[rows].mean() <= 0.2


@pytest.mark.parametrize("until", [0.34, 0.9])
def test_a_fraction_that_is_not_below_the_present_one_is_refused(until):
    with pytest.raises(BadSetting, match=r"until is 0\.\d+, but of the training rows of 'passive' only 0\.33"):
        left(Withdrawal(until=until), victim(third=THIRD))


def test_without_a_name_rows_that_have_any_audited_property_are_drawn_from():
    part = victim(third=THIRD, fifth=FIFTH)
    gone = np.setdiff1d(part.train, left(Withdrawal(share=1.0), part))
    assert np.array_equal(gone, part.train[(THIRD | FIFTH)[part.train]])
    named = np.setdiff1d(part.train, left(Withdrawal(share=1.0, property="fifth = yes"), part))
    assert np.array_equal(named, part.train[FIFTH[part.train]])


def test_a_party_that_does_not_hold_the_property_does_nothing():
    rng = np.random.default_rng(0)
    assert Withdrawal().start(bystander(), rng).alignment is unchanged
    assert Withdrawal(property="other=yes").start(victim(third=THIRD), rng).alignment is unchanged


def test_who_is_withdrawn_is_drawn_at_random_once_for_a_run():
    part = victim(third=THIRD)
    hook = Withdrawal(share=0.5).start(part, np.random.default_rng(0))
    assert np.array_equal(hook.alignment(part.train), hook.alignment(part.train))
    assert not np.array_equal(left(Withdrawal(share=0.5), part, 1), left(Withdrawal(share=0.5), part, 2))
