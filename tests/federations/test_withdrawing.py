"""Which rows take part is found by messages, and everybody ends up with the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.errors import BadMessage
from seepage.federations.withdrawing import Withdrawing, withdraw
from seepage.hooks import Hook
from seepage.links.serialized import SerializedLink
from seepage.messages import Kind, Message

ROWS = np.array([4, 9, 2, 7, 5, 0])


def party(name, without):
    return Withdrawing(name, ROWS, Hook(alignment=lambda rows: rows[~np.isin(rows, without)]) if without else Hook())


@given(st.lists(st.lists(st.sampled_from(ROWS.tolist()), unique=True, max_size=3), min_size=2, max_size=4))
def test_rows_are_left_that_nobody_withdraws_and_everybody_hears_which(withdrawn):
    own, *others = (party(f"party-{n}", without) for n, without in enumerate(withdrawn))
    heard = []
    rows = withdraw(own, {other.name: SerializedLink(other, heard.append) for other in others})
    assert rows.tolist() == [row for row in ROWS.tolist() if not any(row in without for without in withdrawn)]
    assert all(np.array_equal(one.rows, rows) for one in (own, *others))
    assert {key for said in heard for key in said.payload} == {"left"}
    answers = {said.sender: said.payload["left"] for said in heard if said.payload and said.receiver == own.name}
    for other, without in zip(others, withdrawn[1:], strict=True):  # each says what it withdraws, and no more
        assert ROWS[~answers[other.name]].tolist() == [row for row in ROWS.tolist() if row in without]


@pytest.mark.parametrize(
    "message",
    [
        Message(Kind.EMBEDDING, "bank", "shop", -1, 0, ROWS, {}),
        Message(Kind.ALIGNMENT, "bank", "shop", -1, 0, ROWS[:3], {}),
        Message(Kind.ALIGNMENT, "bank", "shop", -1, 0, ROWS + 1, {"left": np.ones(6, dtype=bool)}),
    ],
)
def test_other_rows_and_other_questions_are_refused(message):
    with pytest.raises(BadMessage, match="'shop' was to say which of its rows take part"):
        party("shop", [4]).answer(message)
