"""How much the Gaussian mechanism tells, exactly: ε and δ of one number that composes by Pythagoras."""

import math
from typing import Final

from seepage.checks import check_positive

LEAST_MU: Final = 1e-9
MOST_MU: Final = 1e4
"""Between these μ is looked for."""


def delta_of(epsilon: float, mu: float) -> float:
    r"""Return the least δ for which telling apart two Gaussians that lie μ deviations apart is (ε, δ)-private.

    .. math:: \delta(\varepsilon) = \Phi\!\left(-\frac{\varepsilon}{\mu} + \frac{\mu}{2}\right)
              - e^{\varepsilon} \, \Phi\!\left(-\frac{\varepsilon}{\mu} - \frac{\mu}{2}\right)

    Theorem 8 of [1]_, Corollary 2.13 of [2]_. A number of sensitivity Δ to which noise of deviation σ is added has
    :math:`\mu = \Delta / \sigma`. Of several such numbers, each of which may depend on those before, the squares of μ
    add up (Corollary 3.3 of [2]_), so that *T* of them have :math:`\mu = \Delta \sqrt T / \sigma`. What
    comes out is exact: no smaller number would do for inputs that far apart.

    >>> round(delta_of(1.0, 1.0), 4)
    0.1269

    References
    ----------
    .. [1] B. Balle and Y.-X. Wang, "Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration
       and Optimal Denoising", ICML 2018.
    .. [2] J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B, 2022.
    """
    from scipy.special import log_ndtr, ndtr

    far = float(log_ndtr(-epsilon / mu - mu / 2))
    return max(0.0, float(ndtr(-epsilon / mu + mu / 2)) - math.exp(epsilon + far))


def mu_of(epsilon: float, delta: float) -> float:
    """Return how many deviations apart two Gaussians may lie that are to be (ε, δ)-private.

    >>> round(mu_of(1.0, 1e-5), 4), round(delta_of(1.0, mu_of(1.0, 1e-5)), 9)
    (0.2681, 1e-05)
    """
    from scipy.optimize import brentq

    check_positive(epsilon=epsilon)
    check_delta(delta)

    def excess(logarithm: float) -> float:
        return math.log(max(delta_of(epsilon, math.exp(logarithm)), 1e-300)) - math.log(delta)

    return math.exp(brentq(excess, math.log(LEAST_MU), math.log(MOST_MU), xtol=1e-13))


def epsilon_of(mu: float, delta: float) -> float:
    """Return the least ε at which two Gaussians that lie μ deviations apart are (ε, δ)-private.

    >>> round(epsilon_of(mu_of(1.0, 1e-5), 1e-5), 9)
    1.0

    Noise as wide as two inputs lie apart, once and 21 times:

    >>> round(epsilon_of(1.0, 1e-5), 2), round(epsilon_of(math.sqrt(21), 1e-5), 1)
    (4.38, 29.3)
    """
    from scipy.optimize import brentq

    check_positive(mu=mu)
    check_delta(delta)
    if delta_of(0.0, mu) <= delta:
        return 0.0
    most = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta)) + 1.0  # where the first term alone is below δ
    return float(brentq(lambda epsilon: delta_of(epsilon, mu) - delta, 0.0, most, xtol=1e-13))


def check_delta(delta: float) -> None:
    """Refuse a δ that is no probability, or one that allows everything.

    >>> check_delta(1.0)
    Traceback (most recent call last):
        ...
    ValueError: delta must be above 0 and below 1, got 1.0
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta must be above 0 and below 1, got {delta}")
