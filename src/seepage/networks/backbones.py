"""The networks that bottom models can be, by name."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, Self

from seepage.catalogs import Catalog, Entry
from seepage.errors import BadSetting

if TYPE_CHECKING:  # listing must not import what networks need
    from torch import nn

    from seepage.layouts import Layout, Meaning


class HeldColumns(Protocol):
    """What a backbone is told of one party: `seepage.partition.OwnPart` has all of it."""

    @property
    def party(self) -> str:
        """The name of the party."""
        ...

    @property
    def width(self) -> int:
        """How many encoded columns it holds."""
        ...

    @property
    def layout(self) -> "Layout":
        """How these are to be read."""
        ...


class Backbone(Protocol):
    """A bottom model as a value: enough to build it again, small enough to store.

    A frozen dataclass whose fields are plain values: numbers, texts, tuples of these, or a dataclass of these such as
    a layout. They are its description in stored runs, so that nothing is ever pickled.
    """

    name: ClassVar[str]
    """By which it is chosen, and found again in stored runs."""
    reads: ClassVar["Meaning"]
    """What it takes the numbers in its columns for."""

    @property
    def inputs(self) -> int:
        """How many columns it reads."""
        ...

    @property
    def outputs(self) -> int:
        """How many numbers it makes of a row."""
        ...

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Refuse columns that it cannot read, with a `BadSetting` that says what to do."""
        ...

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> Self:
        """Return the bottom model of one party, with as many outputs as the federation wants.

        `settings` are those of `seepage.federations.bottom_settings.BottomSettings`, whether it has a use for them or
        not, and `relu_output`: whether the federation wants outputs of 0 or more where that costs a layer nothing.
        """
        ...

    def build(self) -> "nn.Module":
        """Build the network, from rows of `inputs` numbers to rows of `outputs`, with first weights."""
        ...


STORED_AS: Final[Mapping[str, str]] = {"mlp": "dense"}
"""Backbones that stored runs know by another name."""
BACKBONES: Final[Catalog[type[Backbone]]] = Catalog(
    kind="backbone",
    group="seepage.backbones",
    demands=("name", "reads", "inputs", "outputs", "fits", "of", "build"),
    own={
        "mlp": Entry(
            "seepage.networks.architectures:Dense",
            "Fully connected layers with ReLU between them; no hidden layer makes it linear.",
        ),
        "resnet": Entry(
            "seepage.networks.architectures:ResNet",
            "Residual blocks over pictures that arrive as flat rows; one channel or three.",
        ),
        "transformer": Entry(
            "seepage.networks.transformer_bottom:Transformer",
            "Layers of attention over texts that arrive as flat rows of word numbers.",
        ),
        "identity": Entry(
            "seepage.networks.architectures:Identity", "No model at all: columns are passed on as they are."
        ),
    },
)


def refuse_names(part: HeldColumns) -> None:
    """Refuse columns whose numbers are names where they would be taken for amounts."""
    from seepage.layouts import Meaning

    if part.layout.meaning is Meaning.NAMES:
        raise BadSetting(
            f"The columns of '{part.party}' are {part.layout.column}, whose numbers mean nothing by themselves. "
            "Use split-network or summed-network with --model bottom=transformer."
        )


def reads_names(bottom: object) -> bool:
    """Whether a bottom model of that name takes numbers for names, by which nothing can be differentiated.

    >>> reads_names("transformer"), reads_names("mlp"), reads_names(None)
    (True, False, False)
    """
    from seepage.layouts import Meaning

    return isinstance(bottom, str) and bottom in BACKBONES and BACKBONES[bottom].reads is Meaning.NAMES


if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.networks.architectures import Dense, Identity, ResNet
    from seepage.networks.transformer_bottom import Transformer

    _FITTING: tuple[type[Backbone], ...] = (Dense, Identity, ResNet, Transformer)
