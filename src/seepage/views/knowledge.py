"""What the threat model grants, drawn once from the truth."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from seepage.errors import BadSetting, IncompatibleView, Remark
from seepage.guesses import Guess
from seepage.layouts import Meaning
from seepage.partition import OwnPart, PartitionedTable, PublicColumns
from seepage.shapes import Array, Labels, Matrix, Rows
from seepage.views.auxiliary import KnownRows, draw_auxiliary
from seepage.views.threat import ThreatModel
from seepage.withholding import unless_withheld


def _none() -> Rows:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """What the adversary holds besides messages. It carries no road back to the truth.

    Parameters
    ----------
    own
        Everything the adversary brought along itself, party by party.
    train, new
        Which rows take part in training and which do not; alignment tells every party.
    known_rows, known_labels
        Rows whose label the threat model grants.
    others
        Names and value ranges of the columns of everybody else, who published
        them so that the model can be understood (paper 002, §III-B).
    value_rows, values
        Training rows for which the others' columns are known, and their values
        there, party by party.
    means
        The mean of each of the others' columns, where the threat model grants it.
    complete
        The others' columns, party by party, for auxiliary rows and rows outside training, and not a number elsewhere;
        empty unless the threat model grants them.
    guess
        What an earlier attack of the same adversary claims about labels.
    auxiliary
        Rows of which it knows whether they have the property that it asks about.
    """

    threat: ThreatModel
    own: Mapping[str, OwnPart] = field(default_factory=dict)
    train: Rows = field(default_factory=_none)
    new: Rows = field(default_factory=_none)
    known_rows: Rows = field(default_factory=_none, repr=False)
    known_labels: Labels = field(default_factory=_none, repr=False)
    others: Mapping[str, PublicColumns] = field(default_factory=dict)
    value_rows: Rows = field(default_factory=_none, repr=False)
    values: Mapping[str, Matrix] = field(default_factory=dict, repr=False)
    means: Mapping[str, Array] = field(default_factory=dict, repr=False)
    complete: Mapping[str, Matrix] = field(default_factory=dict, repr=False)
    guess: Guess | None = field(default=None, repr=False)
    auxiliary: KnownRows | None = field(default=None, repr=False)

    if not TYPE_CHECKING:  # a type checker would take any attribute for granted
        __getattribute__ = unless_withheld

    @property
    def features(self) -> Matrix:
        """The adversary's own columns side by side, for all rows."""
        parts = [part.features for part in self.own.values()]
        return np.concatenate(parts, axis=1) if parts else np.zeros((0, 0), dtype=np.float32)

    def places(self, rows: Rows) -> Rows:
        """Return where some training rows stand in `train`, which need not be in order.

        >>> Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.array([7, 2, 5])).places(np.array([5, 7]))
        array([2, 0])
        """
        order = np.argsort(self.train)
        return np.asarray(order[np.searchsorted(self.train[order], rows)])

    @property
    def reads_words(self) -> bool:
        """Whether its own columns are texts: numbers that stand for words, and measure nothing."""
        return any(part.layout.meaning is Meaning.NAMES for part in self.own.values())

    def summary(self) -> dict[str, object]:
        """Say what was granted, for the finding; holds counts and names, no records."""
        return {
            "own_columns": sum(len(part.columns) for part in self.own.values()),
            "known_labels": len(self.known_labels),
            "model": self.threat.model,
            **({} if self.threat.predictions else {"predictions": False}),
            **({"known_values": len(self.value_rows)} if len(self.value_rows) else {}),
            **({"means": True} if self.means else {}),
            **({"complete": True} if self.complete else {}),
            **(_counted(self.auxiliary) if self.auxiliary is not None else {}),
        }


def _counted(known: KnownRows) -> dict[str, object]:
    have = int(known.has.sum())
    return {"auxiliary_with": have, "auxiliary_without": len(known.has) - have, "aligned": known.aligned}


