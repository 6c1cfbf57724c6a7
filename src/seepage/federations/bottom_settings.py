"""What every party's bottom model is made of."""

from dataclasses import dataclass, field
from typing import Literal

from seepage.errors import BadSetting
from seepage.federations.checks import check_counts, check_widths
from seepage.federations.words import check_words, refuse_words, text_bottom
from seepage.networks.architectures import Architecture, Dense, Identity, ResNet
from seepage.partition import OwnPart, PartitionedTable
from seepage.settings import called


@dataclass(frozen=True, kw_only=True)
class BottomSettings:
    """The bottom model of every party, as large as its columns ask for.

    Parameters
    ----------
    kind
        The key is ``bottom``: ``mlp``, ``resnet`` where every party holds a piece of a picture,
        ``transformer`` where every party holds a piece of a text, or ``identity``
        where parties send their columns as they are.
    hidden
        Hidden widths of a fully connected bottom model.
    planes, blocks
        Width of each stage of a residual bottom model, and its blocks per stage.
    width, layers, heads
        Numbers for each word in a Transformer, its layers, and the heads of attention in each.
    encoder
        The folder of a pretrained BERT encoder to start from, which then sets all sizes.

    Examples
    --------
    >>> BottomSettings(kind="transformer", width=10, heads=4)
    Traceback (most recent call last):
        ...
    ValueError: width must be a multiple of heads (4), got 10
    """

    kind: Literal["mlp", "resnet", "transformer", "identity"] = field(default="mlp", metadata=called("bottom"))
    hidden: tuple[int, ...] = (64,)
    planes: tuple[int, ...] = (16, 32, 64)
    blocks: int = 1
    width: int = 32
    layers: int = 2
    heads: int = 2
    encoder: str | None = None

    def __post_init__(self) -> None:
        check_widths(hidden=self.hidden, planes=self.planes, blocks=(self.blocks,))
        if not self.planes:
            raise ValueError("planes must name at least one stage, got none")
        check_counts(width=self.width, layers=self.layers, heads=self.heads)
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads ({self.heads}), got {self.width}")

    def check(self, data: PartitionedTable) -> None:
        """Refuse columns that such a model cannot read."""
        if self.kind == "transformer":
            check_words(data, self.encoder)
        else:
            refuse_words(data)
        for part in data.parts.values():
            if self.kind == "resnet" and part.image is None and part.width:
                raise BadSetting(
                    f"bottom is 'resnet', but the columns of '{part.party}' do not form a picture. "
                    "Use an image data set with --partition halves or stripes, or --model bottom=mlp."
                )

    def architecture(self, part: OwnPart, outputs: int, *, relu: bool) -> Architecture:
        """Return the bottom model of one party; `relu` puts one behind the outputs of a fully connected one."""
        if self.kind == "transformer":
            return text_bottom(part, outputs, self.width, self.layers, self.heads, self.encoder)
        if self.kind == "resnet":
            assert part.image is not None
            return ResNet(part.image, self.planes, self.blocks, outputs)
        if self.kind == "identity":
            return Identity(part.width)
        return Dense(part.width, self.hidden, outputs, relu_output=relu)
