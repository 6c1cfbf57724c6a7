"""What an adversary does to its own training so that the joint model leans on it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from seepage.models.acceleration import Acceleration
from seepage.partition import OwnPart
from seepage.shapes import Labels, Rows

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Accelerated:
    """A tampering: the malicious optimizer in the place of the agreed one, and nothing else (§3.4 of paper 001).

    Parameters
    ----------
    acceleration
        How far it speeds up its steps.

    Examples
    --------
    >>> import torch
    >>> agreed = torch.optim.SGD([torch.nn.Parameter(torch.zeros(2))], lr=0.1, momentum=0.9)
    >>> Accelerated(Acceleration(most=3.0)).optimizer(agreed).acceleration.most
    3.0
    """

    acceleration: Acceleration = Acceleration()

    def optimizer(self, agreed: "torch.optim.Optimizer") -> "torch.optim.Optimizer":
        """Wrap the malicious optimizer around the agreed one."""
        from seepage.models.malicious_optimizer import MaliciousOptimizer

        return MaliciousOptimizer(agreed, self.acceleration)

    def table(self, part: OwnPart) -> OwnPart:
        """Keep the true columns."""
        return part

    def labels(self, labels: Labels) -> Labels:
        """Keep the true labels."""
        return labels

    def extra_loss(self, embedding: object, rows: Rows) -> None:
        """Add nothing."""
        del embedding, rows
