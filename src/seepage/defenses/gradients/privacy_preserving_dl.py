"""Noise, selection and clipping together."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.checks import check_not_negative, check_positive, check_shares
from seepage.hooks import Defense, Hook, Seam, on_gradient
from seepage.messages import Kind
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class PrivacyPreservingDL(Defense):
    r"""Send a random, noisy, clipped selection of gradient values; the others are set to zero.

    The selective sharing of Shokri and Shmatikov [1]_ as paper 001, §6.1 uses
    it. Of the *n* values of a message at most :math:`c = \max(1, \lfloor
    \theta_u n \rfloor)` are sent. The values are visited once each in random
    order. With the noise scales

    .. math::

        \sigma_1 = \frac{2 c \, \Delta}{\tfrac{8}{9} \varepsilon}, \qquad
        \sigma_2 = \frac{2 c \, \Delta}{\tfrac{2}{9} \varepsilon},

    value *g* is selected when

    .. math:: |\mathrm{clip}_\gamma(g)| + \mathrm{Lap}(2 \sigma_1) \ge \tau + \mathrm{Lap}(\sigma_1),

    where the noise on the threshold is drawn anew after every selection, and is
    then sent as :math:`\mathrm{clip}_\gamma(g + \mathrm{Lap}(\sigma_2))`. The
    visit ends when *c* values are selected. **When fewer than c values pass**,
    only those that passed are sent: the message carries
    :math:`\min(c, \#\mathrm{passed})` values other than zero, and every value
    that was not selected is 0.

    It promises less than its name: the two budgets add up to 10/9 of ε, ε is
    spent anew on every message, and Δ bounds what one person can change only
    where Δ ≥ 2γ.

    Parameters
    ----------
    theta_u
        :math:`\theta_u`, the share of values to send, in (0, 1].
    tau
        :math:`\tau`, the threshold.
    epsilon, sensitivity, gamma
        :math:`\varepsilon`, :math:`\Delta` and the clipping bound
        :math:`\gamma`; the defaults are those of the authors' code.
    unselected
        ``zero`` as defined. ``raw`` is what the authors' code does by mistake:
        when fewer than *c* values pass, those not selected are sent as they are.
    both_sides
        Whether the gradients of the active party's own side are replaced as well, as where a third party that all
        trust hands out all gradients (D2 of paper 000, §VII-B).

    References
    ----------
    .. [1] R. Shokri and V. Shmatikov, "Privacy-Preserving Deep Learning", CCS 2015.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})

    theta_u: float = 0.5
    tau: float = 1e-4
    epsilon: float = 1.8
    sensitivity: float = 1.0
    gamma: float = 1e-3
    unselected: Literal["zero", "raw"] = "zero"
    both_sides: bool = False

    def __post_init__(self) -> None:
        check_shares(theta_u=self.theta_u)
        check_not_negative(tau=self.tau)
        check_positive(epsilon=self.epsilon, sensitivity=self.sensitivity, gamma=self.gamma)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part
        return replace(on_gradient(lambda gradient: self.protect(gradient, rng)), own_side=self.both_sides)

    def protect(self, gradient: Matrix, rng: Generator) -> Matrix:
        """Return what is sent instead of the gradient."""
        values = gradient.ravel().astype(np.float64)
        most = max(1, math.floor(round(self.theta_u * len(values), 9)))  # 0.29 × 100 is 29
        sigma_1 = 2 * most * self.sensitivity / (8 / 9 * self.epsilon)
        sigma_2 = 2 * most * self.sensitivity / (2 / 9 * self.epsilon)
        order = rng.permutation(len(values))
        noisy = np.abs(np.clip(values, -self.gamma, self.gamma))[order] + rng.laplace(
            scale=2 * sigma_1, size=len(values)
        )
        thresholds = self.tau + rng.laplace(scale=sigma_1, size=most)
        passed = order[_visit(noisy, thresholds)]
        short = len(passed) < most
        sent = values.copy() if short and self.unselected == "raw" else np.zeros_like(values)
        sent[passed] = np.clip(values[passed] + rng.laplace(scale=sigma_2, size=len(passed)), -self.gamma, self.gamma)
        return sent.reshape(gradient.shape).astype(gradient.dtype)


def _visit(noisy: Matrix, thresholds: Matrix) -> list[int]:
    """Visit the values in order, each selection using up one threshold.

    >>> _visit(np.array([0.1, 0.5, 0.2, 0.9]), np.array([0.3, 0.4]))
    [1, 3]
    """
    passed: list[int] = []
    remaining = iter(thresholds.tolist())
    threshold = next(remaining)
    for place, value in enumerate(noisy.tolist()):
        if value >= threshold:
            passed.append(place)
            if len(passed) == len(thresholds):
                break
            threshold = next(remaining)
    return passed
