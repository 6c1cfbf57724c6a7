"""Codes that stand for classes, as spread out as they can be and still be read."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import BadSetting
from seepage.shapes import Labels, Matrix

if TYPE_CHECKING:
    from torch import nn

STEPS: Final = 400
LEARNING_RATE: Final = 3e-3


@dataclass(frozen=True, eq=False)
class Codes:
    """A distribution over classes for each class, and what reads them.

    Parameters
    ----------
    table
        Classes by classes: the code of each.
    decoder
        From codes, or what lies between them, to logits of classes.
    """

    table: Matrix
    decoder: "nn.Module"

    def encoded(self, labels: Labels) -> Matrix:
        """Return the code of each row's class."""
        return np.asarray(self.table[labels])

    def decoded(self, confidences: Matrix) -> Matrix:
        """Return how confident predictions of codes are of classes."""
        import torch

        with torch.no_grad():
            read = self.decoder(torch.from_numpy(np.asarray(confidences, dtype=np.float32)))
            return np.asarray(torch.softmax(read.double(), dim=1).numpy(), dtype=confidences.dtype)

    @property
    def entropy(self) -> float:
        """The mean entropy of codes, as a share of the most that it could be."""
        spread = -(self.table * np.log(np.maximum(self.table, 1e-30))).sum(axis=1).mean()
        return float(spread / np.log(len(self.table)))


def learned_codes(classes: int, weight: float, rng: Generator) -> Codes:
    r"""Train an encoder and a decoder on the classes, each of two layers, until codes can be read.

    .. math:: \min_{e, d} \; \frac1C \sum_c -\ln d(e(c))_c - \lambda \, H(e(c))

    with :math:`e(c)` a distribution over classes and *H* its entropy: Eq. 8 to 10 of [1]_, on one row of each class.

    >>> codes = learned_codes(3, weight=0.5, rng=np.random.default_rng(0))
    >>> codes.decoded(codes.encoded(np.array([2, 0, 1]))).argmax(axis=1)
    array([2, 0, 1])
    >>> codes.table.sum(axis=1).round(6), codes.entropy > 0.5
    (array([1., 1., 1.]), True)

    References
    ----------
    .. [1] T. Zou et al., "Defending Batch-Level Label Inference and Replacement Attacks in Vertical Federated
       Learning", IEEE Transactions on Big Data, 2022.
    """
    import torch
    from torch.nn.functional import cross_entropy

    from seepage.networks.architectures import Dense
    from seepage.networks.seeding import torch_seeded

    with torch_seeded(rng):
        encoder, decoder = (Dense(classes, (6 * classes + 2,), classes).build() for _ in range(2))
        parameters = [*encoder.parameters(), *decoder.parameters()]
        optimizer = torch.optim.Adam(parameters, lr=LEARNING_RATE)
        every = torch.eye(classes)
        for _ in range(STEPS):
            optimizer.zero_grad()
            logarithms = torch.log_softmax(encoder(every), dim=1)
            codes = logarithms.exp()
            entropy = -(codes * logarithms).sum(dim=1).mean()
            loss = cross_entropy(decoder(codes), torch.arange(classes)) - weight * entropy
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        table = torch.softmax(encoder(every).detach().double(), dim=1).numpy()
    made = Codes(table, decoder.requires_grad_(requires_grad=False))
    if not np.array_equal(made.decoded(table).argmax(axis=1), np.arange(classes)):
        raise BadSetting(
            f"With weight={weight:g} the codes of {classes} classes can no longer be read. Choose a smaller weight."
        )
    return made
