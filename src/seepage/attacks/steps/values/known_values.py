"""The columns that an adversary infers, and the few rows on which it knows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.learners.clustering import dummies, without_gaps
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import View
from seepage.views.joint_columns import RangedColumns, lacked_columns

NO_LABEL: Final = -1


@dataclass(frozen=True, eq=False)
class KnownValues:
    """What is to be inferred, and what is known of it beforehand.

    Parameters
    ----------
    rows
        The rows whose values are known.
    targets
        The columns to infer.
    units
        Known rows by columns: values in units of each column's range, without gaps.
    """

    rows: Rows
    targets: RangedColumns
    units: Matrix


def known_values(view: View, known: int, rng: Generator, *, chosen: Sequence[str] = ()) -> KnownValues:
    """Return the columns to infer, and their values on so many training rows.

    Nothing is said of columns whose known values are all missing; where one of
    them was chosen, or nothing else is left, a sentence refuses.

    Parameters
    ----------
    known
        How many rows to learn from; of more granted ones so many are drawn.
    chosen
        Attributes or encoded columns to infer; empty means all that the adversary lacks.
    """
    targets = _targets(view, chosen)
    rows, values = _values(view, targets, known, rng)
    told = _told(targets, values, chosen)
    targets = targets.only([targets.columns[place] for place in told])
    return KnownValues(rows, targets, without_gaps(targets.units(values[:, told])))


def own_inputs(view: View) -> Matrix:
    """Return the adversary's columns of all rows, gaps filled, in float64; no columns where it has none."""
    features = view.knowledge.features
    if features.shape[1]:
        return without_gaps(features.astype(np.float64))
    most = max(view.knowledge.train.max(initial=NO_LABEL), view.knowledge.new.max(initial=NO_LABEL))
    return np.zeros((int(most) + 1, 0))


def own_labels(view: View, rows: int) -> Matrix:
    """Return an indicator of each class for so many rows: set where the adversary trains with the label, 0 elsewhere.

    The label holder knows the labels of the training rows. Those of new rows it wants to predict.
    """
    labels: Labels = np.full(rows, NO_LABEL, dtype=np.int64)
    train = view.knowledge.train
    for part in view.knowledge.own.values():
        if part.labels is not None:
            labels[train] = part.labels[train]
    return dummies(labels).astype(np.float64)


def _targets(view: View, chosen: Sequence[str]) -> RangedColumns:
    lacked = lacked_columns(view)
    columns = lacked.columns
    if not columns:
        raise IncompatibleView(
            "Nothing is known of columns that the adversary lacks, so there is nothing to infer.\n"
            "Choose an adversary that lacks columns, and store names and ranges with a run "
            "(docs/transcript-format.md)."
        )
    if not chosen:
        return lacked
    for asked in chosen:
        if not any(_means(asked, name) for _, name in columns):
            raise IncompatibleView(
                f"No party but the adversary holds a column '{asked}'.\n"
                f"Columns that it lacks are {', '.join(name for _, name in columns[:5])}"
                f"{' and others' if len(columns) > 5 else ''}."
            )
    return lacked.only([column for column in columns if any(_means(asked, column[1]) for asked in chosen)])


def _means(asked: str, name: str) -> bool:
    """Say whether an encoded column is the one asked for, or an indicator of that attribute."""
    return name == asked or name.startswith(f"{asked}=")


def _values(view: View, targets: RangedColumns, known: int, rng: Generator) -> tuple[Rows, Matrix]:
    """Return the rows to learn from, and the values of the targets there."""
    knowledge = view.knowledge
    if len(knowledge.value_rows) < known:
        raise IncompatibleView(
            f"The others' values are known for {len(knowledge.value_rows)} training rows, but {known} are "
            "asked for.\nAsk for fewer (--set known=…), or store a run in which more are known."
        )
    if len(knowledge.value_rows) >= len(knowledge.train):
        raise IncompatibleView(
            "The others' values are known for all training rows, so there is nothing to infer.\n"
            "Ask for fewer (--set known=…)."
        )
    many = len(knowledge.value_rows) > known
    taken = np.sort(rng.choice(len(knowledge.value_rows), known, replace=False)) if many else slice(None)
    places = [(party, knowledge.others[party].names.index(name)) for party, name in targets.columns]
    values = [knowledge.values[party][taken, place] for party, place in places]
    return knowledge.value_rows[taken], np.stack(values, axis=1).astype(np.float64)


def _told(targets: RangedColumns, values: Matrix, chosen: Sequence[str]) -> Rows:
    """Return the places of the columns of which a value is known; refuse where there are none, or one was chosen."""
    told = ~np.isnan(values).all(axis=0)
    if not told.any() or (chosen and not told.all()):
        _, name = targets.columns[int(np.argmin(told))]
        raise IncompatibleView(
            f"All {len(values)} known values of column '{name}' are missing, so there is nothing to learn from.\n"
            "Infer other columns (--set columns=…), or ask for more known values (--set known=…)."
        )
    return np.flatnonzero(told)
