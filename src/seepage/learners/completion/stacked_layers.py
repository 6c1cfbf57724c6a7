"""Layers of several equal networks as one layer: a batch of matrices instead of one matrix after another."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Final

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seepage.learners.completion.complete_model import Completed, InferenceHead

_ALIKE: Final = (nn.GELU, nn.Identity, nn.LeakyReLU, nn.ReLU, nn.Sigmoid, nn.Tanh)
"""What treats every number by itself has nothing to stack."""
_AROUND: Final = (nn.Sequential, nn.ModuleList, InferenceHead, Completed)
"""What only calls others, and counts columns from the last dimension."""


class Linears(nn.Module):
    """Linear layers of several networks: networks by rows by columns in, the same out.

    >>> both = Linears([nn.Linear(3, 2), nn.Linear(3, 2)])
    >>> both(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 2])
    """

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.stack([layer.weight.detach() for layer in layers]))
        biases = [layer.bias.detach() for layer in layers if layer.bias is not None]
        self.bias = nn.Parameter(torch.stack(biases)) if biases else None

    def forward(self, rows: Tensor) -> Tensor:
        """Multiply each network's rows by its own matrix."""
        matrices = self.weight.transpose(1, 2)
        return torch.bmm(rows, matrices) if self.bias is None else torch.baddbmm(self.bias[:, None], rows, matrices)


class BatchNorms(nn.Module):
    """Batch normalization of several networks, which is one over all their columns side by side.

    >>> both = BatchNorms([nn.BatchNorm1d(3), nn.BatchNorm1d(3)])
    >>> both(torch.zeros(2, 5, 3)).shape, both.running_mean.shape
    (torch.Size([2, 5, 3]), torch.Size([2, 3]))
    """

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(self, layers: Sequence[nn.BatchNorm1d]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.stack([layer.weight.detach() for layer in layers]))
        self.bias = nn.Parameter(torch.stack([layer.bias.detach() for layer in layers]))
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            self.register_buffer(name, torch.stack([getattr(layer, name) for layer in layers]))
        self.momentum, self.eps = layers[0].momentum, layers[0].eps
        self.training = layers[0].training

    def forward(self, rows: Tensor) -> Tensor:
        """Normalize each column over the rows, and remember its mean and variance."""
        networks, count, width = rows.shape
        if self.training:
            self.num_batches_tracked.add_(1)
        normalized = F.batch_norm(
            rows.transpose(0, 1).reshape(count, networks * width),
            self.running_mean.view(-1),
            self.running_var.view(-1),
            self.weight.view(-1),
            self.bias.view(-1),
            self.training,
            self.momentum or 0.0,
            self.eps,
        )
        return normalized.view(count, networks, width).transpose(0, 1)


def as_one(networks: Sequence[nn.Module]) -> nn.Module | None:
    """Return one network of stacked layers, with the same names of parameters; None where a layer is of another kind.

    >>> as_one([nn.Sequential(nn.Linear(2, 3), nn.ReLU()) for _ in range(4)])
    Sequential(
      (0): Linears()
      (1): ReLU()
    )
    >>> as_one([nn.Conv1d(1, 1, 3) for _ in range(4)])
    """
    first = networks[0]
    layer = _stacked_layer(networks)
    if layer is not None:
        return layer
    names = [name for name, _ in first.named_children()]
    repeated = len(names) < len(first._modules)  # one layer in two places stays one
    if type(first) not in _AROUND or repeated or (isinstance(first, Completed) and not first.plain):
        return None
    children = {name: as_one([network.get_submodule(name) for network in networks]) for name in names}
    if None in children.values():
        return None
    whole = deepcopy(first)
    for name, child in children.items():
        setattr(whole, name, child)
    return whole


def _stacked_layer(layers: Sequence[nn.Module]) -> nn.Module | None:
    first = layers[0]
    if type(first) in _ALIKE:
        return deepcopy(first)
    if type(first) is nn.Linear:
        return Linears([layer for layer in layers if isinstance(layer, nn.Linear)])
    if type(first) is nn.BatchNorm1d and first.affine and first.track_running_stats and first.momentum is not None:
        return BatchNorms([layer for layer in layers if isinstance(layer, nn.BatchNorm1d)])
    return None
