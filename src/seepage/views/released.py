"""Released predictions and models, ready to be used by attacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast, get_args

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import Kind
from seepage.networks.backbones import reads_names
from seepage.shapes import Array, Matrix, Rows
from seepage.trees.whole_tree import Release, WholeTree, unpack_trees
from seepage.views.joint_columns import RangedColumns, columns_of, released_parts
from seepage.views.view import View

if TYPE_CHECKING:
    from torch import nn

    from seepage.networks.joint_network import JointNetwork

MOST_DIGITS: Final = 6
"""Released numbers with more decimal digits count as not rounded."""
EXACT: Final = 1e-12
"""How far from a decimal number a float64 may be that was rounded to it."""
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
    units = [last_digit(confidence) for _, confidence in said]  # of each by itself: precisions may differ
    unit = min(units)  # 0 where one is not rounded
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

    Anyone who is shown rounded numbers can see that they are: they are off by
    no more than their precision. What was rounded to 0 is 0 exactly, so that
    next to nothing, as saturated confidences have it, does not pass for it.

    >>> last_digit(np.array([0.25, 0.7])), last_digit(np.array([1.0, 0.0])), last_digit(np.array([1 / 3]))
    (0.01, 1.0, 0.0)
    >>> last_digit(np.array([1 - 2e-13, 2e-13])), last_digit(np.array([0.9, 0.1], dtype=np.float32))
    (0.0, 0.1)
    """
    exact = numbers.astype(np.float64)
    # Every float is up to half its distance to the next one off what it stands for: 3e-8 for a float32 above ½.
    half = np.spacing(np.abs(numbers)).astype(np.float64) / 2 if numbers.dtype.kind == "f" else np.zeros(exact.shape)
    off = np.maximum(EXACT, half)
    for digits in range(MOST_DIGITS + 1):
        unit = 10.0**-digits
        nearest = np.rint(exact * 10.0**digits)
        allowed = np.where(nearest == 0, 0.0, off)
        if off.max(initial=0.0) < unit / 10 and bool((np.abs(exact - nearest / 10.0**digits) <= allowed).all()):
            return unit
    return 0.0


def joint_network(view: View) -> "JointNetwork":
    """Put the released parts of a network together."""
    from seepage.networks.joint_network import unpack_parts

    terms = view.agreement
    outputs = terms.classes if terms.top_model else terms.outputs
    try:
        return unpack_parts([message.payload for message in released_parts(view).values()], outputs)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise IncompatibleView(f"The released models do not fit together ({error}). Record them again.") from error


def whole_trees(view: View) -> tuple[WholeTree, ...]:
    """Put the released thresholds of all owners together, in the order the trees were grown."""
    try:
        return unpack_trees([message.payload for message in released_parts(view).values()], view.agreement.classes)
    except (KeyError, TypeError, ValueError) as error:
        raise IncompatibleView(f"The released trees do not fit together ({error}). Record them again.") from error


def release_of(view: View) -> Release:
    """Return what the trees of a run release: votes, or the class ratios of leaves."""
    found = view.agreement.terms.release
    for known in get_args(Release):
        if found == known:
            return cast("Release", known)
    kinds = " or ".join(repr(known) for known in get_args(Release))
    said = "does not say" if found is None else f"has release = {found!r}, which does not say"
    raise IncompatibleView(
        f"The agreement of this run {said} what its trees release, {kinds}.\n"
        "Set release in the terms of the agreement, or record the run again."
    )


@dataclass(frozen=True, eq=False)
class ReleasedBottom:
    """One party's bottom model, and the columns that it reads."""

    party: str
    network: "nn.Module"
    columns: RangedColumns


def released_bottoms(view: View) -> tuple[ReleasedBottom, ...]:
    """Return the bottom model of every party but the adversaries that lacks nothing to be understood; refuse none."""
    if reads_names(view.agreement.terms.bottom):
        raise IncompatibleView(
            "The released models read words, by whose numbers they cannot be differentiated.\n"
            "Choose an attack on labels, or a federation over a table."
        )
    latest = {message.sender: message.payload for message in view.received(Kind.MODEL)}
    found = [_bottom(view, party, latest[party]) for party in view.knowledge.others if party in latest]
    bottoms = tuple(bottom for bottom in found if bottom is not None and len(bottom.columns.unknown))
    if not bottoms:
        raise IncompatibleView(
            "No party released a bottom model that reads columns which the adversary lacks.\n"
            "Record the models of the parties, or choose an attack that needs less."
        )
    return bottoms


def _bottom(view: View, party: str, payload: Mapping[str, Array]) -> ReleasedBottom | None:
    from seepage.networks.joint_network import unpack_bottom

    try:
        unpacked = unpack_bottom(payload)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise IncompatibleView(
            f"The model that '{party}' released cannot be used ({error}). Record it again."
        ) from error
    if unpacked is None:
        return None
    names, network = unpacked
    return ReleasedBottom(party, network, columns_of(view, {party: names}))
