"""What an adversary knows of trees, drawn by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import agreed
from seepage.errors import IncompatibleView
from seepage.messages import NETWORK_KINDS, TREE_KINDS, Kind, Message
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, View, observe
from seepage.views.trees.instance_spaces import visible_leaves, visible_nodes

TERMS = agreed("forest", ("bank", "shop", "club"), top_model=False, outputs=0, kinds=TREE_KINDS)


def space(rows, nodes, receiver="shop", epoch=0, tree=0):
    payload = {"node": np.asarray(nodes), "tree": np.array([tree])}
    return Message(Kind.INSTANCE_SPACE, "bank", receiver, epoch, 0, np.asarray(rows), payload)


def split(rows, parents, left, sender="shop", epoch=0, tree=0):
    payload = {"node": np.asarray(parents), "left": np.asarray(left, dtype=bool), "tree": np.array([tree])}
    return Message(Kind.CHILD_SPACES, sender, "bank", epoch, 0, np.asarray(rows), payload)


def view_of(*messages, adversaries=("shop",), train=range(10)):
    known = Knowledge(threat=ThreatModel(adversaries=adversaries), train=np.array(train))
    return observe(Transcript(TERMS, messages), known)


def sets_of(view, visibility="subtraction"):
    return [[rows.tolist() for rows in tree.sets] for tree in visible_nodes(view, visibility)]


# The tree: the bank splits the root into 2 = {0..5} and 3 = {6..9}; the shop splits 2 into 4 = {0, 1, 2} and
# 5 = {3, 4, 5}, both leaves; the bank splits 3 into 6 = {6, 7, 8}, which is split again, and the leaf 7 = {9};
# the bank splits 6 into the leaves 12 = {6} and 13 = {7, 8}.
DRAWN = (
    space(range(10), [1] * 10),
    space(range(10), [2] * 6 + [3] * 4),
    split(range(6), [2] * 6, [True] * 3 + [False] * 3),
    space([6, 7, 8], [6] * 3),
)


def test_the_hand_drawn_tree_by_subtraction():
    (tree,) = visible_leaves(view_of(*DRAWN))
    assert (tree.round, tree.tree) == (0, 0)
    assert tree.leaf.tolist() == [4, 4, 4, 5, 5, 5, 6, 6, 6, 3]  # 3 stands for what is left of it: leaf 7
    assert sets_of(view_of(*DRAWN)) == [
        [list(range(10)), [0, 1, 2, 3, 4, 5], [6, 7, 8, 9], [0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    ]


def test_the_hand_drawn_tree_by_the_word():
    (tree,) = visible_leaves(view_of(*DRAWN), "literal")
    assert tree.leaf.tolist() == [4, 4, 4, 5, 5, 5, 6, 6, 6, -1]
    assert sets_of(view_of(*DRAWN), "literal") == [
        [list(range(10)), [0, 1, 2, 3, 4, 5], [6, 7, 8, 9], [0, 1, 2], [3, 4, 5], [6, 7, 8]]
    ]


def test_only_the_owner_of_a_split_knows_both_leaves():
    shown = [space(m.rows, m.payload["node"], "club") for m in DRAWN if m.kind is Kind.INSTANCE_SPACE]
    club = view_of(*shown, DRAWN[2], adversaries=("club",))
    assert visible_leaves(club)[0].leaf.tolist() == [2] * 6 + [6, 6, 6, 3]


def test_colluding_adversaries_pool_what_they_know():
    shown = [space(m.rows, m.payload["node"], "club") for m in DRAWN if m.kind is Kind.INSTANCE_SPACE]
    both = view_of(*shown, *DRAWN, adversaries=("shop", "club"))
    assert np.array_equal(visible_leaves(both)[0].leaf, visible_leaves(view_of(*DRAWN))[0].leaf)
    assert sets_of(both) == sets_of(view_of(*DRAWN))
    assert visible_leaves(view_of(shown[0], *DRAWN[1:], adversaries=("shop", "club")))[0].leaf[0] == 4


@st.composite
def grown(draw):
    """A random tree over a few rows, each inner node split by the active or the passive party."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    nodes, owners = {1: np.arange(draw(st.integers(2, 30)))}, {}
    waiting = [1]
    while waiting:
        node = waiting.pop(0)
        rows = nodes[node]
        if node.bit_length() > 4 or len(rows) < 2 or rng.random() < 0.3:
            continue
        left = rng.random(len(rows)) < 0.5
        if left.all() or not left.any():
            continue
        owners[node] = rng.choice(["bank", "shop"])
        nodes[2 * node], nodes[2 * node + 1] = rows[left], rows[~left]
        waiting += [2 * node, 2 * node + 1]
    return nodes, owners


@given(tree=grown())
def test_for_two_parties_subtraction_is_the_reading_of_the_authors_code(tree):
    nodes, owners = tree
    messages = [space(nodes[1], [1] * len(nodes[1]))]
    messages += [space(nodes[node], [node] * len(nodes[node])) for node in owners if node > 1]
    for node, owner in owners.items():
        if owner == "shop":
            messages.append(split(nodes[node], [node] * len(nodes[node]), np.isin(nodes[node], nodes[2 * node])))
    view = view_of(*messages, train=range(len(nodes[1])))
    expected = set()
    for node in nodes:
        if node in owners:
            continue
        hidden = node > 1 and (node ^ 1) not in owners and owners[node >> 1] == "bank"
        expected.add(tuple(nodes[node >> 1 if hidden else node].tolist()))
    (found,) = visible_leaves(view)
    assert {tuple(np.flatnonzero(found.leaf == leaf).tolist()) for leaf in np.unique(found.leaf)} == expected
    finest = {tuple(rows.tolist()) for rows in visible_nodes(view)[0].sets}
    assert expected <= finest


def test_rows_outside_a_tree_and_rows_of_no_training_are_left_out():
    view = view_of(space([1, 2, 77], [1, 1, 1]), train=[9, 2, 1])
    assert visible_leaves(view)[0].leaf.tolist() == [-1, 1, 1]


def test_trees_come_by_round_and_number():
    view = view_of(*(space([0], [1], epoch=e, tree=t) for e, t in [(2, 0), (0, 1), (0, 0), (-1, 0)]))
    assert [(tree.round, tree.tree) for tree in visible_leaves(view)] == [(0, 0), (0, 1), (2, 0)]


def test_where_a_defense_hid_every_tree_there_is_one_without_leaves():
    hidden = view_of(split([0], [1], [True]), train=[0, 1])
    hidden = View(replace(hidden.agreement, kinds=TREE_KINDS), hidden.knowledge)
    assert [tree.leaf.tolist() for tree in visible_leaves(hidden)] == [[-1, -1]]
    assert visible_nodes(hidden) == ()


def test_without_trees_there_is_nothing_to_see():
    view = view_of(split([0], [1], [True]))
    networks = View(replace(view.agreement, kinds=NETWORK_KINDS), view.knowledge, view.messages)
    with pytest.raises(IncompatibleView, match="received no instance-space messages"):
        visible_leaves(networks)
    with pytest.raises(IncompatibleView, match="No row of any tree was shown to 'shop'"):
        visible_nodes(view_of(space([], [])))
