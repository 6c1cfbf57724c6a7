"""What every party's bottom model is made of."""

from dataclasses import dataclass, field

from seepage.checks import check_counts, check_widths
from seepage.errors import AuditError, BadPlugIn, UnknownName
from seepage.layouts import Meaning
from seepage.networks.backbones import BACKBONES, STORED_AS, Backbone, refuse_names
from seepage.partition import OwnPart
from seepage.settings import called


@dataclass(frozen=True, kw_only=True)
class BottomSettings:
    """The bottom model of every party, as large as its columns ask for.

    Parameters
    ----------
    kind
        The key is ``bottom``: a backbone by its name. ``mlp``, ``resnet`` where every party holds a piece of a
        picture, ``transformer`` where every party holds a piece of a text, ``identity``
        where parties send their columns as they are, or one that another package brings.
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

    kind: str = field(default="mlp", metadata=called("bottom"))
    hidden: tuple[int, ...] = (64,)
    planes: tuple[int, ...] = (16, 32, 64)
    blocks: int = 1
    width: int = 32
    layers: int = 2
    heads: int = 2
    encoder: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in BACKBONES:
            raise UnknownName("backbone", self.kind, known=BACKBONES)
        check_widths(hidden=self.hidden, planes=self.planes, blocks=(self.blocks,))
        if not self.planes:
            raise ValueError("planes must name at least one stage, got none")
        check_counts(width=self.width, layers=self.layers, heads=self.heads)
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads ({self.heads}), got {self.width}")

    @property
    def equal_widths(self) -> bool:
        """Whether every party sends as many numbers as is agreed, however many columns it has."""
        return self.kind != "identity"

    def check(self, part: OwnPart) -> None:
        """Refuse a party's columns that such a model cannot read."""
        backbone = BACKBONES[self.kind]
        if backbone.name != self.kind or self.kind in STORED_AS.values():
            raise BadPlugIn(
                f"Backbone '{self.kind}' cannot be used: its class is called '{backbone.name}', so that a stored run "
                f"would be built again as another. Give both one name, other than {', '.join(STORED_AS.values())}."
            )
        if not part.width:
            return
        if backbone.reads is not Meaning.NAMES:
            refuse_names(part)
        try:
            backbone.fits(part)
            self.architecture(part, outputs=1, relu=False)  # says which of the settings do not fit the columns
        except (AuditError, ValueError):
            raise
        except Exception as error:  # code of another package: whatever it raises is one sentence
            raise BadPlugIn(f"Backbone '{self.kind}' raised {type(error).__name__}: {error}") from error

    def architecture(self, part: OwnPart, outputs: int, *, relu: bool) -> Backbone:
        """Return the bottom model of one party; `relu` puts one behind the outputs of a fully connected one."""
        return BACKBONES[self.kind].of(part, outputs, {**vars(self), "relu_output": relu})