def grant(data: PartitionedTable, threat: ThreatModel, rng: Generator) -> Knowledge:
    """Draw what the threat model grants. After this nobody on the adversary's side meets the truth."""
    known = draw_per_class(data, threat.labels_per_class, rng)
    rows = draw_rows(data, threat.known_values, rng)
    others = [party for party in data.parties if party not in threat.adversaries]
    auxiliary = _auxiliary(data, threat, rng)
    return Knowledge(
        threat=threat,
        own={party: data.parts[party] for party in threat.adversaries},
        train=data.train,
        new=data.test,
        known_rows=known,
        known_labels=data.labels[known],
        others={party: data.parts[party].public for party in others},
        value_rows=rows,
        values={party: data.parts[party].features[rows] for party in others} if len(rows) else {},
        means={party: data.parts[party].features[data.train].mean(axis=0) for party in others} if threat.means else {},
        complete=_complete(data, others, auxiliary) if threat.complete and auxiliary is not None else {},
        auxiliary=auxiliary,
    )


def _complete(data: PartitionedTable, others: Sequence[str], known: KnownRows) -> dict[str, Matrix]:
    """Return the others' columns for auxiliary rows and rows outside training; of all other rows nothing is told."""
    told = np.union1d(known.source, data.test)
    columns = {party: np.full_like(data.parts[party].features, np.nan) for party in others}
    for party, matrix in columns.items():
        matrix[told] = data.parts[party].features[told]
    return columns


def _auxiliary(data: PartitionedTable, threat: ThreatModel, rng: Generator) -> KnownRows | None:
    if threat.property is None or threat.auxiliary is None:
        return None
    (holder, *_) = data.holders(threat.property)
    return draw_auxiliary(data, threat.auxiliary, data.parts[holder].properties[threat.property], rng)


def draw_rows(data: PartitionedTable, count: int, rng: Generator) -> Rows:
    """Draw training rows on which the others' values are known."""
    if count > len(data.train):
        raise BadSetting(
            f"Known values of {count} training rows were asked for, but there are only {len(data.train)}. "
            "Ask for fewer."
        )
    return np.sort(rng.choice(data.train, size=count, replace=False)) if count else _none()


def draw_per_class(data: PartitionedTable, count: int, rng: Generator) -> Rows:
    """Draw as many rows of each class; of a class that has fewer the adversary knows half, rounded up."""
    if count == 0:
        return _none()
    labels = data.labels[data.train]
    candidates = {name: data.train[labels == index] for index, name in enumerate(data.classes)}
    short = {name: len(rows) for name, rows in candidates.items() if len(rows) < count}
    asked = f"{count} labelled rows of each class were asked for"
    if len(short) == len(candidates):
        fewest = min(short, key=lambda name: short[name])
        raise BadSetting(f"{asked}, but class '{fewest}' has only {short[fewest]} training rows. Ask for fewer.")
    if short:
        named = ", ".join(f"'{name}' ({rows})" for name, rows in short.items())
        known = f"{asked}; of classes with fewer training rows the adversary knows half: {named}."
        warnings.warn(Remark(known), stacklevel=2)
    taken = {name: count if name not in short else (short[name] + 1) // 2 for name in candidates}
    return np.concatenate([rng.choice(rows, size=taken[name], replace=False) for name, rows in candidates.items()])


def required_auxiliary(knowledge: Knowledge) -> KnownRows:
    """Return the auxiliary rows of an adversary; refuse where it knows none."""
    if knowledge.auxiliary is None:
        raise IncompatibleView("No auxiliary rows are known. Grant some (auxiliary.rows=100).")
    return knowledge.auxiliary


def own_columns(knowledge: Knowledge) -> Matrix | None:
    """Return the adversary's columns of the training rows; None for an adversary without columns."""
    features = knowledge.features
    return features[knowledge.train] if features.shape[1] else None


def required_columns(knowledge: Knowledge) -> Matrix:
    """Return the adversary's columns of the training rows; refuse where it has none."""
    own = own_columns(knowledge)
    if own is None or len(own) == 0:
        who = " and ".join(f"'{name}'" for name in knowledge.threat.adversaries)
        raise IncompatibleView(
            f"Columns of {who} for the training rows are not known, so there is nothing to cluster.\n"
            "Choose an adversary whose columns were stored with the run, or an attack on messages alone."
        )
    return own
