from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand_made
from seepage.data.catalog import load_dataset
from seepage.data.sets.synthetic import synthetic
from seepage.data.table import Column, Table
from seepage.errors import BadPartition, UnknownName
from seepage.partition import Dealing
from seepage.partition.deal import importance

DIGITS = load_dataset("digits")


def table_of(width, rows=12):
    rng = np.random.default_rng(0)
    return hand_made.table_of(*(Column(f"c{place}", rng.normal(size=rows)) for place in range(width)))


def deal(dealing, table, seed=0):
    return dealing.deal(table, np.arange(table.rows), np.random.default_rng(seed))


@given(
    kind=st.sampled_from(["random", "halves", "by-importance"]),
    parties=st.integers(2, 6),
    extra=st.integers(0, 20),
    share=st.none() | st.floats(0.01, 0.99),
    adversary=st.integers(0, 5),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=80, deadline=None)
def test_every_column_is_dealt_once_and_shares_are_as_asked(kind, parties, extra, share, adversary, seed):
    table = table_of(parties + extra)
    names = tuple(f"p{place}" for place in range(parties))
    chosen = names[adversary % parties]
    dealing = Dealing(kind, parties, names, adversary_share=share, adversary=chosen)
    partition = deal(dealing, table, seed)
    dealt = [name for columns in partition.columns.values() for name in columns]
    assert sorted(dealt) == sorted(table.column_names)
    assert tuple(partition.columns) == names
    sizes = {party: len(columns) for party, columns in partition.columns.items()}
    assert min(sizes.values()) >= 1
    others = [size for party, size in sizes.items() if share is None or party != chosen]
    assert max(others) - min(others) <= 1
    if share is not None:
        asked = round(share * len(table.columns))
        assert sizes[chosen] == min(max(1, asked), len(table.columns) - parties + 1)
    assert deal(dealing, table, seed) == partition


def test_another_generator_deals_other_hands():
    table = table_of(20)
    assert len({deal(Dealing(), table, seed).columns["active"] for seed in range(5)}) == 5


def test_hands_keep_the_order_of_the_table():
    for columns in deal(Dealing(parties=3), table_of(12)).columns.values():
        assert [int(name[1:]) for name in columns] == sorted(int(name[1:]) for name in columns)


def test_halves_give_the_first_columns_to_the_active_party():
    assert deal(Dealing("halves"), table_of(4)).columns == {"active": ("c0", "c1"), "passive": ("c2", "c3")}


def test_an_adversary_may_hold_every_column_against_an_active_party_with_labels_alone():
    partition = deal(Dealing(adversary_share=1.0), table_of(4))
    assert partition.columns["active"] == ()
    assert len(partition.columns["passive"]) == 4
    with pytest.raises(BadPartition, match="'passive' holds no columns"):
        deal(Dealing(adversary_share=1.0, adversary="active"), table_of(4))


@pytest.mark.parametrize("kind", ["random", "halves", "by-importance"])
def test_too_few_columns_are_refused(kind):
    with pytest.raises(BadPartition, match="2 columns cannot be dealt to 3 parties"):
        deal(Dealing(kind, parties=3), table_of(2))


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(BadPartition, match="share must be above 0"):
        Dealing(adversary_share=share)


@pytest.mark.parametrize(
    "wrong",
    [{"parties": 1}, {"parties": -2}, {"names": ("a",)}, {"names": ("a", "a")}, {"names": ("a", "b"), "parties": 3},
     {"kind": "named"}, {"columns": {"a": ("x",), "b": ("y",)}}, {"shared": 1.5}, {"shared": 0.5, "kind": "halves"}],
)  # fmt: skip
def test_contradictions_are_refused(wrong):
    with pytest.raises(BadPartition):
        Dealing(**wrong)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'passive'"):
        Dealing(adversary="pasive")
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        Dealing("randon")
    with pytest.raises(UnknownName, match="No column is called 'zz'"):
        deal(Dealing("named", columns={"a": ("c0",), "b": ("zz",)}), table_of(3))


