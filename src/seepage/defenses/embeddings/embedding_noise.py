"""Noise on embeddings."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts, check_not_negative, check_positive
from seepage.hooks import Defense, Hook, Seam, on_message
from seepage.mechanisms.gaussian_privacy import check_delta, epsilon_of, mu_of
from seepage.messages import Kind, Message
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class EmbeddingNoise(Defense):
    r"""Clip each row's embedding to one length, and add Gaussian noise before it is sent.

    .. math:: \tilde z_i = z_i \min\Bigl(1, \frac{C}{\lVert z_i \rVert}\Bigr) + N(0, \sigma^2 I)

    in training and in prediction, drawn anew for every message. The clipping is part of the network: it is learned
    through, and a released model has it.

    **What it promises.** Two rows, whatever their columns, have clipped embeddings at most :math:`2C` apart. Over *T*
    epochs and *P* predictions a party sends :math:`T + P` of a row, and what these tell apart is that of one Gaussian
    at :math:`\mu = 2 C \sqrt{T + P} / \sigma`, from which the least ε for a δ follows exactly. That is for the
    row's **embeddings as messages, weights given**: the weights that made them have learned from the row too, by the
    gradients that came back, and so have the embeddings of other rows. Released, the model tells of it besides, and
    no ε is stated for that. It promises nothing of what many rows have in common, such as the share of a property.

    Parameters
    ----------
    bound
        *C*, the most that the length of a row's embedding may be. A constant: one taken from the data would tell of
        them.
    noise
        :math:`\sigma / C`; 0 clips alone.
    epsilon
        ε of all embeddings of one row, in the place of `noise`.
    delta
        δ, where ε is given or asked for.
    messages
        :math:`T + P`, how often one row is sent: epochs and predictions. A row that is predicted twice counts twice.

    Examples
    --------
    >>> defense = EmbeddingNoise(epsilon=8.0, messages=21)
    >>> round(defense.scale, 1), round(defense.spent(21), 6)
    (22.0, 8.0)
    >>> round(EmbeddingNoise(noise=1.0).spent(21))
    80
    """

    acts_on = frozenset({Seam.ARCHITECTURE, Seam.MESSAGE})
    rewrites = frozenset({Kind.EMBEDDING})

    bound: float = 4.0
    noise: float = 0.25
    epsilon: float | None = None
    delta: float = 1e-5
    messages: int = 21

    def __post_init__(self) -> None:
        check_positive(bound=self.bound)
        if self.epsilon is not None:
            check_positive(epsilon=self.epsilon)
        check_not_negative(noise=self.noise)
        check_delta(self.delta)
        check_counts(messages=self.messages)

    @property
    def scale(self) -> float:
        """The standard deviation of the noise on each number."""
        if self.epsilon is not None:
            return self._apart(self.messages) / mu_of(self.epsilon, self.delta)
        return self.noise * self.bound

    def spent(self, messages: int) -> float:
        """Return ε of so many embeddings of one row, weights given; infinite without noise."""
        return epsilon_of(self._apart(messages) / self.scale, self.delta) if self.scale else np.inf

    def _apart(self, messages: int) -> float:
        """Return how far apart so many messages of two rows lie, all together."""
        return 2 * self.bound * math.sqrt(messages)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        if own_part.labels is not None:
            return Hook()  # its own embeddings cross no link
        scale = self.scale

        def noisy(message: Message) -> Message:
            embedding = message.payload["embedding"]
            noise = rng.normal(scale=scale, size=embedding.shape).astype(embedding.dtype)
            return replace(message, payload={"embedding": embedding + noise})

        return replace(on_message(Kind.EMBEDDING, noisy), architecture=self._clipped)

    def _clipped(self, described: Any) -> Any:
        from seepage.networks.architectures import Narrowed

        return Narrowed.of(described, self.bound)
