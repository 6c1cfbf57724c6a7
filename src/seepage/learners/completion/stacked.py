"""Equal networks trained together: their parameters stacked, one call for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seepage.learners.completion.stacked_layers import as_one


@dataclass(frozen=True, eq=False)
class Stacked:
    """One or several networks of one architecture as one.

    Parameters
    ----------
    call
        From inputs to outputs; both have a first dimension for the networks where there are several.
    count
        How many networks there are.
    """

    call: nn.Module
    count: int

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The parameters by name; with a first dimension for the networks where there are several."""
        return dict(self.call.named_parameters())

    def fill(self, networks: Sequence[nn.Module], parameters: Mapping[str, Tensor]) -> None:
        """Copy some parameters, and the buffers as they are now, into as many networks."""
        for place, network in enumerate(networks):
            own = dict(network.named_parameters()) | dict(network.named_buffers())
            with torch.no_grad():
                for name, values in (*parameters.items(), *self.call.named_buffers()):
                    own[name].copy_(values if self.count == 1 else values[place])


def stacked(networks: Sequence[nn.Module]) -> Stacked | None:
    """Make one of networks of one architecture; None where a layer cannot be stacked, as convolutions cannot.

    A single one is called as it is. Two fully connected ones take two thirds of the time of one after the
    other, while PyTorch's `vmap` over convolutions takes longer than that.

    >>> three = stacked([nn.Linear(2, 1) for _ in range(3)])
    >>> three.call(torch.zeros(3, 8, 2)).shape
    torch.Size([3, 8, 1])
    """
    whole = networks[0] if len(networks) == 1 else as_one(networks)
    return None if whole is None else Stacked(whole, len(networks))
