"""A party's own columns under its own network."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from seepage.hooks import Tampering
from seepage.models.architectures import Architecture, state_of, to_json
from seepage.partition import OwnPart
from seepage.shapes import Rows
from seepage.transcript import Snapshot

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@dataclass(frozen=True, eq=False)
class Bottom:
    """A bottom model, the columns it reads, and the optimizer that trains it."""

    party: str
    columns: tuple[str, ...]
    features: Tensor
    architecture: Architecture
    network: nn.Module
    optimizer: torch.optim.Optimizer
    tampering: Tampering | None = None
    _last: list[Any] = field(default_factory=list, repr=False)

    @classmethod
    def build(
        cls,
        part: OwnPart,
        architecture: Architecture,
        network: nn.Module,
        optimizer: MakeOptimizer,
        tampering: Tampering | None,
        features: Tensor,
    ) -> "Bottom":
        """Put the pieces together; a malicious party may bring an optimizer of its own."""
        own = tampering.optimizer(network.parameters()) if tampering is not None else None
        chosen = own or optimizer(network.parameters())
        return cls(part.party, part.names, features, architecture, network, chosen, tampering)

    def forward(self, rows: Rows) -> Tensor:
        """Return the embeddings of some rows."""
        return self.network(self._gathered(rows))  # type: ignore[no-any-return]

    def _gathered(self, rows: Rows) -> Tensor:
        """Return the features of some rows; asked for the very same rows again, as in full batches, copy nothing."""
        if not self._last or self._last[0] is not rows:
            self._last[:] = (rows, self.features[torch.from_numpy(rows)])
        features: Tensor = self._last[1]
        return features

    def extra_loss(self, embedding: Tensor, rows: Rows) -> Tensor | None:
        """Return what a malicious party adds to its own loss; None for an honest one."""
        return self.tampering.extra_loss(embedding, rows) if self.tampering is not None else None

    def step(self) -> None:
        """Let the optimizer use the gradients, and forget them."""
        self.optimizer.step()
        self.optimizer.zero_grad()

    def snapshot(self, epoch: int) -> Snapshot:
        """Return the model as it is now."""
        return Snapshot(self.party, epoch, to_json(self.architecture), state_of(self.network))
