"""Hidden units that sit out."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.random import Generator

from seepage.checks import check_below_one
from seepage.errors import Remark
from seepage.hooks import Defense, Hook, Seam
from seepage.partition import OwnPart
from seepage.randomness import fresh_seed

if TYPE_CHECKING:
    import torch


class NothingToDrop(Remark):
    """A network has no hidden units, so that nothing of it is dropped."""


@dataclass(frozen=True, kw_only=True)
class Dropout(Defense):
    r"""Drop hidden units of every network at random while training, and none when predicting.

    "Dropout for neural networks model" of paper 002, §VII [1]_: after each hidden
    layer a unit is set to zero with probability *p*, anew for every row of every
    batch, and those left are multiplied by :math:`1 / (1 - p)`. It acts on every
    party's bottom model and on the active party's top model. Where a bottom
    model ends in a ReLU, as in a split network, its embedding is a hidden
    layer of the joint network, and units of it are dropped as well.

    It is a regularizer: it makes networks overfit less. It promises nothing about
    any single row, and a released model says as exactly as before how
    confidences come about.

    Parameters
    ----------
    rate
        *p*, the share of hidden units that sits out, in [0, 1).

    References
    ----------
    .. [1] N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks
       from Overfitting", JMLR 2014.
    """

    acts_on = frozenset({Seam.MODEL})

    rate: float = 0.5

    def __post_init__(self) -> None:
        check_below_one(rate=self.rate)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the hook holds the chance by which this party's units are dropped."""
        # A party may have two networks: each gets a seed of its own, so that their units sit out independently.
        return Hook(model=lambda network: dropping(network, self.rate, fresh_seed(rng), own_part.party))


def dropping(network: "torch.nn.Module", rate: float, seed: int, party: str) -> "torch.nn.Module":
    """Let the hidden units of a network sit out while it is in training mode.

    Names and values of its parameters stay as they are, so that it can be built
    again from its architecture. The network itself is changed and returned.

    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.ReLU())
    >>> dropping(network, 0.5, seed=0, party="shop")(torch.ones(1, 6))
    tensor([[0., 2., 0., 0., 0., 2.]])
    >>> network.eval()(torch.ones(1, 6))
    tensor([[1., 1., 1., 1., 1., 1.]])
    """
    import torch

    from seepage.networks.resnet import ResidualBlock

    chance = torch.Generator().manual_seed(seed)

    def drop(module: torch.nn.Module, inputs: object, output: torch.Tensor) -> torch.Tensor:
        del inputs
        if not module.training:
            return output
        stays = torch.rand(output.shape, generator=chance) >= rate
        return output * stays.to(output) / (1 - rate)

    units = torch.nn.ReLU | torch.nn.GELU | ResidualBlock
    hidden = [module for module in network.modules() if isinstance(module, units)]
    for module in hidden:
        module.register_forward_hook(drop)
    if not hidden and next(network.parameters(), None) is not None:
        warnings.warn(
            f"dropout: a network of '{party}' has no hidden units, so nothing of it is dropped. "
            "Give it hidden layers, or leave the defense out.",
            NothingToDrop,
            stacklevel=3,
        )
    return network
