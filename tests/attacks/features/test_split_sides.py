"""split-sides: what the children of a partner's splits tell about its columns, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from hand_made import own_part
from seepage.attacks.features.split_sides import SplitSides
from seepage.errors import IncompatibleView
from seepage.messages import NETWORK_KINDS, Kind, Message
from seepage.partition import PublicColumns
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, observe
from seepage.views.trees.others_splits import others_splits
from tree_views import terms

ROWS = 200


def rng(seed=0):
    return np.random.default_rng(seed)


def split(number, column, threshold, rows=None, party="shop"):
    """Let a party split a node of its own tree at a threshold of one column."""
    rows = np.arange(len(column)) if rows is None else rows
    payload = {"node": np.full(len(rows), 1), "left": column[rows] <= threshold, "tree": np.array([0])}
    return Message(Kind.CHILD_SPACES, party, "bank", number, 0, rows, payload)


def bank_view(columns, messages, known=20, own=None, names=None, federation="forest"):
    """Show the bank, which holds the labels, the splits of the shop, and a few of its rows."""
    columns = np.asarray(columns, dtype=np.float64)
    names = names or tuple(f"c{place}" for place in range(columns.shape[1]))
    limits = np.stack((np.nanmin(columns, axis=0), np.nanmax(columns, axis=0)), axis=1)
    own = rng(9).normal(size=(len(columns), 1)) if own is None else own
    held = tuple(f"own{place}" for place in range(own.shape[1]))
    part = own_part("bank", own.astype(np.float32), held, labels=np.arange(len(columns)) % 2, classes=2)
    value_rows = np.sort(rng(1).choice(len(columns), known, replace=False))
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("bank",), known_values=known),
        own={"bank": part},
        train=np.arange(len(columns)),
        others={"shop": PublicColumns(names, limits, tuple(name.split("=")[0] for name in names))},
        value_rows=value_rows,
        values={"shop": columns[value_rows]},
    )
    return observe(Transcript(terms(2, federation), tuple(messages)), knowledge)


def error(guess, columns):
    units = (columns - columns.min(axis=0)) / np.ptp(columns, axis=0)
    return np.mean((guess.units - units[guess.rows]) ** 2)


def test_thresholds_all_over_a_column_give_it_away():
    column = rng(2).random((ROWS, 1))
    messages = [split(number, column[:, 0], (number + 1) / 10) for number in range(9)]
    guess = SplitSides(known=20).run(bank_view(column, messages), rng())
    assert error(guess, column) < 0.002
    assert guess.notes["named_splits"] == guess.notes["splits"] == 9
    assert not np.isin(guess.rows, bank_view(column, messages).knowledge.value_rows).any()


def test_a_split_of_an_indicator_gives_every_row_away_that_came_to_it():
    category = rng(3).integers(3, size=ROWS)
    columns = np.eye(3)[category]
    guess = SplitSides(known=20).run(
        bank_view(columns, [split(0, columns[:, 1], 0.5)], names=("job=a", "job=b", "job=c")), rng()
    )
    assert np.array_equal(guess.units[:, 1], columns[guess.rows, 1])
    assert np.allclose(guess.units[columns[guess.rows, 1] == 1][:, [0, 2]], 0.0)
    assert np.allclose(guess.units.sum(axis=1), 1.0)


def test_sides_that_have_nothing_to_do_with_columns_help_nobody():
    column = rng(4).random((ROWS, 2))
    messages = [split(number, rng(50 + number).random(ROWS), 0.5) for number in range(6)]
    guess = SplitSides(known=40).run(bank_view(column, messages, known=40), rng())
    assert error(guess, column) > 0.9 * column.var(axis=0).mean() / np.ptp(column, axis=0).mean() ** 2
    assert guess.notes["named_splits"] == 0


def test_own_columns_are_all_there_is_where_nobody_else_ever_split():
    own = rng(5).random((ROWS, 1))
    guess = SplitSides(known=20).run(bank_view(2 * own, [], own=own), rng())
    assert error(guess, own) < 1e-6
    assert guess.notes["splits"] == 0


def test_rows_outside_a_sample_have_no_side():
    column = rng(6).random((ROWS, 1))
    view = bank_view(column, [split(0, column[:, 0], 0.5, rows=np.arange(0, ROWS, 2))])
    sides = others_splits(view).sides[:, 0]
    assert set(sides[::2].tolist()) == {1, -1}
    assert not sides[1::2].any()
    guess = SplitSides(known=20).run(view, rng())
    even = guess.rows % 2 == 0
    truth = (column - column.min()) / np.ptp(column)
    errors = (guess.units - truth[guess.rows]) ** 2
    assert errors[even].mean() < errors[~even].mean()


def test_the_largest_nodes_are_kept_in_their_order():
    column = rng(6).random(ROWS)
    sizes = (50, ROWS, 100)
    view = bank_view(column[:, None], [split(n, column, 0.5, rows=np.arange(size)) for n, size in enumerate(sizes)])
    assert others_splits(view).largest(2).rounds == (1, 2)
    assert others_splits(view).largest(3).rounds == (0, 1, 2)


def test_gaps_among_known_values_are_survived():
    column = rng(7).random((ROWS, 2))
    gaps = column.copy()
    gaps[::4, 1] = np.nan
    messages = [split(number, column[:, 0], (number + 1) / 10) for number in range(9)]
    guess = SplitSides(known=20).run(bank_view(gaps, messages), rng())
    assert np.mean((guess.units[:, 0] - column[guess.rows, 0]) ** 2) < 0.01


def test_chosen_columns_alone_are_inferred_but_all_are_considered_when_splits_are_named():
    columns = rng(8).random((ROWS, 2))
    messages = [split(number, columns[:, 1], (number + 1) / 10) for number in range(9)]
    guess = SplitSides(known=20, columns=("c0",)).run(bank_view(columns, messages), rng())
    assert guess.columns == (("shop", "c0"),)
    assert guess.chosen
    assert guess.notes["named_splits"] > 0
    assert error(guess, columns[:, :1]) > 0.03


def test_one_view_and_one_generator_give_one_answer():
    column = rng(2).random((ROWS, 2))
    view = bank_view(column, [split(n, column[:, n % 2], 0.3 + 0.1 * n) for n in range(4)])
    one, two = (SplitSides(known=10).run(view, rng(4)).units for _ in range(2))
    assert np.array_equal(one, two)


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(ValueError, match="known must be 2 or more, got 1"):
        SplitSides(known=1)
    column = rng(2).random((ROWS, 1))
    view = bank_view(column, [split(0, column[:, 0], 0.5)])
    with pytest.raises(IncompatibleView, match="known for 20 training rows, but 40 are asked for"):
        SplitSides().run(view, rng())
    networks = replace(view, agreement=replace(view.agreement, kinds=NETWORK_KINDS))
    with pytest.raises(IncompatibleView, match="no child-spaces messages cross"):
        SplitSides(known=20).run(networks, rng())
    with pytest.raises(IncompatibleView, match="No party but the adversary holds a column 'age'"):
        SplitSides(known=20, columns=("age",)).run(view, rng())
