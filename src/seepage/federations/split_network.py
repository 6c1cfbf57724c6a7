"""Bottom models at the parties, a top model at the label holder."""

from dataclasses import dataclass, field

from seepage.checks import check_widths
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.federation import agreed
from seepage.federations.network_training import NetworkFederation, NetworkSetup
from seepage.federations.training_settings import NETWORK_SEAMS, TrainingSettings
from seepage.messages import NETWORK_KINDS, Kind, ModelKind
from seepage.networks.heads import TopModel
from seepage.partition import OwnPart
from seepage.settings import PART, composed
from seepage.transcript import Agreement


@composed
@dataclass(frozen=True, kw_only=True)
class SplitNetwork(NetworkFederation):
    """Split learning: embeddings are laid side by side and a top model reads them.

    Algorithm 2 of paper 001, with the label holder in the place of the server.
    What crosses: embeddings to the active party, their gradients back.

    Parameters
    ----------
    bottoms
        What bottom models are made of, by the keys of `BottomSettings`.
    cut
        The width of the embedding that a bottom model sends.
    top
        Hidden widths of the top model.
    training
        How long and how everybody trains, by the keys of `TrainingSettings`.

    Examples
    --------
    >>> SplitNetwork(epochs=3, bottom="resnet").training.epochs
    3
    """

    name = "split-network"
    offers = NETWORK_SEAMS

    bottoms: BottomSettings = field(default=BottomSettings(), metadata=PART)
    cut: int = 16
    top: tuple[int, ...] = (32,)
    training: TrainingSettings = field(default=TrainingSettings(), metadata=PART)

    def __post_init__(self) -> None:
        check_widths(cut=(self.cut,), top=self.top)

    def check(self, part: OwnPart) -> None:
        """Refuse a party's own part that this cannot be trained on."""
        self.training.check(part)
        self.bottoms.check(part)

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        self.training.check_names(parties)
        kinds = NETWORK_KINDS if self.bottoms.equal_widths else (*NETWORK_KINDS, Kind.SETUP)
        return agreed(self, parties, classes, outputs=self.cut, model=ModelKind.NETWORK, kinds=kinds)

    def setup(self, terms: Agreement) -> NetworkSetup:
        """Return what every party builds and how it learns."""
        return self.training.setup(
            lambda part: self.bottoms.architecture(part, self.cut, relu=True),
            lambda joined: TopModel(joined, self.top, terms.classes),
            trains_head=terms.active,
            equal_widths=self.bottoms.equal_widths,
        )
