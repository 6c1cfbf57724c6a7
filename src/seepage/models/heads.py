"""What turns the outputs of several networks into logits."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class Summed(nn.Module):
    """Add the outputs up, with an intercept where asked for; there is no model to train otherwise.

    >>> Summed(outputs=2, intercept=False)([torch.ones(1, 2), torch.ones(1, 2)])
    tensor([[2., 2.]])
    """

    def __init__(self, outputs: int, *, intercept: bool) -> None:
        super().__init__()
        self.intercept = nn.Parameter(torch.zeros(outputs)) if intercept else None

    def forward(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return the sum."""
        total = embeddings[0]
        for embedding in embeddings[1:]:
            total = total + embedding
        return total if self.intercept is None else total + self.intercept


class Concatenated(nn.Module):
    """Lay the outputs side by side and put a top model on them."""

    def __init__(self, top: nn.Module) -> None:
        super().__init__()
        self.top = top

    def forward(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return the top model's logits."""
        return self.top(torch.cat(tuple(embeddings), dim=1))  # type: ignore[no-any-return]
