"""Plain supervised learning of a completed model: what own columns are worth when all labels are known."""

from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn
from torch.nn import functional as F

from seepage.networks.seeding import torch_seeded
from seepage.shapes import Labels, Rows

LEARNING_RATE = 1e-3
PRETRAINED_LEARNING_RATE = 1e-4
"""That of bottom models that began from an encoder: a higher one destroys what it had learned."""


def supervise(
    model: nn.Module,
    features: Tensor,
    rows: Rows,
    labels: Labels,
    *,
    epochs: int,
    batch: int,
    rng: Generator,
    bottom_learning_rate: float = LEARNING_RATE,
) -> nn.Module:
    """Train a model on labelled rows with cross-entropy and Adam, and return it in eval mode.

    Where it is a `Completed` one, its bottom models have a rate of their own.

    >>> model = nn.Linear(1, 2)
    >>> _ = [nn.init.zeros_(values) for values in model.parameters()]
    >>> features = torch.tensor([[-1.0], [1.0]])
    >>> learned = supervise(model, features, np.arange(2), np.array([0, 1]), epochs=200, batch=2,
    ...                     rng=np.random.default_rng(0))
    >>> learned(features).argmax(dim=1)
    tensor([0, 1])
    """
    target = torch.from_numpy(np.asarray(labels)).to(features.device)
    below = [values for name, values in model.named_parameters() if name.startswith("bottoms.")]
    above = [values for name, values in model.named_parameters() if not name.startswith("bottoms.")]
    groups: list[dict[str, Any]] = [{"params": above}, {"params": below, "lr": bottom_learning_rate}]
    optimizer = torch.optim.Adam(groups, lr=LEARNING_RATE, fused=True)
    model.train()
    with torch_seeded(rng):
        for _ in range(epochs):
            order = rng.permutation(len(rows))
            for place in np.array_split(order, max(1, len(order) // batch)):
                if len(place) < 2:  # batch normalization needs company
                    continue
                chosen = torch.from_numpy(rows[place]).to(features.device)
                logits = model(features[chosen])
                loss = F.cross_entropy(logits, target[torch.from_numpy(place).to(features.device)])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
    return model.eval()
