"""All columns that a released model reads, and which of them the adversary lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seepage.errors import IncompatibleView
from seepage.json_arrays import from_array
from seepage.messages import Kind, Message
from seepage.partition import PublicColumns
from seepage.shapes import Array, Matrix, Rows
from seepage.views.view import View

NOT_OWN = -1


@dataclass(frozen=True, eq=False)
class JointColumns:
    """The encoded columns of all parties in the order of the parties, as a released model reads them.

    Attacks count in *units*: 0 is the least value of a column's range, 1 the
    largest, so that ``encoded = low + width * unit``. Under min-max scaling
    units are the encoded values themselves.

    Parameters
    ----------
    columns
        The party and the name of every column.
    low, width
        The range of every column, in encoded values.
    middle
        What one would guess of every column, knowing nothing else: in units, mostly ½.
    source
        The place of each column among the adversary's own ones; −1 where it has none.
    """

    columns: tuple[tuple[str, str], ...]
    low: NDArray[np.float64]
    width: NDArray[np.float64]
    middle: NDArray[np.float64]
    source: NDArray[np.int64]

    @property
    def known(self) -> NDArray[np.int64]:
        """The places of the columns that the adversary holds."""
        return np.flatnonzero(self.source != NOT_OWN)

    @property
    def unknown(self) -> NDArray[np.int64]:
        """The places of the columns to be inferred."""
        return np.flatnonzero(self.source == NOT_OWN)

    @property
    def targets(self) -> tuple[tuple[str, str], ...]:
        """The party and the name of every column to be inferred."""
        return tuple(self.columns[place] for place in self.unknown)

    def own(self, view: View, rows: Rows) -> Matrix:
        """Return the known columns of some rows, encoded, in the order of `known`."""
        return view.knowledge.features[np.ix_(rows, self.source[self.known])]

    def units(self, encoded: Matrix, places: Array) -> Matrix:
        """Return encoded values of some columns in units of their range."""
        return (encoded - self.low[places]) / self.width[places]

    def encoded(self, units: Matrix, places: Array) -> Matrix:
        """Return values in units of some columns as the model reads them."""
        return self.low[places] + self.width[places] * units


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


def joint_columns(view: View) -> JointColumns:
    """Lay the columns of all released models side by side.

    A column that the adversary holds too, since columns of parties may overlap, is known.
    """
    own_names = [name for part in view.knowledge.own.values() for name in part.names]
    if not own_names:
        who = " and ".join(f"'{name}'" for name in view.adversaries)
        raise IncompatibleView(
            f"{who} holds no columns, so nothing sets one row apart from another.\n"
            "Choose an adversary with columns of its own."
        )
    columns: list[tuple[str, str]] = []
    ranges: list[tuple[float, float, float]] = []
    for party, message in released_parts(view).items():
        public = _public(view, party)
        places = {name: place for place, name in enumerate(public.names)}
        for name in from_array(message.payload["about"])["columns"]:
            if name not in places:
                raise IncompatibleView(
                    f"The model that '{party}' released reads a column '{name}', which its table does not have "
                    f"(it has {', '.join(public.names[:5]) or 'none'}).\n"
                    "Give the model that was trained on this table."
                )
            columns.append((party, name))
            ranges.append((*public.ranges[places[name]], public.middle[places[name]]))
    place = {name: number for number, name in reversed(list(enumerate(own_names)))}
    low, width, middle = np.array(ranges, dtype=np.float64).reshape(-1, 3).T
    joint = JointColumns(
        columns=tuple(columns),
        low=low,
        width=width,
        middle=middle,
        source=np.array([place.get(name, NOT_OWN) for _, name in columns], dtype=np.int64),
    )
    if not len(joint.unknown):
        raise IncompatibleView(
            "The adversary holds every column that the model reads, so there is nothing to infer.\n"
            "Choose an adversary that lacks columns."
        )
    return joint


@dataclass(frozen=True, eq=False)
class LackedColumns:
    """All columns of others that the adversary lacks, whether a model reads them or not.

    Parameters
    ----------
    columns
        The party and the name of every column.
    attributes
        The attribute that each belongs to.
    low, width, middle
        As in `JointColumns`.
    """

    columns: tuple[tuple[str, str], ...]
    attributes: tuple[str, ...]
    low: NDArray[np.float64]
    width: NDArray[np.float64]
    middle: NDArray[np.float64]

    def only(self, columns: Sequence[tuple[str, str]]) -> "LackedColumns":
        """Return some of them."""
        kept = [place for place, column in enumerate(self.columns) if column in columns]
        return LackedColumns(
            tuple(self.columns[place] for place in kept),
            tuple(self.attributes[place] for place in kept),
            self.low[kept],
            self.width[kept],
            self.middle[kept],
        )

    def units(self, encoded: Matrix) -> Matrix:
        """Return encoded values in units of each column's range."""
        return (encoded - self.low) / self.width

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


def lacked_columns(view: View) -> LackedColumns:
    """Return what is public about the columns that the adversary lacks."""
    held = {name for part in view.knowledge.own.values() for name in part.names}
    found = [
        ((party, name), attribute, *public.ranges[place], public.middle[place])
        for party, public in view.knowledge.others.items()
        for place, (name, attribute) in enumerate(zip(public.names, public.attributes or public.names, strict=True))
        if name not in held
    ]
    numbers = np.array([line[2:] for line in found], dtype=np.float64).reshape(-1, 3)
    return LackedColumns(tuple(line[0] for line in found), tuple(line[1] for line in found), *numbers.T)


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
