"""Embeddings whose distances say less."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from numpy.random import Generator

from seepage.checks import check_choice, check_not_negative
from seepage.errors import BadSetting
from seepage.hooks import Defense, Hook, Seam
from seepage.layouts import Meaning
from seepage.partition import OwnPart
from seepage.shapes import Rows

if TYPE_CHECKING:
    import torch

Against = Literal["features", "labels"]


@dataclass(frozen=True, kw_only=True)
class DistanceCorrelation(Defense):
    r"""Let networks learn embeddings whose distances go less with those of columns, or of labels.

    Each passive party adds to what its bottom model learns from, in every batch,

    .. math:: \alpha \, \mathrm{dCor}(X, Z)

    of its own columns *X* and its embedding *Z* (NoPeek [1]_). Against labels it is the active party that adds the
    gradient of :math:`\alpha \, \mathrm{dCor}(Z, Y)` by each embedding that it received to the one that it sends
    back, with *Y* an indicator for each class [2]_: passive parties cannot tell the two apart, and learn from both.

    It lowers one measure of how much shows, and nothing bounds any other. Distances that say less can still be
    told apart by who knows the network, or some rows. With labels it makes embeddings say less *to the passive party*;
    the gradient that does so is made of labels, and tells them all to who knows what was sent.

    Parameters
    ----------
    alpha
        :math:`\alpha`, beside a loss that is a mean over rows; 0 changes nothing.
    against
        ``features`` or ``labels``.

    Notes
    -----
    [2]_ descends on the logarithm of the distance correlation; here it is the distance correlation itself in both.
    Distances among the first 1,024 rows of a batch count.

    References
    ----------
    .. [1] P. Vepakomma et al., "NoPeek: Information leakage reduction to share activations in distributed deep
       learning", ICDM Workshops 2020.
    .. [2] J. Sun et al., "Label Leakage and Protection from Forward Embedding in Vertical Federated Learning", 2022.
    """

    acts_on = frozenset({Seam.LOSS, Seam.RECEIVED_LOSS})

    alpha: float = 1.0
    against: Against = "features"

    def __post_init__(self) -> None:
        check_not_negative(alpha=self.alpha)
        check_choice(Against, against=self.against)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: nothing has to be remembered."""
        del rng  # nothing here is random
        passive = own_part.labels is None
        if not self.alpha or passive != (self.against == "features"):
            return Hook()
        if not passive:
            return Hook(received_loss=self._of_labels)
        if own_part.layout.meaning is Meaning.NAMES:
            raise BadSetting(
                f"The columns of '{own_part.party}' are words, whose numbers have no distances. "
                "Choose against=labels, or another defense."
            )
        return Hook(loss=self._of_columns)

    def _of_columns(self, embedding: "torch.Tensor", columns: "torch.Tensor", rows: Rows) -> "torch.Tensor":
        from seepage.mechanisms.distance_correlation import distance_correlation

        del rows
        return self.alpha * distance_correlation(columns.detach(), embedding)

    def _of_labels(self, embedding: "torch.Tensor", labels: "torch.Tensor", rows: Rows) -> "torch.Tensor":
        from torch.nn.functional import one_hot

        from seepage.mechanisms.distance_correlation import distance_correlation

        del rows
        return self.alpha * distance_correlation(one_hot(labels).to(embedding), embedding)
