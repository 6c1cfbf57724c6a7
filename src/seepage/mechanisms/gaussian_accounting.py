"""How much Gaussian noise gives away over many messages, exactly."""

import math
from typing import Final

from seepage.checks import check_below_one, check_counts, check_positive

LEAST: Final = 1e-9
MOST: Final = 1e9
"""Between these the ratio of noise to sensitivity is looked for."""


def delta_of(epsilon: float, noise: float, times: int) -> float:
    r"""Return the least :math:`\delta` for which so many messages are :math:`(\varepsilon, \delta)`-private.

    One message is off by :math:`N(0, \sigma^2)` in every coordinate, where two inputs lie at most a sensitivity apart;
    *noise* is their ratio. Of *T* messages, with :math:`\mu = \sqrt T / \mathit{noise}` and the normal
    distribution's :math:`\Phi`,

    .. math:: \delta = \Phi\Bigl(\frac{\mu}{2} - \frac{\varepsilon}{\mu}\Bigr)
        - e^\varepsilon \, \Phi\Bigl(-\frac{\mu}{2} - \frac{\varepsilon}{\mu}\Bigr)

    (Dong, Roth and Su, "Gaussian Differential Privacy", JRSS B 2022, Corollaries 1 and 4). It is exact: no smaller
    number would do for inputs that far apart.

    >>> round(delta_of(1.0, noise=1.0, times=1), 4)
    0.1269
    """
    from scipy.special import log_ndtr, ndtr

    mu = math.sqrt(times) / noise
    logarithm = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    return max(0.0, float(ndtr(mu / 2 - epsilon / mu)) - math.exp(logarithm))


def epsilon_of(noise: float, times: int, delta: float) -> float:
    """Return the least ε for which so many messages are (ε, δ)-private.

    >>> round(epsilon_of(noise=1.0, times=1, delta=1e-5), 2), round(epsilon_of(noise=1.0, times=21, delta=1e-5), 1)
    (4.38, 29.3)
    """
    from scipy.optimize import brentq

    _check(times, delta)
    check_positive(noise=noise)
    if delta_of(0.0, noise, times) <= delta:
        return 0.0
    mu = math.sqrt(times) / noise
    most = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta)) + 1.0  # where the first term alone is below δ
    return float(brentq(lambda epsilon: delta_of(epsilon, noise, times) - delta, 0.0, most, xtol=1e-12))


def noise_for(epsilon: float, times: int, delta: float) -> float:
    """Return the least ratio of noise to sensitivity for which so many messages are (ε, δ)-private.

    >>> round(epsilon_of(noise_for(2.0, times=21, delta=1e-5), 21, 1e-5), 9)
    2.0
    """
    from scipy.optimize import brentq

    _check(times, delta)
    check_positive(epsilon=epsilon)

    def excess(logarithm: float) -> float:
        return delta_of(epsilon, math.exp(logarithm), times) - delta

    return math.exp(brentq(excess, math.log(LEAST), math.log(MOST), xtol=1e-13))


def _check(times: int, delta: float) -> None:
    check_counts(times=times)
    check_below_one(delta=delta)
    check_positive(delta=delta)
