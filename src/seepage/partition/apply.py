"""Give every party its own part of a table."""

from collections.abc import Sequence

from seepage.data.encoding import Encoding, encode
from seepage.data.property import Property
from seepage.data.split import Split
from seepage.data.table import Table
from seepage.errors import BadPartition
from seepage.partition.own_part import OwnPart, PartitionedTable
from seepage.partition.partition import Partition


def partition_table(
    table: Table, partition: Partition, split: Split, encoding: Encoding, properties: Sequence[Property] = ()
) -> PartitionedTable:
    """Encode each party's columns on their own and hand them out; the active party gets the labels.

    Parts share no memory, with each other or with the table, so that whatever a
    party does to its features stays with it. What an encoding learns (means,
    levels) each party learns from its own columns. Who holds the attribute of a
    property knows which rows have it.
    """
    held = {str(asked): (asked, holders_of(asked, partition)) for asked in properties}
    parts = {
        party: own_part(
            table,
            party,
            partition.trained(party),
            split,
            encoding,
            labels=party == partition.active,
            properties=[asked for asked, holders in held.values() if party in holders],
            asked=bool(properties),
        )
        for party in partition.columns
    }
    return PartitionedTable(
        name=table.name,
        parts=parts,
        active=partition.active,
        classes=table.classes,
        test=split.test,
    )


def holders_of(asked: Property, partition: Partition) -> tuple[str, ...]:
    """Return who holds the attribute of a property; refuse where nobody does."""
    holders = tuple(party for party, columns in partition.columns.items() if asked.column in columns)
    if not holders:
        raise BadPartition(
            f"Nobody holds column '{asked.column}', so nobody can give away how many have the property '{asked}'. "
            "Give the column to a party (--party NAME=COLUMN,COLUMN)."
        )
    return holders


def own_part(
    table: Table,
    party: str,
    columns: tuple[str, ...],
    split: Split,
    encoding: Encoding,
    *,
    labels: bool,
    properties: Sequence[Property] = (),
    asked: bool = False,
) -> OwnPart:
    """Encode one party's columns by themselves; it holds the `labels`, or does not, and knows who has `properties`."""
    encoded = encode(table, split.train, encoding, columns)
    return OwnPart(
        party=party,
        columns=columns,
        features=encoded.matrix,
        names=encoded.names,
        attributes=encoded.attributes,
        labels=table.labels.copy() if labels else None,
        layout=table.layout.among(table.places(columns)),
        train=split.train.copy(),
        classes=len(table.classes),
        limits=encoded.limits,
        properties={str(one): one.rows_of(table) for one in properties},
        asked=asked,
    )
