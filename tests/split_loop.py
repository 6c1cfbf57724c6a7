"""A split network that somebody else wrote: plain PyTorch, layers that we have none of, and its own loop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from torch import Tensor, nn
from torch.nn import functional as F


class Skip(nn.Module):
    """LayerNorm, GELU, and what comes in is added again."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first, self.norm, self.second = (
            nn.Linear(inputs, outputs),
            nn.LayerNorm(outputs),
            nn.Linear(outputs, outputs),
        )

    def forward(self, rows: Tensor) -> Tensor:
        hidden = F.gelu(self.norm(self.first(rows)))
        return hidden + self.second(hidden)


@dataclass
class Loop:
    """Trains two bottom models of different widths and a top model; whoever listens is told what crosses."""

    epochs: int = 6
    widths: tuple[int, int] = (6, 12)
    batch: int = 64
    bank: nn.Module = field(init=False)
    shop: nn.Module = field(init=False)
    top: nn.Module = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(0)
        self.bank, self.shop = Skip(15, self.widths[0]), Skip(15, self.widths[1])
        self.top = nn.Sequential(nn.GELU(), nn.Linear(sum(self.widths), 2))

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        columns, labels = load_breast_cancer(return_X_y=True)
        return ((columns - columns.mean(axis=0)) / columns.std(axis=0)).astype(np.float32), labels

    @property
    def columns(self) -> dict[str, np.ndarray]:
        return {"bank": self.table[0][:, :15], "shop": self.table[0][:, 15:]}

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        order = np.random.default_rng(0).permutation(len(self.table[1]))
        return order[:400], order[400:]

    def run(
        self,
        hear: Callable[[int, np.ndarray, Tensor, Tensor], None],
        ended: Callable[[int], None],
        before: Callable[[np.ndarray, int], None] = lambda rows, epoch: None,
    ) -> None:
        """Tell of each batch the epoch, the rows, what the shop sent and what came back; and when an epoch is over."""
        rng = np.random.default_rng(1)
        models = nn.ModuleList((self.bank, self.shop, self.top))
        optimizer = torch.optim.Adam(models.parameters(), lr=2e-3)
        for epoch in range(self.epochs):
            order = rng.permutation(self.rows[0])
            for rows in np.array_split(order, len(order) // self.batch):
                before(rows, epoch)
                own, sent = (
                    model(torch.from_numpy(self.columns[party][rows]))
                    for party, model in (("bank", self.bank), ("shop", self.shop))
                )
                sent.retain_grad()
                logits = self.top(torch.cat((own, sent), dim=1))
                optimizer.zero_grad()
                F.cross_entropy(logits, torch.from_numpy(self.table[1][rows])).backward()
                optimizer.step()
                assert sent.grad is not None
                hear(epoch, rows, sent, sent.grad)
            ended(epoch)
