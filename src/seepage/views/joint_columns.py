"""Columns of all parties by their names and ranges: those that a released model reads, and those one lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.errors import IncompatibleView
from seepage.json_arrays import from_array
from seepage.messages import Kind, Message
from seepage.partition import PublicColumns
from seepage.shapes import Array, Floats, Integers, Matrix, Rows
from seepage.views.view import View

NOT_OWN: Final = -1
EVERY: Final = slice(None)


@dataclass(frozen=True, eq=False)
class RangedColumns:
    """Encoded columns of one party or several, the range of each, and which of them the adversary holds.

    Attacks count in *units*: 0 is the least value of a column's range, 1 the
    largest, so that ``encoded = low + width * unit``. Under min-max scaling
    units are the encoded values themselves.

    Parameters
    ----------
    columns
        The party and the name of every column.
    attributes
        The attribute that each belongs to.
    low, width
        The range of every column, in encoded values.
    middle
        What one would guess of every column, knowing nothing else: in units, mostly ½.
    source
        The place of each column among the adversary's own ones; −1 where it has none.
    """

    columns: tuple[tuple[str, str], ...]
    attributes: tuple[str, ...]
    low: Floats
    width: Floats
    middle: Floats
    source: Integers

    @property
    def known(self) -> Integers:
        """The places of the columns that the adversary holds."""
        return np.flatnonzero(self.source != NOT_OWN)

    @property
    def unknown(self) -> Integers:
        """The places of the columns to be inferred."""
        return np.flatnonzero(self.source == NOT_OWN)

    @property
    def targets(self) -> tuple[tuple[str, str], ...]:
        """The party and the name of every column to be inferred."""
        return tuple(self.columns[place] for place in self.unknown)

    @property
    def groups(self) -> tuple[Array, ...]:
        """The places of columns that are the indicators of one attribute."""
        places: dict[str, list[int]] = {}
        for place, attribute in enumerate(self.attributes):
            places.setdefault(attribute, []).append(place)
        return tuple(np.array(group) for group in places.values() if len(group) > 1)

    def only(self, columns: Sequence[tuple[str, str]]) -> "RangedColumns":
        """Return some of them."""
        kept = [place for place, column in enumerate(self.columns) if column in columns]
        columns = tuple(self.columns[place] for place in kept)
        attributes = tuple(self.attributes[place] for place in kept)
        return RangedColumns(
            columns, attributes, self.low[kept], self.width[kept], self.middle[kept], self.source[kept]
        )

    def own(self, view: View, rows: Rows) -> Matrix:
        """Return the known columns of some rows, encoded, in the order of `known`."""
        return view.knowledge.features[np.ix_(rows, self.source[self.known])]

    def held(self, view: View, rows: Rows) -> Floats:
        """Return columns of some rows that the adversary holds too, in units, and not a number elsewhere."""
        values = np.full((len(rows), len(self.columns)), np.nan)
        if len(self.known):
            values[:, self.known] = self.units(self.own(view, rows), self.known)
        return values

    def units(self, encoded: Matrix, places: Array | slice = EVERY) -> Matrix:
        """Return encoded values of all columns, or of some, in units of their range."""
        return (encoded - self.low[places]) / self.width[places]

    def encoded(self, units: Matrix, places: Array) -> Matrix:
        """Return values in units of some columns as the model reads them."""
        return self.low[places] + self.width[places] * units

    def known_means(self, view: View) -> Matrix | None:
        """Return the mean of every column in units, inside the range; None where means are not known."""
        known = {
            (party, name): mean
            for party, means in view.knowledge.means.items()
            for name, mean in zip(view.knowledge.others[party].names, means, strict=True)
        }
        if not self.columns or any(column not in known for column in self.columns):
            return None
        return np.clip(self.units(np.array([known[column] for column in self.columns], dtype=np.float64)), 0.0, 1.0)


def columns_of(view: View, names: Mapping[str, Sequence[str]]) -> RangedColumns:
    """Return what everybody knows of columns by their names, party after party; refuse what a table does not have."""
    own_names = [name for part in view.knowledge.own.values() for name in part.names]
    own = {name: number for number, name in reversed(list(enumerate(own_names)))}
    found: list[tuple[tuple[str, str], str]] = []
    numbers: list[Array] = [np.zeros((0, 4))]
    for party, read in names.items():
        public = _public(view, party)
        places = {name: place for place, name in enumerate(public.names)}
        lacking = [name for name in read if name not in places]
        if lacking:
            raise IncompatibleView(
                f"The model that '{party}' released reads a column '{lacking[0]}', which its table does not have "
                f"(it has {', '.join(public.names[:5]) or 'none'}).\nGive the model that was trained on this table."
            )
        attributes = public.attributes or public.names
        found += [((party, name), attributes[places[name]]) for name in read]
        sources = [own.get(name, NOT_OWN) for name in public.names]
        numbers.append(np.column_stack((public.ranges, public.middle, sources))[[places[name] for name in read]])
    low, width, middle, source = np.concatenate(numbers).T
    columns, attributes = zip(*found, strict=True) if found else ((), ())
    return RangedColumns(columns, attributes, low, width, middle, source.astype(np.int64))


def released_parts(view: View) -> Mapping[str, Message]:
    """Return the latest model message of every party, in the order of the parties; refuse where one is missing."""
    latest = {message.sender: message for message in view.received(Kind.MODEL)}
    for party in view.agreement.parties:
        if party not in latest:
            raise IncompatibleView(
                f"Predictions are there, but '{party}' released no model to go with them.\n"
                "Record the model of every party, or choose an attack that needs less."
            )
    return {party: latest[party] for party in view.agreement.parties}


def joint_columns(view: View) -> RangedColumns:
    """Lay the columns of all released models side by side, in the order of the parties.

    A column that the adversary holds too, since columns of parties may overlap, is known.
    """
    if not any(part.names for part in view.knowledge.own.values()):
        raise IncompatibleView(
            f"{view.who} holds no columns, so nothing sets one row apart from another.\n"
            "Choose an adversary with columns of its own."
        )
    parts = released_parts(view).items()
    joint = columns_of(view, {party: from_array(said.payload["about"])["columns"] for party, said in parts})
    if not len(joint.unknown):
        raise IncompatibleView(
            "The adversary holds every column that the model reads, so there is nothing to infer.\n"
            "Choose an adversary that lacks columns."
        )
    return joint


def lacked_columns(view: View) -> RangedColumns:
    """Return what is public about all columns that the adversary lacks, whether a model reads them or not."""
    held = {name for part in view.knowledge.own.values() for name in part.names}
    others = view.knowledge.others.items()
    return columns_of(view, {party: [name for name in public.names if name not in held] for party, public in others})


def _public(view: View, party: str) -> PublicColumns:
    knowledge = view.knowledge
    if party in knowledge.own:
        return knowledge.own[party].public
    if party not in knowledge.others:
        raise IncompatibleView(
            f"Nothing is known of the columns of '{party}', not even their names.\n"
            "Store names and ranges with the run (docs/transcript-format.md)."
        )
    return knowledge.others[party]
