"""What guesses are scored against; no attack is ever given it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.json_arrays import from_array, to_array
from seepage.partition import PartitionedTable
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

LARGEST: Final = np.float64(1e100)
"""Larger values have no variance that could be written down."""


@dataclass(frozen=True, eq=False)
class TrueColumns:
    """The encoded columns of one party, for all rows."""

    names: tuple[str, ...]
    features: Matrix


@dataclass(frozen=True, eq=False)
class Truth:
    """The labels of all rows and, where features are stolen, the columns of those they are stolen from.

    Where a property is asked about, `has` says which rows have it and `before`
    which rows would have trained, had nobody withdrawn any.
    """

    labels: Labels
    columns: Mapping[str, TrueColumns] = field(default_factory=dict)
    has: Mask | None = None
    before: Rows | None = None

    def values(self, columns: tuple[tuple[str, str], ...], rows: Rows) -> Matrix:
        """Return the encoded values of some columns, rows by columns."""
        found = [self._column(party, name)[rows] for party, name in columns]
        return np.stack(found, axis=1).astype(np.float64) if found else np.zeros((len(rows), 0))

    def _column(self, party: str, name: str) -> Array:
        own = self.columns.get(party)
        if own is None or name not in own.names:
            raise BadTranscript(
                f"What there is to score against does not hold column '{name}' of '{party}'. "
                f"Store the run again, or remove truth.safetensors to attack without scoring."
            )
        return np.asarray(own.features[:, own.names.index(name)])

    def arrays(self) -> dict[str, Array]:
        """Return everything as named arrays, to be stored."""
        arrays: dict[str, Array] = {"labels": self.labels}
        if self.has is not None and self.before is not None:
            arrays |= {"property.has": self.has.astype(np.uint8), "property.before": self.before}
        for number, (party, own) in enumerate(self.columns.items()):
            arrays[f"columns.{number}.about"] = to_array({"party": party, "names": list(own.names)})
            arrays[f"columns.{number}.features"] = own.features
        return arrays


def truth_of(
    data: PartitionedTable,
    adversaries: tuple[str, ...],
    *,
    columns: bool,
    asked: str | None = None,
    before: Rows | None = None,
) -> Truth:
    """Return the truth about one run, with the columns of everybody but the adversaries where they are wanted."""
    victims = [party for party in data.parties if party not in adversaries] if columns else []
    holders = data.holders(asked) if asked is not None else ()
    return Truth(
        data.labels,
        {party: TrueColumns(data.parts[party].names, data.parts[party].features) for party in victims},
        has=data.parts[holders[0]].properties[asked] if holders and asked is not None else None,
        before=(data.train if before is None else before) if holders else None,
    )


def read_truth(arrays: Mapping[str, Array], source: str, *, classes: int, rows: int) -> Truth:
    """Build the truth from what `Truth.arrays` returned, and see that it can be that of this run."""
    labels = arrays.get("labels")
    if (
        labels is None
        or labels.ndim != 1
        or labels.dtype.kind not in "iu"
        or not len(labels)
        or len(labels) < rows
        or not bool(((labels >= 0) & (labels < classes)).all())
    ):
        raise BadTranscript(
            f"{source} must hold 'labels', one class number from 0 to {classes - 1} "
            f"for each of at least {rows} rows. Store the run again, or remove the file to attack without scoring."
        )
    columns = {}
    for name, array in arrays.items():
        if not name.endswith(".about"):
            continue
        features = arrays.get(name.replace(".about", ".features"))
        try:
            about = from_array(array)
            party, names = about["party"], tuple(about["names"])
            if not all(isinstance(text, str) for text in (party, *names)):
                raise ValueError("names that are no texts")
        except (KeyError, TypeError, ValueError) as error:
            raise BadTranscript(
                f"{source}: '{name}' does not say whose columns these are. Store the run again."
            ) from error
        if features is None or features.shape != (len(labels), len(names)):
            raise BadTranscript(f"{source} must hold the columns of '{party}' for all rows. Store the run again.")
        if features.dtype.kind not in "fiub" or not (np.isnan(features) | (np.abs(features) < LARGEST)).all():
            raise BadTranscript(f"{source} must hold numbers as the columns of '{party}'. Store the run again.")
        empty = np.isnan(features).all(axis=0)
        if empty.any():
            raise BadTranscript(
                f"{source} holds no value of column '{names[int(empty.argmax())]}' of '{party}', so nothing can be "
                "scored against it. Store the run again, or leave that column out."
            )
        columns[party] = TrueColumns(names, features)
    has, before = arrays.get("property.has"), arrays.get("property.before")
    if (has is None) != (before is None) or (
        has is not None and before is not None and not _is_property(has, before, len(labels))
    ):
        raise BadTranscript(
            f"{source} must hold 'property.has' for all rows and 'property.before' together. Store the run again."
        )
    return Truth(
        labels.astype(np.int64),
        columns,
        has=has.astype(np.bool_) if has is not None else None,
        before=before.astype(np.int64) if before is not None else None,
    )


def _is_property(has: Array, before: Array, rows: int) -> bool:
    """Whether these say of every row if it has a property, and name different rows."""
    return (
        has.shape == (rows,)
        and bool(np.isin(has, (0, 1)).all())
        and before.dtype.kind in "iu"
        and 0 < len(before) == len(np.unique(before))
        and bool(((before >= 0) & (before < rows)).all())
    )
