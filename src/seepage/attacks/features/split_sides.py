"""Infer columns from the side of each split that a row fell on."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.values.known_values import KnownValues, known_values, own_inputs, own_labels
from seepage.attacks.steps.values.proven_bounds import Bounds, indicator_groups, named_splits, one_of_each
from seepage.attacks.steps.values.regression import Inputs, learned, regressed
from seepage.checks import check_least
from seepage.guesses import FeatureGuess
from seepage.shapes import Array, Matrix, Rows
from seepage.views import Kind, Needs, View
from seepage.views.joint_columns import lacked_columns
from seepage.views.trees.others_splits import OthersSplits, others_splits


@dataclass(frozen=True, kw_only=True)
class SplitSides(Attack[FeatureGuess]):
    r"""Infer the partner's columns from the side of each of its splits that rows fell on, and a few known rows.

    Whoever grows the trees is told the rows of both children of every node that
    a partner splits. So it knows of each row :math:`i` and each such node
    :math:`u` that it came to

    .. math:: s_{iu} = \begin{cases} 1 & x_{i,c(u)} \le \theta_u, \\ -1 & x_{i,c(u)} > \theta_u, \end{cases}

    but neither the column :math:`c(u)` nor the threshold :math:`\theta_u`. With
    the partner's values of a few rows it takes two steps:

    1. a regression of every column on these sides, own columns and labels
       (`seepage.attacks.steps.values.regression`, kernel and penalty by leave-one-out);
    2. proofs: where of all the partner's columns only one has its known values
       in the order that a split puts them in, that split is about this column,
       and each row that came to it lies above or below its threshold. What the
       regression says is moved inside these bounds, and indicators of one
       attribute are made to sum to 1
       (`seepage.attacks.steps.values.proven_bounds`).

    No model is released, and sealed sums are never opened for it, so encryption
    changes nothing.

    Parameters
    ----------
    known
        For how many training rows the others' values are known, 2 or more.
    columns
        Which columns of the others to infer, by the name of an attribute or of an
        encoded column; empty infers all that the adversary lacks. Others are then
        left out of the score as well.

    Notes
    -----
    The attack is in no paper. Its blind twin is the same regression on own
    columns and labels, with the same known rows; `notes` hold the leave-one-out
    errors of both, which the adversary can see itself, and how many splits there
    were and how many of them could be named. The known rows are not guessed. A
    row outside a tree's sample came to none of its nodes. Where no partner ever
    had the best split, all that is left are own columns and labels.
    """

    name = "split-sides"
    steals = "features"
    rows = "train"

    known: int = 40
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_least(2, known=self.known)

    @property
    def needs(self) -> Needs:
        """Children of the others' splits that came in, a few values of the others, and the labels of training rows."""
        return Needs(received=frozenset({Kind.CHILD_SPACES}), active=True, known_values=self.known, labels_if_held=True)

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Learn from the known rows, and tell all other training rows within what is proven."""
        sides = others_splits(view)
        known = known_values(view, self.known, rng, chosen=self.columns)
        own = own_inputs(view)
        before = np.hstack((own, own_labels(view, len(own))))
        rows = np.setdiff1d(view.knowledge.train, view.knowledge.value_rows)
        at_known, at_rows = (view.knowledge.places(some) for some in (known.rows, rows))
        told, blind_error = regressed(before[known.rows], known.units, before[rows])
        error = blind_error
        if len(sides.owners):
            met = sides.largest().indicators.astype(np.float32)
            blocks = (
                Inputs.scaled(met[at_known], met[at_rows]),
                Inputs.standardized(before[known.rows], before[rows]),
            )
            told, error = learned(blocks, known.units)
        bounds, named = _proven(view, known, sides, at_known, at_rows)
        attributes = Counter(lacked_columns(view).attributes)
        groups = indicator_groups(known.targets.attributes, attributes, known.units)
        return FeatureGuess(
            rows=rows,
            columns=known.targets.columns,
            units=one_of_each(bounds.within(told), bounds, groups),
            notes={
                "leave_one_out_mse": error,
                "leave_one_out_mse_without_messages": blind_error,
                "splits": float(len(sides.owners)),
                "named_splits": float(named),
            },
            chosen=bool(self.columns),
        )


def _proven(view: View, known: KnownValues, sides: OthersSplits, at_known: Array, at_rows: Array) -> tuple[Bounds, int]:
    """Return what named splits prove about the rows to be told, and how many splits were named."""
    targets, bounds, named = known.targets, Bounds.open(len(at_rows), len(known.targets.columns)), 0
    indicators = np.asarray(np.isin(known.units, (0.0, 1.0)).all(axis=0))
    owners = np.array(sides.owners)
    for party in dict.fromkeys(sides.owners):
        own_splits = np.flatnonzero(owners == party)
        names = view.knowledge.others[party].names
        for one in named_splits(sides.sides[np.ix_(at_known, own_splits)], _values(view, party, known.rows)):
            named += 1
            column = (party, names[one.column])
            if column not in targets.columns:
                continue  # held by the adversary as well, or not asked for
            place = targets.columns.index(column)
            left, right = (np.array([one.left, one.right]) - targets.low[place]) / targets.width[place]
            where = sides.sides[at_rows, own_splits[one.split]]
            bounds.narrow(where, place, float(left), float(right), indicator=bool(indicators[place]))
    return bounds, named


def _values(view: View, party: str, rows: Rows) -> Matrix:
    """Return all values of a party that are known on some rows."""
    granted = view.knowledge.value_rows
    order = np.argsort(granted)
    return view.knowledge.values[party][order[np.searchsorted(granted[order], rows)]]
