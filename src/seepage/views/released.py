"""Released predictions and models, ready to be used by attacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import Kind
from seepage.models.trees.whole_tree import WholeTree, unpack_trees
from seepage.shapes import Matrix, Rows
from seepage.views.joint_columns import released_parts
from seepage.views.view import View

if TYPE_CHECKING:
    from seepage.models.joint_network import JointNetwork

MOST_DIGITS: Final = 6
"""Released numbers with more decimal digits count as not rounded."""
SLACK: Final = 1e-5
"""How far from one the confidences of a row may add up, which float32 needs."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The released confidences, a line for each row.

    Parameters
    ----------
    unit
        The last decimal digit that the numbers have, 0.01 say; 0 where they are not rounded.
    """

    rows: Rows
    confidences: Matrix
    unit: float


def released_predictions(view: View) -> Predictions:
    """Return the predictions that were released outside training, each row once.

    Rows must add up to one, or to what rounding down leaves of it.
    """
    latest: dict[str, list[tuple[Rows, Matrix]]] = {}
    for message in view.received(Kind.PREDICTION):
        latest.setdefault(message.receiver, []).append((message.rows, message.payload["confidence"]))
    said = max(latest.values(), key=len)  # those who collude were told the same
    rows, first = np.unique(np.concatenate([rows for rows, _ in said]), return_index=True)
    confidences = np.concatenate([confidence for _, confidence in said]).astype(np.float64)[first]
    unit = last_digit(confidences)
    totals = confidences.sum(axis=1)
    least = 1 - confidences.shape[1] * unit - SLACK
    off = np.flatnonzero((totals < least) | (totals > 1 + SLACK) | (confidences.min(axis=1) < 0))
    if len(off):
        raise IncompatibleView(
            f"The released confidences of row {rows[off[0]]} add up to {totals[off[0]]:.6g} instead of 1 "
            f"({len(off)} of {len(rows)} rows do so).\nGive confidences, one for each class, not logits."
        )
    return Predictions(rows, confidences, unit)


def last_digit(numbers: Matrix) -> float:
    """Return the last decimal digit that all numbers keep, or 0 where they keep more than six.

    Anyone who is shown rounded numbers can see that they are.

    >>> last_digit(np.array([0.25, 0.7])), last_digit(np.array([1.0, 0.0])), last_digit(np.array([1 / 3]))
    (0.01, 1.0, 0.0)
    """
    for digits in range(MOST_DIGITS + 1):
        scaled = numbers * 10**digits
        if np.abs(scaled - np.rint(scaled)).max(initial=0.0) < 1e-6:
            return float(10.0**-digits)
    return 0.0


def joint_network(view: View) -> "JointNetwork":
    """Put the released parts of a network together."""
    from seepage.models.joint_network import unpack_parts

    terms = view.agreement
    outputs = terms.classes if terms.top_model else terms.outputs
    try:
        return unpack_parts([message.payload for message in released_parts(view).values()], outputs)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise IncompatibleView(f"The released models do not fit together ({error}). Record them again.") from error


def whole_trees(view: View) -> tuple[WholeTree, ...]:
    """Put the released thresholds of all owners together, in the order the trees were grown."""
    try:
        return unpack_trees([message.payload for message in released_parts(view).values()])
    except (KeyError, ValueError) as error:
        raise IncompatibleView(f"The released trees do not fit together ({error}). Record them again.") from error
