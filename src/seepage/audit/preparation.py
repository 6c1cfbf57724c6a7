"""From a plan and a seed to data that a federation can be trained on."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from seepage.attacks import Attack
from seepage.audit.plan import DataPlan, PartitionPlan
from seepage.data import Encoding, Table, load_dataset, official_split, read_table, stratified_split
from seepage.errors import BadPartition, UnknownName
from seepage.partition import Dealing, Partition, PartitionedTable, partition_table
from seepage.randomness import stream

MANY_COLUMNS = 100
"""From here on a finding counts the columns of a party instead of naming them."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """One table, dealt and split under one seed."""

    table: Table
    partition: Partition
    data: PartitionedTable


def load_table(data: DataPlan) -> Table:
    """Load the table a plan speaks of; the last ones are remembered until their file changes."""
    stamp = None
    if data.file is not None and Path(data.file).is_file():
        status = Path(data.file).stat()
        stamp = (status.st_mtime_ns, status.st_size)
    return _loaded(data, stamp)


@lru_cache(maxsize=2)
def _loaded(data: DataPlan, stamp: tuple[int, int] | None) -> Table:
    del stamp  # part of the key only
    if data.file is not None:
        assert data.label is not None
        return read_table(Path(data.file), label=data.label, id_column=data.id, impute=data.impute or data.keep_missing)
    assert data.name is not None
    return load_dataset(data.name, impute=data.impute or data.keep_missing)


def prepare(
    table: Table, partition: PartitionPlan, adversary: tuple[str, ...], encoding: Encoding, split: str, seed: int
) -> Prepared:
    """Split the rows, deal the columns and encode them, all under one seed."""
    rows = official_split(table) if split == "official" else stratified_split(table, stream(seed, "split"))
    if partition.adversary_share is not None and len(adversary) > 1:
        raise BadPartition("A share is that of one adversary, but several collude. Name their columns with --party.")
    dealing = _dealing(partition, adversary)
    dealt = dealing.deal(table, rows.train, stream(seed, "partition"))
    return Prepared(table, dealt, partition_table(table, dealt, rows, encoding))


def adversaries_of(attack: Attack[Any], chosen: tuple[str, ...], partition: Partition) -> tuple[str, ...]:
    """Return who attacks: those chosen, who must be parties, or the default."""
    for name in chosen:
        if name not in partition.columns:
            raise UnknownName("party", name, known=partition.columns)
    return chosen or default_adversaries(attack, tuple(partition.columns))


def default_adversaries(attack: Attack[Any], parties: tuple[str, ...]) -> tuple[str, ...]:
    """Return who attacks when nobody is named: the active party for features, the last one for anything else.

    An attack that needs a party without labels has the last one too.
    """
    return parties[:1] if attack.steals == "features" and not attack.needs.passive else parties[-1:]


def parties_of(partition: PartitionPlan) -> tuple[str, ...]:
    """Return the parties of a plan, the active one first."""
    return _dealing(partition, ()).party_names


def _dealing(partition: PartitionPlan, adversary: tuple[str, ...]) -> Dealing:
    return Dealing(
        kind=partition.kind,
        parties=partition.parties,
        names=partition.names,
        adversary_share=partition.adversary_share,
        adversary=adversary[0] if adversary else None,
        columns=partition.columns,
        overlap=partition.overlap,
        labels_only=partition.labels_only,
        shared=partition.shared,
    )


def describe(partition: Partition, kind: str, *, pictures: bool) -> dict[str, object]:
    """Return the partition for a finding: names of columns, or their number for pixels and where there are many."""
    many = pictures or sum(map(len, partition.columns.values())) > MANY_COLUMNS
    return {
        "kind": kind,
        "active": partition.active,
        "columns": {party: len(names) if many else list(names) for party, names in partition.columns.items()},
    }
