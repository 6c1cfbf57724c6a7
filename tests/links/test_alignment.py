"""Rows that parties share are found, and nothing else shows."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.errors import BadMessage, BadTable
from seepage.links.alignment import Aligner, Ids, align, normalised
from seepage.links.serialized import SerializedLink
from seepage.messages import Kind, Message
from seepage.shapes import NO_ROWS

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("cryptography") is None,
    reason="cryptography is not installed: pip install 'seepage[hosts]'",
)
LISTS = st.lists(st.integers(0, 30).map("id-{}".format), unique=True, max_size=20)


def aligned(bank, *others, most=100, tap=lambda message: None):
    """Align lists of ids over links that carry bytes; return everybody's shared rows."""
    answering = {f"shop-{n}": Aligner(Ids(f"shop-{n}", ids, most)) for n, ids in enumerate(others)}
    rows = align(Ids("bank", bank, most), {name: SerializedLink(one, tap) for name, one in answering.items()})
    return [rows, *(one.rows for one in answering.values())]


@given(LISTS, st.lists(LISTS, min_size=1, max_size=3))
def test_the_same_ids_are_found_as_by_comparing_them(bank, others):
    expected = set(bank).intersection(*others)
    if not expected:
        with pytest.raises(BadTable, match="No id is shared with 'shop-"):
            aligned(bank, *others)
        return
    found = aligned(bank, *others)
    named = [[ids[row] for row in rows] for ids, rows in zip((bank, *others), found, strict=True)]
    assert set(named[0]) == expected and len(named[0]) == len(expected)
    assert all(one == named[0] for one in named)  # everybody has them in one order


def test_what_crosses_says_how_many_there_are_and_which_are_shared_and_no_more():
    ids, heard = [f"person {n}" for n in range(50)], []
    aligned(ids[:30], ids[20:], tap=heard.append)
    asked, answered, told, done = heard
    assert {name: array.shape for name, array in asked.payload.items()} == {"masked": (30, 32)}
    assert {name: array.shape for name, array in answered.payload.items()} == {"twice": (30, 32), "masked": (30, 32)}
    assert told.payload["places"].shape == (10,) and not done.payload
    points = [point.tobytes() for said in (asked, answered) for array in said.payload.values() for point in array]
    assert len(set(points)) == len(points) == 90
    again = []
    aligned(ids[:30], ids[20:], tap=again.append)
    later = {point.tobytes() for point in again[0].payload["masked"]}
    assert not later & set(points)  # other secrets, other points: two runs cannot be laid side by side


def test_the_order_says_nothing_about_tables():
    ids = [f"person {n}" for n in range(200)]
    orders = [aligned(ids, ids, most=200)[0] for _ in range(2)]
    for rows in orders:
        assert sorted(rows) == list(range(200)) and abs(np.corrcoef(rows, np.arange(200))[0, 1]) < 0.3
    assert not np.array_equal(*orders)


def test_ids_are_compared_as_people_write_them():
    rows, theirs = aligned([" Ann ", 7, "ZOË"], ["zoe\u0308", "ann", "7", "bob"])
    assert sorted(zip(rows.tolist(), theirs.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 0)]
    assert normalised("Straße") == normalised("STRASSE")


@pytest.mark.parametrize(
    ("bank", "shop", "why"),
    [
        (["a", "b"], ["c"], "No id is shared with 'shop-0'"),
        (["a", "A "], ["a"], "'bank' has 1 rows whose id another row has as well"),
        (["a", " "], ["a"], "'bank' has rows without an id"),
        (["a"] , ["a", "a"], "'shop-0' has 1 rows whose id another row has"),
        ([f"{n}" for n in range(101)], ["1"], "'bank' brings 101 ids, but 100 are the most"),
        (["1"], [f"{n}" for n in range(101)], "'shop-0' brings 101 ids, but 100 are the most"),
    ],
)  # fmt: skip
def test_ids_that_cannot_be_aligned_are_told_in_a_sentence(bank, shop, why):
    with pytest.raises(BadTable, match=why):
        aligned(bank, shop)


def asked(payload, kind=Kind.ALIGNMENT):
    return Message(kind, "bank", "shop", -1, 0, NO_ROWS, payload)


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ({"masked": np.zeros((3, 31), dtype=np.uint8)}, "no list of points"),
        ({"masked": np.zeros((3, 32))}, "no list of points"),
        ({"masked": np.zeros((1, 32), dtype=np.uint8)}, "no list of points of Curve25519"),  # a point of small order
        ({"masked": np.ones((101, 32), dtype=np.uint8)}, "brings 101 ids, but 100 are the most"),
        ({"places": np.array([0, 0])}, "no places of our ids"),
        ({"places": np.array([7])}, "no places of our ids"),
        ({"places": np.array([0.0])}, "no places of our ids"),
        ({}, "was asked something else"),
    ],
)
def test_who_asks_wrongly_is_refused(payload, why):
    aligner = Aligner(Ids("shop", ["a", "b"], 100))
    with pytest.raises(BadMessage, match=why):
        aligner.answer(asked(payload))
    assert aligner.rows is None


def test_nobody_can_try_more_ids_than_were_agreed_by_asking_again():
    aligner, guesses = Aligner(Ids("shop", ["a", "b"], 2)), Ids("bank", ["a", "c"], 2)
    aligner.answer(asked({"masked": guesses.masked}))
    with pytest.raises(BadMessage, match="was asked something else"):
        aligner.answer(asked({"masked": Ids("bank", ["b", "d"], 2).masked}))


def test_nothing_else_is_answered_meanwhile_and_places_are_told_once():
    aligner = Aligner(Ids("shop", ["a", "b"], 100))
    with pytest.raises(BadMessage, match="was asked something else"):
        aligner.answer(asked({"masked": np.ones((1, 32), dtype=np.uint8)}, Kind.EMBEDDING))
    aligner.answer(asked({"places": np.array([1])}))
    with pytest.raises(BadMessage, match="was asked something else"):
        aligner.answer(asked({"places": np.array([0])}))


@pytest.mark.parametrize(
    "said", [{}, {"twice": np.ones((1, 32), dtype=np.uint8), "masked": np.ones((1, 32), np.uint8)}]
)
def test_answers_that_are_none_are_refused(said):
    class Lying(Aligner):
        def answer(self, message):
            return message.reply(said)

    with pytest.raises(BadMessage, match="did not answer with our points"):
        align(Ids("bank", ["a", "b"], 9), {"shop": SerializedLink(Lying(Ids("shop", ["a"])), lambda said: None)})
