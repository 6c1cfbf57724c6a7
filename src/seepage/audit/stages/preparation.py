"""From a plan and a seed to data that a federation can be trained on."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seepage.attacks import Attack
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.data import (
    OFFICIAL,
    STRATIFIED,
    TEST_SHARE,
    Encoding,
    Property,
    Split,
    Table,
    load_dataset,
    official_split,
    read_table,
    read_text,
    sampled,
    stratified_split,
)
from seepage.data.text import VOCABULARY, WORDS
from seepage.errors import BadPartition, UnknownName
from seepage.partition import Dealing, Partition, PartitionedTable, holders_of, partition_table
from seepage.randomness import stream

MANY_COLUMNS = 100
"""From here on a finding counts the columns of a party instead of naming them."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """One table, dealt and split under one seed."""

    table: Table
    partition: Partition
    data: PartitionedTable


def stamps_of(data: DataPlan) -> tuple[tuple[int, int] | None, ...]:
    """Return when the files behind a table were changed and how long they are: other stamps, other contents."""
    return tuple(_stamp(named) for named in (data.file, data.vocabulary if isinstance(data.vocabulary, str) else None))


def _stamp(file: str | None) -> tuple[int, int] | None:
    """Return when a file was changed and how long it is; None where there is none."""
    if file is None or not Path(file).is_file():
        return None
    status = Path(file).stat()
    return status.st_mtime_ns, status.st_size


def load_table(data: DataPlan) -> Table:
    """Load the table a plan speaks of, or its sample."""
    whole = _whole(data)
    return whole if data.rows is None else sampled(whole, data.rows)


def _whole(data: DataPlan) -> Table:
    if data.file is not None:
        assert data.label is not None
        if data.text is not None:
            words, vocabulary = data.words or WORDS, data.vocabulary or VOCABULARY
            return read_text(
                Path(data.file), data.text, label=data.label, id_column=data.id, words=words, vocabulary=vocabulary
            )
        return read_table(Path(data.file), label=data.label, id_column=data.id, impute=data.impute or data.keep_missing)
    assert data.name is not None
    return load_dataset(data.name, impute=data.impute or data.keep_missing)


def prepare(
    table: Table,
    partition: PartitionPlan,
    adversary: tuple[str, ...],
    encoding: Encoding,
    split: str,
    seed: int,
    properties: tuple[str, ...] = (),
    kept: bool = True,
) -> Prepared:
    """Split the rows, deal the columns and encode them, all under one seed.

    Where columns are dealt at random, the attributes of properties go to their victim if they are `kept` for it.
    """
    asked = [Property.parse(text) for text in properties]
    for one in asked:
        one.rows_of(table)  # says what is wrong with it before anything is dealt
    attributes = tuple(one.column for one in asked) if kept else ()
    rows = split_rows(table, split, seed)
    dealt = deal(table, rows, partition, adversary, seed, attributes)
    return Prepared(table, dealt, partition_table(table, dealt, rows, encoding, asked))


def split_rows(table: Table, split: str, seed: int) -> Split:
    """Set rows aside for testing, as a plan says."""
    if split == OFFICIAL:
        return official_split(table)
    return stratified_split(table, stream(seed, "split"), TEST_SHARE if split == STRATIFIED else float(split))


def deal(
    table: Table,
    rows: Split,
    partition: PartitionPlan,
    adversary: tuple[str, ...],
    seed: int,
    kept: tuple[str, ...] = (),
) -> Partition:
    """Deal the columns under one seed; those that are kept go to the victim of properties."""
    if partition.adversary_share is not None and len(adversary) > 1:
        raise BadPartition("A share is that of one adversary, but several collude. Name their columns with --party.")
    keeper = victim_of(parties_of(partition), adversary) if kept else None
    dealing = replace(_dealing(partition, adversary), kept=kept, keeper=keeper)
    dealt = dealing.deal(table, rows.train, stream(seed, "partition"))
    return replace(dealt, left_out=partition.left_out) if partition.left_out else dealt


def victim_of(parties: tuple[str, ...], adversary: tuple[str, ...]) -> str:
    """Return whose population properties speak about where columns are dealt: the last party that is curious of none.

    >>> victim_of(("bank", "shop"), ()), victim_of(("bank", "shop"), ("shop",))
    ('shop', 'bank')
    """
    curious = adversary or parties[:1]
    return next((party for party in reversed(parties) if party not in curious), parties[-1])


def adversaries_of(
    attack: Attack[Any], chosen: tuple[str, ...], partition: Partition, asked: str | None = None
) -> tuple[str, ...]:
    """Return who attacks: those chosen, who must be parties and must not hold what is asked about, or the default."""
    for name in chosen:
        if name not in partition.columns:
            raise UnknownName("party", name, known=partition.columns)
    holders = holders_of(Property.parse(asked), partition) if asked is not None else ()
    if len(holders) == len(partition.columns):
        raise BadPartition(
            f"Every party holds the column of the property '{asked}' itself, so there is nothing to infer. "
            "Leave it to one of them (--party NAME=COLUMN,COLUMN), or choose another property."
        )
    curious = chosen or default_adversaries(attack, tuple(partition.columns), holders)
    knowing = [party for party in curious if party in holders]
    if knowing:
        raise BadPartition(
            f"'{knowing[0]}' is the adversary and itself holds the column of the property '{asked}', so there is "
            "nothing to infer. Choose another adversary (--adversary NAME) or another property."
        )
    return curious


def default_adversaries(
    attack: Attack[Any], parties: tuple[str, ...], holders: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return who attacks when nobody is named: the active party for features, the last one for labels.

    Of properties it is the active party, unless that holds the attribute
    itself: then the last party that does not. An attack that needs a party
    without labels has the last one too.
    """
    if attack.steals == "properties":
        strangers = [party for party in parties if party not in holders] or list(parties)
        return tuple(strangers[:1] if strangers[0] == parties[0] else strangers[-1:])
    return parties[:1] if attack.steals == "features" and not attack.needs.passive else parties[-1:]


def parties_of(partition: PartitionPlan) -> tuple[str, ...]:
    """Return the parties of a plan, the active one first."""
    return _dealing(partition, ()).party_names


def _dealing(partition: PartitionPlan, adversary: tuple[str, ...]) -> Dealing:
    dealing = Dealing(
        kind=partition.kind,
        parties=partition.parties,
        names=partition.names,
        adversary_share=partition.adversary_share,
        columns=partition.columns,
        overlap=partition.overlap,
        labels_only=partition.labels_only,
        shared=partition.shared,
    )
    plain = partition.labels_only and partition.adversary_share is None  # who has no columns can still be curious
    if not adversary or (plain and adversary[0] == dealing.party_names[0]):
        return dealing
    return replace(dealing, adversary=adversary[0])


def describe(prepared: Prepared, kind: str) -> dict[str, object]:
    """Return the partition for a finding: names of columns, or their number in a whole and where there are many."""
    partition, whole = prepared.partition, prepared.table.layout.whole is not None
    many = whole or sum(map(len, partition.columns.values())) > MANY_COLUMNS
    return {
        "kind": kind,
        "active": partition.active,
        "columns": {party: len(names) if many else list(names) for party, names in partition.columns.items()},
        **({"left_out": list(partition.left_out)} if partition.left_out else {}),
    }