def test_named_columns_go_where_they_were_named_for_and_the_rest_is_left_out():
    dealing = Dealing("named", columns={"bank": (), "shop": ("c2", "c0")})
    assert deal(dealing, table_of(4)).columns == {"bank": (), "shop": ("c2", "c0")}
    assert dealing.favored == "shop"


def test_columns_overlap_only_when_that_was_asked_for():
    columns = {"bank": ("c0", "c1"), "shop": ("c1",)}
    with pytest.raises(BadPartition, match="given to 'bank' and 'shop'"):
        deal(Dealing("named", columns=columns), table_of(3))
    assert deal(Dealing("named", columns=columns, overlap=True), table_of(3)).columns == columns


@given(shared=st.floats(0.05, 1.0), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_shared_columns_are_the_share_of_the_others_columns_that_was_asked_for(shared, seed):
    alone = deal(Dealing(parties=3), table_of(12), seed)
    partition = deal(Dealing(parties=3, shared=shared), table_of(12), seed)
    own, more = set(alone.columns["passive-2"]), set(partition.columns["passive-2"])
    assert own <= more
    assert len(more - own) == round(shared * 8)
    assert all(partition.columns[party] == alone.columns[party] for party in ("active", "passive-1"))


@pytest.mark.parametrize("adversary", ["active", "passive-1", "passive-2"])
def test_stripes_are_shared_with_whoever_stands_next_to_them(adversary):
    table = load_dataset("digits")  # 8 pixels wide
    alone = deal(Dealing("stripes", parties=3, adversary=adversary), table, 0).columns
    both = deal(Dealing("stripes", parties=3, adversary=adversary, shared=0.4), table, 0).columns
    assert {party: both[party] for party in both if party != adversary} == {
        party: alone[party] for party in alone if party != adversary
    }
    held = sorted({int(name.split("_")[2]) for name in both[adversary]})
    own = sorted({int(name.split("_")[2]) for name in alone[adversary]})
    assert held == list(range(held[0], held[-1] + 1))  # a picture again
    assert set(own) < set(held) and len(held) - len(own) == round(0.4 * (8 - len(own)))


def test_the_favored_party_gets_the_columns_that_tell_most_about_the_label():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, size=400)
    noise = [Column(f"noise{place}", rng.normal(size=400)) for place in range(4)]
    telling = [
        Column("number", labels + 0.1 * rng.normal(size=400)),
        Column("word", labels.copy(), levels=("a", "b")),
    ]
    telling[0].values[:5] = np.nan
    table = Table("t", (*noise, *telling), labels, ("0", "1"), np.arange(400))
    assert set(deal(Dealing("by-importance", adversary_share=0.34), table).columns["passive"]) == {"number", "word"}
    favored = Dealing("by-importance", adversary_share=0.34, adversary="active")
    assert set(deal(favored, table).columns["active"]) == {"number", "word"}


def test_importance_looks_at_training_rows_alone():
    table = synthetic(rows=300, features=6)
    train = np.arange(200)
    early = np.arange(300) < 200
    columns = tuple(Column(c.name, np.where(early, c.values, 0.0)) for c in table.columns)
    other = replace(table, columns=columns, labels=np.where(early, table.labels, 1 - table.labels))
    first, second = (importance(t, train, np.random.default_rng(0)) for t in (table, other))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kind", ["stripes", "halves"])
@pytest.mark.parametrize("parties", [2, 3, 8])
def test_stripes_rebuild_the_picture(kind, parties):
    partition = deal(Dealing(kind, parties), DIGITS)
    picture = np.stack([column.values for column in DIGITS.columns], axis=1).reshape(-1, 8, 8)
    stripes = [
        np.stack([DIGITS[name].values for name in names], axis=1).reshape(len(picture), 8, -1)
        for names in partition.columns.values()
    ]
    np.testing.assert_array_equal(np.concatenate(stripes, axis=2), picture)


