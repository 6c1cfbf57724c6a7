"""The randomized-response ReLU: a row keeps its largest numbers, drops some of them by chance, and gets noise."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.checks import check_positive
from seepage.shapes import Array, Matrix


@dataclass(frozen=True)
class R3eLU:
    r"""R³eLU of Mao et al. [1]_, forward on a row's outputs and backward on its gradient.

    Of the *n* numbers of a row the :math:`K = n / 2` largest are kept and clipped to [0, C] (Algorithm 1), or those of
    the largest magnitude to ±C (Algorithm 2); the others count as 0. Half of ε goes into chance: number *i* stays with

    .. math::

        p_i = \frac12 + \frac{|\hat v_i|}{\max_j |\hat v_j|}
              \left(\frac{e^{\varepsilon_p / K}}{1 + e^{\varepsilon_p / K}} - \frac12\right), \qquad
        \varepsilon_p = \varepsilon_l = \varepsilon / 2

    (Eq. 4 and 6). The other half goes into noise of the scale :math:`2 K C / \varepsilon_l`: forward
    :math:`\max(0, \hat v_i + \mathrm{Lap})` is sent where *i* stays and 0 where not; backward the noise is added to
    every number, dropped or not.

    **What it spends.** Two rows may keep different numbers, so that 2K of them differ by up to C together: the noise
    spends :math:`\varepsilon_l`. A number that is dropped under :math:`p_i` instead of ½ is more telling than one that
    stays; of 2K numbers all may be. `spent` adds that up, and comes to a little more than ε.

    Parameters
    ----------
    epsilon
        :math:`\varepsilon` of one row in one message.
    bound
        *C*.
    signed
        Whether numbers are those of a gradient (Algorithm 2) and not outputs of a ReLU (Algorithm 1).

    Notes
    -----
    Budgets that follow the importance of a number over training (§3.4 of [1]_), or that fall with every step, are left
    out. Noise in floating-point numbers gives a little away by its last digits.

    References
    ----------
    .. [1] Y. Mao et al., "Secure Split Learning against Property Inference, Data Reconstruction, and Feature Space
       Hijacking Attacks", ESORICS 2023, arXiv:2304.09515.
    """

    epsilon: float
    bound: float
    signed: bool = False

    def __post_init__(self) -> None:
        check_positive(epsilon=self.epsilon, bound=self.bound)

    def release(self, values: Matrix, rng: Generator) -> Matrix:
        """Answer for rows of numbers; shape and type are kept."""
        sizes = self._largest(np.abs(values) if self.signed else values).clip(0.0, self.bound)
        stays = rng.random(sizes.shape) < self.chances(sizes)
        noise = rng.laplace(scale=2 * half(sizes.shape[1]) * self.bound / (self.epsilon / 2), size=sizes.shape)
        if self.signed:  # Algorithm 2
            answers = np.where(stays, np.sign(values) * sizes, 0.0) + noise
        else:  # Algorithm 1
            answers = np.where(stays, np.maximum(sizes + noise, 0.0), 0.0)
        return np.asarray(answers.astype(values.dtype))

    def chances(self, kept: Matrix) -> Array:
        """Return how probable it is that each number stays.

        >>> R3eLU(epsilon=2 * math.log(3), bound=1.0).chances(np.array([[0.0, 0.5], [0.0, 0.0]]))
        array([[0.5 , 0.75],
               [0.5 , 0.5 ]])
        """
        largest = kept.max(axis=1, keepdims=True)
        share = np.divide(kept, largest, out=np.zeros(kept.shape), where=largest > 0)
        most = 1 / (1 + math.exp(-self.epsilon / 2 / half(kept.shape[1])))
        return np.asarray(0.5 + share * (most - 0.5))

    def spent(self, width: int) -> float:
        """Return what a message about one row of so many numbers spends at most.

        >>> [round(R3eLU(epsilon, bound=10.0).spent(16), 3) for epsilon in (1.0, 4.0, 10.0)]
        [1.008, 4.125, 10.769]
        """
        numbers = half(width)
        return self.epsilon / 2 + 2 * numbers * math.log((1 + math.exp(self.epsilon / 2 / numbers)) / 2)

    @staticmethod
    def _largest(values: Matrix) -> Array:
        """Put 0 in the place of all but the largest half of each row; of equal ones the first stay."""
        places = np.argsort(-values, axis=1, kind="stable")[:, : half(values.shape[1])]
        kept = np.zeros(values.shape)
        np.put_along_axis(kept, places, np.take_along_axis(values, places, axis=1), axis=1)
        return kept


def half(width: int) -> int:
    """Return K: how many numbers of a row are kept.

    >>> half(16), half(1)
    (8, 1)
    """
    return max(1, width // 2)
