"""Equal networks trained together: their parameters stacked, one call for all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seepage.models.stacked_layers import as_one


@dataclass(frozen=True, eq=False)
class Stacked:
    """One or several networks of one architecture as one function.

    Parameters
    ----------
    call
        From inputs to outputs; both have a first dimension for the networks where there are several.
    parameters, buffers
        By name; with the same first dimension where there are several networks.
    count
        How many networks there are.
    """

    call: Callable[..., Tensor]
    parameters: Mapping[str, Tensor]
    buffers: Mapping[str, Tensor]
    count: int

    def fill(self, networks: Sequence[nn.Module], parameters: Mapping[str, Tensor]) -> None:
        """Copy some parameters, and the buffers as they are now, into as many networks."""
        for place, network in enumerate(networks):
            own = dict(network.named_parameters()) | dict(network.named_buffers())
            with torch.no_grad():
                for name, values in (*parameters.items(), *self.buffers.items()):
                    own[name].copy_(values if self.count == 1 else values[place])


def stacked(networks: Sequence[nn.Module]) -> Stacked:
    """Make one function of networks of one architecture.

    A single one is called as it is. Several fully connected ones become one of layers over
    stacked matrices (`as_one`); anything else is left to PyTorch's `vmap`, which takes longer for each call.

    >>> three = stacked([nn.Linear(2, 1) for _ in range(3)])
    >>> three.call(torch.zeros(3, 8, 2)).shape
    torch.Size([3, 8, 1])
    """
    single = networks[0] if len(networks) == 1 else as_one(networks)
    if single is not None:
        return Stacked(single, dict(single.named_parameters()), dict(single.named_buffers()), len(networks))
    first = networks[0]
    parameters, buffers = torch.func.stack_module_state(list(networks))

    def one(parameters: dict[str, Tensor], buffers: dict[str, Tensor], *inputs: Tensor) -> Tensor:
        said: Tensor = torch.func.functional_call(first, (parameters, buffers), inputs)
        return said

    each = torch.func.vmap(one, in_dims=0, randomness="different")
    return Stacked(lambda *inputs: each(parameters, buffers, *inputs), parameters, buffers, len(networks))