def test_two_parties_get_the_left_and_the_right_half():
    partition = deal(Dealing("stripes"), DIGITS)
    assert set(partition.columns["active"]) == {f"pixel_{row}_{column}" for row in range(8) for column in range(4)}


def test_stripes_need_pictures_wide_enough():
    with pytest.raises(BadPartition, match="holds no pictures"):
        deal(Dealing("stripes"), table_of(4))
    with pytest.raises(BadPartition, match="8 columns of pixels cannot be dealt to 9 parties"):
        deal(Dealing("stripes", parties=9), DIGITS)


@pytest.mark.parametrize("kind", ["random", "halves", "by-importance"])
@pytest.mark.parametrize("parties", [2, 3])
def test_an_active_party_with_labels_alone_leaves_all_columns_to_the_others(kind, parties):
    table = load_dataset("breast_cancer")
    dealing = Dealing(kind=kind, parties=parties, labels_only=True)
    dealt = dealing.deal(table, np.arange(400), np.random.default_rng(0))
    assert dealt.columns[dealt.active] == ()
    assert sorted(name for party in dealt.passive for name in dealt.columns[party]) == sorted(table.column_names)


def test_labels_alone_cannot_be_combined_with_columns_for_the_active_party():
    with pytest.raises(BadPartition, match="labels alone"):
        Dealing(adversary="active", labels_only=True)


@given(
    parties=st.integers(2, 5),
    extra=st.integers(3, 12),
    kept=st.sets(st.integers(0, 2)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_kept_columns_go_to_their_keeper_whole_and_hands_stay_of_the_same_size(parties, extra, kept, seed):
    table = table_of(3 * parties + extra)
    names = tuple(f"p{place}" for place in range(parties))
    chosen = tuple(f"c{number}" for number in kept)
    for keeper in names:
        partition = deal(Dealing("random", parties, names, kept=chosen, keeper=keeper), table, seed)
        assert set(chosen) <= set(partition.columns[keeper])
        assert sorted(name for hand in partition.columns.values() for name in hand) == sorted(table.column_names)
        plain = deal(Dealing("random", parties, names), table, seed)
        assert {p: len(h) for p, h in partition.columns.items()} == {p: len(h) for p, h in plain.columns.items()}


def test_kept_columns_change_nothing_where_none_are_kept():
    plain = deal(Dealing(parties=3), table_of(12), 5)
    assert deal(Dealing(parties=3, kept=(), keeper="active"), table_of(12), 5) == plain


def test_by_default_kept_columns_go_to_the_last_party_that_is_not_the_adversary():
    assert "c0" in deal(Dealing(parties=3, kept=("c0",)), table_of(9)).columns["passive-1"]
    assert "c0" in deal(Dealing(parties=3, kept=("c0",), adversary="active"), table_of(9)).columns["passive-2"]


def test_columns_beside_kept_ones_are_dealt_at_random():
    hands = {deal(Dealing(kept=("c0",), keeper="passive"), table_of(12), seed).columns["active"] for seed in range(6)}
    assert len(hands) == 6 and all("c0" not in hand for hand in hands)


def test_more_kept_columns_than_their_keeper_is_dealt_are_refused():
    with pytest.raises(BadPartition, match="speak about c0, c1, c2, which 'passive' is to hold, but it is dealt 2"):
        deal(Dealing(kept=("c0", "c1", "c2"), keeper="passive"), table_of(4))
    with pytest.raises(UnknownName, match="No column is called 'zz'"):
        deal(Dealing(kept=("zz",), keeper="passive"), table_of(4))


def test_two_properties_of_one_column_keep_it_once():
    assert len(deal(Dealing(kept=("c0", "c0"), keeper="passive"), table_of(4)).columns["passive"]) == 2
