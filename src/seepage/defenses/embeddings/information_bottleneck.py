"""A narrow way for what an embedding says."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from numpy.random import Generator

from seepage.checks import check_choice, check_not_negative
from seepage.errors import BadSetting
from seepage.hooks import Defense, Hook, Seam
from seepage.partition import OwnPart
from seepage.randomness import fresh_seed

if TYPE_CHECKING:
    import torch

Against = Literal["features", "labels"]


@dataclass(frozen=True, kw_only=True)
class InformationBottleneck(Defense):
    r"""Let every number of an embedding pass through noise whose size is learned, and let what gets through cost.

    Mutual information regularization (MID [1]_) after the variational bottleneck of [2]_: behind a network, two
    layers make a mean and a spread of each number; what is passed on is drawn anew each time,

    .. math:: z = \mu + \sigma \varepsilon, \quad \varepsilon \sim N(0, 1),

    and the loss grows by :math:`\lambda \, \mathrm{KL}(N(\mu, \sigma^2) \,\|\, N(0, 1))`, in the mean over the
    rows of a batch. Over all rows that is no less than :math:`\lambda` times the mutual information of *z* and what was
    read, in nats: what is not worth its cost to the loss is drowned.

    Against features it stands at the end of each passive party's bottom model, so that what is *sent* is drawn, in
    training and in prediction. Against labels it stands at the active party, between the embeddings that it received
    and its top model.

    A mean over rows bounds nothing for one of them. What is drawn anew averages out over the messages of a row, and a
    released model tells :math:`\mu` and :math:`\sigma` of any values that one cares to try. A row that a
    prediction depends on has to get through.

    Parameters
    ----------
    weight
        :math:`\lambda`; 0 leaves the size of the noise to the loss alone.
    against
        ``features`` or ``labels``.

    Notes
    -----
    In the code of [1]_ a further layer reads *z* before it is sent; here *z* itself is sent. Behind the last ReLU of a
    split network's bottom model its embedding is no longer 0 or more.

    References
    ----------
    .. [1] T. Zou, Y. Liu and Y.-Q. Zhang, "Mutual Information Regularization for Vertical Federated Learning", 2023.
    .. [2] A. A. Alemi et al., "Deep Variational Information Bottleneck", ICLR 2017.
    """

    acts_on = frozenset({Seam.ARCHITECTURE, Seam.MODEL})

    weight: float = 0.01
    against: Against = "features"

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_choice(Against, against=self.against)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the hook holds the chance by which noise is drawn."""
        passive = own_part.labels is None
        if passive != (self.against == "features"):
            return Hook()
        described = _Described(passive)
        return Hook(architecture=described.architecture, model=lambda network: noisy(network, self.weight, rng))


@dataclass
class _Described:
    """Says what networks are, with a bottleneck; remembers how wide the active party's own embedding is."""

    passive: bool
    own: int = field(default=0, init=False)

    def architecture(self, described: Any) -> Any:
        from seepage.networks.architectures import Narrowed
        from seepage.networks.heads import Sum, TopModel

        if self.passive:
            return Narrowed.of(described)
        if isinstance(described, Sum):
            raise BadSetting(
                "information-bottleneck against=labels stands before a top model, and there is none. "
                "Choose split-network, or against=features."
            )
        if isinstance(described, TopModel):
            return replace(described, narrowed=described.inputs - self.own)
        self.own = described.outputs
        return described


def noisy(network: "torch.nn.Module", weight: float, rng: Generator) -> "torch.nn.Module":
    """Give the bottlenecks of a network the chance to draw, and say what a nat costs; the network itself is changed."""
    import torch

    from seepage.networks.bottleneck import Bottleneck, Noise

    for module in network.modules():
        if isinstance(module, Bottleneck):
            module.noise = Noise(weight, torch.Generator().manual_seed(fresh_seed(rng)))
    return network
