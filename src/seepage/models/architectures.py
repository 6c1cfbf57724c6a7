"""Networks as values: enough to build them again, small enough to store."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

import torch
from torch import nn

from seepage.models.resnet import SmallResNet
from seepage.shapes import ImageShape


@dataclass(frozen=True)
class Dense:
    """Fully connected layers with ReLU between them; no hidden layer makes it linear.

    >>> Dense(inputs=4, hidden=(8,), outputs=2).build()
    Sequential(
      (0): Linear(in_features=4, out_features=8, bias=True)
      (1): ReLU()
      (2): Linear(in_features=8, out_features=2, bias=True)
    )
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    bias: bool = True
    relu_output: bool = False

    def build(self) -> nn.Module:
        """Build the network with PyTorch's default initialization."""
        widths = (self.inputs, *self.hidden, self.outputs)
        layers: list[nn.Module] = []
        for wide, narrow in pairwise(widths):
            layers += [nn.Linear(wide, narrow, bias=self.bias), nn.ReLU()]
        return nn.Sequential(*(layers if self.relu_output else layers[:-1]))


@dataclass(frozen=True)
class ResNet:
    """Residual blocks over pictures that arrive as flat rows; one channel or three.

    >>> network = ResNet(ImageShape(channels=1, height=8, width=4), planes=(4, 8), blocks=1, outputs=10).build()
    >>> network(torch.zeros(2, 32)).shape
    torch.Size([2, 10])
    """

    image: ImageShape
    planes: tuple[int, ...]
    blocks: int
    outputs: int

    def build(self) -> nn.Module:
        """Build the network with PyTorch's default initialization."""
        return SmallResNet(self.image, self.planes, self.blocks, self.outputs)


Architecture = Dense | ResNet

_KINDS: Final[Mapping[str, type[Any]]] = {"dense": Dense, "resnet": ResNet}


def to_json(architecture: Architecture) -> dict[str, Any]:
    """Return the architecture as plain values.

    >>> from_json(to_json(Dense(4, (8,), 2))) == Dense(4, (8,), 2)
    True
    """
    kind = next(name for name, made in _KINDS.items() if type(architecture) is made)
    return {"kind": kind, **asdict(architecture)}


def from_json(values: Mapping[str, Any]) -> Architecture:
    """Return the architecture that `to_json` wrote down."""
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    kind = fields.pop("kind")
    if kind == "resnet":
        fields["image"] = ImageShape(**fields["image"])
    architecture: Architecture = _KINDS[kind](**fields)
    return architecture


def state_of(module: nn.Module) -> dict[str, Any]:
    """Return a copy of all parameters and buffers as NumPy arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_state(module: nn.Module, state: Mapping[str, Any]) -> nn.Module:
    """Fill a network with what `state_of` returned."""
    module.load_state_dict({name: torch.as_tensor(array) for name, array in state.items()})
    return module
