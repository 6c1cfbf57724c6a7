"""The ways to deal columns: at random, in order, by importance, in stripes of a picture, by name."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.data.table import Column, Table
from seepage.errors import BadPartition
from seepage.partition.partition import Partition
from seepage.randomness import small_seed
from seepage.shapes import Array, Rows

ROWS_FOR_IMPORTANCE: Final = 5_000
"""Mutual information is estimated from so many training rows at most: it takes neighbors of each."""


def named(table: Table, columns: Mapping[str, Sequence[str]], *, overlap: bool = False) -> Partition:
    """Give each party the columns it was named for; columns that nobody was named for are left out."""
    for name in (name for names in columns.values() for name in names):
        if name not in table.column_names and name == table.label_name:
            raise BadPartition(f"Column '{name}' is the label, which the active party holds. Leave it out of --party.")
        table[name]  # says which columns there are when this is none of them
    return Partition({party: tuple(names) for party, names in columns.items()}, overlap=overlap)


def random_columns(
    table: Table, sizes: Mapping[str, int], rng: Generator, kept: Sequence[str] = (), keeper: str | None = None
) -> Partition:
    """Deal whole columns at random; those that are kept go to their keeper, whose hand stays of the same size."""
    order = rng.permutation(len(table.columns))
    if not kept or keeper is None:
        return Partition(_hands(table, sizes, order))
    if not sizes[keeper]:
        raise BadPartition(
            f"Properties speak about {', '.join(kept)}, which '{keeper}' is to hold, but it holds labels alone. "
            "Choose another adversary (--adversary NAME), or deal it columns as well (no --labels-only)."
        )
    if sizes[keeper] < len(kept):
        raise BadPartition(
            f"Properties speak about {', '.join(kept)}, which '{keeper}' is to hold, but it is dealt {sizes[keeper]} "
            f"of {len(table.columns)} columns. Ask about fewer properties, or say who holds what "
            "(--party NAME=COLUMN,COLUMN)."
        )
    places = [table.column_names.index(name) for name in kept]
    others = order[~np.isin(order, places)]
    start = sum(size for party, size in sizes.items() if list(sizes).index(party) < list(sizes).index(keeper))
    return Partition(_hands(table, sizes, np.concatenate((others[:start], places, others[start:])).astype(int)))


def halves(table: Table, sizes: Mapping[str, int], adversary: str = "", shared: float = 0.0) -> Partition:
    """Deal slices of the layout in order, the first ones to the active party: columns, or stripes of a picture.

    The adversary also holds a share of the slices that were dealt to others: those next to its own, so that
    what it holds stays a picture.
    """
    slices = table.layout.slices(len(table.columns))
    hands = _hands(table, sizes, slices)
    more = round(shared * (len(slices) - sizes[adversary])) if shared else 0
    if not more:
        return Partition(hands)
    before = sum(size for party, size in sizes.items() if list(sizes).index(party) < list(sizes).index(adversary))
    own = np.arange(before, before + sizes[adversary])
    distance = np.minimum(abs(np.arange(len(slices)) - own[0]), abs(np.arange(len(slices)) - own[-1]))
    distance[own] = -1
    held = np.argsort(distance, kind="stable")[: len(own) + more]
    return Partition({**hands, **_hands(table, {adversary: len(held)}, slices[held])}, overlap=True)


def by_importance(table: Table, sizes: Mapping[str, int], favored: str, train: Rows, rng: Generator) -> Partition:
    """Deal columns by their mutual information with the label, estimated on training rows.

    The most important ones go to the favored party, the next to the other
    parties in the order they were named. Ties are broken by the order of the table.
    """
    order = np.argsort(-importance(table, train, rng), kind="stable")
    turns = [favored, *(party for party in sizes if party != favored)]
    hands = _hands(table, {party: sizes[party] for party in turns}, order)
    return Partition({party: hands[party] for party in sizes})


def importance(table: Table, train: Rows, rng: Generator) -> Array:
    """Return the mutual information of every column with the label, in nats."""
    from sklearn.feature_selection import mutual_info_classif

    few = min(len(train), ROWS_FOR_IMPORTANCE)
    rows = np.sort(rng.choice(train, size=few, replace=False))
    values = np.stack([_filled(column.values[rows], column) for column in table.columns], axis=1)
    return np.asarray(
        mutual_info_classif(
            values,
            table.labels[rows],
            discrete_features=np.array([column.is_categorical for column in table.columns]),
            random_state=small_seed(rng),
        )
    )


def with_shared(
    table: Table, partition: Partition, adversary: str, shared: float, rng: Generator, kept: Sequence[str] = ()
) -> Partition:
    """Let the adversary also hold this share of the columns that were dealt to others, but none that are kept."""
    own = set(partition.columns[adversary])
    others = [name for names in partition.columns.values() for name in names if name not in own and name not in kept]
    chosen = rng.choice(len(others), size=round(shared * len(others)), replace=False)
    held = own.union(others[place] for place in chosen)
    more = tuple(name for name in table.column_names if name in held)
    return Partition({**partition.columns, adversary: more}, overlap=True)


def _hands(table: Table, sizes: Mapping[str, int], order: Array) -> dict[str, tuple[str, ...]]:
    """Cut an order of columns, or of slices, into hands; each hand is sorted, so that it reads like the table."""
    stops = np.cumsum(list(sizes.values()))
    hands = zip(sizes, np.split(order, stops[:-1]), strict=True)
    return {party: tuple(table.column_names[place] for place in np.sort(hand.ravel())) for party, hand in hands}


def _filled(values: Array, column: Column) -> Array:
    if column.is_categorical or not np.isnan(values).any():
        return values
    held = values[~np.isnan(values)]
    return np.where(np.isnan(values), np.median(held) if held.size else 0.0, values)
