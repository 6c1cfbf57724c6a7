"""A split network between two sites of NVFlare, recorded. Runs in an environment of its own: make engines.

SEEPAGE_TOLD=FOLDER python examples/engines/nvflare_split.py WORKSPACE

As in the vendor's example, batches are drawn with replacement, and tensors cross in half precision. SEEPAGE_ROWS and
SEEPAGE_EPOCHS make it smaller.
"""

# mypy: disable-error-code="untyped-decorator, no-untyped-call, no-untyped-def"
import os
import sys
from typing import Any

import numpy as np
import torch
from nvflare.collab import CollabRecipe, collab
from nvflare.recipe import SimEnv
from sklearn.datasets import load_breast_cancer
from torch import nn

from seepage.recorders.nvflare import CollabRecorder

ROWS, EPOCHS = int(os.environ.get("SEEPAGE_ROWS", "569")), int(os.environ.get("SEEPAGE_EPOCHS", "10"))
TRAIN = ROWS * 4 // 5


class Site:
    """What one site holds: in a process of its own, which is why both can be laid out here."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        values, labels = load_breast_cancer(return_X_y=True)
        self.columns = torch.tensor((values - values.mean(axis=0)) / values.std(axis=0)).float()[:ROWS]
        self.labels = torch.tensor(labels)[:ROWS]
        self.bank, self.shop = (nn.Sequential(nn.Linear(15, 8), nn.ReLU(), nn.Linear(8, 8)) for _ in range(2))
        self.top = nn.Sequential(nn.ReLU(), nn.Linear(16, 2))
        self.learning = torch.optim.Adam([*self.bank.parameters(), *self.top.parameters()], lr=3e-3)
        self.shop_learning = torch.optim.Adam(self.shop.parameters(), lr=3e-3)
        self.sent = torch.zeros(0)


SITE: list[Site] = []


def site() -> Site:
    """Lay out what is here, once."""
    if not SITE:
        SITE.append(Site())
    return SITE[0]


@collab.publish
def forward(rows: Any) -> Any:
    """At the shop: send embeddings."""
    here = site()
    here.sent = here.shop(here.columns[rows][:, 15:])
    return here.sent.detach().half()


@collab.publish
def backward(rows: Any, gradient: Any) -> None:
    """At the shop: learn from what came back."""
    del rows  # those that were sent last
    here = site()
    here.shop_learning.zero_grad()
    here.sent.backward(gradient.float())
    here.shop_learning.step()


@collab.publish
def answers() -> Any:
    """At the shop, for the record alone: what its model makes of its own rows."""
    with torch.no_grad():
        return site().shop(site().columns[:, 15:])


@collab.publish
def step(rows: Any, sent: Any) -> Any:
    """At the bank: learn, and return the gradient of what the shop sent."""
    here = site()
    received = sent.float().requires_grad_()
    logits = here.top(torch.cat((here.bank(here.columns[rows][:, :15]), received), dim=1))
    here.learning.zero_grad()
    nn.functional.cross_entropy(logits, here.labels[rows]).backward()
    here.learning.step()
    assert received.grad is not None
    return received.grad.half()


@collab.main
def main() -> None:
    """Drive the training, and write down what crosses."""
    sites = {one.name: one for one in collab.clients}
    bank, shop, rng = sites["site-1"], sites["site-2"], np.random.default_rng(0)
    parties = {"bank": "site-1", "shop": "site-2"}
    with CollabRecorder(os.environ["SEEPAGE_TOLD"], parties=parties, active="bank", classes=2) as record:
        for record.epoch in range(EPOCHS):
            for _ in range(TRAIN // 64):
                rows = rng.integers(0, TRAIN, 64)
                shop.backward(rows, bank.step(rows, shop.forward(rows)))
            record.answers("shop", shop.answers(), record.epoch)


if __name__ == "__main__":
    CollabRecipe("split").execute(SimEnv(num_clients=2, workspace_root=sys.argv[1]))
