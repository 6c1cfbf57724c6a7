"""Read values off the confidences of a linear model."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.inversion.linear_equations import SMALLEST, released_equations
from seepage.guesses import FeatureGuess
from seepage.views import Kind, ModelKind, Needs, View
from seepage.views.joint_columns import joint_columns
from seepage.views.released import released_predictions


@dataclass(frozen=True, kw_only=True)
class EqualitySolving(Attack[FeatureGuess]):
    r"""Solve the linear equations that confidences spell out: the equality solving attack of paper 002.

    A logistic regression with known weights says of every row (Eq. 3 for two
    classes, Eq. 8 of [1]_ for more; intercepts belong to it)

    .. math:: \Theta_{target} \, x_{target} = a, \quad
        a_k = \ln v_k - \ln v_{k+1} - x_{adv} (\theta_{adv}^{(k)} - \theta_{adv}^{(k+1)}) - (b_k - b_{k+1}),

    which are *c* − 1 equations for *c* classes. The guess is
    :math:`\hat x_{target} = \Theta_{target}^+ a`, in float64, all rows at once.
    It is the truth where there are no more unknown columns than equations and
    the matrix has full rank, which `notes` say beforehand (``exact``);
    otherwise it is the solution nearest to zero, and may lie outside the range.

    Parameters
    ----------
    floor
        Confidences below this are raised to it before the logarithm; above 0.
        None takes half of the last digit where confidences were rounded, and
        1e-300 where they were not. See Notes.

    Examples
    --------
    Example 1 of the paper, from the equations on. Of three classes the
    confidences are 0.867, 0.084 and 0.049; differences of their logarithms are
    2.334 and 0.539. The bank knows a user's age, 25, and income, 2,000. The truth
    is a deposit of 8,000 and 3 purchases; what is lacking was lost to three digits.

    >>> from seepage.attacks.steps.inversion.linear_equations import LinearLogits, linear_equations
    >>> weights = np.array([[0.08, 0.0002, 0.0005, 0.09], [0.06, 0.0005, 0.0002, 0.08], [0.01, 0.0001, 0.0004, 0.05]])
    >>> logs, own = np.array([[2.334 + 0.539, 0.539, 0.0]]), np.array([[25.0, 2000.0]])
    >>> equations = linear_equations(LinearLogits(weights, np.zeros(3)), logs, own, known=np.array([0, 1]),
    ...                              unknown=np.array([2, 3]), low=np.zeros(4), width=np.ones(4))
    >>> equations.nearest_to_zero().round(2).tolist()
    [[8011.82, 3.05]]

    Notes
    -----
    The solution is the projection of the truth on the row space of
    :math:`\Theta_{target}`, from zero. Its error in one row is therefore exactly
    :math:`(\lVert x \rVert^2 - \lVert \hat x \rVert^2) / d`. Eq. 14 drops a term
    that is not below zero, and the bound of Eq. 15, twice
    :math:`\lVert x \rVert^2 / d`, is never reached: half of it is one already. Both hold
    for confidences that were not rounded; findings carry Eq. 15 in `bounds`.

    The authors' code takes the logarithm of 0 where a confidence is 0. Under
    rounding down the `floor` decides: a confidence of 0 among digits of 0.01
    may have been 0.009 or 1e-9, and the logarithms of the two differ by 16. The
    half digit is the middle of what it can have been. A lower floor turns
    rounding into a stronger defense than it is.

    Singular values below 1e-12 of the largest count as zero. Values are counted
    in units of their range; under min-max scaling that is what the paper does.

    References
    ----------
    .. [1] X. Luo et al., "Feature Inference Attack on Model Predictions in
       Vertical Federated Learning", ICDE 2021, §IV-A.
    """

    name = "equality-solving"
    steals = "features"
    rows = "new"

    floor: float | None = None

    def __post_init__(self) -> None:
        if self.floor is not None and not 0 < self.floor < 1:
            raise ValueError(f"floor must be None or between 0 and 1, got {self.floor}")

    @property
    def needs(self) -> Needs:
        """Predictions, and the linear model behind them."""
        return Needs(
            received=frozenset({Kind.MODEL, Kind.PREDICTION}), active=True, models=frozenset({ModelKind.LINEAR})
        )

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Solve the equations of every row that a prediction was released for."""
        del rng  # nothing here is random
        columns, predictions = joint_columns(view), released_predictions(view)
        floor = self.floor or (predictions.unit / 2 if predictions.unit else SMALLEST)
        logs = np.log(np.maximum(predictions.confidences, floor))
        equations = released_equations(view, columns, predictions.rows, logs)
        units = equations.nearest_to_zero()
        notes = equations.facts() | {"last_digit": predictions.unit}
        return FeatureGuess(predictions.rows, columns.targets, units, notes=notes)
