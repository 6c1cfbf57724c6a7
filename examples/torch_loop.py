"""A split network in plain PyTorch, recorded: the lines with `record` and `tap` are all that was added."""

from typing import cast

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from torch import nn

import seepage
from seepage.recorders.torch import SplitRecorder


class Skip(nn.Module):
    """Layers that Seepage knows nothing of."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, outputs), nn.Linear(outputs, outputs)
        self.norm = nn.LayerNorm(outputs)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the embeddings of some rows."""
        hidden: torch.Tensor = nn.functional.gelu(self.norm(self.first(rows)))
        return hidden + cast("torch.Tensor", self.second(hidden))


torch.manual_seed(0)
values, labels = load_breast_cancer(return_X_y=True)
table = torch.tensor((values - values.mean(axis=0)) / values.std(axis=0)).float()
mine, theirs, y = table[:, :15], table[:, 15:], torch.tensor(labels)
order = np.random.default_rng(0).permutation(len(labels))
train, new = order[:400], order[400:]
bank, shop, top = Skip(15, 6), Skip(15, 12), nn.Sequential(nn.GELU(), nn.Linear(18, 2))
optimizer = torch.optim.Adam([*bank.parameters(), *shop.parameters(), *top.parameters()], lr=2e-3)

record = seepage.Recorder("run", parties=["bank", "shop"], active="bank", classes=2, top_model=True, data="wdbc")
record.rows(train=train, new=new)
record.columns("bank", mine)
record.columns("shop", theirs)
tap = SplitRecorder(record, {"shop": shop, "bank": bank})

for epoch in range(6):
    for rows in np.array_split(np.random.default_rng(epoch).permutation(train), 6):
        tap.batch(rows, epoch)
        logits = top(torch.cat((bank(mine[rows]), shop(theirs[rows])), dim=1))
        optimizer.zero_grad()
        torch.autograd.backward(nn.functional.cross_entropy(logits, y[rows]))
        optimizer.step()
    tap.epoch_over(epoch)

record.truth(labels=y, has=theirs[:, 0] > 0)
record.know_labels(per_class=4)
record.know_values(count=40)
record.know_property("radius error=high", holder="shop")
print(record.close())  # which attacks apply, and why others do not
