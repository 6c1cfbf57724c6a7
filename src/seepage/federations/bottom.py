"""A party's own columns under its own network."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn

from seepage.hooks import no_loss, nothing_added
from seepage.networks.architectures import state_of, to_json
from seepage.networks.backbones import Backbone
from seepage.networks.nesterov import bend
from seepage.networks.optimizers import Schedule, forget_gradients, pace, steady
from seepage.networks.seeding import OwnDraws
from seepage.shapes import Array, Rows
from seepage.transcript import Snapshot

Precision: TypeAlias = Literal["full", "bf16"]
MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


def tensor_of(array: Array) -> Tensor:
    """Return an array as a tensor: the same memory, or a copy of what nobody may write into, as what came over a wire.

    >>> import numpy as np
    >>> sent = np.frombuffer(np.ones(2).tobytes())
    >>> tensor_of(sent).tolist(), tensor_of(np.ones(2)).tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    return torch.from_numpy(array) if array.flags.writeable else torch.tensor(array)


@dataclass(frozen=True, eq=False)
class Bottom:
    """A bottom model, the columns it reads, and the optimizer that trains it, with its own pace and its own chance."""

    party: str
    columns: tuple[str, ...]
    features: Tensor
    architecture: Backbone
    network: nn.Module
    optimizer: torch.optim.Optimizer | None
    extra_loss: Callable[[Tensor, Rows], Tensor | None] = nothing_added
    precision: Precision = "full"
    schedule: Schedule = steady
    draws: OwnDraws | None = None
    defense_loss: Callable[[Tensor, Tensor, Rows], Tensor | None] = no_loss
    _last: list[Any] = field(default_factory=list, repr=False)

    def forward(self, rows: Rows) -> Tensor:
        """Return the embeddings of some rows."""
        columns = self._gathered(rows)
        if self.draws is None:
            return self._computed(columns)
        with self.draws:
            return self._computed(columns)

    def _computed(self, columns: Tensor) -> Tensor:
        if self.precision == "full":
            return self.network(columns)  # type: ignore[no-any-return]
        with torch.autocast(columns.device.type, torch.bfloat16):
            embedding: Tensor = self.network(columns)
        return embedding.to(columns.dtype)

    def _gathered(self, rows: Rows) -> Tensor:
        """Return the features of some rows; asked for the very same rows again, as in full batches, copy nothing."""
        if not self._last or self._last[0] is not rows:
            self._last[:] = (rows, self.features[tensor_of(rows)])
        features: Tensor = self._last[1]
        return features

    def bend(self, curvature: float) -> None:
        """Let the optimizer know how sharply the loss bends, before the first step."""
        if self.optimizer is not None:
            bend(self.optimizer, curvature)

    def learn(self, embedding: Tensor, gradient: Tensor, rows: Rows, epoch: int) -> None:
        """ParticipantBackProp of Algorithm 3: go back from the gradient at an embedding, and take a step."""
        if not embedding.requires_grad:
            return  # no parameter lies behind it
        added = (self.extra_loss(embedding, rows), self.defense_loss(embedding, self._gathered(rows), rows))
        losses = [loss for loss in added if loss is not None]
        torch.autograd.backward([embedding, *losses], [gradient, *map(torch.ones_like, losses)])
        self.step(epoch)

    def step(self, epoch: int) -> None:
        """Let the optimizer use the gradients, and forget them; a model without parameters has nothing to learn."""
        if self.optimizer is None:
            return
        pace(self.optimizer, self.schedule(epoch))
        self.optimizer.step()
        forget_gradients(self.optimizer)

    def snapshot(self, epoch: int) -> Snapshot:
        """Return the model as it is now."""
        return Snapshot(self.party, epoch, to_json(self.architecture), state_of(self.network), columns=self.columns)
