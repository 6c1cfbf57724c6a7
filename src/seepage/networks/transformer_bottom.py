"""A Transformer as a bottom model: of any size, or begun from a pretrained encoder."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seepage.errors import BadSetting
from seepage.layouts import Meaning, TextShape
from seepage.networks.backbones import HeldColumns
from seepage.networks.bert_files import load_encoder, read_shape
from seepage.networks.transformer import SmallTransformer


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
    >>> import torch
    >>> small = Transformer(TextShape(6, 100), width=8, layers=2, heads=2, feedforward=16, outputs=3)
    >>> network = small.build()
    >>> rows = torch.tensor([[5.0, 7.0, 0.0, 0.0, 0.0, 0.0]])
    >>> network(rows).shape, network.lower(rows).shape
    (torch.Size([1, 3]), torch.Size([1, 7, 9]))
    """

    name: ClassVar[str] = "transformer"
    reads: ClassVar[Meaning] = Meaning.NAMES

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

    @classmethod
    def fits(cls, part: HeldColumns) -> None:
        """Refuse anything but texts."""
        if not isinstance(part.layout, TextShape):
            raise BadSetting(
                f"bottom is 'transformer', but the columns of '{part.party}' are not the words of a text. "
                "Name a column of texts (--text COLUMN), or use --model bottom=mlp."
            )

    @classmethod
    def of(cls, part: HeldColumns, outputs: int, settings: Mapping[str, Any]) -> "Transformer":
        """Read a party's piece of a text: with the sizes given, or those of an encoder that can read it."""
        assert isinstance(part.layout, TextShape)
        text, encoder, width = part.layout, settings["encoder"], settings["width"]
        if encoder is None:
            return cls(text, width, settings["layers"], settings["heads"], 2 * width, outputs)
        shape = read_shape(encoder)
        if text.vocabulary != shape.vocabulary:
            raise BadSetting(
                f"encoder '{encoder}' knows {shape.vocabulary} pieces of words, but texts were read with a vocabulary "
                f"of {text.vocabulary}. Read them with its own (--vocabulary {encoder}/vocab.txt)."
            )
        if text.length + len(shape.marks) > shape.positions:
            raise BadSetting(
                f"encoder '{encoder}' reads {shape.positions - len(shape.marks)} pieces of words at most, "
                f"but '{part.party}' holds {text.length}. Read fewer (--words)."
            )
        sizes = {key: value for key, value in asdict(shape).items() if key != "vocabulary"}
        return cls(text, outputs=outputs, encoder=encoder, **sizes)

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


def _whole(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a value, perhaps read from a file, is a whole number between two others."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
