"""Noise that makes the gradients of two classes as alike as its power allows."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_positive
from seepage.errors import BadSetting
from seepage.hooks import Defense, Hook, Seam, on_message
from seepage.mechanisms.least_divergence import Noise, TwoClasses, least_divergence
from seepage.messages import Kind, Message
from seepage.partition import OwnPart
from seepage.reasons import HidesTwoClasses
from seepage.shapes import Array, Labels, Matrix


@dataclass(frozen=True, kw_only=True)
class Marvell(Defense):
    r"""Add Gaussian noise, shaped so that two classes are as hard to tell apart as its power allows.

    MARVELL of [1]_, §4.2. In every batch the gradients of each class are taken for a Gaussian that spreads alike into
    all directions. Of all covariances :math:`\Sigma_0, \Sigma_1` of noise for the two classes those are drawn from that
    minimize

    .. math:: \mathrm{KL}(\tilde P_1 \Vert \tilde P_0) + \mathrm{KL}(\tilde P_0 \Vert \tilde P_1)
              \quad \text{while} \quad p \, \mathrm{tr} \Sigma_1 + (1 - p) \, \mathrm{tr} \Sigma_0
              \le s \, \lVert \Delta g \rVert^2,

    with Δg between the means of the two classes and *p* the share of class 1. By Theorem 2 of [1]_ they spread by
    :math:`\lambda_1` along Δg and by :math:`\lambda_2` across it: four numbers are left to find (`least_divergence`).

    What it minimizes bounds how well one message is read by somebody who takes both classes for such Gaussians. It is
    no differential privacy. Gradients of networks are no such Gaussians, and noise is drawn anew in every epoch, so
    that it averages out over epochs. The active party's own models learn from clear gradients. Each receiver is sent
    noise of its own: those who collude average it as well.

    Parameters
    ----------
    ratio
        :math:`s`, the power of the noise by the squared distance of the two means.

    Notes
    -----
    A batch of one class has no Δg: noise is drawn as for the batch before, and zeros are sent where there was none,
    whereas the authors' code divides by zero. That code alternates between three of the four numbers with the fourth
    at 0; here the same optimum is found as the lowest point of one valley. The variance of a class is divided by its
    number of rows, as there.

    References
    ----------
    .. [1] O. Li et al., "Label Leakage and Protection in Two-party Split Learning", ICLR 2022.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.GRADIENT})
    binary = True

    ratio: float = 4.0

    def __post_init__(self) -> None:
        check_positive(ratio=self.ratio)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party shapes noise by its own labels; of each receiver the last shape is kept."""
        labels = own_part.labels
        if labels is None:
            return Hook()
        classes = own_part.classes or int(labels.max(initial=0)) + 1
        if classes > 2:
            raise BadSetting(str(HidesTwoClasses("marvell", classes)))
        shapes: dict[str, Shape] = {}
        return on_message(Kind.GRADIENT, lambda message: self._noisy(message, labels, shapes, rng))

    def _noisy(self, message: Message, labels: Labels, shapes: dict[str, "Shape"], rng: Generator) -> Message:
        gradient, own = message.payload["gradient"], labels[message.rows]
        if 0 < np.count_nonzero(own) < len(own):
            shapes[message.receiver] = shape_of(gradient.astype(np.float64), own, self.ratio)
        shape = shapes.get(message.receiver)
        noisy = gradient + shape.drawn(own, rng) if shape is not None else np.zeros_like(gradient)
        return replace(message, payload={"gradient": noisy.astype(gradient.dtype)})


@dataclass(frozen=True, eq=False)
class Shape:
    """How noise of both classes spreads around the line between them.

    Parameters
    ----------
    line
        The direction from the mean of class 0 to that of class 1, of length 1.
    """

    line: Array
    noise: Noise = field(repr=False)

    def drawn(self, labels: Labels, rng: Generator) -> Matrix:
        """Draw noise for some rows: everywhere as across the line, and along it as along it."""
        along, across = (np.sqrt(np.array(each))[labels][:, None] for each in (self.noise.along, self.noise.across))
        around = rng.normal(size=(len(labels), len(self.line)))
        onto = (around @ self.line)[:, None]
        return np.asarray(across * around + (along - across) * onto * self.line)


def shape_of(gradients: Matrix, labels: Labels, ratio: float) -> Shape:
    """Shape noise for one batch with rows of both classes.

    >>> shape = shape_of(np.array([[2.0, 0.0], [4.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), np.array([1, 1, 0, 0]), ratio=4.0)
    >>> shape.line, shape.noise
    (array([1., 0.]), Noise(along=(36.0, 36.0), across=(0.0, 0.0)))
    """
    gap = gradients[labels == 1].mean(axis=0) - gradients[labels == 0].mean(axis=0)
    length = float(np.linalg.norm(gap))
    scale = float(np.abs(gradients).max(initial=0.0)) or 1.0  # tiny numbers have no squares
    classes = TwoClasses.of(gradients / scale, labels)
    noise = least_divergence(classes, ratio * classes.gap)
    along, across = (tuple(scale**2 * power for power in powers) for powers in (noise.along, noise.across))
    return Shape(gap / length if length else gap, Noise((along[0], along[1]), (across[0], across[1])))
