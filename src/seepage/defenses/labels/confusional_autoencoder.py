"""Codes in the place of labels."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_not_negative
from seepage.hooks import Defense, Hook, Seam
from seepage.messages import Message
from seepage.networks.confusional_autoencoder import learned_codes
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class ConfusionalAutoencoder(Defense):
    r"""Train on codes of the classes that look alike, and read predictions with a decoder that nobody else has.

    CAE [1]_: before training the active party trains an encoder, from an indicator of the class to a distribution
    over classes, and a decoder back, so that codes can be read and are as spread out as they can be:

    .. math:: L = -\ln d(e(y))_y - \lambda \, H(e(y))

    The federation learns :math:`e(y)` in the place of *y*, and predictions are decoded before they are released.

    Which *class* a code stands for no longer shows in the sign of a gradient. Rows of a class still have one code,
    and gradients of one code still go together: who can tell which gradients do, and knows a label of each class, is
    where it was before. It promises nothing else.

    Parameters
    ----------
    weight
        :math:`\lambda`, what a nat of entropy is worth beside reading codes; 0 leaves codes as they come.

    Notes
    -----
    The autoencoder is trained on one row of each class, for which batches of labels as in [1]_ stand. Discretized
    gradients, which [1]_ adds in DCAE, are a defense of their own here: `discrete-gradients`.

    References
    ----------
    .. [1] T. Zou et al., "Defending Batch-Level Label Inference and Replacement Attacks in Vertical Federated
       Learning", IEEE Transactions on Big Data, 2022.
    """

    acts_on = frozenset({Seam.TARGETS, Seam.RELEASE})

    weight: float = 1.0

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the hook of the party with labels holds codes and decoder."""
        if own_part.labels is None:
            return Hook()
        codes = learned_codes(int(own_part.labels.max()) + 1, self.weight, rng)

        def decoded(message: Message) -> Message:
            confidence = codes.decoded(np.asarray(message.payload["confidence"]))
            return replace(message, payload={"confidence": confidence})

        return Hook(targets=codes.encoded, release=decoded)
