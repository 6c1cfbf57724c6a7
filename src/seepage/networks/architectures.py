"""Networks as values: enough to build them again, small enough to store."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, cast, get_type_hints

import torch
from torch import nn

from seepage.errors import BadSetting
from seepage.layouts import ImageShape, Meaning
from seepage.networks.backbones import BACKBONES, STORED_AS, Backbone, HeldColumns
from seepage.networks.bottleneck import Bottleneck, Clipped
from seepage.networks.resnet import SmallResNet


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

    name: ClassVar[str] = "mlp"
    reads: ClassVar[Meaning] = Meaning.APART

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    bias: bool = True
    relu_output: bool = False

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Any numbers will do."""

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> "Dense":
        """Read every column of a party."""
        return cls(part.width, settings["hidden"], outputs, relu_output=settings["relu_output"])

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

    name: ClassVar[str] = "resnet"
    reads: ClassVar[Meaning] = Meaning.TOGETHER

    image: ImageShape
    planes: tuple[int, ...]
    blocks: int
    outputs: int

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Refuse what is no picture."""
        if not isinstance(part.layout, ImageShape):
            raise BadSetting(
                f"bottom is 'resnet', but the columns of '{part.party}' do not form a picture. "
                "Use an image data set with --partition halves or stripes, or --model bottom=mlp."
            )

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> "ResNet":
        """Read a party's piece of a picture."""
        assert isinstance(part.layout, ImageShape)
        return cls(part.layout, settings["planes"], settings["blocks"], outputs)

    @property
    def inputs(self) -> int:
        """How many columns it reads."""
        return self.image.pixels

    def build(self) -> nn.Module:
        """Build the network with PyTorch's default initialization."""
        return SmallResNet(self.image, self.planes, self.blocks, self.outputs)


@dataclass(frozen=True)
class Identity:
    """No model at all: columns are passed on as they are.

    >>> Identity(inputs=3).build()(torch.ones(1, 3))
    tensor([[1., 1., 1.]])
    """

    name: ClassVar[str] = "identity"
    reads: ClassVar[Meaning] = Meaning.APART

    inputs: int

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Any numbers will do."""

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> "Identity":
        """Pass on every column of a party, however many outputs are wanted."""
        del outputs, settings
        return cls(part.width)

    @property
    def outputs(self) -> int:
        """As many as there are columns."""
        return self.inputs

    def build(self) -> nn.Module:
        """Build a network without parameters."""
        return nn.Identity()


@dataclass(frozen=True)
class Narrowed:
    """A bottom model with something behind it, as defenses make one of another bottom model.

    Parameters
    ----------
    under
        The description of the bottom model below.
    bound
        Rows are clipped to this length, or pass a `Bottleneck` where it is None.

    Examples
    --------
    >>> narrow = Narrowed.of(Dense(4, (8,), 2), bound=1.0)
    >>> narrow.outputs, from_json(to_json(narrow)) == narrow, type(Narrowed.of(Dense(4, (8,), 2)).build()).__name__
    (2, True, 'Bottleneck')
    """

    name: ClassVar[str] = "narrowed"

    under: Mapping[str, Any]
    bound: float | None = None

    @classmethod
    def of(cls, architecture: Backbone, bound: float | None = None) -> "Narrowed":
        """Put a bottleneck, or a bound of the length, behind a bottom model."""
        if getattr(architecture, "encoder", None) is not None:
            raise BadSetting("A pretrained encoder cannot be narrowed by a defense. Leave out the encoder.")
        return cls(to_json(architecture), bound)

    @property
    def below(self) -> Backbone:
        """The bottom model that is below."""
        return without_encoder(from_json(self.under))

    @property
    def reads(self) -> Meaning:
        """What the bottom model below takes numbers for."""
        return self.below.reads

    @property
    def inputs(self) -> int:
        """How many columns it reads."""
        return self.below.inputs

    @property
    def outputs(self) -> int:
        """How many numbers it makes of a row."""
        return self.below.outputs

    def build(self) -> nn.Module:
        """Build the network; a bottleneck passes means on until it is given noise."""
        below = self.below.build()
        return Bottleneck(below, self.outputs) if self.bound is None else Clipped(below, self.bound)


def to_json(architecture: Backbone) -> dict[str, Any]:
    """Return the description of a network as plain values.

    >>> from_json(to_json(Dense(4, (8,), 2))) == Dense(4, (8,), 2)
    True
    """
    values = asdict(cast("Any", architecture))
    return {"kind": STORED_AS.get(architecture.name, architecture.name), **values}


def from_json(values: Mapping[str, Any]) -> Backbone:
    """Return what `to_json` wrote down; only what is installed as a backbone is ever imported."""
    kind = values["kind"]
    if kind == Narrowed.name:
        return cast("Backbone", Narrowed(values["under"], values["bound"]))
    name = next((name for name, stored in STORED_AS.items() if stored == kind), kind)
    if name not in BACKBONES:
        raise ValueError(f"no backbone is called {kind!r} here; install the package that brings it")
    made = BACKBONES[name]
    wanted = get_type_hints(made)
    return made(**{key: _read(wanted.get(key), value) for key, value in values.items() if key != "kind"})


def _read(wanted: Any, value: Any) -> Any:
    """Turn one plain value back into what a field holds: JSON knows neither tuples nor dataclasses."""
    if is_dataclass(wanted):
        return cast("Any", wanted)(**value)
    return tuple(value) if isinstance(value, list) else value


def without_encoder(architecture: Backbone) -> Backbone:
    """Return what can be built without the files of an encoder, for those who fill it with a state."""
    pretrained = getattr(architecture, "encoder", None) is not None
    return cast("Backbone", replace(cast("Any", architecture), encoder=None)) if pretrained else architecture


def state_of(module: nn.Module) -> dict[str, Any]:
    """Return a copy of all parameters and buffers as NumPy arrays."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def load_state(module: nn.Module, state: Mapping[str, Any]) -> nn.Module:
    """Fill a network with what `state_of` returned."""
    module.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
    return module
