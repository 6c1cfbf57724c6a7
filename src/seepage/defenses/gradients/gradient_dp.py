"""Clipped, noised losses: all that anybody learns of a label is bounded over the whole training."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_positive
from seepage.hooks import Defense, Hook, Seam, Signal
from seepage.mechanisms.gaussian_privacy import check_delta, mu_of
from seepage.partition import OwnPart
from seepage.shapes import Matrix


@dataclass(frozen=True, kw_only=True)
class GradientDP(Defense):
    r"""Clip and noise what the loss says of each row before any model learns from it.

    For row *i* the loss pulls at the logits by :math:`s_i = p_i - e_{y_i}`. In its place the active party uses

    .. math:: \tilde s_i = s_i \min\!\left(1, \frac{C}{\lVert s_i \rVert}\right) + \mathcal N(0, \sigma^2 I)

    and sends that back: through its top model, into its own bottom model, and to all others. So all of them learn
    from the noised pulls alone, and whatever is computed of these tells no more than they do.

    **It promises** (ε, δ)-differential privacy of each single label over the whole training: whatever anybody sees of
    it (gradients of all epochs, to all parties together, all models, all predictions) is about as probable under any
    other value of that label, all others being given. Clipping moves no two points apart, so another label changes
    the clipped pull by at most :math:`\Delta = \min(2C, \sqrt 2)`, or :math:`\min(2C, 1)` where there is one logit.
    Each row is heard once in each of *T* epochs, so that the whole is as private as one Gaussian mechanism with

    .. math:: \mu = \frac{\Delta \sqrt{T}}{\sigma}

    (`delta_of`); σ is chosen so that this is what ε and δ allow. Who knows everything else about training names the
    label of a row, of two that are equally likely beforehand, right at most with probability :math:`\Phi(\mu / 2)`.

    It does not hide what many rows have in common, nor columns, nor how many rows there are. A stratified split looks
    at labels before; ε begins after that. Class weights would carry labels past it and are refused.

    Parameters
    ----------
    epsilon, delta
        :math:`\varepsilon` and :math:`\delta` of each label, for all epochs together.
    clip
        :math:`C`, how long the pull of a row may be. From :math:`\sqrt 2` on nothing is clipped.

    Notes
    -----
    Rows of a batch are dealt by a shuffled pass, so nothing is gained by sampling, and nothing is claimed of it. Pulls
    at several logits add up to 0, and so does the noise: what would shift all logits alike is left out, as is free to
    do with anything that is noised. Noise is drawn in double precision by an ordinary generator; attacks on the last
    bits of it are outside the promise.

    References
    ----------
    .. [1] M. Abadi et al., "Deep Learning with Differential Privacy", CCS 2016.
    .. [2] J. Dong, A. Roth and W. J. Su, "Gaussian Differential Privacy", JRSS B, 2022.
    """

    acts_on = frozenset({Seam.SIGNAL})

    epsilon: float = 4.0
    delta: float = 1e-5
    clip: float = 1.0

    def __post_init__(self) -> None:
        check_positive(epsilon=self.epsilon, clip=self.clip)
        check_delta(self.delta)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party remembers its generator, and how far apart two labels may be."""
        if own_part.labels is None:
            return Hook()
        apart = mu_of(self.epsilon, self.delta)

        def noised(signal: Signal) -> Signal:
            deviation = sensitivity(self.clip, signal.pulls.shape[1]) * math.sqrt(signal.rounds) / apart
            return replace(signal, pulls=noised_pulls(signal.pulls, self.clip, deviation, rng))

        return Hook(signal=noised)


def sensitivity(clip: float, logits: int) -> float:
    """Return by how much the clipped pull of a row can change with its label.

    >>> sensitivity(0.1, logits=2), round(sensitivity(1.0, logits=2), 3), sensitivity(1.0, logits=1)
    (0.2, 1.414, 1.0)
    """
    return min(2 * clip, math.sqrt(2) if logits > 1 else 1.0)


def noised_pulls(pulls: Matrix, clip: float, deviation: float, rng: Generator) -> Matrix:
    """Clip each row, and add noise that, as pulls at several logits do, adds up to 0.

    >>> noised_pulls(np.array([[-3.0, 3.0], [0.3, -0.3]]), np.sqrt(2), deviation=0.0, rng=np.random.default_rng(0))
    array([[-1. ,  1. ],
           [ 0.3, -0.3]])
    """
    lengths = np.linalg.norm(pulls.astype(np.float64), axis=1, keepdims=True)
    clipped = pulls * (clip / np.maximum(lengths, clip))
    noise = rng.normal(scale=deviation, size=pulls.shape)
    if pulls.shape[1] > 1:
        noise -= noise.mean(axis=1, keepdims=True)
    return np.asarray(clipped + noise)
