"""What stands behind a network and narrows what it says: noise whose size is learned and paid for, or a length."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def divergence(mean: Tensor, spread: Tensor) -> Tensor:
    r"""Return what each row says beyond pure noise, in nats.

    .. math:: KL\bigl(N(\mu, \sigma^2) \,\|\, N(0, 1)\bigr) = \sum_j \tfrac12 (\mu_j^2 + \sigma_j^2 - 1) - \ln \sigma_j

    >>> divergence(torch.tensor([[0.0, 0.0], [2.0, 0.0]]), torch.ones(2, 2))
    tensor([0., 2.])
    """
    return ((mean**2 + spread**2 - 1) / 2 - torch.log(spread)).sum(dim=1)


class Paid(torch.autograd.Function):
    """Passes values on as they are; whoever learns from their gradient learns from that of a cost too.

    >>> weight = torch.ones(1, requires_grad=True)
    >>> Paid.apply(2 * weight, 10 * weight.sum()).sum().backward()
    >>> weight.grad
    tensor([12.])
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, cost: Tensor) -> Tensor:
        """Return the values."""
        ctx.save_for_backward(cost)
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradient that came, and that of the cost by itself."""
        (cost,) = ctx.saved_tensors
        return gradients[0], torch.ones_like(cost)


@dataclass(frozen=True, eq=False)
class Noise:
    """The chance of one bottleneck, and how much a nat costs.

    Parameters
    ----------
    weight
        What is added to the loss for each nat that a row says, in the mean over the batch.
    """

    weight: float
    chance: torch.Generator


class Bottleneck(nn.Module):
    r"""Two layers behind a network: a mean and a spread; what is passed on is drawn around the mean.

    .. math:: z = \mu + \sigma \varepsilon, \quad \varepsilon \sim N(0, 1),

    with a spread :math:`\sigma = \mathrm{softplus}(s - \tfrac12)` of what the second layer gives.

    Without noise, as it is built from its description, it passes the mean on: whoever holds the model knows both.

    >>> _ = torch.manual_seed(0)
    >>> built = Bottleneck(nn.Identity(), 3)
    >>> noisy = Bottleneck(nn.Identity(), 3, Noise(0.1, torch.Generator().manual_seed(0)))
    >>> _ = noisy.load_state_dict(built.state_dict())
    >>> mean, spread = built.told(torch.ones(1, 3))
    >>> bool((built(torch.ones(1, 3)) == mean).all()), bool((noisy(torch.ones(1, 3)) == mean).any())
    (True, False)
    """

    def __init__(self, under: nn.Module, width: int, noise: Noise | None = None) -> None:
        super().__init__()
        self.under = under
        self.mean = nn.Linear(width, width)
        self.spread = nn.Linear(width, width)
        self.noise = noise

    def told(self, columns: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean and the spread of what is passed on of some rows."""
        hidden = self.under(columns)
        return self.mean(hidden), F.softplus(self.spread(hidden) - 0.5)

    def forward(self, columns: Tensor) -> Tensor:
        """Return what is passed on."""
        mean, spread = self.told(columns)
        if self.noise is None:
            return mean
        drawn = torch.randn(mean.shape, generator=self.noise.chance).to(mean)
        passed = mean + spread * drawn
        if not (self.training and passed.requires_grad):
            return passed
        cost = self.noise.weight * divergence(mean.float(), spread.float()).mean()
        return Paid.apply(passed, cost)  # type: ignore[no-any-return,no-untyped-call]


class Clipped(nn.Module):
    """A bound on the length of each row that a network gives.

    >>> Clipped(nn.Identity(), bound=1.0)(torch.tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000],
            [0.0000, 0.0000]])
    """

    def __init__(self, under: nn.Module, bound: float) -> None:
        super().__init__()
        self.under = under
        self.bound = bound

    def forward(self, columns: Tensor) -> Tensor:
        """Return rows that are no longer than the bound."""
        rows: Tensor = self.under(columns)
        too_long: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True) / self.bound
        return rows / too_long.clamp(min=1.0)


class BehindOwn(nn.Module):
    """A bottleneck for what others sent; the first numbers of each row, the party's own, pass as they are.

    >>> layer = BehindOwn(own=2, width=3)
    >>> bool((layer(torch.ones(1, 5))[:, :2] == 1).all()), layer(torch.ones(1, 5)).shape
    (True, torch.Size([1, 5]))
    """

    def __init__(self, own: int, width: int, noise: Noise | None = None) -> None:
        super().__init__()
        self.own = own
        self.others = Bottleneck(nn.Identity(), width, noise)

    def forward(self, joined: Tensor) -> Tensor:
        """Return the own numbers, and what gets through of the others."""
        return torch.cat((joined[:, : self.own], self.others(joined[:, self.own :])), dim=1)
