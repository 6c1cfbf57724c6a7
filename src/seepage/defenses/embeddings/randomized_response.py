"""Answers instead of embeddings and gradients."""

from dataclasses import dataclass, replace
from typing import Literal

from numpy.random import Generator

from seepage.checks import check_positive
from seepage.hooks import Defense, Hook, Seam
from seepage.mechanisms.r3elu import R3eLU
from seepage.mechanisms.windowed_response import WindowedResponse
from seepage.messages import Kind, Message
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Defense):
    r"""Send a randomized response of ε instead of each coordinate of an embedding or a gradient.

    "Randomized responses in both propagations" (D3 of paper 000, §VII-C), after
    R³eLU [1]_: an activation at the cut that clips and randomizes what crosses,
    in both directions. Each coordinate of an embedding is clipped to
    [0, `bound`], each coordinate of a gradient, of its row's own loss, to
    ±`gradient_bound`. Then it is answered by a `WindowedResponse`: with one of
    256 fixed numbers, of which those near the clipped value are
    :math:`e^\varepsilon` times as probable as the others. Answers are right on
    average.

    The activation is part of the network, so it acts on embeddings that are sent
    for predictions as well. It acts on what is *sent*: an active party's own
    embeddings and gradients never cross, and stay exact, unless `both_sides` is on.

    **What it promises.** For one coordinate of one row in one message, every
    answer is at most :math:`e^\varepsilon` times as probable under one value as
    under another. The whole message about a row of *w* coordinates spends
    :math:`w \varepsilon`. Over *T* epochs and *P* predictions of the row, a
    party's embeddings spend :math:`(T + P) \, w \, \varepsilon` on it, and
    gradients, which tell of labels, :math:`T w \varepsilon` for each passive
    party. With ε = 1, a width of 16 and 20 epochs that is 320, and bounds nothing
    any more. It promises nothing about a *fraction*: a row is hidden among all
    that could stand in its place, and what many rows have in common survives, since
    answers that are right on average are so the more, the more rows are averaged.

    Parameters
    ----------
    epsilon
        :math:`\varepsilon`, of each coordinate and message; of a row's whole message where `response` is ``r3elu``.
    bound
        The largest coordinate of an embedding; what is negative becomes 0. A
        constant: chosen by looking at the data, it would itself tell of them.
    gradient_bound
        The largest magnitude of a gradient's coordinate, of one row's loss
        before the mean over the batch is taken. A constant as well.
    response
        ``windowed`` as told above, or ``r3elu``: `R3eLU` as its paper defines it, with 10 for both bounds there.
    both_sides
        Whether the active party's own embeddings and gradients are answered for as well, as where a third party that
        all trust passes everything on.

    Notes
    -----
    Where classes are weighted in the loss, the factor by which a gradient is taken
    for that of its row is off by the weights of the batch.

    `R3eLU` randomizes otherwise: of a row the largest half is kept, each number is dropped with a probability of ½ or
    less, and Laplace noise is added. However large ε is, a small value is dropped about half of the time, so that it
    never becomes the network without it (paper 000 finds it saturated). The code of paper 000 does not hold it.

    References
    ----------
    .. [1] Y. Mao et al., "Secure Split Learning against Property Inference, Data
       Reconstruction, and Feature Space Hijacking Attacks", ESORICS 2023.
    """

    acts_on = frozenset({Seam.MESSAGE})
    rewrites = frozenset({Kind.EMBEDDING, Kind.GRADIENT})

    epsilon: float = 1.0
    bound: float = 2.0
    gradient_bound: float = 0.1
    response: Literal["windowed", "r3elu"] = "windowed"
    both_sides: bool = False

    def __post_init__(self) -> None:
        check_positive(epsilon=self.epsilon, bound=self.bound, gradient_bound=self.gradient_bound)

    @property
    def forward(self) -> WindowedResponse | R3eLU:
        """What answers for embeddings."""
        if self.response == "r3elu":
            return R3eLU(self.epsilon, self.bound)
        return WindowedResponse(self.epsilon, 0.0, self.bound)

    @property
    def backward(self) -> WindowedResponse | R3eLU:
        """What answers for gradients of a row's own loss."""
        if self.response == "r3elu":
            return R3eLU(self.epsilon, self.gradient_bound, signed=True)
        return WindowedResponse(self.epsilon, -self.gradient_bound, self.gradient_bound)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: remember the generator, and nothing else."""
        del own_part
        return Hook(message=lambda message: self._answered(message, rng), own_side=self.both_sides)

    def _answered(self, message: Message, rng: Generator) -> Message:
        if message.kind is Kind.EMBEDDING and message.payload:
            answer = self.forward.release(message.payload["embedding"], rng)
            return replace(message, payload={"embedding": answer})
        if message.kind is Kind.GRADIENT and message.payload:
            rows = len(message.rows)  # a gradient of the batch's mean is that of a row, divided by the rows
            answer = self.backward.release(message.payload["gradient"] * rows, rng) / rows
            return replace(message, payload={"gradient": answer})
        return message
