"""Noise that makes two classes of gradients as alike as a budget allows."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from seepage.shapes import Labels, Matrix


@dataclass(frozen=True)
class TwoClasses:
    """What the gradients of two classes look like, each spread alike into all directions around its mean.

    Parameters
    ----------
    gap
        :math:`g`, the squared distance of the two means.
    spread
        :math:`u, v`: the variance of each number in class 0 and in class 1.
    share
        :math:`p`, the share of rows that are of class 1.
    width
        :math:`d`, how many numbers a gradient has.
    """

    gap: float
    spread: tuple[float, float]
    share: float
    width: int

    @classmethod
    def of(cls, gradients: Matrix, labels: Labels) -> "TwoClasses":
        """Measure the gradients of one batch, in which there are rows of both classes.

        >>> TwoClasses.of(np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), np.array([1, 1, 0, 0]))
        TwoClasses(gap=4.0, spread=(0.0, 0.5), share=0.5, width=2)
        """
        zero, one = gradients[labels == 0], gradients[labels == 1]
        gap = float(np.square(one.mean(axis=0) - zero.mean(axis=0)).sum())
        spread = (float(zero.var(axis=0).mean()), float(one.var(axis=0).mean()))
        return cls(gap, spread, len(one) / len(gradients), gradients.shape[1])

    @property
    def weights(self) -> tuple[float, float]:
        """The share of each class."""
        return 1 - self.share, self.share

    def divergence(self, noise: "Noise") -> float:
        r"""Return how far apart two Gaussians with these means, spreads and noise are, both ways added up, in nats.

        .. math:: \tfrac{1}{2} \Bigl( (d-1) \Bigl( \tfrac{b_0}{b_1} + \tfrac{b_1}{b_0} \Bigr)
                  + \tfrac{a_0 + g}{a_1} + \tfrac{a_1 + g}{a_0} \Bigr) - d

        with the total variances :math:`a_c` along the line between the means and :math:`b_c` across it.

        >>> TwoClasses(4.0, (1.0, 1.0), 0.5, 3).divergence(Noise((0.0, 0.0), (0.0, 0.0)))
        4.0
        """
        (a0, a1), (b0, b1) = (
            tuple(own + added for own, added in zip(self.spread, noises, strict=True))
            for noises in (noise.along, noise.across)
        )
        across = 1.0 if b0 == b1 or self.width == 1 else _mean_of_inverses(b0, b1)
        along = 0.0 if a0 == a1 and not self.gap else _mean_of_inverses(a0, a1) - 1
        apart = self.gap / 2 * (1 / a0 + 1 / a1) if self.gap and min(a0, a1) > 0 else (np.inf if self.gap else 0.0)
        return float((self.width - 1) * (across - 1) + along + apart)


@dataclass(frozen=True)
class Noise:
    """Variances of noise for class 0 and class 1: along the line between the means, and in each direction across it."""

    along: tuple[float, float]
    across: tuple[float, float]


def least_divergence(classes: TwoClasses, budget: float) -> Noise:
    r"""Find the Gaussian noise of a given power that makes two classes as alike as possible.

    Minimizes `TwoClasses.divergence` over all noise whose mean power stays within the budget,

    .. math:: \sum_c p_c \bigl( \lambda_1^{(c)} + (d-1) \lambda_2^{(c)} \bigr) \le P .

    Across the line noise is of use to the class alone that spreads less, until it spreads as much as the other. Along
    it, what a budget achieves is known: with all of *C* spent, own spreads included, the ratio of the two variances is

    .. math:: \frac{a_1}{a_0} = \sqrt{\frac{C + p_0 g}{C + p_1 g}},

    or as near to it as own spreads allow, since the divergence is :math:`\alpha r + \beta / r` in that ratio. What is
    left is one number: how much to spend across. The problem is a geometric program, convex in logarithms, so that
    the divergence has one valley there.

    >>> least_divergence(TwoClasses(1.0, (0.0, 0.0), 0.5, 16), budget=4.0)
    Noise(along=(4.0, 4.0), across=(0.0, 0.0))
    """
    from scipy.optimize import minimize_scalar

    if not classes.gap or not budget:
        return Noise((0.0, 0.0), (0.0, 0.0))
    narrow = int(classes.spread[1] < classes.spread[0])
    even = classes.weights[narrow] * (classes.width - 1) * abs(classes.spread[1] - classes.spread[0])
    most = min(budget, even)
    spent = partial(_spent, classes, budget, narrow)
    tries = [0.0, most]
    if most:
        inside = minimize_scalar(
            lambda share: classes.divergence(spent(share * most)), bounds=(0, 1), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        tries.append(float(inside.x) * most)
    return min((spent(across) for across in tries), key=classes.divergence)


def _spent(classes: TwoClasses, budget: float, narrow: int, across: float) -> Noise:
    """Spend so much across the line on the class that spreads less, and the rest along it as well as can be."""
    raised = across / (classes.weights[narrow] * max(1, classes.width - 1))
    p0, p1 = classes.weights
    u, v = classes.spread
    total = max(0.0, budget - across) + p0 * u + p1 * v
    wanted = np.sqrt((total + p0 * classes.gap) / (total + p1 * classes.gap))
    least = p0 * v / (total - p1 * v) if total > p1 * v else np.inf
    most = (total / u - p0) / p1 if u else np.inf
    ratio = min(max(wanted, least), most)
    a0 = total / (p0 + p1 * ratio) if np.isfinite(ratio) else 0.0
    a1 = (total - p0 * a0) / p1
    return Noise(
        along=(float(max(0.0, a0 - u)), float(max(0.0, a1 - v))),
        across=(0.0, raised) if narrow else (raised, 0.0),
    )


def _mean_of_inverses(one: float, other: float) -> float:
    """Return (x/y + y/x) / 2, which is 1 where both are alike."""
    return (one / other + other / one) / 2 if min(one, other) > 0 else np.inf
