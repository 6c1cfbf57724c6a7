"""All federations by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry
from seepage.federations.federation import Federation

FEDERATIONS: Final[Catalog[type[Federation]]] = Catalog(
    kind="federation",
    group="seepage.federations",
    own={
        "split-network": Entry(
            "seepage.federations.split_network:SplitNetwork",
            "Split learning: embeddings are laid side by side and a top model reads them.",
        ),
        "summed-network": Entry(
            "seepage.federations.summed_network:SummedNetwork",
            "Vertical federated learning without model splitting: logits are added up.",
        ),
        "logistic-regression": Entry(
            "seepage.federations.logistic_regression:LogisticRegression",
            "Each party holds the weights of its own columns; the active party adds an intercept.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.federations.logistic_regression import LogisticRegression
    from seepage.federations.split_network import SplitNetwork
    from seepage.federations.summed_network import SummedNetwork

    _FITTING: tuple[type[Federation], ...] = (LogisticRegression, SplitNetwork, SummedNetwork)
