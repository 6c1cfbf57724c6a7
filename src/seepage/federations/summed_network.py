"""Networks at the parties whose logits are added up."""

from dataclasses import dataclass, field

from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.federation import agreed
from seepage.federations.network_training import NetworkFederation, NetworkSetup
from seepage.federations.training_settings import NETWORK_SEAMS, TrainingSettings
from seepage.messages import ModelKind
from seepage.networks.heads import Sum
from seepage.partition import OwnPart
from seepage.settings import PART, composed
from seepage.transcript import Agreement


@composed
@dataclass(frozen=True, kw_only=True)
class SummedNetwork(NetworkFederation):
    r"""Vertical federated learning without model splitting: logits are added up.

    Algorithm 3 of paper 001: :math:`y = \sum_k y^k`. What crosses: logits to the active party, the
    gradient of the loss by those logits back to every party.

    Parameters
    ----------
    bottoms
        What every party's network is made of, by the keys of `BottomSettings`; ``identity`` sends no logits.
    single_logit
        With two classes, send one logit for class 1 instead of two.
    training
        How long and how everybody trains, by the keys of `TrainingSettings`.
    """

    name = "summed-network"
    offers = NETWORK_SEAMS

    bottoms: BottomSettings = field(default=BottomSettings(), metadata=PART)
    single_logit: bool = False
    training: TrainingSettings = field(default=TrainingSettings(), metadata=PART)

    def __post_init__(self) -> None:
        if self.bottoms.kind == "identity":
            raise ValueError("bottom must be another than 'identity', which sends columns instead of logits")

    def check(self, part: OwnPart) -> None:
        """Refuse a party's own part that this cannot be trained on."""
        self.training.check(part)
        self.bottoms.check(part)

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms."""
        self.training.check_names(parties)
        outputs = 1 if self.single_logit and classes == 2 else classes
        return agreed(self, parties, classes, outputs=outputs, model=ModelKind.NETWORK, top_model=False)

    def setup(self, terms: Agreement) -> NetworkSetup:
        """Return what every party builds and how it learns."""
        return self.training.setup(
            lambda part: self.bottoms.architecture(part, terms.outputs, relu=False),
            lambda _: Sum(terms.outputs, intercept=False),
        )
