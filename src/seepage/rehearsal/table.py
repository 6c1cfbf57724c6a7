"""What one party brings along: its own table, and no column of anybody else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from seepage.data import Encoding, Property, Split, Table, read_table
from seepage.data.sampling import kept
from seepage.errors import BadPlan, BadTable, UnknownName
from seepage.partition import OwnPart
from seepage.partition.apply import own_part
from seepage.rehearsal.decoys import decoyed
from seepage.rehearsal.plan import RehearsalPlan
from seepage.shapes import Rows


@dataclass(frozen=True, eq=False)
class OwnTable:
    """One party's rows as it holds them, with their ids; whoever drives holds labels as well."""

    party: str
    table: Table

    def shared(self, plan: RehearsalPlan, rows: Rows, chance: Generator) -> "OwnTable":
        """Return the rows that take part, in the order that all parties have; with labels as they are trained on.

        So many as was agreed are taken, the first ones of an order that says nothing about any table.
        """
        few = kept(self.table, rows[: plan.rows])
        if plan.decoys and few.classes:
            few = replace(few, labels=decoyed(few, plan.decoys, chance))
        return OwnTable(self.party, few)

    def part(self, plan: RehearsalPlan, split: Split) -> OwnPart:
        """Return the party's part, encoded by its own training rows alone."""
        names = self.table.column_names
        held = [one for one in map(Property.parse, plan.properties) if one.column in names]
        part = own_part(
            self.table,
            self.party,
            names,
            split,
            Encoding(kind=plan.encoding, scaling=plan.scaling),
            labels=bool(self.table.classes),
            properties=held,
            asked=bool(plan.properties),
        )
        return replace(part, classes=plan.classes)


def read_own_table(
    plan: RehearsalPlan,
    party: str,
    path: Path,
    *,
    id_column: str | None,
    label: str | None = None,
    columns: Sequence[str] = (),
    impute: bool = False,
) -> OwnTable:
    """Read a party's own table, and see that it fits the plan."""
    if party not in plan.parties:
        raise UnknownName("party", party, known=plan.parties)
    if id_column is None:
        raise BadTable(f"{path.name}: say which column names the rows (--id COLUMN); by it partners find shared rows.")
    table = read_table(path, label=label, id_column=id_column, impute=impute)
    if columns:
        table = replace(table, columns=tuple(table[name] for name in columns), left_out=())
    if label is not None and len(table.classes) != plan.classes:
        raise BadPlan(
            f"'{label}' has {len(table.classes)} classes ({', '.join(table.classes[:5])}), but the plan says "
            f"{plan.classes}. Mend the plan on every host, or choose another label column."
        )
    return OwnTable(party, table)


def check_sample(own: OwnTable, split: Split) -> None:
    """See that every class is there to train on."""
    train = np.bincount(own.table.labels[split.train], minlength=len(own.table.classes))
    if not train.all():
        name = own.table.classes[int(np.argmin(train))]
        raise BadTable(f"Of the shared rows that were drawn none has the label '{name}'. Agree on more rows.")
