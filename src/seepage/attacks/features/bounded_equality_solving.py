"""Read values off the confidences of a linear model, knowing their range."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.inversion.box_projection import nearest_in_box
from seepage.attacks.steps.inversion.linear_equations import SMALLEST, released_equations
from seepage.errors import IncompatibleView
from seepage.guesses import FeatureGuess
from seepage.shapes import Mask, Matrix
from seepage.views import Kind, ModelKind, Needs, View
from seepage.views.joint_columns import RangedColumns, joint_columns, lacked_columns
from seepage.views.released import Predictions, released_predictions

EXACT_DEVIATION: Final = 1e-12
"""How far the logarithm of a confidence that was not rounded may be off."""
LEAST_DEVIATION: Final = 1e-5
"""The same, beside confidences that are uncertain: float64 cannot weigh numbers that are further apart."""
HIDDEN_DEVIATION: Final = 10.0
"""How far the logarithm of a confidence that was rounded to 0 may be off."""


@dataclass(frozen=True, kw_only=True)
class BoundedEqualitySolving(Attack[FeatureGuess]):
    r"""Solve the equations of equality-solving inside the known range, as near to its middle as they allow.

    The published attack takes the solution nearest to zero, although the
    adversary knows that values lie between 0 and 1 in units of their range. This
    one takes the solution nearest to a center *c* in that box:

    .. math:: \min_{0 \le u \le 1} \; 12 \, \lVert u - c \rVert^2
        + (\Theta u - a)^\top \Sigma^{-1} (\Theta u - a),

    with :math:`\Theta` and *a* of Eq. 3 or 8 of [1]_. Without rounding
    :math:`\Sigma` is next to nothing, the equations hold, and the guess is the
    projection of *c* on the solutions. A projection on a convex set that holds
    the truth is never further from the truth than *c* was: no row inside the
    range is guessed worse than by *c* itself.

    Parameters
    ----------
    center
        ``half`` starts from the middle of every range, and from 1/k for each of
        the k indicators of one attribute; ``mean`` from the mean of each column
        over the training rows, which the adversary then has to know.

    Notes
    -----
    Center, box and weights are not in the paper. An adversary sees by itself
    that confidences were rounded down to a last digit *r*. It reads each as the
    middle :math:`\hat v = v + r/2` of what it can have been, off by
    :math:`s = (r / \sqrt{12}) / \hat v` in the logarithm. Then
    :math:`\Sigma = D \operatorname{diag}(s^2) D^\top` for the differences *D*
    that make the equations, and 12 is one over the variance of a uniform value:
    what is uncertain counts less, and a confidence that was rounded to 0
    (*s* = 10) hardly counts.

    Where the equations have one solution only, nothing was rounded and no
    confidence of the row is 0, that solution is the guess even if it lies
    outside the box: a new row may leave the range of the training rows, and the
    equations know better. Where a row outside the range leaves no solution
    inside, the guess is the point of the box that comes nearest to one.

    Examples
    --------
    >>> BoundedEqualitySolving(center="mean").needs.means
    True

    References
    ----------
    .. [1] X. Luo et al., "Feature Inference Attack on Model Predictions in
       Vertical Federated Learning", ICDE 2021, §IV-A.
    """

    name = "bounded-equality-solving"
    steals = "features"
    rows = "new"

    center: Literal["half", "mean"] = "half"

    def __post_init__(self) -> None:
        if self.center not in {"half", "mean"}:
            raise ValueError(f"center must be 'half' or 'mean', got {self.center!r}")

    @property
    def needs(self) -> Needs:
        """Predictions, the linear model behind them, and means where they are the center."""
        return Needs(
            received=frozenset({Kind.MODEL, Kind.PREDICTION}),
            active=True,
            models=frozenset({ModelKind.LINEAR}),
            means=self.center == "mean",
        )

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Project the center of every row that a prediction was released for."""
        del rng  # nothing here is random
        columns, predictions = joint_columns(view), released_predictions(view)
        logs, variances, certain = _logarithms(predictions)
        equations = released_equations(view, columns, predictions.rows, logs)
        center = _means(view, columns) if self.center == "mean" else columns.middle[columns.unknown]
        sure, unsure = (replace(equations, sides=equations.sides[rows]) for rows in (certain, ~certain))
        units = np.empty((len(logs), len(columns.unknown)))
        units[~certain] = nearest_in_box(unsure, center, variances)
        if equations.exact:
            units[certain] = sure.nearest_to_zero()
        else:
            units[certain] = nearest_in_box(sure, center, np.full((1, logs.shape[1]), EXACT_DEVIATION**2))
        return FeatureGuess(
            predictions.rows,
            columns.targets,
            units,
            notes=equations.facts() | {"last_digit": predictions.unit, "inside_box": 1.0},
        )


def _logarithms(predictions: Predictions) -> tuple[Matrix, Matrix, Mask]:
    """Return the logarithm of every confidence, the variance of each in uncertain rows, and which rows are certain.

    A row is certain where nothing was rounded and no confidence is 0.

    >>> rounded = Predictions(np.arange(1), np.array([[0.4, 0.5, 0.0]]), 0.1)
    >>> [lines.round(3).tolist() for lines in _logarithms(rounded)[:2]]
    [[[-0.799, -0.598, -2.996]], [[0.004, 0.003, 100.0]]]
    >>> _logarithms(Predictions(np.arange(2), np.array([[1.0, 0.0], [2 / 3, 1 / 3]]), 0.0))[2]
    array([False,  True])
    """
    confidences, unit = predictions.confidences, predictions.unit
    hidden = confidences < max(unit / 2, SMALLEST)
    certain = np.asarray(~hidden.any(axis=1)) & (not unit)
    middle = np.maximum(confidences + unit / 2, SMALLEST)
    deviation = np.maximum(unit / np.sqrt(12) / middle, LEAST_DEVIATION)
    return np.log(middle), np.where(hidden, HIDDEN_DEVIATION, deviation)[~certain] ** 2, certain


def _means(view: View, columns: RangedColumns) -> Matrix:
    """Return the mean of every unknown column, in units and inside the range."""
    means = lacked_columns(view).only(columns.targets).known_means(view)
    if means is None:
        raise IncompatibleView("The means of the unknown columns are not known.\nGrant them, or take center = half.")
    return means
