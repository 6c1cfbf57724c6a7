"""Networks as values: enough to build them again, small enough to store."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

import torch
from torch import nn

from seepage.networks.bert_files import load_encoder
from seepage.networks.resnet import SmallResNet
from seepage.networks.transformer import SmallTransformer
from seepage.shapes import ImageShape, TextShape


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

    @property
    def inputs(self) -> int:
        """How many columns it reads."""
        return self.image.pixels

    def build(self) -> nn.Module:
        """Build the network with PyTorch's default initialization."""
        return SmallResNet(self.image, self.planes, self.blocks, self.outputs)


@dataclass(frozen=True)
class Transformer:
    """Layers of attention over texts that arrive as flat rows of word numbers.

    Parameters
    ----------
    width, layers, heads, feedforward
        Numbers for each word, layers, heads of attention in each, and the width in between.
    marks, positions
        What stands before and after every text, and for how many words, marks
        included, there are positions; by default 0 before it, and as many as it takes.
    mix_layer
        Between which layers MixText may mix rows; by default at three quarters
        of them (Chen et al., ACL 2020, take layer 7, 9 or 12 of 12).
    epsilon
        What keeps normalization from dividing by zero.
    encoder
        The folder of a pretrained BERT encoder that training starts from.

    Examples
    --------
    >>> small = Transformer(TextShape(6, 100), width=8, layers=2, heads=2, feedforward=16, outputs=3)
    >>> network = small.build()
    >>> rows = torch.tensor([[5.0, 7.0, 0.0, 0.0, 0.0, 0.0]])
    >>> network(rows).shape, network.lower(rows).shape
    (torch.Size([1, 3]), torch.Size([1, 7, 9]))
    """

    text: TextShape
    width: int
    layers: int
    heads: int
    feedforward: int
    outputs: int
    marks: tuple[int, ...] = (0,)
    positions: int | None = None
    mix_layer: int | None = None
    epsilon: float = 1e-5
    encoder: str | None = None

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "feedforward", "outputs"):
            if not _whole(getattr(self, name), least=1):
                raise ValueError(f"{name} must be a whole number of 1 or more, got {getattr(self, name)!r}")
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads ({self.heads}), got {self.width}")
        known = all(_whole(mark, least=0, most=self.text.vocabulary - 1) for mark in self.marks)
        if len(self.marks) not in {1, 2} or not known:
            raise ValueError(f"marks must be one or two numbers below {self.text.vocabulary}, got {self.marks!r}")
        needed = self.text.length + len(self.marks)
        if self.positions is not None and not _whole(self.positions, least=needed):
            raise ValueError(f"positions must be a whole number of {needed} or more, got {self.positions!r}")
        if self.mix_layer is not None and not _whole(self.mix_layer, least=0, most=self.layers):
            raise ValueError(f"mix_layer must lie between 0 and layers ({self.layers}), got {self.mix_layer!r}")
        if not isinstance(self.epsilon, int | float) or not 0 < self.epsilon < math.inf:
            raise ValueError(f"epsilon must be a number above 0 and finite, got {self.epsilon!r}")
        if self.encoder is not None and not isinstance(self.encoder, str):
            raise ValueError(f"encoder must name a folder, got {self.encoder!r}")

    @property
    def inputs(self) -> int:
        """How many columns it reads."""
        return self.text.length

    def build(self) -> SmallTransformer:
        """Build the network with PyTorch's default initialization, or with what the encoder learned."""
        network = SmallTransformer(
            self.text,
            width=self.width,
            layers=self.layers,
            heads=self.heads,
            feedforward=self.feedforward,
            outputs=self.outputs,
            marks=self.marks,
            positions=self.positions or self.text.length + len(self.marks),
            mix_layer=3 * self.layers // 4 if self.mix_layer is None else self.mix_layer,
            epsilon=self.epsilon,
        )
        shapes_alone = network.head.weight.is_meta
        return network if self.encoder is None or shapes_alone else load_encoder(network, self.encoder)


@dataclass(frozen=True)
class Identity:
    """No model at all: columns are passed on as they are.

    >>> Identity(inputs=3).build()(torch.ones(1, 3))
    tensor([[1., 1., 1.]])
    """

    inputs: int

    @property
    def outputs(self) -> int:
        """As many as there are columns."""
        return self.inputs

    def build(self) -> nn.Module:
        """Build a network without parameters."""
        return nn.Identity()


def _whole(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a value, perhaps read from a file, is a whole number between two others."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


Architecture = Dense | ResNet | Transformer | Identity

_KINDS: Final[Mapping[str, type[Any]]] = {
    "dense": Dense,
    "resnet": ResNet,
    "transformer": Transformer,
    "identity": Identity,
}


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
    if kind == "transformer":
        fields["text"] = TextShape(**fields["text"])
    architecture: Architecture = _KINDS[kind](**fields)
    return architecture


def without_encoder(architecture: Architecture) -> Architecture:
    """Return what can be built without the files of an encoder, for those who fill it with a state."""
    return replace(architecture, encoder=None) if isinstance(architecture, Transformer) else architecture


def state_of(module: nn.Module) -> dict[str, Any]:
    """Return a copy of all parameters and buffers as NumPy arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_state(module: nn.Module, state: Mapping[str, Any]) -> nn.Module:
    """Fill a network with what `state_of` returned."""
    module.load_state_dict({name: torch.as_tensor(array) for name, array in state.items()})
    return module
